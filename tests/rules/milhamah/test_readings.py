"""Every reading: each of its values makes a difference; outcomes name those that decided."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.rolls import milhamah, sheet, sheets
from urim.errors import Refused
from urim.rules.milhamah import RULESET, Declaration, Options, Reaction
from urim.rules.milhamah.declare import CIRCUMSTANCES, Status
from urim.rules.milhamah.outcome import REWARDS
from urim.rules.readings import readings_of
from urim.rules.ruleset import Outcome, Roll

READINGS = readings_of(Options)
TABLE = Options(skill_roots={"sword": "חרב", "leap": "דגג"})
TOAD = sheet("toad", {"VIG": 2, "sword": 1, "leap": 1})
NATURAL = "רוחבב"
ALLOW = {"natural": "allow"}
BONUS = {"natural": "bonus"}
STRIKES: dict[str, Any] = {"faces": NATURAL, "reply": "בב", "combat": True, "choices": ALLOW}

Case = Callable[[Options], object]


def judged(roll: Roll) -> tuple[object, set[str]]:
    """An outcome, and apart from it the readings that it names."""
    result = RULESET.outcome(roll)
    return replace(result, readings=()), set(result.readings)


def hurt(roll: Roll) -> tuple[object, set[str]]:
    """The damage or why there is none, and the readings that it names."""
    try:
        result = RULESET.damage(roll, sheets(TOAD))
    except Refused as refused:
        return refused.code, set()
    return replace(result, readings=()), set(result.readings)


def come(**kwargs: Any) -> Case:
    return lambda options: judged(replace(milhamah(**kwargs), options=options))[0]


def offered(degree: str | None = None, **kwargs: Any) -> Case:
    outcome = Outcome(degree, 2, {}) if degree else None
    roll = replace(milhamah(**kwargs), outcome=outcome)
    return lambda options: RULESET.offers(replace(roll, options=options), sheets(TOAD))


def struck(degree: str, margin: int) -> Case:
    roll = replace(milhamah(**STRIKES, location="ו"), outcome=Outcome(degree, margin, {}))
    return lambda options: hurt(replace(roll, options=options))[0]


def settled(wish: Declaration, **tracks: int) -> Case:
    def case(options: Options) -> object:
        try:
            return RULESET.settle(options, wish, sheet("etgar", **tracks), None)
        except Refused as refused:
            return refused.code

    return case


def countered(options: Options) -> object:
    """What becomes of a counter with colours of its own."""
    parent = replace(milhamah("חרב", reply="חחח"), options=options)
    wish = Declaration(root="חרב", rating=1, dice={"green": 4, "red": 4})
    try:
        return RULESET.follow(wish, "counter", parent)
    except Refused as refused:
        return refused.code


CASES: dict[str, Case] = {
    "supply": settled(Declaration(root="רוח", rating=1, status={"blessed": Status(D=1)})),
    "cipher_dice": offered(faces="רבב"),
    "difficulty_step": come(faces="רבב", modifiers={"far": 1}),
    "natural_counts_repeats": come(faces="חנב", root="חננ", choices=BONUS),
    "reactor_natural": come(faces="רבב", reply="חננ"),
    "wild_only_botch": come(faces="***"),
    "natural_bonus_before_compare": come(faces=NATURAL, target=4, choices=BONUS),
    "natural_bonus_opposed": come(faces=NATURAL, reply="חב", choices=ALLOW),
    "first_roll_natural_bonus": come(faces=NATURAL, choices=BONUS),
    "first_roll_natural": come(faces=NATURAL, choices=BONUS),
    "advantage_adds_to": come(faces="רבב", reply="חב", rating=2),
    "adds_once": come(faces="רבב", reply="חב", rating=2, modifiers={"lit": -1}),
    "xr_in": come(faces="רבב", reply="חב", rating=2, xr=1),
    "declined": come(faces="רבב", declined=True, combat=True),
    "combat_step": come(faces="רבב", circumstances=("ambushed",)),
    "botch_rewards": offered(faces="בבב", reply="חבב"),
    "reactor_botch": come(faces="רבב", reply="בבב"),
    "pocket_lapses": settled(Declaration(root="רוח", rating=1), pocket=2),
    "pocket_saves": come(faces="***", pocketed=2),
    "no_dice": settled(Declaration(root="רוח", rating=1, status={"crushed": Status(D=-8)})),
    "counter_first_roll": come(faces=NATURAL, reply="חב", choices=ALLOW, link="counter"),
    "counter_match": offered("failure", faces="דגבבב", reply="חחח"),
    "counter": countered,
    "players_know_hebrew": offered("failure", faces="רבב"),
    "location_die": lambda options: RULESET.faces(options)["location"],
    "location_wild": offered(**STRIKES),
    "damage_by": struck("success", 2),
    "soak_start": lambda options: RULESET.tracks(options)["soak"],
    "wound_track": struck("critical success", 9),
}
"""For each reading, something that depends on it."""

NO_GAIN = {"cipher_dice": 0, "reactor_botch": False}
OTHERWISE: dict[str, dict[str, Any]] = {
    "botch_rewards": NO_GAIN,
    "location_wild": NO_GAIN,
    "xr_in": {"adds_once": "each"},
}
"""How the table reads what would hide a reading."""


def test_every_reading_has_its_case_and_its_words() -> None:
    assert set(CASES) == {one.name for one in READINGS}
    for one in READINGS:
        assert one.says.endswith(".") and one.assumed.endswith(".") and one.heading, one.name


@pytest.mark.parametrize(
    ("name", "value"), [(one.name, value) for one in READINGS for value in one.others]
)
def test_every_value_of_a_reading_makes_a_difference(name: str, value: Any) -> None:
    table = replace(TABLE, **OTHERWISE.get(name, {}))
    assert CASES[name](table) != CASES[name](replace(table, **{name: value}))


@pytest.mark.parametrize(
    ("roll", "names"),
    [
        (milhamah("רבב"), ()),
        (milhamah("רבב", modifiers={"far": 1}), ("difficulty_step",)),
        (milhamah("רבב", reply="חב"), ()),
        (milhamah("רבב", reply="חב", rating=2), ("advantage_adds_to",)),
        (milhamah("רבב", reply="חב", rating=2, xr=2), ("adds_once", "advantage_adds_to")),
        (
            milhamah("רבב", reply="חב", rating=2, xr=2, options={"adds_once": "each"}),
            ("adds_once", "advantage_adds_to", "xr_in"),
        ),
        (
            milhamah("רבב", reply="חב", modifiers={"far": 1}),
            ("adds_once", "advantage_adds_to", "difficulty_step"),
        ),
        (milhamah("רבב", declined=True, combat=True), ("damage_by", "declined")),
        (milhamah("רבב", declined=True), ()),
        (milhamah("רבב", initiator={"means": ("cipher",)}), ("cipher_dice",)),
        (milhamah("רבב", dice={"red": 5, "blue": 3}), ("supply",)),
        (milhamah("רבב", dice={"red": 4, "blue": 4, "green": 1}), ("supply",)),
        (milhamah("רבב", status={"blessed": Status(D=1)}), ("supply",)),
        (milhamah("רבב", idle=2), ("pocket_lapses",)),
        (milhamah("", dice={}, status={"crushed": Status(D=-8)}), ("no_dice",)),
        (milhamah("***", pocketed=1), ("pocket_saves", "wild_only_botch")),
        (milhamah("רבב", link="counter", options={"counter": "fresh"}), ("counter",)),
        (milhamah("דגב", reply="חב", options={"skill_roots": {"leap": "דגג"}}), ("counter_match",)),
        (milhamah("דגג", reply="חב", options={"skill_roots": {"leap": "דגג"}}), ("counter",)),
        (milhamah("דגג", declined=True, options={"skill_roots": {"leap": "דגג"}}), ()),
        (milhamah("רבב", reply="בב", combat=True), ("damage_by", "reactor_botch")),
        (milhamah("רבב", reply="בב"), ("reactor_botch",)),
        (milhamah("רבב", reply="**"), ("reactor_botch", "wild_only_botch")),
        (milhamah("בבב", reply="בב"), ("reactor_botch",)),
        (milhamah("בבב"), ()),
        (milhamah("רבב", reply="חננ"), ("reactor_natural",)),
        (milhamah("בבב", reply="חח", choices={"reward": "both"}), ("botch_rewards",)),
        (milhamah("בבב", reply="חח", choices={"reward": "xr"}), ()),
        (milhamah("חנב", root="חננ"), ("natural_counts_repeats",)),
        (milhamah("רוחב", choices={"natural": "merit"}), ()),
        (
            milhamah("רוחב", choices=BONUS),
            ("first_roll_natural", "first_roll_natural_bonus"),
        ),
        (
            milhamah("רוחב", target=5, choices=BONUS, initiator={"first": "בבבב", "rerolls": 1}),
            ("natural_bonus_before_compare",),
        ),
        (
            milhamah("רוחב", reply="בב", choices=ALLOW, circumstances=("ambushed",)),
            (
                *("adds_once", "advantage_adds_to", "combat_step", "first_roll_natural_bonus"),
                *("natural_bonus_opposed", "reactor_botch"),
            ),
        ),
    ],
)
def test_an_outcome_names_the_readings_that_decided_it(roll: Roll, names: tuple[str, ...]) -> None:
    assert RULESET.outcome(roll).readings == names


HANDS: list[dict[str, Any]] = [{}, {"taken": True}, {"rerolls": 1}]
FACES = st.text(alphabet="רוחנב*", max_size=9)
ROOTS = st.sampled_from(["רוח", "חננ", "ור", "בב", "ר"])


@st.composite
def tables(draw: st.DrawFn) -> Options:
    """Options with any values of their readings."""
    chosen = {one.name: draw(st.sampled_from((one.default, *one.others))) for one in READINGS}
    return Options(**chosen)


@st.composite
def rolls(draw: st.DrawFn) -> Roll:
    """Rolls of any shape, whether or not their history could be."""
    reply = draw(st.none() | FACES)
    faces = draw(FACES)
    declined = draw(st.booleans())
    choices = {
        "natural": draw(st.sampled_from(["bonus", "merit", "prevent", "allow"])),
        "reward": draw(st.sampled_from(sorted(REWARDS))),
        "location": draw(st.sampled_from("אבג")),
    }
    roll = milhamah(
        faces,
        reply=reply,
        reaction=None
        if reply is None
        else Reaction(root=draw(ROOTS), rating=draw(st.integers(-1, 3))),
        declined=declined,
        location=draw(st.sampled_from([None, "א", "*", "*ג"])),
        choices={name: choices[name] for name in draw(st.sets(st.sampled_from(sorted(choices))))},
        initiator=draw(st.sampled_from([*HANDS, {"first": "ב" * len(faces)}])),
        root=draw(ROOTS),
        rating=draw(st.integers(-1, 3)),
        target=draw(st.integers(1, 8)),
        modifiers=draw(st.dictionaries(st.sampled_from(["far", "lit"]), st.integers(-2, 2))),
        circumstances=tuple(draw(st.sets(st.sampled_from(sorted(CIRCUMSTANCES)), max_size=3))),
        combat=draw(st.booleans()),
        pocketed=draw(st.integers(0, 2)),
        xr=draw(st.integers(0, 2)),
        idle=draw(st.integers(0, 2)),
        link=draw(st.sampled_from([None, "counter"])),
    )
    return replace(roll, options=draw(tables()))


CHANGES = st.sampled_from(
    [(one.name, value) for one in READINGS for value in (one.default, *one.others)]
)


@given(rolls(), CHANGES)
def test_a_reading_that_changes_an_outcome_is_named_in_it(
    roll: Roll, change: tuple[str, Any]
) -> None:
    name, value = change
    other = replace(roll, options=replace(roll.options, **{name: value}))
    (before, named), (after, named_after) = judged(roll), judged(other)
    if before != after:
        assert name in named
        assert name in named_after


@given(rolls(), CHANGES, st.integers(0, 12), st.sampled_from(["success", "critical success"]))
def test_a_reading_that_changes_a_wound_is_named_in_it(
    roll: Roll, change: tuple[str, Any], margin: int, degree: str
) -> None:
    name, value = change
    roll = replace(roll, outcome=Outcome(degree, margin, {}))
    other = replace(roll, options=replace(roll.options, **{name: value}))
    (before, named), (after, named_after) = hurt(roll), hurt(other)
    if before != after:  # no damage, no reading to name
        assert name in named or before == "not-offered"
        assert name in named_after or after == "not-offered"
