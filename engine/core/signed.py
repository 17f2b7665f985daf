"""Who asked: a request of a seat that has a key is signed, over a head that its client verified.

    the key    the seat's; where the command takes the seat's first key, that one
    sig        is good, of the bytes of `events.asked.signed`
    seen       a head of this log, not older than that of the seat's last signed command
               the first command of a key may have seen nothing yet: 0 and the empty tree
    a share    is opened over a head that covers its ask

So every such command is a checkpoint by its seat inside the log. An epoch is the host's, and is
signed by nobody. What is refused here is `not-signed`.
"""

import re
from typing import Final, Protocol

from msgspec import Struct

from ...errors import Refused
from ...events.asked import Asked, Seen, is_host_request
from ...events.asked import signed as signed_bytes
from ...events.keys import checked_key, checked_signature, verifies
from ...projections.tables import TableState
from .commands import AnyCommand, BeginEpoch, OpenShare, TakeSeat

CODE: Final = "not-signed"
ROOT: Final = re.compile(r"[0-9a-f]{64}")
BOTH: Final = "`sig` by the seat's key, and `seen`"


class Signed(Struct, frozen=True, gc=False):
    """What comes with the request of a seat that has a key.

    `seen` is the newest head that its client verified; `sig` signs the request and that head, in
    base64.
    """

    seen: Seen
    sig: str


class History(Protocol):
    """The log that a request is for, and what is read of it where it is needed."""

    @property
    def origin(self) -> str:
        """The log's name."""
        ...

    def root_at(self, size: int) -> bytes:
        """The root of the first `size` entries."""
        ...

    def last_asked(self, seat: str) -> Asked | None:
        """What a seat asked last, since it was taken for its person."""
        ...


def check_signed(
    table: TableState | None, seat: str, command: AnyCommand, asked: Asked, log: History
) -> None:
    """Check that a seat's request is signed if it must be, and only then.

    Raises Refused: "not-signed", or "malformed" for a key, a signature or a root not of its form.
    """
    if isinstance(command, BeginEpoch) and asked.sig is None:
        return
    known = None if table is None else table.seats.get(seat)
    first = _first_key(seat, command) if known is None or known.key is None else None
    key = first if known is None or known.key is None else known.key
    if table is None or known is None or key is None:
        _unsigned(seat, asked)
        return
    _signature(seat, checked_key(key), asked, log.origin)
    last = log.last_asked(seat)
    _seen(table, asked, last.seen if last is not None else None, log)
    _covers(table, command, asked)


def _first_key(seat: str, command: AnyCommand) -> str | None:
    """The key that a command takes for the seat that asks; for another seat's nobody signs."""
    return command.key if isinstance(command, TakeSeat) and command.seat == seat else None


def _unsigned(seat: str, asked: Asked) -> None:
    if asked.sig is not None or asked.seen is not None:
        why = f"a signed request of seat {seat!r}, which has no key"
        raise Refused(CODE, why, allowed=["no `sig` and no `seen`", "take_seat with a key first"])


def _signature(seat: str, key: bytes, asked: Asked, origin: str) -> None:
    """Check that the seat's key signed the request, as it is for this log."""
    missing = [name for name in ("sig", "seen") if getattr(asked, name) is None]
    if missing:
        why = f"seat {seat!r} has a key, and its request comes without {' and '.join(missing)}"
        raise Refused(CODE, why, allowed=[BOTH])
    root = asked.seen.root if asked.seen is not None else ""
    if not ROOT.fullmatch(root):
        raise Refused("malformed", f"`seen` has the root {root[:80]!r}", allowed=["64 hex digits"])
    if is_host_request(asked.request):
        why = f"a signed request of seat {seat!r} without an id"
        raise Refused(CODE, why, allowed=["an id of its own, which is signed too"])
    if not verifies(key, checked_signature(asked.sig or ""), signed_bytes(origin, seat, asked)):
        why = f"`sig` is not the signature of seat {seat!r} for request {asked.request!r}"
        raise Refused(CODE, why, allowed=[f"its key's, for {origin}"])


def _seen(table: TableState, asked: Asked, before: Seen | None, log: History) -> None:
    """Check that `seen` is a head of this log, and none that was passed by the seat already."""
    seen = asked.seen or Seen(-1, "")
    least = 0 if before is None else max(before.size, 1)
    if not least <= seen.size <= table.size:
        why = f"`seen` is a head of {seen.size} entries"
        raise Refused(CODE, why, allowed=[f"a head of {least} to {table.size} entries"])
    if log.root_at(seen.size).hex() != seen.root:
        why = f"`seen` is {seen.root} at {seen.size} entries, and not this log's root there"
        raise Refused(CODE, why, allowed=["a head of this log"])


def _covers(table: TableState, command: AnyCommand, asked: Asked) -> None:
    """Check that a share is opened over a head that covers what asked for it."""
    size = asked.seen.size if asked.seen is not None else 0
    if isinstance(command, OpenShare) and table.ask is not None and size <= table.ask.seq:
        why = f"a share over a head of {size} entries, which does not cover its ask"
        raise Refused(CODE, why, allowed=[f"a head of {table.ask.seq + 1} entries or more"])
