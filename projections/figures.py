"""Fairness figures: how far some dice are from fair ones, and how many dice were counted."""

import math
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from ..events.base import Face
from .eprocess import Process, Sort

LOOK, ALARM = 100, 10_000
"""The E from which people should look closer, and from which to raise the alarm."""

Verdict: TypeAlias = Literal["fine", "look closer", "alarm"]

SORTS: Mapping[str, str] = {
    "thrown": "fair dice of all throws",
    "kept": "dice of rolls that were kept",
    "voided": "dice of voided rolls",
}
"""What each sort of dice is called."""


class Fall(Struct, frozen=True):
    """How often a face fell, and how often fair dice let it fall on average."""

    face: Face
    count: int
    expected: float


class Figure(Struct, frozen=True):
    """One e-process: of a kind of die, or of all kinds together (`kind` None, no `faces`).

    `now` and `most` are log10 of E, now and when it was largest; the largest is what counts. `p` is
    min(1, 1/largest), valid however often it was looked at. `dice` is how many were counted.
    """

    kind: str | None
    dice: int
    now: float
    most: float
    p: float
    verdict: Verdict
    faces: tuple[Fall, ...] = ()


class Part(Struct, frozen=True):
    """One sort of dice: all kinds together, and each kind thrown, in the system's order."""

    together: Figure
    kinds: tuple[Figure, ...]


class SeatPart(Struct, frozen=True):
    """What a seat threw, and in how many rolls; how many of these were voided, or left unresolved.

    Left unresolved is what was neither resolved nor voided when ten later rolls had thrown.
    """

    seat: str
    part: Part
    rolls: int
    voided: int
    unresolved: int


class Figures(Struct, frozen=True):
    """A table's fairness figures. Of `thrown`, all fair dice, the kinds are what to look at first.

    `verdict`, `p` and `most` (log10, at least 0) are those of all sorts of dice together, weighted;
    `strongest` names the one that decided: `thrown`, `kept`, `voided` or `seat:ID`. `rolls` counts
    those with fair dice, `voids` those of them that were voided; `withdrawn` counts the rolls whose
    roller took them back before anything was thrown. `untested` counts the dice that
    are not fair by their source, `strange` fair ones that show what no such die has.
    """

    dice: int
    verdict: Verdict
    p: float
    most: float
    strongest: str
    thrown: Part
    kept: Part
    voided: Part
    seats: tuple[SeatPart, ...]
    rolls: int
    voids: int
    withdrawn: int
    untested: Mapping[str, int]
    strange: int


def part_of(sort: Sort) -> Part:
    """The figures of one sort of dice as of now."""
    kinds = tuple(_figure(kind, sort.kinds[kind]) for kind in sort.nulls if kind in sort.kinds)
    return Part(_stated(None, sort.dice, sort.now, sort.most), kinds)


def _figure(kind: str, process: Process) -> Figure:
    faces = (
        Fall(face, process.counts[place], process.dice * process.null.chances[place])
        for face, place in process.null.places.items()
    )
    return _stated(kind, process.dice, process.now, process.most, faces)


def _stated(
    kind: str | None, dice: int, now: float, most: float, faces: Iterable[Fall] = ()
) -> Figure:
    largest = log10_of(most)
    return Figure(
        kind=kind,
        dice=dice,
        now=log10_of(now),
        most=largest,
        p=p_of(largest),
        verdict=verdict_of(largest),
        faces=tuple(faces),
    )


def log10_of(log: float) -> float:
    """A natural logarithm as one to base 10."""
    return log / math.log(10)


def p_of(most: float) -> float:
    """The p of a figure with a log10 of at most `most`."""
    return min(1.0, math.pow(10, -most))


def verdict_of(most: float) -> Verdict:
    """The verdict on a figure with a log10 of at most `most`."""
    if most < math.log10(LOOK):
        return "fine"
    return "look closer" if most < math.log10(ALARM) else "alarm"


def in_words(figures: Figures) -> str:
    """The figures in one or two sentences for people."""
    if not figures.dice:
        return f"No fair dice, so there is nothing to test{_set_aside(figures)}."
    counted = f"{figures.dice:,} fair {'die' if figures.dice == 1 else 'dice'}"
    if figures.verdict == "fine":
        return f"{counted}: nothing unusual (p = {chance(figures.p)}){_set_aside(figures)}."
    about = sort_named(figures.strongest)
    return (
        f"{counted}: {figures.verdict}{_set_aside(figures)}. "
        f"By luck the {about} come this far at one table in {tables(figures.most)} at most."
    )


def sort_named(name: str) -> str:
    """A sort of dice in words, by the name that the figures give it."""
    return SORTS.get(name) or f"dice of seat {name.removeprefix('seat:')}"


def _set_aside(figures: Figures) -> str:
    """What was not tested, and what cannot be."""
    parts = [f"; {count:,} {source} dice are not tested" for source, count in untested(figures)]
    if figures.strange:
        parts.append(f"; {figures.strange:,} show what no such die has, so the log is not sound")
    return "".join(parts)


def untested(figures: Figures) -> list[tuple[str, int]]:
    """The dice that are not fair by their source, by its name."""
    return sorted(figures.untested.items())


def tables(log: float) -> str:
    """One table in how many, given its log10, to two digits that count."""
    return f"{float(f'{10**log:.1e}'):,.0f}" if log < 15 else f"10^{log:.0f}"  # noqa: PLR2004


def chance(p: float) -> str:
    """A p with two digits that count."""
    return f"{p:.2g}"
