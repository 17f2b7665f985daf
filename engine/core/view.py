"""A table as one seat may see it: less the rolls that are hidden from it, and all about them.

It is the table that the seat folds from its own entries, since a hidden roll costs and gains
nothing before its reveal and nothing follows it. What a seat is shown, offered, and refused with
comes from here: then nothing else can show what is hidden.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar
from weakref import ref

from immutables import Map
from msgspec.structs import replace

from ...errors import Refused
from ...events.codec import RecordedEvent
from ...events.roll import RollEventBase
from ...projections.hidden import ALWAYS_OPEN, Entries, Hidden
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from .visibility import VisiblePart, visible_part

T = TypeVar("T")

Views = dict[str, TableState | None]
"""The views of one state by seat, of those who were asked about; None: the state itself."""

_memo: dict[int, tuple[ref[TableState], Views]] = {}
"""States are immutable, so a state has one view a seat, as long as it is there: by its id."""


def _views_of(table: TableState, forget: Callable[[int, None], object] = _memo.pop) -> Views:
    key = id(table)
    if key not in _memo:
        _memo[key] = ref(table, lambda _: forget(key, None)), {}
    return _memo[key][1]


def view_of(table: TableState, seat: str) -> TableState:
    """The table as the seat may see it: the very same where nothing is hidden from it.

    A seat that is not there sees what everybody may. The view of a view is itself.
    """
    if not table.hidden.entries:
        return table
    views = _views_of(table)
    if seat not in views:
        view = _viewed(table, seat)
        views[seat] = None if view is table else view
    return views[seat] or table


def bring_forward(
    before: TableState, after: TableState, records: Iterable[RecordedEvent | None]
) -> None:
    """Take the views of a state over to the one after a commit, where nothing old is shown or hid.

    To leave out what is hidden costs as much as there is of it, and a table may have hundreds of
    hidden rolls: so a commit in a roll, alone, is put into the view that there was.
    """
    if before is after or id(before) not in _memo:
        return
    known = [record for record in records if record is not None]
    for seat, view in _views_of(before).copy().items():
        found = _forward(view or before, before, after, seat, known)
        if found is not None:
            _views_of(after)[seat] = None if found is after else found


def _forward(
    view: TableState, before: TableState, after: TableState, seat: str, records: list[RecordedEvent]
) -> TableState | None:
    """The view after a commit, made from the one before; None where it is to be made anew."""
    numbers = {after.entry_rolls.get(record.seq) or 0 for record in records}
    number = numbers.pop()
    if numbers or not number or not isinstance(records[0].event, RollEventBase):
        return None
    part = _part(after, seat, number)
    moved = number in before.rolls and _part(before, seat, number) != part
    revealed = number in before.hidden.entries and number not in after.hidden.entries
    if part == "declaration" or moved or revealed:
        return None
    if view is before:
        return after if part == "everything" else None
    if after.corrections.made is not before.corrections.made:
        return None
    same = replace(
        after,
        rolls=view.rolls,
        open=view.open,
        corrections=replace(after.corrections, made=view.corrections.made),
        hidden=view.hidden,
        texts=view.texts,
        writings=view.writings,
        entry_rolls=view.entry_rolls,
        last_roll=view.last_roll,
        withheld=True,
    )
    if part == "nothing":
        hides = not isinstance(records[0].event, ALWAYS_OPEN)
        return replace(same, commit=None) if hides and records[0].first else same
    return _with_roll(same, after, number, records)


def _part(table: TableState, seat: str, number: int) -> VisiblePart:
    return visible_part(table, seat, table.rolls[number])


def _with_roll(
    view: TableState, after: TableState, number: int, records: list[RecordedEvent]
) -> TableState:
    """The view with a roll as it is after a commit that the seat may have."""
    texts, writings, entry_rolls = view.texts, view.writings, view.entry_rolls
    for seq in (record.seq for record in records):
        entry_rolls = entry_rolls.set(seq, number)
        if (written := after.writings.get(seq)) is not None:
            writings = writings.set(seq, written)
            texts = texts.set(written.about, after.texts[written.about])
    going_on, hidden = view.open, view.hidden
    if number in after.open:
        going_on = going_on.set(number, None)
    elif number in going_on:
        going_on = going_on.delete(number)
    if number in after.hidden.entries:
        entries = hidden.entries.set(number, after.hidden.entries[number])
        blind = hidden.blind
        if number in after.hidden.blind:
            blind = blind.set(number, after.hidden.blind[number])
        hidden = Hidden(entries, blind)
    return replace(
        view,
        rolls=view.rolls.set(number, after.rolls[number]),
        open=going_on,
        hidden=hidden,
        texts=texts,
        writings=writings,
        entry_rolls=entry_rolls,
        last_roll=max(view.last_roll, number),
    )


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
        corrections=table.corrections.seen(gone | dark, (blind[number] for number in dark)),
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
