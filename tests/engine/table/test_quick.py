"""A quick roll is three commits by one request, at level server, and the same when asked again."""

import pytest

from urim.engine.core.commands import Declare
from urim.engine.table import CharacterHandle, Table
from urim.engine.table.quick import quick_roll
from urim.errors import Refused
from urim.events.base import Level
from urim.events.codec import recorded
from urim.events.roll import DiceRolled, RollDeclared, RollResolved


def table_with_a_thief() -> tuple[Table, CharacterHandle]:
    """Fair dice, in a system whose rolls wait for nobody whatever falls."""
    table = Table("sagatafl", level="server")
    return table, table.character("Thief", attributes={"Lockpicking": 3, "Stealth": 2})


PICK = {"trait": "Lockpicking"}


def test_it_declares_throws_and_resolves_under_three_request_ids() -> None:
    table, thief = table_with_a_thief()
    entries = quick_roll(table.aggregate, "p1", Declare(thief.id, PICK), "q")
    events = [recorded(entry).event for entry in entries]
    assert [type(event) for event in events] == [RollDeclared, DiceRolled, RollResolved]
    declared, thrown = events[0], events[1]
    assert isinstance(declared, RollDeclared)
    assert declared.level == "server"
    assert isinstance(thrown, DiceRolled)
    assert thrown.proof is not None
    assert (thrown.proof.committed, thrown.proof.nonce) == (entries[0].seq, None)


def test_asked_again_it_gives_the_same_entries_and_adds_none() -> None:
    table, thief = table_with_a_thief()
    declare = Declare(thief.id, PICK)
    first = quick_roll(table.aggregate, "p1", declare, "q")
    size = len(table.entries)
    assert quick_roll(table.aggregate, "p1", declare, "q") == first
    assert len(table.entries) == size


def test_another_roll_under_the_same_id_is_refused() -> None:
    table, thief = table_with_a_thief()
    quick_roll(table.aggregate, "p1", Declare(thief.id, PICK), "q")
    with pytest.raises(Refused) as refused:
        quick_roll(table.aggregate, "p1", Declare(thief.id, {"trait": "Stealth"}), "q")
    assert refused.value.code == "request-reused"


@pytest.mark.parametrize("level", ["player", "table"])
def test_fair_dice_of_a_higher_level_take_no_quick_roll(level: Level) -> None:
    table = Table("sagatafl", level=level)
    thief = table.character("Thief", attributes={"Lockpicking": 3})
    size = len(table.entries)
    with pytest.raises(Refused) as refused:
        quick_roll(table.aggregate, "p1", Declare(thief.id, PICK), "q")
    assert (refused.value.code, len(table.entries)) == ("out-of-range", size)


def test_dice_of_a_seed_take_one_at_any_level() -> None:
    table = Table("sagatafl", dice="seeded:7", level="table")
    thief = table.character("Thief", attributes={"Lockpicking": 3})
    quick_roll(table.aggregate, "p1", Declare(thief.id, PICK), "q")
    assert table.state.rolls[1].state == "resolved"


def test_a_roll_that_waits_for_an_opponent_is_no_quick_roll_and_changes_nothing() -> None:
    table, thief = table_with_a_thief()
    guard = table.character("Guard", attributes={"Sight": 2})
    size = len(table.entries)
    declare = Declare(thief.id, {**PICK, "opponent": guard.id})
    with pytest.raises(Refused) as refused:
        quick_roll(table.aggregate, "p1", declare, "q")
    assert (refused.value.code, len(table.entries)) == ("not-offered", size)
