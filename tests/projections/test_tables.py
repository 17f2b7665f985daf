"""A table's fold beside its rolls: names and notes, erasures, a new epoch's commitments."""

import pytest
from msgspec.structs import replace

from urim.engine.core import commands
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.errors import Damaged
from urim.events.codec import RecordedEvent
from urim.events.table import EpochBegun, Recommitted, TableOpened
from urim.projections.tables import TableState, fold
from urim.rules import ruleset_named


def with_a_roll() -> TableState:
    """A table on which a fair roll was declared and nothing thrown."""
    table = Table("milhamah")
    table.declare(table.character("Rachel", attributes={"BLE": 3}), attribute="BLE")
    return table.state


def epoch(state: TableState, roll: int) -> TableState:
    """The table after a restore with a new commitment for a roll."""
    event = EpochBegun(NARRATOR, 1, (Recommitted(roll, 0, "ab" * 32),))
    entry = RecordedEvent(state.size, state.at, bytes([7]) * 32, event)
    return fold(state, entry, ruleset_named)


def test_a_new_epoch_replaces_the_outstanding_commitment() -> None:
    before = with_a_roll()
    after = epoch(before, 1)
    waiting = after.rolls[1].outstanding
    assert waiting is not None
    assert (waiting.commit, waiting.seq, waiting.leaf) == ("ab" * 32, before.size, bytes([7]) * 32)
    assert (after.epoch, after.size) == (1, before.size + 1)
    assert replace(after.rolls[1], outstanding=None) == replace(before.rolls[1], outstanding=None)


def test_a_commitment_for_a_roll_that_is_not_there_is_damage() -> None:
    with pytest.raises(Damaged) as damaged:
        epoch(with_a_roll(), 9)
    assert "no roll 9" in str(damaged.value)


def test_an_erased_name_gives_way_to_the_one_before_it() -> None:
    table = Table("milhamah", dice="scripted")
    who = table.character("Rachel")
    named = table.submit(
        NARRATOR, commands.worded(commands.NameCharacter(who.id), "Rachel bat Yonah")
    )
    assert table.state.name_of(who.id) == "Rachel bat Yonah"
    table.submit(NARRATOR, commands.Erase(named[-1].seq))
    assert table.state.name_of(who.id) == "Rachel"


def test_a_table_is_opened_once_and_first() -> None:
    state = with_a_roll()
    opening = TableOpened(NARRATOR, "t0000001", "milhamah", 1, {}, "fair", "player", 1)
    with pytest.raises(Damaged):
        fold(state, RecordedEvent(state.size, state.at, bytes(32), opening), ruleset_named)
    with pytest.raises(Damaged):
        fold(None, RecordedEvent(3, 0, bytes(32), opening), ruleset_named)


def test_the_repr_of_a_long_table_is_short() -> None:
    table = Table("milhamah", dice="scripted")
    rachel = table.character("Rachel", attributes={"BLE": 3})
    roll = table.declare(rachel, attribute="BLE", root="אשר")
    roll.roll(faces="אשגטדלהמ")
    while table.state.size < 200:
        table.submit(NARRATOR, commands.worded(commands.Note(0), "a note"))
    table.submit(NARRATOR, commands.worded(commands.Note(0), "a note"))
    assert repr(table.state) == "<TableState fixture0 milhamah, 202 entries, 1 roll>"
    assert repr(table) == "<Table fixture0 milhamah, 202 entries, 1 roll>"
    assert repr(table.aggregate) == "<Aggregate fixture0 milhamah, 202 entries, 1 roll>"
    assert repr(table.state.rolls[1]) == "<RollState 1 rolled, 1 throws>"


def test_a_table_that_is_not_open_has_a_repr() -> None:
    assert repr(Aggregate(environment("scripted"))) == "<Aggregate not open>"


def test_an_entry_s_roll_is_known_through_notes_and_texts_erased_or_not() -> None:
    table = Table("sagatafl", dice="seeded:notes")
    ruth = table.character("Ruth", attributes={"Lockpicking": 3})
    roll = table.declare(ruth, trait="Lockpicking", rd=7)
    declared = table.state.size - 1
    note = table.submit(ruth.seat, commands.worded(commands.Note(declared), "a note"))[0].seq
    on_it = table.submit(ruth.seat, commands.worded(commands.Note(note), "a note on it"))[0].seq
    apart = table.submit(ruth.seat, commands.worded(commands.Note(0), "about no roll"))[0].seq
    known = table.state.entry_rolls
    assert [known.get(seq) for seq in (declared, note, on_it, apart)] == [roll.number] * 3 + [None]
    erased = table.submit(ruth.seat, commands.Erase(note + 1))[0].seq
    known = table.state.entry_rolls
    assert [known.get(seq) for seq in (note, note + 1, erased)] == [roll.number] * 3
    again = Aggregate(table.aggregate.environment)
    again.load(table.entries)
    assert again.opened == table.state
