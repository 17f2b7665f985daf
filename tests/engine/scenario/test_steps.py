"""What a step may leave out: the seat that acts, the hand, the character that is offered it."""

from typing import Any

import pytest

from tests.engine.helpers.stage import MISS, NATURAL, ROOT, fight, pray, strike
from tests.engine.helpers.timed import asked, open_shares
from urim.engine.core.commands import Amend, Flavour, Freeze, LeaveSeat, RollDice, TakeSeat
from urim.engine.core.limits import NARRATOR
from urim.engine.scenario.steps import StepCommand, step_command
from urim.engine.table import Table
from urim.errors import Refused


def read(table: Table, do: str, **given: Any) -> StepCommand:
    """The seat, the command and the words of a step on a table."""
    return step_command(table.state, {"do": do, **given})


def seat_of(table: Table, do: str, **given: Any) -> str:
    """The seat that does a step which names none."""
    return read(table, do, **given).seat


# --- the seat -------------------------------------------------------------------------------------


def test_of_several_narrators_the_first_that_is_there_acts() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    for seat in ("z-narrator", "a-narrator"):
        table.submit(NARRATOR, TakeSeat(seat, "narrator"))
    assert seat_of(table, "void", reason="why") == "a-narrator"
    assert seat_of(table, "set-track", character="Etgar", track="xr", value=1) == "a-narrator"
    table.submit("a-narrator", LeaveSeat("a-narrator"))
    assert seat_of(table, "void", reason="why") == NARRATOR
    assert seat_of(table, "void", reason="why", by="z-narrator") == "z-narrator"


def test_whose_turn_it_is_at_level_table_acts() -> None:
    table = asked()
    assert (seat_of(table, "open_share"), seat_of(table, "break_throw")) == ("p1", "p1")
    open_shares(table, "p1")
    assert (seat_of(table, "open_share"), seat_of(table, "break_throw")) == ("p2", "p1")
    assert seat_of(table, "open_share", **{"as": "Toad"}) == "p2"


def test_where_no_throw_waits_a_narrator_is_named() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    assert seat_of(table, "open_share", share="0" * 64) == NARRATOR
    assert seat_of(table, "break_throw") == NARRATOR


def test_what_a_narrator_does_is_the_narrators_while_a_throw_waits() -> None:
    table = asked()
    assert seat_of(table, "void", reason="why") == NARRATOR
    assert seat_of(table, "veto", reason="why") == NARRATOR
    assert seat_of(table, "roll") == "p1"


def test_a_narrators_step_as_a_character_stays_the_narrators() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, root=ROOT, rating=2, opponent=toad.id)
    roll.react(root="חננ", rating=3)
    seat, command, words = read(table, "amend", **{"as": "Toad"}, fields={"rating": 4}, reason="r")
    assert (seat, words) == (NARRATOR, "r")
    assert isinstance(command, Amend)
    assert command.character == "c2"
    _, command, _ = read(table, "amend", fields={"rating": 4}, reason="r")
    assert isinstance(command, Amend)
    assert command.character == "c1"


# --- the hand -------------------------------------------------------------------------------------


def test_the_only_hand_that_is_offered_is_taken() -> None:
    table, etgar, _ = fight()
    pray(table, etgar, NATURAL)
    seat, command, _ = read(table, "freeze", dice=["d1"])
    assert (seat, command) == ("p1", Freeze(1, "initiator", ("d1",)))


def test_of_several_hands_one_has_to_be_named() -> None:
    table, etgar, toad = fight()
    strike(table, etgar, toad)
    said = {"words": ["רו"]}
    with pytest.raises(Refused, match="flavour: name the hand") as refused:
        read(table, "flavour", **said)
    assert refused.value.code == "malformed"
    assert len(refused.value.allowed) > 1
    _, command, _ = read(table, "flavour", hand="reactor", **said)
    assert isinstance(command, Flavour)
    assert command.hand == "reactor"


def test_the_first_throw_is_of_the_hand_that_is_offered() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, root=ROOT, rating=5, opponent=toad.id)
    roll.react(root="חננ", rating=3)
    _, command, _ = read(table, "roll", faces=list(NATURAL))
    assert isinstance(command, RollDice)
    assert command.hand == "initiator"
    roll.roll(faces=NATURAL)
    roll.stand()
    roll.choose("natural", "allow")
    seat, command, _ = read(table, "roll", faces=list(MISS))
    assert isinstance(command, RollDice)
    assert (seat, command.hand) == ("p2", "reactor")
