"""Stores of access that are broken on purpose, each in one way, to see the suite fail."""

import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any

import pytest

from urim.engine.access import kept as store
from urim.engine.access import rows
from urim.engine.access.protocol import Admitted, Ended, Grant, Limits
from urim.engine.access.rows import Claim, Invited, Token
from urim.engine.access.secret import Secret, draw, hashed
from urim.engine.access.sqlite import SqliteAccess
from urim.events.log.protocol import Bell

Break = Callable[[pytest.MonkeyPatch], None]


def of(target: object, name: str, value: object) -> Break:
    """A store in which one name means something else."""
    return lambda patch: patch.setattr(target, name, value)


def limits(**high: int) -> Break:
    """A store that has some limits of its own."""

    def broken(patch: pytest.MonkeyPatch) -> None:
        init: Callable[..., None] = SqliteAccess.__init__

        def replaced(
            self: SqliteAccess, place: Any, connection: Any, given: Limits, how: Any
        ) -> None:
            known = {name: getattr(given, name) for name in given.__struct_fields__}
            init(self, place, connection, Limits(**(known | high)), how)

        patch.setattr(SqliteAccess, "__init__", replaced)

    return broken


def revoking(where: str, name: str) -> Break:
    """A store in which some revoking has another condition, and revokes no invitation."""

    def revoke(connection: sqlite3.Connection, **which: str) -> int:
        return rows.revoke(connection, where.format(**which), ())

    return of(rows, name, revoke)


def all_of_them(connection: sqlite3.Connection, where: str, which: Iterable[object]) -> int:
    """Revoke by the id alone, whatever table was named."""
    if "id = ?" in where:
        where, which = "id = ?", [*which][1:]
    done: int = SOUND["revoke"](connection, where, which)
    return done


SOUND: dict[str, Callable[..., Any]] = {
    name: getattr(rows, name)
    for name in ("revoke", "_spend", "_invited", "_keep_invitation", "host_link", "purge")
}
"""What is broken here, as it is."""


def one_seat(connection: sqlite3.Connection, invited: Invited, client: bytes) -> Claim:
    """Every new seat is the same."""
    claim: Claim = SOUND["_spend"](connection, invited, client)
    if invited.seat is None:
        connection.execute("UPDATE claims SET seat = 'seat-x' WHERE id = ?", (claim.id,))
        return claim._replace(seat="seat-x")
    return claim


def use_one(connection: sqlite3.Connection, hash: bytes, now: int) -> Grant | None:
    """The other tokens of an exchange stay good."""
    token = rows.find(connection, hash, now)
    if token is None:
        return None
    connection.execute("UPDATE tokens SET used = 1 WHERE id = ?", (token.id,))
    return token.grant()


def use_none(connection: sqlite3.Connection, hash: bytes, now: int) -> Grant | None:
    """No token is ever used."""
    token = rows.find(connection, hash, now)
    return None if token is None else token.grant()


def looks_before_it_writes(patch: pytest.MonkeyPatch) -> None:
    """Uses and holders are looked at in one transaction, and spent in another."""

    def boundless(connection: sqlite3.Connection, column: str, value: object) -> Invited | None:
        found: Invited | None = SOUND["_invited"](connection, column, value)
        return None if found is None else found._replace(uses=1_000_000)

    async def exchange(self: Any, secret: str, client: str, now: int) -> Admitted | None:
        ids = (hashed(secret), hashed(client))

        def before(connection: sqlite3.Connection) -> bool:
            found: Invited | None = SOUND["_invited"](connection, "hash", ids[0])
            return found is not None and found.spent < found.uses

        if not await self._look(before):
            return None
        asked = (*ids, now, self._limits)
        admitted: Admitted | None = await self._write(lambda c: rows.exchange(c, *asked))
        return admitted

    patch.setattr(rows, "_invited", boundless)
    patch.setattr(rows, "_holders", lambda *_, **__: False)  # pyright: ignore[reportUnknownLambdaType]
    patch.setattr(SqliteAccess, "exchange", exchange)


def keeps_the_hosts_tokens(connection: sqlite3.Connection, *, new: bool) -> Any:
    """A new link revokes nothing that came of the old one."""
    good = connection.execute("SELECT id FROM tokens WHERE role = 'host' AND revoked = 0")
    ids = good.fetchall()
    connection.execute("DROP TRIGGER revoked_stays")
    secret = SOUND["host_link"](connection, new=new)
    connection.executemany("UPDATE tokens SET revoked = 0 WHERE id = ?", ids)
    return secret


def leaves_the_last_link(connection: sqlite3.Connection, **_: object) -> Secret:
    """The link before the next one stays good."""
    secret = draw("h")
    SOUND["_keep_invitation"](connection, secret, None)
    return secret


