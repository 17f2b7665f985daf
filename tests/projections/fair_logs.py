"""Logs of throws for the fairness tests: what the fold reads and no more, as fast as can be."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from msgspec.structs import replace

from tests.engine.helpers.pips import PIPS
from urim.events import roll as rolled
from urim.events.base import Face, Thrown
from urim.events.codec import Event, RecordedEvent
from urim.events.table import TableOpened
from urim.projections.eprocess import Null, Process
from urim.projections.fairness import Tally
from urim.projections.figures import Figures
from urim.rules.ruleset import Ruleset

D6: tuple[Face, ...] = (1, 2, 3, 4, 5, 6)
ODD: tuple[Face, ...] = ("a", "b", "*", "*")
"""A die with one face twice."""

SYSTEM: Mapping[str, tuple[Face, ...]] = {"d6": D6, "odd": ODD}


def rulesets(faces: Mapping[str, tuple[Face, ...]] = SYSTEM) -> Ruleset:
    """A system with these dice."""
    return replace(PIPS, faces=lambda options: faces)


def by_chance(*words: object) -> Random:
    """Chance that is the same for the same words."""
    return Random(repr(words))  # noqa: S311 - what is simulated need not be a secret


def log_e(null: Null, counts: Sequence[int]) -> float:
    """Log E of these counts, in the order of the null's faces, as one throw."""
    process = Process(null)
    process.take(zip(null.places, counts, strict=True))
    return process.now


class Played:
    """A tally with a table opened, to which events are added one by one."""

    def __init__(self, faces: Mapping[str, tuple[Face, ...]] = SYSTEM) -> None:
        self.tally = Tally(lambda name: rulesets(faces))
        self.seq = 0
        self.add(TableOpened("host", "fixture0", "pips", 1, {}, "fair", "server", 1))

    @property
    def figures(self) -> Figures:
        """The figures so far."""
        return self.tally.figures()

    def add(self, event: Event) -> None:
        """One more entry."""
        self.tally.take(RecordedEvent(self.seq, 0, bytes(32), event))
        self.seq += 1

    def throw(
        self,
        roll: int,
        faces: Iterable[Face],
        seat: str = "p1",
        kind: str = "d6",
        proof: rolled.Proof | None = rolled.Proof(0, "fair"),  # noqa: B008 - frozen
    ) -> None:
        """A throw of dice of one kind."""
        dice = tuple(Thrown(f"d{n}", kind, face) for n, face in enumerate(faces, 1))
        self.add(rolled.DiceRolled(seat, roll, "c1", "main", dice, proof=proof))

    def resolve(self, roll: int) -> None:
        """A roll is over."""
        self.add(rolled.RollResolved("p1", roll, {}))

    def void(self, roll: int) -> None:
        """A roll counts for nothing."""
        self.add(rolled.RollVoided("host", roll))
