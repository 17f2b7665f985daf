"""What cannot be used is refused in one sentence, without the password, with what to change."""

import asyncio
import sys
import traceback
from pathlib import Path

import asyncpg
import pytest

from tests.events.postgres.runs import by_others, on_log
from tests.events.postgres.server import Databases, name_in, run_now, running, standby_of
from urim.engine.testing.log.harness import TABLE, commit, entry
from urim.errors import Damaged, Defect, Refused, Unavailable, UrimError, pip_install
from urim.events.log.location import is_url
from urim.events.log.opening import open_log, open_log_reading
from urim.events.log.postgres import PostgresLog, place
from urim.events.log.postgres.place import Place
from urim.events.log.protocol import Appended, CaughtUp
from urim.events.log.sqlite import SqliteLog

PASSWORD = "hunter2hunter2"  # noqa: S105 - it opens nothing

REFUSED = "Connection refused|No such file or directory"

BAD = {
    f"postgresql://urim:{PASSWORD}@127.0.0.1:1/tables": (Unavailable, REFUSED),
    f"postgresql://urim:{PASSWORD}@/tables?host=/nowhere/at/all": (Unavailable, REFUSED),
    f"postgresql://urim:{PASSWORD}@no-such-host.invalid/tables": (Unavailable, "cannot be reached"),
    f"postgresql://urim:{PASSWORD}@127.0.0.1:port/tables": (Refused, "no URL of a PostgreSQL"),
    f"postgresql://urim:{PASSWORD}@[::1/tables": (Refused, "no URL of a PostgreSQL"),
    f"mysql://urim:{PASSWORD}@127.0.0.1/tables": (Refused, "no URL of a PostgreSQL"),
    f"postgresql://urim:{PASSWORD}@127.0.0.1:1/tables?sslmode=maybe": (Refused, "no URL"),
    f"urim:{PASSWORD}": (Refused, "no URL of a PostgreSQL"),
}


@pytest.mark.parametrize("url", BAD)
def test_what_cannot_be_reached_is_named_in_one_sentence_without_the_password(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind, words = BAD[url]
    with caplog.at_level("DEBUG"), pytest.raises(kind, match=words) as error:
        run_now(PostgresLog.open(url))
    everything = "".join(traceback.format_exception(error.value)) + repr(error.value) + caplog.text
    assert PASSWORD not in everything
    assert "\n" not in str(error.value)
    if kind is Unavailable:
        assert PASSWORD not in repr(Place(url))


def test_a_server_that_refuses_the_user_or_has_no_such_database_is_refused(
    databases: Databases,
) -> None:
    role = "urim_nobody"
    url = run_now(databases.new())
    run_now(databases.run(f"DROP ROLE IF EXISTS {role}", f"CREATE ROLE {role} LOGIN"))
    theirs = databases.url.replace("urim@", f"{role}:{PASSWORD}@").format(name_in(url))
    for bad, words in (
        (databases.url.format("urim_no_such"), "does not exist"),
        (theirs.replace(role, "urim_no_one"), "does not exist"),
        (theirs, "permission denied"),
    ):
        with pytest.raises(Refused, match=words) as refusal:
            run_now(PostgresLog.open(bad))
        assert refusal.value.code == "unreadable"
        assert PASSWORD not in "".join(traceback.format_exception(refusal.value))


def test_settings_that_lose_commits_are_refused_unless_asked_for() -> None:
    with running(["fsync=off", "full_page_writes=off"]) as server:
        url = run_now(Databases(server.url).new())
        for lax, setting in (((), "fsync"), (("fsync",), "full_page_writes")):
            with pytest.raises(Refused, match=f"{setting} = off") as refusal:
                run_now(PostgresLog.open(url, lax=lax))
            assert refusal.value.allowed == (f"{setting} = on",)

        async def asked_for() -> None:
            log = await PostgresLog.open(url, lax=("fsync", "full_page_writes"))
            assert await log.append(TABLE, commit(0), 0) == Appended(1)
            await log.close()
            log = await PostgresLog.open_reading(url)  # who writes nothing loses nothing
            assert await log.read(TABLE) == commit(0)
            await log.close()

        asyncio.run(asked_for())


def test_a_commit_that_is_not_waited_for_is_refused_unless_asked_for(own_url: str) -> None:
    by_others(own_url, f"ALTER DATABASE {name_in(own_url)} SET synchronous_commit = off")
    with pytest.raises(Refused, match="synchronous_commit = off") as refusal:
        run_now(PostgresLog.open(own_url))
    assert refusal.value.allowed == ("synchronous_commit = on",)

    async def asked_for() -> None:
        await (await PostgresLog.open(own_url, lax=("synchronous_commit",))).close()

    asyncio.run(asked_for())


@pytest.mark.parametrize("setting", ["local", "remote_write", "remote_apply"])
def test_what_waits_for_the_disk_or_for_more_is_taken(own_url: str, setting: str) -> None:
    by_others(own_url, f"ALTER DATABASE {name_in(own_url)} SET synchronous_commit = {setting}")
    assert on_log(own_url, lambda log: log.append(TABLE, commit(0), 0)) == Appended(1)


def test_another_encoding_is_refused(databases: Databases) -> None:
    more = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    url = run_now(databases.new(more=more))
    with pytest.raises(Refused, match="encoding LATIN1") as refusal:
        run_now(PostgresLog.open(url))
    assert refusal.value.allowed == ("a database made with ENCODING 'UTF8'",)


def test_an_old_server_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "OLDEST", 99)
    with pytest.raises(Refused, match=r"is PostgreSQL 1\d(;|$)") as refusal:
        run_now(PostgresLog.open(url))
    assert refusal.value.allowed == ("PostgreSQL 99 or newer",)


