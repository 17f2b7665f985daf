"""What Sagatafl refuses at a table: the code, the value it names, what it offers instead."""

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
    Replace,
    Reroll,
    Resolve,
    RollDice,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.base import AdjustedDie

THIEF, GUARD = "c1", "c2"
LONG = "x" * 101


def opened(**options: Any) -> Table:
    """A table with a thief, a guard, and the thief's roll 1 against the guard, not yet answered."""
    table = Table("sagatafl", dice="scripted", options=options)
    thief = table.character("Thief", attributes={"Lockpicking": 5, "Nothing": 0, "Many": 101})
    table.character("Guard", attributes={"Hearing": 2, "Deaf": -1})
    table.declare(thief, trait="Lockpicking", opponent=GUARD)
    return table


DECLARATIONS: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "malformed", "name a trait or a rating", "Lockpicking"),
    ({"trait": "Climbing"}, "unknown", "'Climbing'", "Lockpicking"),
    ({"trait": ""}, "malformed", "trait is ''", ""),
    ({"trait": LONG}, "too-long", "declaration.trait", "60"),
    ({"trait": 5}, "malformed", "trait is 5", ""),
    ({"rating": -1}, "out-of-range", "rating is -1", "0"),
    ({"rating": 101}, "out-of-range", "rating is 101", "100"),
    ({"rating": "five"}, "malformed", "'five'", ""),
    ({"trait": "Many"}, "out-of-range", "Many is rated 101", "0 to 100"),
    ({"rating": 0}, "out-of-range", "rating of 0", "1 or more"),
    ({"trait": "Nothing"}, "out-of-range", "rating of 0", "1 or more"),
    ({"rating": 1, "rd": 0}, "out-of-range", "rd is 0", "1"),
    ({"rating": 1, "rd": 31}, "out-of-range", "rd is 31", "30"),
    ({"rating": 1, "rd": "tricky"}, "unknown", "'tricky'", "very hard 12"),
    ({"rating": 1, "modifiers": {"dark": 23}}, "out-of-range", "RD 31", "RD 1 to 30"),
    ({"rating": 1, "modifiers": {"easy": -8}}, "out-of-range", "RD 0", "RD 1 to 30"),
    ({"rating": 1, "modifiers": {"dark": 31}}, "out-of-range", "31", "30"),
    ({"rating": 1, "modifiers": {f"m{n}": 1 for n in range(21)}}, "too-long", "modifiers", "20"),
    ({"rating": 1, "safe": True}, "needs-leave", "safe = True", "narrator"),
    ({"rating": 1, "sheet_rating": 9}, "not-yours", "sheet_rating = 9", "leave it out"),
    ({"rating": 1, "luck": 3}, "unknown", "luck", ""),
    ({"rating": 1, "opponent": THIEF}, "malformed", "c1 cannot oppose itself", ""),
    ({"rating": 1, "opponent": "c9"}, "unknown", "'c9'", "c1"),
    ({"rating": 1, "opponent": GUARD, "saving_throw": True}, "malformed",
     "an opposed saving throw, by c2", "saving_throw"),
    ({"rating": 1, "saving_throw": "yes"}, "malformed", "saving_throw is 'yes'", ""),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "code", "value", "instead"), DECLARATIONS)
def test_a_declaration_is_refused(
    declared: dict[str, Any], code: str, value: str, instead: str
) -> None:
    refused(opened(), "p1", Declare(THIEF, declared), code, value, instead)


REACTIONS: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "malformed", "name a trait or a rating", "Hearing"),
    ({"trait": "Sight"}, "unknown", "'Sight'", "Hearing"),
    ({"trait": "Deaf"}, "out-of-range", "Deaf is rated -1", "0 to 100"),
    ({"rating": 0}, "out-of-range", "rating of 0", "1 or more"),
    ({"rating": 1, "rd": "deafening"}, "unknown", "'deafening'", "routine"),
    ({"rating": 1, "safe": True}, "needs-leave", "safe = True", "narrator"),
    ({"rating": 1, "sheet_rating": 1}, "not-yours", "sheet_rating = 1", "leave it out"),
    ({"rating": 1, "opponent": THIEF}, "unknown", "opponent", ""),
]  # fmt: skip


@pytest.mark.parametrize(("reaction", "code", "value", "instead"), REACTIONS)
def test_a_reaction_is_refused(
    reaction: dict[str, Any], code: str, value: str, instead: str
) -> None:
    refused(opened(), "p2", React(1, GUARD, reaction), code, value, instead)


