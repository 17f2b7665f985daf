"""Times of several ways to do the same, taken in turn, so that a busy moment hits them all alike.

Each round runs every way once, in another order; what is compared is compared within its round.
"""

import gc
import math
import os
import statistics
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct

MILLION = 1_000_000

Way: TypeAlias = Callable[[], float]
"""Does the work once and gives the seconds it took, preparations left out."""


class Size(Struct, frozen=True, kw_only=True):
    """How much is measured: how often, and how much of it at a time."""

    rounds: int
    rolls: int
    rolls_alone: int
    rolls_each: int
    tables: int
    openings: tuple[int, ...]
    starts: int
    evening: int
    followed: tuple[int, int]
    ages: tuple[int, ...]
    played: tuple[int, int]
    snapshots: tuple[int, int]
    many: tuple[int, int]
    postgres: tuple[int, ...]


OPENINGS = (100, 10_000, MILLION)
LONG = int(os.environ.get("URIM_COUNT", "0")) >= MILLION

FULL = Size(
    rounds=15,
    rolls=200,
    rolls_alone=16,
    rolls_each=2,
    tables=64,
    openings=OPENINGS if LONG else OPENINGS[:2],
    starts=15,
    evening=1_000,
    followed=(400, 40),
    ages=tuple(20_000 >> times for times in range(6)),
    played=(400, 50),
    snapshots=(MILLION if LONG else 100_000, 10_000),
    many=(300, 5_000),
    postgres=(1, 8, 64, 512),
)
"""What `make bench` measures; with URIM_COUNT=1000000 a table of a million entries too."""

TINY = Size(
    rounds=1,
    rolls=2,
    rolls_alone=1,
    rolls_each=1,
    tables=3,
    openings=(30,),
    starts=1,
    evening=60,
    followed=(4, 2),
    ages=(120, 60),
    played=(10, 2),
    snapshots=(460, 420),
    many=(3, 420),
    postgres=(3,),
)
"""Enough to see that it still runs."""


class Row(Struct, frozen=True, kw_only=True):
    """One way, measured: seconds per unit in each round, and its time as a multiple of Urim's.

    `count` is how many units each round did. `aim` is the least that `ratios` should come to; it
    is reported, never asserted. With `bytes`, `each` is bytes and not seconds. `more` is anything
    else worth saying.
    """

    group: str
    what: str
    unit: str
    count: int
    each: tuple[float, ...]
    ratios: tuple[float, ...] = ()
    aim: float | None = None
    bytes: bool = False
    more: str = ""


def timed(work: Callable[[], object]) -> float:
    """The processor's seconds that some work takes, after what lies about was swept up.

    For work that waits for nothing: what else the machine does in the meantime is left out.
    """
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


Name = TypeVar("Name", bound=Hashable)


def in_turn(ways: Mapping[Name, Way], rounds: int) -> dict[Name, list[float]]:
    """The seconds of each way, round by round.

    Where there is more than one round, one before them does not count. What was there before is
    left out of every collection of garbage: it is no way's.
    """
    taken: dict[Name, list[float]] = {name: [] for name in ways}
    names = list(ways)
    frozen = gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    try:
        for turn in range(1 if rounds == 1 else 0, rounds + 1):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                seconds = ways[name]()
                if turn:
                    taken[name].append(seconds)
    finally:
        if not frozen:  # else it would come back into the collections of every later test
            gc.unfreeze()
    return taken


def rows(
    group: str,
    unit: str,
    count: int,
    taken: Mapping[str, Sequence[float]],
    *,
    aims: Mapping[str, float] | None = None,
    more: Mapping[str, str] | None = None,
) -> list[Row]:
    """A row for each way; the first is Urim's, and the others' times are multiples of its."""
    own = next(iter(taken.values()))
    return [
        Row(
            group=group,
            what=what,
            unit=unit,
            count=count,
            each=tuple(second / count for second in seconds),
            ratios=() if seconds is own else _multiples(seconds, own),
            aim=(aims or {}).get(what),
            more=(more or {}).get(what, ""),
        )
        for what, seconds in taken.items()
    ]


def limited(value: float, most: float, said: str) -> str:
    """A limit in words, and whether a value is within it."""
    return f"{said}: {'met' if value <= most else 'missed'}"


def as_power(taken: Mapping[int, Sequence[float]], of: str) -> str:
    """As which power of its size the median time grew, by least squares of the logarithms."""
    times = [math.log(middle(seconds)) for seconds in taken.values()]
    slope, _ = statistics.linear_regression([math.log(size) for size in taken], times)
    return f"grew with power {slope:.2f} of the {of}"


def _multiples(seconds: Sequence[float], own: Sequence[float]) -> tuple[float, ...]:
    return tuple(theirs / ours for theirs, ours in zip(seconds, own, strict=True))


def middle(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)
