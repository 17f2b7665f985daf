"""What is asked of the rows, each within a transaction that the caller has begun.

All but `find` and the lists write, while nobody else does: what they look at first cannot change
before they are done. The questions are in the SQL that SQLite has, with `?` for a value; what asks
PostgreSQL writes them as that has them.
"""

import secrets
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from ...errors import Damaged, Refused
from .protocol import Admitted, Ended, Grant, Invitation, Inviting, Issued, Limits, over
from .rights import AccessRole
from .secret import Secret, draw, hashed, same


class Cursor(Protocol):
    """What a question found."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""
        ...

    def fetchone(self) -> Any:
        """The first row; None where there is none."""
        ...

    def fetchall(self) -> list[Any]:
        """Every row."""
        ...


class Connection(Protocol):
    """What answers questions."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor:
        """Ask one."""
        ...


NEW_SEAT = "seat-"
"""How the name of a new seat begins, before 16 hex digits that nobody chose: it is no other's."""

NOBODY = bytes(32)
"""What is compared where nothing was found: no text is known that has this hash."""


class Invited(NamedTuple):
    """A row of `invitations`, as it is needed, with how many uses are spent."""

    id: str
    hash: bytes
    table: str | None
    role: AccessRole
    seat: str | None
    by: AccessRole
    by_seat: str | None
    expires: int | None
    uses: int
    name: str
    revoked: int
    spent: int

    def good(self, now: int) -> bool:
        """Whether it was neither revoked nor has expired."""
        return not self.revoked and (self.expires is None or now < self.expires)

    def own(self, seat: str | None) -> bool:
        """Whether a seat that it leads to invites another client of its own."""
        return self.by_seat is not None and self.by_seat == seat and self.by == self.role


NOTHING = Invited("", NOBODY, None, "auditor", None, "auditor", None, 0, 0, "", 1, 0)
"""What is looked at where no invitation was found."""


class Token(NamedTuple):
    """A row of `tokens`, as it is needed."""

    id: str
    hash: bytes
    claim: str
    table: str | None
    seat: str | None
    role: AccessRole
    expires: int
    used: int
    revoked: int

    def good(self, now: int) -> bool:
        """Whether it was neither revoked nor has expired."""
        return not self.revoked and now < self.expires

    def grant(self) -> Grant:
        """What it stands for."""
        return Grant(
            id=self.id, table=self.table, seat=self.seat, role=self.role, expires=self.expires
        )


class Claim(NamedTuple):
    """A use of an invitation that a client has spent, and the seat that it led to."""

    id: str
    seat: str | None


AT_ONCE = 500
"""Tokens that one statement looks for, at most."""

INVITED = """SELECT id, hash, table_id, role, seat, made_by, made_by_seat, expires, uses, name,
    revoked, (SELECT count(*) FROM claims WHERE invitation = invitations.id) FROM invitations"""

TOKEN = "SELECT id, hash, claim, table_id, seat, role, expires, used, revoked FROM tokens"  # noqa: S105 - no token, but a question

# --- inviting -------------------------------------------------------------------------------------


def invite(connection: Connection, inviting: Inviting, now: int, limits: Limits) -> Issued:
    """See `AccessStore.invite`."""
    if not now < inviting.expires <= now + limits.invited:
        why = f"the invitation would expire at {inviting.expires}, and now is {now}"
        allowed = [f"{now + 1} to {now + limits.invited}"]
        raise Refused("out-of-range", why, allowed=allowed)
    if len(inviting.name) > limits.name:
        has = f"the invitation's name has {len(inviting.name)} characters"
        why = f"{has}; the limit `name` is {limits.name}"
        raise Refused("too-long", why, allowed=[f"{limits.name} characters"])
    if inviting.uses > limits.uses:
        raise over("uses", limits.uses, f"the invitation would have {inviting.uses} uses")
    if len(invitations(connection, inviting.table, now)) >= limits.invitations:
        why = f"table {inviting.table!r} has {limits.invitations} open invitations"
        raise over("invitations", limits.invitations, why)
    if not inviting.own and _holders(connection, inviting.table, inviting.seat, now):
        why = f"somebody holds seat {inviting.seat!r}"
        allowed = ["an invitation by the seat itself", "after revoking the seat"]
        raise Refused("taken", why, allowed=allowed)
    secret = draw("i")
    id = _keep_invitation(connection, secret, inviting)
    return Issued(secret, _shown(_invited(connection, "id", id)))


