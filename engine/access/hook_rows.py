"""What is asked of the rows of hooks; see `rows`."""

from collections.abc import Sequence
from typing import Any

from msgspec import json

from .hooks import Hook, Wait
from .protocol import Limits, over
from .rows import Connection
from .secret import Secret

COLUMNS = (
    "id, table_id, seat, token, url, form, view, secret,"
    " position, waits, told, failing, why, is_over"
)

GOOD = "EXISTS (SELECT 1 FROM tokens WHERE id = hooks.token AND revoked = 0 AND expires > ?)"
"""Whether a hook's token is good."""

HOOK = f"SELECT {COLUMNS} FROM hooks WHERE {GOOD}"  # noqa: S608 - a condition of ours

_waits = json.Decoder(tuple[Wait, ...])


def add(connection: Connection, hook: Hook, now: int, limits: Limits) -> None:
    """See `AccessStore.add_hook`."""
    has = len(of_seat(connection, hook.table, hook.seat, now))
    if has >= limits.hooks:
        raise over("hooks", limits.hooks, f"seat {hook.seat!r} has {has} hooks")
    places = ", ".join("?" * len(COLUMNS.split(",")))
    connection.execute(
        f"INSERT INTO hooks ({COLUMNS}) VALUES ({places})",  # noqa: S608 - names of ours
        (
            hook.id, hook.table, hook.seat, hook.token, hook.url.reveal(), hook.form, hook.view,
            hook.secret.reveal(), *_state(hook),
        ),
    )  # fmt: skip


def of_seat(connection: Connection, table: str, seat: str | None, now: int) -> tuple[Hook, ...]:
    """See `AccessStore.hooks`."""
    one = "" if seat is None else " AND seat = ?"
    which = (now, table) if seat is None else (now, table, seat)
    return _found(connection, f"{HOOK} AND table_id = ?{one} ORDER BY turn", which)


def live(connection: Connection, now: int) -> tuple[Hook, ...]:
    """See `AccessStore.live_hooks`."""
    return _found(connection, f"{HOOK} AND is_over = 0 ORDER BY turn", (now,))


def one(connection: Connection, id: str, now: int) -> Hook | None:
    """See `AccessStore.hook`."""
    return next(iter(_found(connection, f"{HOOK} AND id = ?", (now, id))), None)


def remove(connection: Connection, table: str, seat: str, id: str) -> int:
    """See `AccessStore.remove_hook`."""
    which = (table, seat, id)
    return connection.execute(
        "DELETE FROM hooks WHERE table_id = ? AND seat = ? AND id = ?", which
    ).rowcount


def claim(connection: Connection, id: str, holder: str, now: int, until: int) -> Hook | None:
    """See `AccessStore.claim_hook`."""
    claimed = connection.execute(
        "UPDATE hooks SET holder = ?, until = ? WHERE id = ? AND (holder IS ? OR until <= ?)",
        (holder, until, id, holder, now),
    )
    return one(connection, id, now) if claimed.rowcount else None


def keep(connection: Connection, hook: Hook, holder: str, until: int) -> bool:
    """See `AccessStore.keep_hook`."""
    kept = connection.execute(
        "UPDATE hooks SET position = ?, waits = ?, told = ?, failing = ?, why = ?, is_over = ?,"
        " until = ? WHERE id = ? AND holder = ?",
        (*_state(hook), until, hook.id, holder),
    )
    return kept.rowcount > 0


def purge(connection: Connection) -> int:
    """Forget the hooks whose token was forgotten; how many."""
    gone = connection.execute("DELETE FROM hooks WHERE token NOT IN (SELECT id FROM tokens)")
    return gone.rowcount


def _state(hook: Hook) -> tuple[object, ...]:
    waits = json.encode(hook.waits).decode("utf-8")
    return hook.position, waits, hook.told, hook.failing, hook.why, int(hook.over)


def _found(connection: Connection, sql: str, asked: Sequence[Any]) -> tuple[Hook, ...]:
    return tuple(map(_read, connection.execute(sql, asked).fetchall()))


def _read(row: Sequence[Any]) -> Hook:
    """A hook of a row, whose columns are its fields in their order."""
    fields: dict[str, Any] = dict(zip(Hook.__struct_fields__, row, strict=True))
    for name in ("url", "secret"):
        fields[name] = Secret(fields[name])
    fields["waits"], fields["over"] = _waits.decode(fields["waits"]), bool(fields["over"])
    return Hook(**fields)