def test_a_commit_beyond_an_empty_table_is_told_that_it_is_empty(url: str) -> None:
    with pytest.raises(Refused, match="expected size is 3, but the log has 0") as refused:
        on_log(url, lambda log: log.append(TABLE, commit(3), 3))
    assert refused.value.allowed == ("0 to 0",)


def test_a_server_that_takes_no_commits_is_unavailable_for_writing(url: str) -> None:
    standby = Place(url, settings={"default_transaction_read_only": "on"})
    with pytest.raises(Unavailable, match="takes no commits now"):
        run_now(PostgresLog.open_at(standby))


def test_settings_are_looked_at_again_whenever_a_connection_is_opened(own_url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, commit(0), 0)
        connection = await asyncpg.connect(own_url)
        name = name_in(own_url)
        await connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        ends = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1"
        await connection.fetch(f"{ends} AND pid <> pg_backend_pid()", name)
        await connection.close()
        await asyncio.sleep(0.1)
        with pytest.raises(Refused, match="synchronous_commit"):
            await log.append(TABLE, commit(1), 1)

    on_log(own_url, scenario)


# Reading alone


def test_a_log_for_reading_reads_follows_and_writes_nothing(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, commit(0, 2), 0)
        reading = await PostgresLog.open_reading(url)
        assert await reading.read(TABLE) == commit(0, 2)
        followed = reading.follow(TABLE, 1)
        assert await anext(followed) == CaughtUp(2)
        await log.append(TABLE, commit(2), 2)
        assert await anext(followed) == commit(2)[0]
        for call in (
            reading.append(TABLE, commit(3), 3),
            reading.settle(),
            reading.erase(TABLE, 0),
        ):
            with pytest.raises(Refused, match="open for reading alone"):
                await call
        await reading.check()
        await reading.close()

    on_log(url, scenario)