def host_link(connection: Connection, *, new: bool) -> Secret | None:
    """See `AccessStore.host_link`."""
    host = "FROM invitations WHERE role = 'host' AND revoked = 0"
    if not new and connection.execute(f"SELECT 1 {host}").fetchone():
        return None
    connection.execute("UPDATE tokens SET revoked = 1 WHERE role = 'host' AND revoked = 0")
    return _replace_host_link(connection)


def next_host_link(connection: Connection, *, now: int, limits: Limits) -> Secret:
    """See `AccessStore.next_host_link`."""
    connection.execute(
        "UPDATE tokens SET revoked = 1 WHERE role = 'host' AND revoked = 0 AND turn NOT IN (SELECT"
        " turn FROM tokens WHERE role = 'host' AND revoked = 0 AND expires > ?"
        " ORDER BY turn DESC LIMIT ?)",
        (now, limits.tokens - 1),
    )
    return _replace_host_link(connection)


def _replace_host_link(connection: Connection) -> Secret:
    connection.execute("UPDATE invitations SET revoked = 1 WHERE role = 'host' AND revoked = 0")
    secret = draw("h")
    _keep_invitation(connection, secret, None)
    return secret


def _keep_invitation(connection: Connection, secret: Secret, inviting: Inviting | None) -> str:
    """Write an invitation, or the host's link where it is None; its id."""
    id = secrets.token_hex(8)
    row: tuple[object, ...] = (None, "host", None, "host", None, None, 1, "")
    if inviting is not None:
        row = (
            inviting.table, inviting.role, inviting.seat, inviting.by, inviting.by_seat,
            inviting.expires, inviting.uses, inviting.name,
        )  # fmt: skip
    connection.execute(
        "INSERT INTO invitations (id, hash, table_id, role, seat, made_by, made_by_seat, expires,"
        " uses, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (id, hashed(secret.reveal()), *row),
    )
    return id


# --- coming in ------------------------------------------------------------------------------------


def exchange(
    connection: Connection, hash: bytes, client: bytes, now: int, limits: Limits
) -> Admitted | None:
    """See `AccessStore.exchange`; of the hashes of secret and client."""
    # Every step is taken for every secret: how long it takes says little of why it opens nothing.
    invited = _invited(connection, "hash", hash) or NOTHING
    claim = _claim(connection, invited, client)
    seat = invited.seat if claim is None else claim.seat
    held = _holders(connection, invited.table, seat, now, but=claim)
    repeats = _repeats(connection, claim, now, limits)
    has_use = repeats if claim is not None else invited.spent < invited.uses
    good = same(invited.hash, hash) and invited.good(now)
    if not good or not has_use or (held and not invited.own(seat)):
        return None
    _check_room(connection, invited, seat, now, limits)
    if claim is None:
        claim = _spend(connection, invited, client)
    return _admit(connection, invited, claim, now + limits.admitted)


def invitation(connection: Connection, *, hash: bytes, now: int) -> Invitation | None:
    """See `AccessStore.invitation`; of the secret's hash."""
    # Every step is taken for every secret, as above.
    invited = _invited(connection, "hash", hash) or NOTHING
    held = _holders(connection, invited.table, invited.seat, now)
    good = same(invited.hash, hash) and invited.good(now) and invited.spent < invited.uses
    free = invited.own(invited.seat) or not held
    return _shown(invited) if good and free and invited.table is not None else None


def first_use(connection: Connection, hash: bytes, now: int) -> Grant | None:
    """Note that a token was used, and revoke the others of its exchange. None as `find`."""
    token = find(connection, hash, now)
    if token is None:
        return None
    connection.execute("UPDATE tokens SET used = 1 WHERE id = ?", (token.id,))
    connection.execute(
        "UPDATE tokens SET revoked = 1 WHERE claim = ? AND id != ? AND revoked = 0",
        (token.claim, token.id),
    )
    return token.grant()


