"""Given what happened, when a seat asks, then these events: and the report when others come."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.pips import PIPS
from urim.engine.core import commands as c
from urim.engine.core.commands import LeaveSeat, TakeSeat
from urim.engine.table import Table
from urim.engine.testing.differences import Expected, differences, summary
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.plugin.watch import watching
from urim.engine.testing.spec import Given, given, like, refused
from urim.errors import Damaged, Refused
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.base import Thrown
from urim.events.codec import Event

FACES = (7, 2, 9)
WISH: dict[str, Any] = {"trait": "Body", "rd": 6}
ROLLED = rolled.DiceRolled(
    "p1",
    1,
    "c1",
    "initiator",
    tuple(Thrown(f"d{at}", "d12", face) for at, face in enumerate(FACES, 1)),
    proof=rolled.Proof(throw=0, source="scripted"),
)
OPENED = tabled.TableOpened("narrator", "spectable", "sagatafl", 1, {}, "scripted", "player", 1)
SEATED = (
    tabled.SeatTaken("narrator", "p1", "player"),
    tabled.CharacterEntered("narrator", "c1", "p1", {"Body": 3}, {}),
)


def declared() -> Given:
    """Roll 1 of a character with a Body of 3 is declared."""
    return given(OPENED, *SEATED, ("p1", c.Declare("c1", WISH)))


def complaint(past: Given, seat: str, command: Any, *expected: Any) -> list[str]:
    """The report of a specification that does not hold, line by line."""
    with pytest.raises(AssertionError) as failure:
        past.when(seat, command).then(*expected)
    return str(failure.value).splitlines()


def test_the_events_that_come_are_compared_as_structs() -> None:
    declared().when("p1", c.RollDice(1, "initiator", faces=FACES)).then(ROLLED)


def test_a_table_goes_on_from_then_to_when() -> None:
    then = declared().when("p1", c.RollDice(1, "initiator", faces=FACES)).then(rolled.DiceRolled)
    outcome = {"degree": "success", "margin": 2}
    then.when("p1", c.Resolve(1)).then(like(rolled.RollResolved, outcome=outcome))
    then.when("p1", c.Resolve(1)).then(refused("wrong-state"))


def test_the_state_of_the_commands_roll_may_be_expected() -> None:
    rolled_once = declared().when("p1", c.RollDice(1, "initiator", faces=FACES))
    past = rolled_once.then(rolled.DiceRolled, state="rolled")
    past.when("p1", c.Declare("c1", WISH)).then(rolled.RollDeclared, state="declared")
    past.when("p1", c.ApplyDamage(1)).then(refused("wrong-state"), state="rolled")
    past.when("narrator", c.worded(c.Void(1), "x")).then(
        like(rolled.RollVoided, roll=1), like(tabled.TextSaid, text="x"), state="voided"
    )


def test_a_command_that_changes_nothing_leads_to_nothing() -> None:
    given(OPENED, *SEATED).when("p1", c.GiveCharacter("c1", "p1")).then()


def test_facts_are_taken_whatever_the_rules_say() -> None:
    past = given(
        OPENED,
        *SEATED,
        ("p1", c.Declare("c1", WISH)),
        ROLLED,
        rolled.RollResolved("p1", 1, {"degree": "success", "margin": 99, "figures": {}}),
    )
    assert past.table.state.rolls[1].roll.outcome is not None
    assert past.table.state.rolls[1].roll.outcome.margin == 99


def test_facts_of_hidden_rolls_are_sealed_as_hidden() -> None:
    past = given(
        OPENED,
        *SEATED,
        rolled.RollDeclared("p1", 1, "c1", {"trait": "Body", "rd": 6}, "gm", "player"),
        tabled.Noted("p1", 3),
        tabled.TextSaid("p1", "0" * 32, "psst"),
        ROLLED,
    )
    kinds = ["open"] * 3 + ["hidden", "hidden", "hidden-text", "hidden"]
    assert [entry.kind for entry in past.table.entries] == kinds
    assert [entry.commit for entry in past.table.entries] == [0, 1, 2, 3, 4, 4, 6]


def test_a_fact_that_cannot_follow_is_damage() -> None:
    with pytest.raises(Damaged):
        given(OPENED, ROLLED)


@pytest.mark.parametrize("past", [(), SEATED, (("p1", c.Resolve(1)),)])
def test_the_past_begins_with_a_table_or_its_opening(past: Any) -> None:
    with pytest.raises(Refused, match="it begins with"):
        given(*past)


def test_a_plain_table_takes_commands_and_no_facts() -> None:
    table = Table("sagatafl", dice="scripted")
    past = given(table, ("narrator", TakeSeat("p1")))
    past.when("p1", LeaveSeat("p1")).then(tabled.SeatLeft("p1", "p1"))
    with pytest.raises(Refused, match="cannot have happened here"):
        given(table, SEATED[0])


# --- the report when it does not hold -------------------------------------------------------------


def test_another_face_is_named_with_its_place() -> None:
    throw = c.RollDice(1, "initiator", faces=(7, 2, 8))
    assert complaint(declared(), "p1", throw, ROLLED) == [
        f"when p1 asks {throw}",
        "! 0 DiceRolled",
        "      dice[2][2]: expected 9, found 8",
    ]


def test_an_event_too_many_and_one_that_is_missing_are_summary() -> None:
    throw = c.RollDice(1, "initiator", faces=FACES)
    lines = complaint(declared(), "p1", throw)
    assert lines[1].startswith('+ 0 was not expected: DiceRolled {"by":"p1"')
    lines = complaint(declared(), "p1", throw, rolled.DiceRolled, rolled.RollResolved)
    assert lines[1:] == ["- 1 did not come: RollResolved"]


def test_a_refusal_instead_of_events_is_told_with_its_reason() -> None:
    lines = complaint(declared(), "p1", c.Resolve(1), rolled.RollResolved)
    assert lines[1].startswith("  it was refused by 'wrong-state': ")
    assert lines[2:] == ["  expected:", "    RollResolved"]


def test_events_instead_of_a_refusal_are_summary() -> None:
    throw = c.RollDice(1, "initiator", faces=FACES)
    lines = complaint(declared(), "p1", throw, refused("not-offered"))
    assert lines[1:3] == ["  expected a refusal by 'not-offered'", "  but this came:"]
    assert lines[3].startswith("    DiceRolled {")


def test_another_refusal_is_summary() -> None:
    lines = complaint(declared(), "p1", c.Resolve(1), refused("due"))
    assert lines[2].startswith("  but it was refused by 'wrong-state': ")
    lines = complaint(declared(), "p1", c.Resolve(1), refused("wrong-state", "no such words"))
    assert lines[1] == "  expected a refusal by 'wrong-state' for 'no such words'"


def test_another_state_is_named_beside_what_else_differs() -> None:
    throw = c.RollDice(1, "initiator", faces=FACES)
    asked = declared().when("p1", throw)
    with pytest.raises(AssertionError) as failure:
        asked.then(rolled.DiceFrozen, state="frozen")
    lines = str(failure.value).splitlines()
    assert lines[0] == f"when p1 asks {throw}"
    assert lines[1].startswith("! 0 DiceRolled")
    assert lines[-1] == "  state: expected 'frozen', found 'rolled'"
    with pytest.raises(AssertionError, match="state: expected 'resolved', found 'declared'"):
        declared().when("p1", c.Resolve(1)).then(refused("wrong-state"), state="resolved")


def test_where_there_is_no_roll_there_is_no_state() -> None:
    asked = given(OPENED, *SEATED).when("p1", c.Resolve(1))
    with pytest.raises(AssertionError, match="state: expected 'resolved', found None"):
        asked.then(refused("unknown"), state="resolved")


@pytest.mark.parametrize("name", ["frozn", "new"])
def test_a_state_that_there_is_not_is_refused(name: Any) -> None:
    asked = declared().when("p1", c.Resolve(1))
    with pytest.raises(Refused, match=f"a roll has no state '{name}'; allowed: declared, reacted"):
        asked.then(refused("wrong-state"), state=name)


def test_a_code_that_there_is_not_is_refused() -> None:
    with pytest.raises(Refused, match="no refusal has the code 'forbidden'"):
        refused("forbidden")


def test_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(Refused, match="RollResolved has no 'degree'"):
        like(rolled.RollResolved, degree="success")


def test_a_refusal_stands_alone() -> None:
    asked = declared().when("p1", c.Resolve(1))
    with pytest.raises(Refused, match="a refusal is expected together with something else"):
        asked.then(refused("wrong-state"), ROLLED)


def test_a_when_without_its_then_is_a_debt_until_it_is_asked() -> None:
    with watching() as watch:
        asked = declared().when("p1", c.Resolve(1))
        [owed] = watch.owed()
        assert owed == "when p1 asks Resolve(roll=1): `then` is missing, nothing was checked"
        asked.then(refused("wrong-state"))
        assert watch.owed() == []


# --- differences ----------------------------------------------------------------------------------

A, B, C = (tabled.SeatTaken("narrator", seat, "player") for seat in ("a", "b", "c"))
ENTERED = tabled.CharacterEntered("narrator", "c1", "a", {"Body": 3}, {})


@pytest.mark.parametrize(
    ("expected", "found", "lines"),
    [
        ([A, B, C], [A, B, C], []),
        ([A, B, C], [A, C], ["- 1 did not come: " + summary(B)]),
        ([A, C], [A, B, C], ["+ 1 was not expected: " + summary(B)]),
        (
            [A, B],
            [B, A],
            ["- 0 did not come: " + summary(A), "+ 1 was not expected: " + summary(A)],
        ),
        ([A], [B], ["! 0 SeatTaken", '      seat: expected "a", found "b"']),
        ([ENTERED], [A], ["! 0 SeatTaken", "      expected CharacterEntered, found SeatTaken"]),
        ([None, A], [None, A], []),
        ([None], [A], ["! 0 SeatTaken", f"      expected (erased), found {summary(A)}"]),
        ([A], [None], ["! 0 an erased one", f"      expected {summary(A)}, found (erased)"]),
        ([tabled.SeatTaken, like(tabled.SeatTaken, seat="b")], [A, B], []),
        ([like(tabled.CharacterEntered, attributes={"Body": 3})], [ENTERED], []),
        (
            [like(tabled.CharacterEntered, attributes={"Body": 4, "Wits": 1})],
            [ENTERED],
            [
                "! 0 CharacterEntered",
                "      attributes.Body: expected 4, found 3",
                "      attributes.Wits: expected 1, found nothing",
            ],
        ),
    ],
)
def test_differences_are_told_event_by_event(
    expected: list[Expected], found: list[Event | None], lines: list[str]
) -> None:
    assert differences(expected, found) == lines


def test_a_number_is_not_a_truth_value() -> None:
    truth, number = (replace(OPENED, options={"on": on}) for on in (True, 1))
    assert differences([truth], [number])[1:] == ["      options.on: expected true, found 1"]


def test_events_of_a_long_log_are_still_compared() -> None:
    many = [tabled.SeatTaken("narrator", f"s{at}", "player") for at in range(1_200)]
    assert len(differences([A, *many], [*many, A])) == 2 * 1_200 + 2


def test_a_table_of_a_ruleset_that_is_not_installed_is_given_like_any_other() -> None:
    table = FixtureTable(PIPS)
    who = table.character("Ann", attributes={"skill": 1})
    told_of = like(rolled.RollDeclared, declaration={"skill": 1, "dice": 2})
    given(table).when("p1", c.Declare(who.id, {"dice": 2})).then(told_of)
