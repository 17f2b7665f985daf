"""What Age of Magic refuses at a table: the code, the value it names, what it offers instead."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.age_of_magic.table import Cast, done
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
from urim.errors import Refused

BASIC = {"skill": "Brawling", "characteristic": "ST"}
LONG = "x" * 101


Case = tuple[dict[str, Any], str, str, str]

DECLARATIONS: list[Case] = [
    ({"skill": None}, "malformed", "skill none and characteristic ST", "exactly one of each"),
    ({"characteristic": None}, "malformed", "characteristic none", "exactly one of each"),
    ({"skill": "Flying"}, "unknown", "no skill 'Flying'", "Brawling"),
    ({"specialism": "Elbows"}, "unknown", "no specialism 'Elbows'", "Fists"),
    ({"specialisms": ["Fists"]}, "malformed", "specialism none",
     "a specialism, then further ones"),
    ({"specialism": "Fists", "specialisms": ["Fists"]}, "malformed", "named twice in Fists, Fists",
     "each once"),
    ({"specialism": "Fists", "specialisms": ["Elbows"]}, "unknown", "no specialism 'Elbows'",
     "Fists"),
    ({"specialisms": ["x"] * 11}, "too-long", "specialisms", "10"),
    ({"characteristic": "CH"}, "unknown", "no characteristic 'CH'", "WI"),
    ({"skill": ""}, "malformed", "skill is ''", ""),
    ({"skill": LONG}, "too-long", "declaration.skill has a word of 101 characters",
     "at most 60 characters"),
    ({"skill": 6}, "malformed", "skill is 6", ""),
    ({"points": {"ST": 2.25}}, "malformed", "ST = 2.25 is not in steps of ½", "12.5"),
    ({"points": {"ST": 201}}, "out-of-range", "201", "200"),
    ({"points": {"WI": 3}}, "malformed", "points for WI", "its skill, specialisms"),
    ({"modifiers": {"dark": -0.3}}, "malformed", "dark = -0.3 is not in steps of ½", "12"),
    ({"modifiers": {"dark": -201}}, "out-of-range", "-201", "200"),
    ({"modifiers": {f"m{n}": 1 for n in range(51)}}, "too-long", "modifiers", "50"),
    ({"modifiers": {"a": 150, "b": 150}}, "out-of-range", "basic value of 309", "-200 to 200"),
    ({"modifiers": {"a": -150, "b": -150}}, "out-of-range", "of −291", "-200 to 200"),
    ({"difficulty": 8.1}, "malformed", "difficulty = 8.1", "12.5"),
    ({"difficulty": 1000}, "out-of-range", "difficulty is 1000", "200"),
    ({"difficulty": "hard"}, "malformed", "difficulty is 'hard'", ""),
    ({"talent": True, "limitation": True}, "malformed", "limitation in Brawling", "one of them"),
    ({"talent": "yes"}, "malformed", "talent is 'yes'", ""),
    ({"push": 2}, "malformed", "push is 2", ""),
    ({"luck": 2}, "malformed", "luck is 2", ""),
    ({"luck": True}, "malformed", "luck is True", ""),
    ({"no_knowledge": True}, "needs-leave", "no_knowledge = True", "narrator"),
    ({"tired": 0}, "not-yours", "tired = 0", "leave it out"),
    ({"skill_halves": 40}, "not-yours", "skill_halves = 40", "leave it out"),
    ({"margin_halves": 40}, "not-yours", "margin_halves = 40", "leave it out"),
    ({"targets": ["c1"]}, "malformed", "c1 cannot be its own target", "another character"),
    ({"targets": ["c2", "c2"]}, "malformed", "twice in c2, c2", "each once"),
    ({"targets": ["c9"]}, "unknown", "'c9'", "c1"),
    ({"kind": "attack"}, "malformed", "an attack on the targets none", "one target"),
    ({"kind": "attack", "targets": ["c2", "c3"]}, "malformed", "c2, c3", "one target"),
    ({"kind": "tiring", "difficulty": None}, "malformed", "kind tiring", "a difficulty"),
    ({"kind": "soak"}, "malformed", "kind 'soak' by the link None", "soak follows damage"),
    ({"kind": "heroic"}, "malformed", "kind is 'heroic'", ""),
    ({"weapon": 3}, "malformed", "a weapon of 3", "kind attack"),
    ({"rank": 3}, "unknown", "rank", "skill"),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "code", "value", "instead"), DECLARATIONS)
def test_a_declaration_is_refused(
    declared: dict[str, Any], code: str, value: str, instead: str
) -> None:
    wish = BASIC | {"difficulty": 8} | declared
    refused(Cast().table, "p1", Declare("c1", wish), code, value, instead)


OF_OTHERS: list[tuple[str, dict[str, Any], int, str, str]] = [
    ("c3", {"luck": 3}, 1, "c3 has no luck", "a character with it"),
    ("c1", {"push": True}, 7, "a push would leave c1 Unconscious", "no push"),
    ("c1", {}, 8, "c1 is Unconscious and rolls nothing", "awake"),
]


@pytest.mark.parametrize(("who", "declared", "tired", "value", "instead"), OF_OTHERS)
def test_the_sheet_does_not_allow_it(
    who: str, declared: dict[str, Any], tired: int, value: str, instead: str
) -> None:
    seat = who.replace("c", "p")
    refused(Cast(tired).table, seat, Declare(who, BASIC | declared), "not-offered", value, instead)


def test_a_score_beyond_all_bounds_is_refused() -> None:
    cast = Cast()
    cast.table.character("Giant", attributes={"Brawling": 1, "ST": 500})
    refused(cast.table, "p5", Declare("c5", BASIC), "out-of-range", "ST is 500", "-200 to 200")


def test_a_push_is_one_level() -> None:
    cast = Cast()
    refused(cast.table, "p1", Declare("c1", {**BASIC, "push": 2}), "malformed", "push", "")
    roll = cast.declare(push=True)
    assert (roll.state.roll.declaration.tired, cast.cogan.sheet.tracks["tiredness"]) == (2, 2)


REACTIONS: list[tuple[str, str, dict[str, Any] | None, str, str, str]] = [
    ("p2", "c2", {"fate": "luck"}, "malformed", "modifier", ""),
    ("p2", "c2", {"fate": "luck", "modifier": 4}, "malformed", "modifier is 4", ""),
    ("p2", "c2", {"fate": "fortune", "modifier": 3}, "not-offered", "'fortune'", "luck"),
    ("p2", "c2", {"fate": "unluck", "modifier": 3}, "not-offered", "'unluck'", "luck"),
    ("p2", "c3", None, "not-offered", "fate None", "unluck"),
    ("p2", "c2", {}, "not-offered", "fate None", "luck"),
    ("p3", "c3", {"fate": "unluck", "modifier": 3}, "not-yours", "react fate", "narrator"),
    ("p1", "c1", {"fate": "luck", "modifier": 3}, "not-offered", "react c1", "react"),
    ("p4", "c4", {"fate": "luck", "modifier": 3}, "not-offered", "react c4", "react"),
]  # fmt: skip


@pytest.mark.parametrize(("seat", "who", "reaction", "code", "value", "instead"), REACTIONS)
def test_a_reaction_is_refused(
    seat: str, who: str, reaction: dict[str, Any] | None, code: str, value: str, instead: str
) -> None:
    cast = Cast()
    cast.declare(targets=["c2", "c3"])
    refused(cast.table, seat, React(1, who, reaction), code, value, instead)


def declared(cast: Cast) -> None:
    """A roll of basic 12 that is to be thrown twice."""
    cast.declare(luck=3)


def thrown(cast: Cast) -> None:
    """The same with its first throw made."""
    cast.declare(luck=3).roll(option=2, faces=[3, 4])


def twice(cast: Cast) -> None:
    """The same with both throws made."""
    thrown(cast)
    cast.table.submit("p1", RollDice(1, "second", faces=(5, 6)))


def hit(cast: Cast) -> None:
    """An attack that hit."""
    cast.attack(cast.tor, difficulty=7, weapon=16)


def hurt(cast: Cast) -> None:
    """An attack that hit, and its damage."""
    cast.follow(cast.attack(cast.tor, difficulty=7, weapon=16), cast.cogan, "damage")


def plain(cast: Cast) -> None:
    """A plain roll, resolved."""
    done(cast.declare())


def of(link: str, who: str = "c1", roll: int = 1, **more: Any) -> Declare:
    """A declaration that follows a roll."""
    return Declare(who, more, follows=(roll, link))


COMMANDS: list[tuple[Callable[[Cast], None], str, Asking, str, str, str]] = [
    (declared, "p1", Resolve(1), "wrong-state", "declared", ""),
    (declared, "p1", RollDice(1, "first"), "out-of-range", "None dice of first", "4"),
    (declared, "p1", RollDice(1, "first", option=5), "out-of-range", "5 dice of first", "4"),
    (declared, "p1", RollDice(1, "first", option=-1), "out-of-range", "-1", ""),
    (declared, "p1", RollDice(1, "second", option=1), "not-offered", "second", "roll first"),
    (declared, "p2", RollDice(1, "first", option=1), "not-yours", "Cogan", "p1"),
    (declared, "p1", RollDice(1, "first", faces=(7,), option=1), "face", "7", ""),
    (declared, "p1", RollDice(1, "first", faces=(1,), option=2), "dice-short", "", ""),
    (declared, "p1", RollDice(1, "first", faces=(1,), option=0), "nonce", "no dice", ""),
    (thrown, "p1", Resolve(1), "due", "waits for: roll second", "roll second (2 dice)"),
    (thrown, "p1", RollDice(1, "second", option=1), "not-offered", "1 cannot be chosen", "2"),
    (thrown, "p1", RollDice(1, "first", option=1), "not-offered", "first", "roll second"),
    (thrown, "p1", Freeze(1, "first", ("d1",)), "not-offered", "freeze first", "roll second"),
    (thrown, "p1", Reroll(1, "first", dice=("d1",)), "not-offered", "reroll first", "roll second"),
    (thrown, "p1", Adjust(1, "first", "move", ()), "not-offered", "adjust first move", ""),
    (thrown, "p1", Choose(1, "result", "best"), "not-offered", "adjust result", ""),
    (thrown, NARRATOR, worded(Amend(1, "c1", {"modifiers": {"weak": -9}}), "?"), "history",
     "2 dice of first", "void"),
    (thrown, NARRATOR, worded(Amend(1, "c1", {"push": True}), "?"), "history", "another price",
     "void"),
    (thrown, NARRATOR, worded(Amend(1, "c1", {"tired": 5}), "?"), "not-yours", "tired", "void"),
    (thrown, NARRATOR, worded(Amend(1, "c2", {"modifier": 3}), "?"), "unknown", "'c2'", "c1"),
    (thrown, NARRATOR, worded(Replace(1, {"difficulty": 3}), "?"), "wrong-state", "rolled", ""),
    (declared, NARRATOR, worded(Replace(1, {"skill": "Flying"}), "?"), "unknown", "'Flying'",
     "Brawling"),
    (hit, "p1", of("soak"), "not-offered", "no 'soak' to Cogan", "damage by Cogan"),
    (hit, "p3", of("damage", "c3"), "not-offered", "no 'damage' to Tor", "damage by Cogan"),
    (hit, "p1", of("damage", skill="Brawling"), "malformed", "skill Brawling", "ST alone"),
    (hit, "p1", of("damage", characteristic="WI"), "malformed", "WI", "ST alone"),
    (hit, "p1", of("damage", talent=True), "malformed", "skill none", "with a skill"),
    (hit, "p1", of("damage", kind="trance"), "malformed", "'trance'", "damage follows"),
    (hit, "p1", of("damage", difficulty=3), "malformed", "difficulty 3", "no difficulty"),
    (hit, "p1", ApplyDamage(1), "not-offered", "apply_damage", "declare damage"),
    (hurt, "p3", of("soak", "c3", 2), "malformed", "skill none", "exactly one"),
    (hurt, "p3", of("soak", "c3", 2, **BASIC, targets=["c1"]), "malformed", "c1", "no targets"),
    (hurt, "p1", of("damage"), "not-offered", "no 'damage' to Cogan", ""),
    (hurt, "p1", of("soak", roll=2, **BASIC), "not-offered", "to Cogan", "soak by Tor"),
    (plain, "p1", ApplyDamage(1), "not-offered", "apply_damage", ""),
    (plain, "p1", of("damage"), "not-offered", "no 'damage' to Cogan", ""),
    (plain, NARRATOR, worded(Amend(1, "c1", {"kind": "attack"}), "?"), "malformed", "targets none",
     "one target"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "seat", "command", "code", "value", "instead"), COMMANDS)
def test_a_command_is_refused(
    before: Callable[[Cast], None],
    seat: str,
    command: Asking,
    code: str,
    value: str,
    instead: str,
) -> None:
    cast = Cast()
    before(cast)
    refused(cast.table, seat, command, code, value, instead)


@pytest.mark.parametrize(
    ("options", "code", "value"),
    [
        ({"ceiling": "high"}, "malformed", "ceiling is 'high'"),
        (
            {"overdraw_dice": -1},
            "out-of-range",
            "overdraw_dice is -1: out of bounds; allowed: at least 0",
        ),
        (
            {"overdraw_dice": 21},
            "out-of-range",
            "overdraw_dice is 21: out of bounds; allowed: at most 20",
        ),
        ({"same_n_twice": 1}, "malformed", "same_n_twice is 1"),
        ({"floor": 1}, "unknown", "floor"),
    ],
)
def test_a_reading_is_refused(options: dict[str, Any], code: str, value: str) -> None:
    with pytest.raises(Refused) as found:
        Cast(**options)
    assert (found.value.code, value in str(found.value)) == (code, True)
