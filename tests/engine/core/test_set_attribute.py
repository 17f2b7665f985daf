"""A rating that a narrator sets holds from there on; what was before keeps the one it had."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from tests import tree
from tests.engine.helpers import pips
from tests.engine.helpers.audited import judged, loud
from tests.engine.helpers.pips import PIPS
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.scenario import parse_scenario, play, read_scenario
from urim.engine.scenario.export import scenario_text
from urim.engine.table import RollHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Damaged, Refused
from urim.events.base import Effect
from urim.events.codec import RecordedEvent
from urim.events.log.memory import MemoryLog
from urim.events.table import AttributeSet
from urim.projections.health import health
from urim.projections.history import history
from urim.projections.isolates import FSI, PDI
from urim.projections.tables import fold
from urim.rules.ruleset import Damage, Offer, Roll, Sheet, Sheets


def settle(options: Any, declaration: Any, sheet: Sheet, link: str | None) -> Any:
    """A declaration of Pips costs as much breath as the character is greedy."""
    settled, _ = pips.settle(options, declaration, sheet, link)
    return settled, _price(sheet)


def answer(roll: Roll, reaction: Any, sheet: Sheet) -> Any:
    """So does a reaction."""
    return reaction, _price(sheet)


def _price(sheet: Sheet) -> tuple[Effect, ...]:
    greed = sheet.whole("greed")
    return (Effect(sheet.character, "breath", -greed),) if greed else ()


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The offers of Pips, with as many dice to reroll as the roller's reach."""
    reach = sheet(roll.character).attributes.get("reach", 1)
    return tuple(
        replace(offer, most=reach, extra=0, extra_cost=("", 0))
        if offer.trigger == "reroll"
        else offer
        for offer in pips.offers(roll, sheet)
    )


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """A blow hurts as much as its margin, less the victim's toughness."""
    assert roll.outcome is not None
    victim = sheet(roll.declaration.victim)
    amount = max(0, roll.outcome.margin - victim.whole("tough"))
    return Damage(victim.character, amount, {}, (), (Effect(victim.character, "hurt", amount),))


TOUGH = replace(PIPS, settle=settle, answer=answer, offers=offers, damage=damage)


def table_of() -> FixtureTable:
    """A table with Ann, c1, whose skill is 2, and Bert, c2."""
    table = FixtureTable(TOUGH)
    table.character("Ann", attributes={"skill": 2, "reach": 2})
    table.character("Bert")
    return table


def set_rating(table: Table, who: str, name: str, value: int) -> None:
    """A narrator sets a rating."""
    table.submit(NARRATOR, c.SetAttribute(who, name, value))


def thrown(table: Table, *faces: int, **declared: Any) -> RollHandle:
    """A roll of Ann's, thrown; Bert answers where he helps."""
    table.submit("p1", c.Declare("c1", {"dice": len(faces), **declared}))
    roll = RollHandle(table, len(table.state.rolls))
    if "helper" in declared:
        roll.react(dice=1)
    roll.roll(option=len(faces), faces=faces)
    return roll


def blow(table: Table, *faces: int) -> RollHandle:
    """A blow of Ann's against Bert, target 1, its damage applied."""
    roll = thrown(table, *faces, victim="c2", target=1)
    roll.resolve()
    roll.apply_damage()
    return roll


def quiet(table: Table) -> bool:
    """Whether an audit of the rules finds nothing."""
    return not loud(judged(table.entries, rulesets=lambda name: TOUGH))


def test_later_rolls_are_settled_on_the_new_rating_and_earlier_ones_keep_theirs() -> None:
    table = table_of()
    first = thrown(table, 3)
    set_rating(table, "c1", "skill", 5)
    second = thrown(table, 3)
    assert first.state.roll.declaration.skill == 2
    assert second.state.roll.declaration.skill == 5
    assert table.state.sheet("c1").attributes == {"skill": 5, "reach": 2}
    assert quiet(table)


def test_a_sheet_before_an_entry_has_the_ratings_of_then() -> None:
    table = table_of()
    before = table.state.size
    set_rating(table, "c1", "skill", 5)
    set_rating(table, "c1", "luck", 1)
    set_rating(table, "c1", "skill", 6)
    known = table.state.characters["c1"]
    found = [dict(known.attributes_before(before + seq)) for seq in range(4)]
    assert found == [
        {"skill": 2, "reach": 2},
        {"skill": 5, "reach": 2},
        {"skill": 5, "reach": 2, "luck": 1},
        {"skill": 6, "reach": 2, "luck": 1},
    ]