def reacted(table: Table) -> None:
    table.submit("p2", React(1, GUARD, {"trait": "Hearing"}))


def thrown(table: Table) -> None:
    reacted(table)
    table.submit("p1", RollDice(1, "initiator", faces=(1, 2, 3, 4, 5)))


def done(table: Table) -> None:
    thrown(table)
    table.submit("p2", RollDice(1, "reactor", faces=(9, 9)))


def resolved(table: Table) -> None:
    done(table)
    table.submit("p1", Resolve(1))


def nothing(table: Table) -> None:
    pass


FIVE = (1, 2, 3, 4, 5)
FIRST = RollDice(1, "initiator", faces=FIVE)
COMMANDS: list[tuple[Callable[[Table], None], str, Asking, str, str, str]] = [
    (nothing, "p1", FIRST, "not-offered", "roll initiator", "react"),
    (nothing, "p1", React(1, GUARD, {"rating": 1}), "not-yours", "p1", "p2"),
    (reacted, "p2", FIRST, "not-yours", "Thief", "p1"),
    (reacted, "p1", RollDice(1, "reactor", faces=(1, 1)), "not-offered", "reactor", "initiator"),
    (reacted, "p1", RollDice(1, "initiator", faces=(1, 2)), "dice-short", "", ""),
    (reacted, "p1", RollDice(1, "initiator", faces=(*FIVE, 6)), "dice-left", "6", "5"),
    (reacted, "p1", RollDice(1, "initiator", faces=(0, *FIVE[1:])), "face", "0", "12"),
    (reacted, "p1", RollDice(1, "initiator", faces=(13, *FIVE[1:])), "face", "13", "12"),
    (reacted, "p1", RollDice(1, "initiator", faces=FIVE, option=4), "not-offered", "4", "5"),
    (reacted, "p1", Resolve(1), "wrong-state", "reacted", "roll"),
    (thrown, "p1", Resolve(1), "due", "reactor", "roll reactor (2 dice)"),
    (thrown, "p1", FIRST, "not-offered", "initiator", "reactor"),
    (thrown, "p1", Freeze(1, "initiator", ("d1",)), "not-offered", "freeze", "roll reactor"),
    (thrown, "p1", Reroll(1, "initiator", dice=("d1",)), "not-offered", "reroll", "roll"),
    (done, "p2", Resolve(1), "not-yours", "Thief", "p1"),
    (done, "p1", Adjust(1, "initiator", "luck", (AdjustedDie("d1", 9),)), "not-offered", "luck",
     "res"),
    (done, "p1", Choose(1, "mood", "good"), "not-offered", "mood", "resolve"),
    (resolved, "p1", Resolve(1), "wrong-state", "resolved", "dispute"),
    (resolved, "p1", ApplyDamage(1), "not-offered", "apply_damage", ""),
    (resolved, "p2", Declare(GUARD, {"rating": 1}, follows=(1, "again")), "not-offered", "again",
     ""),
    (thrown, NARRATOR, worded(Amend(1, THIEF, {"rating": 4}), "x"), "history", "would throw 4",
     "void"),
    (thrown, NARRATOR, worded(Amend(1, THIEF, {"sheet_rating": 4}), "x"), "not-yours",
     "sheet_rating", ""),
    (thrown, NARRATOR, worded(Amend(1, THIEF, {"rd": 40}), "x"), "out-of-range", "40", ""),
    (thrown, NARRATOR, worded(Amend(1, THIEF, {"opponent": None}), "x"), "history", "entry",
     "void"),
    (nothing, NARRATOR, worded(Replace(1, {"opponent": "c9"}), "x"), "unknown", "c9", "c2"),
    (nothing, "p1", worded(Replace(1, {"safe": True}), "x"), "not-yours", "replace", "narrator"),
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


def test_the_narrator_sets_what_is_safe_on_either_side() -> None:
    table = opened()
    table.submit(
        NARRATOR, worded(Replace(1, {"safe": True, "trait": "Nothing", "edge": "Luck"}), "why not")
    )
    reacted(table)
    table.submit(NARRATOR, worded(Amend(1, GUARD, {"safe": True}), "a Sense roll"))
    table.submit("p1", RollDice(1, "initiator", faces=(1,)))
    table.submit("p2", RollDice(1, "reactor", faces=(1, 1)))
    table.submit(NARRATOR, Resolve(1))
    outcome = table.state.rolls[1].roll.outcome
    assert outcome is not None
    assert (outcome.figures["level"], outcome.figures["opponent_level"]) == (-1, -1)
    assert outcome.figures["dice"] == 1  # the replaced trait's rating was taken from the sheet
