"""A log is whole: every payload is there, or an entry erases it, and every request has its commit.

Nothing but a text may be without its payload, and a text only where an EntryErased names it. What a
log keeps beside its entries, the requests that it answered, is what the entries hold.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from ...errors import Damaged, Refused
from ..asked import is_host_request
from ..codec import ERASES, RecordedEvent, asked_in, recorded
from ..entry import TEXTS, Entry
from ..table import EntryErased
from .protocol import Commit


def erased_by(entry: Entry) -> int | None:
    """The sequence of the text that an entry erases; None for any other entry.

    Raises Damaged where it is neither.
    """
    if entry.payload is None or ERASES not in entry.payload:
        return None
    event = recorded(entry).event
    return event.seq if isinstance(event, EntryErased) else None


def check_erasable(table: str, entry: Entry, *, named: bool) -> None:
    """Raises Refused("not-offered") unless the entry is a text that an EntryErased names."""
    if entry.kind not in TEXTS:
        why = f"entry {entry.seq} of table {table!r} is no text, but {entry.kind}"
        raise Refused("not-offered", why, allowed=TEXTS)
    if not named:
        why = f"no entry of table {table!r} erases entry {entry.seq}"
        raise Refused("not-offered", why, allowed=["append its EntryErased first"])


def check_erased(entries: Iterable[Entry], records: Iterable[RecordedEvent | None]) -> None:
    """Check that each entry without a payload is a text that one of the records erases.

    The records are looked at only where a payload is missing. Raises Damaged, naming the first
    entry that is not.
    """
    missing = [entry for entry in entries if entry.payload is None]
    if missing:
        events = (record.event for record in records if record is not None)
        erased = {event.seq for event in events if isinstance(event, EntryErased)}
        check_missing(missing, erased)


def check_payloads(entries: Iterable[Entry]) -> None:
    """Check that each payload of a table is there, or an entry erases it. Raises Damaged."""
    missing: list[Entry] = []
    erased: set[int] = set()
    for entry in entries:
        if entry.payload is None:
            missing.append(entry)
        elif (seq := erased_by(entry)) is not None:
            erased.add(seq)
    check_missing(missing, erased)


def check_requests(entries: Iterable[Entry], commits: Sequence[Commit]) -> None:
    """Check the requests kept of a table against all of its entries, in order.

    Raises Damaged, naming the first entry of a commit whose request is not kept as it was asked,
    or the place of a request of no commit.
    """
    kept: dict[int, Commit] = {}
    for each in commits:
        if kept.setdefault(each.start, each) is not each:
            raise Damaged("two requests are kept of one commit", seq=each.start)
    for start, group in groupby(entries, key=lambda entry: entry.commit):
        commit = tuple(group)
        by, asked = _asked(commit[0])
        found = kept.pop(start, None)
        stop = commit[-1].seq + 1
        wanted = None if is_host_request(asked) else (by, asked, stop)
        had = None if found is None else (found.request.seat, found.request.id, found.stop)
        if wanted != had:
            why = f"{_worded(wanted)} was asked here, but {_worded(had)} is kept"
            raise Damaged(why, seq=start)
    for start in sorted(kept):
        why = f"request {kept[start].request.id!r} is kept of a commit that does not begin here"
        raise Damaged(why, seq=start)


def check_kept(entries: Sequence[Entry], before: Sequence[Commit], after: Sequence[Commit]) -> None:
    """As `check_requests`, by the requests read `before` and `after` the entries: a log may grow.

    Raises Damaged too where entries are missing at the end that answered a request.
    """
    size = len(entries)
    for commit in before:
        check_reached(commit, size)
    check_requests(entries, [commit for commit in after if commit.start < size])


def check_reached(commit: Commit | None, size: int) -> None:
    """Check that the entries of a commit are among so many. Raises Damaged, naming the next."""
    if commit is not None and commit.stop > size:
        why = f"request {commit.request.id!r} was answered up to entry {commit.stop - 1}"
        raise Damaged(f"{why}, and there are {size} entries", seq=size)


def check_answer(seat: str, id: str, entries: Sequence[Entry]) -> None:
    """Check that this commit was asked for by this request. Raises Damaged, naming its start."""
    if _asked(entries[0]) != (seat, id):
        why = f"it is kept as the answer to request {id!r} of seat {seat}, which it was not"
        raise Damaged(why, seq=entries[0].seq)


def _asked(first: Entry) -> tuple[str, str]:
    """The seat and the id of the request that the first entry of a commit holds."""
    asked = asked_in(first)
    if asked is None:
        raise Damaged("it begins a commit, but does not say what was asked", seq=first.seq)
    return recorded(first).event.by, asked.request


def check_missing(missing: Iterable[Entry], erased: Collection[int]) -> None:
    """Check that these entries without a payload are texts that were erased. Raises Damaged."""
    for entry in missing:
        if entry.kind not in TEXTS or entry.seq not in erased:
            raise Damaged("its payload is missing, and no entry erases it", seq=entry.seq)


def _worded(request: tuple[str, str, int] | None) -> str:
    if request is None:
        return "no request"
    seat, id, stop = request
    return f"request {id!r} of seat {seat}, up to entry {stop - 1},"
