"""One table folded: entry by entry, from the one that opens it."""

from collections.abc import Callable, Mapping
from typing import Any

from immutables import Map
from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from ..errors import Damaged
from ..events import roll as rolled
from ..events import ruling
from ..events import table as tabled
from ..events.base import JSON, EventBase
from ..events.codec import RecordedEvent
from ..events.entry import TEXTS, Entry
from ..rules.ruleset import Ruleset
from ..rules.versions import as_of, later
from .corrections.dependencies import CORRECTIONS
from .corrections.propagation import propagated
from .corrections.timeline import may_mark, moved
from .handlers import on, row
from .hidden import ALWAYS_OPEN, declares
from .open_rolls import followed
from .rolls import evolve, recommitted
from .rollstate import Game, RollState, game
from .shares import after_share, heard
from .tablestate import (
    Anchor,
    Character,
    Replaced,
    Seat,
    TableState,
    Writing,
    Written,
)
from .tracks import place

__all__ = [
    "Anchor",
    "Character",
    "Rulesets",
    "Seat",
    "TableState",
    "Writing",
    "Written",
    "fold",
    "pass_over",
    "text_erased",
]

Rulesets = Callable[[str], Ruleset]
"""Finds a system by name; raises Refused("unknown") for one that is not installed."""


def fold(state: TableState | None, entry: RecordedEvent, rulesets: Rulesets) -> TableState:
    """The table after one more entry; `state` is None before its first.

    Raises Damaged where the entry does not continue the table.
    """
    event = entry.event
    if state is None:
        after = _opened(entry, rulesets)
    elif isinstance(event, rolled.RollEventBase):
        after = _in_roll(state, entry, event)
    else:
        change = CHANGES.get(type(event))
        if change is None:
            raise Damaged("a table is opened once, by its first entry", seq=entry.seq)
        after = change(state, event, entry)
        if not _in_the_dark(state, event):
            after = heard(after, event.by)
    commit = entry if entry.first else after.commit
    return replace(after, size=entry.seq + 1, at=entry.at, commit=commit)


def pass_over(state: TableState, entry: Entry) -> TableState:
    """The table after an entry whose payload is erased, or may not be seen."""
    if entry.kind in TEXTS and state.commit is not None and state.commit.seq == entry.commit:
        state = text_erased(state)
    commit = None if entry.seq == entry.commit else state.commit
    withheld = state.withheld or entry.kind == "hidden"  # an erased text withholds no roll
    return replace(state, size=entry.seq + 1, at=entry.at, commit=commit, withheld=withheld)


def text_erased(state: TableState) -> TableState:
    """The table after the text of its latest commit, which was erased: its writer is known still.

    The entry that erases it is yet to come.
    """
    first = state.commit
    if first is None:
        return state
    writings = state.writings.set(state.size, Writing(_about(first), first.event.by))
    after = _of_commit(replace(state, writings=writings), state.size, first)
    return replace(after, size=state.size + 1)


def _in_roll(state: TableState, entry: RecordedEvent, event: rolled.RollEventBase) -> TableState:
    known = state.rolls.get(event.roll)
    state = after_share(state, entry)
    if known is None and state.withheld and isinstance(event, ALWAYS_OPEN):
        return heard(state, event.by)  # of a roll that is withheld from here
    roll = evolve(known, entry, state.game)
    if not roll.hidden or isinstance(event, ALWAYS_OPEN):
        state = heard(state, event.by)
    state = replace(
        state,
        rolls=state.rolls.set(event.roll, roll),
        entry_rolls=state.entry_rolls.set(entry.seq, event.roll),
        open=followed(state.open, roll, state.game, state.sheet),
        corrections=state.corrections.after(roll, entry),
    )
    if isinstance(event, rolled.RollDeclared):
        state = _counted(state, event)
    if roll.hidden:
        return replace(state, hidden=state.hidden.evolved(roll, entry, state.game))
    if known is not None and known.hidden:
        state = replace(state, hidden=state.hidden.without(roll.number))
        return _moved(state, entry, roll)
    where = place(roll, entry)
    if may_mark(entry) and roll.counts_from(where) == entry.seq:
        state = _moved(state, entry, roll)
    return _corrected(state, roll) if reopens(roll, entry, where) else state


