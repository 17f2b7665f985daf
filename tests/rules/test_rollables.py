"""Rolls that a sheet begins: what they are called, what is asked, and that they can be declared."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import convert

from urim.engine.core.choices import begun, rollables
from urim.engine.core.commands import Declare
from urim.engine.testing.kit.forms import check_rollables
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.ruleset import Sheet

RATINGS: Mapping[str, Mapping[str, float]] = {
    "milhamah": {"BLE": 3, "wind": 2, "VIG": 2},
    "sagatafl": {"Lockpicking": 5, "Body": 4},
    "majesty": {"Precision": 7, "Sight": 9},
    "scarterra": {"Dexterity": 3, "Archery": 2},
    "age_of_magic": {"Stealth": 5.5, "DX": 4, "ST": 6, "armour": 2, "talent:Stealth": 1},
    "plain": {},
}

OPTIONS: Mapping[str, Mapping[str, Any]] = {"milhamah": {"skill_roots": {"wind": "רוח"}}}

TARGET, CHECK = ("target", "opponent"), ("opponent", "opposing")
SKILL = ("characteristic", "difficulty")

FOUND: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "milhamah": {"BLE": TARGET, "wind": ("attribute", *TARGET), "VIG": ("root", *TARGET)},
    "sagatafl": {"Lockpicking": ("rd",), "Body": ("rd",)},
    "majesty": {
        "Strike": ("opponent",),
        "Precision Check": CHECK,
        "Sight Check": CHECK,
        "Resist Check": ("attribute", "opponent", "cost", "spp"),
    },
    "scarterra": {
        "Dexterity": ("ability", "difficulty"),
        "Archery": ("ability", "difficulty"),
        "Attack": ("attribute", "ability", "opponent", "weapon"),
    },
    "age_of_magic": {"Stealth": SKILL, "DX": SKILL},
    "plain": dict.fromkeys(
        ("1d20", "1d20 adv", "1d20 dis", "1d100", "2d6", "3d6", "4d6kh3", "1d6", "1d12", "4dF"), ()
    ),
}

ANSWERS: Mapping[str, Any] = {
    "target": "average",
    "attribute": None,
    "root": "אשר",
    "rd": "default",
    "opponent": "c2",
    "cost": 40,
    "ability": None,
    "difficulty": 6,
    "characteristic": "DX",
    "weapon": 1,
}
"""What a player answers; None: the first rating of the sheet."""

LEFT_OUT = ("opposing", "spp")
"""What is asked for instead of another answer."""


@pytest.mark.parametrize("system", BUILT_IN)
def test_a_sheet_begins_the_rolls_of_its_system(system: str) -> None:
    rules = ruleset_named(system)
    options = convert(OPTIONS.get(system, {}), rules.Options)
    sheet = Sheet("c1", RATINGS[system], {})
    every = rules.rollables(options, sheet)
    assert {each.name: each.asks for each in every} == FOUND[system]
    for each in every:
        answers = {
            name: ANSWERS[name] or next(iter(sheet.attributes))
            for name in each.asks
            if name not in LEFT_OUT and not (name == "ability" and "Archery" in each.name)
        }
        if answers.get("attribute") == answers.get("ability") and "ability" in answers:
            answers["ability"] = "Archery"
        if each.declaration.get("attribute") == answers.get("ability"):
            answers.pop("ability", None)
        declared = convert({**each.declaration, **answers}, rules.Declaration)
        settled, _ = rules.settle(options, declared, sheet, None)
        assert settled


def test_an_empty_sheet_begins_nothing_but_plain_dice() -> None:
    for system in BUILT_IN:
        rules = ruleset_named(system)
        found = rules.rollables(rules.Options(), Sheet("c1", {}, {}))
        assert bool(found) is (system == "plain"), system


def fixture(system: str, attributes: Mapping[str, float]) -> FixtureTable:
    """A table of that system, with one character."""
    made = FixtureTable(system)
    made.character("Asta", attributes=attributes)
    return made


def test_each_has_another_name() -> None:
    for system, rating in (("scarterra", "Attack"), ("majesty", "Resist")):
        rules = ruleset_named(system)
        check_rollables(rules, rules.Options(), Sheet("c1", {rating: 2}, {}))
        names = [each.name for each in rollables(fixture(system, {rating: 2}).state, "p1", "c1")]
        assert len(names) == len({*names}) == 2


def begins(table: FixtureTable, words: str, who: str = "c1") -> tuple[Mapping[str, Any], list[str]]:
    """The declaration that words begin, and the words behind the roll's name."""
    found, rest = begun(table.state, "p1", who, words.split())
    return found.declaration, [*rest]