def revoked_only(connection: sqlite3.Connection, ids: Iterable[str]) -> Ended:
    """What was purged counts as good."""
    asked = "SELECT 1 FROM tokens WHERE id = ? AND revoked = 1"
    return frozenset(id for id in ids if connection.execute(asked, (id,)).fetchone())


def hears_news_alone(patch: pytest.MonkeyPatch) -> None:
    """What is held at the beginning, or comes to be held, is taken for good."""
    follow: Callable[..., AsyncGenerator[Ended, None]] = SqliteAccess.follow

    async def late(
        self: SqliteAccess, held: Callable[[], Iterable[str]], *, every: float = 0.5
    ) -> AsyncGenerator[Ended, None]:
        first = frozenset(held())
        gone = await self._look(lambda connection: rows.ended(connection, first))  # pyright: ignore[reportPrivateUsage]
        async for ended in follow(self, lambda: (first & frozenset(held())) - gone, every=every):
            yield ended

    patch.setattr(SqliteAccess, "follow", late)


def purges(statement: str) -> Break:
    """Purging does this too."""

    def purge(connection: sqlite3.Connection, now: int) -> int:
        done: int = SOUND["purge"](connection, now)
        return done + connection.execute(statement).rowcount

    return of(rows, "purge", purge)


BROKEN: dict[str, Break] = {
    "expired invitations open": of(Invited, "good", lambda self, _: not self.revoked),
    "revoked invitations open": of(
        Invited, "good", lambda self, now: self.expires is None or now < self.expires
    ),
    "expired tokens are good": of(Token, "good", lambda self, _: not self.revoked),
    "revoked tokens are good": of(Token, "good", lambda self, now: now < self.expires),
    "revoked tokens are good while the clock is back": of(
        Token,
        "good",
        lambda self, now: now < self.expires and (not self.revoked or now < 1_000_000_000_000),
    ),
    "nothing is repeated": of(rows, "_repeats", lambda *_: False),
    "all is repeated": of(rows, "_repeats", lambda *_: True),
    "a repetition is another use": of(rows, "_claim", lambda *_: None),
    "held seats are open": of(rows, "_holders", lambda *_, **__: False),
    "auditors hold a seat": of(rows, "_holders", lambda *asked, **__: asked[2] is None),
    "there is always room": of(rows, "_check_room", lambda *_: None),
    "there are no bounds": limits(invitations=99, uses=99, tokens=99, auditors=99, name=99),
    "invitations last": limits(invited=10**13),
    "there is one new seat": of(rows, "_spend", one_seat),
    "the others of an exchange are good": of(rows, "first_use", use_one),
    "no token is ever used": of(rows, "first_use", use_none),
    "looks before it writes": looks_before_it_writes,
    "any client id will do": of(store, "checked_client", lambda client: client),
    "a wrong text is mended": of(store, "hashed", lambda text: hashed(text.strip())),
    "lists show all": of(
        rows,
        "invitations",
        lambda connection, table, now: tuple(
            rows.__dict__["_shown"](Invited(*row))
            for row in connection.execute(f"{rows.INVITED} WHERE table_id IS NOT NULL").fetchall()
        ),
    ),
    "holders of all tables": of(
        rows,
        "holders",
        lambda connection, table, now: tuple(
            Token(*row).grant() for row in connection.execute(rows.TOKEN).fetchall()
        ),
    ),
    "the host's link is always new": of(
        rows, "host_link", lambda connection, new: SOUND["host_link"](connection, new=True)
    ),
    "a new host's link leaves the tokens": of(rows, "host_link", keeps_the_hosts_tokens),
    "the next host's link puts all out": of(
        rows,
        "next_host_link",
        lambda connection, now, limits: SOUND["host_link"](connection, new=True),
    ),
    "the next host's link leaves the last one": of(
        rows,
        "next_host_link",
        leaves_the_last_link,
    ),
    "tables are one": of(rows, "revoke", all_of_them),
    "seats are one": revoking("seat = '{seat}'", "revoke_seat"),
    "a table's invitations stay": revoking("table_id = '{table}'", "revoke_table"),
    "what came of an invitation stays": revoking("false", "revoke_invitation"),
    "nobody is woken": of(SqliteAccess, "_ring", lambda *_: None),
    "what was purged is good": of(rows, "ended", revoked_only),
    "only news is heard": hears_news_alone,
    "closing wakes nobody": of(Bell, "ring", lambda *_: None),
    "purging takes open invitations": purges("DELETE FROM invitations"),
    "purging takes what was spent": purges("DELETE FROM claims"),
    "purging takes the host's link": purges("DELETE FROM invitations WHERE role = 'host'"),
}
"""Every broken store, by what is wrong with it."""
