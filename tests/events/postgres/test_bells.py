"""What a log hears of other processes' commits: at once, by looking, or once it listens again."""

import asyncio
import time
from contextlib import aclosing
from typing import Any

import asyncpg
import pytest

from tests.events.postgres.runs import on_log
from urim.engine.testing.log.harness import OTHER, TABLE, commit
from urim.events.log.postgres import PostgresLog, bells
from urim.events.log.protocol import CaughtUp

NEVER = 3_600.0
"""Seconds between two looks of a log that is to be woken by notifications alone."""


def test_a_commit_of_another_log_is_heard_of_at_once(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open(url)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            for seq in range(5):
                waiting = asyncio.ensure_future(anext(followed))
                await asyncio.sleep(0.01)
                await other.append(TABLE, commit(seq), seq)
                async with asyncio.timeout(10):
                    assert [await waiting] == [*commit(seq)]
        await other.close()

    on_log(url, scenario, poll=NEVER)


def test_what_nobody_notified_of_is_found_by_looking(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(log: PostgresLog) -> None:
        monkeypatch.setattr(bells.Bells, "announce", lambda *_: None)
        other = await PostgresLog.open(url)
        await other.append(OTHER, commit(0), 0)
        bell = log.listen(OTHER)
        ticket = bell.ticket()
        async with asyncio.timeout(10):
            await ticket.wait()  # committed before anybody listened here: it may have been missed
            async with aclosing(log.follow(TABLE)) as followed:
                assert await anext(followed) == CaughtUp(0)
                for seq in range(3):
                    await other.append(TABLE, commit(seq), seq)
                    assert [await anext(followed)] == [*commit(seq)]
        await asyncio.sleep(0.2)
        assert bell.others == 1, "it rang though nothing had changed"
        await other.close()

    on_log(url, scenario, poll=0.05)


def test_another_logs_commit_rings_its_own_table_without_its_size(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        bell, deaf = log.listen(TABLE), log.listen(OTHER)
        await log.append(TABLE, commit(0), 0)
        other = await PostgresLog.open(url, poll=NEVER)
        ticket = bell.ticket()
        await other.append(TABLE, commit(1, 2), 1)
        async with asyncio.timeout(10):
            await ticket.wait()
        assert (bell.size, bell.others) == (1, 1)
        theirs = other.listen(TABLE)
        ticket = theirs.ticket()
        await log.append(TABLE, commit(3), 3)
        async with asyncio.timeout(10):
            await ticket.wait()
        assert (theirs.size, theirs.others) == (0, 1)
        await asyncio.sleep(0.1)
        assert (bell.size, bell.others) == (4, 1), "its own commit came back to it"
        assert (deaf.size, deaf.others) == (0, 0)
        await other.close()

    on_log(url, scenario, poll=NEVER)


LISTENERS = """FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')"""


async def end_listeners(connection: Any, many: int) -> None:
    """End the connections that listen, as soon as there are so many of them."""
    async with asyncio.timeout(10):
        while (
            await connection.fetchval(f"SELECT pg_sleep(0.01), count(*) {LISTENERS}", column=1)
            != many
        ):
            continue
    await connection.fetch(f"SELECT pg_terminate_backend(pid, 10000) {LISTENERS}")


def test_a_listening_connection_that_dies_is_opened_again(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open(url, poll=NEVER)
        connection = await asyncpg.connect(url)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            for seq in range(0, 6, 2):
                await end_listeners(connection, 2)
                # One while nobody listens, which is rung for later, and one after that.
                await other.append(TABLE, commit(seq), seq)
                async with asyncio.timeout(10):
                    assert [await anext(followed)] == [*commit(seq)]
                    await other.append(TABLE, commit(seq + 1), seq + 1)
                    assert [await anext(followed)] == [*commit(seq + 1)]
        await connection.close()
        await other.close()

    on_log(url, scenario, poll=NEVER)


def test_what_was_missed_while_nobody_listened_is_rung_for_later(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(log: PostgresLog) -> None:
        again = asyncio.Event()
        connection = await asyncpg.connect(url)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            waiting = asyncio.ensure_future(anext(followed))
            await asyncio.sleep(0.05)
            monkeypatch.setattr(bells, "backed_off", lambda _: again.wait())
            await end_listeners(connection, 1)
            other = await PostgresLog.open(url)
            await other.append(TABLE, commit(0), 0)
            await other.close()  # and what it had to notify of is sent
            assert not waiting.done()
            again.set()
            async with asyncio.timeout(10):
                assert [await waiting] == [*commit(0)]
        await connection.close()

    on_log(url, scenario, poll=NEVER)


def test_many_tables_share_a_notification_and_few_are_sent(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bells, "EVERY", 0.2)
    tables = [f"table{n:03}" for n in range(100)]
    messages: list[str] = []

    async def scenario(log: PostgresLog) -> float:
        connection = await asyncpg.connect(url)
        heard = asyncio.Event()

        def hear(*found: object) -> None:
            messages.append(str(found[-1]))
            heard.set()

        await connection.add_listener(bells.CHANNEL, hear)
        start = time.monotonic()
        for table in tables:
            await log.append(table, commit(0), 0)
        async with asyncio.timeout(10):
            while {*" ".join(messages).split()} != {*tables}:
                heard.clear()
                await heard.wait()
        taken = time.monotonic() - start
        await connection.close()
        return taken

    taken = on_log(url, scenario)
    assert len(messages) <= taken / 0.2 + 2
    assert len(messages) < len(tables) / 2


def test_ids_are_packed_into_messages_that_postgresql_takes() -> None:
    tables = [f"{n:032}" for n in range(1_000)]
    packed = bells.packed(tables, " ")
    assert " ".join(packed).split() == tables
    assert all(len(message) <= bells.BYTES for message in packed)
    assert len(packed) == 5
    assert bells.packed([], " ") == []


# Settling
