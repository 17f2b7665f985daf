"""What every log promises, whatever keeps it: whole commits, one order, none lost, none twice.

A table is one append-only sequence of entries, 0, 1, 2 … without gaps; tables know nothing of one
another. A commit is the entries of one command: adjacent, all or nothing. `after` is exclusive
everywhere: -1 is before the first entry. What was signed of a table is kept beside its entries.
`urim.engine.testing.log` tests all of it.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from ...errors import Refused
from ..asked import checked_request
from ..entry import Entry, verify_kept
from ..throw import checked_seat, checked_table
from .head import Head

if TYPE_CHECKING:  # what keeps no log starts without an event loop
    from .bell import Bell

MAC_BYTES = 32

PAGE = 256
"""Entries that a follower reads at once: all that a slow one costs, however far behind it is."""


class Request(Struct, frozen=True):
    """What a client asked for, so that asking again gives the same answer.

    `id` is of the client's choosing and counts for its `seat` alone; `mac` (32 bytes) is the HMAC
    of the command's body under the table secret. Raises Refused("malformed") for another length, or
    an id or seat not of its form.
    """

    id: str
    seat: str
    mac: bytes

    def __post_init__(self) -> None:
        checked_seat(self.seat)
        checked_request(self.id)
        if len(self.mac) != MAC_BYTES:
            why = f"the request's mac has {len(self.mac)} bytes"
            raise Refused("malformed", why, allowed=[f"{MAC_BYTES} bytes"])


class Commit(Struct, frozen=True):
    """A request that was answered, by the entries from `start` to before `stop`."""

    request: Request
    start: int
    stop: int


class Appended(Struct, frozen=True):
    """The commit is kept for good; the table now has `size` entries."""

    size: int


class Conflict(Struct, frozen=True):
    """Others were first; nothing was written. `missed` are the entries from `expected` on."""

    missed: tuple[Entry, ...]


class Answered(Struct, frozen=True):
    """The request was answered before, by these entries; nothing was written."""

    mac: bytes
    entries: tuple[Entry, ...]


class CaughtUp(Struct, frozen=True):
    """The history ends here, at `size` entries; what follows happens now."""

    size: int


Followed: TypeAlias = AsyncGenerator[Entry | CaughtUp, None]


class EventLog(Protocol):
    """Many tables' entries, kept. Any number of tasks of one event loop may use it at once."""

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        """Keep a commit, if the table has exactly `expected` entries; else write nothing.

        Appended only once the entries would outlive the process, where the log does at all.
        Answered when the same seat sent the same request before, whatever `expected` is now.
        Raises Refused("malformed") or Damaged for entries that are no commit (see `check_commit`),
        Refused("request-reused") for a request id used with another body, Refused("out-of-range")
        for an `expected` below 0 or beyond the log, or a time before the last entry's; Unavailable
        where the log cannot be written now. Send the same request again to learn what became of it.
        """
        ...

    async def answered(self, table: str, seat: str, id: str) -> Answered | None:
        """The commit that answered a seat's request, as it is kept now; None if there is none."""
        ...

    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        """The requests that were answered by commits that begin after `after`, at most `limit`.

        In the order of the log. Raises Refused("out-of-range") as `read`.
        """
        ...

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        """The entries after sequence `after`, at most `limit` of them, as of one moment.

        Each fits its digests, and nobody needs to check that again. Nothing for a table that is not
        known. Raises Refused("out-of-range") for an `after` below -1 or a `limit` below 0.
        """
        ...

    def follow(self, table: str, after: int = -1) -> Followed:
        """The entries after `after` that are there, one CaughtUp, then every new one as it is kept.

        Each exactly once and in order whatever is appended; one that is erased meanwhile may
        still come whole if it was read before. Ends when the log is closed, or
        with its task; close it with `aclosing` when you stop listening early. Raises
        Refused("out-of-range") for an `after` below -1.
        """
        ...

    def listen(self, table: str) -> "Bell":
        """A bell that rings after every commit of the table as long as somebody has it.

        It has the table's size where this log object wrote the commit; where another process did it
        rings later, as one of `others`. It also rings when the log is closed.
        """
        ...

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables that have entries, sorted."""
        ...

    async def strays(self, table: str | None = None) -> tuple[str, ...]:
        """The ids, this one alone if given, that have requests or heads and no entries, sorted.

        No log makes any: they are left where another program changed its rows.
        """
        ...

    async def erase(self, table: str, seq: int) -> None:
        """Remove salt and payload of a text for good; its leaf, and so the tree, stays.

        Once erased, again changes nothing. Raises Refused("unknown") where there is no such entry,
        Refused("not-offered") for one that is no text, or that no EntryErased of the table names.
        """
        ...

    async def settle(self) -> None:
        """Wait until what a process had begun that ended since is kept, or never will be.

        What `read` does not give after this, and no living process appends, will never be there.
        Raises Unavailable as `append` does.
        """
        ...

    async def keep_head(self, table: str, head: Head) -> Head:
        """Keep a signed head for good; of one size the first that came, which is given back.

        It would outlive the process when this returns, where the log does at all. Sizes may come in
        any order. Raises Refused("taken") where a head of that size with another root is kept: one
        of the two must be wrong; Refused("out-of-range") for a size beyond the table's; Unavailable
        as `append` does.
        """
        ...

    async def last_head(self, table: str) -> Head | None:
        """The head of the largest size that was kept of a table; None where there is none."""
        ...

    async def heads(self, table: str, after: int = 0, limit: int | None = None) -> tuple[Head, ...]:
        """The heads of sizes above `after`, at most `limit` of them, smallest first.

        Raises Refused("out-of-range") for an `after` below 0 or a `limit` below 0.
        """
        ...

    async def close(self) -> None:
        """Release everything held; followers end. Any other call after it raises Defect."""
        ...


def check_commit(table: str, entries: Sequence[Entry], expected: int) -> None:
    """Check all that can be checked without the log, before anything is written.

    Raises Refused("malformed") for a table id not of its form, no entries, entries that do not
    count up from `expected`, or one of a commit that began before; Refused("out-of-range") for a
    negative `expected` or a time that goes back; Damaged for an entry that does not match itself,
    or that lacks its payload and is no text.
    """
    checked_table(table)
    if expected < 0:
        raise Refused("out-of-range", f"expected size is {expected}", allowed=["0 or more"])
    if not entries:
        raise Refused("malformed", "a commit without entries", allowed=["1 or more"])
    at, begun = entries[0].at, expected
    for seq, entry in enumerate(entries, start=expected):
        if entry.seq != seq:
            raise Refused("malformed", f"entry {entry.seq} at place {seq}", allowed=[f"{seq}"])
        if not in_place(entry, begun):
            why = f"entry {seq} is of commit {entry.commit}"
            raise Refused("malformed", why, allowed=sorted({f"{begun}", f"{seq}"}))
        check_time(entry, at)
        verify_kept(entry)
        at, begun = entry.at, entry.commit


def in_place(entry: Entry, begun: int) -> bool:
    """Whether an entry begins its commit, or goes on with the one that began at `begun`."""
    return entry.commit in (begun, entry.seq)


def check_place(entries: Sequence[Entry], size: int, last: Entry | None, expected: int) -> None:
    """Check a commit that does not conflict against the table's `size` and `last` entry.

    Raises Refused("out-of-range") for an `expected` beyond the log, or a time that goes back.
    """
    if expected > size:
        why = f"expected size is {expected}, but the log has {size}"
        raise Refused("out-of-range", why, allowed=[f"0 to {size}"])
    if last is not None:
        check_time(entries[0], last.at)


def check_time(entry: Entry, earliest: int) -> None:
    """Raises Refused("out-of-range") when the entry is of before `earliest`, in milliseconds."""
    if entry.at < earliest:
        why = f"entry {entry.seq} is of {entry.at}, before the one that it follows"
        raise Refused("out-of-range", why, allowed=[f"{earliest} or later"])


def same_request(request: Request, earlier: Answered) -> Answered:
    """The earlier answer to this request. Raises Refused("request-reused") for another body's."""
    if request.mac != earlier.mac:
        why = f"request {request.id!r} of seat {request.seat} was another command"
        raise Refused("request-reused", why, allowed=["another id"])
    return earlier


def check_range(after: int, limit: int | None = None) -> None:
    """Raises Refused("out-of-range") for an `after` below -1 or a `limit` below 0."""
    if after < -1:
        raise Refused("out-of-range", f"after is {after}", allowed=["-1 or more"])
    if limit is not None and limit < 0:
        raise Refused("out-of-range", f"limit is {limit}", allowed=["0 or more", "None"])


async def follow_rows(
    page: Callable[[int, int], Awaitable[Sequence[Entry] | None]],
    size: Callable[[], Awaitable[int]],
    bell: "Bell",
    after: int,
) -> Followed:
    """Follow any log that can read rows and ring a bell after each commit.

    `page(after, limit)` reads entries, None once the log is closed; `size()` counts the table's
    entries. The mark comes after what was there at the start, however fast others append: a
    follower that cannot keep up gets it too.
    """
    head, marked = await size(), False
    while True:
        ticket = bell.ticket()
        rows = await page(after, PAGE)
        if rows is None:
            return
        for entry in rows:
            if not marked and entry.seq >= head:
                marked = True
                yield CaughtUp(head)
            after = entry.seq
            yield entry
        if not rows and not marked:
            marked = True
            yield CaughtUp(head)
        elif not rows:
            await ticket.wait()
