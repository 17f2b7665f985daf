"""The headline of a replayed step says how its roll is then, and what became of it later."""

from collections.abc import Callable
from io import StringIO

import pytest

from tests.tree import ROOT
from urim.engine.bundle.read import entries_of_bundle
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import (
    Amend,
    Command,
    Dispute,
    Reveal,
    Rule,
    SetReading,
    Void,
    worded,
)
from urim.engine.render.table import frames, headline, table_parts
from urim.engine.render.text import Pen, page
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


def test_an_older_table_is_told_what_came_with_newer_rules_and_how_to_take_it_up() -> None:
    table = Aggregate(environment("manual"))
    table.load(entries_of_bundle(ROOT / "tests/releases/0.2/milhamahmanual-all.urim.jsonl"))

    def told() -> str:
        out = StringIO()
        page(out, width=400).print(*table_parts(table, ASCII, 400, None))
        return out.getvalue()

    assert "version 1 of its rules, and stays as it is" in told()
    assert "urim set-reading DB milhamahmanual NAME VALUE REASON --seat narrator" in told()
    assert "reactor_botch: yes since version 2, here no" in told()
    table.submit("narrator", worded(SetReading("reactor_botch", value=True), "From tonight on."))
    assert "reactor_botch" not in told().split("stays as it is")[1]
    assert "adds_once: total since version 3, here each" in told()


def test_a_table_of_the_newest_rules_is_told_nothing() -> None:
    parts = table_parts(resolved().table.aggregate, ASCII, 80, None)
    assert not any("stays as it is" in str(part) for part in parts)


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
