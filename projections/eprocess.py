"""Bets against fair dice: a stake that grows on biased ones and, on fair ones, hardly ever does.

An e-process starts at 1 and, while every die is fair given all that came before it, stays there on
average. So it reaches 100 in at most one case of a hundred, however long it runs and however often
one looks (Ville's inequality). For the counts c of the faces of N dice with null probabilities p,

    log E_κ = lgamma(κ) − lgamma(κ+N) + Σ[lgamma(κ p_i + c_i) − lgamma(κ p_i)] − Σ c_i log p_i

is the log likelihood ratio of a Dirichlet mixture around p against p (Lindon & Malek 2022), and E
is the average over CONCENTRATIONS: a small κ finds crude bias early, a large one slight bias late.
So one more die, of a face that fell c times among N, makes E_κ (κ p + c) / (κ + N) / p times as
large: what was predicted over what is fair.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, lgamma, log

from msgspec import Struct

from ..events.base import Face

CONCENTRATIONS = (20, 100, 500, 2500)
"""The κ that E is averaged over."""

PLACES = tuple(enumerate(CONCENTRATIONS))

Counts = Mapping[tuple[str, Face], int]
"""How often each face of each kind of die fell."""


class Null(Struct, frozen=True):
    """What a fair die of one kind does: its distinct faces, by place, and p and 1/p of each.

    A face that is on the die twice has twice the probability.
    """

    places: Mapping[Face, int]
    chances: tuple[float, ...]
    odds: tuple[float, ...]


def null_of(faces: Sequence[Face]) -> Null:
    """The null of a die from its face table, one item a side."""
    distinct = tuple(dict.fromkeys(faces))
    sides = [faces.count(face) for face in distinct]
    places = {face: place for place, face in enumerate(distinct)}
    chances = tuple(count / len(faces) for count in sides)
    return Null(places, chances, tuple(len(faces) / count for count in sides))


class Nulls(Mapping[str, Null]):
    """The null of each kind of die, made when the first of its dice falls: there may be many kinds.

    `faces` is set when the table is opened.
    """

    def __init__(self) -> None:
        self.faces: Mapping[str, tuple[Face, ...]] = {}
        self._made: dict[str, Null] = {}

    def __getitem__(self, kind: str) -> Null:
        if kind not in self._made:
            self._made[kind] = null_of(self.faces[kind])
        return self._made[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in self.faces

    def __iter__(self) -> Iterator[str]:
        return iter(self.faces)

    def __len__(self) -> int:
        return len(self.faces)


def log_mean(logs: Sequence[float]) -> float:
    """The logarithm of the mean of what these are logarithms of, however large that is."""
    most = max(logs)
    total = 0.0
    for each in logs:  # a plain loop: this is where most of a tally's time goes
        total += exp(each - most)
    return most + log(total / len(logs))


def log_together(logs: Sequence[float], kinds: int) -> float:
    """The kinds of one sort of dice in one bet: half of the stake on the product, half on the mean.

    A die moves the E of its own kind alone, so that the product of all is a martingale too; it is
    the strong bet where every kind is biased a little. The mean of martingales always is one; it is
    the strong bet where one kind is biased and the others pull the product down. It is taken over
    all `kinds` that the system has, those not thrown yet at 1, so that no weight depends on the
    dice; `logs` are those of the kinds that were thrown.
    """
    mean = log_mean([*logs, *[0.0] * (kinds - len(logs))])
    return log_mean([sum(logs), mean])


class Process:
    """The e-process of one kind of die: counts by place, log E now, and the most that it ever was.

    It is looked at after every throw, not after every die: fewer looks at the same martingale, so
    the bound holds all the more.
    """

    __slots__ = ("_logs", "counts", "dice", "most", "now", "null")

    def __init__(self, null: Null) -> None:
        self.null = null
        self.counts = [0] * len(null.places)
        self.dice = 0
        self.now = 0.0
        self.most = 0.0
        self._logs = [0.0] * len(CONCENTRATIONS)  # log E_κ

    def take(self, fallen: Iterable[tuple[Face, int]]) -> None:
        """Count the faces of one throw, and look. Raises KeyError for an unknown face."""
        null, logs, dice = self.null, self._logs, self.dice
        for face, count in fallen:
            place = null.places[face]
            seen, odds = self.counts[place], null.odds[place]
            for at, kappa in PLACES:
                has, of = kappa / odds + seen, kappa + dice
                if count == 1:
                    logs[at] += log(has / of * odds)
                else:  # the same, all at once
                    logs[at] += lgamma(has + count) - lgamma(has) + count * log(odds)
                    logs[at] += lgamma(of) - lgamma(of + count)
            self.counts[place] = seen + count
            dice += count
        self.dice = dice
        self.now = log_mean(logs)
        self.most = max(self.most, self.now)


class Sort:
    """One sort of dice (a table's, a seat's, the voided ones): an e-process a kind, and together.

    `nulls` holds every kind that the system has, `kinds` those that were thrown; `now` and `most`
    are log E of all kinds together, on so many `dice`.
    """

    __slots__ = ("dice", "kinds", "most", "now", "nulls")

    def __init__(self, nulls: Mapping[str, Null]) -> None:
        self.nulls = nulls
        self.kinds: dict[str, Process] = {}
        self.dice = 0
        self.now = 0.0
        self.most = 0.0

    def take(self, fallen: Counts) -> None:
        """Count one throw's dice. Raises KeyError for a kind or face unknown to the system."""
        if not fallen:
            return
        by_kind: dict[str, list[tuple[Face, int]]] = {}
        for (kind, face), count in fallen.items():
            by_kind.setdefault(kind, []).append((face, count))
        for kind, faces in by_kind.items():
            process = self.kinds.get(kind) or self.kinds.setdefault(kind, Process(self.nulls[kind]))
            process.take(faces)
        self.dice += sum(fallen.values())
        self.now = log_together([each.now for each in self.kinds.values()], len(self.nulls))
        self.most = max(self.most, self.now)
