"""What each throw and each decision of a table's rolls was worth, as the log has them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.msgpack import encode
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import RecordedEvent, recorded
from ...events.entry import Entry, verify
from ...projections.aims import Aim, aim_of
from ...projections.luck import Chances, Luck, Said
from ...projections.odds import Throw, coming, odds
from ...projections.rollstate import RollState
from ...projections.tables import Rulesets, TableState, fold, pass_over
from ...rules import ruleset_named
from ...rules.ruleset import Roll, Ruleset, Sheets
from .odds import SOON, question
from .visibility import involved

THROWN = (rolled.DiceRolled, rolled.DiceRerolled)
DECIDED = (rolled.DiceFrozen, rolled.DiceAdjusted, rolled.ChoiceMade, rolled.RollResolved)


class Moment(Struct, frozen=True, kw_only=True):
    """An entry of a roll that moved what its aim is worth, all that follows being best.

    `character` `threw` or decided, `seat` plays that one; with `against` it is the opponent's, for
    whom the roller's gain is a loss. `before` the entry it was worth so much, and `after` it; None
    where it was not asked, or is too much. Of a throw, `expected` is what this throw was worth
    before it fell, and `chances` are those of all that it might have been worth. With `stands` they
    are so where dice are left as they fall, since all that could be done with them is too much to
    count. `why`: what is too much even so, and nothing else is known then.
    """

    seq: int
    roll: int
    character: str
    seat: str
    threw: bool
    against: bool
    before: Fraction | None = None
    expected: Fraction | None = None
    after: Fraction | None = None
    chances: Mapping[Fraction, Fraction] = {}
    stands: bool = False
    why: str = ""

    @property
    def gains(self) -> Chances:
        """What the throw might have gained on what was expected, for who threw."""
        expected = self.expected or 0
        return tuple(
            (float(self.sign * (worth - expected)), float(chance))
            for worth, chance in self.chances.items()
        )

    @property
    def luck(self) -> Fraction | None:
        """What fell, less what was to be expected, for who threw; None where nothing was."""
        if self.expected is None or self.after is None:
            return None
        return self.sign * (self.after - self.expected)

    @property
    def play(self) -> Fraction | None:
        """What the decision gained on the best one, which is 0 or less, for who decided."""
        then = self.after if self.expected is None else self.expected
        if self.before is None or then is None:
            return None
        return self.sign * (then - self.before)

    @property
    def sign(self) -> int:
        """Whether what the roller gains is a gain for this one."""
        return -1 if self.against else 1


Memory: TypeAlias = dict[bytes, Throw | str]
"""Throws that were asked for: by the roll before and the sheets of whom it involves, the answer, or
why there is none. An evening throws the same dice for the same again and again."""

KEPT = 500
"""Throws that a memory holds, at most: the latest ones."""


def moments(
    entries: Iterable[Entry],
    rolls: Collection[int] | None = None,
    *,
    play: bool = True,
    rulesets: Rulesets = ruleset_named,
    memory: Memory | None = None,
) -> Iterator[Moment]:
    """Every throw and, with `play`, every decision of a table's rolls, or of some of them.

    What a throw was worth is computed on the table as it was then. What is withheld or erased is
    passed over. `memory` takes in what is asked, for who asks for the next table. Raises Damaged
    where the entries are no log of a table.
    """
    memory = {} if memory is None else memory
    known: Known | None = {} if play else None
    for before, state, record in _moved(entries, rolls, THROWN + DECIDED * play, rulesets):
        yield from moment(before, state, record, memory, known)


def worths(entries: Iterable[Entry], roll: int) -> Iterator[tuple[int, Fraction]]:
    """What a roll was worth after each of its throws and decisions, by entry.

    What is too much to count is passed over. Raises Damaged as `moments`.
    """
    for _, state, record in _moved(entries, [roll], THROWN + DECIDED, ruleset_named):
        with suppress(Refused):
            yield record.seq, _worth(state, state.rolls[roll], {})


def _moved(
    entries: Iterable[Entry],
    rolls: Collection[int] | None,
    kinds: tuple[type, ...],
    rulesets: Rulesets,
) -> Iterator[tuple[TableState, TableState, RecordedEvent]]:
    """Each entry of a roll whose event is of these kinds, with the table before and after it."""
    state: TableState | None = None
    for entry in entries:
        verify(entry)
        before, record = state, None if entry.payload is None else recorded(entry)
        if record is not None:
            state = fold(state, record, rulesets)
            number = getattr(record.event, "roll", 0)
            wanted = isinstance(record.event, kinds) and (rolls is None or number in rolls)
            if wanted and before is not None and number in before.rolls:
                yield before, state, record
        elif state is not None:
            state = pass_over(state, entry)


Known: TypeAlias = dict[int, tuple[Roll, Fraction]]
"""Rolls as they were after their latest moment, and what each was worth then."""


def moment(
    before: TableState,
    after: TableState,
    record: RecordedEvent,
    memory: Memory,
    known: Known | None = None,
) -> Iterator[Moment]:
    """What an entry was worth: a throw, or with what is `known` of the rolls a decision too."""
    event: Any = record.event
    if isinstance(event, rolled.DiceRolled) and event.taken is not None:
        return
    roll, then = before.rolls[event.roll], after.rolls[event.roll].roll
    who = _who(roll.roll, event)
    found = Moment(
        seq=record.seq,
        roll=event.roll,
        character=who,
        seat=before.characters[who].seat if who in before.characters else event.by,
        threw=isinstance(event, THROWN),
        against=who == getattr(roll.roll.declaration, "opponent", None),
    )
    start: Fraction | None = None
    if known is not None:
        with suppress(Refused):  # a throw may be counted though not all that could be decided is
            start = _worth(before, roll, known)
    try:
        if found.threw:
            throw = _thrown(before, roll, event, memory)
            end, found = (
                throw.fell(event.dice),
                replace(found, chances=throw.chances, expected=throw.expected, stands=throw.stands),
            )
        else:
            end = _worth(after, after.rolls[event.roll], {})
    except Refused as refused:
        yield replace(found, why=refused.why)
        return
    if found.stands:  # no decision is measured by that
        start = None
    elif known is not None:
        known[event.roll] = then, end
    yield replace(found, before=start, after=end)


def _thrown(state: TableState, roll: RollState, event: Any, memory: Memory) -> Throw:
    """The throw that fell, as it was before; raises Refused where that is too much."""
    (rules, asked, sheet, put), aim = _asked(state, roll)
    kinds = {die.die: die.kind for die in event.dice}
    sheets = [sheet(who) for who in sorted(involved(state, roll))]
    key = encode((rules.name, asked, event.hand, kinds, put, sheets))
    if key not in memory:
        memory[key] = _first_counted(
            partial(coming, rules, asked, sheet, aim, event.hand, kinds, put, steps=SOON)
        )
        for old in [*memory][:-KEPT]:
            del memory[old]
    found = memory[key]
    if isinstance(found, str):
        raise Refused("out-of-range", found)
    return found


def _first_counted(throw: Callable[..., Throw]) -> Throw | str:
    """The throw with all that may be done with its dice, else as they fall; else why not."""
    why = ""
    for stands in (False, True):
        try:
            return throw(stands=stands)
        except Refused as refused:
            why = refused.why
    return why


def _worth(state: TableState, roll: RollState, known: Known) -> Fraction:
    """What a roll is worth now, which is known where nothing of it has changed."""
    latest = known.get(roll.number)
    if latest is not None and latest[0] is roll.roll:
        return latest[1]
    asked, aim = _asked(state, roll)
    spread = odds(*asked[:3], aim, asked[3], steps=SOON)
    return aim.worth(spread.ends, spread.of)


def _asked(
    state: TableState, roll: RollState
) -> tuple[tuple[Ruleset, Roll, Sheets, Mapping[str, str]], Aim]:
    """A roll with all that its odds depend on, and what is wanted of a roll of the system."""
    asked, rules = question(state, roll.number), state.game.ruleset
    return (rules, asked.roll, asked.sheets.__getitem__, asked.put), aim_of(rules.aim)


def _who(roll: Roll, event: Any) -> str:
    """Whose character threw, or decided."""
    if hasattr(event, "character"):
        return str(event.character)
    hand = roll.hand(event.hand) if hasattr(event, "hand") else None
    return roll.character if hand is None else hand.character


class SeatLuck(Struct, frozen=True, kw_only=True):
    """The luck of a seat's throws, in what a roll of the system is wanted for.

    `luck` is the sum of what fell less what was to be expected, in `throws` of `rolls`; from
    `least` to `most` is normal, however often one looks. `play` is what its decisions gained
    on the best ones, 0 or less; None where it was not asked. `characters` has the luck of each of
    its own.
    """

    seat: str
    rolls: int
    throws: int
    luck: float
    least: float
    most: float
    said: Said
    play: float | None
    characters: dict[str, float]


class TableLuck(Struct, frozen=True, kw_only=True):
    """The luck of a table's throws, by seat: who threw first comes first. `luck` is all together.

    `rolls` has the luck of each roll's throws, as its roller sees it. `standing` throws are counted
    as their dice fell, since all that could be done with them is too much to count. `left` says why
    others were left out, and how many: they are in no sum.
    """

    aim: str
    luck: float
    seats: tuple[SeatLuck, ...]
    rolls: dict[str, float]
    standing: int
    left: dict[str, int]


def luck_of(found: Iterable[Moment], aim: str) -> TableLuck:
    """The luck of these moments of a table, in their order."""
    every: dict[str, list[Moment]] = {}
    left = Counter[str]()
    for each in found:
        if each.why:
            left[each.why] += each.threw
        else:
            every.setdefault(each.seat, []).append(each)
    threw = {seat: own for seat, own in every.items() if any(each.threw for each in own)}
    rolls: dict[int, Fraction] = {}
    for each in (each for own in threw.values() for each in own if each.luck is not None):
        rolls[each.roll] = rolls.get(each.roll, Fraction(0)) + each.sign * (each.luck or 0)
    seats = tuple(_seat(seat, own, at) for at, (seat, own) in enumerate(threw.items(), 1))
    return TableLuck(
        aim=aim,
        luck=sum(seat.luck for seat in seats),
        seats=seats,
        rolls={str(number): float(rolls[number]) for number in sorted(rolls)},
        standing=sum(each.stands for own in threw.values() for each in own),
        left=dict(+left),
    )


def _seat(seat: str, own: Sequence[Moment], place: int) -> SeatLuck:
    throws = [each for each in own if each.threw]
    play = [each.play for each in own if each.play is not None]
    luck = Luck(place)
    characters: dict[str, float] = {}
    for each in throws:
        gained = float(each.luck or 0)
        luck.take(gained, each.gains)
        characters[each.character] = characters.get(each.character, 0.0) + gained
    return SeatLuck(
        seat=seat,
        rolls=len({each.roll for each in throws}),
        throws=luck.throws,
        luck=luck.total,
        least=luck.least(),
        most=luck.most(),
        said=luck.said(),
        play=float(sum(play)) if play else None,
        characters=characters,
    )