def find(connection: Connection, hash: bytes, now: int) -> Token | None:
    """The good token of a hash; None for any other, after the same steps."""
    row = connection.execute(f"{TOKEN} WHERE hash = ?", (hash,)).fetchone()
    token = None if row is None else Token(*row)
    found = same(NOBODY if token is None else token.hash, hash)
    return token if token is not None and found and token.good(now) else None


def _repeats(connection: Connection, claim: Claim | None, now: int, limits: Limits) -> bool:
    """Whether an exchange may be repeated: all that came of it is good and unused."""
    id = "" if claim is None else claim.id
    rows = connection.execute(f"{TOKEN} WHERE claim = ?", (id,)).fetchall()
    tokens = [Token(*row) for row in rows]
    fresh = all(token.good(now) and not token.used for token in tokens)
    return fresh and 1 <= len(tokens) < limits.repeats


def _check_room(
    connection: Connection, invited: Invited, seat: str | None, now: int, limits: Limits
) -> None:
    """Raises Refused("over-budget") where there are as many tokens as there may be."""
    if invited.seat is None and invited.role not in ("auditor", "host"):
        return  # a new seat has no tokens but those of one exchange
    most, limit = limits.tokens, "tokens"
    if invited.role == "auditor":
        most, limit = limits.auditors, "auditors"
    where = "table_id IS ? AND seat IS ? AND role = ?"
    asked = (invited.table, seat, invited.role)
    rows = connection.execute(f"{TOKEN} WHERE {where} AND revoked = 0", asked).fetchall()
    good = sum(Token(*row).good(now) for row in rows)
    if good >= most:
        who = invited.role if seat is None else f"seat {seat!r}"
        raise over(limit, most, f"{who} has {good} tokens")


def _spend(connection: Connection, invited: Invited, client: bytes) -> Claim:
    seat = invited.seat
    if seat is None and invited.role not in ("auditor", "host"):
        seat = NEW_SEAT + secrets.token_hex(8)
    claim = Claim(secrets.token_hex(8), seat)
    connection.execute(
        "INSERT INTO claims (id, invitation, client, seat) VALUES (?, ?, ?, ?)",
        (claim.id, invited.id, client, claim.seat),
    )
    return claim


def _admit(connection: Connection, invited: Invited, claim: Claim, expires: int) -> Admitted:
    secret, id = draw("t"), secrets.token_hex(8)
    connection.execute(
        "INSERT INTO tokens (id, hash, invitation, claim, table_id, seat, role, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id, hashed(secret.reveal()), invited.id, claim.id, invited.table, claim.seat,
            invited.role, expires,
        ),
    )  # fmt: skip
    grant = Grant(id=id, table=invited.table, seat=claim.seat, role=invited.role, expires=expires)
    return Admitted(secret, grant, f"admit-{claim.id}", invited.by_seat)


def give_back(connection: Connection, token: str) -> None:
    """See `AccessStore.give_back`; of a token's id."""
    found = "FROM tokens WHERE id = ? AND revoked = 0"
    claim = connection.execute(f"SELECT claim {found}", (token,)).fetchone()
    if claim is not None:
        connection.execute(f"DELETE {found}", (token,))
        connection.execute(
            "DELETE FROM claims WHERE id = ? AND NOT EXISTS (SELECT 1 FROM tokens WHERE claim = ?)",
            (claim[0], claim[0]),
        )


# --- going ----------------------------------------------------------------------------------------


def revoke(connection: Connection, where: str, which: Sequence[object]) -> int:
    """Revoke the tokens of a condition; how many were not revoked before."""
    done = connection.execute(
        f"UPDATE tokens SET revoked = 1 WHERE revoked = 0 AND {where}",  # noqa: S608 - a condition of ours
        tuple(which),
    )
    return done.rowcount


def revoke_invitations(connection: Connection, where: str, which: Sequence[object]) -> None:
    """Revoke the invitations of a condition, and nothing that came of them."""
    connection.execute(
        f"UPDATE invitations SET revoked = 1 WHERE revoked = 0 AND {where}",  # noqa: S608 - as above
        tuple(which),
    )


def revoke_seat(connection: Connection, table: str, seat: str) -> int:
    """See `AccessStore.revoke_seat`."""
    either = "table_id = ? AND (seat = ? OR made_by_seat = ?)"
    revoke_invitations(connection, either, (table, seat, seat))
    return revoke(connection, "table_id = ? AND seat = ?", (table, seat))


