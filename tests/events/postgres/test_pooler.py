"""A pooler between: in session mode all goes on as without, in any other it is refused at once."""

import asyncio
from contextlib import aclosing, suppress
from pathlib import Path

import asyncpg
import pytest

from tests.events.postgres.pooler import pooled
from tests.events.postgres.runs import kept_in, on_log
from tests.events.postgres.server import Databases, run_now
from urim.engine.testing.log.harness import TABLE, commit
from urim.errors import Refused, Unavailable
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import Place
from urim.events.log.protocol import Appended, CaughtUp, Conflict

NEVER = 3_600.0
"""Seconds between two looks of a log that is to be woken by notifications alone."""


def test_logs_behind_a_pooler_in_session_mode_race_follow_and_settle(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open(behind, poll=NEVER)
        async with aclosing(other.follow(TABLE)) as followed, asyncio.timeout(20):
            assert await anext(followed) == CaughtUp(0)
            for seq in range(4):
                assert await log.append(TABLE, commit(seq), seq) == Appended(seq + 1)
                assert await other.append(TABLE, commit(seq), seq) == Conflict(commit(seq))
                assert [await anext(followed)] == [*commit(seq)]
        bell = log.listen(TABLE)
        await log.append(TABLE, commit(4), 4)
        await asyncio.sleep(0.1)
        assert bell.others == 0, "its own commit came back to it"
        await log.settle()
        await log.check()
        await other.close()

    with pooled(url) as behind:
        on_log(behind, scenario, poll=NEVER)
        # The sessions that the first ones had are given to others as if they were new.
        assert on_log(behind, lambda log: log.append(TABLE, commit(5), 5)) == Appended(6)
    assert kept_in(url) == {TABLE: commit(0, 6)}


@pytest.mark.parametrize(
    ("mode", "kinds", "words"),
    [
        ("transaction", (Refused,), "lends a session for a transaction alone"),
        ("statement", (Refused, Unavailable), "lends a session|not allowed in statement pooling"),
    ],
)
def test_a_pooler_in_another_mode_is_refused_before_anything_is_made(
    databases: Databases, mode: str, kinds: tuple[type[Exception], ...], words: str
) -> None:
    url = run_now(databases.new())

    async def busy() -> None:
        """Somebody else, who takes sessions away and gives them back, in any order."""
        connection = await asyncpg.connect(behind, statement_cache_size=0)
        try:
            while True:
                await connection.execute("SELECT pg_sleep(0.001)")
        finally:
            connection.terminate()

    async def scenario() -> None:
        for others in (0, 3):
            working = [asyncio.create_task(busy()) for _ in range(others)]
            for _ in range(4):
                with pytest.raises(kinds, match=words) as error:
                    await PostgresLog.open(behind)
                assert "\n" not in str(error.value)
            for each in working:
                each.cancel()
                with suppress(asyncio.CancelledError):
                    await each

    with pooled(url, mode) as behind:
        run_now(scenario())
    with pytest.raises(Refused, match="holds no log"):
        run_now(PostgresLog.open_reading(url))


@pytest.mark.parametrize("size", [1, 2])
def test_a_pooler_with_too_few_sessions_is_unavailable_and_keeps_nobody_waiting(
    url: str, size: int
) -> None:
    async def scenario() -> None:
        log = await PostgresLog.open_at(Place(behind, reach=0.5))  # two sessions, and one to read
        try:
            await log.append(TABLE, commit(0), 0)
            await log.read(TABLE)
        finally:
            await log.close()

    late = pytest.raises(Unavailable, match="did not answer in time")
    with pooled(url, size=size) as behind, late:
        run_now(scenario())
    assert list(kept_in(url)) == [TABLE] * (size == 2)


def test_a_pooler_runs_as_nobody_of_importance_and_leaves_nothing(url: str) -> None:
    with pooled(url) as behind:
        folder = Path(behind.partition("host=")[2].partition("&")[0])
        assert folder.stat().st_uid != 0
    assert not folder.exists()