def _in_the_dark(state: TableState, event: EventBase) -> bool:
    """Whether an event about no roll is in an entry that not everybody may see.

    That is a note about a hidden roll, or the end of one's text. A text says no more than what it
    came with.
    """
    if isinstance(event, tabled.Noted | tabled.EntryErased):
        about = event.about if isinstance(event, tabled.Noted) else event.seq
        roll = state.rolls.get(state.entry_rolls.get(about) or 0)
        return roll is not None and roll.hidden
    return isinstance(event, tabled.TextSaid)


def _moved(state: TableState, entry: RecordedEvent, roll: RollState | None) -> TableState:
    known = state.timeline, state.tracks
    timeline, tracks = moved(state.game, state.ratings, state.rolls, *known, entry, roll)
    return replace(state, timeline=timeline, tracks=tracks)


def _corrected(state: TableState, roll: RollState) -> TableState:
    """The table whose tracks follow from what a roll does now."""
    timeline, tracks = propagated(
        state.game, state.ratings, state.rolls, state.timeline, roll, state.tracks
    )
    return replace(state, timeline=timeline, tracks=tracks)


def _counted(state: TableState, event: rolled.RollDeclared) -> TableState:
    """The table with one more roll in its numbers, and behind the roll that it follows."""
    state = replace(state, last_roll=max(state.last_roll, event.roll))
    if event.follows is None:
        return state
    parent = event.follows[0]
    followers = (*state.following.get(parent, ()), event.roll)
    return replace(state, following=state.following.set(parent, followers))


REOPENING = (*CORRECTIONS, ruling.DeclarationReplaced)
"""Events that change what their roll had cost and given before."""


def reopens(roll: RollState, entry: RecordedEvent, where: int) -> bool:
    """Whether an entry of a roll counts before itself: tracks are recomputed from there."""
    return where < entry.seq or isinstance(entry.event, REOPENING)


def _opened(entry: RecordedEvent, rulesets: Rulesets) -> TableState:
    event = entry.event
    if not isinstance(event, tabled.TableOpened) or entry.seq != 0:
        raise Damaged("a table's first entry must open it", seq=entry.seq)
    ruleset = as_of(rulesets(event.ruleset), event.version)
    try:
        options = convert({**later(ruleset, event.version), **event.options}, ruleset.Options)
    except (ValueError, TypeError) as error:
        raise Damaged(f"readings that {ruleset.title} does not know: {error}", seq=0) from error
    return TableState(
        id=event.table,
        by=event.by,
        game=game(ruleset, options),
        source=event.source,
        level=event.level,
        core=event.core,
        one_machine=event.one_machine,
        seats=Map({event.by: Seat(event.by, "narrator")}),
    )


def read(known: Game, name: str, value: Any, seq: int) -> Game:
    """The rules with another value of a reading, from entry `seq` on.

    Raises ValueError for what is no reading of theirs, or no value of it.
    """
    values: JSON = to_builtins(known.options)
    if name not in values:
        raise ValueError(f"no reading {name!r}")
    options = convert({**values, name: value}, known.ruleset.Options)
    return game(known.ruleset, options, seq, known)


def _reading_set(state: TableState, event: tabled.ReadingSet, entry: RecordedEvent) -> TableState:
    try:
        return replace(state, game=read(state.game, event.name, event.value, entry.seq))
    except (ValueError, TypeError) as error:
        raise Damaged(f"a reading that is not known: {error}", seq=entry.seq) from error


def _seat_taken(state: TableState, event: tabled.SeatTaken, entry: RecordedEvent) -> TableState:
    known = state.seats.get(event.seat)
    own = known is not None and known.here and event.by == event.seat
    if own and known:
        seat = replace(known, key=event.key)
    else:
        seat = Seat(event.seat, event.role, ended=known.unanchored.ended if known else ())
    return replace(state, seats=state.seats.set(event.seat, seat))


