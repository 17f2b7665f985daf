"""Settings of a table: set for all, for one roll, taken back, and what a forged one counts for."""

import pytest
from immutables import Map

from tests.engine.helpers.decide_cases import seated
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.projections.settings import LINKS, SETTINGS, fits, in_words, setting_of, value_of


def test_a_roll_goes_by_its_own_setting_and_else_by_the_tables() -> None:
    table = seated()
    steps: list[tuple[str, object, bool, bool]] = [
        ("links", True, True, True),
        ("links", False, False, False),
        ("links", None, False, False),
    ]
    for name, value, of_table, of_roll in steps:
        table.submit(NARRATOR, c.SetTable(name, value))
        settings = table.state.settings
        assert (value_of(settings, LINKS), value_of(settings, LINKS, 1)) == (of_table, of_roll)
    assert table.state.settings == Map()


@pytest.mark.parametrize("own", [True, False])
def test_a_rolls_own_setting_wins_whatever_the_table_says(own: bool) -> None:
    for table in (True, False, None):
        settings = {"links/3": own, "links": table}
        assert value_of(settings, LINKS, 3) is own
        assert value_of(settings, LINKS, 4) is bool(table)


@pytest.mark.parametrize("forged", ["yes", 1, [True], {"a": 1}])
def test_a_forged_value_counts_for_nothing(forged: object) -> None:
    assert value_of({"links": forged, "links/3": forged}, LINKS, 3) is False
    assert in_words("links", forged) is None


@pytest.mark.parametrize(
    "name", ["", "name", "links/", "links/0", "links/07", "links/-1", "links/٣", "links/1/2"]
)
def test_no_other_name_is_a_setting(name: str) -> None:
    assert setting_of(name) is None
    assert in_words(name, value=True) is None


def test_every_setting_says_what_each_of_its_values_means() -> None:
    for name, setting in SETTINGS.items():
        for value in (None, *(each for each in (True, False, 1, 336) if fits(setting, each))):
            assert str(in_words(name, value)).startswith("The rolls of this table ")
    assert str(in_words("links/3", value=True)).startswith("Roll 3 ")
    assert in_words("links/3", value=None) == "Roll 3 goes by the table's links again."
