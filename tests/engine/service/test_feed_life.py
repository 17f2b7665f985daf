"""A feed from its first subscriber to its last: others' commits, bounds, presence, every end."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from queue import Queue

import pytest

from tests.engine.helpers.stages.client import Client, listening, seq_of, taken, view_of
from tests.engine.helpers.stages.service import (
    TABLE,
    TWO,
    at_a_table,
    declare,
    mark,
    noting,
    on_each_log,
    seated,
)
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import Reveal
from urim.engine.service import Service, encoded, feed
from urim.engine.service.blocking import BlockingService
from urim.engine.service.feed import Behind, Commit, Present
from urim.engine.service.secrets import FileSecrets, MemorySecrets, Secrets
from urim.errors import Damaged, Defect, Refused
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import CaughtUp, EventLog
from urim.events.log.sqlite import SqliteLog

# --- who may subscribe ----------------------------------------------------------------------------


@on_each_log
async def test_unknown_tables_seats_and_places_are_refused_and_leave_nothing(
    log: EventLog, secrets: Secrets
) -> None:
    await seated(Service(log, secrets))
    service = Service(log, secrets, memory=0)
    for code, table, seat, after in (
        ("unknown", "nowhere1", "p1", -1),
        ("unknown", TABLE, "p9", -1),
        ("unknown", TABLE, "", -1),
        ("out-of-range", TABLE, "p1", -2),
        ("out-of-range", TABLE, "p1", 5),
    ):
        with pytest.raises(Refused) as refused:
            await anext(service.subscribe(table, seat, after))
        assert refused.value.code == code
        assert refused.value.allowed
        assert service.present(table) == ()
    assert service.loaded == 0


# --- others' commits ------------------------------------------------------------------------------


class Counting(MemoryLog):
    """Counts how often it is read."""

    reads = 0

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        self.reads += 1
        return await super().read(table, after, limit)


async def test_commits_of_the_service_itself_are_not_read_again() -> None:
    log = Counting()
    service = Service(log, MemorySecrets())
    await seated(service)
    async with listening(service, "p1") as one, listening(service, "p2") as two:
        log.reads = 0
        for number in range(20):
            await service.submit(TABLE, "narrator", mark(number))
        for client, messages in (one, two):
            while len(client.lines) < 25:
                client.take(await anext(messages))
        assert log.reads == 0


@on_each_log
async def test_what_another_service_on_the_log_keeps_comes_too(
    log: EventLog, secrets: Secrets
) -> None:
    service, other = Service(log, secrets), Service(log, secrets)
    await seated(service)
    async with listening(service, "p2") as (client, messages):
        for turn in range(10):
            who = (service, other)[turn % 2]
            await who.submit(TABLE, "p1", noting(f"{turn}"))
            await taken(client, messages, 7 + 2 * turn)
        await asyncio.gather(
            *(each.submit(TABLE, "p1", noting("both")) for each in (service, other) * 5)
        )
        got = await taken(client, messages, 45)
        assert all(len(each.entries) == 2 for each in got if isinstance(each, Commit))
        assert client.lines == await view_of(other, TABLE, "p2")


def test_what_another_log_on_the_file_keeps_comes_too(tmp_path: Path) -> None:
    async def run() -> None:
        path = tmp_path / "table.db"
        secrets = FileSecrets.beside(path)
        logs = [await SqliteLog.open(path, poll=0.01) for _ in range(2)]
        service, other = (Service(log, secrets) for log in logs)
        await seated(service)
        async with listening(service, "p2") as (client, messages):
            await other.submit(TABLE, "p1", declare("gm"))
            await taken(client, messages, 6)
            await other.submit(TABLE, "narrator", Reveal(1))
            await taken(client, messages, 7)
            assert client.lines == await view_of(service, TABLE, "p2")
        for each in (service, other):
            await each.close()
        for log in logs:
            await log.close()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_what_another_process_keeps_comes_too(tmp_path: Path) -> None:
    async def run() -> None:
        path = tmp_path / "table.db"
        log = await SqliteLog.open(path, poll=0.01)
        service = Service(log, FileSecrets.beside(path))
        await seated(service)
        async with listening(service, "p2") as (client, messages):
            words = ["note", str(path), TABLE, "0", "from elsewhere", "--seat", "p1"]
            command = [sys.executable, "-m", "urim", *words]
            done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            [commit] = await taken(client, messages, 7)
            assert isinstance(commit, Commit)
            assert b"from elsewhere" in commit.entries[1]
        await service.close()
        await log.close()

    asyncio.run(asyncio.wait_for(run(), 60))


# --- bounds ---------------------------------------------------------------------------------------


@at_a_table()
async def test_who_falls_behind_is_told_and_resumes_without_loss(service: Service) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(feed, "WAITING", 2_000)
        async with listening(service, "p2") as (client, messages):
            await service.submit(TABLE, "p1", declare("gm"))
            await taken(client, messages, 6)
            for number in range(10):
                await service.submit(TABLE, "narrator", mark(number))
            await service.submit(TABLE, "narrator", Reveal(1))
            assert [message async for message in messages] == [Behind(6)]
            assert service.present(TABLE) == ()
        async with listening(service, "p2", client):
            assert client.lines == await view_of(service, TABLE, "p2")


@at_a_table()
async def test_when_one_falls_behind_does_not_show_how_long_what_is_hidden_is(
    service: Service,
) -> None:
    await service.submit(TABLE, "p1", declare("gm"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(feed, "WAITING", 4_000)
        async with listening(service, "p2") as (client, messages):
            for _ in range(5):
                await service.submit(TABLE, "p1", noting("x" * 2_000, about=5))
            await taken(client, messages, 16)
            assert client.lines == await view_of(service, TABLE, "p2")


@at_a_table()
async def test_the_latest_commit_waits_whatever_its_bytes(service: Service) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(feed, "WAITING", 2_000)
        async with listening(service, "p2") as (client, messages):
            for number in range(2):
                await service.submit(TABLE, "narrator", mark(number))
            await service.submit(TABLE, "p1", noting("x" * 4_000))
            await taken(client, messages, 9)
            assert client.lines == await view_of(service, TABLE, "p2")


@at_a_table()
async def test_who_is_late_is_sent_a_commit_as_it_was_seen_then(service: Service) -> None:
    """Sealed, though the next one, which waits too, reveals it."""
    async with listening(service, "p2") as (client, messages):
        await service.submit(TABLE, "p1", declare("gm"))
        await service.submit(TABLE, "narrator", Reveal(1))
        got = await taken(client, messages, 7)
    hidden, revealed = [each for each in got if isinstance(each, Commit)]
    assert [b"payload" in line for line in hidden.entries] == [False]
    assert [b"payload" in line for line in revealed.changed] == [True]
    assert [*map(seq_of, hidden.entries)] == [*map(seq_of, revealed.changed)] == [5]


@at_a_table()
async def test_256_commits_may_wait_and_not_one_more(service: Service) -> None:
    async with listening(service, "p1") as (slower, late), listening(service, "p2") as (slow, soon):
        for number in range(feed.QUEUED):
            await service.submit(TABLE, "narrator", mark(number))
        assert len(await taken(slow, soon, 5 + feed.QUEUED)) == feed.QUEUED == 256
        await service.submit(TABLE, "narrator", mark())
        await taken(slow, soon, 6 + feed.QUEUED)
        assert await anext(late) == Behind(5)
    async with listening(service, "p1", slower):
        assert slower.lines == await view_of(service, TABLE, "p1")


@at_a_table()
async def test_one_commit_is_never_too_much(service: Service) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(feed, "WAITING", 0)
        async with listening(service, "p2") as (client, messages):
            for turn in range(3):
                await service.submit(TABLE, "p1", noting("x" * 2_000))
                await taken(client, messages, 7 + 2 * turn)


@at_a_table()
async def test_a_slow_history_holds_up_nobody_and_ends_with_its_mark(service: Service) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(feed, "WAITING", 2_000)
        async with aclosing(service.subscribe(TABLE, "p2")) as messages:
            client = Client()
            client.take(await anext(messages))
            for number in range(10):
                await service.submit(TABLE, "narrator", mark(number))
            assert (await client.catch_up(messages))[-1] == CaughtUp(5)
            assert [message async for message in messages] == [Behind(5)]
        async with listening(service, "p2", client):
            assert client.lines == await view_of(service, TABLE, "p2")


@at_a_table()
async def test_encoded_entries_are_kept_up_to_a_bound(service: Service) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoded, "LINES", 1_000)
        async with listening(service, "p2") as (client, messages):
            for number in range(10):
                await service.submit(TABLE, "narrator", mark(number))
            await taken(client, messages, 15)
            assert client.lines == await view_of(service, TABLE, "p2")
    lines = encoded.Lines()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoded, "LINES", 1_000)
        for entry in await service.view(TABLE, "p2"):
            lines.line(entry, whole=True)
        assert lines.bytes <= 1_000


# --- in memory ------------------------------------------------------------------------------------


@on_each_log
async def test_a_table_that_is_subscribed_to_stays_and_is_not_counted(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets, memory=TWO)
    others = [f"table00{number}" for number in range(2, 6)]
    await seated(service)
    async with listening(service, "p1") as (client, messages):
        held = await service.aggregate(TABLE)
        for table in others:
            await seated(service, table)
        assert service.loaded == 3
        assert await service.aggregate(TABLE) is held
        await service.submit(TABLE, "p1", declare())
        await taken(client, messages, 6)
    assert service.loaded == 2


# --- presence -------------------------------------------------------------------------------------


@on_each_log
async def test_present_are_the_seats_with_a_live_subscription(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    assert service.present(TABLE) == service.present("nowhere1") == ()
    async with listening(service, "p2") as (_, messages):
        async with listening(service, "p1"), listening(service, "p1"):
            assert service.present(TABLE) == ("p1", "p2")
            assert await anext(messages) == Present(("p1", "p2"))
        assert await anext(messages) == Present(("p2",))
        assert len(await log.read(TABLE)) == 5
    assert service.present(TABLE) == ()


# --- ends -----------------------------------------------------------------------------------------


@at_a_table(memory=0)
async def test_a_cancelled_subscriber_is_gone_and_the_others_go_on(service: Service) -> None:
    before = len(asyncio.all_tasks())

    async def listen() -> None:
        async with aclosing(service.subscribe(TABLE, "p1")) as messages:
            async for _ in messages:
                pass

    async with listening(service, "p2") as (client, messages):
        for turns in range(8):  # in line for the table, in the history, waiting
            task = asyncio.create_task(listen())
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert service.present(TABLE) == ("p2",)
        await service.submit(TABLE, "p1", declare())
        await taken(client, messages, 6)
    await service.view(TABLE, "p2")
    assert service.loaded == 0
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before


@at_a_table()
async def test_when_the_service_closes_subscriptions_take_what_is_there_and_end(
    service: Service,
) -> None:
    async with listening(service, "p1") as one, listening(service, "p2") as two:
        await service.submit(TABLE, "p1", declare())
        waiting = asyncio.create_task(taken(*one, 7))
        await asyncio.sleep(0)
        await service.close()
        with pytest.raises(StopAsyncIteration):
            await waiting
        _, messages = two
        assert [type(each) async for each in messages] == [Commit]
        assert service.present(TABLE) == ()
    with pytest.raises(Defect, match="closed"):
        service.subscribe(TABLE, "p1")


class Breaking(MemoryLog):
    """A log whose disk breaks."""

    broken = False

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        if self.broken:
            raise Damaged("a flipped bit", seq=6)
        return await super().read(table, after, limit)


def test_a_subscriber_learns_that_its_table_is_damaged_and_may_come_back_later() -> None:
    async def run() -> None:
        log, secrets = Breaking(), MemorySecrets()
        service, other = Service(log, secrets), Service(log, secrets)
        await seated(service)
        await other.state(TABLE)
        async with listening(service, "p2") as (client, messages):
            log.broken = True
            await other.submit(TABLE, "p1", noting("unseen"))
            with pytest.raises(Damaged, match="entry 6"):
                await anext(messages)
        log.broken = False
        async with listening(service, "p2", client):
            assert client.lines == await view_of(service, TABLE, "p2")

    asyncio.run(asyncio.wait_for(run(), 60))


@on_each_log
async def test_a_log_that_lost_entries_ends_its_feed(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    found = feed.Feed(TABLE, log.listen(TABLE))
    for size in (5, 3):
        assert found.error is None
        aggregate = Aggregate(environment("scripted"))
        aggregate.load((await log.read(TABLE))[:size])
        found.advance(aggregate)
    assert isinstance(found.error, Damaged)


def test_a_blocking_service_closes_though_a_call_listens(tmp_path: Path) -> None:
    heard: Queue[object] = Queue()

    async def listen(service: Service) -> str:
        async with aclosing(service.subscribe(TABLE, "p2")) as messages:
            async for message in messages:
                heard.put(message)
        return "ended"

    with ThreadPoolExecutor() as pool, BlockingService(tmp_path / "table.db") as running:
        running.call(seated)
        listening = pool.submit(running.call, listen)
        while not isinstance(heard.get(timeout=60), Present):
            pass
        running.close()
        assert listening.result(timeout=60) == "ended"
