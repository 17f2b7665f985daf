"""Commits as far as they can be read: whole, or with entries that are sealed.

A seat may not see what is hidden from it, and a bundle need not disclose everything. A commit of
which an entry is sealed is not decided again: what can be read of it is taken as it was.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...events.codec import RecordedEvent, recorded
from ...events.entry import TEXTS, Entry, EntryClass
from ...events.table import TextSaid
from ...projections.hidden import ALWAYS_OPEN
from ...projections.tables import Rulesets, TableState, fold, pass_over
from ...rules import ruleset_named
from ..core.rerun import Commit, commit_of
from ..core.visibility import may_have

Line: TypeAlias = RecordedEvent | Entry
"""What an entry holds; an Entry without payload where that is sealed, or erased."""


class Sealed(Struct, frozen=True):
    """A commit of which an entry but its text is sealed: its entries, each as far as it is read."""

    lines: tuple[Line, ...]

    @property
    def seq(self) -> int:
        """The sequence of its first entry."""
        return self.lines[0].seq


Item: TypeAlias = Commit | Sealed


def items_of(entries: Iterable[Entry]) -> tuple[Item, ...]:
    """The commits of a log, of a seat's view of it, or of a bundle, in order.

    Raises Damaged for what holds no event, Refused for what was asked and is no command.
    """
    return tuple(_item(tuple(held)) for _, held in groupby(entries, lambda entry: entry.commit))


def _item(entries: Sequence[Entry]) -> Item:
    whole = entries[0].payload is not None and entries[0].seq == entries[0].commit
    if whole and all(each.payload is not None or each.kind in TEXTS for each in entries):
        return commit_of(entries)
    return Sealed(tuple(each if each.payload is None else recorded(each) for each in entries))


def lines_of(item: Item) -> tuple[Line, ...]:
    """Every entry of a commit, its text the last one."""
    if isinstance(item, Sealed):
        return item.lines
    if not item.worded:
        return item.records
    seq = item.records[-1].seq + 1
    if item.text is None:
        return (*item.records, _sealed(seq, item.at, item.seq, "text"))
    text = TextSaid(item.seat, item.text.salt, item.text.text)
    return (*item.records, RecordedEvent(seq, item.at, b"", text))


def _sealed(seq: int, at: int, commit: int, kind: EntryClass) -> Entry:
    return Entry(seq, at, kind, b"", b"", commit)


def folded(
    state: TableState | None, lines: Iterable[Line], rulesets: Rulesets = ruleset_named
) -> TableState | None:
    """The table after these entries as the log has them, kept behind those it has."""
    seq, first = (state.size if state else 0), None
    for line in lines:
        first = seq if first is None else first
        if isinstance(line, RecordedEvent):
            state = fold(state, replace(line, seq=seq), rulesets)
        elif state is not None:
            state = pass_over(state, replace(line, seq=seq, commit=first))
        seq += 1
    return state


def seen_by(items: Sequence[Item], seat: str) -> tuple[Item, ...]:
    """The same commits as the seat may see them; a seat that is not there sees what is open."""
    state: TableState | None = None
    for item in items:
        state = folded(padded(state, item.seq), lines_of(item))
    if state is None or not state.hidden.entries:
        return tuple(items)
    return tuple(_seen(state, seat, item) for item in items)


def padded(state: TableState | None, seq: int) -> TableState | None:
    """The table whose next entry is `seq`, or what it is where it has more."""
    return state if state is None or state.size >= seq else replace(state, size=seq)


def _seen(state: TableState, seat: str, item: Item) -> Item:
    lines = tuple(_visible(state, seat, item, line) for line in lines_of(item))
    if any(isinstance(line, Entry) and line.kind not in TEXTS for line in lines):
        return Sealed(lines)
    if isinstance(item, Commit) and isinstance(lines[-1], Entry):
        return replace(item, text=None)
    return item


def _visible(state: TableState, seat: str, item: Item, line: Line) -> Line:
    """The line, or its sealed one."""
    number = state.entry_rolls.get(line.seq)
    roll = None if number is None else state.rolls.get(number)
    if roll is None or not roll.hidden or may_have(state, seat, line.seq):
        return line
    if isinstance(line, RecordedEvent) and isinstance(line.event, ALWAYS_OPEN):
        return line
    is_text = isinstance(line, Entry) or isinstance(line.event, TextSaid)
    return _sealed(line.seq, line.at, item.seq, "hidden-text" if is_text else "hidden")


def commits_among(items: Iterable[Item]) -> Iterator[Commit]:
    """Those that can be read whole."""
    return (item for item in items if isinstance(item, Commit))
