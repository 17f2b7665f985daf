"""Declarations and reactions: what is written into them, and what is refused."""

import json
from typing import Any

import msgspec
import pytest

from tests.rules.rolls import milhamah, sheet
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.base import Effect
from urim.rules.milhamah import RULESET, Declaration, Options, Reaction
from urim.rules.milhamah.declare import TARGETS, Status

RACHEL = sheet("rachel", {"BLE": 3, "prayer": 2})


def settled(options: dict[str, Any] | None = None, link: str | None = None, **declared: Any) -> Any:
    """Rachel's declaration once it is settled."""
    fields: dict[str, Any] = {"root": "אשר", "rating": 3}
    wish = Declaration(**fields | declared)
    return RULESET.settle(Options(**options or {}), wish, RACHEL, link)[0]


def test_a_settled_declaration_no_longer_needs_the_sheet() -> None:
    declaration = settled(root=None, rating=None, attribute="BLE", skill="prayer", target="Heroic")
    assert (declaration.root, declaration.rating, declaration.target) == ("אשר", 5, 6)
    assert declaration.dice == {"red": 4, "blue": 4}
    assert msgspec.convert(msgspec.to_builtins(declaration), Declaration) == declaration


def test_settling_again_changes_nothing() -> None:
    declaration = settled(root="חנן", modifiers={"far": 1})
    assert RULESET.settle(Options(), declaration, sheet("rachel"), None) == (declaration, ())


@pytest.mark.parametrize(("name", "successes"), TARGETS.items())
def test_every_difficulty_has_its_successes(name: str, successes: int) -> None:
    assert settled(target=name).target == successes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", 1),
        ("target", 11),  # a higher number than miraculous may be named
        ("target", 100),
        ("rating", 100),
        ("rating", -100),
        ("root", "רו"),
        ("root", "רוחב"),
    ],
)
def test_what_lies_on_the_edge_is_accepted(field: str, value: Any) -> None:
    assert getattr(settled(**{field: value}), field) == value


def test_with_leave_a_root_may_have_up_to_twelve_letters() -> None:
    assert settled(root="א" * 12, leave=True).root == "א" * 12


@pytest.mark.parametrize(
    ("named", "root"),
    [
        ({"root": "רוחך"}, "רוחכ"),
        ({"root": "\u2068רוּחַ\u2069 "}, "רוח"),  # as it is pasted
        ({"root": "\u200fחָנָן\u200f"}, "חננ"),
        ({"root": None, "attribute": "GRA"}, "חננ"),
        ({"root": None, "skill": "sword", "attribute": "GRA"}, "חרב"),
        ({"root": None, "skill": "jump", "attribute": "GRA"}, "חננ"),
        ({"root": None, "skill": "chant"}, "אבגדה"),  # the table's own data needs no leave
        ({"root": "א", "leave": True}, "א"),
    ],
)
def test_the_root_is_the_declared_the_skills_or_the_attributes(named: Any, root: str) -> None:
    roots = {"skill_roots": {"sword": "חרב", "chant": "אבגדה"}}
    assert settled(roots, **named).root == root


def test_the_log_holds_a_pasted_root_bare() -> None:
    table = Table("milhamah", dice="scripted")
    rachel, toad = (table.character(name, attributes={"BLE": 3}) for name in ("Rachel", "Toad"))
    roll = table.declare(rachel, root="\u2068אָשֵׁר\u2069", rating=3, opponent=toad.id)
    roll.react(root=" רוּחַ\u200f", rating=2)
    events = [json.loads(entry.payload or b"")["event"] for entry in table.entries]
    declared = [event["declaration"] for event in events if "declaration" in event]
    reacted = [event["reaction"] for event in events if "reaction" in event]
    assert [each["root"] for each in declared + reacted] == ["אשר", "רוח"]


@pytest.mark.parametrize(
    ("status", "dice"),
    [
        ({}, {"red": 4, "blue": 4}),
        ({"dazed": Status(D=-3)}, {"red": 3, "blue": 2}),
        ({"blessed": Status(D=2)}, {"red": 5, "blue": 5}),
        ({"blessed": Status(D=9)}, {"red": 6, "blue": 6, "green": 5}),
        ({"dazed": Status(D=-7)}, {"red": 1}),
        ({"cold": Status(colours=("blue", "green"))}, {"blue": 4, "green": 4}),
        ({"pure": Status(colours=("green",))}, {"green": 6}),
        ({"cold": Status(D=-4, colours=("blue", "green"))}, {"blue": 2, "green": 2}),
        (
            {"a": Status(colours=("blue", "green")), "b": Status(D=-4, colours=("red", "blue"))},
            {"blue": 4},
        ),
    ],
)
def test_statuses_change_the_first_throw(status: dict[str, Status], dice: dict[str, int]) -> None:
    assert settled(status=status).dice == dice


