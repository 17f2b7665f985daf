"""Sagatafl: the book's examples, every rule of its page, and every value of every reading."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from urim.errors import Refused
from urim.events.base import Face
from urim.rules.readings import readings_of
from urim.rules.ruleset import Die, Hand, Offer, Outcome, Roll, Sheet
from urim.rules.sagatafl import RULESET, Declaration, Options, Reaction

THIEF = Sheet("thief", {"Lockpicking": 5, "Body": 4, "Hearing": 3, "Nothing": 0}, {})
GUARD = Sheet("guard", {"Hearing": 3}, {})


def hand(name: str, faces: Iterable[Face]) -> Hand:
    dice = tuple(Die(f"d{at}", "d12", (face,), face, face) for at, face in enumerate(faces, 1))
    return Hand(name, name, dice)


def roll(
    faces: Iterable[Face] | None = None,
    reply: Iterable[Face] | None = None,
    reaction: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    **declared: Any,
) -> Roll:
    """The thief's roll with these faces; the guard opposes it if there are any of his."""
    readings = Options(**options or {})
    opposed = reply is not None or reaction is not None
    shown = [*faces] if faces is not None else []
    fields: dict[str, Any] = {"rating": len(shown) or 1, **declared}
    if opposed:
        fields["opponent"] = "guard"
    wish, _ = RULESET.settle(readings, Declaration(**fields), THIEF, None)
    begun = Roll(options=readings, character="thief", declaration=wish)
    if opposed:
        given: dict[str, Any] = {"rating": len([*(reply or [1])]), **(reaction or {})}
        answered, _ = RULESET.answer(begun, Reaction(**given), GUARD)
        begun = replace(begun, reactions=(("guard", answered),))
    hands = [hand("initiator", shown)] if faces is not None else []
    hands += [hand("reactor", reply)] if reply is not None else []
    return replace(begun, hands=tuple(hands))


def outcome(*args: Any, **kwargs: Any) -> Outcome:
    return RULESET.outcome(roll(*args, **kwargs))


def offers(of: Roll) -> tuple[Offer, ...]:
    return RULESET.offers(of, lambda who: THIEF)


@pytest.mark.parametrize(
    ("declared", "dice"),
    [
        ({"trait": "Lockpicking"}, 5),
        ({"trait": "Lockpicking", "specialisation": "improvised tools"}, 6),
        ({"trait": "Body"}, 4),
        ({"trait": "Body", "edge": "Dex"}, 5),
        ({"trait": "Body", "rating": 2}, 2),
        ({"trait": "Nothing", "edge": "Dex"}, 1),
        ({"rating": 100, "edge": "Dex"}, 101),
    ],
)
def test_a_specialisation_or_an_edge_gives_a_die(declared: dict[str, Any], dice: int) -> None:
    (offer,) = offers(roll(**{"rating": None} | declared))
    assert (offer.trigger, offer.hand, offer.due) == ("roll", "initiator", True)
    assert offer.dice == ("d12",) * dice


@pytest.mark.parametrize(
    ("faces", "declared", "degree", "level"),
    [
        ((3, 8, 11), {}, "success", 2),
        ((7, 2), {}, "failure", -1),
        ((6, 6, 1), {}, "minor fumble", -2),
        ((6, 6, 1), {"safe": True}, "failure", -1),
        ((5, 2), {}, "fumble", -3),
        ((4, 4), {}, "fumble", -4),
        ((1, 1), {}, "disastrous fumble", -6),
        ((1,), {"rd": 6}, "fumble", -5),
        ((1,), {"rd": 7}, "disastrous fumble", -6),
        ((1,), {"rd": 7, "safe": True}, "failure", -1),
        ((12, 12), {"safe": True}, "success", 2),
        ((12,), {"rd": 12}, "success", 1),
        ((12,), {"rd": 13}, "failure", -1),
        ((12,), {"rd": 30}, "disastrous fumble", -6),
    ],
)
def test_successes_failures_and_fumbles(
    faces: tuple[int, ...], declared: dict[str, Any], degree: str, level: int
) -> None:
    found = outcome(faces, **declared)
    assert (found.figures["level"], found.degree, found.margin) == (level, degree, level)
    assert str(found.figures["result"]).lower() == degree
    assert found.readings == ()


