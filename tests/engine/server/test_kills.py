"""A server that is killed at any instant: nothing is lost that was acknowledged, or done twice."""

import asyncio
import hmac
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.acting import FAST, act
from tests.engine.helpers.stages.client import view_of
from tests.engine.helpers.stages.hosted import NARRATOR, Hosted, hosted
from tests.engine.helpers.stages.players import ALONE
from tests.events.sqlite.runs import chance
from urim.engine.audit import audit
from urim.engine.client import Client, Host, join
from urim.engine.core.commands import Declare, EnterCharacter, Erase, Note, SetTrack
from urim.engine.seat.happened import Done
from urim.engine.service import Service
from urim.engine.service.beside import secrets_of
from urim.errors import Refused, Unavailable
from urim.events.base import Level
from urim.events.codec import asked_in
from urim.events.entry import Entry

pytestmark = pytest.mark.slow

PATIENT = replace(FAST, patience=300.0)

KILLS_OF_A_TABLE = 10
"""So that a table is killed under again and again, and still does not grow without end."""

MOST = 25
"""Acknowledgements that are waited for, at most."""

LONGEST = 0.08
"""Seconds after them until the kill, at most."""

LEVELS: tuple[Level, ...] = ("player", "table")


class Load:
    """A table at which a narrator and a player do something all the time."""

    def __init__(self, host: Hosted, table: str, heard: asyncio.Event) -> None:
        self.host = host
        self.table = table
        self.heard = heard
        self.clients: dict[str, Client] = {}
        self.acknowledged: list[Done] = []
        self.erased: list[int] = []
        self.erasing: int | None = None
        self.in_flight: set[str] = set()
        self.tasks: list[asyncio.Task[None]] = []
        self.news = asyncio.Event()
        self.stopping = False
        self.longest = 0.0

    async def begin(self, path: Path, level: Level) -> None:
        """Open the table, and let both sit down."""
        links = await self.host.open(self.table, "p1", level=level)
        for seat, link in links.items():
            self.clients[seat] = await join(link, path / self.table / seat, manners=PATIENT)
        self.done(await self.clients["p1"].do(EnterCharacter("c1", "p1", {"BLE": 3})))
        work = (self._narrate(self.clients[NARRATOR]), self._roll(self.clients["p1"]))
        self.tasks = [asyncio.create_task(each) for each in work]
        for client in self.clients.values():
            self.tasks.append(asyncio.create_task(self._listen(client)))
        for task in self.tasks:
            task.add_done_callback(lambda _: self.heard.set())

    def check(self) -> None:
        """Raise what ended a client, if anything did."""
        for task in self.tasks:
            if task.done():
                task.result()

    def done(self, done: Done) -> None:
        """Note what was acknowledged."""
        self.acknowledged.append(done)
        self.heard.set()

    def killed(self) -> None:
        """Note what was under way when the server was killed."""
        for client in self.clients.values():
            self.in_flight |= set(client.pending)

    async def end(self) -> None:
        """Let both finish what they began, and take all that the table has."""
        self.stopping = True
        await asyncio.gather(*self.tasks[:2])
        size = max(client.state.size for client in self.clients.values())
        for client in self.clients.values():
            while client.state.size < size or client.pending:
                self.news.clear()
                await self.news.wait()
                self.check()

    async def close(self) -> None:
        """End the clients. None of them saw a fork, nor anything else that cannot be."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for client in self.clients.values():
            await client.close()
            assert client.fault is None

    async def _waited(self, asked: Awaitable[Done | None]) -> Done:
        """Wait for a command, and note how long that took, in seconds, and what was done."""
        start = time.monotonic()
        done = await asked
        self.longest = max(self.longest, time.monotonic() - start)
        assert done is not None
        self.done(done)
        return done

    async def _narrate(self, narrator: Client) -> None:
        turn = 0
        while not self.stopping:
            turn += 1
            await self._told(narrator, SetTrack("c1", "xr", turn % 5))
            if turn % 3 == 0:
                note = Note(turn % narrator.state.size)
                words = await self._waited(narrator.say(note, f"note {turn}"))
                assert words.seq is not None
                self.erasing = words.seq + 1
                await self._told(narrator, Erase(self.erasing))
                self.erased.append(self.erasing)
                self.erasing = None

    async def _told(self, narrator: Client, command: SetTrack | Erase) -> None:
        """Have a narrator's command done; where a throw was asked for first, once it is made."""
        while True:
            try:
                await self._waited(narrator.do(command))
            except Refused as refused:
                if refused.code != "due":
                    raise
            else:
                return
            while narrator.state.ask is not None:
                self.news.clear()
                await self.news.wait()

    async def _roll(self, player: Client) -> None:
        while not self.stopping:
            roll = player.state.next_roll
            visibility = "gm" if roll % 2 else "public"
            await self._waited(player.do(Declare("c1", ALONE, visibility)))  # type: ignore[arg-type]
            while mine := [
                each
                for each in player.awaiting()
                if each.trigger not in ("open_share", "break_throw")
            ]:
                await self._waited(act(player, mine[0]))
            assert player.state.rolls[roll].state == "resolved"

    async def _listen(self, client: Client) -> None:
        async for _ in client:
            self.news.set()


