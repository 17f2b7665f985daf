"""The account of a roll: what happened, and how its result came out, line by line, without markup.

An account is made from what was announced and from what the system says of its figures; nothing is
decided here. Texts are plain words; a line's number is its own field, so that a terminal, a page
and JSON lay it out as they like. Names that may be written from right to
left are between isolates, as in the history.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ..events import roll as rolled
from ..events import ruling
from ..events.base import Face
from ..events.codec import RecordedEvent
from ..rules.figures import Counts, name_of
from ..rules.ruleset import Die, Roll
from ..rules.words import ENGLISH
from .disputes import under_dispute
from .history import history
from .lexicon import Lexicon
from .result import Result, damage_result, outcome_result
from .rolls import evolve
from .rollstate import RollState
from .rulings import open_disputes
from .tables import TableState

Mark: TypeAlias = Literal[
    "voided", "vetoed", "amended", "disputed", "pending", "ruled", "hidden", "revealed"
]
"""What is to know of a roll before anything else.

It is `disputed` while a dispute waits for its ruling; `pending` while it follows such a roll.
"""

MARKED: Mapping[Mark, str] = {
    "disputed": "under dispute",
    "pending": "depends on a roll under dispute",
    "ruled": "disputed and ruled on",
}
"""The marks that are not their own word."""

HANDLED = (rolled.DiceRolled, rolled.DiceRerolled, rolled.DiceFrozen, rolled.DiceAdjusted)
"""Events after which a hand's dice are in the account."""


WAYS: tuple[Counts, ...] = ("for", "against", "no")
"""Of what a die does by several figures, the first counts; "for" where a system counts no dice."""


class ShownDie(Struct, frozen=True):
    """One die after a step.

    `thrown` holds every face it fell on, oldest first; `face` is the one it shows. `again`: it fell
    in this step. `adjusted`: it was put to its face. `makes`: keys of the figures it counts for;
    by `counts` it does so for its side, against it, or not. `earlier` are the faces before the one
    it shows, each with whether it counts too, as those of a die that explodes do.
    """

    die: str
    kind: str
    face: Face
    thrown: tuple[Face, ...]
    frozen: bool
    adjusted: bool
    again: bool
    makes: tuple[str, ...]
    counts: Counts
    earlier: tuple[tuple[Face, bool], ...]


class ShownHand(Struct, frozen=True):
    """A hand after a step: its name in the log, its label, its character's name, its dice."""

    hand: str
    label: str
    who: str
    dice: tuple[ShownDie, ...]


class Step(Struct, frozen=True):
    """One entry: its number, its time (milliseconds since 1970), who acted, what, with which dice.

    `seat` is the seat's name. `hand` is there where dice fell, were frozen or adjusted.
    """

    seq: int
    at: int
    seat: str
    text: str
    hand: ShownHand | None


class Account(Struct, frozen=True, kw_only=True, tag="account", tag_field="type"):
    """A roll from its declaration to its end; `before` are the rolls that it follows, oldest first.

    `who` is its character's name, `state` the state of the roll, `link` how it follows the last of
    those before.
    """

    roll: int
    who: str
    state: str
    marks: tuple[Mark, ...]
    before: tuple[int, ...]
    link: str
    steps: tuple[Step, ...]
    outcome: Result | None
    damage: Result | None

    @property
    def marked(self) -> tuple[str, ...]:
        """The marks in words."""
        return in_words(self.marks)


# --- a roll ---------------------------------------------------------------------------------------


def account(
    state: TableState,
    records: Iterable[RecordedEvent | None],
    number: int,
    *,
    language: str = ENGLISH,
) -> Account:
    """The account of roll `number`, as `state` has it.

    `records` are the table's entries up to that state, or as many of them as can be read. Raises
    KeyError for a roll that is not there.
    """
    roll = state.rolls[number]
    lexicon = Lexicon(state, language)
    return Account(
        roll=number,
        who=state.name_of(roll.roll.character),
        state=roll.state,
        marks=tuple(marks_of(state, roll)),
        before=tuple(_before(state, roll)),
        link=lexicon.of("link", roll.roll.link) if roll.roll.link else "",
        steps=tuple(_steps(lexicon, records, number)),
        outcome=outcome_result(state, roll, language=language),
        damage=damage_result(state, roll, language=language),
    )


