"""Many services on one database: any table on any of them, and one that dies leaves nothing."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest

from tests.engine.helpers.stages.hosted import QUICK, Hosted
from tests.engine.helpers.stages.relay import Relay
from tests.engine.helpers.stages.service import TABLE, noting, seated
from tests.engine.helpers.stages.serving import URIM, begun
from tests.engine.server.test_kills import Kills
from tests.events.postgres.server import Server, run_now, running
from tests.events.sqlite.runs import chance
from tests.tree import ROOT
from urim.engine.core.commands import Worded
from urim.engine.service import Service
from urim.engine.service.beside import secrets_of
from urim.engine.service.feed import Commit
from urim.errors import Unavailable
from urim.events.entry import Entry
from urim.events.log.location import DatabaseUrl
from urim.events.log.opening import open_log, open_log_reading
from urim.events.log.protocol import EventLog

pytestmark = pytest.mark.slow

BEGUN = 5
"""Entries of a table that is only seated."""


@asynccontextmanager
async def open_reading(url: str) -> AsyncGenerator[EventLog]:
    """The log as another program reads it."""
    log = await open_log_reading(url)
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def served(place: DatabaseUrl) -> AsyncGenerator[Service]:
    """A service on a database."""
    log, secrets = await open_log(place), secrets_of(place)
    service = Service(log, secrets)
    try:
        yield service
    finally:
        await service.close()
        await log.close()
        await asyncio.to_thread(secrets.close)


def child(place: DatabaseUrl, table: str) -> "subprocess.Popen[str]":
    """Another process that plays; see tests/engine/postgres/child.py."""
    words = [sys.executable, "-m", "tests.engine.postgres.child", place.reveal(), table]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    found: subprocess.Popen[str] = subprocess.Popen(words, cwd=ROOT, **pipes)  # type: ignore[call-overload]
    return found


def ready(process: "subprocess.Popen[str]") -> None:
    """Wait until it has loaded the table."""
    assert process.stdout is not None
    assert process.stdout.readline() == "R\n"


def turn(process: "subprocess.Popen[str]") -> str:
    """Let it play one turn; what it says of that."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


