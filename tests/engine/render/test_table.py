"""The headline of a replayed step says how its roll is then, and what became of it later."""

from collections.abc import Callable

import pytest

from urim.engine.core.commands import Amend, Command, Dispute, Reveal, Rule, Void, worded
from urim.engine.render.table import frames, headline
from urim.engine.render.text import Pen
from urim.engine.table import RollHandle, Table
from urim.events.base import Visibility

ASCII = Pen("ascii")


def resolved(visibility: Visibility = "public") -> RollHandle:
    """A roll of one character that came to its outcome."""
    table = Table("milhamah", dice="scripted")
    who = table.character("Rachel", attributes={"BLE": 3})
    roll = table.declare(who, root="אשר", rating=0, target=2, visibility=visibility)
    roll.roll(faces="אטיגדהוז")
    roll.resolve()
    return roll


def headlines(roll: RollHandle) -> list[str]:
    """What is behind the step and the entry in each headline of a roll."""
    found = frames(roll.table.entries, roll.table.aggregate, roll.number)
    heads = [headline(each, roll.number, (1, 1), ASCII).plain for each in found]
    return [head.split(" - ", 2)[2] for head in heads]


def submit(roll: RollHandle, *commands: Command) -> None:
    """Commands of the narrator's, each with a reason."""
    for command in commands:
        roll.table.submit("narrator", worded(command, "It was so."))


def test_a_roll_that_nothing_happened_to_has_its_state_alone() -> None:
    assert headlines(resolved()) == ["roll 1 declared", "roll 1 rolled", "roll 1 resolved"]


@pytest.mark.parametrize(
    ("command", "then", "since"),
    [
        (lambda roll: Void(roll.number), "roll 1 voided", "voided since"),
        (
            lambda roll: Amend(roll.number, "c1", {"target": 3}),
            "roll 1 resolved, amended",
            "amended since",
        ),
        (
            lambda roll: Dispute(roll.number),
            "roll 1 resolved, under dispute",
            "under dispute since",
        ),
    ],
)
def test_what_was_done_is_in_each_headline(
    command: Callable[[RollHandle], Command], then: str, since: str
) -> None:
    roll = resolved()
    submit(roll, command(roll))
    found = headlines(roll)
    assert found[0] == f"roll 1 declared - {since}"
    assert found[2] == f"roll 1 resolved - {since}"
    assert set(found[3:]) == {then}


def test_a_ruling_ends_a_dispute() -> None:
    roll = resolved()
    submit(roll, Dispute(1))
    submit(roll, Rule(1, roll.table.state.rolls[1].trail[-1].seq, "stands"))
    found = headlines(roll)
    assert found[0] == "roll 1 declared - disputed and ruled on since"
    assert "roll 1 resolved, under dispute - disputed and ruled on since" in found
    assert found[-1] == "roll 1 resolved, disputed and ruled on"


def test_a_hidden_roll_is_hidden_until_it_is_revealed() -> None:
    roll = resolved("gm")
    roll.table.submit("narrator", Reveal(1))
    found = headlines(roll)
    assert found[0] == "roll 1 declared, hidden - revealed since"
    assert found[-1] == "roll 1 resolved, revealed"
