"""The step that needs no decision: there is one where, and only where, nobody may do else."""

from pathlib import Path
from typing import Any

import pytest

from tests import plays
from tests.engine.helpers.decide_cases import declared
from urim.engine.core import commands as c
from urim.engine.core.guards import typed_throws
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import legal_in, legal_moves
from urim.engine.core.step import STEPS
from urim.engine.table import RollHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.projections.automaton import Trigger
from urim.projections.tables import TableState
from urim.rules.ruleset import Offer

FILES = pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)

ALWAYS = {"withdraw", "void", "veto", "amend", "replace", "dispute", "reveal", "flavour"}
"""What may be done at any time, and is no reason to stop."""


def steps(state: TableState, number: int) -> dict[str, Offer]:
    """The step of a roll, by the seat that has it."""
    return {
        seat: each.step
        for seat, place in state.seats.items()
        if place.here
        for each in legal_moves(state, seat)
        if each.roll == number and each.step is not None
    }


def others(state: TableState, number: int) -> set[Trigger]:
    """What any seat may do in a roll now beside what may be done at any time."""
    here = [seat for seat, place in state.seats.items() if place.here]
    legal = {move.trigger for seat in here for move in legal_in(state, seat, number)}
    typed = typed_throws(state.rolls[number]).values()
    return legal - ALWAYS - ({"confirm"} if all(len(seats) > 1 for seats in typed) else set())


@pytest.mark.sampled(15, rest=15)
@FILES
def test_where_there_is_a_step_nobody_may_do_anything_else(path: Path) -> None:
    for step in plays.kept_of(path).play.steps:
        for number in range(1, step.state.last_roll + 1):
            found = steps(step.state, number)
            assert len(found) <= 1, f"step {step.number}: roll {number}"
            if others(step.state, number) == {"resolve"}:
                owner = step.state.characters[step.state.rolls[number].roll.character].seat
                assert found or not step.state.seats[owner].here
            for seat, offer in found.items():
                assert offer.trigger in STEPS
                wanted = {"ask"} if offer.trigger in STEPS[:2] else set()
                left = others(step.state, number) - {offer.trigger} - wanted
                blind = step.state.rolls[number].visibility == "blind"
                assert not left or blind, f"step {step.number}: {seat} in roll {number}"


def went(table: Table, number: int) -> list[str]:
    """Do every step that there is; the triggers."""
    found: list[str] = []
    while of := steps(table.state, number):
        [offer], roll = of.values(), RollHandle(table, number)
        if offer.trigger == "roll":
            roll.roll(hand=offer.hand)
        else:
            {"resolve": roll.resolve, "apply_damage": roll.apply_damage}[offer.trigger]()
        found.append(offer.trigger)
    return found


@pytest.mark.parametrize(
    ("system", "wish", "took"),
    [
        ("plain", {"expression": "4d6kh3"}, ["roll", "resolve"]),
        ("sagatafl", {"rating": 3}, ["roll", "resolve"]),
        ("scarterra", {"dots": 3}, ["roll", "resolve"]),
        ("milhamah", {"root": "רוח", "rating": 2}, ["roll"]),
        ("age_of_magic", {"skill": "Stealth", "characteristic": "DX", "difficulty": 11}, []),
    ],
    ids=str,
)
def test_a_roll_goes_on_by_itself_until_somebody_may_decide(
    system: str, wish: dict[str, Any], took: list[str]
) -> None:
    """Milhamah's dice may be frozen; in Age of Magic the roller says how much to risk."""
    table = FixtureTable(system, seed="steps")
    ruth = table.character("Ruth", attributes={"Stealth": 5, "DX": 4})
    table.declare(ruth, **wish)
    assert went(table, 1) == took


def test_fair_dice_are_thrown_as_any_others() -> None:
    table = FixtureTable("sagatafl", dice="fair")
    table.declare(table.character("Ruth"), rating=1)
    assert [(seat, step.trigger) for seat, step in steps(table.state, 1).items()] == [
        ("p1", "roll")
    ]


def test_where_a_reaction_is_due_nothing_goes_on() -> None:
    assert steps(declared().state, 1) == {}


def test_a_hidden_roll_goes_on_and_stays_hidden() -> None:
    table = FixtureTable("sagatafl", seed="steps")
    table.declare(table.character("Ruth"), visibility="gm", rating=3)
    assert went(table, 1) == ["roll", "resolve"]
    assert table.state.rolls[1].hidden


def thrown(dice: str = "seeded:steps") -> Table:
    """Roll 1: the dice lie, and nothing is left but to resolve."""
    table = FixtureTable("sagatafl", dice=dice)
    table.character("Dan")
    roll = table.declare(
        table.character("Ruth", attributes={"Lockpicking": 3}), trait="Lockpicking"
    )
    roll.roll(faces=[3, 8, 11] if dice == "manual" else None)
    return table


def test_a_dispute_stops_it() -> None:
    table = thrown()
    assert [*steps(table.state, 1)] == ["p2"]
    table.submit("p1", c.worded(c.Dispute(1), "I doubt it."))
    assert steps(table.state, 1) == {}


def test_a_roll_whose_seat_left_waits_for_a_narrator_and_is_no_step_of_his() -> None:
    table = thrown()
    table.submit("p2", c.LeaveSeat("p2"))
    assert steps(table.state, 1) == {}
    assert "resolve" in {move.trigger for move in legal_in(table.state, NARRATOR, 1)}


def test_typed_faces_wait_for_somebody_who_types_and_one_who_confirms() -> None:
    fresh = FixtureTable("sagatafl", dice="manual")
    fresh.declare(fresh.character("Ruth"), rating=1)
    assert steps(fresh.state, 1) == {}
    table = thrown("manual")
    assert steps(table.state, 1) == {}
    table.submit("p1", c.Confirm(1, 0))
    assert [*steps(table.state, 1)] == ["p2"]
