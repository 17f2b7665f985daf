"""The requests that a log keeps of a table, checked against its entries, a page at a time.

No more of them is in memory at once than a page, however old the table is.
"""

import asyncio
import hmac
from collections.abc import Sequence

from ...errors import Damaged
from ...events.codec import asked_in
from ...events.entry import Entry
from ...events.log.protocol import Commit, EventLog
from ...events.log.whole import check_reached, check_requests

PAGE = 1_000
"""Entries whose requests are checked at once, and as many as it takes to the end of a commit."""


async def furthest(log: EventLog, table: str, start: int) -> Commit | None:
    """Of the requests of commits from `start` on the one that was answered furthest; None of none.

    Ask before the entries are read, and `check_kept` afterwards: a log may grow meanwhile.
    """
    found: list[Commit] = []
    after = start - 1
    while True:
        page = await log.requests(table, after, PAGE)
        found = sorted([*found, *page], key=lambda commit: commit.stop)[-1:]
        if len(page) < PAGE:
            return found[0] if found else None
        after = page[-1].start


async def check_kept(
    log: EventLog,
    table: str,
    entries: Sequence[Entry],
    before: Commit | None,
    secrets: Sequence[bytes | None],
    start: int = 0,
) -> None:
    """Check the requests of commits from `start` on, with what `furthest` gave before.

    Each must be what a commit holds, and every commit's must be kept. Raises Damaged, naming the
    entry, where one is not, was not answered under one of the table's `secrets`, or was answered by
    entries that are missing at the end.
    """
    size = len(entries)
    check_reached(before, size)
    while start < size:
        stop = await asyncio.to_thread(_end, entries, start + PAGE, size)
        # One more than there can be: where that comes, all are looked at to name the first fault.
        kept = await log.requests(table, start - 1, stop - start + 1)
        if len(kept) > stop - start and kept[-1].start < stop:
            kept = await log.requests(table, start - 1)
        asked = [commit for commit in kept if commit.start < stop]
        await asyncio.to_thread(_check, entries, range(start, stop), asked, secrets)
        start = stop


def _end(entries: Sequence[Entry], least: int, size: int) -> int:
    """The first entry from `least` on that begins a commit; the size where none does."""
    return next((seq for seq in range(least, size) if entries[seq].commit == seq), size)


def _check(
    entries: Sequence[Entry],
    span: range,
    commits: Sequence[Commit],
    secrets: Sequence[bytes | None],
) -> None:
    some = entries[span.start : span.stop]
    check_requests(some, commits)
    check_macs(some, commits, secrets)


def check_macs(
    entries: Sequence[Entry], commits: Sequence[Commit], secrets: Sequence[bytes | None]
) -> None:
    """Check that the requests of these commits were answered under a secret of their table.

    Nothing is checked where a secret is gone. Raises Damaged, naming the entry, for one that
    another program took over from another table.
    """
    known = [secret for secret in secrets if secret is not None]
    if len(known) < len(secrets):
        return
    for commit in commits:
        asked = asked_in(entries[commit.start - entries[0].seq])
        if asked is None:
            continue
        body = asked.body.encode("utf-8", "surrogatepass")
        macs = (hmac.digest(secret, body, "sha256") for secret in known)
        if not any(hmac.compare_digest(mac, commit.request.mac) for mac in macs):
            why = f"request {commit.request.id!r} was not answered by this table"
            raise Damaged(why, seq=commit.start)
