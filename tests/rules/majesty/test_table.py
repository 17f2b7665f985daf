"""Allies of Majesty at a table: who may adjust and end a roll, and what moves and previews say."""

from collections.abc import Iterator

import pytest

from urim.engine.core.commands import Adjust
from urim.engine.core.moves import moves
from urim.engine.core.preview import preview
from urim.engine.table import RollHandle
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events.base import AdjustedDie
from urim.rules.majesty.offers import MEANS
from urim.rules.majesty.outcome import HAND

THIRD = (1, 4, 8, 9, 11, 12, 5)


def struck(value: int) -> RollHandle:
    """A Strike with this value against a Guard of 6, thrown as in the book's third example."""
    table = FixtureTable("majesty")
    striker = table.character("Striker", attributes={"Precision": value})
    defender = table.character("Defender", attributes={"Guard": 6})
    roll = table.declare(striker, kind="strike", opponent=defender.id)
    roll.react()
    roll.roll(faces=THIRD)
    return roll


def margins(roll: RollHandle, seat: str, **faces: int) -> tuple[int, int]:
    """The margin now, and with these faces, as a preview of adjusting to them says."""
    put = tuple(AdjustedDie(die, face) for die, face in faces.items())
    found = preview(roll.table.state, seat, Adjust(roll.number, HAND, MEANS, put))
    assert found.before is not None
    assert found.after is not None
    return found.before.margin, found.after.margin


def every_way(roll: RollHandle) -> Iterator[dict[str, int]]:
    """Every set of faces that the Adjustments offered can put the dice to."""
    [offer] = [each for each in roll.offers if each.trigger == "adjust"]

    def ways(dice: tuple[str, ...], left: int) -> Iterator[dict[str, int]]:
        if not dice:
            yield {}
            return
        yield from ways(dice[1:], left)
        for face, cost in offer.to[dice[0]].items():
            if cost <= left:
                yield from ({dice[0]: int(face)} | more for more in ways(dice[1:], left - cost))

    return ways(offer.dice, offer.most)


def test_a_preview_says_the_margin_now_and_with_other_faces() -> None:
    roll = struck(12)
    assert margins(roll, "p1", d5=12) == (2, 3)
    roll.adjust({"d5": 12})
    assert margins(roll, "p1", d5=12, d7=7) == (3, 3)
    assert margins(roll, "p1") == (3, 2)  # all put back
    best = {"d1": 2, "d3": 9, "d5": 12}
    assert margins(roll, "p1", **best) == (3, 5)
    roll.adjust(best)
    assert roll.resolve().margin == 5


@pytest.mark.slow
def test_previews_find_the_best_and_the_worst_that_the_adjustments_can_reach() -> None:
    for value, seat, ends in ((12, "p1", (0, 5)), (3, "p2", (0, 4))):
        roll = struck(value)
        found = {margins(roll, seat, **faces)[1] for faces in every_way(roll)}
        assert (min(found), max(found)) == ends
        assert roll.state.state == "rolled"


def test_a_preview_refuses_what_the_adjustments_do_not_reach() -> None:
    for seat, faces, code in (("p1", {"d1": 5}, "face"), ("p2", {"d1": 2}, "not-yours")):
        with pytest.raises(Refused) as refused:
            margins(struck(12), seat, **faces)
        assert refused.value.code == code


def test_the_other_sides_moves_are_its_own() -> None:
    roll = struck(3)
    theirs = {move.trigger: move for move in moves(roll.table.state, "p2", roll.number)}
    assert theirs["adjust"].legal
    mine = {move.trigger: move for move in moves(roll.table.state, "p1", roll.number)}
    assert (mine["adjust"].code, mine["resolve"].code) == ("not-yours", "not-yours")
    assert margins(roll, "p2", d2=3, d4=8) == (2, 0)
    roll.adjust({"d2": 3, "d4": 8})
    assert roll.resolve().margin == 0
    assert roll.state.trail[-1].event.by == "p2"
