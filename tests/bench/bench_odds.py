"""Odds of the five systems: pools beside icepool, and decisions, for which it has no way.

Each is asked for anew: nothing of an answer before is there.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import icepool
from dyce import H

from tests.bench import measure
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.oracles import by_icepool
from urim import Table
from urim.engine.core.odds import Question, answer, question

LEVEL = 1.0
"""icepool may take as long as Urim, and not less."""

HALF = 0.5
"""Urim may take twice as long as dyce for a sum."""

SUMS = (3, 6, 12, 24, 48, 96)
"""Dice that are added up."""

FEW = 5
"""Rounds, at most, of what is only to show how it grows."""

NO_FLIPS = {"none": {"C": -1}}
"""A status without a die to turn."""

FELL = ("א", "ז", "ת", "ע", "ל", "צ", "מ", "ק")
"""Eight dice of red and blue: a letter of the root, and two that would turn to one."""


class Highest(icepool.MultisetEvaluator):  # type: ignore[misc]  # icepool has no types
    """Sagatafl in icepool's own manner: how many dice reach the difficulty, and the highest."""

    def next_state(self, state: Any, order: Any, outcome: int, count: int, /) -> Any:
        """The state once all dice of an outcome are counted."""
        hits, highest = state or (0, 0)
        return hits + count * (outcome >= 8), outcome if count else highest


def sagatafl() -> object:
    """12 dice at 8."""
    return Highest()(icepool.d12.pool(12))


def majesty() -> object:
    """The net of 7d12, each die a sum of its own: positive less negative, and 12s less 1s."""
    faces = {face: ((face >= 9) - (face <= 3), (face == 12) - (face == 1)) for face in range(1, 13)}
    one = icepool.Die([icepool.Vector(each) for each in faces.values()])
    return (7 @ one).map(lambda net, epic: net + max(0, epic))


class Asked(NamedTuple):
    """A roll: its declaration, a reaction, dice that lie already; and icepool's way to its odds."""

    system: str
    wish: Mapping[str, Any]
    peer: Callable[[], object] | None = None
    reaction: Mapping[str, Any] | None = None
    fell: tuple[str, ...] = ()
    few: int = 0  # rounds, at most, of what takes seconds
    stands: bool = False  # the roller is content with what lies


ASKED: Mapping[str, Asked] = {
    "Sagatafl, 12 dice": Asked("sagatafl", {"rating": 12, "rd": 8}, sagatafl),
    "Scarterra, 15 dice": Asked(
        "scarterra", {"dots": 15, "difficulty": 6}, partial(by_icepool.scarterra, 15, 6)
    ),
    "Scarterra, 15 dice against 15": Asked(
        "scarterra",
        {"dots": 15, "difficulty": 6, "opponent": "c2"},
        reaction={"dots": 15, "difficulty": 6},
    ),
    "Allies of Majesty, 7 dice": Asked(
        "majesty", {"kind": "check", "value": 3, "opposing": 3}, majesty
    ),
    "Allies of Majesty, 7 dice, one Adjustment to come": Asked(
        "majesty", {"kind": "check", "value": 4, "opposing": 3}, few=3
    ),
    "Allies of Majesty, 7 dice, four Adjustments to come": Asked(
        "majesty", {"kind": "check", "value": 13, "opposing": 3}, few=3
    ),
    "Age of Magic, the best number of up to 8 dice": Asked(
        "age_of_magic", {"skill": "Any", "characteristic": "Any", "difficulty": 9}
    ),
    "Milhamah, 8 dice lie, 5 to throw again": Asked(
        "milhamah", {"root": "אשר", "rating": 5, "status": NO_FLIPS}, fell=FELL
    ),
    "Milhamah, 8 dice lie, 5 to throw again, one to turn": Asked(
        "milhamah", {"root": "אשר", "rating": 5}, fell=FELL, few=3
    ),
    "Milhamah, the reactor's throw, 5 to throw again": Asked(
        "milhamah",
        {"root": "אשר", "rating": 5, "status": NO_FLIPS, "opponent": "c2"},
        reaction={"root": "שלם", "rating": 5, "status": NO_FLIPS},
        fell=FELL,
        few=3,
        stands=True,
    ),
    "Milhamah, before the throw, 5 to throw again": Asked(
        "milhamah", {"root": "אשר", "rating": 5, "status": NO_FLIPS}, few=3
    ),
}


def asked(which: Asked) -> Question:
    """The question, of a roll at a table that is thrown away."""
    table = Table(which.system, dice="scripted")
    one, two = (table.character(name, attributes={"Any": 8}) for name in ("One", "Two"))
    roll = table.declare(one, **which.wish)
    if which.reaction is not None:
        roll.react(two, **which.reaction)
    if which.fell:
        roll.roll(faces=which.fell)
    if which.stands:
        roll.stand(hand="initiator")
    return question(table.state, roll.state.number)


def rows(size: Size, folder: Path) -> list[Row]:
    """Each roll, for the aim "success"; what takes seconds only where there is time for it."""
    found = _sums(size)
    for name, which in ASKED.items():
        rounds = min(size.starts, which.few or size.starts)
        if which.few and size.starts == 1:
            continue
        ways: dict[str, measure.Way] = {
            "Urim": partial(timed, partial(answer, asked(which), "success"))
        }
        if which.peer is not None:
            ways["icepool"] = partial(timed, which.peer)
        taken = measure.in_turn(ways, rounds)
        found += measure.rows(f"Odds: {name}", "question", 1, taken, aims={"icepool": LEVEL})
    return found


def _sums(size: Size) -> list[Row]:
    """Sums of more and more dice, beside dyce."""
    found: list[Row] = []
    took: dict[int, list[float]] = {}
    for dice in SUMS[:2] if size.starts == 1 else SUMS:
        which = asked(Asked("plain", {"expression": f"{dice}d6"}))
        ways: dict[str, measure.Way] = {
            "Urim": partial(timed, partial(answer, which, "margin")),
            "dyce": partial(timed, partial(sum_by_dyce, dice)),
        }
        taken = measure.in_turn(ways, min(size.starts, FEW))
        took[dice] = taken["Urim"]
        more = {"Urim": measure.as_power(took, "dice")} if len(took) > 1 else {}
        group = f"Odds: the sum of {dice} d6"
        found += measure.rows(group, "question", 1, taken, aims={"dyce": HALF}, more=more)
    return found


def sum_by_dyce(dice: int) -> object:
    """The same in dyce."""
    return dice @ H(6)


def test_odds(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
