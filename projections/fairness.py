"""Whether the fair dice of a table fell as fair dice do, and whether its voids select.

Counted is every die that a fair throw shows, those thrown again inside it and those of voided rolls
too. Dice taken over are no throw; seeded, scripted and typed dice are counted and never tested.

What is tested: every die is fair given all that came before it. To reroll low dice, to throw some
again at once, to stop when one is ahead does not break that: it decides which die is thrown next,
not how it falls. The figures are e-processes (`eprocess`), so they hold however often one looks:
each, taken alone, reaches 100 by luck at one table of a hundred at most. But a table has many, so
the verdict on the whole weighs them by WEIGHTS; all of that is wrong about one honest table of a
hundred at most.

Throws that follow from committed seeds can hardly be biased, only chosen among. For that there are
two more sorts of dice: those of voided rolls, and those of rolls that were kept. What is tested:
whether a roll is voided, and when, comes from elsewhere than its dice (and what is thrown in one
roll does not depend on another that goes on beside it). Then both sorts fall as any dice do. Who
voids rolls for their dice leaves other dice than these in both. It is no proof: a slip may be
noticed sooner in a roll that hurts, and a roll that its dice keep going is exposed for longer. How
often a table voids is shown, not tested: no law says how often people err.
"""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeAlias

from ..errors import Damaged
from ..events.base import EventBase, Face
from ..events.codec import RecordedEvent
from ..events.roll import DiceRerolled, DiceRolled, RollDeclared, RollResolved, RollVoided
from ..events.table import ReadingSet, TableOpened
from ..rules import ruleset_named
from .eprocess import Null, Nulls, Sort
from .figures import Figures, SeatPart, log10_of, p_of, part_of, verdict_of
from .handlers import row
from .tables import Rulesets, fold

WEIGHTS: Mapping[str, float] = {"thrown": 0.25, "kept": 0.25, "voided": 0.25, "seats": 0.25}
"""How much each question counts in the verdict on the whole, 1 in all.

The seat that was the j-th to throw has 1/(j(j+1)) of the seats' part: nobody knows how many there
will be. That one figure's largest E times its weight reaches 100 has a chance of a hundredth of
that weight at most; so for all of them it is at most a hundredth, whatever they share.
"""

LATER = 10
"""Dice are kept when this many later rolls have thrown and their roll is not voided by then.

So the order of the kept dice does not depend on how soon each roll was over.
"""

REMEMBERED = 1_000
"""How many rolls later a void still finds a roll's dice: a long log needs no more memory."""


class _Seat:
    """What one seat has thrown so far, and what became of the rolls it threw in."""

    def __init__(self, nulls: Mapping[str, Null]) -> None:
        self.dice = Sort(nulls)
        self.rolls = self.voided = self.unresolved = 0


class _Roll:
    """A roll that may still be voided: its fair dice so far, and who threw them."""

    def __init__(self) -> None:
        self.dice: Counter[tuple[str, Face]] = Counter()
        self.seats: set[str] = set()
        self.resolved = False


