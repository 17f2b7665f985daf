"""A server that is killed while it calls: every happening is told at least once, in order."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import count as count_from
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.hosted import NARRATOR, Hosted, hosted
from tests.engine.helpers.stages.receiver import Call, Manner, Receiver
from tests.engine.helpers.stages.server import bearer
from tests.events.sqlite.runs import chance
from urim.engine.client.http import draw_client, exchange
from urim.engine.client.link import read_link
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.service import Service
from urim.engine.service.news import News

pytestmark = pytest.mark.slow

KILLS_OF_A_TABLE = 25

LONGEST = 0.6
"""Seconds until a kill, at most; where a server takes longer to begin, as many as that took."""

SLOW = 0.15
"""Seconds until a call is answered that was noted as taken, at most: kills come in between."""

SETTLED = 60.0
"""Seconds until all is told, once every call is taken."""

MANNERS: tuple[Manner, ...] = ("good", "good", "good", "500", "hang", "close", "cut")

SEATS = ("p1", NARRATOR)


class Play:
    """A table of which two seats are told, at which somebody rolls all the time."""

    def __init__(self, host: Hosted, table: str, receiver: Receiver, luck: Random) -> None:
        self.host = host
        self.table = table
        self.receiver = receiver
        self.luck = luck
        self.tokens: dict[str, str] = {}
        self.numbers = count_from(1)
        self.stopping = False
        self.kept: set[int] = set()
        self.http = httpx.AsyncClient(timeout=20)

    async def begin(self) -> None:
        """Open the table; both seats leave an address."""
        links = await self.host.open(self.table, "p1", system="plain", level="server")
        for seat, link in links.items():
            self.tokens[seat] = (await exchange(read_link(link), draw_client())).token
        await self.does(NARRATOR, c.EnterCharacter("c1", "p1", {}))
        await self.does(NARRATOR, c.EnterCharacter("c2", NARRATOR, {}))
        for seat in SEATS:
            await self.ask(seat, "/hooks", {"url": self.receiver.url})

    async def ask(self, seat: str, path: str, body: Any) -> Any:
        """Ask until it is answered."""
        url = f"{self.host.url}/tables/{self.table}{path}"
        while True:
            try:
                answer = await self.http.post(url, json=body, headers=bearer(self.tokens[seat]))
            except httpx.TransportError:
                await asyncio.sleep(0.02)
                continue
            if answer.status_code < 500:
                return answer.json()
            await asyncio.sleep(0.02)

    async def does(self, seat: str, asking: c.Asking) -> None:
        """Have a command done, or refused."""
        command, text = c.apart(asking)
        asked = WireRequest(body_of(command).decode(), f"r-{next(self.numbers)}", text)
        await self.ask(seat, "/requests", httpx.Response(200, content=asked.written()).json())

    async def rolls(self, seat: str, character: str, visibility: str = "public") -> int:
        """A roll from its declaration to its outcome."""
        wish = {"expression": "2d6", "character": character, "visibility": visibility}
        answer = await self.ask(seat, "/rolls", {"request": f"r-{next(self.numbers)}", **wish})
        roll: int = answer["roll"]["roll"]
        return roll

    async def run(self) -> None:
        """Roll, hide, dispute, and leave some rolls open, until it shall stop."""
        while not self.stopping:
            roll = await self.rolls("p1", "c1", self.luck.choice(("public", "gm")))
            hidden = self.luck.choice(("self", "public"))
            other = await self.rolls(NARRATOR, "c2", hidden)
            self.kept |= {other} if hidden == "self" else set()
            if self.luck.randrange(3) == 0:
                await self.does("p1", c.worded(c.Dispute(roll), "that die was cocked"))
            if self.luck.randrange(5) == 0:
                await self.does("p1", c.Declare("c1", {"expression": "1d20"}))
            await asyncio.sleep(self.luck.random() * 0.1)

    # --- what was told ----------------------------------------------------------------------------

    def told(self, seat: str, *, taken: bool = True) -> list[Call]:
        """What came for a seat of this table."""
        calls = self.receiver.good if taken else self.receiver.calls
        data = ((call, call.json["data"]) for call in list(calls))
        return [c for c, known in data if (known["table"], known["seat"]) == (self.table, seat)]

    async def news(self, seat: str) -> News:
        """What there was to be told to a seat, and what waits for it now."""

        async def read(service: Service) -> News:
            return await service.news(self.table, seat, -1)

        return await self.host.read(read)

    def is_told(self, seat: str, news: News) -> bool:
        """Whether all of it was taken."""
        told = self.told(seat)
        seqs = {call.json["data"].get("seq") for call in told}
        waits = {of(call.json["data"]) for call in told}
        ended = all(each.seq in seqs for each in news.ended)
        return ended and all((w.roll, w.trigger, w.about) in waits for w in news.waits)


def of(data: dict[str, Any]) -> tuple[Any, ...]:
    """What a call says waits."""
    return data.get("roll"), data.get("trigger"), data.get("about")


def order(call: Call) -> int:
    """Where a roll's end is in the log."""
    seq: int = call.json["data"]["seq"]
    return seq