def revoke_table(connection: Connection, table: str) -> int:
    """See `AccessStore.revoke_table`."""
    revoke_invitations(connection, "table_id = ?", (table,))
    return revoke(connection, "table_id = ?", (table,))


def revoke_invitation(connection: Connection, table: str, id: str) -> int:
    """See `AccessStore.revoke_invitation`."""
    revoke_invitations(connection, "table_id = ? AND id = ?", (table, id))
    return revoke(connection, "table_id = ? AND invitation = ?", (table, id))


def purge(connection: Connection, now: int) -> int:
    """See `AccessStore.purge`."""
    deleted = [
        connection.execute("DELETE FROM tokens WHERE revoked = 1 OR expires <= ?", (now,)),
        # A host's link that was not revoked stays: there was one. A spent invitation stays as long
        # as something came of it, so that this can be revoked with it.
        connection.execute(
            "DELETE FROM invitations WHERE (revoked = 1 OR role != 'host' AND (expires <= ? OR"
            " uses <= (SELECT count(*) FROM claims WHERE invitation = invitations.id)))"
            " AND NOT EXISTS (SELECT 1 FROM tokens WHERE invitation = invitations.id)",
            (now,),
        ),
        connection.execute(
            "DELETE FROM claims WHERE invitation NOT IN (SELECT id FROM invitations)"
        ),
    ]
    return sum(each.rowcount for each in deleted)


# --- lists ----------------------------------------------------------------------------------------


def invitations(connection: Connection, table: str, now: int) -> tuple[Invitation, ...]:
    """See `AccessStore.invitations`."""
    rows = connection.execute(f"{INVITED} WHERE table_id = ? ORDER BY turn", (table,)).fetchall()
    every = (Invited(*row) for row in rows)
    return tuple(_shown(each) for each in every if each.good(now) and each.spent < each.uses)


def holders(connection: Connection, table: str, now: int) -> tuple[Grant, ...]:
    """See `AccessStore.holders`."""
    rows = connection.execute(f"{TOKEN} WHERE table_id = ? ORDER BY turn", (table,)).fetchall()
    return tuple(token.grant() for row in rows if (token := Token(*row)).good(now))


def ended(connection: Connection, ids: Iterable[str]) -> Ended:
    """Of some ids those of no token, or of one that was revoked."""
    asked, good = list(ids), set[str]()
    for start in range(0, len(asked), AT_ONCE):
        part = asked[start : start + AT_ONCE]
        places = ", ".join("?" * len(part))
        rows = connection.execute(
            f"SELECT id FROM tokens WHERE revoked = 0 AND id IN ({places})",  # noqa: S608
            part,
        )
        good.update(id for (id,) in rows.fetchall())
    return frozenset(asked) - good


def _holders(
    connection: Connection,
    table: str | None,
    seat: str | None,
    now: int,
    but: Claim | None = None,
) -> bool:
    """Whether somebody holds a seat, by another exchange than `but`; never where there is none."""
    rows = connection.execute(f"{TOKEN} WHERE table_id IS ? AND seat = ?", (table, seat)).fetchall()
    tokens = (Token(*row) for row in rows)
    return any(token.good(now) and (but is None or token.claim != but.id) for token in tokens)


def _claim(connection: Connection, invited: Invited, client: bytes) -> Claim | None:
    row = connection.execute(
        "SELECT id, seat FROM claims WHERE invitation = ? AND client = ?", (invited.id, client)
    ).fetchone()
    return None if row is None else Claim(*row)


def _invited(connection: Connection, column: str, value: object) -> Invited | None:
    row = connection.execute(f"{INVITED} WHERE {column} = ?", (value,)).fetchone()
    return None if row is None else Invited(*row)


def _shown(invited: Invited | None) -> Invitation:
    """As a list shows it."""
    if invited is None or invited.table is None or invited.expires is None:
        raise Damaged("an invitation has no table or no expiry")
    return Invitation(
        id=invited.id,
        table=invited.table,
        role=invited.role,
        seat=invited.seat,
        by=invited.by,
        by_seat=invited.by_seat,
        expires=invited.expires,
        left=invited.uses - invited.spent,
        name=invited.name,
    )
