"""Hints: carried from log to log beside the wake-ups, never kept, and never in their way."""

import asyncio

import asyncpg
import pytest

from tests.events.postgres.runs import on_log
from urim.engine.testing.log.harness import TABLE, commit
from urim.errors import Refused
from urim.events.log.hints import Hints
from urim.events.log.memory import MemoryLog
from urim.events.log.postgres import PostgresLog, bells
from urim.events.log.sqlite import SqliteLog


class Heard:
    """What a log heard, in order."""

    def __init__(self, log: PostgresLog) -> None:
        self.hints: list[tuple[str, str]] = []
        self._news = asyncio.Event()
        self.stop = log.hear(self._heard)

    def _heard(self, about: str, words: str) -> None:
        self.hints.append((about, words))
        self._news.set()

    async def until(self, *hint: str) -> None:
        """Wait until that was heard."""
        async with asyncio.timeout(30):
            while hint not in self.hints:
                self._news.clear()
                await self._news.wait()


def test_a_log_in_a_database_carries_hints_and_others_do_not() -> None:
    assert issubclass(PostgresLog, Hints)
    assert not issubclass(MemoryLog, Hints)
    assert not issubclass(SqliteLog, Hints)


def test_of_hints_given_at_once_the_latest_about_each_thing_comes_to_every_log(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open(url)
        here, there = Heard(log), Heard(other)
        things = [f"thing {n:03}" for n in range(300)]
        for words in ("before", "x" * 60):
            for about in things:
                log.hint(about, words)
        log.hint("last", "")
        for heard in (here, there):
            await heard.until("last", "")
            assert heard.hints == [*((about, "x" * 60) for about in things), ("last", "")]
        there.stop()
        log.hint("after", "")
        await here.until("after", "")
        assert here.hints[len(things) + 1 :] == [("after", "")]  # each comes once
        assert there.hints[-1] == ("last", "")
        await other.close()

    on_log(url, scenario)


def test_a_hint_that_was_given_before_the_log_was_closed_still_comes(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bells, "EVERY", 60.0)

    async def scenario(log: PostgresLog) -> None:
        other, heard = await PostgresLog.open(url), Heard(log)
        other.hint("it", "comes")
        await heard.until("it", "comes")  # and nothing more for a while
        other.hint("it", "goes")
        await other.close()
        await heard.until("it", "goes")
        other.hint("it", "is gone")

    on_log(url, scenario)


def test_once_the_connection_is_back_hints_come_again(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open(url)
        heard = Heard(log)
        admin = await asyncpg.connect(url)
        await admin.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE application_name = 'urim' AND datname = current_database()"
        )
        await admin.close()
        async with asyncio.timeout(30):
            turn = 0
            while not heard.hints:  # a hint may be lost, but not all of them
                turn += 1
                other.hint("turn", str(turn))
                await asyncio.sleep(0.02)
        await other.close()

    on_log(url, scenario)


def test_what_no_message_can_carry_is_refused_and_wakes_nobody_less(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other, heard = await PostgresLog.open(url), Heard(log)
        long = "x" * bells.BYTES
        for about, words in (("a|b", ""), ("a", "ä"), ("a", "b\nc"), ("a\0", ""), ("a", long)):
            with pytest.raises(Refused) as refused:
                other.hint(about, words)
            assert refused.value.code == "malformed"
            assert refused.value.allowed
        other.hint("a", long[2:])
        bell = log.listen(TABLE)
        ticket = bell.ticket()
        await other.append(TABLE, commit(0), 0)
        await heard.until("a", long[2:])
        async with asyncio.timeout(30):
            await ticket.wait()
        await other.close()

    on_log(url, scenario)


def test_who_only_reads_hears_hints_and_gives_none(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        reading = await PostgresLog.open_reading(url)
        here, there = Heard(log), Heard(reading)
        reading.hint("it", "reads")
        log.hint("it", "writes")
        for heard in (here, there):
            await heard.until("it", "writes")
        assert here.hints == there.hints == [("it", "writes")]
        await reading.close()

    on_log(url, scenario)