class Kills:
    """Servers killed while they call, and what was told."""

    def __init__(self, host: Hosted, receiver: Receiver, luck: Random) -> None:
        self.host = host
        self.receiver = receiver
        self.luck = luck
        self.words = ("--call", receiver.place, "--call-patience", "0.3")
        self.longest = LONGEST
        self.kills = self.tables = self.told = self.twice = self.hidden = 0
        self.manners: Counter[str] = Counter()

    def manner(self) -> Manner:
        """How the next call is answered."""
        return self.luck.choice(MANNERS)

    async def serve(self) -> None:
        """Begin a server; on a busy machine, which takes longer, the next kill comes later too."""
        began = time.monotonic()
        await self.host.serve(*self.words)
        self.longest = max(LONGEST, time.monotonic() - began)

    async def some(self, count: int) -> None:
        """Kill a server so many times under one table, and look at all that was told."""
        self.tables += 1
        play = Play(self.host, f"told{self.tables:04}", self.receiver, self.luck)
        self.receiver.manner = self.manner
        self.receiver.delay = lambda: self.luck.random() * SLOW
        await play.begin()
        playing = asyncio.create_task(play.run())
        try:
            for _ in range(count):
                await asyncio.sleep(self.luck.random() * self.longest)
                await self.host.kill()
                self.kills += 1
                await self.serve()
                assert not playing.done(), playing.result()
        finally:
            play.stopping = True
        await playing
        # Who failed for long is called again after as long; a server that is begun does so at once.
        await self.host.end()
        self.receiver.manner = lambda: "good"
        await self.serve()
        for seat in SEATS:
            await self._check(play, seat)
        await play.http.aclose()
        self.receiver.calls.clear()

    async def _check(self, play: Play, seat: str) -> None:
        news = await play.news(seat)
        await self.receiver.soon(lambda: play.is_told(seat, news), SETTLED)
        may = {each.seq for each in news.ended}
        every = play.told(seat, taken=False)
        ended = [call for call in every if call.json["type"] == "roll.ended"]
        assert {order(call) for call in ended} == may  # nothing that it may not see was ever sent
        taken = [call for call in ended if call.manner == "good"]
        first = list({order(call): None for call in taken})
        assert first == sorted(first)
        ids: dict[str, tuple[Any, ...]] = {}
        for call in every:
            said = call.json["type"], call.json["data"].get("seq"), of(call.json["data"])
            assert ids.setdefault(call.headers["webhook-id"], said) == said
        ends = [said for said in ids.values() if said[0] == "roll.ended"]
        assert len(ends) == len(set(ends))
        self.told += len({call.headers["webhook-id"] for call in play.told(seat)})
        self.twice += len(play.told(seat)) - len({c.headers["webhook-id"] for c in play.told(seat)})
        self.manners.update(call.manner for call in every)
        if seat == "p1":
            assert not {call.json["data"]["roll"] for call in every} & play.kept
            self.hidden += len(play.kept)


@pytest.mark.prove
def test_whatever_a_kill_interrupts_is_told_at_least_once_and_in_order(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = max(3, min(1_000, count // 10))

    async def run() -> Kills:
        async with AsyncExitStack() as stack:
            receiver = stack.enter_context(Receiver())
            host = await stack.enter_async_context(hosted(tmp_path))
            kills = Kills(host, receiver, chance("kills of calls", seed))
            await host.end()
            await kills.serve()
            while kills.kills < how_many:
                await kills.some(min(KILLS_OF_A_TABLE, how_many - kills.kills))
            return kills

    kills = asyncio.run(run())
    failed = ", ".join(f"{many:,} {manner}" for manner, many in sorted(kills.manners.items()))
    tried(
        f"{kills.kills:,} kills, {kills.told:,} happenings told, {kills.twice:,} of them again; "
        f"calls read: {failed}; {kills.hidden:,} rolls hidden from a seat, none told to it"
    )
    assert kills.kills == how_many
    assert kills.told > how_many