@pytest.mark.slow
def test_a_standby_is_read_and_followed_and_takes_no_commits() -> None:
    async def scenario(url: str, theirs: str) -> None:
        log = await PostgresLog.open(url)
        with pytest.raises(Unavailable, match="takes no commits now"):
            await PostgresLog.open(theirs)
        reading = await PostgresLog.open_at(Place(theirs, reading=True), poll=0.05)
        followed = reading.follow(TABLE, 0)
        async with asyncio.timeout(20):
            assert await anext(followed) == CaughtUp(1)
            for seq in range(1, 4):
                await log.append(TABLE, commit(seq), seq)
                assert await anext(followed) == commit(seq)[0]
        await reading.check()
        await reading.close()
        await log.close()

    with running() as server:
        url = run_now(Databases(server.url).new())
        on_log(url, lambda log: log.append(TABLE, commit(0), 0))
        with running(files=standby_of(server)) as standby:
            asyncio.run(scenario(url, standby.url_of(name_in(url))))


def test_a_database_without_a_log_is_not_made_one_by_a_reader(databases: Databases) -> None:
    url = run_now(databases.new())
    for _ in range(2):
        with pytest.raises(Refused, match="holds no log"):
            run_now(PostgresLog.open_reading(url))


# Unusual words


def test_ids_that_no_row_can_hold_are_unknown_and_no_error(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, commit(0), 0)
        for bad in ("\0", "\ud800", "a\0b"):
            assert await log.read(bad) == ()
            assert await log.answered(TABLE, bad, "a") is None
            assert await log.answered(TABLE, "p1", bad) is None
            assert await log.requests(bad) == ()
            assert await log.heads(bad) == ()
            assert await log.strays(bad) == ()
            assert await log.last_head(bad) is None
            with pytest.raises(Refused):
                await log.erase(bad, 0)
        far = 2**63
        assert await log.read(TABLE, far, far) == ()
        assert await log.requests(TABLE, far, far) == ()
        for size in (far - 1, far, 2**80):
            with pytest.raises(Refused) as refusal:
                await log.append(TABLE, [entry(size, at=0)], size)
            assert refusal.value.code == "out-of-range"
        with pytest.raises(Refused):
            await log.erase(TABLE, far)

    on_log(url, scenario)


def test_every_error_of_the_server_has_somebody_whose_fault_it_is() -> None:
    here = Place("postgresql://urim@somewhere:5433/tables")
    found: dict[type[asyncpg.PostgresError], type[UrimError]] = {
        asyncpg.AdminShutdownError: Unavailable,
        asyncpg.TooManyConnectionsError: Unavailable,
        asyncpg.DiskFullError: Unavailable,
        asyncpg.DeadlockDetectedError: Unavailable,
        asyncpg.ReadOnlySQLTransactionError: Unavailable,
        asyncpg.InvalidPasswordError: Refused,
        asyncpg.InvalidCatalogNameError: Refused,
        asyncpg.InsufficientPrivilegeError: Refused,
        asyncpg.UndefinedTableError: Damaged,
        asyncpg.DataCorruptedError: Damaged,
        asyncpg.NumericValueOutOfRangeError: Defect,
    }
    for error, kind in found.items():
        worded = here.worded(error("words\nmore words"))
        assert type(worded) is kind, error
        assert "database tables at somewhere:5433" in str(worded)
        assert "more words" not in str(worded)


# One way to every log


def test_a_path_opens_a_file_and_a_url_a_database(url: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        for where, kind in ((url, PostgresLog), (tmp_path / "log.db", SqliteLog)):
            log = await open_log(where)
            assert isinstance(log, kind)
            await log.append(TABLE, commit(0), 0)
            await log.close()
            log = await open_log_reading(where)
            assert await log.read(TABLE) == commit(0)
            await log.check()
            await log.close()

    asyncio.run(scenario())
    assert is_url("postgres://somewhere/tables")
    assert is_url("PostgreSQL://somewhere/tables")
    assert not is_url("postgresql.db")
    assert not is_url(tmp_path)


def test_a_url_without_the_extra_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in list(sys.modules):
        if name.startswith("urim.events.log.postgres"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(Refused, match="needs the package asyncpg") as refusal:
        run_now(open_log("postgresql://somewhere/tables"))
    assert refusal.value.allowed == (pip_install("postgres"),)
