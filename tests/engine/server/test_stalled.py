"""Sockets that are never read, beside as many that are: these get all, in a bounded server."""

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import quantiles

import httpx
import pytest

from tests.engine.helpers.stages.hosted import NARRATOR, Hosted, hosted
from tests.engine.helpers.stages.server import bearer
from tests.engine.helpers.stages.sockets import Client, entered, stalled
from urim.engine.client.http import draw_client, exchange
from urim.engine.client.link import read_link
from urim.engine.core.commands import Note, worded
from urim.engine.wire import numbers

pytestmark = pytest.mark.slow

TABLE = "table001"
SEATS = tuple(f"p{number}" for number in range(1, 11))
"""Five that stall and five that do not: a seat has few sockets."""

LONG = "x" * 4_000
BEFORE = 20
"""Notes before anybody stalls."""

MOST = 600
"""Notes until all are closed who stall, at most."""

OWN = 48 << 20
"""Bytes that the server may grow by, with the table in its memory."""

EACH = 5 << 18
"""Bytes that it may keep for one that stalls: 1 MiB, a commit, what the connection itself is."""


class Crowd:
    """A table, its narrator who writes notes, and all who listen."""

    def __init__(self, host: Hosted) -> None:
        self.host = host
        self.sent: dict[int, float] = {}
        self.got: list[dict[int, float]] = []
        self.size = 0
        self.tokens: dict[str, str] = {}
        self.news = asyncio.Event()

    async def begin(self, stack: AsyncExitStack) -> None:
        """Open the table; the narrator comes in."""
        links = await self.host.open(TABLE, *SEATS, level="server")
        found = {
            seat: await exchange(read_link(link), draw_client()) for seat, link in links.items()
        }
        self.tokens = {seat: each.token for seat, each in found.items()}
        token = self.tokens[NARRATOR]
        self.narrator = await stack.enter_async_context(entered(self.host, TABLE, token))

    async def note(self) -> None:
        """Write one."""
        began = time.perf_counter()
        done = await self.narrator.done(f"n{len(self.sent)}", worded(Note(0), LONG))
        assert done["type"] == "done", done
        self.size = done["size"]
        self.sent[self.size] = began

    async def listen(self, client: Client) -> None:
        """Take all that comes, and note when."""
        got: dict[int, float] = {}
        self.got.append(got)
        while True:
            frame = await client.next()
            if frame["type"] == "commit":
                got[frame["size"]] = time.perf_counter()
                self.news.set()
            client.frames.clear()
            client.texts.clear()

    def waits(self, first: int, last: int) -> str:
        """How long it was from a note to each who listens, of the notes of these sizes."""
        sizes = [size for size in self.sent if first < size <= last]
        found = [1_000 * (got[size] - self.sent[size]) for got in self.got for size in sizes]
        each = quantiles(found, n=100)
        return f"p50 {each[49]:.0f} ms, p99 {each[98]:.0f} ms"

    def memory(self) -> int:
        """The most that the server had in memory, in bytes."""
        status = Path(f"/proc/{self.host.process.pid}/status").read_text("ascii")
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) << 10

    async def closed(self) -> int:
        """How many sockets the server closed because they were slow."""
        token = self.host.host_token
        async with httpx.AsyncClient(base_url=self.host.relay.url, headers=bearer(token)) as http:
            figures = (await http.get("/metrics")).text
        found = re.search(rf'urim_sockets_closed_total{{code="{numbers.SLOW}"}} ([\d.]+)', figures)
        return int(float(found[1])) if found else 0


async def crowded(host: Hosted, count: int) -> str:
    """So many that stall beside as many that do not; what was measured."""
    async with AsyncExitStack() as stack:
        crowd = Crowd(host)
        await crowd.begin(stack)
        listening: list[asyncio.Task[None]] = []
        for number in range(count):
            token = crowd.tokens[SEATS[5 + number % 5]]
            client = await stack.enter_async_context(entered(host, TABLE, token))
            listening.append(asyncio.create_task(crowd.listen(client)))
        first = crowd.size
        for _ in range(BEFORE):
            await crowd.note()
        alone = crowd.size
        slow = []
        for number in range(count):
            token = crowd.tokens[SEATS[number % 5]]
            slow.append(await stack.enter_async_context(stalled(host, TABLE, token)))
        before = crowd.memory()
        while await crowd.closed() < count:
            assert len(crowd.sent) < MOST, "they are never closed"
            for _ in range(10):
                await crowd.note()
        stalls = crowd.size
        for _ in range(BEFORE):
            await crowd.note()
        while not all(crowd.size in got for got in crowd.got):
            crowd.news.clear()
            await crowd.news.wait()
        for task in listening:
            assert not task.done()
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
        # Each got every commit that was made while it listened.
        assert all(set(got) >= set(crowd.sent) for got in crowd.got)
        codes = [await client.closed() for client in slow]
        assert set(codes) <= {numbers.SLOW, None}
        grown = crowd.memory() - before
        assert grown <= OWN + count * EACH
        by_themselves, beside = crowd.waits(first, alone), crowd.waits(alone, stalls)
        return (
            f"{count} stalled beside {count}; {len(crowd.sent)} notes, {beside} "
            f"(before anybody stalled {by_themselves}); "
            f"the server grew by {grown / (1 << 20):.1f} MiB"
        )


@pytest.mark.prove
def test_who_does_not_read_takes_nothing_from_who_does(
    tmp_path: Path, count: int, tried: Callable[[str], None]
) -> None:
    """50 of each where the count asks for 500 or more."""

    async def run() -> str:
        async with hosted(tmp_path, "--table-sockets", "200") as host:
            return await crowded(host, max(3, min(50, count // 10)))

    tried(asyncio.run(run()))