@pytest.mark.parametrize(
    ("faces", "declared", "degree"),
    [
        ((8, 9, 10, 11, 12), {}, "success"),
        ((8, 9), {}, "success"),
        ((8, 1), {}, "partial success"),
        ((7, 1), {}, "partial success"),
        ((6, 1), {}, "failure"),
        ((1, 1), {}, "failure"),
        ((1, 1), {"safe": True}, "partial success"),
    ],
)
def test_a_saving_throw_succeeds_in_part(
    faces: tuple[int, ...], declared: dict[str, Any], degree: str
) -> None:
    assert outcome(faces, saving_throw=True, **declared).degree == degree


@pytest.mark.parametrize(
    ("ours", "theirs", "degree", "margin", "scales"),
    [
        ((8, 9), (7,), "won", 2, (2, 0)),
        ((5, 1), (7,), "lost", -2, (-2, 0)),
        ((8,), (12, 1), "nothing changes", 0, (1, 1)),
        ((1,), (12,), "lost", -6, (-5, 1)),
        ((6,), (2,), "won", 4, (-1, -5)),
    ],
)
def test_opposed_the_higher_on_the_scale_wins(
    ours: Any, theirs: Any, degree: str, margin: int, scales: tuple[int, int]
) -> None:
    found = outcome(ours, theirs)
    assert (found.degree, found.margin) == (degree, margin)
    assert (found.figures["scale"], found.figures["opponent_scale"]) == scales
    assert found.figures["assumed"]
    assert "opposed" in found.readings


def test_each_side_rolls_its_own_pool_against_its_own_difficulty() -> None:
    reaction = {"trait": "Hearing", "rating": None, "rd": "routine", "modifiers": {"noise": 3}}
    begun = roll(reaction=reaction, trait="Lockpicking", rating=None)
    assert offers(begun)[0].dice == ("d12",) * 5
    thrown = replace(begun, hands=(hand("initiator", [1] * 5),))
    theirs, resolve = offers(thrown)
    assert (theirs.character, theirs.hand, theirs.dice) == ("guard", "reactor", ("d12",) * 3)
    assert theirs.due and resolve.trigger == "resolve"
    with pytest.raises(Refused, match="the reactor has not thrown"):
        RULESET.outcome(thrown)
    done = replace(thrown, hands=(*thrown.hands, hand("reactor", [6, 7, 1])))
    assert [offer.trigger for offer in offers(done)] == ["resolve"]
    figures = RULESET.outcome(done).figures
    assert (figures["opponent_rd"], figures["opponent_level"]) == (7, 1)
    assert (figures["opponent_stated_rd"], figures["opponent_modifiers:noise"]) == (4, 3)


def test_a_declined_reaction_leaves_the_roll_unopposed() -> None:
    begun = replace(roll([8], opponent="guard"), hands=())
    (react,) = offers(begun)
    assert (react.trigger, react.character, react.due) == ("react", "guard", True)
    declined = replace(begun, reactions=(("guard", None),))
    assert [offer.trigger for offer in offers(declined)] == ["roll"]
    thrown = replace(declined, hands=(hand("initiator", [8]),))
    assert [offer.trigger for offer in offers(thrown)] == ["resolve"]
    found = RULESET.outcome(thrown)
    assert (found.degree, found.margin, found.readings) == ("success", 1, ("declined",))
    assert (found.figures["declined"], found.figures["unopposed"]) == (["guard"], True)
    assert "opponent" not in found.figures
    assert RULESET.answer(begun, None, GUARD) == (None, ())


