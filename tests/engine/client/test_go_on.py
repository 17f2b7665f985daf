"""A client does what needs no decision: it declares, throws at the throw's level, and announces."""

from pathlib import Path

import pytest

from tests.engine.helpers.stages.online import TABLE, Online, online
from tests.engine.helpers.stages.players import ALONE, OPPOSED
from urim.engine.core.commands import Declare, Freeze, React, worded
from urim.errors import Refused
from urim.projections.rollstate import RollState


def roll_of(evening: Online, number: int) -> RollState:
    """A roll as the server has it."""
    return evening.served.run(evening.served.service.state(TABLE)).rolls[number]


@pytest.mark.parametrize("visibility", ["public", "gm", "blind"])
async def test_it_throws_and_stops_where_dice_may_be_frozen(
    tmp_path: Path, visibility: str
) -> None:
    async with online(tmp_path, "narrator", "p1", "p2") as evening:
        p1 = evening.clients["p1"]
        done = await p1.roll(worded(Declare("c1", ALONE, visibility), "in the dark"))  # type: ignore[arg-type]
        roll = roll_of(evening, 1)
        assert (roll.state, len(roll.roll.hands)) == ("rolled", 1)
        assert done.seq is not None
        assert roll.trail[-1].seq >= done.seq
        # Who sees the dice may go on once nothing is left to decide.
        if visibility != "blind":
            dice = tuple(die.id for die in roll.roll.hands[0].dice)
            await p1.do(Freeze(1, roll.roll.hands[0].name, dice))
            went = await p1.go_on(1)  # None where these dice leave a choice
            assert (roll_of(evening, 1).state == "resolved") == (went is not None)
        assert await p1.go_on(1) is None


async def test_it_waits_for_who_is_to_answer(tmp_path: Path) -> None:
    async with online(tmp_path, "narrator", "p1", "p2") as evening:
        p1, p2 = evening.clients["p1"], evening.clients["p2"]
        await p1.roll(Declare("c1", OPPOSED))
        assert roll_of(evening, 1).state == "declared"
        await p2.do(React(1, "c2"))
        while p1.state.size < p2.state.size:
            await anext(p1)
        await p1.go_on(1)
        assert roll_of(evening, 1).state == "rolled"


async def test_what_is_refused_is_raised(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        with pytest.raises(Refused, match="c9"):
            await evening.clients["p1"].roll(Declare("c9", ALONE))
        assert await evening.clients["p1"].go_on(7) is None
