"""A table as one seat may see it: less the rolls that are hidden from it, and all about them.

It is the table that the seat folds from its own entries, since a hidden roll costs and gains
nothing before its reveal and nothing follows it. What a seat is shown, offered, and refused with
comes from here: then nothing else can show what is hidden.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...projections.hidden import ALWAYS_OPEN, Entries, Hidden
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from .visibility import visible_part

T = TypeVar("T")


class Memo(Struct):
    """The views of one table, for as long as nobody asks about another state."""

    latest: tuple[TableState, dict[str, TableState]] | None = None


_memo = Memo()
"""States are immutable, so one state has one view a seat. It is read and set as a whole: threads
that ask about different states at once only forget each other's answers."""


def view_of(table: TableState, seat: str) -> TableState:
    """The table as the seat may see it: the very same where nothing is hidden from it.

    A seat that is not there sees what everybody may. The view of a view is itself.
    """
    if not table.hidden.entries:
        return table
    latest = _memo.latest
    if latest is None or latest[0] is not table:
        latest = _memo.latest = (table, {})
    known = latest[1].get(seat)
    if known is None:
        known = latest[1][seat] = _viewed(table, seat)
    return known


def _viewed(table: TableState, seat: str) -> TableState:
    entries, blind = table.hidden.entries, table.hidden.blind
    parts = {number: visible_part(table, seat, table.rolls[number]) for number in entries}
    gone = {number for number, part in parts.items() if part == "nothing"}
    dark = {n for n, part in parts.items() if part == "declaration" and entries[n].others}
    if not gone and not dark:
        return table
    rolls, going_on = table.rolls, table.open
    for number in gone:
        rolls = rolls.delete(number)
        going_on = going_on.delete(number) if number in going_on else going_on
    for number in dark:  # no more of it than was declared
        rolls = rolls.set(number, blind[number])
    last = table.last_roll
    while last and last not in rolls:
        last -= 1
    left = {n: Entries(its.declared) if n in dark else its for n, its in entries.items()}
    withheld = (seq for n in gone | dark for seq in entries[n].others)
    declared = (seq for n in gone for seq in entries[n].declared)
    view = replace(
        table,
        rolls=rolls,
        open=going_on,
        corrections=table.corrections.without(gone | dark),
        hidden=Hidden(_but(left, gone), _but(blind, gone)),
        last_roll=last,
        withheld=True,
    )
    return _without_entries(view, (*withheld, *declared))


def _but(known: Mapping[int, T], gone: Collection[int]) -> Map[int, T]:
    return Map({number: each for number, each in known.items() if number not in gone})


def roll_as_seen(table: TableState, seat: str, roll: RollState) -> RollState | None:
    """The roll as the seat's view has it; None where it is hidden from it."""
    part = visible_part(table, seat, roll)
    if part == "declaration":
        return table.hidden.blind[roll.number]
    return roll if part == "everything" else None


def refusal_of(
    table: TableState, seat: str, error: Refused, again: Callable[[TableState], object]
) -> Refused:
    """What the seat is refused with: what its own view is refused with when it is asked `again`.

    Where its view would allow it, what is hidden from it stands against it, and no more is named.
    """
    view = view_of(table, seat)
    if view is table:
        return error
    try:
        again(view)
    except Refused as seen:
        return seen
    why = f"something that is hidden from seat {seat!r} stands against it"
    return Refused("not-seen", why, allowed=["after it is revealed"])


def _without_entries(view: TableState, entries: Iterable[int]) -> TableState:
    gone = frozenset(entries)
    texts, writings, entry_rolls = view.texts, view.writings, view.entry_rolls
    for seq in gone:
        entry_rolls = entry_rolls.delete(seq)
        known = writings.get(seq)
        if known is None:
            continue
        writings = writings.delete(seq)
        left = tuple(item for item in texts.get(known.about, ()) if item.seq != seq)
        if left:
            texts = texts.set(known.about, left)
        elif known.about in texts:
            texts = texts.delete(known.about)
    commit = view.commit
    if commit is not None and commit.seq in gone and not isinstance(commit.event, ALWAYS_OPEN):
        commit = None
    return replace(view, texts=texts, writings=writings, entry_rolls=entry_rolls, commit=commit)