def test_a_throw_without_dice_is_refused_by_the_name_of_what_took_them() -> None:
    status = {
        "crushed": Status(D=-9), "tired": Status(D=-1), "blessed": Status(D=2), "mild": Status(C=1),
    }  # fmt: skip
    with pytest.raises(Refused, match=r"no dice are left to throw: crushed, tired$"):
        settled(status=status)
    with pytest.raises(Refused, match="no dice are left"):
        RULESET.answer(milhamah(), Reaction(root="רוח", rating=1, status=status), sheet("toad"))
    allowed = Options(no_dice="botch")
    wish = Declaration(root="רוח", rating=1, status=status)
    assert RULESET.settle(allowed, wish, sheet("etgar"), None)[0].dice == {}


def test_a_general_difficulty_asks_for_the_successes_of_the_book() -> None:
    names = (
        ("beginner", "untrained"), ("average",), ("challenging",), ("professional",), ("expert",),
        ("heroic",), ("legendary",), ("miraculous",),
    )  # fmt: skip
    wanted = {name: number for number, each in enumerate(names, 1) for name in each}
    assert {name: settled(target=name).target for name in TARGETS} == wanted


def test_a_modifier_without_size_is_refused_by_its_name() -> None:
    wish = Declaration(root="רוח", rating=1, modifiers={"calm": 0, "far": 1})
    with pytest.raises(Refused, match="the modifier 'far' counts nowhere"):
        RULESET.settle(Options(difficulty_step=0), wish, sheet("etgar"), None)


def test_the_players_colours_are_kept_in_his_order() -> None:
    assert list(settled(dice={"green": 4, "red": 4, "blue": 0}).dice) == ["green", "red"]


def test_none_of_a_forbidden_colour_may_be_named() -> None:
    cold = {"cold": Status(colours=("blue", "green"))}
    dice = {"red": 0, "green": 4, "blue": 4}
    assert settled(dice=dice, status=cold).dice == {"green": 4, "blue": 4}


def test_the_third_colour_comes_in_beyond_eight_dice() -> None:
    dice = {"red": 3, "green": 4, "blue": 2}
    assert settled(dice=dice, status={"blessed": Status(D=1)}).dice == dice


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"xr": 2}, "malformed", "xr"),
    ({"pocketed": 3}, "malformed", "3"),
    ({"opponent": "rachel"}, "malformed", "rachel"),
    ({"circumstances": ("sleepy",)}, "unknown", "'sleepy'"),
    ({"circumstances": ("ambushed", "ambushed")}, "malformed", "'ambushed'"),
    ({"circumstances": ("partial cover", "complete cover")}, "malformed", "cover"),
    ({"target": "easy"}, "unknown", "'easy'"),
    ({"target": 0}, "out-of-range", "0"),
    ({"target": 101}, "out-of-range", "101"),
    ({"root": "א"}, "needs-leave", "'א' has 1"),
    ({"root": "אבגדה"}, "needs-leave", "has 5"),
    ({"root": "abc"}, "malformed", "'abc'"),
    ({"root": "", "leave": True}, "malformed", "''"),
    ({"root": "א" * 13, "leave": True}, "out-of-range", "12"),
    ({"root": None}, "unknown", "no root is declared"),
    ({"root": None, "attribute": "VIG"}, "unknown", "'VIG'"),
    ({"rating": None}, "malformed", "rating"),
    ({"rating": None, "attribute": "VIG"}, "unknown", "'VIG'"),
    ({"rating": 101}, "out-of-range", "101"),
    ({"dice": {"pink": 8}}, "unknown", "'pink'"),
    ({"dice": {"red": 7, "blue": 1}}, "too-many", "7 red dice"),
    ({"dice": {"red": 4, "blue": 2, "green": 2}}, "too-many", "3 colours"),
    ({"dice": {"red": 4}}, "out-of-range", "4 dice"),
    ({"dice": {"red": 4, "blue": 4}, "status": {"dazed": Status(D=-1)}}, "too-many", "throws 7"),
    (
        {"dice": {"red": 4, "blue": 4}, "status": {"cold": Status(colours=("blue",))}},
        "too-many",
        "no red dice",
    ),
    (
        {"status": {"hot": Status(colours=("red",)), "cold": Status(colours=("blue",))}},
        "malformed",
        "'cold' and 'hot'",
    ),
]


