"""What a database's owner sets: time-outs end nothing of a log's, too few connections refuse."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import quote

import asyncpg
import pytest

from tests.events.postgres.runs import asked, by_others, kept_in, on_log
from tests.events.postgres.server import Databases, name_in, run_now, running
from tests.events.sqlite.runs import commits_of
from urim.engine.testing.log.harness import OTHER, TABLE, commit
from urim.errors import Unavailable
from urim.events.log.postgres import PostgresLog, readers
from urim.events.log.protocol import Appended

if TYPE_CHECKING:
    from urim.events.log.postgres.place import Connection

TIMEOUTS = (
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
    "idle_session_timeout",
    "transaction_timeout",  # from PostgreSQL 17 on
)

SHORT, LONG = 1_000, 1.3
"""Milliseconds that the owner allows, and seconds that a log is made to take.

Until a new session has the log's own settings the owner's hold. That takes some milliseconds, and
on a machine with twice as much to do as it can, up to a fifth of a second.
"""

KNOWN = "SELECT name FROM pg_settings WHERE name = ANY($1::text[])"

OURS = """SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'urim'"""


END = """SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'urim'"""


async def known(url: str) -> list[str]:
    """Which of the time-outs a server has."""
    connection = await asyncpg.connect(url)
    try:
        return [row[0] for row in await connection.fetch(KNOWN, list(TIMEOUTS))]
    finally:
        await connection.close()


@pytest.fixture(params=["database", "url"])
def impatient(own_url: str, request: pytest.FixtureRequest) -> str:
    """A log whose owner gives nobody time, by the database's settings or by those in a URL."""
    names = run_now(known(own_url))
    if request.param == "url":
        words = " ".join(f"-c {name}={SHORT}" for name in names)
        return f"{own_url}&options={quote(words)}"
    name = name_in(own_url)
    by_others(own_url, *(f"ALTER DATABASE {name} SET {each} = {SHORT}" for each in names))
    return own_url


@pytest.mark.slow
def test_time_outs_of_the_owner_end_no_commit_and_no_connection_of_a_log(impatient: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        assert await log.append(TABLE, commit(0), 0) == Appended(1)
        assert await log.read(TABLE) == commit(0)
        endless = dict.fromkeys(await known(impatient), "0")
        other = await asyncpg.connect(impatient, server_settings=endless)
        before = {*await other.fetch(OURS)}
        held = other.transaction()
        await held.start()
        await other.execute("SELECT 1 FROM urim_log.tables FOR UPDATE")
        waiting = asyncio.ensure_future(log.append(TABLE, commit(1), 1))
        await asyncio.sleep(LONG)
        await held.rollback()
        assert await waiting == Appended(2)
        await asyncio.sleep(LONG)
        assert {*await other.fetch(OURS)} == before, "a connection was ended"
        assert await log.append(TABLE, commit(2), 2) == Appended(3)
        await log.settle()
        await other.close()

    on_log(impatient, scenario, poll=3_600)


async def all_others(url: str) -> "list[Connection]":
    """All connections that a server still has."""
    found: list[Connection] = []
    with suppress(asyncpg.TooManyConnectionsError):
        while True:
            found.append(await asyncpg.connect(url))
    return found


@pytest.mark.slow
def test_a_server_without_a_connection_left_refuses_and_later_keeps_everything_once() -> None:
    async def scenario(url: str) -> None:
        log, others = await PostgresLog.open(url), await all_others(url)
        words = "not there now: .*too many clients"
        with pytest.raises(Unavailable, match=words):
            await PostgresLog.open(url)
        assert await log.append(TABLE, commit(0), 0) == Appended(1)  # it has its connection
        with pytest.raises(Unavailable, match=words):
            await log.read(TABLE)
        # Who loses his connection finds that another one has taken the place.
        await others[0].execute(END)
        others += await all_others(url)
        for _ in range(2):
            with pytest.raises(Unavailable):
                await log.append(TABLE, commit(1), 1)
        for each in others:
            await each.close()
        assert await log.append(TABLE, commit(1), 1) == Appended(2)
        assert await log.read(TABLE) == commit(0, 2)
        await log.check()
        await log.close()

    few = ("max_connections=10", "superuser_reserved_connections=0", "max_wal_senders=0")
    with running([*few, "autovacuum=off"]) as server:
        run_now(asyncio.wait_for(scenario(run_now(Databases(server.url).log())), 60))


MOST = 2 + readers.MOST
"""Connections of a log: one that commits, one that listens, and those that read."""


async def some_read(log: PostgresLog, failed: Callable[[Unavailable], None]) -> None:
    """Read five times, whether that is possible or not."""
    for _ in range(5):
        try:
            await log.read(TABLE)
        except Unavailable as error:
            failed(error)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [MOST, 2])
def test_a_role_with_too_few_connections_is_refused_at_times_and_all_is_kept_once(
    databases: Databases, limit: int
) -> None:
    url, refused, role = run_now(databases.new()), list[str](), f"urim_limited_{token_hex(4)}"
    grant = f"GRANT CREATE ON DATABASE {name_in(url)} TO {role}"
    run_now(databases.run(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT {limit}", grant))

    def failed(error: Unavailable) -> None:
        refused.append(str(error))

    async def asking(log: PostgresLog, who: str, table: str) -> None:
        for turn in range(5):
            await asked(log, table, who, turn, 2, 0, failed=failed)

    async def raised() -> None:
        await asyncio.sleep(0.2)
        if limit < 3:  # with none to read nobody learns why he has lost
            await databases.run(f"ALTER ROLE {role} CONNECTION LIMIT {MOST}")

    async def scenario(log: PostgresLog) -> None:
        racing = [asking(log, who, table) for who in "abcd" for table in (TABLE, OTHER)]
        await asyncio.gather(raised(), *racing, *(some_read(log, failed) for _ in range(12)))

    on_log(url.replace("//urim@", f"//{role}@"), scenario)
    kept = kept_in(url)
    for table in (TABLE, OTHER):
        found = Counter((who, turn) for who, turn, _, _ in commits_of(kept[table]))
        assert found == Counter((who, turn) for who in "abcd" for turn in range(5))
    assert bool(refused) == (limit < MOST)
    assert all("too many connections for role" in words for words in refused)
