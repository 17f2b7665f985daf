"""One table of a log copied into another log: commit by commit, and compared root by root.

What the other log has of the table already must be how the table begins. So a copy that was cut
short goes on where it stopped, and a copy of a table that has grown since takes what is new. It
works on any two logs; who else uses them is not disturbed.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile, zip_longest
from typing import TypeAlias

from msgspec import Struct

from ...errors import Damaged, Refused, Unavailable
from ..entry import Entry, withhold
from ..merkle import root_of
from .head import Head, check_signed
from .listing import check_absent, check_opening, listed
from .protocol import Appended, Commit, EventLog, Request
from .whole import check_kept, check_payloads, erased_by

Progress = Callable[[int, int], None]
"""Takes how many entries of a table are copied, and how many it has."""

Asked: TypeAlias = tuple[Sequence[Entry], Request | None]
"""A commit's entries, and the request that it answered."""

TOGETHER = 128
"""Commits that are appended in one go: they share a sync of the disk."""


class Table(Struct, frozen=True):
    """All that a log holds of a table, its entries as of one moment."""

    id: str
    entries: tuple[Entry, ...]
    commits: tuple[Commit, ...]
    heads: tuple[Head, ...]

    @property
    def root(self) -> bytes:
        """The root of the tree over all entries."""
        return root_of(entry.leaf for entry in self.entries)


class Copied(Struct, frozen=True):
    """What the copy of a table has now: `size` entries under `root`, `added` of them new."""

    table: str
    size: int
    added: int
    requests: int
    heads: int
    root: bytes


async def copy_table(
    source: EventLog, target: EventLog, table: str, progress: Progress | None = None
) -> Copied:
    """Copy a table: entries, requests and signed heads. Erased texts stay erased.

    The whole table is held in memory, some 1 kB an entry. Raises Damaged, naming the entry, where
    the source is not whole, or the copy is not what was copied; Refused("taken"), naming the first
    entry that differs, where the target has another table of that id; Unavailable where others add
    to the target's table meanwhile, or it cannot be written.
    """
    found = await checked(source, table)
    kept = await _held(target, table)
    _check_beginning(found, kept)
    size = len(kept.entries)
    commits = list(_commits(found, size))
    while commits:
        done = await _appended(target, table, commits[:TOGETHER])
        size = commits[done - 1][0][-1].seq + 1
        del commits[:done]
        if progress is not None:
            progress(size, len(found.entries))
    for before, now in zip(kept.entries, found.entries, strict=False):
        if before.payload is not None and now.payload is None:
            await target.erase(table, now.seq)
    known = {head.size for head in kept.heads}
    heads = [head for head in found.heads if head.size not in known]
    for start in range(0, len(heads), TOGETHER):
        keeping = (target.keep_head(table, head) for head in heads[start : start + TOGETHER])
        await asyncio.gather(*keeping)
    _compare(found, await _held(target, table))
    added = size - len(kept.entries)
    return Copied(table, size, added, len(found.commits), len(found.heads), found.root)


async def _appended(target: EventLog, table: str, commits: Sequence[Asked]) -> int:
    """Append commits that follow one another, in one go; how many of them are kept, at least one.

    A log that tries them in another order refuses those that come too early: they come again.
    """
    answers = await asyncio.gather(
        *(target.append(table, each, each[0].seq, request) for each, request in commits),
        return_exceptions=True,
    )
    if isinstance(answers[0], BaseException):
        raise answers[0]
    if not isinstance(answers[0], Appended):
        raise Unavailable(f"others added to table {table!r} of the copy meanwhile")
    return sum(1 for _ in takewhile(lambda answer: isinstance(answer, Appended), answers))