@pytest.mark.parametrize(("declared", "code", "value"), REFUSED)
def test_what_cannot_be_declared_is_refused_by_code_and_value(
    declared: dict[str, Any], code: str, value: str
) -> None:
    with pytest.raises(Refused) as refused:
        settled(**declared)
    assert refused.value.code == code
    assert value in str(refused.value)


@pytest.mark.parametrize(
    "declared",
    [
        {"rating": 101},
        {"target": 0},
        {"modifiers": {"far": 101}},
        {"dice": {"red": -1}},
        {"status": {"dazed": {"D": -101}}},
        {"status": {"dazed": {"rerolls": ["Y"]}}},
        {"circumstances": ["sleepy"]},
        {"xr": -1},
        {"roots": "אשר"},
    ],
)
def test_what_is_out_of_bounds_is_no_declaration(declared: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(declared, Declaration)


def test_what_a_botch_gave_is_spent_by_the_next_attack() -> None:
    etgar = sheet("etgar", xr=2, pocket=3)
    attack = Declaration(root="רוח", rating=1, opponent="toad")
    declaration, effects = RULESET.settle(Options(), attack, etgar, None)
    assert (declaration.xr, declaration.pocketed) == (2, 3)
    assert effects == (Effect("etgar", "xr", -2), Effect("etgar", "pocket", -3))


def test_pocketed_successes_lapse_with_a_turn_that_is_no_attack() -> None:
    etgar = sheet("etgar", xr=2, pocket=3)
    climb = Declaration(root="רוח", rating=1)
    declaration, effects = RULESET.settle(Options(), climb, etgar, None)
    assert (declaration.xr, declaration.pocketed) == (2, 0)
    assert effects == (Effect("etgar", "xr", -2), Effect("etgar", "pocket", -3))


def test_pocketed_successes_may_be_read_to_wait_for_an_attack() -> None:
    etgar, waits = sheet("etgar", pocket=3), Options(pocket_lapses=False)
    climb = Declaration(root="רוח", rating=1)
    declaration, effects = RULESET.settle(waits, climb, etgar, None)
    assert (declaration.pocketed, effects) == (0, ())
    shove = Declaration(root="רוח", rating=1, combat=True)
    declaration, effects = RULESET.settle(waits, shove, etgar, None)
    assert (declaration.pocketed, effects) == (3, (Effect("etgar", "pocket", -3),))


def test_a_counter_is_no_turn_and_spends_nothing() -> None:
    etgar = sheet("etgar", xr=2, pocket=3)
    attack = Declaration(root="רוח", rating=1)
    declaration, effects = RULESET.settle(Options(), attack, etgar, "counter")
    assert (declaration.xr, declaration.pocketed, effects) == (0, 0, ())


def test_the_dice_of_a_counter_are_those_that_lie() -> None:
    assert settled(link="counter", dice={"red": 9}).dice == {}
    fresh = settled({"counter": "fresh"}, link="counter")
    assert fresh.dice == {"red": 4, "blue": 4}


def test_the_circumstances_of_an_attack_are_kept() -> None:
    assert settled(circumstances=("ambushed", "partial cover")).circumstances == (
        "ambushed",
        "partial cover",
    )


def test_a_reaction_is_settled_like_a_declaration() -> None:
    toad = sheet("toad", {"GRA": 2, "jump": 1})
    reaction = Reaction(attribute="GRA", skill="jump", dice={"green": 4, "blue": 4})
    answered, effects = RULESET.answer(milhamah(), reaction, toad)
    assert (answered.root, answered.rating, effects) == ("חננ", 3, ())
    assert answered.dice == {"green": 4, "blue": 4}
    assert RULESET.answer(milhamah(), None, toad) == (None, ())


def test_the_narrators_leave_covers_the_reaction() -> None:
    reaction = Reaction(root="א", rating=1)
    with pytest.raises(Refused, match="has 1"):
        RULESET.answer(milhamah(), reaction, sheet("toad"))
    answered, _ = RULESET.answer(milhamah(leave=True), reaction, sheet("toad"))
    assert answered.root == "א"


def test_only_an_opponent_is_involved() -> None:
    assert RULESET.involves(Declaration(opponent="toad")) == ("toad",)
    assert RULESET.involves(Declaration()) == ()


def test_what_only_a_narrator_or_nobody_sets_are_fields() -> None:
    named = {*RULESET.narrators, *RULESET.settled}
    assert named == {"leave", "xr", "pocketed", "idle"}
    assert named <= set(Declaration.__struct_fields__)
