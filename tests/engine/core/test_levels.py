"""A roll's level is its table's or a higher one; narrators' and hidden rolls take the highest."""

import pytest

from tests.engine.helpers.stage import ROOT, code_of, fight
from urim.engine.core import commands as c
from urim.engine.core.declare import RISING_LEVELS
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.base import Level, Visibility

WISH = {"root": ROOT, "rating": 4}


def level_of(table: Table, seat: str = "p1", character: str = "c1", **fields: object) -> Level:
    """The level of a roll that a seat declares."""
    command = c.Declare(character, WISH, **fields)  # type: ignore[arg-type]  # right in each test
    table.submit(seat, command)
    return table.state.rolls[len(table.state.rolls)].level


def narrators(dice: str = "fair", *, level: Level = "player") -> Table:
    """A table at which the narrator acts for the toad, c2."""
    table, *_ = fight(dice, level=level)
    table.submit(NARRATOR, c.GiveCharacter("c2", NARRATOR))
    return table


@pytest.mark.parametrize("asked", RISING_LEVELS)
@pytest.mark.parametrize("level", RISING_LEVELS)
def test_a_level_may_be_raised_and_is_never_lowered(level: Level, asked: Level) -> None:
    table, *_ = fight("fair", level=level)
    if RISING_LEVELS.index(asked) >= RISING_LEVELS.index(level):
        assert level_of(table, level=asked) == asked
        return
    with pytest.raises(Refused) as refused:
        level_of(table, level=asked)
    assert (refused.value.code, not table.state.rolls) == ("out-of-range", True)
    assert refused.value.allowed == RISING_LEVELS[RISING_LEVELS.index(level) :]


def test_a_narrator_lowers_it_no_more_than_anybody() -> None:
    table = narrators(level="table")
    command = c.Declare("c2", WISH, level="player")
    assert code_of(table.submit, NARRATOR, command) == "out-of-range"


@pytest.mark.parametrize("level", RISING_LEVELS)
def test_who_says_nothing_takes_the_tables(level: Level) -> None:
    table, *_ = fight("fair", level=level)
    assert level_of(table) == level


def test_a_narrators_throw_is_watched_by_whoever_is_at_the_table() -> None:
    table = narrators()
    assert level_of(table, NARRATOR, "c2") == "table"
    for seat in ("p1", "p2"):
        table.submit(seat, c.LeaveSeat(seat))
    assert level_of(table, NARRATOR, "c2") == "player"


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_so_is_a_hidden_one(visibility: Visibility) -> None:
    table, *_ = fight("fair")
    assert level_of(table, visibility=visibility) == "table"


def test_who_names_a_level_is_taken_at_his_word() -> None:
    table = narrators()
    assert level_of(table, NARRATOR, "c2", level="player") == "player"


@pytest.mark.parametrize("dice", ["seeded:7", "scripted", "manual"])
def test_dice_that_are_not_fair_have_nothing_to_watch(dice: str) -> None:
    table = narrators(dice)
    assert level_of(table, NARRATOR, "c2", visibility="gm") == "player"
