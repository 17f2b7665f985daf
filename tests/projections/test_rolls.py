"""What entries change in a roll's dice and reactions, and what they leave as it was."""

import pytest
from msgspec.structs import replace

from tests.rules.scarterra.table import seated
from urim.events.base import AdjustedDie
from urim.events.codec import RecordedEvent
from urim.events.ruling import RollAmended
from urim.projections.rolls import adjusted, needless, redeclared
from urim.rules.ruleset import Die, Hand
from urim.rules.scarterra import Reaction

HELD = Die("d1", "d12", (4,), 4, 7, frozen=True)
"""A die that was adjusted from 4 to 7, and then frozen."""

FREE = Die("d2", "d12", (5,), 5, 6)
"""A die that was adjusted from 5 to 6."""


@pytest.mark.parametrize(
    ("dice", "faces"),
    [
        ((), (7, 5)),
        ((("d2", 8),), (7, 8)),
        ((("d1", 1), ("d2", 8)), (7, 8)),
    ],
)
def test_a_frozen_die_keeps_its_face_while_others_are_adjusted(
    dice: tuple[tuple[str, int], ...], faces: tuple[int, int]
) -> None:
    hand = Hand("initiator", "c1", (HELD, FREE))
    after = adjusted(hand, [AdjustedDie(die, face) for die, face in dice])
    assert after.dice == (HELD, replace(FREE, face=faces[1]))
    assert tuple(die.face for die in after.dice) == faces


@pytest.mark.parametrize(
    ("amended", "left"),
    [((), set()), (((3, 4),), {3, 4}), (((3, 4), ()), set()), (((3,), (3, 6)), {3, 6})],
)
def test_what_an_amendment_needs_not_is_what_the_last_one_says(
    amended: tuple[tuple[int, ...], ...], left: set[int]
) -> None:
    events = [
        RollAmended(roll=1, by="gm", character="c1", declared={}, needless=n) for n in amended
    ]
    trail = [RecordedEvent(9 + at, 0, b"", event) for at, event in enumerate(events)]
    assert needless(trail) == left


def test_the_last_reaction_of_one_character_is_declared_otherwise_and_no_other() -> None:
    table, ann, *_ = seated()
    roll = table.declare(ann, dots=1, helpers=["c2", "c3"])
    one, two = Reaction(dots=1), Reaction(dots=2)
    given = (("c2", one), ("c3", one), ("c2", two), ("c4", one), ("c3", None))
    begun = replace(roll.state.roll, reactions=given)
    after = redeclared(begun, "c2", {"dots": 3}, table.state.game)
    assert after.reactions == (*given[:2], ("c2", Reaction(dots=3)), *given[3:])
    after = redeclared(begun, "c3", {"dots": 3}, table.state.game)
    assert after.reactions == (given[0], ("c3", Reaction(dots=3)), *given[2:])
    assert after.declaration == begun.declaration
