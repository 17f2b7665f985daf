"""Which entries of a log a bundle about one roll holds, found by an index and not in all of them.

What they are is in docs/bundle.md.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from ...errors import Refused
from ...events.codec import Event, RecordedEvent, recorded
from ...events.entry import Entry
from ...events.merkle import Tree
from ...events.roll import RollDeclared, RollEventBase
from ...events.table import Noted
from ..core.aggregate import Aggregate
from ..core.index import Index
from ..core.visibility import redacted


class Shown(Struct, frozen=True):
    """The first `size` entries of a log as a reader may have them: `seen` gives an entry so.

    The others may grow beyond that size meanwhile. An entry that is erased is another object then.
    """

    size: int
    entries: Sequence[Entry]
    records: Sequence[RecordedEvent | None]
    index: Index
    tree: Tree
    seen: Callable[[Entry], Entry]

    def event(self, seq: int) -> Event | None:
        """The event of an entry; None where the reader cannot read it, or it is not there yet."""
        if seq >= self.size:
            return None
        record = self.records[seq]
        if record is None or self.seen(self.entries[seq]).payload is None:
            return None
        return record.event


def shown_to(aggregate: Aggregate, seat: str) -> Shown:
    """A table in memory as the seat ("" for nobody) may see it now."""
    return Shown(
        len(aggregate.entries),
        aggregate.entries,
        aggregate.records,
        aggregate.index,
        aggregate.tree,
        partial(redacted, aggregate.opened, seat),
    )


def as_given(entries: Sequence[Entry], *, whole: bool) -> Shown:
    """Entries that are shown as they are; `whole`: nobody will ask what a single roll needs.

    Raises Damaged for a payload that holds no event.
    """
    records, index = list[RecordedEvent | None](), Index()
    numbers = dict[int, int]()
    for entry in () if whole else entries:
        record = None if entry.payload is None else recorded(entry)
        records.append(record)
        event = None if record is None else record.event
        number = event.roll if isinstance(event, RollEventBase) else None
        if isinstance(event, Noted):
            number = numbers.get(event.about)
        if number is not None:
            numbers[entry.seq] = number
        index.note(entry.seq, event, number)
    tree = Tree(entry.leaf for entry in entries)
    return Shown(len(entries), entries, records, index, tree, lambda entry: entry)


def about(log: Shown, roll: int) -> list[int]:
    """The places of the entries that a bundle about this roll holds, in order.

    Raises Refused("unknown") for a roll that is not there or cannot be seen.
    """
    own = _of(log, chain_of(log, roll))
    everyone = log.index.of_all[: bisect_right(log.index.of_all, max(own))]
    open_to_all = (seq for seq in everyone if log.event(seq) is not None)
    # Commits go whole, with the texts that were erased since and what erased them.
    whole = _commits(log, [*own, *open_to_all])
    erasures = (each for seq in whole for each in log.index.erasures.get(seq, ()))
    return sorted(whole | {seq for seq in erasures if log.event(seq) is not None})


def _of(log: Shown, rolls: Iterable[int]) -> set[int]:
    """The entries of these rolls, and the notes about them and about such notes."""
    found = set[int]()
    for seq in sorted(seq for number in rolls for seq in log.index.of_rolls.get(number, ())):
        event = log.event(seq)
        noted = isinstance(event, Noted) and event.about in found
        if noted or isinstance(event, RollEventBase):
            found.add(seq)
    return found


def _commits(log: Shown, seqs: Iterable[int]) -> set[int]:
    """These entries, and all others of their commits, which are adjacent."""
    found = set[int]()
    for seq in seqs:
        if seq not in found:
            commit = log.entries[seq].commit
            for step in (-1, 1):
                at = seq
                while 0 <= at < log.size and log.entries[at].commit == commit:
                    found.add(at)
                    at += step
    return found


def chain_of(log: Shown, roll: int) -> set[int]:
    """Every roll of the chains that the roll is in, as far as they can be seen.

    A void or an amendment goes down a chain in one commit: an entry of it may be of any of them.
    Raises Refused("unknown") for a roll that is not there or cannot be seen.
    """
    if _declared(log, roll) is None:
        raise Refused("unknown", f"no roll {roll} can be seen", allowed=map(str, _rolls(log)))
    first, above = roll, _parent(log, roll)
    while above is not None and above < first:  # a forged log may lead in a circle
        first, above = above, _parent(log, above)
    found, ahead = set[int](), [first]
    while ahead:
        number = ahead.pop()
        found.add(number)
        later = (each for each in log.index.following.get(number, ()) if each > number)
        ahead += [each for each in later if _parent(log, each) == number]
    return found


def _rolls(log: Shown) -> Iterator[int]:
    """The rolls that can be seen."""
    every = range(1, log.index.highest + 1)
    return (number for number in every if _declared(log, number) is not None)


def _parent(log: Shown, roll: int) -> int | None:
    declared = _declared(log, roll)
    return declared.follows[0] if declared is not None and declared.follows else None


def _declared(log: Shown, roll: int) -> RollDeclared | None:
    """How a roll was declared, where that can be seen."""
    events = (log.event(seq) for seq in log.index.of_rolls.get(roll, ()))
    return next((event for event in events if isinstance(event, RollDeclared)), None)
