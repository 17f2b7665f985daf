"""The entries of a table, each checked on its own and against the one before."""

from collections.abc import Callable, Iterator, Sequence

from ...errors import Damaged, Refused
from ...events.codec import recorded
from ...events.entry import Entry
from ...events.log.protocol import EventLog, in_place
from ...events.log.whole import check_payloads
from ...projections.tables import TableState
from ..core.aggregate import Aggregate, environment
from .report import MOST, Findings, Progress

PAGE = 1_000
"""Entries that are read at once."""

IN_A_ROW = 10
"""Broken entries, one behind the other, after which the rest of a table is not read."""

RESTORE = "restore the log from a backup"

Found = list[Entry | None]
"""Entries by their sequence; None where one is broken."""


async def read_entries(
    log: EventLog, table: str, findings: Findings, progress: Progress
) -> list[Entry | None]:
    """All entries of a table, each of which fits its digest and its leaf; None for a broken one."""
    found: Found = []
    more = True
    while more:
        try:
            page: Sequence[Entry | None] = await log.read(table, len(found) - 1, PAGE)
            more = len(page) == PAGE
        except Damaged:
            page, more = await _one_by_one(log, table, len(found), findings)
        found.extend(page)
        progress(len(page))
    findings.count("entries", len(found))
    return found


async def _one_by_one(
    log: EventLog, table: str, start: int, findings: Findings
) -> tuple[Found, bool]:
    """The entries of a page in which one is broken, and whether there may be more."""
    found: Found = []
    broken = 0
    for seq in range(start, start + PAGE):
        try:
            page = await log.read(table, seq - 1, 1)
        except Damaged as error:
            _fault(findings, table, error)
            broken += 1
            if error.seq is None or broken > IN_A_ROW:
                why = f"what follows entry {seq} was not read: too much is broken"
                findings.fault("entries", why, table=table, seq=seq, way_out=RESTORE)
                return [*found, None], False
            found.append(None)
            continue
        if not page:
            return found, False
        broken = 0
        found.extend(page)
    return found, True


def check_places(table: str, entries: Sequence[Entry | None], findings: Findings) -> None:
    """Check that each entry goes on where the one before ended: in its commit, and in time."""
    before: Entry | None = None
    for entry in entries:
        if entry is not None and before is not None:
            if not in_place(entry, before.commit):
                why = f"it is of commit {entry.commit}, which is over"
                _fault(findings, table, Damaged(why, seq=entry.seq))
            if entry.at < before.at:
                why = f"time goes back from {before.at} to {entry.at}"
                _fault(findings, table, Damaged(why, seq=entry.seq))
        before = entry


def check_whole(table: str, entries: Sequence[Entry | None], findings: Findings) -> None:
    """Check that every payload is there, or an entry erases it."""
    left = [entry for entry in entries if entry is not None]
    for error in _each(lambda: check_payloads(left)):
        _fault(findings, table, error)
        left[:] = [entry for entry in left if entry.seq != error.seq]


def _each(check: Callable[[], None]) -> Iterator[Damaged]:
    """What a check finds, again and again; at most so many that one more is known to be there."""
    for _ in range(MOST + 1):
        try:
            check()
        except Damaged as error:
            yield error
        else:
            return


def fold_events(
    table: str, entries: Sequence[Entry | None], findings: Findings
) -> TableState | None:
    """The table that the entries make, as far as they are whole; None where they make none."""
    whole = leading(entries)
    found = Aggregate(environment("scripted"))
    try:
        found.load(whole, checked=True)
    except Damaged as error:
        way_out = "a newer Urim, if one wrote it; else restore the log from a backup"
        findings.fault("events", error.why, table=table, seq=error.seq, way_out=way_out)
    except Refused as error:
        findings.look("events", f"its events were not read: {error}", table=table)
    findings.count("events", len(found.entries))
    if found.state is not None and found.state.id != table:
        why = f"its first entry opens table {found.state.id!r}"
        findings.fault("events", why, table=table, seq=0, way_out=RESTORE)
        return None
    for now, kept in zip(found.entries, whole, strict=False):
        if now.payload is None and kept.payload is not None:
            why = "an entry erases its text, which is there still"
            way_out = "the next that plays at this table erases it"
            findings.look("entries", why, table=table, seq=kept.seq, way_out=way_out)
    return found.state


def leading(entries: Sequence[Entry | None]) -> list[Entry]:
    """The entries up to the first that is broken."""
    found: list[Entry] = []
    for entry in entries:
        if entry is None:
            break
        found.append(entry)
    return found


def has_payload(entry: Entry) -> bool:
    """Whether its event can be read."""
    try:
        recorded(entry)
    except Damaged:
        return False
    return True


def _fault(findings: Findings, table: str, error: Damaged) -> None:
    findings.fault("entries", error.why, table=table, seq=error.seq, way_out=RESTORE)
