"""Allies of Majesty at a table: who may adjust and end a roll, and what the legal moves say."""

from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import Declare, EnterCharacter, OpenTable, TakeSeat
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.table import RollHandle, quick_roll
from urim.engine.testing.plugin.tables import FixtureTable
from urim.rules.ruleset import Prospect

THIRD = (1, 4, 8, 9, 11, 12, 5)


def struck(value: int) -> RollHandle:
    """A Strike with this value against a Guard of 6, thrown as in the book's third example."""
    table = FixtureTable("majesty")
    striker = table.character("Striker", attributes={"Precision": value})
    defender = table.character("Defender", attributes={"Guard": 6})
    roll = table.declare(striker, kind="strike", opponent=defender.id)
    roll.react()
    roll.roll(faces=THIRD)
    return roll


def prospect_of(roll: RollHandle, seat: str) -> Prospect | None:
    """What the seat's legal moves say that the Adjustments can still reach."""
    every = {move.trigger: move for move in moves(roll.table.state, seat, roll.number)}
    assert every["adjust"].legal
    return every["adjust"].offers[0].prospect


def test_the_legal_moves_say_what_the_remaining_adjustments_can_reach() -> None:
    roll = struck(12)
    assert prospect_of(roll, "p1") == Prospect(now=2, left=3, onward=(0, 5), from_landed=(0, 5))
    roll.adjust({"d5": 12})
    assert prospect_of(roll, "p1") == Prospect(now=3, left=2, onward=(1, 5), from_landed=(0, 5))
    roll.adjust({"d5": 12, "d7": 7})
    assert prospect_of(roll, "p1") == Prospect(now=3, left=0, onward=(3, 3), from_landed=(0, 5))
    roll.adjust({"d1": 2, "d3": 9, "d5": 12})
    assert roll.resolve().margin == 5


def test_the_other_sides_moves_are_its_own() -> None:
    roll = struck(3)
    assert prospect_of(roll, "p2") == Prospect(now=2, left=2, onward=(0, 4), from_landed=(0, 4))
    mine = {move.trigger: move for move in moves(roll.table.state, "p1", roll.number)}
    assert (mine["adjust"].code, mine["resolve"].code) == ("not-yours", "not-yours")
    roll.adjust({"d2": 3, "d4": 8})
    assert roll.resolve().margin == 0
    assert roll.state.trail[-1].event.by == "p2"


def test_a_quick_roll_waits_for_the_side_that_has_the_adjustments() -> None:
    aggregate = Aggregate(environment("seeded:quick"))
    aggregate.submit(NARRATOR, OpenTable("quickroll", "majesty", source="seeded:quick"))
    for seat, character in (("p1", "c1"), ("p2", "c2")):
        aggregate.submit(NARRATOR, TakeSeat(seat))
        aggregate.submit(NARRATOR, EnterCharacter(character, seat))
    for value, state in ((0, "rolled"), (9, "resolved")):
        check = {"kind": "check", "value": value, "opposing": 6, "opponent": "c2"}
        entries = quick_roll(aggregate, "p1", Declare("c1", check), f"ask-{value}")
        assert aggregate.opened.rolls[len(aggregate.opened.rolls)].state == state
        assert quick_roll(aggregate, "p1", Declare("c1", check), f"ask-{value}") == entries
