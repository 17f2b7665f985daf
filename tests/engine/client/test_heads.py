"""A client goes on only with what a signed head covers, but for sizes that an epoch leaves."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.client.test_faults import ended, put_back, serve_copy
from tests.engine.helpers.stages.acting import FAST
from tests.engine.helpers.stages.online import TABLE, Online, online
from tests.engine.helpers.stages.players import ALONE
from urim.engine.client import Manners, resume
from urim.engine.client.store import ticket_in
from urim.engine.core.commands import Ask, Declare, Note, OpenShare, RollDice, worded
from urim.engine.seat.shares import Moved
from urim.engine.seat.stored import read_stored
from urim.errors import Damaged
from urim.events.checkpoint import read, read_key

SHORT = Manners(first=0.01, most=0.03, patience=0.5, keep=0.0)


def without_head(*types: str) -> Callable[[str], str]:
    """Frames of these types without their heads."""

    def of(text: str) -> str:
        frame: dict[str, Any] = json.loads(text)
        if frame["type"] in types:
            frame.pop("head", None)
        return json.dumps(frame, ensure_ascii=False)

    return of


async def note(evening: Online) -> None:
    """Somebody else writes a note."""
    service = evening.served.service
    work = service.submit(TABLE, "narrator", worded(Note(0), "a note"))
    await asyncio.to_thread(evening.served.run, work)


@pytest.mark.parametrize("types", [("caught-up", "commit", "done"), ("commit", "done")])
async def test_what_no_head_covers_is_a_fault(tmp_path: Path, types: tuple[str, ...]) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        evening.wire.change = without_head(*types)
        with pytest.raises(Damaged, match="no signed head"):
            await p1.do(Declare("c1", ALONE))
        assert isinstance(await ended(p1), Damaged)


async def test_a_history_that_no_head_covers_is_a_fault(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        await evening.clients.pop("p1").close()
        heads = list[str]()

        def older(text: str) -> str:
            frame = json.loads(text)
            if frame["type"] == "caught-up":
                heads.append(frame["head"])
                frame["head"] = heads[0]
            return json.dumps(frame, ensure_ascii=False)

        evening.wire.change = older
        await (await resume(tmp_path / "p1", manners=FAST)).close()
        await note(evening)
        with pytest.raises(Damaged, match="no signed head"):
            await resume(tmp_path / "p1", manners=FAST)
        assert len(heads) == 2


async def test_what_is_shown_live_and_never_covered_is_a_fault(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        await evening.restart("p1", manners=SHORT)
        evening.wire.change = without_head("caught-up", "commit")
        await note(evening)
        error = await ended(evening.clients["p1"])
        assert isinstance(error, Damaged)
        assert "no signed head" in str(error)


async def test_commits_of_which_only_the_last_has_a_head_are_taken(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        size = p1.state.size
        evening.wire.change = without_head("commit")
        await note(evening)
        while p1.state.size == size:
            await anext(p1)
        evening.wire.change = lambda text: text
        await note(evening)
        await p1.do(Declare("c1", ALONE))
        assert p1.head_size == p1.state.size > size + 2


async def test_sizes_that_an_epoch_leaves_unsigned_are_taken(tmp_path: Path) -> None:
    async with online(tmp_path / "h", "p1", level="player") as evening:
        await evening.stop()
        shutil.copytree(tmp_path / "h", tmp_path / "copy")
        await evening.serve()
        p1 = evening.clients.pop("p1")
        size = p1.state.size
        for _ in range(3):
            await p1.say(Note(0), "lost")
        await p1.close()
        await evening.stop()
        heads = tmp_path / "heads"
        secrets = tmp_path / "h" / "table.db.secrets"
        shutil.copytree(secrets / "heads", heads)
        put_back(tmp_path / "copy", tmp_path / "h")
        shutil.copytree(heads, secrets / "heads", dirs_exist_ok=True)
        await evening.serve()
        service = evening.served.service
        await asyncio.to_thread(evening.served.run, service.begin_epoch(TABLE))
        async with await resume(tmp_path / "h" / "p1", after_restore=True, manners=FAST) as p1:
            assert (p1.state.size, p1.head_size) == (size + 1, 0)
            await p1.do(Declare("c1", ALONE))
            await p1.do(RollDice(1, "initiator"))
            assert p1.head_size == 0
            for _ in range(3):
                await p1.say(Note(0), "signed in the end")
            assert p1.head_size == p1.state.size
            evening.wire.change = without_head("commit", "done")
            with pytest.raises(Damaged, match="no signed head"):
                await p1.say(Note(0), "not signed")


async def test_a_share_under_another_ask_is_shown_with_the_head_that_ends_the_history(
    tmp_path: Path,
) -> None:
    async with online(tmp_path / "h", "p1", "p2") as evening:
        await evening.stop()
        shutil.copytree(tmp_path / "h", tmp_path / "copy")
        await evening.serve()
        p1 = evening.clients["p1"]
        await p1.do(Declare("c1", ALONE))
        await p1.throw(1, "initiator")
        for seat in ("p1", "p2"):
            await evening.clients.pop(seat).close()
        [chain] = read_stored((tmp_path / "h" / "p2" / "state").read_bytes()).chains
        share = chain.opened[0].share.hex()
        await serve_copy(evening, tmp_path / "copy")

        async def cheat() -> None:
            service = evening.served.service
            await service.submit(TABLE, "narrator", worded(Note(0), "Another evening."))
            await service.submit(TABLE, "p1", Declare("c1", ALONE))
            waiting = (await service.state(TABLE)).rolls[1].outstanding
            assert waiting is not None
            ask = Ask(1, "initiator", waiting.seq, ("p1", "p2"))
            await service.submit(TABLE, "p1", ask)
            await service.submit(TABLE, "p2", OpenShare(1, share))

        await asyncio.to_thread(evening.served.run, cheat())
        with pytest.raises(Moved) as moved:
            await resume(tmp_path / "h" / "p2", after_restore=True, manners=FAST)
        error = moved.value
        ticket = ticket_in(tmp_path / "h" / "p2")
        assert ticket is not None and error.later is not None
        keys = [read_key(each) for each in ticket.keys]
        assert read(error.later, keys).size > error.second[0]
