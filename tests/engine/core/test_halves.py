"""A sheet holds halves where the system has them, and no other fraction anywhere."""

from typing import Any

import pytest

from urim import Table
from urim.engine.core.commands import EnterCharacter
from urim.engine.core.limits import NARRATOR
from urim.engine.core.parse import body_of, read_command
from urim.engine.scenario.write import scenario_of
from urim.errors import Refused
from urim.projections.history import history
from urim.rules.age_of_magic import RULESET


def cogan(system: str = "age_of_magic", **attributes: float) -> Any:
    return Table(system, dice="scripted").character("Cogan", attributes=attributes)


def test_a_half_is_on_the_sheet_in_the_log_and_in_the_history() -> None:
    hero = cogan(Brawling=7.5, Fists=-0.5, ST=3)
    assert hero.sheet.attributes == {"Brawling": 7.5, "Fists": -0.5, "ST": 3}
    (payload,) = (
        entry.payload for entry in hero.table.entries if b"character-entered" in entry.payload
    )
    assert b'"attributes":{"Brawling":7.5,"Fists":-0.5,"ST":3}' in payload
    lines = history(hero.table.state, hero.table.aggregate.records)
    assert any(" 7½, " in line.text and " -½, " in line.text for line in lines)


def test_a_half_survives_the_export_as_a_scenario() -> None:
    exported = scenario_of(cogan(Brawling=7.5, ST=3).table.entries)
    (character,) = exported["character"]
    assert character["attributes"] == {"Brawling": 7.5, "ST": 3}


def test_a_body_has_a_half_in_one_form() -> None:
    wish = EnterCharacter("c1", "p1", {"Brawling": 7.5, "ST": 3.0})
    body = body_of(wish)
    assert b'"Brawling":7.5,"ST":3}' in body
    assert read_command(body) == wish
    with pytest.raises(Refused, match=r"attributes\.ST: .*whole, and has a fraction"):
        read_command(body.replace(b'"ST":3', b'"ST":3.0'))
    with pytest.raises(Refused, match=r"attributes\.Brawling: .*exponent"):
        read_command(body.replace(b"7.5", b"75e-1"))


@pytest.mark.parametrize("rating", [7.25, 0.1, -0.75, 7.5000001])
def test_any_other_fraction_is_refused_by_name(rating: float) -> None:
    with pytest.raises(Refused, match=f"Brawling = {rating} is not in steps of ½") as refused:
        cogan(Brawling=rating)
    assert refused.value.code == "malformed"


def test_what_would_be_allowed_is_said() -> None:
    with pytest.raises(Refused) as refused:
        cogan(Brawling=7.25)
    assert tuple(refused.value.allowed) == ("7", "7.5", "8")


@pytest.mark.parametrize("system", ["milhamah", "sagatafl", "majesty", "scarterra"])
def test_a_system_without_halves_refuses_them(system: str) -> None:
    with pytest.raises(Refused, match=r"Luck = 7\.5 is not in steps of 1"):
        cogan(system, Luck=7.5)
    assert cogan(system, Luck=7).sheet.whole("Luck") == 7


def test_a_rating_that_is_no_number_or_too_large_is_refused() -> None:
    for rating in ("true", '"7"', "1000000.5", "NaN"):
        body = b'{"do":"enter/1","character":"c1","seat":"p1","attributes":{"ST":%s}}'
        with pytest.raises(Refused):
            read_command(body % rating.encode())


def test_the_narrator_enters_halves_too() -> None:
    table = Table("age_of_magic", dice="scripted")
    table.submit(NARRATOR, EnterCharacter("c1", NARRATOR, {"ST": 0.5}))
    assert table.state.sheet("c1").attributes["ST"] == 0.5
    assert RULESET.halves
