"""What if: a table as it is beside one that differs in some things, roll by roll.

    what_if(items_of(table.entries), [Voided(7)])

Nothing is thrown and nothing is kept. Where dice would have to fall that never fell, none is
invented: what stands behind them in their roll is not known.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypedDict

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.codec import RecordedEvent
from ...projections.automaton import LIVE
from ...projections.history import history
from ...projections.lexicon import Lexicon, name_text
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.words import ENGLISH
from ..core.odds import chances
from ..core.refusal import Refusal, as_refusal
from ..core.rerun import Commit
from ..core.visibility import involved, visible_part
from .changes import Change, Instead, Reading, Without, placed
from .course import Course, Needed, course
from .seen import Item, lines_of, seen_by
from .side import Changes, Side, changes_by_roll, side_of


class RollDifference(Struct, frozen=True, kw_only=True):
    """A roll that comes out otherwise, by its number in the log, and the name of who rolls.

    `before` is what it came to, `after` what it would have; None where it is not there. A roll that
    the log has not (`before` is None) has its number at the other table.
    """

    roll: int
    who: str
    before: Side | None
    after: Side | None


class TrackDifference(Struct, frozen=True, kw_only=True):
    """A track of a character in the end: its id, its name, the track, its name, its values.

    `before` is what it is, `after` what it would be; not `known`: a roll of the character's is not.
    """

    character: str
    who: str
    track: str
    label: str
    before: int
    after: int
    known: bool = True


class Gone(Struct, frozen=True, kw_only=True):
    """A command of the log: the first entry of its commit, its roll and the step of it there.

    `roll` and `step` (counted from 1) are None where it is about no roll. `seat` is the seat's
    name, `text` what happened, in words.
    """

    entry: int
    roll: int | None
    step: int | None
    seat: str
    text: str


class Fallen(Gone, frozen=True, kw_only=True):
    """A command that falls away, and the refusal that it would meet."""

    refusal: Refusal


class MissingDie(Struct, frozen=True):
    """A die that never fell: its id in the roll, and what kind it is."""

    die: str
    kind: str


class Missing(Gone, frozen=True, kw_only=True):
    """A throw of which dice are missing: throw number `throw` of the roll, counted from 0.

    `behind` are the commands in this roll and those that follow it of which nothing is known.
    `chances` are those of each degree that the roll might have come to, everybody doing what is
    best; none where that is too much to count, or the roll goes on.
    """

    throw: int
    dice: tuple[MissingDie, ...]
    behind: tuple[Gone, ...]
    chances: dict[str, float] = {}


class WhatIf(Struct, frozen=True, kw_only=True, tag="what-if", tag_field="type"):
    """A table beside one that differs in these `changes`.

    `rolls` are those that come out otherwise, by number. `tracks` are all that somebody has in one
    of the two, in the end. `fallen` are the commands that would be refused, `missing` the throws of
    which dice never fell. `uncertain` are rolls behind these that share a character with one: they
    are given as if that roll had changed no track.
    """

    table: str
    changes: tuple[Change, ...]
    rolls: tuple[RollDifference, ...]
    tracks: tuple[TrackDifference, ...]
    fallen: tuple[Fallen, ...]
    missing: tuple[Missing, ...]
    uncertain: tuple[int, ...]


def what_if(
    commits: Iterable[Item],
    changes: Iterable[Change],
    *,
    seat: str | None = None,
    language: str = ENGLISH,
) -> WhatIf:
    """What would be different if these things had been.

    `commits` are those of a log, or of what is disclosed of it (see `items_of`). With `seat` it is
    decided on what that seat may see, and shows nothing else; "" is somebody without a seat. The
    words are in `language`. Raises Refused where a change names what is not there, or is not
    possible at the table, with what is.
    """
    changes, items = tuple(changes), tuple(commits)
    if not changes:
        raise Refused("malformed", "nothing is different", allowed=["a reading", "a command"])
    if seat is not None:
        items = seen_by(items, seat)
    found = course(items, lambda: placed(items, changes), seat, of_rolls(changes))
    words = Words(items, found.before)
    needed = found.needed
    return WhatIf(
        table=found.before.id,
        changes=changes,
        rolls=tuple(_rolls(found, language)),
        tracks=tuple(_tracks(found, language)),
        fallen=tuple(
            Fallen(**words.of(each.commit), refusal=as_refusal(each.refused))
            for each in found.fallen
        ),
        missing=tuple(_missing(found, words, each, seat) for each in needed),
        uncertain=tuple(_uncertain(found)),
    )


def of_rolls(changes: Iterable[Change]) -> tuple[int, ...]:
    """The rolls that changes name."""
    return tuple(each.roll for each in changes if not isinstance(each, (Reading, Instead, Without)))


# --- rolls and tracks -----------------------------------------------------------------------------


def _rolls(found: Course, language: str) -> Iterator[RollDifference]:
    before, after = found.before, found.after
    old, new = changes_by_roll(before), changes_by_roll(after)
    theirs = {number: found.rolls.get(number, number) for number in _numbers(before)}
    pairs = [*theirs.items(), *((n, n) for n in _numbers(after) if n not in theirs.values())]
    for number, other in pairs:
        one = before.rolls.get(number) if number in theirs else None
        two = after.rolls.get(other)
        unknown = number in found.unknown and number in theirs
        if one and two and not unknown and _same(one, two, old, new):
            continue
        left = None if one is None else side_of(before, one, old, language)
        right = None if two is None else side_of(after, two, new, language)
        if unknown:
            right = _not_known(right)
        rolled = one or two
        if rolled is not None and (left and left.weight) != (right and right.weight):
            who = name_text(before if one else after, rolled.roll.character)
            yield RollDifference(roll=number, who=who, before=left, after=right)


def _numbers(state: TableState) -> list[int]:
    return sorted(roll.number for roll in state.rolls.values())


def _same(one: RollState, two: RollState, old: Changes, new: Changes) -> bool:
    """Whether two rolls are surely the same: then no words are made."""
    a, b = old.get(one.number, ()), new.get(two.number, ())
    if len(a) != len(b) or one.state != two.state or one.damage != two.damage:
        return False
    marks = zip(a, b, strict=True)
    if any(x.effects != y.effects or _touched(x) != _touched(y) for x, y in marks):
        return False
    return one.roll == replace(two.roll, options=one.roll.options)


def _touched(change: object) -> list[tuple[int, int]]:
    """The values of the tracks that a change touches, before and after it."""
    effects, before, after = (getattr(change, name) for name in ("effects", "before", "after"))
    pairs = ((effect.character, effect.track) for effect in effects)
    return [(before.get(w, Map()).get(t, 0), after.get(w, Map()).get(t, 0)) for w, t in pairs]


def _not_known(side: Side | None) -> Side:
    """A roll of which dice are missing, as far as it went."""
    if side is None:
        return Side(state=None, known=False)
    return Side(
        state=side.state,
        known=False,
        declared=side.declared,
        answers=side.answers,
        hands=side.hands,
        changes=side.changes,
    )


def _tracks(found: Course, language: str) -> Iterator[TrackDifference]:
    lexicon = Lexicon(found.before, language)
    unsure = _unsure(found)
    for who in dict.fromkeys((*sorted(found.before.characters), *sorted(found.after.characters))):
        old, new = (state.tracks.get(who, Map()) for state in (found.before, found.after))
        for name in sorted({*old, *new}):
            yield TrackDifference(
                character=who,
                who=name_text(found.before, who),
                track=name,
                label=lexicon.of("track", name),
                before=old.get(name, 0),
                after=new.get(name, 0),
                known=who not in unsure,
            )


# --- what is not known ----------------------------------------------------------------------------


def _unsure(found: Course) -> frozenset[str]:
    """The characters whose tracks a roll that is not known may have changed."""
    every: set[str] = set()
    for number in found.unknown:
        for state, own in ((found.before, number), (found.after, found.rolls.get(number))):
            roll = None if own is None else state.rolls.get(own)
            every |= involved(state, roll) if roll is not None else frozenset()
    return frozenset(every)


def _uncertain(found: Course) -> Iterator[int]:
    """Rolls that went on behind a missing die, with a character of its roll in them."""
    first = min((each.commit.seq for each in found.needed), default=None)
    unsure = _unsure(found)
    for number in _numbers(found.before) if first is not None else ():
        roll = found.before.rolls[number]
        went_on = first is not None and roll.trail[-1].seq > first
        if went_on and number not in found.unknown and involved(found.before, roll) & unsure:
            yield number


def _missing(found: Course, words: "Words", each: Needed, seat: str | None) -> Missing:
    return Missing(
        **words.of(each.commit),
        throw=each.throw,
        dice=tuple(MissingDie(*die) for die in each.dice),
        behind=tuple(Gone(**words.of(commit)) for commit in each.behind),
        chances=_chances(found, each.roll, seat),
    )


def _chances(found: Course, number: int, seat: str | None) -> dict[str, float]:
    """What a roll might have come to; for a seat, where it sees the dice of a roll that has ended.

    Of one that goes on it were advice.
    """
    after = found.after.rolls.get(found.rolls.get(number, number))
    if after is None:
        return {}
    if seat is not None:
        before = found.before.rolls.get(number)
        if before is None or before.state in LIVE:
            return {}
        if visible_part(found.after, seat, after) != "everything":
            return {}
    return chances(found.after, after.number)


# --- commands in words ----------------------------------------------------------------------------


class Place(TypedDict):
    """The fields of a Gone."""

    entry: int
    roll: int | None
    step: int | None
    seat: str
    text: str


class Words:
    """The log's commands in words, as the table before has them."""

    def __init__(self, items: Sequence[Item], before: TableState) -> None:
        self._items = items
        self._before = before
        self._steps: dict[int, Mapping[int, tuple[int, str]]] = {}

    @cached_property
    def _records(self) -> Mapping[int, list[RecordedEvent]]:
        """The entries of each roll that can be read, in order."""
        found: dict[int, list[RecordedEvent]] = {}
        for line in (line for item in self._items for line in lines_of(item)):
            number = self._before.entry_rolls.get(line.seq)
            if number is not None and isinstance(line, RecordedEvent):
                found.setdefault(number, []).append(line)
        return found

    def of(self, commit: Commit) -> Place:
        """The fields of a Gone: where the command is, and what happened."""
        number = self._before.entry_rolls.get(commit.seq)
        if number is None:
            lines = [each for each in lines_of(commit) if isinstance(each, RecordedEvent)]
            step, text = None, history(self._before, lines[:1])[0].text
        else:
            step, text = self._of_roll(number)[commit.seq]
        seat = name_text(self._before, commit.seat)
        return Place(entry=commit.seq, roll=number, step=step, seat=seat, text=text)

    def _of_roll(self, number: int) -> Mapping[int, tuple[int, str]]:
        """The steps of a roll in words, by entry, each with its number from 1 on."""
        if number not in self._steps:
            lines = enumerate(history(self._before, self._records[number]), 1)
            self._steps[number] = {line.seq: (step, line.text) for step, line in lines}
        return self._steps[number]
