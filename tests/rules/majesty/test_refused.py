"""What Allies of Majesty refuses at a table: code, the value named, what is offered instead."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.refusals import refused
from urim.engine.core.commands import (
    Adjust,
    Amend,
    ApplyDamage,
    Asking,
    Choose,
    Declare,
    Freeze,
    React,
    Reroll,
    Resolve,
    RollDice,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.base import AdjustedDie

STRIKER, DEFENDER = "c1", "c2"
THIRD = (1, 4, 8, 9, 11, 12, 5)
EPIC = (12, 12, 12, 1, 5, 5, 11)


def opened(**options: Any) -> Table:
    """A table with roll 1, a Strike with the greater value, and roll 2, one with the lesser."""
    table = Table("majesty", dice="scripted", options=options)
    striker = table.character("Striker", attributes={"Precision": 12, "Will": 81, "Vast": 1001})
    table.character("Defender", attributes={"Guard": 6, "Vast": -1001})
    table.declare(striker, kind="strike", opponent=DEFENDER)
    table.declare(striker, kind="strike", value=1, opponent=DEFENDER)
    table.declare(striker, kind="resist", attribute="Will", opponent=DEFENDER)
    return table


CHECK: dict[str, Any] = {"kind": "check", "value": 5, "opponent": DEFENDER}
RESIST = {**CHECK, "kind": "resist"}
DECLARATIONS: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "malformed", "kind", ""),
    ({"kind": "song"}, "malformed", "kind is 'song'", ""),
    ({**CHECK, "value": None}, "malformed", "name an attribute or a value", "Precision"),
    ({**CHECK, "value": 1001}, "out-of-range", "value is 1001", "1000"),
    ({**CHECK, "value": -1001}, "out-of-range", "value is -1001", "-1000"),
    ({**CHECK, "value": 5.5}, "malformed", "value is 5.5", ""),
    ({**CHECK, "value": True}, "malformed", "value is True", ""),
    ({**CHECK, "value": None, "attribute": "Luck"}, "unknown", "'Luck'", "Will"),
    ({**CHECK, "value": None, "attribute": "Vast"}, "out-of-range", "1001", "-1000 to 1000"),
    ({**CHECK, "attribute": ""}, "malformed", "attribute is ''", ""),
    ({**CHECK, "attribute": "x" * 101}, "too-long", "declaration.attribute", "60"),
    ({**CHECK, "opponent": STRIKER}, "malformed", "c1 cannot oppose itself", ""),
    ({**CHECK, "opponent": "c9"}, "unknown", "'c9'", "c1"),
    ({**CHECK, "opponent": None}, "malformed", "nothing opposes this roll", "opposing"),
    ({**RESIST, "opponent": None}, "malformed", "nothing opposes this roll", "cost"),
    ({**CHECK, "opposing": 1001}, "out-of-range", "opposing is 1001", "1000"),
    ({**CHECK, "opposing": 1, "opposing_attribute": "Wits"}, "malformed", "opposing value is",
     "leave"),
    ({**CHECK, "opponent": None, "opposing_attribute": "Wits"}, "malformed", "an opponent",
     "leave"),
    ({**RESIST, "opposing_attribute": "Wits"}, "malformed", "a resist, which a cost", "leave"),
    ({**CHECK, "cost": 40}, "malformed", "cost 40 is not for a check", "opposing"),
    ({**CHECK, "kind": "strike", "spp": 3}, "malformed", "spp 3 is not for a strike", "opposing"),
    ({**RESIST, "cost": 40, "spp": 3}, "malformed", "cost 40 and spp 3", "spp"),
    ({**RESIST, "cost": 40, "opposing": 4}, "malformed", "opposing 4 and cost 40", "cost"),
    ({**RESIST, "cost": -1}, "out-of-range", "cost is -1", "0"),
    ({**RESIST, "cost": 10_001}, "out-of-range", "cost is 10001", "10000"),
    ({**RESIST, "spp": 501}, "out-of-range", "spp is 501", "500"),
    ({**CHECK, "sheet_rating": 5}, "not-yours", "sheet_rating = 5", "leave it out"),
    ({**CHECK, "luck": 3}, "unknown", "luck", ""),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "code", "value", "instead"), DECLARATIONS)
def test_a_declaration_is_refused(
    declared: dict[str, Any], code: str, value: str, instead: str
) -> None:
    refused(opened(), "p1", Declare(STRIKER, declared), code, value, instead)


REACTIONS: list[tuple[int, dict[str, Any], str, str, str]] = [
    (1, {"attribute": "Shield"}, "unknown", "'Shield'", "Guard"),
    (1, {"attribute": "Vast"}, "out-of-range", "-1001", "-1000 to 1000"),
    (1, {"value": 1001}, "out-of-range", "value is 1001", "1000"),
    (1, {"cost": 40}, "malformed", "cost 40 is not for a strike", "value"),
    (1, {"sheet_rating": 5}, "not-yours", "sheet_rating = 5", "leave it out"),
    (1, {"opposing": 5}, "unknown", "opposing", ""),
    (3, {}, "malformed", "no value to resist is given", "spp"),
    (3, {"attribute": "Guard"}, "malformed", "no value to resist is given", "cost"),
    (3, {"cost": 40, "value": 4}, "malformed", "value 4 and cost 40", "value"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "reaction", "code", "value", "instead"), REACTIONS)
def test_a_reaction_is_refused(
    number: int, reaction: dict[str, Any], code: str, value: str, instead: str
) -> None:
    refused(opened(), "p2", React(number, DEFENDER, reaction), code, value, instead)


def reacted(table: Table) -> None:
    for number in (1, 2):
        table.submit("p2", React(number, DEFENDER, {}))


def thrown(table: Table, faces: tuple[int, ...] = THIRD) -> None:
    reacted(table)
    for number in (1, 2):
        table.submit("p1", RollDice(number, "initiator", faces=faces))


def epic(table: Table) -> None:
    thrown(table, EPIC)


def adjusted(table: Table) -> None:
    thrown(table)
    table.submit("p1", put(1, d1=2, d3=9, d5=12))


def resolved(table: Table) -> None:
    thrown(table)
    table.submit("p1", Resolve(1))


def nothing(table: Table) -> None:
    pass


def put(roll: int, **dice: int) -> Adjust:
    laid = tuple(AdjustedDie(die, face) for die, face in dice.items())
    return Adjust(roll, "initiator", "adjustment", laid)


FIRST = RollDice(1, "initiator", faces=THIRD)
TWICE = Adjust(1, "initiator", "adjustment", (AdjustedDie("d1", 2), AdjustedDie("d1", 3)))
MORE = worded(Amend(1, STRIKER, {"value": 7}), "x")
OTHERS = worded(Amend(1, STRIKER, {"value": 0}), "x")
COMMANDS: list[tuple[Callable[[Table], None], str, Asking, str, str, str]] = [
    (nothing, "p1", FIRST, "not-offered", "initiator", "react"),
    (nothing, "p1", React(1, DEFENDER, {}), "not-yours", "p1", "p2"),
    (nothing, "p1", put(1, d1=2), "wrong-state", "declared", "withdraw"),
    (reacted, "p2", FIRST, "not-yours", "Striker", "p1"),
    (reacted, "p1", RollDice(1, "initiator", faces=THIRD[1:]), "dice-short", "", ""),
    (reacted, "p1", RollDice(1, "initiator", faces=(*THIRD, 1)), "dice-left", "1", "7"),
    (reacted, "p1", RollDice(1, "initiator", faces=(13, *THIRD[1:])), "face", "13", "12"),
    (thrown, "p1", put(1, d1=2, d3=9, d5=12, d7=6), "too-many", "4", "at most 3"),
    (thrown, "p1", put(1, d1=2, d3=9, d2=6), "too-many", "4", "at most 3"),
    (thrown, "p1", put(1, d2=8), "face", "d2 to 8", "7"),
    (thrown, "p1", put(1, d1=0), "face", "d1 to 0", "2"),
    (thrown, "p1", put(1, d6=13), "face", "d6 to 13", "11"),
    (thrown, "p1", put(1, d6=12), "face", "d6 to 12", "11"),
    (thrown, "p1", put(1, d8=12), "unknown", "d8", "d1"),
    (thrown, "p1", TWICE, "malformed", "d1 is named 2 times", "once"),
    (thrown, "p2", put(1, d1=2), "not-yours", "Striker", "p1"),
    (thrown, "p1", put(2, d1=2), "not-yours", "Defender", "p2"),
    (thrown, NARRATOR, put(1, d1=2), "not-yours", "Striker", "p1"),
    (thrown, "p1", Adjust(1, "initiator", "luck", ()), "not-offered", "luck", "adjustment"),
    (thrown, "p1", Adjust(1, "reactor", "adjustment", ()), "not-offered", "reactor", "initiator"),
    (thrown, "p1", Resolve(2), "not-yours", "Defender", "p2"),
    (thrown, "p1", Freeze(1, "initiator", ("d1",)), "not-offered", "freeze", "adjust"),
    (thrown, "p1", Reroll(1, "initiator", dice=("d1",)), "not-offered", "reroll", "adjust"),
    (thrown, "p1", Choose(1, "mood", "good"), "not-offered", "mood", "adjust"),
    (epic, "p1", put(1, d1=11), "unknown", "d1", "d5, d6, d7"),
    (epic, "p1", put(1, d4=2), "unknown", "d4", "d5, d6, d7"),
    (adjusted, NARRATOR, MORE, "history", "cost of 3", "void"),
    (adjusted, NARRATOR, OTHERS, "history", "Defender's to do, not Striker's", "void"),
    (adjusted, NARRATOR, worded(Amend(1, STRIKER, {"opponent": "c9"}), "x"), "unknown", "c9",
     "c2"),
    (adjusted, NARRATOR, worded(Amend(1, STRIKER, {"luck": 1}), "x"), "unknown", "luck", "value"),
    (resolved, "p1", put(1, d1=2), "wrong-state", "resolved", "dispute"),
    (resolved, "p1", ApplyDamage(1), "not-offered", "apply_damage", ""),
    (resolved, "p2", Declare(DEFENDER, CHECK, follows=(1, "back")), "not-offered", "back", ""),
]  # fmt: skip


@pytest.mark.parametrize(("before", "seat", "command", "code", "value", "instead"), COMMANDS)
def test_a_command_is_refused(
    before: Callable[[Table], None],
    seat: str,
    command: Asking,
    code: str,
    value: str,
    instead: str,
) -> None:
    table = opened()
    before(table)
    refused(table, seat, command, code, value, instead)


def test_all_adjustments_are_due_where_fewer_may_not_be_made() -> None:
    table = opened(fewer_adjustments=False)
    thrown(table)
    refused(table, "p1", Resolve(1), "due", "adjust initiator adjustment", "at most 3")
    table.submit("p1", put(1, d5=12, d3=9))
    refused(table, NARRATOR, Resolve(1), "due", "adjust")
    table.submit("p1", put(1, d5=12, d3=9, d1=2))
    table.submit("p1", Resolve(1))


def test_adjustments_that_the_right_values_allow_as_well_stay_made() -> None:
    table = opened()
    adjusted(table)
    table.submit("p1", Resolve(1))
    table.submit(NARRATOR, worded(Amend(1, STRIKER, {"value": 14}), "misread"))
    outcome = table.state.rolls[1].roll.outcome
    assert outcome is not None
    assert (outcome.margin, outcome.figures["adjustments"]) == (5, 3)
