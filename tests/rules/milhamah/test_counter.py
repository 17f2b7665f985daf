"""The counter: who may make it, with which roots, and from which dice."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.rules.rolls import brief, milhamah, one, sheet, sheets
from urim.errors import Refused
from urim.rules.milhamah import RULESET, Declaration, Options, Reaction
from urim.rules.ruleset import Outcome, Roll

SKILLS = {"sword": "חרב", "leap": "דגג", "song": "שיר", "cut": "חרב"}
TOAD = sheet("toad", {"sword": 2, "leap": 1, "cut": 1})
FINAL = "רבחגדגא*"


def failed(faces: str = FINAL, degree: str = "failure", **kwargs: Any) -> Roll:
    """Etgar's failed attack on the toad."""
    kwargs.setdefault("options", {"skill_roots": SKILLS})
    kwargs.setdefault("reply", "חחחנ")
    roll = milhamah(faces, **kwargs)
    return replace(roll, outcome=Outcome(degree, -1, {}))


def roots(roll: Roll) -> tuple[Any, ...]:
    """The roots with which the toad may counter."""
    found = [offer for offer in RULESET.offers(roll, sheets(TOAD)) if offer.trigger == "declare"]
    assert all(
        (offer.character, offer.link, offer.choice) == ("toad", "counter", "root")
        for offer in found
    )
    return found[0].options if found else ()


@pytest.mark.parametrize("degree", ["failure", "botch"])
def test_the_opponent_counters_by_the_skills_that_the_dice_spell(degree: str) -> None:
    assert roots(failed(degree=degree)) == ("חרב", "דגג")
    assert roots(failed("רבחגדאא*", degree)) == ("חרב",)
    assert roots(failed("רב*גדאא*", degree)) == ()


@pytest.mark.parametrize("match", ["repeats", "letters"])
def test_repeats_count_as_the_table_reads_them(match: str) -> None:
    options = {"skill_roots": SKILLS, "counter_match": match}
    expected = () if match == "repeats" else ("דגג",)
    assert roots(failed("דגאאאאאא", options=options)) == expected


@pytest.mark.parametrize(
    "roll",
    [
        failed(degree="success at a cost"),
        failed(degree="success"),
        failed("רוחבגדגא"),  # natural, whatever it came to
        failed(link="counter"),
        failed(options={"skill_roots": SKILLS, "counter": "none"}),
        failed(reply=None, declined=True),
        failed(reply=None, reaction=None),
        replace(failed(), outcome=None),
    ],
)
def test_no_counter_is_offered(roll: Roll) -> None:
    assert roots(roll) == ()


def test_a_counter_starts_from_the_dice_as_they_lie() -> None:
    parent = failed(dice={"green": 4, "red": 4}, initiator={"frozen": (0,), "rerolls": 1})
    settled, _ = RULESET.settle(parent.options, Declaration(root="חרב", rating=2), TOAD, "counter")
    declaration, dice = RULESET.follow(settled, "counter", parent)
    assert (declaration.opponent, declaration.dice) == ("etgar", {"green": 4, "red": 4})
    assert "".join(str(die.face) for die in dice) == FINAL
    assert [die.id for die in dice] == [die.id for die in parent.hands[0].dice]
    assert all(
        die.thrown == (die.face,) and die.landed == die.face and not die.frozen for die in dice
    )
    again, same = RULESET.follow(declaration, "counter", parent)
    assert (again, same) == (declaration, dice)


def test_a_counter_is_answered_then_takes_the_dice_over() -> None:
    counter = milhamah(root="חרב", opponent="etgar", link="counter", dice={"red": 1, "green": 1})
    counter = replace(counter, character="toad")
    assert [brief(offer) for offer in RULESET.offers(counter, sheets())] == ["react!"]
    answered = replace(counter, reactions=(("etgar", Reaction(root="רוח", rating=1)),))
    throw = one(RULESET.offers(answered, sheets()), "roll initiator")
    assert (throw.link, throw.dice) == ("counter", ("red-a", "green-a"))


def test_wilds_count_in_a_counter_and_its_first_throw_earns_no_bonus() -> None:
    taken = {"taken": True}
    result = RULESET.outcome(
        milhamah(FINAL, root="חרב", link="counter", initiator=taken, choices={"natural": "bonus"})
    )
    assert result.figures["successes"] == 3 + 1 + 3


def test_a_counter_by_fresh_dice_throws_its_own() -> None:
    options = {"skill_roots": SKILLS, "counter": "fresh"}
    parent = failed(options=options)
    wish = Declaration(root="חרב", rating=2, dice={"blue": 4, "green": 4})
    settled, _ = RULESET.settle(parent.options, wish, TOAD, "counter")
    declaration, dice = RULESET.follow(settled, "counter", parent)
    assert (declaration.dice, dice) == ({"blue": 4, "green": 4}, ())
    counter = milhamah(link="counter", declined=True, options=options)
    assert one(RULESET.offers(counter, sheets()), "roll initiator").link == ""


@pytest.mark.parametrize(
    ("declared", "link", "options", "code", "value"),
    [
        ({}, "soak", {}, "unknown", "'soak'"),
        ({}, "counter", {"counter": "none"}, "not-offered", "without counters"),
        ({"opponent": "rachel"}, "counter", {}, "malformed", "rachel"),
    ],
)
def test_what_cannot_follow_is_refused(
    declared: dict[str, Any], link: str, options: dict[str, Any], code: str, value: str
) -> None:
    declaration = Declaration(root="חרב", rating=2, **declared)
    with pytest.raises(Refused) as refused:
        RULESET.follow(declaration, link, replace(failed(), options=Options(**options)))
    assert refused.value.code == code
    assert value in str(refused.value)
