"""A table with a queue of faces: they fall in order, and none is missing or left over unnoticed."""

import pytest

from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused


@pytest.mark.parametrize(
    "given",
    [("7 8 9",), (7, 8, 9), ("7", "8 9"), (7, "8", 9)],
    ids=["text", "ints", "texts", "mix"],
)
def test_queued_faces_fall_in_their_order(given: tuple[int | str, ...]) -> None:
    table = FixtureTable("sagatafl")
    roll = table.declare(table.character("Ruth", attributes={"Body": 3}), trait="Body")
    table.dice(*given)
    assert roll.roll() == (7, 8, 9)
    assert table.left == ()


def test_letters_are_queued_one_by_one_or_in_one_word() -> None:
    table = FixtureTable("milhamah")
    table.dice("רוח", "ט ל", "*")
    assert table.left == ("ר", "ו", "ח", "ט", "ל", "*")
    table.script.queue.clear()


@pytest.mark.parametrize("face", ["13", "0", "ש", "7.5", 13])
def test_a_face_that_no_die_has_is_refused_when_it_is_queued(face: int | str) -> None:
    with pytest.raises(Refused, match="no die of this system shows") as refused:
        FixtureTable("sagatafl").dice(7, face)
    assert refused.value.code == "face"


def test_faces_cannot_be_queued_for_dice_that_are_thrown() -> None:
    with pytest.raises(Refused, match="the dice of this table are seeded:7"):
        FixtureTable("sagatafl", seed="7").dice(1)


def test_a_throw_that_is_short_of_faces_names_itself_and_takes_none() -> None:
    table = FixtureTable("sagatafl")
    roll = table.declare(table.character("Ruth", attributes={"Body": 3}), trait="Body")
    table.dice("7 8")
    with pytest.raises(Refused) as refused:
        roll.roll()
    assert refused.value.code == "dice-short"
    assert refused.value.why == "roll 1, throw 0 (p1: d1 d2 d3): 2 faces given, d3 has none"
    assert table.left == (7, 8)
    table.dice(9)
    assert roll.roll() == (7, 8, 9)


def test_faces_given_with_a_throw_leave_the_queue_alone() -> None:
    table = FixtureTable("sagatafl")
    roll = table.declare(table.character("Ruth", attributes={"Body": 1}), trait="Body", rd=2)
    table.dice(5)
    assert roll.roll(faces=[9]) == (9,)
    assert table.left == (5,)
    table.script.queue.clear()


def test_a_die_that_falls_again_at_once_takes_the_next_face_of_the_queue() -> None:
    table = FixtureTable("milhamah")
    etgar, toad = (table.character(name, attributes={"BLE": 3}) for name in ("Etgar", "Toad"))
    roll = table.declare(etgar, root="רוח", rating=5, opponent=toad.id, combat=True)
    table.dice("וחרטלשנכ", "שזגכלקבט", "**ש")
    roll.react(root="חננ", rating=3)
    roll.roll()
    roll.stand()
    roll.choose("natural", "allow")
    roll.roll()
    roll.stand()
    roll.choose("gain", "none")
    roll.roll()
    hand = roll.state.roll.hand("location")
    assert hand is not None
    assert [die.thrown for die in hand.dice] == [("*", "*", "ש")]
    assert table.left == ()


def test_faces_left_over_are_named_with_the_last_throw() -> None:
    table = FixtureTable("sagatafl")
    table.check()
    roll = table.declare(table.character("Ruth", attributes={"Body": 1}), trait="Body", rd=2)
    table.dice("9 5 6")
    with pytest.raises(Refused, match="left over: 9 5 6; nothing was thrown"):
        table.check()
    roll.roll()
    with pytest.raises(Refused) as refused:
        table.check()
    assert refused.value.code == "dice-left"
    last = "the last throw was roll 1, throw 0 (p1: d1)"
    assert refused.value.why == f"table fixture0: faces left over: 5 6; {last}"
    table.script.queue.clear()
