"""Fairness figures are put in words and numbers that people can read."""

from io import StringIO
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from urim.engine.render.fairness import grown, plot_of
from urim.engine.render.text import Pen
from urim.projections.figures import Fall, Figure, Figures, Part, chance, in_words, tables

NOTHING = Part(Figure(None, 0, 0.0, 0.0, 1.0, "fine"), ())
FIGURES = Figures(
    dice=240,
    verdict="fine",
    p=0.311,
    most=0.5,
    strongest="thrown",
    thrown=NOTHING,
    kept=NOTHING,
    voided=NOTHING,
    seats=(),
    rolls=30,
    voids=0,
    withdrawn=0,
    untested={},
    strange=0,
)
FINE = "240 fair dice: nothing unusual (p = 0.31)"
FAR = "come this far at one table in"
SENTENCES = {
    "fine": ({}, f"{FINE}."),
    "one die": ({"dice": 1, "p": 1.0}, "1 fair die: nothing unusual (p = 1)."),
    "others": (
        {"untested": {"scripted": 1_200, "manual": 3}},
        f"{FINE}; 3 manual dice are not tested; 1,200 scripted dice are not tested.",
    ),
    "strange": (
        {"strange": 2},
        f"{FINE}; 2 show what no such die has, so the log is not sound.",
    ),
    "a seat": (
        {"verdict": "look closer", "most": 2.5, "strongest": "seat:p-1"},
        f"240 fair dice: look closer. By luck the dice of seat p-1 {FAR} 320 at most.",
    ),
    "all dice": (
        {"verdict": "alarm", "most": 400.0, "strongest": "thrown"},
        f"240 fair dice: alarm. By luck the fair dice of all throws {FAR} 10^400 at most.",
    ),
    "nothing": ({"dice": 0}, "No fair dice, so there is nothing to test."),
}


@pytest.mark.parametrize(("changed", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_the_figures_are_put_in_a_sentence(changed: dict[str, Any], sentence: str) -> None:
    assert in_words(replace(FIGURES, **changed)) == sentence


@pytest.mark.parametrize(
    ("log", "shown"),
    [(-9.26, "10^-9.3"), (-2, "0.01"), (0, "1.00"), (1.5, "31.62"), (4, "10,000"), (6, "10^6.0")],
)
def test_a_stake_is_written_as_people_write_numbers(log: float, shown: str) -> None:
    assert grown(log) == shown


@pytest.mark.parametrize(
    ("log", "shown"), [(2, "100"), (4.567, "37,000"), (8.7, "500,000,000"), (300, "10^300")]
)
def test_one_table_in_how_many_is_told_to_two_digits(log: float, shown: str) -> None:
    assert tables(log) == shown


@pytest.mark.parametrize(("p", "shown"), [(1.0, "1"), (0.312, "0.31"), (2.71e-05, "2.7e-05")])
def test_a_p_is_told_to_two_digits(p: float, shown: str) -> None:
    assert chance(p) == shown


@pytest.mark.parametrize("pen", [Pen("utf-8"), Pen("ascii")])
def test_bars_show_what_is_missing_and_what_is_too_much(pen: Pen) -> None:
    falls = (Fall(1, 16, 8.0), Fall(2, 4, 8.0), Fall("*", 8, 12.0))
    figure = Figure("d6", 28, 0.0, 0.0, 1.0, "fine", falls)
    console = Console(file=StringIO(), width=60)
    with console.capture() as shown:
        console.print(plot_of(figure, pen))
    full, empty = ("■", "□") if pen.unicode else ("#", "_")
    assert [line.rstrip() for line in shown.get().splitlines()] == [
        "",
        "d6  28 dice",
        f"1 {full * 8}{'+' * 8} 16  8.0",
        f"2 {full * 4}{empty * 4}{' ' * 8}  4  8.0",
        f"* {full * 8}{empty * 4}{' ' * 4}  8 12.0",
    ]