def _seat_left(state: TableState, event: tabled.SeatLeft, entry: RecordedEvent) -> TableState:
    id = event.seat
    if id not in state.seats:
        raise Damaged(f"no seat {id!r}", seq=entry.seq)
    return replace(
        state, seats=state.seats.set(id, replace(state.seats[id].unanchored, here=False))
    )


def _entered(state: TableState, event: tabled.CharacterEntered, entry: RecordedEvent) -> TableState:
    character = Character(event.character, event.seat, event.attributes, by=event.by)
    characters = state.characters.set(event.character, character)
    return _sheet_changed(replace(state, characters=characters), event, entry)


def _given(state: TableState, event: tabled.CharacterGiven, entry: RecordedEvent) -> TableState:
    if event.character not in state.characters:
        raise Damaged(f"no character {event.character!r}", seq=entry.seq)
    known = replace(state.characters[event.character], seat=event.seat)
    return replace(state, characters=state.characters.set(event.character, known))


def _removed(state: TableState, event: tabled.CharacterRemoved, entry: RecordedEvent) -> TableState:
    if event.character not in state.characters:
        raise Damaged(f"no character {event.character!r}", seq=entry.seq)
    known = replace(state.characters[event.character], removed=entry.seq)
    return replace(state, characters=state.characters.set(event.character, known))


def _attribute_set(
    state: TableState, event: tabled.AttributeSet, entry: RecordedEvent
) -> TableState:
    known = state.characters.get(event.character)
    if known is None:
        raise Damaged(f"no character {event.character!r}", seq=entry.seq)
    before = Replaced(entry.seq, event.attribute, known.attributes.get(event.attribute))
    after = replace(
        known,
        attributes={**known.attributes, event.attribute: event.value},
        replaced=(*known.replaced, before),
    )
    return replace(state, characters=state.characters.set(event.character, after))


def _sheet_changed(
    state: TableState, event: tabled.CharacterEntered | tabled.TrackSet, entry: RecordedEvent
) -> TableState:
    return _moved(state, entry, None)


def _anchored(state: TableState, event: tabled.ShareAnchored, entry: RecordedEvent) -> TableState:
    if event.by not in state.seats:
        raise Damaged(f"no seat {event.by!r}", seq=entry.seq)
    seat = state.seats[event.by].unanchored
    anchored = replace(seat, anchor=Anchor(entry.seq, event.anchor, event.anchor))
    return replace(state, seats=state.seats.set(event.by, anchored))


def _named(state: TableState, event: EventBase, entry: RecordedEvent) -> TableState:
    """The name is the text behind this."""
    return state


def _table_set(state: TableState, event: tabled.TableSet, entry: RecordedEvent) -> TableState:
    """A name is the text behind this, and leaves no setting."""
    if event.value is not None:
        return replace(state, settings=state.settings.set(event.name, event.value))
    if event.name in state.settings:
        return replace(state, settings=state.settings.delete(event.name))
    return state


def _noted(state: TableState, event: tabled.Noted, entry: RecordedEvent) -> TableState:
    return _in_roll_of(state, entry.seq, event.about)


def _of_commit(state: TableState, seq: int, first: RecordedEvent) -> TableState:
    """Entry `seq`, a text, belongs where the first entry of its commit does."""
    number = state.entry_rolls.get(first.seq)
    roll = None if number is None else state.rolls.get(number)
    declared = roll is not None and declares(first.event, roll)
    return _in_roll_of(state, seq, first.seq, declared=declared)


def _in_roll_of(state: TableState, seq: int, other: int, *, declared: bool = False) -> TableState:
    """Entry `seq` belongs to the roll that entry `other` belongs to, if there is one.

    `declared`: a participant of it may have the entry, though it be blind.
    """
    number = state.entry_rolls.get(other)
    if number is None:
        return state
    roll, hidden = state.rolls.get(number), state.hidden
    if roll is not None and roll.hidden:
        hidden = hidden.with_entry(number, seq, declared=declared)
    return replace(state, entry_rolls=state.entry_rolls.set(seq, number), hidden=hidden)


