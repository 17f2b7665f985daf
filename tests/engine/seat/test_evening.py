"""Players with seats of their own at a real service: whatever is cut, they see what they may."""

import pytest

from tests.engine.helpers.stages.players import SEATS, Evening
from tests.engine.helpers.stages.service import TABLE
from urim.engine.core.view import view_of
from urim.engine.seat.happened import Done, HeadSeen, NotMine, ShareAsked
from urim.events.line import entry_line
from urim.projections.levels import level_of


async def agree(evening: Evening) -> None:
    """Every seat's own fold is what the host shows it, and so are its lines and its moves."""
    service = evening.service
    state = await service.state(TABLE)
    for id, player in evening.players.items():
        seat = player.seat
        assert seat.state == view_of(state, id)
        assert seat.lines == tuple(map(entry_line, await service.view(TABLE, id)))
        assert seat.sight() == await service.sight(TABLE, id)
        assert seat.head_size == state.size
        assert not seat.resend()


@pytest.mark.parametrize("rough", [False, True])
async def test_an_opposed_roll_beside_a_hidden_one_at_level_table(rough: bool) -> None:
    evening = Evening()
    await evening.begin(rough=rough)
    await evening.both()
    note = await evening.service.checkpoint(TABLE)
    for player in evening.players.values():
        player.happened += player.seat.head(note)
    await agree(evening)
    rolls = (await evening.service.state(TABLE)).rolls
    assert [roll.state for roll in rolls.values()] == ["resolved", "resolved"]
    levels = [level_of(roll, throw) for roll in rolls.values() for throw in range(roll.throws)]
    assert set(levels) == {"table"}
    assert [roll.throws for roll in rolls.values()] >= [2, 1]
    assert not rolls[2].hidden
    for id in SEATS:
        happened = evening.players[id].happened
        assert any(isinstance(each, HeadSeen) for each in happened)
        assert not any(isinstance(each, NotMine) for each in happened)
        done = [each.request for each in happened if isinstance(each, Done)]
        assert len(done) == len(set(done)) > 0
    asked = [e for e in evening.players["p2"].happened if isinstance(e, ShareAsked)]
    assert {(each.roll, each.throw, each.by) for each in asked} >= {(1, 0, "p1"), (2, 0, "p1")}