class Openings:
    """A host that opens one table after the other, and asks again until it is answered."""

    def __init__(self, host: Hosted, number: int) -> None:
        self.host = host
        self.number = number
        self.opened: list[str] = []
        self.under_way = False
        self._task = asyncio.create_task(self._open())
        self._stopping = False

    async def end(self) -> None:
        """Let it finish what it began."""
        self._stopping = True
        await self._task

    def cancel(self) -> None:
        """Give up."""
        self._task.cancel()

    async def _open(self) -> None:
        while not self._stopping:
            table = f"opened{self.number}x{len(self.opened)}"
            self.under_way = True
            while self.under_way:
                try:
                    async with Host(self.host.url, self.host.host_token) as host:
                        assert await host.open_table(table, "milhamah", request=table)
                    self.under_way = False
                except Unavailable:
                    await asyncio.sleep(0.01)
            self.opened.append(table)
            await asyncio.sleep(0.02)

    async def kept(self, service: Service) -> None:
        """Each was opened once, under the secret that is kept: it is known by its request."""
        secrets = secrets_of(self.host.database)
        for table in self.opened:
            before = await service.log.answered(table, NARRATOR, table)
            secret = secrets.find(table)
            assert before is not None
            assert secret is not None
            asked = asked_in(before.entries[0])
            assert asked is not None
            assert before.mac == hmac.digest(secret, asked.body.encode(), "sha256")
            assert (await service.state(table)).size >= 1


def requests(entries: tuple[Entry, ...]) -> list[tuple[str, int]]:
    """The ids of all requests in a log, each with its first entry."""
    found = ((asked_in(entry), entry.seq) for entry in entries if entry.seq == entry.commit)
    return [(asked.request, seq) for asked, seq in found if asked is not None]


async def kept(service: Service, loads: list[Load]) -> None:
    """The log has whatever was acknowledged, where that was, and nothing twice."""
    for load in loads:
        # Before it is read: where another server runs, more is acknowledged meanwhile.
        promised = {(done.request, done.seq) for done in load.acknowledged if done.seq is not None}
        erased = tuple(load.erased)
        entries = await service.log.read(load.table)
        assert [entry.seq for entry in entries] == [*range(len(entries))]
        found = requests(entries)
        assert max(Counter(request for request, _ in found).values()) == 1
        assert promised <= set(found)
        assert all(entries[seq].payload is None for seq in erased)


async def in_order(service: Service, loads: list[Load], path: Path) -> int:
    """The log is whole, as its heads say, and as each client has it; how much was in flight."""
    in_flight = 0
    for load in loads:
        for seat, client in load.clients.items():
            assert list(client.lines) == await view_of(service, load.table, seat)
        bundle = path / f"{load.table}.urim.jsonl"
        lines = [line async for line in await service.bundle(load.table, NARRATOR)]
        bundle.write_bytes(b"".join(lines))
        report = audit(bundle)
        assert not report.failed, report
        known = {request for request, _ in requests(await service.log.read(load.table))}
        in_flight += len(load.in_flight & known)
    return in_flight


class Kills:
    """Servers killed under load, and what there was to lose."""

    def __init__(self, host: Hosted, path: Path, luck: Random) -> None:
        self.host = host
        self.path = path
        self.luck = luck
        self.heard = asyncio.Event()
        self.kills = self.tables = self.acknowledged = self.in_flight = 0
        self.opened = self.opening = self.erased = self.erasing = 0
        self.longest = 0.0

    async def some(self, count: int) -> None:
        """Kill a server so many times, under two tables; none runs afterwards."""
        if self.tables:
            await self.host.serve()
        loads = [Load(self.host, f"table{self.tables + each:03}", self.heard) for each in (0, 1)]
        self.tables += len(loads)
        openings: Openings | None = None
        try:
            for load, level in zip(loads, LEVELS, strict=True):
                await load.begin(self.path, level)
            openings = Openings(self.host, self.tables)
            for _ in range(count):
                await self._kill(loads, openings)
            await openings.end()
            for load in loads:
                await load.end()
        finally:
            if openings is not None:
                openings.cancel()
            for load in loads:
                await load.close()
        await self.host.end()
        await self.host.read(lambda service: kept(service, loads))
        await self.host.read(openings.kept)
        self.opened += len(openings.opened)
        self.erased += sum(len(load.erased) for load in loads)
        self.in_flight += await self.host.read(lambda found: in_order(found, loads, self.path))
        self.acknowledged += sum(len(load.acknowledged) for load in loads)
        self.longest = max(self.longest, *(load.longest for load in loads))

    async def _kill(self, loads: list[Load], openings: Openings) -> None:
        for _ in range(self.luck.randrange(MOST) if self.luck.randrange(4) else 0):
            self.heard.clear()
            await self.heard.wait()
            for load in loads:
                load.check()
        await asyncio.sleep(self.luck.random() * LONGEST)
        for load in loads:
            load.killed()
            self.erasing += load.erasing is not None
        self.opening += openings.under_way
        await self.host.kill()
        self.kills += 1
        if self.luck.randrange(2):  # else it is the server who reads first what was left
            await self.host.read(lambda service: kept(service, loads))
        await self.host.serve()


@pytest.mark.prove
def test_no_kill_of_a_server_loses_or_doubles_anything(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = max(2, min(100, count // 10))

    async def run() -> Kills:
        async with hosted(tmp_path) as host:
            kills = Kills(host, tmp_path, chance("kills of servers", seed))
            while kills.kills < how_many:
                await kills.some(min(KILLS_OF_A_TABLE, how_many - kills.kills))
            return kills

    kills = asyncio.run(run())
    tried(
        f"{kills.kills} kills, {kills.acknowledged:,} acknowledged, "
        f"{kills.in_flight} under way at a kill and done; {kills.opened} opened, {kills.erased} "
        f"erased, of which {kills.opening} and {kills.erasing} were under way at a kill"
    )
    assert kills.kills == how_many
    assert kills.acknowledged > how_many