def test_a_blow_counts_by_the_toughness_of_its_time_whatever_is_voided() -> None:
    table = table_of()
    first = blow(table, 2)
    second = blow(table, 3)
    set_rating(table, "c2", "tough", 3)
    third = blow(table, 4)
    assert [each.amount for each in health(table.state, "c2").applications] == [3, 4, 2]
    assert table.state.tracks["c2"]["hurt"] == 9
    first.void("no such blow")
    assert [each.amount for each in health(table.state, "c2").applications] == [4, 2]
    assert table.state.tracks["c2"]["hurt"] == 6
    second.void("nor this")
    third.void("nor that")
    assert not table.state.tracks["c2"].get("hurt")
    assert quiet(table)


def test_an_amended_declaration_pays_the_price_of_its_time() -> None:
    table = table_of()
    roll = thrown(table, 3, target=4)
    roll.resolve()
    set_rating(table, "c1", "greed", 1)
    roll.amend("it was harder", target=6)
    assert roll.state.roll.declaration.target == 6
    assert quiet(table)


def test_an_amended_reaction_pays_the_price_of_its_time() -> None:
    table = table_of()
    table.submit("p1", c.Declare("c1", {"dice": 1, "helper": "c2"}))
    set_rating(table, "c2", "greed", 1)
    table.submit(NARRATOR, c.SetTrack("c2", "breath", 3))
    roll = RollHandle(table, 1)
    roll.react(dice=1)
    assert table.state.tracks["c2"]["breath"] == 2
    set_rating(table, "c2", "greed", 3)
    table.submit(NARRATOR, c.worded(c.Amend(1, "c2", {"dice": 2}), "two dice"))
    assert dict(roll.state.roll.reactions)["c2"].dice == 2
    assert quiet(table)


def test_an_amendment_asks_what_was_offered_on_the_sheets_of_that_time() -> None:
    table = table_of()
    roll = thrown(table, 3, 3, target=4)
    roll.reroll("d1", "d2", faces=(2, 2))
    roll.resolve()
    set_rating(table, "c1", "reach", 1)
    roll.amend("it was harder", target=9)
    assert roll.state.roll.declaration.target == 9
    assert quiet(table)


def test_a_replaced_declaration_is_settled_on_the_rating_of_now() -> None:
    table = table_of()
    table.submit("p1", c.Declare("c1", {"dice": 1}))
    set_rating(table, "c1", "skill", 4)
    roll = RollHandle(table, 1)
    roll.replace("another target", target=3)
    assert roll.state.roll.declaration.skill == 4
    set_rating(table, "c1", "skill", 1)
    assert quiet(table)


def test_the_rating_that_holds_already_is_no_change() -> None:
    table = table_of()
    size = table.state.size
    set_rating(table, "c1", "skill", 2)
    assert table.state.size == size
    set_rating(table, "c2", "skill", 0)
    assert table.state.sheet("c2").attributes == {"skill": 0}


def test_a_half_is_refused_by_name_where_the_system_has_none() -> None:
    table = table_of()
    with pytest.raises(Refused) as refused:
        table.submit(NARRATOR, c.SetAttribute("c1", "skill", 2.5))
    assert (refused.value.code, refused.value.allowed) == ("malformed", ("2", "3"))
    assert "skill = 2.5" in refused.value.why


def test_history_has_it_in_words() -> None:
    table = table_of()
    set_rating(table, "c1", "skill", -1)
    [line] = [each.text for each in history(table.state, table.aggregate.records[-1:])]
    assert line == f"{FSI}Ann{PDI}: skill is set to -1."


def test_a_rating_of_nobody_is_damage() -> None:
    table = table_of()
    entry = RecordedEvent(table.state.size, 0, bytes(32), AttributeSet(NARRATOR, "c9", "skill", 1))
    with pytest.raises(Damaged) as damaged:
        fold(table.state, entry, lambda name: TOUGH)
    assert "no character 'c9'" in str(damaged.value)


LESSON = tree.ROOT / "tests" / "scenarios" / "sagatafl" / "lesson.toml"


@pytest.mark.parametrize("number", [None, 1, 2])
def test_a_step_sets_it_and_an_export_has_it(number: int | None) -> None:
    log = MemoryLog()
    done = asyncio.run(play(read_scenario(LESSON), log))
    assert not done.failures
    entries = asyncio.run(log.read(done.aggregate.opened.id))
    again = asyncio.run(play(parse_scenario(scenario_text(entries, number)), MemoryLog()))
    assert not again.failures
    rolls = again.aggregate.opened.rolls.values()
    found = [roll.roll.outcome.figures["dice"] for roll in rolls if roll.roll.outcome]
    assert sorted(found) == ([2, 4] if number is None else [2 * number])
    then = done.aggregate.opened.sheet("c1").attributes
    assert number == 1 or again.aggregate.opened.sheet("c1").attributes == then
