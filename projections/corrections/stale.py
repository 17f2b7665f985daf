"""Stale rolls: they took from a sheet what is there no more.

A void or an amendment leaves them, and a reveal: what a hidden roll spent counts from then on, and
rolls in the open may have spent the same since.

A later roll keeps what it took when it was declared, and its outcome stands. But what it took came
from a roll that counts for nothing now, or for less. Each such roll is settled again on the sheet
as it counts now, and the table is told what it had and what it would have. A narrator settles an
unthrown one again (`replace`), and voids or amends a thrown one.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from itertools import takewhile
from typing import Any

from msgspec import Struct, convert, to_builtins

from ...errors import Refused
from ...events import roll as rolled
from ...events import ruling
from ...events.base import JSON, Effect
from ...events.codec import RecordedEvent
from ...rules.ruleset import Sheet
from ..rolls import as_of
from ..rollstate import RollState
from ..tables import TableState
from ..tracks import TrackChange
from .changes import changes_between, changes_of
from .dependencies import CORRECTIONS, effects_in, given_by


class Stale(Struct, frozen=True, gc=False):
    """What entry `seq` of roll `roll` took from a sheet, and would take now.

    `what` is a field of the declaration or reaction of `character`, or a track: `had` is what it
    was, or how much was taken; `now` what it would be, or how much is there. Where the declaration
    would be refused now `refused` says why, and `what` is "declaration". A fate that was decided is
    `what` too: had and now are what its damage marked, by track. Where the roll follows one that is
    stale itself `what` is "follows", and `had` the number of that one.

    `sources` are the rolls that had given it, voided or amended since, oldest first; or where
    `twice` is true those that had spent it too, while the roll was hidden.
    """

    roll: int
    seq: int
    character: str
    what: str
    had: Any
    now: Any
    sources: tuple[int, ...]
    twice: bool = False
    refused: str | None = None


def stale(state: TableState, changes: Iterable[TrackChange]) -> tuple[Stale, ...]:
    """What is stale of these changes, in log order."""
    found = (each for change in changes for each in _of_change(state, change))
    return tuple(sorted(found, key=_by_entry))


def all_stale(state: TableState) -> tuple[Stale, ...]:
    """All that is stale, in log order."""
    revealed = (roll for roll in state.rolls.values() if roll.revealed_at is not None)
    hid = (entry for roll in revealed for entry in roll.trail if effects_in(entry))
    return stale_after(state, {number for _, number in state.corrections.made}, hid)


def stale_by_roll(
    state: TableState, rolls: Iterable[RollState] | None = None
) -> dict[int, list[Stale]]:
    """By roll, what is stale in these, in log order; in all unless some are given."""
    if rolls is None:
        every = all_stale(state)
    else:
        every = stale(state, changes_of(state, (each for roll in rolls for each in roll.trail)))
    found = dict[int, list[Stale]]()
    for each in every:
        found.setdefault(each.roll, []).append(each)
    return found


def stale_after(
    state: TableState, numbers: Iterable[int], others: Iterable[RecordedEvent] = ()
) -> tuple[Stale, ...]:
    """What is stale since these rolls were corrected, and perhaps others; in log order.

    Only entries are looked at that took from those to whom the rolls had given something, between
    then and the last of the corrections, and these `others`.
    """
    taken = {
        taking.seq: taking.roll
        for roll in filter(None, map(state.rolls.get, numbers))
        for seq, who in given_by(roll)
        for taking in state.corrections.taken.between(who, seq, last_correction(roll))
    }
    entries = {entry.seq: entry for entry in others}
    for seq, number in taken.items():
        entries[seq] = next(each for each in state.rolls[number].trail if each.seq == seq)
    found = stale(state, changes_of(state, entries.values()))
    behind = _behind(state, dict.fromkeys(each.roll for each in found))
    declared = {roll.trail[0].seq: roll.trail[0] for roll in behind}
    more = (entry for seq, entry in declared.items() if seq not in entries)
    return tuple(sorted((*found, *stale(state, changes_of(state, more))), key=_by_entry))


def _by_entry(left: Stale) -> int:
    return left.seq


def _behind(state: TableState, numbers: Iterable[int]) -> Iterator[RollState]:
    """The rolls that follow some, and those that follow these."""
    for number in numbers:
        for roll in state.followers(number):
            yield roll
            yield from _behind(state, (roll.number,))


def last_correction(roll: RollState) -> int:
    """The entry that voided or amended a roll last; -1 where none did."""
    corrections = (each.seq for each in roll.trail if isinstance(each.event, CORRECTIONS))
    return max(corrections, default=-1)


def _of_change(state: TableState, change: TrackChange) -> Iterator[Stale]:
    """What one entry of a roll took that is there no more."""
    if change.roll is None:
        return
    if change.since > change.place:  # it was hidden: others may have spent it before its reveal
        yield from _short(state, change, partial(_spenders, state, change))
        return
    corrected = tuple(_corrected_since(state, change))
    if not corrected:  # nearly always: then no other roll is looked at
        return
    roll = state.rolls[change.roll]
    if change.damage is not None:
        yield from _fates(roll, change, _givers(corrected, change, change.damage.target))
        return
    entry = next(each for each in roll.trail if each.seq == change.seq)
    sources = _givers(corrected, change, _declared(roll, entry)[0])
    again = tuple(_again(state, roll, entry, change, sources))
    yield from again or _short(state, change, partial(_givers, corrected, change))
    if roll.follows is not None and entry is roll.trail[0]:
        yield from _follows(state, roll, change, {each.number for each in corrected})


def _follows(
    state: TableState, roll: RollState, change: TrackChange, corrected: Container[int]
) -> Iterator[Stale]:
    """A roll whose declaration took over what another came to, and which these made stale."""
    parent, _ = roll.follows or (0, "")
    trail = changes_of(state, state.rolls[parent].trail)
    left = stale(state, (each for each in trail if each.damage is None))
    every = {source for each in left if not each.twice for source in each.sources}
    sources = sorted(source for source in every if source in corrected)
    if sources:
        who = roll.roll.character
        yield Stale(roll.number, change.seq, who, "follows", parent, None, tuple(sources))


def _corrected_since(state: TableState, change: TrackChange) -> Iterator[RollState]:
    """The other rolls that were corrected after a change, the oldest first."""
    late = takewhile(lambda each: each[0] > change.seq, reversed(state.corrections.made))
    numbers = {number for _, number in late} - {change.roll}
    yield from (state.rolls[number] for number in sorted(numbers))


# --- settled again --------------------------------------------------------------------------------


def _again(
    state: TableState,
    roll: RollState,
    entry: RecordedEvent,
    change: TrackChange,
    sources: tuple[int, ...],
) -> Iterator[Stale]:
    """The fields of a declaration or reaction that the sheet gave, and gives otherwise now."""
    who, before = _declared(roll, entry)
    if not sources or before is None:
        return
    sheet = Sheet(who, state.ratings(who, change.place), change.before[who])
    stale_field = partial(Stale, roll.number, change.seq, who, sources=sources)
    try:
        after = _settled_again(state, roll, entry, before, sheet)
    except Refused as error:
        yield stale_field("declaration", None, None, refused=error.why)
        return
    for name in state.game.ruleset.settled:
        had, now = before.get(name), after.get(name)
        if name in before and had != now:
            yield stale_field(name, had, now)


def _declared(roll: RollState, entry: RecordedEvent) -> tuple[str, JSON | None]:
    """The character of an entry, and what it declared or answered as that was settled."""
    match entry.event:
        case rolled.RollDeclared(character=who, declaration=declared):
            return who, declared
        case ruling.DeclarationReplaced(declared=declared):
            return roll.roll.character, declared
        case rolled.ReactionDeclared(character=who, reaction=reaction):
            return who, reaction
        case _:
            return roll.roll.character, None


def _settled_again(
    state: TableState, roll: RollState, entry: RecordedEvent, before: JSON, sheet: Sheet
) -> JSON:
    """A declaration or reaction as the rules settle it on a sheet. Raises Refused."""
    game, rules = state.game, state.game.ruleset
    wish = {name: value for name, value in before.items() if name not in rules.settled}
    if isinstance(entry.event, rolled.ReactionDeclared):
        then = as_of(roll, entry.seq - 1, game).roll
        given, _ = rules.answer(then, convert(wish, rules.Reaction), sheet)
    else:
        asked = convert(wish, rules.Declaration)
        given, _ = rules.settle(roll.roll.options, asked, sheet, roll.roll.link)
        if roll.follows is not None:
            parent, link = roll.follows
            then = as_of(state.rolls[parent], entry.seq, game).roll
            given, _ = rules.completed(roll.roll.options, given, link, then)
    settled: JSON = to_builtins(given)
    return settled


# --- fates, and what is short ---------------------------------------------------------------------


def _fates(roll: RollState, change: TrackChange, sources: tuple[int, ...]) -> Iterator[Stale]:
    """The fates that were decided on damage which is another one now."""
    if change.announced is None or change.damage is None:
        return
    had, now = (by_track(damage.effects) for damage in (change.announced, change.damage))
    if had == now:
        return
    for entry in roll.trail:
        if isinstance(entry.event, ruling.FateDecided) and entry.seq > change.seq:
            fate = entry.event
            yield Stale(roll.number, entry.seq, fate.character, fate.fate, had, now, sources)


def by_track(effects: Iterable[Effect]) -> dict[str, int]:
    """What effects did to a sheet, by track: how much, or the value that was set."""
    return {e.track: e.delta if e.to is None else e.to for e in effects}


def _short(
    state: TableState, change: TrackChange, sources_of: Callable[[str, str], tuple[int, ...]]
) -> Iterator[Stale]:
    """What one change took beyond what was there, where some rolls are the reason."""
    for effect in change.effects:
        least = state.game.tracks[effect.track].least
        had = change.before[effect.character].get(effect.track, least)
        if not effect.delta < 0 < least - (had + effect.delta):
            continue
        sources = sources_of(effect.character, effect.track)
        if sources:
            yield Stale(
                change.roll or 0,
                change.seq,
                effect.character,
                effect.track,
                -effect.delta,
                had - least,
                sources,
                twice=change.since > change.place,
            )


def _givers(
    corrected: Iterable[RollState], change: TrackChange, who: str, track: str | None = None
) -> tuple[int, ...]:
    """The rolls that had given a character something before a change, and were corrected since."""
    return tuple(
        roll.number
        for roll in corrected
        if any(_gave(entry, who, track) for entry in roll.trail if entry.seq < change.seq)
    )


def _gave(entry: RecordedEvent, who: str, track: str | None) -> bool:
    effects = effects_in(entry)
    return any(each.character == who and track in (None, each.track) for each in effects)


def _spenders(
    state: TableState, change: TrackChange, character: str, track: str
) -> tuple[int, ...]:
    """The rolls that spent of this track after the change's entry, and count before it."""
    found = dict[int, None]()
    for other in changes_between(state, change.place, change.since):
        spent = any(
            e.delta < 0 and (e.character, e.track) == (character, track) for e in other.effects
        )
        if spent and other.roll not in (None, change.roll):
            found[other.roll or 0] = None
    return tuple(found)