class Tally:
    """The figures of one table while its records pass by, in order; withheld ones are left out.

    It keeps counts, and the dice of the last REMEMBERED rolls, however long the log is.
    """

    def __init__(self, rulesets: Rulesets = ruleset_named) -> None:
        self._rulesets = rulesets
        self._opened = False
        self._nulls = Nulls()  # its faces are set when the table is opened; the sorts share it
        self._thrown, self._kept, self._voided = (Sort(self._nulls) for _ in range(3))
        self._seats: dict[str, _Seat] = {}
        self._rolls: dict[int, _Roll] = {}
        self._waiting: deque[int] = deque()
        self._declared: dict[int, str] = {}
        self._begun = self._voids = self._withdrawn = self._strange = 0
        self._untested: Counter[str] = Counter()
        self._changed: set[str] = set()

    def take(self, record: RecordedEvent) -> None:
        """Count an entry's dice, or note what became of its roll; most entries change nothing.

        Raises Damaged where the first does not open the table, or another does; whatever `rulesets`
        raises for a system that is not installed.
        """
        if self._opened == isinstance(record.event, TableOpened):
            raise Damaged("a table is opened once, by its first entry", seq=record.seq)
        handler = self._HANDLERS.get(type(record.event))
        if handler is not None:
            handler(self, record.event, record)

    def points(self) -> dict[tuple[str, str | None], tuple[int, float]]:
        """How many dice, and log10 of E now: a point of each curve that is worth drawing.

        These are ("thrown", kind) for each kind, ("voided", None) and ("kept", None).
        """
        found: dict[tuple[str, str | None], tuple[int, float]] = {
            ("thrown", kind): (process.dice, log10_of(process.now))
            for kind, process in self._thrown.kinds.items()
        }
        for name, sort in (("voided", self._voided), ("kept", self._kept)):
            if sort.dice:
                found[name, None] = (sort.dice, log10_of(sort.now))
        return found

    def figures(self) -> Figures:
        """The figures of everything so far."""
        thrown, weighed = part_of(self._thrown), self._weighed()
        strongest = max(weighed, key=lambda name: weighed[name])
        most = max(0.0, weighed[strongest])
        return Figures(
            dice=thrown.together.dice,
            verdict=verdict_of(most),
            p=p_of(most),
            most=most,
            strongest=strongest,
            thrown=thrown,
            kept=part_of(self._kept),
            voided=part_of(self._voided),
            seats=tuple(
                SeatPart(id, part_of(seat.dice), seat.rolls, seat.voided, seat.unresolved)
                for id, seat in self._seats.items()
            ),
            rolls=self._begun,
            voids=self._voids,
            withdrawn=self._withdrawn,
            untested=dict(self._untested),
            strange=self._strange,
        )

    def _weighed(self) -> dict[str, float]:
        """Log10 of the largest E of every sort of dice, times its weight."""
        sorts = {"thrown": self._thrown, "kept": self._kept, "voided": self._voided}
        found = {name: (sort.most, WEIGHTS[name]) for name, sort in sorts.items()}
        for place, (id, seat) in enumerate(self._seats.items(), 1):
            found[f"seat:{id}"] = (seat.dice.most, WEIGHTS["seats"] / (place * (place + 1)))
        return {name: log10_of(most) + math.log10(weight) for name, (most, weight) in found.items()}

    def _open(self, event: TableOpened, record: RecordedEvent) -> None:
        self._nulls.faces = fold(None, record, self._rulesets).game.faces
        self._opened = True

    def _read(self, event: ReadingSet, record: RecordedEvent) -> None:
        """Dice that show other faces from here on are not tested: each roll has its own."""
        self._changed |= event.faces.keys()

    def _declare(self, event: RollDeclared, record: RecordedEvent) -> None:
        if len(self._declared) >= REMEMBERED:
            del self._declared[next(iter(self._declared))]
        self._declared[event.roll] = event.by

    def _throw(self, event: DiceRolled | DiceRerolled, record: RecordedEvent) -> None:
        self._declared.pop(event.roll, None)
        if event.proof is None:  # taken over, or a throw of no dice
            return
        if event.proof.source != "fair":
            self._untested[event.proof.source] += len(event.dice)
            return
        fallen = Counter(
            (die.kind, die.face) for die in event.dice if die.kind not in self._changed
        )
        if other := len(event.dice) - fallen.total():
            self._untested["changed"] += other
        for kind, face in list(fallen):
            if kind not in self._nulls or face not in self._nulls[kind].places:
                self._strange += fallen.pop((kind, face))
        if not fallen:
            return
        if event.by not in self._seats:
            self._seats[event.by] = _Seat(self._nulls)
        seat, roll = self._seats[event.by], self._rolls.get(event.roll) or self._begin(event.roll)
        self._thrown.take(fallen)
        seat.dice.take(fallen)
        seat.rolls += event.by not in roll.seats
        roll.seats.add(event.by)
        roll.dice.update(fallen)

    def _begin(self, number: int) -> _Roll:
        """A roll about to throw its first fair dice; what became of one LATER rolls ago is read."""
        self._begun += 1
        self._waiting.append(number)
        if len(self._waiting) > LATER:
            self._keep(self._rolls.get(self._waiting.popleft()))
        if len(self._rolls) >= REMEMBERED:
            del self._rolls[next(iter(self._rolls))]
        return self._rolls.setdefault(number, _Roll())

    def _keep(self, roll: _Roll | None) -> None:
        if roll is None:  # it was voided
            return
        self._kept.take(roll.dice)
        for seat in roll.seats:
            self._seats[seat].unresolved += not roll.resolved

    def _resolve(self, event: RollResolved, record: RecordedEvent) -> None:
        roll = self._rolls.get(event.roll)
        if roll is not None:
            roll.resolved = True

    def _void(self, event: RollVoided, record: RecordedEvent) -> None:
        self._withdrawn += self._declared.pop(event.roll, None) == event.by
        roll = self._rolls.pop(event.roll, None)
        if roll is None:  # nothing fair was thrown in it
            return
        self._voided.take(roll.dice)
        self._voids += 1
        for seat in roll.seats:
            self._seats[seat].voided += 1

    _HANDLERS: ClassVar[Mapping[type[EventBase], "Handler"]] = dict(
        [
            row(TableOpened, _open),
            row(ReadingSet, _read),
            row(RollDeclared, _declare),
            row(DiceRolled, _throw),
            row(DiceRerolled, _throw),
            row(RollResolved, _resolve),
            row(RollVoided, _void),
        ]
    )


Handler: TypeAlias = Callable[[Tally, Any, RecordedEvent], None]


def figures_of(records: Iterable[RecordedEvent], rulesets: Rulesets = ruleset_named) -> Figures:
    """The figures of a whole log, or of what of it may be seen. Raises as `Tally.take` does."""
    tally = Tally(rulesets)
    for record in records:
        tally.take(record)
    return tally.figures()
