"""Where a critical success hits, and how its margin is spent."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.rolls import brief, milhamah, one, sheet, sheets
from urim.errors import Refused
from urim.events.base import Effect
from urim.rules.milhamah import RULESET, Options
from urim.rules.milhamah.damage import GRADES, LOCATIONS
from urim.rules.ruleset import Damage, Outcome, Roll, Sheet

PLACES = {
    "א": "chest", "ב": "eye", "ג": "nose", "ד": "groin", "ה": "neck", "ו": "upper back",
    "ז": "foot", "ח": "shoulder", "ט": "lower leg", "י": "forearm", "כ": "ear", "ל": "hand",
    "מ": "belly", "נ": "nose", "ס": "side", "ע": "upper arm", "פ": "mouth", "צ": "thigh",
    "ק": "lower back", "ר": "rear", "ש": "head", "ת": "eye",
}  # fmt: skip


def blow(margin: int, location: str = "ו", **kwargs: Any) -> Roll:
    """A critical success of that margin on the toad."""
    roll = milhamah(
        "רוח", reply="בבב", combat=True, location=location, choices={"natural": "allow"}, **kwargs
    )
    return replace(roll, outcome=Outcome("critical success", margin, {}))


def hit(roll: Roll, toad: Sheet) -> Damage:
    return RULESET.damage(roll, sheets(toad))


def test_every_letter_has_its_place() -> None:
    assert dict(LOCATIONS) == PLACES


def test_every_place_has_its_armour_and_every_counter_its_bounds() -> None:
    tracks = RULESET.tracks(Options())
    armour = [name for name in tracks if name.startswith("armour:")]
    assert sorted(armour) == sorted(f"armour:{place}" for place in set(PLACES.values()))
    assert len(armour) == 20
    assert set(tracks) - set(armour) == {
        "merit", "xr", "pocket", "soak", "light", "serious", "critical",
    }  # fmt: skip
    assert [tracks[grade].most for grade in ("light", "serious", "critical")] == [3, 2, 1]
    assert tracks["soak"].start == "VIG"
    assert RULESET.tracks(Options(soak_start="none"))["soak"].start == 0


def test_the_margin_meets_armour_then_soak_then_wounds() -> None:
    toad = sheet("toad", **{"armour:upper back": 2, "soak": 1})
    damage = hit(blow(7), toad)
    assert (damage.target, damage.amount) == ("toad", 7)
    assert damage.figures == {
        "location": "upper back", "letter": "ו", "raw": 7,
        "armour": 2, "armour_spent": 2, "soak": 1, "soak_spent": 1, "through": 4,
        "room:light": 3, "wounds:light": 3, "room:serious": 2, "wounds:serious": 1,
        "overflow": 0, "fatal": False,
    }  # fmt: skip
    assert damage.effects == (
        Effect("toad", "armour:upper back", -2),
        Effect("toad", "soak", -1),
        Effect("toad", "light", 3),
        Effect("toad", "serious", 1),
    )


def test_armour_elsewhere_does_not_help() -> None:
    damage = hit(blow(1), sheet("toad", **{"armour:chest": 5, "soak": 0}))
    assert damage.effects == (Effect("toad", "light", 1),)


def test_soak_not_on_the_sheet_is_spent() -> None:
    for victim in (sheet("toad", {"VIG": 2}), sheet("toad")):
        figures = hit(blow(1), victim).figures
        assert (figures["soak"], figures["soak_spent"]) == (0, 0)


def test_a_bare_character_takes_it_all_in_wounds() -> None:
    bare = replace(blow(2), options=Options(soak_start="none"))
    assert hit(bare, sheet("toad", {"VIG": 2})).figures == {
        "location": "upper back", "letter": "ו", "raw": 2,
        "armour": 0, "armour_spent": 0, "soak": 0, "soak_spent": 0,
        "through": 2, "room:light": 3, "wounds:light": 2, "overflow": 0, "fatal": False,
    }  # fmt: skip


def test_what_a_blow_does_not_reach_has_no_figure() -> None:
    armoured = sheet("toad", **{"armour:upper back": 9, "soak": 1})
    assert hit(blow(7), armoured).figures == {
        "location": "upper back", "letter": "ו", "raw": 7,
        "armour": 9, "armour_spent": 7, "overflow": 0, "fatal": False,
    }  # fmt: skip


def test_earlier_wounds_leave_less_room_and_what_overflows_may_kill() -> None:
    toad = sheet("toad", soak=0, light=3, serious=1)
    figures = hit(blow(5), toad).figures
    assert [figures[f"room:{grade}"] for grade in GRADES] == [0, 1, 1]
    assert [figures[f"wounds:{grade}"] for grade in GRADES] == [0, 1, 1]
    assert (figures["overflow"], figures["fatal"]) == (3, True)


def test_a_single_point_too_many_may_kill() -> None:
    full = sheet("toad", soak=0, light=3, serious=2, critical=1)
    assert hit(blow(1), full).figures["fatal"]
    assert not hit(blow(6), sheet("toad", soak=0)).figures["fatal"]


def test_the_readings_named_are_those_that_decided() -> None:
    assert hit(blow(1), sheet("toad", soak=0)).readings == ("soak_start", "wound_track")
    assert hit(blow(1), sheet("toad", soak=4)).readings == ("soak_start",)
    assert hit(blow(1), sheet("toad", **{"armour:upper back": 1})).readings == ()
    wild = hit(blow(1, "*ו"), sheet("toad", **{"armour:upper back": 1}))
    assert wild.readings == ("location_die", "location_wild")


@pytest.mark.parametrize("location", ["ו", "*ו"])
def test_an_outcome_names_the_reading_of_the_die_that_was_thrown_for_the_place(
    location: str,
) -> None:
    """One of other faces would have fallen otherwise, whether or not a Wild was among them."""
    assert "location_die" in RULESET.outcome(replace(blow(1, location), outcome=None)).readings


@pytest.mark.parametrize(
    "roll",
    [
        milhamah("רוח"),
        replace(blow(2), outcome=None),
        replace(
            milhamah(
                "רוח",
                declined=True,
                combat=True,
                location="ו",
                options={"damage_by": "success", "declined": "unopposed"},
            ),
            outcome=Outcome("success", 1, {}),
        ),
        replace(blow(2), outcome=Outcome("natural success", 2, {})),
        replace(blow(2), hands=blow(2).hands[:2]),
        replace(blow(2), declaration=replace(blow(2).declaration, combat=False)),
    ],
)
def test_only_a_critical_success_in_combat_does_damage(roll: Roll) -> None:
    with pytest.raises(Refused, match="critical success in combat"):
        hit(roll, sheet("toad"))


def test_the_location_is_thrown_once_a_critical_success_is_certain() -> None:
    chosen = {"natural": "allow", "gain": "none"}
    declared: dict[str, Any] = {"options": {"cipher_dice": 0}, "choices": chosen}
    roll = milhamah("רוח", reply="***", combat=True, **declared)
    offer = one(RULESET.offers(roll, sheets()), "roll location")
    assert (offer.due, offer.character, offer.dice, offer.again) == (
        True, "etgar", ("location",), ("*",),
    )  # fmt: skip
    declared["options"] = {"cipher_dice": 0, "location_die": "letters"}
    lettered = milhamah("רוח", reply="***", combat=True, **declared)
    assert one(RULESET.offers(lettered, sheets()), "roll location").again == ()
    peaceful = milhamah("רוח", reply="***", **declared)
    assert [brief(offer) for offer in RULESET.offers(peaceful, sheets())] == [
        "resolve", "flavour initiator harmless",
    ]  # fmt: skip
    assert RULESET.outcome(peaceful).degree == "critical success"


def test_a_wild_lets_the_initiator_choose_where_it_is_read_so() -> None:
    options = {"location_wild": "initiator", "cipher_dice": 0, "reactor_botch": False}
    roll = milhamah("רוח", reply="***", combat=True, options=options, choices={"natural": "allow"})
    assert one(RULESET.offers(roll, sheets()), "roll location").again == ()
    roll = milhamah(
        "רוח", reply="***", combat=True, options=options, choices={"natural": "allow"}, location="*"
    )
    offer = one(RULESET.offers(roll, sheets()), "adjust location")
    assert (offer.due, offer.character, offer.options) == (True, "etgar", tuple(PLACES))
    assert "location" not in RULESET.outcome(roll).figures
    chosen = replace(roll, choices={"natural": "allow", "location": "ש"})
    assert RULESET.outcome(chosen).figures["location"] == "head"
    assert "adjust location!" not in map(brief, RULESET.offers(chosen, sheets()))


def test_damage_is_offered_once_to_the_roller() -> None:
    struck = blow(3)
    assert one(RULESET.offers(struck, sheets()), "apply_damage").character == "etgar"
    others = (
        replace(struck, damaged=True),
        replace(struck, outcome=Outcome("natural success", 3, {})),
        replace(struck, hands=struck.hands[:2]),
    )
    for roll in others:
        assert "apply_damage" not in map(brief, RULESET.offers(roll, sheets()))


POINTS = st.integers(0, 6)


@given(st.integers(0, 30), POINTS, POINTS, st.integers(0, 3), st.integers(0, 2), st.integers(0, 1))
def test_every_point_goes_somewhere_and_no_track_leaves_its_bounds(
    raw: int, armour: int, soak: int, light: int, serious: int, critical: int
) -> None:
    tracks = {"soak": soak, "light": light, "serious": serious, "critical": critical}
    toad = sheet("toad", **tracks, **{"armour:upper back": armour})
    damage = hit(blow(raw), toad)
    beyond = damage.figures["overflow"]
    assert raw - sum(abs(effect.delta) for effect in damage.effects) == beyond
    for effect in damage.effects:
        track = RULESET.tracks(Options())[effect.track]
        after = toad.tracks[effect.track] + effect.delta
        assert track.least <= after <= (30 if track.most is None else track.most)
