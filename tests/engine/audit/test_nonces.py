"""Steps 8 and 13 of an audit, each seen to fail by a fault of its own."""

from typing import Any

import pytest

from tests.engine.helpers.bundles import HAND, Log, at, bundle, fixed, judged, place, wrong
from tests.engine.helpers.proofs import duel
from tests.engine.helpers.twists import (
    BOUND,
    GIVEN,
    NOTHING,
    OTHER,
    Twist,
    event,
    forged_of,
    having,
    instead,
    proof,
    result,
    twisted,
)
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.events.roll import NonceCommitted, NonceWithheld, SeatsPassedOver

# --- step 8 ---------------------------------------------------------------------------------------

TRANSCRIPTS = {
    "a nonce at level server": ("server", proof(nonce=OTHER), "level server has a nonce"),
    "no nonce at level player": ("player", proof(nonce=None), "the roller gave no nonce"),
    "no nonce at level table": ("table", proof(nonce=None), "the roller gave no nonce"),
    "a nonce that is none": ("player", proof(nonce="ab"), "the nonce is"),
    "another nonce than the bound one": ("table", proof(nonce=OTHER), "not the one bound"),
    "a nonce that was bound later": ("bound", having(nonce_commit=OTHER), "not the one bound"),
    "a nonce that nobody bound": ("bound", NOTHING, "nobody bound a nonce"),
    "a nonce bound by another": ("bound", having(by="p3"), "seat p3 bound the nonce"),
    "the roller asked": ("bound", having(asked=("p1", NARRATOR, "p2")), "the roller is asked"),
    "a seat asked twice": ("bound", having(asked=("p2", NARRATOR, "p2")), "a seat twice"),
    "a seat that was left out": ("bound", having(asked=(NARRATOR,)), "p2 gives a nonce and was"),
    "a witness dropped": ("given", NOTHING, f"neither heard nor passed over: {GIVEN.by}"),
    "a witness of another throw": ("given", having(throw=1), "nobody bound a nonce for throw 1"),
    "a witness that was not asked": ("given", having(by="p3"), "p3 gives a nonce and was not"),
    "a witness heard twice": ("given", having(by="p2"), "p2 gives a second nonce"),
    "a nonce bound again": ("given", instead(BOUND), "has a nonce bound already"),
    "a nonce bound at level player": (
        "dispute",
        instead(NonceCommitted("p1", 1, 2, OTHER, place("again"), ("p2",))),
        "level player binds no nonce",
    ),
    "a seat passed over that nobody asked": (
        "given",
        instead(SeatsPassedOver("p1", 2, 0, ("p3", NARRATOR))),
        "not asked or not silent",
    ),
    "a throw withheld too early": (
        "given",
        instead(NonceWithheld("p2", 2, 0, "p1")),
        "that it could not make yet",
    ),
}


@pytest.mark.parametrize(("where", "twist", "why"), TRANSCRIPTS.values(), ids=TRANSCRIPTS)
def test_a_nonce_that_is_not_as_its_level_says_fails(where: str, twist: Twist, why: str) -> None:
    found = result(twisted((place(where), twist)), 8)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


def test_a_seat_passed_over_after_it_was_heard_fails() -> None:
    gone = SeatsPassedOver("p1", 2, 0, (GIVEN.by,))
    found = result(twisted((place("given") + 1, instead(gone))), 8)
    assert "not asked or not silent" in found.remarks[0].why


def waiting_log() -> Log:
    """A throw that goes on without a seat, and one that is withheld."""
    log = Log()
    log.ask(NARRATOR, asked.SetWitnessing(1))
    for silent in (True, False):
        roll = log.declare("table")
        state = log.aggregate.opened.rolls[roll]
        assert state.outstanding is not None
        nonce = log.nonce()
        if silent:
            bound = log.bind(roll, nonce, silent=("p2",))
            log.ask("p1", asked.Note(bound), "We wait.")
            log.ask("p1", asked.PassOver(roll))
            log.ask("p1", asked.RollDice(roll, HAND, state.outstanding.seq, nonce))
        else:
            bound = log.bind(roll, nonce)
            log.ask("p1", asked.Note(bound), "We wait.")
            log.ask("p2", asked.ReportWithheld(roll))
    return log


def test_seats_passed_over_and_throws_withheld_are_shown() -> None:
    report = judged(bundle(waiting_log()))
    assert wrong(report) == {}
    remarks = [remark.why for remark in at(report, 8).remarks]
    assert remarks == [
        "throw 0 of roll 1 goes on without p2",
        "seat p1 withheld throw 0 of roll 2",
    ]


def test_every_nonce_that_was_given_is_in_the_throw() -> None:
    file = twisted((place("given"), having(nonce=OTHER)))
    assert [remark.seq for remark in result(file, 9).remarks] == [place("table")] * 8


# --- step 13 --------------------------------------------------------------------------------------

VOIDS = {
    "nothing opened": ("void", having(throw=None, seed=None), "opens no seed"),
    "no seed": ("void", having(seed=None), "opens no seed"),
    "another seed": ("void", having(seed=OTHER), "not the one committed to"),
    "the seed of another throw": ("void", having(throw=0), "is not opened"),
    "another nonce than the bound one": ("void with c", having(nonce=OTHER), "not the one that"),
    "a nonce that is none": ("void with c", having(nonce="ab"), "not the one that"),
    "no seed after an epoch": ("server void", having(seed=None), "opens no seed"),
}


@pytest.mark.parametrize(("where", "twist", "why"), VOIDS.values(), ids=VOIDS)
def test_a_void_that_does_not_open_what_would_have_come_fails(
    where: str, twist: Twist, why: str
) -> None:
    found = result(twisted((place(where), twist)), 13)
    assert found.verdict == "fail"
    assert any(why in remark.why for remark in found.remarks), found.remarks


@pytest.mark.parametrize("level", ["server", "table"])
def test_a_void_shows_what_would_have_come(level: Any) -> None:
    voided, thrown = Log(), Log()
    nonce = fixed("nonce 1").hex() if level == "table" else None
    for log in (voided, thrown):
        roll = log.declare(level)
        if nonce is not None:
            log.nonce()
            log.bind(roll, nonce)
    state = voided.aggregate.opened.rolls[1]
    assert state.outstanding is not None
    voided.ask(NARRATOR, asked.Void(1, nonce), "No.")
    thrown.ask("p1", asked.RollDice(1, HAND, state.outstanding.seq, nonce))
    why = at(judged(bundle(voided)), 13).remarks[0].why
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
    found = result(twisted((place("void with c"), having(roll=2))), 13)
    assert [remark.seq for remark in found.remarks[:2]] == [place("void"), place("void with c")]
