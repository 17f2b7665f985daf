"""Clients of a real server: a whole evening, and whatever is cut in between."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.engine.helpers.stages.online import IMPATIENT, TABLE, Online, online
from tests.engine.helpers.stages.players import ALONE, OPPOSED
from urim.engine.client import Client, Unanswered
from urim.engine.core.commands import Declare, Note, Resolve, RollDice
from urim.engine.core.view import view_of
from urim.engine.seat.happened import Done, NotMine
from urim.errors import Refused
from urim.events.codec import asked_in
from urim.events.log.sqlite import SqliteLog
from urim.projections.levels import level_of
from urim.projections.tables import TableState

FULL = ("narrator", "p1", "p2")


def whole(evening: Online) -> TableState:
    """The table as the server has it."""
    return evening.served.run(evening.served.service.state(TABLE))


def asked(evening: Online) -> list[str]:
    """The ids of all requests that the log has, in order."""
    entries = evening.served.run(evening.served.service.log.read(TABLE))
    found = [asked_in(entry) for entry in entries if entry.seq == entry.commit and entry.payload]
    return [each.request for each in found if each is not None]


async def same(evening: Online) -> None:
    """Every client has what its seat may see, and nothing was done twice."""
    state = whole(evening)
    for seat, client in evening.clients.items():
        while client.state.size < state.size or client.pending:
            evening.happened[seat].append(await anext(client))
        await client.caught_up()
        assert client.state == view_of(state, seat)
    assert max(Counter(asked(evening)).values()) == 1


async def two_rolls(evening: Online) -> None:
    """An opposed roll of Etgar's, and one that only he and the narrator see."""
    p1 = evening.clients["p1"]
    await p1.do(Declare("c1", OPPOSED))
    await p1.do(Declare("c1", ALONE, "gm"))
    await evening.play()
    state = whole(evening)
    assert [roll.state for roll in state.rolls.values()] == ["resolved", "resolved"]
    rolls = state.rolls.values()
    levels = {level_of(roll, throw) for roll in rolls for throw in range(roll.throws)}
    assert levels == {"table"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cut_after", [None, 6, 9])
async def test_an_opposed_roll_beside_a_hidden_one_at_level_table(
    tmp_path: Path, cut_after: int | None
) -> None:
    async with online(tmp_path, *FULL) as evening:
        evening.wire.cut_after = cut_after
        if cut_after:
            evening.wire.cut()
        await two_rolls(evening)
        await same(evening)
        assert (evening.wire.cuts > 5) == (cut_after is not None)
        evening.wire.cut_after = None
        p1 = evening.happened["p1"]
        while not any(isinstance(each, Done) for each in p1):  # it may have taken none yet
            p1.append(await anext(evening.clients["p1"]))
        done = [each.request for each in p1 if isinstance(each, Done)]
        assert len(done) == len(set(done))
        for happened in evening.happened.values():
            assert not any(isinstance(each, NotMine) for each in happened)


@pytest.mark.slow
async def test_the_server_ends_and_begins_again_in_between(tmp_path: Path) -> None:
    async with online(tmp_path, *FULL) as evening:
        playing = asyncio.create_task(two_rolls(evening))
        for size in (10, 14, 18):
            while whole(evening).size < size and not playing.done():
                await anext(evening.clients["narrator"])
            await evening.stop()
            await evening.serve()
        await playing
        await same(evening)


async def test_it_is_cut_after_every_frame_once(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1, wire = evening.clients["p1"], evening.wire
        left, count = [-1], 0

        def change(text: str) -> str | None:
            left[0] -= 1
            return None if left[0] == -1 else text

        wire.change = change
        count = 0
        for count in range(30):
            left[0] = count
            await p1.do(Declare("c1", ALONE))
            await evening.play(("p1",))  # the dice decide whether some of them are frozen
            rolls = whole(evening).rolls.values()
            assert [roll.state for roll in rolls] == ["resolved"] * (count + 1)
            if left[0] >= 0:
                break
        assert wire.cuts == count >= 5
        await same(evening)


async def test_what_was_sent_and_lost_is_sent_again(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        evening.wire.deaf = True
        done = await p1.do(Declare("c1", ALONE))
        assert not evening.wire.deaf
        assert asked(evening)[-1] == done.request
        await same(evening)


async def test_an_answer_that_was_lost_is_given_again(tmp_path: Path) -> None:
    """Only the answer says that a request is done that changed nothing."""
    async with online(tmp_path, "p1", level="player") as evening:
        p1, lost = evening.clients["p1"], list[str]()

        def change(text: str) -> str | None:
            if '"type":"refused"' in text and not lost:
                lost.append(text)
                return None
            return text

        evening.wire.change = change
        with pytest.raises(Refused) as refused:
            await p1.do(Resolve(7))
        assert refused.value.code == "unknown"
        assert len(lost) == 1
        assert not p1.pending


@contextmanager
def locked(evening: Online) -> Generator[None]:
    """The log is another's meanwhile, and nothing can be written."""
    with closing(sqlite3.connect(evening.served.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up soon where the log is locked."""
    monkeypatch.setitem(SqliteLog.open.__func__.__kwdefaults__, "busy", 0.05)  # type: ignore[attr-defined]


@pytest.mark.usefixtures("busy")
async def test_a_client_that_was_ended_goes_on_with_what_was_under_way(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        await evening.clients["p1"].do(Declare("c1", ALONE))
        await evening.restart("p1", manners=IMPATIENT)
        p1 = evening.clients["p1"]
        with locked(evening):
            with pytest.raises(Unanswered, match="cannot be read or written") as caught:
                await p1.do(RollDice(1, "initiator"))
            request = caught.value.request
            assert p1.pending == (request,)
            await p1.close()
        await evening.restart("p1")
        p1 = evening.clients["p1"]
        while p1.state.rolls[1].state != "rolled":
            await anext(p1)
        assert asked(evening)[-1] == request
        assert not p1.pending


@pytest.mark.usefixtures("busy")
async def test_the_log_cannot_be_written_and_then_it_can(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        await evening.restart("p1", manners=IMPATIENT)
        p1 = evening.clients["p1"]
        with (
            locked(evening),
            pytest.raises(Unanswered, match="cannot be read or written") as caught,
        ):
            await p1.say(Note(0), "a note")
        await evening.restart("p1")
        p1 = evening.clients["p1"]
        request = caught.value.request
        if request in p1.pending:
            assert (await p1.outcome(request)).request == request
        assert asked(evening).count(request) == 1
        with pytest.raises(Refused):
            await p1.outcome(request)


async def test_a_seat_anchors_while_another_one_throws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was signed for the host alone is refused; then the shares are asked for."""
    async with online(tmp_path, "p1") as evening:
        p1 = evening.clients["p1"]
        await evening.sit("p2", sharing=False)
        p2, answer = evening.clients["p2"], Client._answer  # noqa: SLF001

        async def late(client: Client, data: bytes) -> Done:
            if client is p1 and p2.state.seats["p2"].anchor is None:
                await p2.anchor()
            return await answer(client, data)

        await p1.do(Declare("c1", ALONE))
        monkeypatch.setattr(Client, "_answer", late)
        throwing = asyncio.create_task(p1.throw(1, "initiator"))
        while p2.state.ask is None:
            evening.happened["p2"].append(await anext(p2))
        await p2.open_share()
        await throwing
        assert level_of(whole(evening).rolls[1], 0) == "table"
