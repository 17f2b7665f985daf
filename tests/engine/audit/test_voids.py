"""Step 13 of an audit: a void opens what was outstanding, and shows what would have come."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.bundles import Log, at, bundle, judged, place
from tests.engine.helpers.proofs import duel
from tests.engine.helpers.twists import OTHER, Twist, event, forged_of, having, result, twisted
from urim.engine.audit.report import Remark
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.events.base import Level
from urim.rules import ruleset_named


@pytest.mark.parametrize("throw", [0, 2])
def test_a_void_opens_the_throw_that_is_outstanding(throw: int) -> None:
    seq = place("void")
    found = result(twisted((seq, having(throw=throw))), 13)
    why = "roll 2 is voided by seat narrator, but the outstanding throw is not opened"
    assert found.remarks[0] == Remark(why, seq, "1", str(throw))


VOIDS = {
    "nothing opened": ("void", having(throw=None, seed=None), "opens no seed"),
    "no seed": ("void", having(seed=None), "opens no seed"),
    "another seed": ("void", having(seed=OTHER), "not the one committed to"),
    "the seed of another throw": ("void", having(throw=0), "is not opened"),
    "the seed of a broken throw": ("void of a broken one", having(throw=0), "is not opened"),
    "no seed after an epoch": ("server void", having(seed=None), "opens no seed"),
}


@pytest.mark.parametrize(("where", "twist", "why"), VOIDS.values(), ids=VOIDS)
def test_a_void_that_does_not_open_what_would_have_come_fails(
    where: str, twist: Twist, why: str
) -> None:
    found = result(twisted((place(where), twist)), 13)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


@pytest.mark.parametrize("level", ["server", "player", "table"])
def test_what_a_void_would_have_brought_is_known_where_the_server_alone_throws(
    level: Level,
) -> None:
    log = Log()
    log.declare(level)
    log.ask(NARRATOR, asked.Void(1), "No.")
    found = at(judged(bundle(log)), 13)
    why = found.remarks[0].why.removeprefix("roll 1 is voided by seat narrator")
    assert (found.verdict, why != "") == ("pass", level == "server")


def test_a_void_shows_what_would_have_come() -> None:
    voided_log, thrown = Log(), Log()
    for log in (voided_log, thrown):
        log.declare("server")
    voided_log.ask(NARRATOR, asked.Void(1), "No.")
    thrown.throw(1)
    why = at(judged(bundle(voided_log)), 13).remarks[0].why
    faces: dict[str, str] = {}
    for kind in why.partition("would have brought ")[2].split("; "):
        name, _, shown = kind.partition(": ")
        faces[name] = shown.translate({0x2068: None, 0x2069: None}).replace(" ", "")
    for j, item in enumerate(event(thrown.size - 1, thrown.entries).dice):
        assert faces[item.kind][j] == str(item.face)


def test_a_void_of_other_dice_is_listed() -> None:
    table, roll = duel("player", "seeded:7")
    roll.void("No.")
    found = at(judged(forged_of(table.entries)), 13)
    assert (found.verdict, len(found.remarks)) == ("not-applicable", 1)


def test_a_void_of_what_is_voided_is_listed() -> None:
    found = result(twisted((place("void of a broken one"), having(roll=2))), 13)
    seqs = [remark.seq for remark in found.remarks[:2]]
    assert seqs == [place("void"), place("void of a broken one")]


def kinds(why: str) -> dict[str, int]:
    """The kinds of dice that a void tells of, and how many faces it tells of each."""
    parts = why.partition("would have brought ")[2].split("; ")
    return {name: len(faces.split()) for name, _, faces in (part.partition(": ") for part in parts)}


def voided(dice: int | None, **opening: Any) -> bytes:
    """A roll that is voided before its throw, or after a throw of so many dice.

    `opening` are fields of the table's first entry that are changed.
    """
    log = Log()
    roll = log.declare()
    if dice is None:
        log.ask(NARRATOR, asked.Void(roll), "No.")
        return twisted((0, having(**opening)), entries=log.entries)
    thrown = log.throw(roll)
    log.ask(NARRATOR, asked.Void(roll), "No.")
    lying = (event(thrown, log.entries).dice * 2)[:dice]
    return twisted((thrown, having(dice=lying)), entries=log.entries)


@pytest.mark.parametrize(("dice", "shown"), [(None, 8), (0, 8), (1, 1), (7, 7), (8, 8), (9, 8)])
def test_a_void_tells_of_as_many_dice_as_were_thrown_last_and_of_eight_at_most(
    dice: int | None, shown: int
) -> None:
    why = at(judged(voided(dice)), 13).remarks[0].why
    assert set(kinds(why).values()) == {shown}


@pytest.mark.parametrize("known", [7, 8, 9])
def test_a_void_tells_of_eight_kinds_of_dice_at_most(known: int) -> None:
    faces = {f"kind{n}": ("a", "b") for n in range(known)} | {"none": ()}
    why = at(judged(voided(None, faces=faces)), 13).remarks[0].why
    assert list(kinds(why)) == [f"kind{n}" for n in range(min(known, 8))]


def test_a_void_tells_of_usual_dice_where_the_log_lists_none() -> None:
    why = at(judged(voided(None, faces={})), 13).remarks[0].why
    assert list(kinds(why)) == ["d6", "d8", "d10", "d12", "d20"]


def test_a_void_of_dice_that_are_not_known_here_says_so() -> None:
    def newer(name: str) -> Any:
        return replace(ruleset_named(name), version=2)

    why = at(judged(voided(None, core=4), rulesets=newer), 13).remarks[0].why
    assert why.endswith("would have brought dice that are not known here")
