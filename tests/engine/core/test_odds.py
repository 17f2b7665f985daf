"""The odds of a roll at a table: what they are asked of, and which way is the obvious one."""

import pickle
from collections.abc import Sequence
from typing import Any

import pytest

from urim import Table
from urim.engine.core.commands import SetTable
from urim.engine.core.odds import advised, answer, question
from urim.engine.core.view import view_of
from urim.engine.table import RollHandle
from urim.errors import Refused
from urim.projections import places

FELL = ("א", "ז", "ת", "ע", "ל", "צ", "מ", "ק")
NO_FLIPS = {"none": {"C": -1}}


def thrown(rating: int, fell: Sequence[str] = FELL) -> tuple[Table, RollHandle]:
    """Eight dice of Milhamah, with a letter of the root."""
    table = Table("milhamah", dice="scripted")
    one = table.character("One")
    roll = table.declare(one, root="אשר", rating=rating, status=NO_FLIPS)
    roll.roll(faces=fell)
    return table, roll


@pytest.mark.parametrize(
    ("rating", "fell", "taken"),
    [
        (7, FELL, 7),  # all that counts for nothing
        (3, FELL, 3),  # as many of these as may be thrown
        (5, ("א", "ז", "ת", "ע", "ל", "צ", "ש", "ק"), 5),
        (5, ("א", "ז", "ש", "ע", "ל", "*", "ש", "ת"), 4),
    ],
)
def test_the_obvious_way_keeps_what_counts(rating: int, fell: Sequence[str], taken: int) -> None:
    table, roll = thrown(rating, fell)
    found = answer(question(table.state, roll.state.number), "margin")
    (plain,) = [way for way in found.ways if way.plain]
    assert (plain.trigger, len(plain.taken)) == ("reroll", taken)
    counting = {f"d{at}" for at, face in enumerate(fell, 1) if face in "אשר*"}
    assert not counting & set(plain.taken)
    assert found.worth >= plain.worth


def test_where_all_dice_count_no_way_is_the_obvious_one() -> None:
    table, roll = thrown(5, ("א", "*", "ש", "*", "א", "*", "ש", "ש"))
    found = answer(question(table.state, roll.state.number), "margin")
    assert not any(way.plain for way in found.ways)


def test_a_question_is_whole_and_goes_to_another_process() -> None:
    table, roll = thrown(4)
    asked = question(table.state, roll.state.number)
    there = pickle.loads(pickle.dumps(asked))  # noqa: S301  our own
    assert there == asked
    assert answer(there, "success") == answer(asked, "success")


def test_what_does_not_count_has_no_odds() -> None:
    table, roll = thrown(4)
    roll.void("Too late.")
    with pytest.raises(Refused, match="roll 1 does not count") as refused:
        question(table.state, 1)
    assert refused.value.code == "not-offered"


def test_advice_is_a_narrators_to_allow_of_the_table_or_of_a_roll() -> None:
    table, roll = thrown(4)
    seat = roll.state.seat
    number: int = roll.state.number

    def allowed(**settings: Any) -> bool:
        for name, value in settings.items():
            table.submit(table.narrator, SetTable(name.replace("_", "/"), value))
        try:
            return bool(advised(view_of(table.state, seat), seat, number))
        except Refused as refused:
            return refused.code != "needs-leave"

    assert not allowed()
    assert allowed(advice=True)
    assert not allowed(advice_1=False)
    assert allowed(advice_1=True, advice=False)
    assert not allowed(advice_1=None)


@pytest.mark.parametrize(("value", "opposing", "hostile"), [(3, 4, True), (4, 3, False)])
def test_who_decides_against_the_roller_has_the_least_worth_first(
    value: int, opposing: int, hostile: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table("majesty", dice="scripted")
    roll = table.declare(table.character("One"), kind="check", value=value, opposing=opposing)
    roll.roll(faces=(4, 5, 6, 7, 8, 10, 2))
    asked = question(table.state, roll.state.number)
    found = answer(asked, "margin")
    worths = [way.worth for way in found.ways]
    assert len(set(worths)) > 1
    assert found.against is hostile
    assert worths == sorted(worths, reverse=not hostile)
    assert found.worth == worths[0]
    monkeypatch.setattr(places, "STEPS", 1)  # too much to count: it is played often instead
    estimated = answer(asked, "margin")
    assert (estimated.exact, estimated.against) == (False, hostile)
