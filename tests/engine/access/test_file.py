"""The file is its owner's alone; what goes wrong with it is one sentence and costs nothing kept."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.access.helpers import (
    NOW,
    TABLE,
    by_narrator,
    client,
    entered,
    exchanged,
    known,
    on_store,
)
from tests.events.sqlite.runs import Cramped
from urim.engine.access.protocol import DAY
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.access.sqlite.schema import SCHEMA
from urim.errors import Damaged, Refused, Unavailable
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.file import Place


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be."""
    return tmp_path / "access.db"


async def nothing(_: SqliteAccess) -> None:
    """Open and close."""


def refusal_of(path: Path) -> str:
    """The words in which opening a file is refused."""
    with pytest.raises(Refused) as refusal:
        on_store(path, nothing)
    assert refusal.value.code == "unreadable"
    assert refusal.value.allowed
    assert str(path.name) in refusal.value.why or str(path.parent) in refusal.value.why
    return refusal.value.why


# --- whose it is ----------------------------------------------------------------------------------


def test_the_file_and_all_beside_it_are_its_owners_alone(tmp_path: Path) -> None:
    database = tmp_path / "log.db"

    async def scenario() -> None:
        umask = os.umask(0)
        try:
            store = await SqliteAccess.beside(database)
            await store.invite(by_narrator(), NOW)
            folder = tmp_path / "log.db.secrets"
            names = sorted(each.name for each in folder.iterdir())
            assert names == ["access.db", "access.db-shm", "access.db-wal"]
            for each in folder.iterdir():
                assert stat.S_IMODE(each.stat().st_mode) == 0o600
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            await store.close()
            assert [each.name for each in folder.iterdir()] == ["access.db"]
        finally:
            os.umask(umask)

    asyncio.run(scenario())
    assert not database.exists()


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_file_that_others_may_open_is_refused(mode: int, path: Path) -> None:
    on_store(path, nothing)
    path.chmod(mode)
    assert "open to others" in refusal_of(path)


def test_a_directory_that_others_may_open_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    assert "open to others" in refusal_of(folder / "access.db")
    assert [*folder.iterdir()] == []


def test_a_link_is_refused(tmp_path: Path, path: Path) -> None:
    (tmp_path / "elsewhere.db").touch(mode=0o600)
    path.symlink_to(tmp_path / "elsewhere.db")
    assert "is no file" in refusal_of(path)
    path.unlink()
    path.symlink_to(tmp_path / "nowhere.db")
    assert "is no file" in refusal_of(path)
    assert not (tmp_path / "nowhere.db").exists()


# --- what is no store -----------------------------------------------------------------------------


def test_a_directory_is_refused(path: Path) -> None:
    path.mkdir(mode=0o700)
    assert "is no file" in refusal_of(path)