def test_bonuses_are_negative_and_penalties_positive() -> None:
    found = outcome([9], rd="very hard", modifiers={"good tools": -4, "dark": 1}).figures
    assert (found["stated_rd"], found["rd"], found["successes"]) == (12, 9, 1)
    assert outcome([9], rd="Routine").figures["rd"] == 4


@pytest.mark.parametrize(
    ("rd", "note"), [(1, "cannot fail"), (2, ""), (12, ""), (13, "cannot succeed")]
)
def test_the_odds_outside_two_to_twelve_come_with_a_note(rd: int, note: str) -> None:
    (offer,) = offers(roll(rd=rd))
    assert note in offer.note and bool(offer.note) == bool(note)
    figures = outcome([5], rd=rd).figures
    flags = {flag.replace("_", " ") for flag in figures if flag.startswith("cannot")}
    assert flags == ({note} if note else set())


def test_a_sense_roll_is_safe_unless_the_narrator_says_otherwise() -> None:
    hearing: dict[str, Any] = {"trait": "Hearing", "options": {"sense_traits": ("Hearing",)}}
    safe = outcome([1], **hearing)
    assert (safe.degree, safe.readings) == ("failure", ("sense_rolls",))
    assert "senses" not in safe.figures
    stress = outcome([1], safe=False, **hearing)
    assert (stress.degree, stress.readings) == ("disastrous fumble", ())
    assert stress.figures["senses"] == "misread"
    assert outcome([7], **hearing).readings == ()  # no Fumble: nothing hangs on it
    assert outcome([1], trait="Hearing").degree == "disastrous fumble"  # no Sense at this table


def test_every_value_of_every_reading_changes_something() -> None:
    both: dict[str, Any] = {"specialisation": "tools", "edge": "Dex"}
    one, two = (outcome([8, 8], **both, options={"spec_and_edge": n}) for n in ("one", "two"))
    assert (one.figures["dice"], two.figures["dice"]) == (3, 4)
    assert one.readings == two.readings == ("spec_and_edge",)
    pool = offers(roll(trait="Nothing", rating=None, options={"no_dice": "one"}))[0].dice
    assert pool == ("d12",)
    assert outcome([8], rating=0, options={"no_dice": "one"}).readings == ("no_dice",)
    hearing = {"sense_traits": ("Hearing",), "sense_rolls": "as set"}
    as_set = outcome([1], trait="Hearing", options=hearing)
    assert (as_set.degree, as_set.readings) == ("disastrous fumble", ("sense_rolls",))
    counted = outcome([1], [7], options={"opposed": "successes"})
    assert (counted.degree, counted.readings) == ("nothing changes", ("opposed",))
    away: dict[str, Any] = {"opponent": "guard", "options": {"declined": "zero"}}
    refusal = replace(roll([6], **away), reactions=(("guard", None),))
    lost = RULESET.outcome(refusal)
    assert (lost.degree, lost.margin, lost.readings) == ("lost", -1, ("declined", "opposed"))
    assert (lost.figures["opponent"], lost.figures["opponent_scale"]) == ("guard", 0)
    assert lost.figures["declined"] == ["guard"] and "unopposed" not in lost.figures
    assert len(readings_of(Options)) == 5


def test_nothing_is_offered_to_follow_and_nobody_is_hurt() -> None:
    done = replace(roll([8]), outcome=Outcome("success", 1, {}))
    assert offers(done) == ()
    with pytest.raises(Refused, match="no roll of this system does damage"):
        RULESET.damage(done, lambda who: THIEF)
    with pytest.raises(Refused, match="'again'"):
        RULESET.follow(Declaration(), "again", done)
    with pytest.raises(Refused, match="initiator has not thrown"):
        RULESET.outcome(roll())
    assert RULESET.involves(Declaration(opponent="guard")) == ("guard",)
    assert RULESET.tracks(Options()) == {}