def test_words_begin_the_roll_of_that_name() -> None:
    table = fixture("majesty", {"Precision": 7, "Sight": 9})
    check = {"kind": "check", "attribute": "Sight"}
    assert begins(table, "sight check") == (check, [])
    assert begins(table, "Sight Check Bo 3") == (check, ["Bo", "3"])
    assert begins(table, "sight Bo") == (check, ["Bo"])  # no other begins so
    for words in ("dance", "Check", "Sight-check", "Si"):
        with pytest.raises(Refused) as refused:
            begins(table, words)
        assert refused.value.code == "unknown"
        assert f"'{words}' begins no roll of Asta" in refused.value.why
        assert "Strike" in refused.value.allowed
        assert "FIELD=VALUE" in refused.value.allowed


def test_names_that_differ_in_case_alone_are_told_apart() -> None:
    table = fixture("sagatafl", {"lockpicking": 1, "Lockpicking": 5, "Body": 4, "Bodyguard": 2})
    for name in ("lockpicking", "Lockpicking"):
        assert begins(table, f"{name} rd") == ({"trait": name}, ["rd"])
    assert begins(table, "BODY") == ({"trait": "Body"}, [])
    assert begins(table, "bodyg") == ({"trait": "Bodyguard"}, [])
    for words, allowed in (
        ("LOCKPICKING", ("lockpicking", "Lockpicking")),
        ("bod", ("Body", "Bodyguard")),
    ):
        with pytest.raises(Refused) as refused:
            begins(table, words)
        assert "begins several rolls" in refused.value.why
        assert refused.value.allowed == (*allowed, "FIELD=VALUE")


ANSWERED: Mapping[str, tuple[Mapping[str, Any], Mapping[str, tuple[Mapping[str, str], Any]]]] = {
    "milhamah": (
        {"attribute": "BLE", "opponent": "c2"},
        {"GRA": ({"attribute": "GRA"}, ()), "VIG": ({"attribute": "VIG"}, ("root",))},
    ),
    "sagatafl": ({"trait": "BLE", "opponent": "c2"}, {"GRA": ({"trait": "GRA"}, ("rd",))}),
    "majesty": (
        {"kind": "check", "attribute": "BLE", "opponent": "c2"},
        {"GRA Check": ({"attribute": "GRA"}, ())},
    ),
    "scarterra": (
        {"attribute": "BLE", "opponent": "c2"},
        {"GRA": ({"attribute": "GRA"}, ("ability",))},
    ),
}
"""By system: what is declared, and some of the rolls of a sheet that answer it."""


@pytest.mark.parametrize("system", ANSWERED)
def test_a_sheet_answers_a_roll_as_far_as_it_goes(system: str) -> None:
    declared, some = ANSWERED[system]
    made = fixture(system, {"BLE": 30})
    made.character("Bo", attributes={"GRA": 2, "VIG": 1})
    made.submit("p1", Declare("c1", {**declared}))
    found = rollables(made.state, "p2", "c2", reacts_to=1)
    assert some.items() <= {each.name: (each.declaration, each.asks) for each in found}.items()
    assert all(len(each.asks) <= 1 for each in found)
    with pytest.raises(Refused, match="no such answer"):
        rollables(made.state, "p1", "c1", reacts_to=1)


def test_what_an_answer_has_no_field_for_begins_none() -> None:
    made = fixture("majesty", {"Resist": 80})
    made.character("Bo", attributes={"Resist": 2})
    resisted = {"kind": "resist", "attribute": "Resist", "opponent": "c2"}
    made.submit("p1", Declare("c1", resisted))
    assert rollables(made.state, "p2", "c2", reacts_to=1) == ()


def test_plain_dice_are_typed_as_they_are() -> None:
    table = fixture("plain", {})
    assert begins(table, "2d6 + 3") == ({"expression": "2d6 + 3"}, [])
    for words, who in (("2d6", "c9"), ("2d6", "")):
        with pytest.raises(Refused) as refused:
            begins(table, words, who)
        assert refused.value.code == "unknown"