@pytest.mark.parametrize("content", [b"hello", bytes(5000)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    path.chmod(0o600)
    assert "no SQLite database" in refusal_of(path)
    assert path.read_bytes() == content


def test_a_log_is_no_store_of_access_and_a_store_no_log(path: Path, tmp_path: Path) -> None:
    async def make(path: Path) -> None:
        await (await SqliteLog.open(path)).close()

    log = tmp_path / "log.db"
    asyncio.run(make(log))
    log.chmod(0o600)
    before = log.read_bytes()
    with pytest.raises(Refused) as refusal:
        on_store(log, nothing)
    assert "another application" in refusal.value.why
    assert refusal.value.allowed == ("a store of access", "a new file")
    assert log.read_bytes() == before
    on_store(path, nothing)
    with pytest.raises(Refused, match="another application"):
        asyncio.run(make(path))


def test_a_newer_file_is_refused_and_a_changed_one_is_damaged(path: Path) -> None:
    on_store(path, nothing)
    by_others(path, "PRAGMA user_version = 99")
    assert "schema 99" in refusal_of(path)
    by_others(path, f"PRAGMA user_version = {SCHEMA.number}", "DROP TRIGGER revoked_stays")
    with pytest.raises(Damaged, match="revoked_stays"):
        on_store(path, nothing)


def test_a_file_of_before_hooks_is_upgraded(path: Path) -> None:
    admitted = on_store(path, lambda store: entered(store, by_narrator()))
    by_others(path, "DROP INDEX hooks_of", "DROP TABLE hooks", "PRAGMA user_version = 1")
    assert on_store(path, lambda store: known(store, admitted)) == admitted.grant
    assert on_store(path, lambda store: store.live_hooks(NOW)) == ()
    copy = path.with_name(f"{path.name}.schema-1")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def by_others(path: Path, *statements: str) -> None:
    """Run statements on the file as any other program could."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_no_program_gives_back_what_was_revoked(path: Path) -> None:
    async def scenario(store: SqliteAccess) -> None:
        await entered(store, by_narrator())
        await store.revoke_seat(TABLE, "p1")

    on_store(path, scenario)
    for table in ("tokens", "invitations"):
        with pytest.raises(sqlite3.IntegrityError, match="stays so"):
            by_others(path, f"UPDATE {table} SET revoked = 0")  # noqa: S608


# --- a file that is locked, a disk that is full ---------------------------------------------------


def test_a_locked_file_is_said_and_nothing_is_spent(path: Path) -> None:
    async def scenario(store: SqliteAccess) -> None:
        issued = await store.invite(by_narrator(None, uses=2), NOW)
        before = await exchanged(store, issued, 1)
        assert await known(store, before) == before.grant
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Unavailable, match=r"access.db was locked by another process"):
                await store.exchange(issued.secret.reveal(), client(2), NOW)
            with pytest.raises(Unavailable, match="locked"):
                await store.revoke_table(TABLE)
            # Who was in is let in on.
            assert await known(store, before) == before.grant
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 1
        assert await known(store, await exchanged(store, issued, 2)) is not None

    on_store(path, scenario, busy=0.2)


def test_a_full_disk_is_said_and_nothing_is_spent(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(store: SqliteAccess) -> None:
        issued = await store.invite(by_narrator(None, uses=100), NOW)
        monkeypatch.setattr(Cramped, "pages", 1)
        came = 0

        async def fill() -> None:
            nonlocal came
            for came in range(100):
                await exchanged(store, issued, came)

        with pytest.raises(Unavailable, match="no space left") as failure:
            await fill()
        assert str(path) in str(failure.value)
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 100 - came
        monkeypatch.setattr(Cramped, "pages", 1_000_000)
        assert await known(store, await exchanged(store, issued, came)) is not None
        await store.check()

    on_store(path, scenario, writer=Cramped)


# --- what opens nothing takes the same steps ------------------------------------------------------


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The statements that ran since it was called last, without what they asked for."""
    connect, run = Place.connect, list[str]()

    def traced(place: Place, *, reading: bool = False) -> sqlite3.Connection:
        connection = connect(place, reading=reading)
        connection.set_trace_callback(run.append)
        return connection

    def since() -> list[str]:
        # A trace shows values in place of the question marks.
        done = [step.split(" WHERE ")[0] for step in run]
        run.clear()
        return done

    monkeypatch.setattr(Place, "connect", traced)
    return since


def test_the_same_statements_run_whyever_a_secret_opens_nothing(
    path: Path, steps: Callable[[], list[str]]
) -> None:
    async def scenario(store: SqliteAccess) -> None:
        spent = await store.invite(by_narrator(), NOW)
        used = await exchanged(store, spent)
        assert await known(store, used) is not None
        revoked = await store.invite(by_narrator("p2"), NOW)
        out = await exchanged(store, revoked, 2)
        await store.revoke_invitation(TABLE, revoked.invitation.id)
        late = await store.invite(by_narrator("p3"), NOW)
        waiting = [await store.invite(by_narrator("p4"), NOW) for _ in range(2)]
        await exchanged(store, waiting[0], 4)
        nothing = ["urim-t1-unknown", "", "x" * 100_000, out.token.reveal(), late.secret.reveal()]
        tokens = [*((text, NOW) for text in nothing), (used.token.reveal(), NOW + 400 * DAY)]
        steps()
        seen = list[list[str]]()
        for token, now in tokens:
            assert await store.lookup(token, now) is None
            seen.append(steps())
        assert all(each == seen[0] and each for each in seen)
        seen.clear()
        for secret, who, now in (
            ("urim-i1-unknown", 8, NOW),
            ("x" * 100_000, 8, NOW),
            (spent.secret.reveal(), 1, NOW),
            (spent.secret.reveal(), 8, NOW),
            (revoked.secret.reveal(), 2, NOW),
            (late.secret.reveal(), 8, NOW + 2 * DAY),
            (waiting[1].secret.reveal(), 8, NOW),
            (used.token.reveal(), 8, NOW),
        ):
            assert await store.exchange(secret, client(who), now) is None
            seen.append(steps())
        assert all(each == seen[0] and each for each in seen)

    on_store(path, scenario)
