"""From `urim serve` to a roll: a process that is killed in between, a host, and those invited."""

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest

from tests.engine.helpers.stages.acting import FAST, act
from tests.engine.helpers.stages.online import online, played
from tests.engine.helpers.stages.players import ALONE, OPPOSED
from urim.engine.access.protocol import Limits
from urim.engine.client import Client, Host, NotAdmitted, join
from urim.engine.core.commands import Declare, EnterCharacter, React
from urim.errors import Refused, Unavailable

TABLE = "evening1"
IN_A_MOMENT = ("the same link, in a moment",)


class Process:
    """`urim serve`, on a port of its own."""

    link = ""

    def __init__(self, path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._database = path / "table.db"

    def start(self) -> Self:
        """Serve, and wait until it listens."""
        words = ["serve", str(self._database), "--port", str(self.port), "--json"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "urim", *words], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.link = json.loads(self._process.stdout.readline()).get("host_link", self.link)
        return self

    def kill(self) -> None:
        """End it by SIGKILL."""
        self._process.kill()
        self._process.communicate()


async def opened(served: Process) -> str:
    """Open a table as the host, whose link opens once; the link of its narrator."""
    async with Host(served.link, served.link) as host:
        assert await host.tables() == ()
        first = await host.open_table(TABLE, "milhamah", level="table")
        assert await host.tables() == (TABLE,)
        with pytest.raises(Refused) as refused:
            await host.open_table(TABLE, "milhamah")
        assert refused.value.code == "taken"
    with pytest.raises(NotAdmitted):
        async with Host(served.link, served.link):
            pass
    return first


async def opposed(served: Process, p1: Client, p2: Client) -> None:
    """An opposed roll of two players, whose server is killed under each of them."""
    await p1.do(EnterCharacter("c1", "p1", {"BLE": 3}))
    await p2.do(EnterCharacter("c2", "p2", {"GRA": 2}))
    await p1.do(Declare("c1", OPPOSED))
    await asyncio.to_thread(served.kill)
    reacting = asyncio.create_task(p2.do(React(1, "c2", None)))
    await asyncio.to_thread(served.start)
    await reacting
    throwing = asyncio.create_task(p1.throw(1, "initiator"))
    await asyncio.sleep(0)
    await asyncio.to_thread(served.kill)
    await asyncio.to_thread(served.start)
    await throwing
    while p1.state.rolls[1].state != "resolved":  # fair dice may ask for a freeze
        await act(p1, p1.awaiting()[0])


@pytest.mark.slow
def test_a_host_opens_a_table_and_a_server_is_killed(tmp_path: Path) -> None:
    async def run(served: Process) -> None:
        narrator = await join(await opened(served), tmp_path / "narrator", manners=FAST)
        async with narrator, Host(narrator.url, narrator.token) as inviting:
            links = [await inviting.invite(TABLE, seat=seat) for seat in ("p1", "p2")]
            p1 = await join(links[0], tmp_path / "p1", manners=FAST)
            p2 = await join(links[1], tmp_path / "p2", manners=FAST, waiting=True)
            async with p1, p2:
                await opposed(served, p1, p2)
                await p1.do(Declare("c1", ALONE, "self"))
                holders = await inviting.holders(TABLE)
                assert {each.seat for each in holders} == {"narrator", "p1", "p2"}
                assert await inviting.revoke_seat(TABLE, "p2") == 1
                with pytest.raises(NotAdmitted):
                    async for _ in p2:
                        pass
                assert p1.state.rolls[1].state == "resolved"
                assert len(p1.state.rolls) == 2
        with pytest.raises(Unavailable):
            async with Host("http://127.0.0.1:9", "urim-t1-") as nobody:
                await nobody.tables()

    served = Process(tmp_path).start()
    try:
        played(lambda: run(served))
    finally:
        served.kill()


@pytest.mark.parametrize("stored", ["one", "another"])
async def test_a_link_opens_again_after_the_throw_that_it_has_to_wait_for(
    tmp_path: Path, stored: str
) -> None:
    async with online(tmp_path / "h", "p1") as evening:
        p1 = evening.clients["p1"]
        await evening.sit("narrator", sharing=False)
        narrator = evening.clients["narrator"]
        await narrator.anchor()
        await p1.do(Declare("c1", ALONE))
        throwing = asyncio.create_task(p1.throw(1, "initiator"))
        while narrator.state.ask is None:
            await anext(narrator)
        link = await evening.link("p2")
        for _ in range(Limits().repeats + 1):
            with pytest.raises(Refused) as refused:
                await join(link, tmp_path / "one", manners=FAST)
            assert (refused.value.code, refused.value.allowed) == ("due", IN_A_MOMENT)
        await narrator.open_share()
        await throwing
        async with await join(link, tmp_path / stored, manners=FAST) as p2:
            assert (p2.seat, p2.state.seats["p2"].here) == ("p2", True)
