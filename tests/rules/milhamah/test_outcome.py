"""What an outcome tells: every figure of it, and what the characters gain at once."""

from typing import Any

import msgspec
import pytest

from tests.rules.rolls import milhamah
from urim.events.base import Effect
from urim.rules.milhamah import RULESET, Reaction

NATURAL = "רוחב*"
PLAIN = "רובב"
NONE = "בגד*"


def test_an_unopposed_roll_is_told_in_full() -> None:
    roll = milhamah(
        PLAIN,
        rating=3,
        target=4,
        modifiers={"far": 1, "lit": -2},
        circumstances=("ambushed",),
        pocketed=1,
        initiator={"rerolls": 1},
    )
    assert RULESET.outcome(roll).figures == {
        "root": "רוח", "rating": 3, "x_gained": 0, "x_modifiers": 0, "total": 3,
        "x": 3, "x_advantage": 0, "x_circumstances": 0, "rerolls": 1,
        "letters": 2, "wilds": 0, "pocketed": 1, "advantage": 0, "before_bonus": 3,
        "natural": False, "bonus": 0, "first_roll_bonus": 0, "successes": 3,
        "difficulty": 4, "modifier:far": 1, "modifier:lit": -2, "modifiers": -1,
        "circumstance:ambushed": 1, "circumstances": 1, "target": 4,
    }  # fmt: skip


def test_an_opposed_roll_is_told_in_full() -> None:
    roll = milhamah(
        NATURAL,
        reply="בב",
        reaction=Reaction(root="חננ", rating=1),
        rating=3,
        circumstances=("unnoticed",),
        combat=True,
        location="ש",
        choices={"natural": "allow"},
    )
    assert RULESET.outcome(roll).figures == {
        "root": "רוח", "rating": 3, "x_gained": 0, "x_modifiers": 0, "total": 3,
        "x_advantage": 2, "circumstance:unnoticed": -1, "x_circumstances": 1, "x": 6, "rerolls": 0,
        "compared": 4, "counted_already": 1,
        "letters": 3, "wilds": 1, "pocketed": 0, "advantage": 0, "before_bonus": 4,
        "natural": True, "bonus": 1, "first_roll_bonus": 1, "successes": 6,
        "opponent": "toad", "opponent_root": "חננ", "opponent_rating": 1, "opponent_total": 1,
        "opponent_x_advantage": 0, "opponent_x": 1,
        "opponent_letters": 0, "opponent_bonus": 0, "opponent_advantage": 0, "prevented": False,
        "target": 0, "natural_choice": "allow", "opponent_severity": 0, "opponent_xr": 6,
        "letter": "ש", "location": "head",
    }  # fmt: skip


def test_a_prevented_reaction_is_told() -> None:
    figures = RULESET.outcome(milhamah(NATURAL, reply="חח", choices={"natural": "prevent"})).figures
    assert (figures["prevented"], figures["target"]) == (True, 0)


@pytest.mark.parametrize(
    ("roll", "expected"),
    [
        (milhamah(NONE), {"severity": 1}),
        (milhamah(NONE, reply="חב"), {"severity": 1, "xr": 1}),
        (
            milhamah(NONE, reply="חב", choices={"reward": "xr"}),
            {"severity": 1, "xr": 1, "reward": "xr"},
        ),
        (milhamah(PLAIN, reply="חב"), {}),
        (milhamah(PLAIN, reply="בב"), {"opponent_severity": 0, "opponent_xr": 2}),
        (
            milhamah(PLAIN, reply="**", choices={"gain": "xr"}),
            {"opponent_severity": 2, "opponent_xr": 2, "gain": "xr"},
        ),
        (milhamah(PLAIN, reply="**", options={"wild_only_botch": False}), {}),
        (milhamah(PLAIN, reply="בב", options={"reactor_botch": False}), {}),
        # Who has no success gains none.
        (milhamah(NONE, reply="בב"), {"severity": 1, "xr": 0, "opponent_severity": 0}),
    ],
)
def test_a_botch_shows_its_severity_and_its_price(roll: Any, expected: dict[str, Any]) -> None:
    figures = RULESET.outcome(roll).figures
    price = ("severity", "xr", "reward", "opponent_severity", "opponent_xr", "gain")
    assert {key: figures[key] for key in price if key in figures} == expected
    assert msgspec.json.decode(msgspec.json.encode(figures)) == figures


MERIT = {"natural": "merit"}
BOTH = {"reward": "both"}
GAIN = {"gain": "both"}


@pytest.mark.parametrize(
    ("roll", "effects"),
    [
        (milhamah(NATURAL, choices=MERIT), [("etgar", "merit", 1)]),
        (milhamah(NATURAL, choices={"natural": "bonus"}), []),
        (milhamah(NATURAL), []),
        # A choice that no longer has its occasion gives nothing.
        (milhamah(PLAIN, choices=MERIT), []),
        (milhamah(NATURAL, reply="חח", choices=MERIT), []),
        (milhamah(NONE, reply="חח", choices=BOTH), [("toad", "xr", 2), ("toad", "pocket", 2)]),
        (milhamah(NONE, reply="חח", choices={"reward": "pocket"}), [("toad", "pocket", 2)]),
        (milhamah(PLAIN, reply="בב", choices=GAIN), [("etgar", "xr", 2), ("etgar", "pocket", 2)]),
        (milhamah(PLAIN, reply="חב", choices=GAIN), []),
        (milhamah(NONE, reply="בב", choices=GAIN), []),
        (milhamah(NONE, reply="חח", choices={"reward": "none"}), []),
        (milhamah(NONE, reply="חח"), []),
        (milhamah(NONE, reply="בב", choices=BOTH), []),
        (milhamah(NONE, choices=BOTH), []),
        (milhamah(PLAIN, reply="חח", choices=BOTH), []),
        (
            milhamah(NONE, reply="חח", choices=BOTH, options={"botch_rewards": "one"}),
            [("toad", "xr", 2)],
        ),
        (
            milhamah(
                NONE, reply="חח", choices={"reward": "pocket"}, options={"botch_rewards": "one"}
            ),
            [("toad", "pocket", 2)],
        ),
    ],
)
def test_characters_gain_what_was_chosen(roll: Any, effects: list[tuple[str, str, int]]) -> None:
    assert RULESET.outcome(roll).effects == tuple(Effect(*effect) for effect in effects)