async def whole_table(log: EventLog, table: str) -> Table:
    """All that a log holds of a table, after it was checked without any key.

    Raises Refused("unknown") for a table that is not there; Damaged, naming the entry, for one that
    is not whole, not what the heads in the log were signed for, or under another table's id.
    """
    before = await log.requests(table)
    found = await _held(log, table)
    if not found.entries:
        await check_absent(log, table)
        known, _ = await listed(log)
        raise Refused("unknown", f"no table {table!r}", allowed=known)
    check_opening(table, found.entries[0])
    check_payloads(found.entries)
    check_kept(found.entries, before, found.commits)
    check_signed(table, found.heads, lambda a, b: (e.leaf for e in found.entries[a:b]))
    return found


async def checked(log: EventLog, table: str) -> Table:
    """As `whole_table`. A text that an entry erased is left out, though that was cut short."""
    found = await whole_table(log, table)
    gone = set(map(erased_by, found.entries))
    entries = tuple(withhold(each) if each.seq in gone else each for each in found.entries)
    return Table(table, entries, found.commits, found.heads)


async def _held(log: EventLog, table: str) -> Table:
    """What a log holds of a table, whatever it is."""
    heads = await log.heads(table)  # before the entries, which others may add to meanwhile
    entries = await log.read(table)
    commits = await log.requests(table)  # after them, so that of none the request is missing
    size = len(entries)
    return Table(table, entries, tuple(each for each in commits if each.start < size), heads)


def _commits(found: Table, size: int) -> Iterator[Asked]:
    """The commits from entry `size` on, each with the request that it answered."""
    asked = {commit.start: commit.request for commit in found.commits}
    starts = [entry.seq for entry in found.entries[size:] if entry.commit == entry.seq]
    for start, stop in pairwise([*starts, len(found.entries)]):
        yield found.entries[start:stop], asked.get(start)


# --- what is compared -----------------------------------------------------------------------------


def _check_beginning(found: Table, kept: Table) -> None:
    """Raises Refused("taken") unless the copy holds a beginning of the table, and only that."""
    table, size = found.id, len(kept.entries)
    for now, before in zip_longest(found.entries[:size], kept.entries):
        if now is None or not _alike(now, before):
            why = f"the copy has another table {table!r}: entry {before.seq} differs"
            if now is None:
                why = f"the copy of table {table!r} has entry {before.seq}, which the table has not"
            raise _taken(why)
    begun = {commit.start: commit for commit in found.commits if commit.start < size}
    there = {commit.start: commit for commit in kept.commits}
    differing = [at for at in begun.keys() | there.keys() if begun.get(at) != there.get(at)]
    if differing:
        raise _taken(
            f"the copy of table {table!r} has another request: entry {min(differing)} differs"
        )
    if size < len(found.entries) and found.entries[size].commit != size:
        raise _taken(f"the copy of table {table!r} ends inside a commit, before entry {size}")
    signed = {head.size: head for head in found.heads}
    for head in kept.heads:
        if signed.get(head.size) != head:
            raise _taken(f"the copy of table {table!r} has another signed head of size {head.size}")


def _alike(now: Entry, before: Entry) -> bool:
    """Whether an entry of the copy is the table's; it may have a text that is erased since."""
    return (now.leaf, now.commit) == (before.leaf, before.commit) and (
        now.payload is None or before.payload is not None
    )


def _compare(found: Table, copy: Table) -> None:
    """Raises Damaged unless the copy has the table's entries, requests, heads and roots."""
    table, size = found.id, len(found.entries)
    check_signed(table, found.heads, lambda a, b: (e.leaf for e in copy.entries[a:b]))
    for entry, copied in zip(found.entries, copy.entries, strict=False):
        if entry != copied:
            raise Damaged(f"table {table}: the copy of it is another one", seq=entry.seq)
    if root_of(entry.leaf for entry in copy.entries[:size]) != found.root:
        raise Damaged(f"table {table}: the copy has another root for its first {size} entries")
    if copy.commits[: len(found.commits)] != found.commits:
        raise Damaged(f"table {table}: the copy has other requests")
    if not set(found.heads) <= set(copy.heads):
        raise Damaged(f"table {table}: the copy has other signed heads")


def _taken(why: str) -> Refused:
    return Refused("taken", why, allowed=["another file"])
