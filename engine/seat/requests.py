"""The requests of one client of a seat: each has an id of its own, and is sent until answered.

What was asked is held against what the log says was asked: the bytes of the body must be the same.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged
from ...events.asked import Asked
from ..core.commands import AnyCommand, Asking, apart
from ..core.parse import body_of
from ..core.request import WireRequest
from .happened import Contradicted, Done

REMEMBERED = 1_000
"""Requests that are remembered, with those under way, at most."""


class Made(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A request that was made, and what became of it; `digest` is of its body (`digest_of`).

    `seq` is the entry that it led to: as the host says, and once it is `logged` as the log does.
    `over`: the host says that it led to nothing.
    """

    request: str
    digest: str
    seq: int | None = None
    logged: bool = False
    over: bool = False


def digest_of(body: str) -> str:
    """What tells one body from all others: 128 bits of its SHA-256, as hex."""
    return sha256(body.encode()).hexdigest()[:32]


class Requests:
    """The requests of a `seat`; their ids begin with `device`, and differ from run to run.

    An id is no proof that a request was made here, for the host knows how they begin: those that
    were are remembered.
    """

    def __init__(self, seat: str, device: str, draw: Callable[[int], bytes]) -> None:
        self.device = device
        self._seat = seat
        self._run = draw(8).hex()
        self._count = 0
        self._pending: dict[str, WireRequest] = {}
        self._made: dict[str, Made] = {}
        self._answered: set[str] = set()
        self._due: set[str] = set()

    @property
    def pending(self) -> tuple[WireRequest, ...]:
        """Those that are not known to be done or refused, oldest first."""
        return tuple(self._pending.values())

    @property
    def remembered(self) -> tuple[Made, ...]:
        """Those that were made, oldest first: all that are under way, and the latest others."""
        return tuple(self._made.values())

    def resume(self, pending: Iterable[WireRequest], made: Iterable[Made]) -> None:
        """Take over what was stored."""
        self._made |= {each.request: each for each in made}
        for each in pending:
            id = str(each.request)
            self._pending[id] = each
            self._made.setdefault(id, Made(id, digest_of(each.body)))
        self._answered = {
            id for id, each in self._made.items() if each.seq is not None and not each.logged
        }

    def made(
        self,
        asking: Asking,
        sign: Callable[[WireRequest, AnyCommand], WireRequest] = lambda request, _: request,
    ) -> WireRequest:
        """A new request, signed where that is needed. Raises Refused if JSON cannot carry it."""
        command, text = apart(asking)
        body = body_of(command).decode("utf-8")
        id = f"{self.device}-{self._run}-{self._count}"
        found = self._pending[id] = sign(WireRequest(body, id, text), command)
        self._made[id] = Made(id, digest_of(body))
        self._count += 1
        if len(self._made) > REMEMBERED:
            self._forget()
        return found

    def _forget(self) -> None:
        """Drop the oldest that is not under way."""
        oldest = next((id for id in self._made if id not in self._pending), None)
        if oldest is not None:
            del self._made[oldest]
            self._answered.discard(oldest)

    def own(self, asked: Asked | None) -> bool:
        """Whether it was this client that asked, now or before a restart."""
        return asked is not None and asked.request in self._made

    def unanswered(self) -> tuple[bytes, ...]:
        """What is to be sent again after a cut: the same bytes."""
        return tuple(r.written() for id, r in self._pending.items() if id not in self._answered)

    # --- what became of them ----------------------------------------------------------------------

    def refused(self, request: str) -> bool:
        """The request led to nothing; whether it was pending."""
        if request in self._answered or self._pending.pop(request, None) is None:
            return False
        self._made[request] = replace(self._made[request], over=True)
        return True

    def sign_again(self, request: str, sign: Callable[[WireRequest], WireRequest]) -> bool:
        """Sign a pending request over a newer head; whether there was one."""
        known = self._pending.get(request)
        if known is None or known.seen is None or request in self._answered:
            return False
        found = sign(known)
        newer = found.seen is not None and found.seen.size > known.seen.size
        if newer:
            self._pending[request] = found
        return newer

    def answered(self, request: str, entries: Sequence[int]) -> bool:
        """The host says which entries it led to; whether that is news. Raises Damaged for others.

        One without entries changed nothing.
        """
        known, seq = self._made.get(request), entries[0] if entries else None
        if known is not None and known.seq is not None and known.seq != seq:
            raise Damaged(
                f"request {request} is answered by entries {list(entries)}", seq=known.seq
            )
        if known is None or known.seq is not None or request not in self._pending:
            return False
        self._made[request] = replace(known, seq=seq, over=seq is None)
        if seq is not None:
            self._answered.add(request)
        else:
            del self._pending[request]
        return True

    def logged(self, seq: int, by: str, asked: Asked) -> Done | Contradicted | None:
        """A commit says what was asked; what is news of a request of this client's in that.

        Raises Damaged where this client asked for something else, or this was done already.
        """
        id = asked.request
        known = self._made.get(id)
        if by != self._seat or known is None:
            return None
        if known.seq is not None and known.seq != seq:
            why = f"was done in entry {known.seq} already"
            why = why if known.logged else f"was answered by entry {known.seq}"
            raise Damaged(f"request {id} {why}", seq=seq)
        if known.digest != digest_of(asked.body):
            raise Damaged(self._other(asked), seq=seq)
        waited = self._pending.pop(id, None) is not None
        self._answered.discard(id)
        self._made[id] = replace(known, seq=seq, logged=True, over=False)
        if known.over:
            return Contradicted(seq, id)
        return Done(id, seq) if waited and known.seq is None else None

    def _other(self, asked: Asked) -> str:
        why = f"seat {self._seat} asked for something else under id {asked.request}"
        request = self._pending.get(asked.request)
        expected = "" if request is None else f"; expected: {request.body[:200]}"
        return f"{why}{expected}; found: {asked.body[:200]}"

    def came(self, size: int, shown: Callable[[int], bool]) -> None:
        """Entries before `size` are here: what was answered by one of them must have been in it.

        `shown` says whether an entry's payload is; one that is not is looked at once it is. Raises
        Damaged.
        """
        for id in list(self._answered):
            seq = self._made[id].seq
            if seq is not None and seq < size:
                if shown(seq):
                    raise Damaged(f"request {id} was answered by it, and is not in it", seq=seq)
                self._pending.pop(id, None)

    def begin(self) -> None:
        """A history begins: it must have the entries that the host has named by now."""
        self._due = set(self._answered)

    def ends(self, size: int) -> None:
        """It ends, at `size` entries. Raises Damaged where it does not have what was named."""
        for id in sorted(self._due & self._answered):
            seq = self._made[id].seq
            if seq is not None and seq >= size:
                raise Damaged(f"request {id} was answered by entry {seq}; the log has {size}")
        self._due = set()