def _said(state: TableState, event: tabled.TextSaid, entry: RecordedEvent) -> TableState:
    first = state.commit
    if first is None:
        return state
    about = _about(first)
    texts = (*state.texts.get(about, ()), Written(entry.seq, event.by, event.text))
    after = replace(
        state,
        texts=state.texts.set(about, texts),
        writings=state.writings.set(entry.seq, Writing(about, event.by)),
    )
    return _of_commit(after, entry.seq, first)


def _about(first: RecordedEvent) -> str:
    subject = SUBJECTS.get(type(first.event))
    return f"entry:{first.seq}" if subject is None else subject(first.event)


SUBJECTS: Mapping[type[Struct], Callable[[Any], str]] = dict(
    [
        on(tabled.SeatTaken, lambda event: f"seat:{event.seat}"),
        on(tabled.SeatNamed, lambda event: f"seat:{event.seat}"),
        on(tabled.TableSet, lambda event: "table"),
        on(tabled.CharacterEntered, lambda event: f"character:{event.character}"),
        on(tabled.CharacterNamed, lambda event: f"character:{event.character}"),
        on(tabled.Noted, lambda event: f"entry:{event.about}"),
    ]
)
"""What a text is about, by the first event of its commit; that entry where none is listed."""


def _erased(state: TableState, event: tabled.EntryErased, entry: RecordedEvent) -> TableState:
    gone = event.seq
    kept = state.hidden.entries.get(state.entry_rolls.get(gone) or 0)
    declared = kept is not None and gone in kept.declared
    state = _in_roll_of(state, entry.seq, gone, declared=declared)
    known = state.writings.get(gone)
    if known is None:
        return state
    texts = state.texts
    if known.about in texts:
        left = tuple(item for item in texts[known.about] if item.seq != gone)
        texts = texts.set(known.about, left) if left else texts.delete(known.about)
    return replace(state, texts=texts, writings=state.writings.delete(gone))


def _epoch(state: TableState, event: tabled.EpochBegun, entry: RecordedEvent) -> TableState:
    rolls, hidden = state.rolls, state.hidden
    for fresh in event.commits:
        known, blind = rolls.get(fresh.roll), hidden.blind.get(fresh.roll)
        if known is None and not state.withheld:
            raise Damaged(f"no roll {fresh.roll} to commit for", seq=entry.seq)
        if known is not None:
            rolls = rolls.set(fresh.roll, recommitted(known, entry, fresh))
        if blind is not None:
            again = recommitted(blind, entry, fresh)
            hidden = replace(hidden, blind=hidden.blind.set(fresh.roll, again))
    # It ends every chain of shares, and every throw that waits for some.
    seats = Map({id: seat.unanchored for id, seat in state.seats.items()})
    return replace(
        state,
        epoch=event.epoch,
        rolls=rolls,
        hidden=hidden,
        seats=seats,
        ask=None,
        kept_back=frozenset(),
    )


CHANGES: Mapping[type[Struct], Callable[[TableState, Any, RecordedEvent], TableState]] = dict(
    [
        row(tabled.SeatTaken, _seat_taken),
        row(tabled.SeatNamed, _named),
        row(tabled.SeatLeft, _seat_left),
        row(tabled.CharacterEntered, _entered),
        row(tabled.CharacterNamed, _named),
        row(tabled.CharacterGiven, _given),
        row(tabled.CharacterRemoved, _removed),
        row(tabled.TrackSet, _sheet_changed),
        row(tabled.AttributeSet, _attribute_set),
        row(tabled.ReadingSet, _reading_set),
        row(tabled.TableSet, _table_set),
        row(tabled.ShareAnchored, _anchored),
        row(tabled.Noted, _noted),
        row(tabled.TextSaid, _said),
        row(tabled.EntryErased, _erased),
        row(tabled.EpochBegun, _epoch),
    ]
)
"""What each event outside the rolls changes."""
