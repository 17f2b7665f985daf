"""What ends a client for good: a host that shows two histories, or says what is not so."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.stages.acting import FAST
from tests.engine.helpers.stages.online import IMPATIENT, TABLE, Online, online
from tests.engine.helpers.stages.players import ALONE
from urim.engine.client import Client, NotAdmitted, join, resume
from urim.engine.core.commands import Declare, LeaveSeat, Note, RollDice, worded
from urim.engine.seat.heads import Forked
from urim.engine.service.feed import Left
from urim.errors import Damaged, Refused, Unavailable
from urim.events.checkpoint import public_key


async def ended(client: Client) -> BaseException | None:
    """What ends the iteration."""
    try:
        async for _ in client:
            pass
    except (Damaged, Refused) as error:
        return error
    return None


def put_back(copy: Path, home: Path) -> None:
    """Restore a copy of a log."""
    for path in home.glob("table.db*"):
        if "access" not in path.name:
            (shutil.rmtree if path.is_dir() else os.remove)(path)
    for path in copy.glob("table.db*"):
        if "access" not in path.name:
            (shutil.copytree if path.is_dir() else shutil.copy)(path, home / path.name)


async def serve_copy(evening: Online, copy: Path) -> None:
    """Serve an older copy of the log, its secrets and its heads; who may come in stays."""
    await evening.stop()
    put_back(copy, evening.path)
    await evening.serve()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("more", [0, 1, 5])
@pytest.mark.parametrize("restarted", [False, True])
async def test_an_older_log_that_is_served_is_a_fork(
    tmp_path: Path, more: int, restarted: bool
) -> None:
    async with online(tmp_path / "home", "narrator", "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        await p1.say(Note(0), "one")
        await evening.stop()
        shutil.copytree(tmp_path / "home", tmp_path / "copy")
        await evening.serve()
        await serve_copy(evening, tmp_path / "copy")
        await p1.do(Declare("c1", ALONE, level="player"))
        await p1.do(RollDice(1, "initiator"))
        if restarted:
            await p1.close()
        await evening.clients["narrator"].close()
        await serve_copy(evening, tmp_path / "copy")
        service = evening.served.service
        if restarted:  # else its player is never asked
            evening.served.run(service.begin_epoch(TABLE, restored=True))
        for _ in range(more):
            other = worded(Note(0), "another history")
            evening.served.run(service.submit(TABLE, "narrator", other))
        error: BaseException | None
        if restarted:
            with pytest.raises(Forked) as caught:
                await resume(tmp_path / "home" / "p1", manners=FAST)
            error = caught.value
        else:
            error = await ended(p1)
            with pytest.raises(Forked):
                await p1.say(Note(0), "two")
            with pytest.raises(Forked):
                await anext(p1)
        assert isinstance(error, Forked)
        assert error.earlier is not None or error.later is not None
        async with (
            await resume(tmp_path / "home" / "p1", after_restore=True, manners=FAST)
            if restarted
            else p1 as client
        ):
            assert client.state.size > 0


def altered(name: str, change: Callable[[Any], Any]) -> Callable[[str], str]:
    """Change what a commit's entries have under a name."""

    def of(text: str) -> str:
        frame = json.loads(text)
        for entry in frame.get("entries", ()):
            if name in entry:
                entry[name] = change(entry[name])
        return json.dumps(frame, ensure_ascii=False)

    return of


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        altered("payload", lambda text: text.replace("c1", "c2", 1)),
        altered("digest", lambda text: text[::-1]),
        altered("salt", lambda text: text[::-1]),
        altered("at", lambda at: at + 1),
        lambda text: text.replace('"size":', '"size":1', 1),
        lambda text: text.replace('"type":"commit"', '"type":"nothing"'),
        lambda text: text[:-1],
        lambda text: re.sub(r'"seqs":\[(\d+)', lambda at: f'"seqs":[{int(at[1]) - 1}', text),
        lambda text: text.replace("\\n\\n", "\\n", 1),
        lambda text: text.replace('"head":"urim.local/t/table001', '"head":"urim.local/t/table002'),
    ],
)
async def test_a_frame_that_was_changed_ends_it(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        size = p1.state.size
        evening.wire.change = change
        await evening.clients["p1"].caught_up()
        with suppress(Damaged):  # or with what follows
            await p1.do(Declare("c1", ALONE))
        with pytest.raises(Damaged):
            await p1.say(Note(0), "a second one")
        assert isinstance(await ended(p1), Damaged)
        with pytest.raises(Damaged):
            await p1.do(Declare("c1", ALONE))
        assert size <= p1.state.size <= size + 3


async def test_a_token_that_was_revoked_ends_it(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        evening.served.run(evening.served.access.revoke_seat(TABLE, "p1"))
        evening.wire.cut()
        assert isinstance(await ended(p1), NotAdmitted)
        with pytest.raises(NotAdmitted):
            await p1.do(Declare("c1", ALONE))
        assert p1.legal_moves()
        await p1.close()
        with pytest.raises(NotAdmitted):
            await resume(tmp_path / "p1", manners=FAST)


async def test_a_seat_that_leaves_ends_its_client(tmp_path: Path) -> None:
    async with online(tmp_path, "narrator", "p1", level="player") as evening:
        p1 = evening.clients["p1"]
        await evening.clients["narrator"].do(LeaveSeat("p1"))
        found = [happened async for happened in p1]
        assert isinstance(found[-1], Left)
        assert [each async for each in p1] == []
        with pytest.raises(Refused, match="left the table"):
            await p1.do(Declare("c1", ALONE))
        await p1.close()
        with pytest.raises(Refused, match="left the table"):
            await resume(tmp_path / "p1", manners=FAST)


async def test_a_directory_is_for_one_seat_and_one_client(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        store = tmp_path / "p1"
        modes = {path.name: oct(path.stat().st_mode)[-3:] for path in store.iterdir()}
        assert modes.keys() >= {"seat.json", "state"}  # and a next state, while it is written
        assert set(modes.values()) == {"600"}
        with pytest.raises(Unavailable, match="in use"):
            await resume(store)
        other = await evening.link("p2")
        await evening.clients["p1"].close()
        with pytest.raises(Refused) as refused:
            await join(other, store)
        assert refused.value.code == "taken"
        with pytest.raises(Refused) as refused:
            await resume(tmp_path / "nowhere")
        assert refused.value.code == "unknown"
        async with await join(other, tmp_path / "p2", manners=FAST) as p2:
            assert (p2.table, p2.seat, p2.role) == (TABLE, "p2", "player")
        async with await join(other, tmp_path / "p2", manners=FAST) as again:
            assert again.seat == "p2"
        with pytest.raises(NotAdmitted):
            await join(other, tmp_path / "p3", manners=FAST)


async def test_another_key_than_the_one_that_was_given_is_not_trusted(tmp_path: Path) -> None:
    async with online(tmp_path, level="player") as evening:
        key = public_key("urim.local/t/table001", bytes(range(32)))
        with pytest.raises(Damaged, match="not the one that was given"):
            await join(await evening.link("p1"), tmp_path / "p1", keys=[key], manners=FAST)


async def test_there_is_no_server(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        link = (await evening.link("p2")).replace(evening.wire.url, "http://127.0.0.1:9")
        with pytest.raises(Unavailable):
            await join(link, tmp_path / "p2", manners=IMPATIENT)
        await evening.restart("p1", manners=IMPATIENT)
        evening.wire.server_port = 9
        evening.wire.cut()
        p1 = evening.clients["p1"]
        while p1.live:  # noqa: ASYNC110  no event says it
            await asyncio.sleep(0)
        assert p1.legal_moves()
        with pytest.raises(Unavailable, match="no connection"):
            await p1.do(Declare("c1", ALONE))
        assert not p1.pending


@pytest.mark.parametrize("link", ["", "http://h/", "http://h/#i=secret", "ftp://h/#i=SECRET"])
async def test_what_is_no_link_is_refused(tmp_path: Path, link: str) -> None:
    with pytest.raises(Refused) as refused:
        await join(link.replace("SECRET", f"urim-i1-{'a' * 43}"), tmp_path / "p1")
    assert refused.value.code == "malformed"
    assert not (tmp_path / "p1").exists()