def in_words(marks: Iterable[Mark]) -> tuple[str, ...]:
    """Marks as people read them."""
    return tuple(MARKED.get(mark, mark) for mark in marks)


def marks_text(state: TableState, roll: RollState) -> tuple[str, ...]:
    """What is to know of a roll first, in words."""
    return in_words(marks_of(state, roll))


def marks_of(state: TableState, roll: RollState) -> Iterator[Mark]:
    """What is to know of a roll first, in the order of Mark."""
    events = [entry.event for entry in roll.trail]
    kinds = {type(event) for event in events}
    found: tuple[tuple[Mark, bool], ...] = (
        ("voided", roll.state == "voided"),
        ("vetoed", roll.vetoed),
        ("amended", ruling.RollAmended in kinds),
        ("disputed", bool(open_disputes(roll))),
        ("pending", any(number != roll.number for number in under_dispute(state, roll))),
        ("ruled", ruling.RulingMade in kinds),
        ("hidden", roll.hidden),
        ("revealed", roll.revealed_at is not None),
    )
    for mark, holds in found:
        if holds:
            yield mark


def _before(state: TableState, roll: RollState) -> Iterator[int]:
    if roll.follows is None or roll.follows[0] not in state.rolls:
        return
    yield from _before(state, state.rolls[roll.follows[0]])
    yield roll.follows[0]


# --- steps ----------------------------------------------------------------------------------------


def _steps(
    lexicon: Lexicon, records: Iterable[RecordedEvent | None], number: int
) -> Iterator[Step]:
    """The roll's entries in words, with the hand that each of them handles as it was then."""
    state = lexicon.state
    own = [r for r in records if r is not None and state.entry_rolls.get(r.seq) == number]
    after = {record.seq: hand for record, hand in _hands(state, state.rolls[number])}
    seats = {record.seq: state.name_of(record.event.by) for record in own}
    for line in history(state, own):
        then = after.get(line.seq)
        shown = None if then is None else shown_hand(lexicon, *then)
        yield Step(line.seq, line.at, seats[line.seq], line.text, shown)


def _hands(
    state: TableState, roll: RollState
) -> Iterator[tuple[RecordedEvent, tuple[Roll, str, tuple[str, ...]]]]:
    """Each entry that handles dice: the roll right after it, the hand, the dice that fell in it."""
    now: RollState | None = None
    for record in roll.trail:
        now = evolve(now, record, state.game)
        event = record.event
        if isinstance(event, HANDLED):
            fell: tuple[str, ...] = ()
            if isinstance(event, (rolled.DiceRolled, rolled.DiceRerolled)):
                fell = tuple(die.die for die in event.dice)
            yield record, (now.roll, event.hand, fell)


def shown_hand(
    lexicon: Lexicon, roll: Roll, name: str, again: Sequence[str] = ()
) -> ShownHand | None:
    """A hand of a roll as it is now; None where it has not been thrown."""
    hand = roll.hand(name)
    if hand is None:
        return None
    made = lexicon.rules.counts(roll)
    shown = tuple(_shown(lexicon, die, made, again=die.id in again) for die in hand.dice)
    who = lexicon.state.name_of(hand.character)
    return ShownHand(name, lexicon.hand(name), who, shown)


def _shown(
    lexicon: Lexicon, die: Die, made: Mapping[str, Sequence[str]], *, again: bool
) -> ShownDie:
    """A die, by the figures that dice, or throws of them, make."""
    makes = tuple(key for key, names in made.items() if die.id in map(name_of, names))
    ways = {"no", *(lexicon.declared(key).counts for key in makes)}
    counted = {name for names in made.values() for name in names}
    adjusted = bool(die.thrown) and die.face != die.thrown[-1]
    before = die.thrown if adjusted else die.thrown[:-1]
    return ShownDie(
        die=die.id,
        kind=die.kind,
        face=die.face,
        thrown=die.thrown,
        frozen=die.frozen,
        adjusted=adjusted,
        again=again,
        makes=makes,
        counts=next(way for way in WAYS if way in ways or not made),
        earlier=tuple(
            (face, f"{die.id}:{number}" in counted) for number, face in enumerate(before, 1)
        ),
    )
