"""Health is recomputed from the log: each blow's armour, soak and wounds, and every void since."""

import pytest

from tests.engine.helpers.stage import fight, hit, strike, tracks
from urim.engine.core import commands as t
from urim.engine.core.limits import NARRATOR
from urim.projections.health import health
from urim.projections.outcomes import outcomes


def test_a_blow_goes_through_armour_and_soak_to_wounds() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    found = health(table.state, "c2")
    (blow,) = found.applications
    assert (found.character, found.name, blow.roll, blow.amount) == ("c2", "Toad", 1, 5)
    assert blow.figures == {
        "location": "belly",
        "letter": "מ",
        "raw": 5,
        "armour": 2,
        "armour_spent": 2,
        "soak": 2,
        "soak_spent": 2,
        "through": 1,
        "room:light": 3,
        "wounds:light": 1,
        "overflow": 0,
        "fatal": False,
    }
    assert not blow.differs
    assert blow.announced is not None and blow.announced.figures == blow.figures
    assert {name: value for name, value in found.tracks.items() if value} == {"light": 1}
    assert list(found.tracks) == sorted(found.tracks)


def test_armour_elsewhere_does_not_help() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad, place="ש")
    (blow,) = health(table.state, "c2").applications
    assert (blow.figures["location"], blow.figures["armour"]) == ("head", 0)
    assert tracks(table)["c2"] == {"armour:belly": 2, "light": 3}


def test_wounds_fill_grade_by_grade_and_then_overflow() -> None:
    table, etgar, toad = fight()
    for _ in range(3):
        hit(table, etgar, toad, place="ש")
    first, second, third = health(table.state, "c2").applications
    assert [first.figures["wounds:light"], second.figures["wounds:serious"]] == [3, 2]
    assert (second.figures["wounds:critical"], second.figures["overflow"]) == (1, 2)
    assert (third.figures["overflow"], third.figures["fatal"]) == (5, True)
    assert tracks(table)["c2"]["critical"] == 1


def test_who_was_not_hit_has_no_blows() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    assert health(table.state, "c1").applications == ()
    with pytest.raises(KeyError):
        health(table.state, "c9")


def test_a_resolved_blow_that_did_not_land_counts_for_nothing() -> None:
    table, etgar, toad = fight()
    before = tracks(table)
    strike(table, etgar, toad)
    assert tracks(table) == before
    assert health(table.state, "c2").applications == ()


def test_voiding_an_early_blow_changes_what_the_later_one_found() -> None:
    table, etgar, toad = fight()
    first, _ = hit(table, etgar, toad), hit(table, etgar, toad)
    assert tracks(table)["c2"] == {"light": 3, "serious": 2, "critical": 1}
    first.void("not announced")
    (blow,) = health(table.state, "c2").applications
    assert blow.differs
    assert blow.figures["armour"] == 2
    assert blow.announced is not None and blow.announced.figures["armour"] == 0
    assert tracks(table)["c2"] == {"light": 1}


def test_voiding_a_later_blow_leaves_the_earlier_one_as_it_was() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    after_one = tracks(table)
    hit(table, etgar, toad).void("a slip")
    assert tracks(table) == after_one
    (blow,) = health(table.state, "c2").applications
    assert not blow.differs


def test_what_a_narrator_sets_holds_from_there_on() -> None:
    table, etgar, toad = fight()
    first = hit(table, etgar, toad)
    table.submit(NARRATOR, t.SetTrack("c2", "light", 0))
    table.submit(NARRATOR, t.SetTrack("c2", "armour:belly", 3))
    hit(table, etgar, toad)
    assert tracks(table)["c2"] == {"light": 2}
    first.void("a slip")  # the soak is back, the narrator's values stay
    assert tracks(table)["c2"] == {}


def test_outcomes_are_shown_as_announced_and_as_the_rules_give_them() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    strike(table, etgar, toad).void("a slip")
    (found,) = outcomes(table.state)
    assert (found.roll, found.character, found.differs) == (1, "c1", False)
    assert (found.announced.degree, found.announced.margin) == ("critical success", 5)