async def test_two_processes_play_at_one_table_in_turn_and_a_third_follows(
    place: DatabaseUrl, count: int
) -> None:
    turns = max(10, count // 3)

    async with served(place) as service:
        await seated(service, dice="fair")
        begun_at = (await service.state(TABLE)).size
        players = [child(place, TABLE) for _ in range(2)]
        for each in players:
            await asyncio.to_thread(ready, each)
        seen: list[int] = []
        async with aclosing(service.subscribe(TABLE, "p2", begun_at - 1)) as messages:
            for n in range(turns):
                said = await asyncio.to_thread(turn, players[n % 2])
                assert said == str(begun_at + n)
                while not seen or seen[-1] < begun_at + n:
                    async with asyncio.timeout(60):
                        message = await anext(messages)
                    if isinstance(message, Commit):
                        seen += [json.loads(line)["seq"] for line in message.entries]
        assert seen == [*range(begun_at, begun_at + turns)]
        for each in players:
            [last] = each.communicate()[0].split()
            assert int(last) >= turns // 2 - 1, "who plays alone was never behind"
            assert each.returncode == 0


@pytest.mark.prove
@pytest.mark.parametrize("racers", [2, 3])
def test_processes_race_at_one_table_and_every_command_is_kept_once(
    place: DatabaseUrl, racers: int, count: int, tried: Callable[[str], None]
) -> None:
    turns = max(10, -(-count // racers))

    async def scenario() -> tuple[list[int], int]:
        async with served(place) as service:
            await seated(service, dice="fair")
            players = [child(place, TABLE) for _ in range(racers)]
            for each in players:
                await asyncio.to_thread(ready, each)
            ways = (asyncio.to_thread(each.communicate, "\n" * turns) for each in players)
            found = [out.split("\n")[:-1] for out, _ in await asyncio.gather(*ways)]
            assert [each.returncode for each in players] == [0] * racers
            said = sorted(int(line) for lines in found for line in lines[:-1])
            assert (await service.state(TABLE)).size == BEGUN + racers * turns
            return said, sum(int(lines[-1]) for lines in found)

    said, lost = run_now(scenario())
    assert said == [*range(BEGUN, BEGUN + racers * turns)]
    assert lost > 0, "nobody ever raced"
    tried(f"{racers * turns:,} commands, {lost:,} times another process was first")


async def test_a_request_that_another_service_answered_is_answered_alike(
    place: DatabaseUrl,
) -> None:
    async with served(place) as here, served(place) as there:
        await seated(here, dice="fair")
        assert (await there.state(TABLE)).size == BEGUN
        asked = noting("text")
        kept = await here.submit(TABLE, "p1", asked, "ask-1")
        assert await there.submit(TABLE, "p1", asked, "ask-1") == kept
        assert (await there.state(TABLE)).size == BEGUN + 2


def test_while_the_database_is_away_commands_are_unavailable_and_later_they_are_kept_once() -> None:
    async def scenario(server: Server) -> None:
        async with served(DatabaseUrl(server.url_of("postgres"))) as service:
            await seated(service, dice="fair")
            await asyncio.to_thread(server.stop)
            asked = noting("text")
            for request in ("ask-1", "ask-2"):
                with pytest.raises(Unavailable):
                    await service.submit(TABLE, "p1", asked, request)
            await asyncio.to_thread(server.start)
            for _ in range(2):
                assert await again(service, asked, "ask-1") == [BEGUN, BEGUN + 1]
            assert await again(service, asked, "ask-2") == [BEGUN + 2, BEGUN + 3]

    with running() as server:
        run_now(scenario(server))


async def again(service: Service, asked: Worded, request: str) -> list[int]:
    """Send a note until it is answered: the first one finds that the connection was lost."""
    async with asyncio.timeout(60):
        while True:
            with suppress(Unavailable):
                kept = await service.submit(TABLE, "p1", asked, request)
                return [entry.seq for entry in kept]


# A commit is on the server's disk, and is answered once a standby has it: never.
STANDBY = "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
NO_STANDBY = "ALTER SYSTEM RESET synchronous_standby_names"
RELOAD = "SELECT pg_reload_conf()"

HOLD = "BEGIN; LOCK TABLE urim_log.tables IN SHARE MODE"
"""A commit has begun, and waits."""

WAITS = """SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'urim' AND query ~ '^WITH asked' AND wait_event = $1"""


@pytest.mark.parametrize(("kept", "wait"), [(True, "SyncRep"), (False, "relation")])
def test_of_a_command_that_the_server_died_under_the_same_request_tells_what_became(
    *, kept: bool, wait: str
) -> None:
    async def scenario(server: Server) -> None:
        url = server.url_of("postgres")
        async with served(DatabaseUrl(url)) as service:
            await seated(service, dice="fair")
            asked, size = noting("text"), (await service.state(TABLE)).size
            admin = await asyncpg.connect(url)
            for statement in (STANDBY, RELOAD) if kept else (HOLD,):
                await admin.execute(statement)
            size, request, sent = await unanswered(service, admin, asked, wait, size)
            if kept:
                await admin.execute(NO_STANDBY)  # once it starts again
            await asyncio.to_thread(server.kill)
            admin.terminate()
            with pytest.raises(Unavailable):
                await sent
            await asyncio.to_thread(server.start)
            async with open_reading(url) as log:
                assert len(await log.read(TABLE)) == size + (2 if kept else 0)
            for _ in range(2):
                assert await again(service, asked, request) == [size, size + 1]
            assert await again(service, asked, "another") == [size + 2, size + 3]

    with running() as server:
        run_now(scenario(server))


ENDS = """SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE application_name = 'urim' AND wait_event = 'SyncRep'"""
"""Ends the connection on which a commit is kept and not answered yet, and waits for its end."""


def test_a_command_that_one_service_lost_the_answer_of_is_answered_by_another() -> None:
    async def scenario(server: Server) -> None:
        place = DatabaseUrl(server.url_of("postgres"))
        async with served(place) as here, served(place) as there:
            await seated(here, dice="fair")
            asked, size = noting("text"), (await there.state(TABLE)).size
            admin = await asyncpg.connect(place.reveal())
            for statement in (STANDBY, RELOAD):
                await admin.execute(statement)
            size, request, sent = await unanswered(here, admin, asked, "SyncRep", size)
            # The other one is asked the same while nobody can see yet that it is kept.
            again = asyncio.create_task(there.submit(TABLE, "p1", asked, request))
            async with asyncio.timeout(60):
                while not await admin.fetchval(WAITS, "transactionid"):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            # While nothing is released yet: the one who was first has no answer.
            for statement in (ENDS, NO_STANDBY, RELOAD):
                await admin.execute(statement)
            await admin.close()
            with pytest.raises(Unavailable):
                await sent
            assert [entry.seq for entry in await again] == [size, size + 1]
            assert len(await there.log.read(TABLE)) == size + 2

    with running() as server:
        run_now(scenario(server))


async def unanswered(
    service: Service, admin: "asyncpg.Connection", asked: Worded, wait: str, size: int
) -> tuple[int, str, "asyncio.Task[tuple[Entry, ...]]"]:
    """A command that waits so in the server: the size before it, its request, and its answer.

    The server may be slow to heed a setting; what it answers until then is added to the size.
    """
    while True:
        request = f"ask-{size}"
        sent = asyncio.create_task(service.submit(TABLE, "p1", asked, request))
        while not sent.done():
            if await admin.fetchval(WAITS, wait):
                return size, request, sent
            await asyncio.sleep(0.01)
        size += len(await sent)


# --- servers --------------------------------------------------------------------------------------


class Begun(NamedTuple):
    """A server that listens."""

    process: "subprocess.Popen[str]"
    port: int


class Pair(Hosted):
    """Two servers on one database: the relay leads to one, and to the other once it dies."""

    spare: Begun | None = None
    program: Sequence[str] = URIM

    async def serve(self, *words: str) -> None:
        """Lead to the one that runs, and begin another; where none runs, begin two."""
        beginning = [self._begun(*words) for _ in range(1 if self.spare else 2)]
        *found, another = await asyncio.gather(*beginning)
        self.process, self.relay.server_port = self.spare or found[0]
        self.starts += 1
        self.spare = another

    async def end(self) -> None:
        """Let both drain and end; neither complained."""
        assert self.spare is not None
        other, self.spare = self.spare.process, None
        other.send_signal(signal.SIGTERM)
        _, complaints = await asyncio.to_thread(other.communicate)
        assert (other.returncode, complaints) == (0, "")
        await super().end()

    async def _begun(self, *words: str) -> Begun:
        given = ("--origin", self.relay.url, *QUICK, *words)
        process = begun(self.database, *given, program=self.program)
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line, process.communicate()
        found = json.loads(line)
        self.link = found.get("host_link", self.link).replace(found["url"], self.relay.url)
        return Begun(process, int(found["url"].rpartition(":")[2]))


@asynccontextmanager
async def pair(place: DatabaseUrl, program: Sequence[str] = URIM) -> AsyncGenerator[Pair]:
    """Two servers, ended at the end by whatever is needed."""
    async with Relay() as relay:
        found = Pair(relay, place)
        found.program = program
        try:
            await found.serve()
            yield found
        finally:
            left = [found.process, *([found.spare.process] if found.spare else [])]
            for each in left:
                each.kill()
                await asyncio.to_thread(each.communicate)


@pytest.mark.prove
def test_a_client_whose_server_dies_goes_on_at_the_other_and_nothing_is_lost_or_doubled(
    place: DatabaseUrl, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = max(1, min(100, count // 25))

    async def scenario() -> Kills:
        async with pair(place) as servers:
            kills = Kills(servers, tmp_path, chance("kills of one of two servers", seed))
            while kills.kills < how_many:
                await kills.some(min(10, how_many - kills.kills))
            return kills

    kills = run_now(scenario())
    tried(
        f"{kills.kills} kills, {kills.acknowledged:,} acknowledged, "
        f"{kills.in_flight} under way at a kill and done"
    )
    assert kills.acknowledged > how_many
