"""What plain dice refuse at a table, and what they have: kinds of dice, faces, rerolls."""

from typing import Any

import pytest

from urim.engine.table import RollHandle, Table
from urim.errors import Refused
from urim.rules.plain import RULESET, Options

READINGS: list[tuple[str, dict[str, Any], int, str]] = [
    ("3d6!>6", {}, 3, "no face of d6 is meant"),
    ("3d6!>3+1", {"greater": "or equal"}, 3, "at most half of the faces of d6"),
    ("1d4+3d6ro<1", {}, 7, "no face of d6 is meant"),
    ("1d4+3d6rr>=3", {}, 7, "at most half of the faces of d6"),
    ("1d6+2d8ro9", {}, 7, "no face of d8 is meant"),
    ("60d6!+41d6!", {}, 6, "at most 100 dice are thrown again and again"),
    ("101d6r1", {"r": "until"}, 0, "at most 100 dice are thrown again and again"),
]


@pytest.mark.parametrize(("text", "options", "at", "why"), READINGS)
def test_what_never_or_always_acts_is_refused(
    text: str, options: dict[str, Any], at: int, why: str
) -> None:
    table = Table("plain", dice="scripted", options=options)
    who = table.character("Robin")
    size = len(table.entries)
    with pytest.raises(Refused) as found:
        table.declare(who, expression=text)
    assert found.value.code == "malformed"
    sentence, shown, caret = found.value.why.split("\n")
    assert why in sentence
    assert (shown, caret) == (f"  {text}", f"  {' ' * at}^")
    assert len(table.entries) == size


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("3d6!>6", {"greater": "or equal"}),
        ("3d6!>3", {}),
        ("101d6r1", {}),
        ("100d6!", {}),
        ("1000d6ro1", {}),
        ("2d2!", {}),
    ],
)
def test_its_neighbours_are_not(text: str, options: dict[str, Any]) -> None:
    table = Table("plain", dice="seeded:1", options=options)
    roll = table.declare(table.character("Robin"), expression=text)
    roll.roll()


@pytest.mark.parametrize(
    ("declared", "code", "says"),
    [
        ({}, "malformed", "expression"),
        ({"expression": ""}, "malformed", "expression"),
        ({"expression": "d6" + "+1" * 30}, "too-long", "60"),
        ({"expression": 6}, "malformed", "expression is 6"),
        ({"expression": "1d6", "target": 3}, "unknown", "target"),
    ],
)
def test_a_declaration_of_another_form_is_refused(
    declared: dict[str, Any], code: str, says: str
) -> None:
    table = Table("plain", dice="scripted")
    who = table.character("Robin")
    with pytest.raises(Refused, match=says) as found:
        table.declare(who, **declared)
    assert found.value.code == code


def test_a_face_of_another_die_is_typed_in_a_test_alone() -> None:
    for dice, face, refused in (
        ("scripted", 1000, False),
        ("scripted", 1001, True),
        ("manual", 7, True),
    ):
        table = Table("plain", dice=dice)
        roll = table.declare(table.character("Robin"), expression="1d6")
        if not refused:
            assert roll.roll(faces=[face]) == (face,)
            continue
        with pytest.raises(Refused, match=f"d1 cannot show {face}"):
            roll.roll(faces=[face])


def waiting(roll: RollHandle) -> list[str]:
    """The dice of the first offer."""
    return list(roll.offers[0].dice)


def test_a_reroll_is_due_until_every_die_had_its_own() -> None:
    table = Table("plain", dice="scripted")
    roll = table.declare(table.character("Robin"), expression="3d6ro<3")
    roll.roll(faces=[1, 2, 3])
    assert waiting(roll) == ["d1", "d2"]
    with pytest.raises(Refused, match="d3") as found:
        roll.reroll("d3", faces=[4])
    assert found.value.code == "unknown"
    with pytest.raises(Refused) as found:
        roll.resolve()
    assert found.value.code == "due"
    roll.reroll("d1", faces=[1])
    assert waiting(roll) == ["d2"]
    roll.reroll("d2", faces=[5])
    assert [offer.trigger for offer in roll.offers] == ["resolve"]


def test_every_kind_has_its_faces() -> None:
    faces = RULESET.faces(Options())
    assert len(faces) == 1001 == len(list(faces))
    assert faces["d2"] == (1, 2)
    assert faces["d1000"] == tuple(range(1, 1001))
    assert faces["d%"] == faces["d100"]
    assert faces["dF"] == (-1, 0, 1)
    for kind in ("d1", "d1001", "6", "d06", "df"):
        assert kind not in faces
        with pytest.raises(KeyError):
            faces[kind]
    assert all(kind in faces for kind in faces)
    assert faces == RULESET.faces(Options(r="until"))


def test_nobody_reacts_and_nothing_is_counted() -> None:
    assert RULESET.involves(RULESET.Declaration("3d6")) == ()
    assert RULESET.tracks(Options()) == {}
