"""A backup is the log of one moment: whole, without what was erased, one file; or there is none."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.events.sqlite.golden_db import fill
from tests.events.sqlite.runs import by_hand, everything, kept_in, on_log, remains
from urim.engine.testing.log.harness import OTHER, TABLE, commit
from urim.errors import Damaged, Refused, Unavailable, UrimError
from urim.events.entry import withhold
from urim.events.log.sqlite import SqliteLog
from urim.events.log.sqlite.backup import Unnamed, backed_up
from urim.events.log.sqlite.file import Place


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file with some of everything in it."""
    found = tmp_path / "log.db"
    on_log(found, fill)
    return found


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where the backup goes: a directory in which nothing else is."""
    (tmp_path / "to").mkdir()
    return tmp_path / "to" / "backup.db"


async def nothing(_: Unnamed) -> None:
    """Adds nothing to a backup."""


def backup(
    source: Path,
    target: Path,
    within: Callable[[Unnamed], Awaitable[None]] = nothing,
    *,
    force: bool = False,
) -> Unnamed:
    """Make a backup, and do something before it has its name."""

    async def run() -> Unnamed:
        async with backed_up(source, target, force=force) as made:
            await within(made)
        return made

    return asyncio.run(run())


def test_a_backup_of_a_log_in_use_holds_what_was_kept_when_it_began(
    source: Path, target: Path
) -> None:
    async def scenario(log: SqliteLog) -> Unnamed:
        await log.erase(TABLE, 4)
        before = await everything(log)
        async with backed_up(source, target) as made:
            assert remains(target) == [made.path.name]
            await log.append(TABLE, commit(6, 3), 6)
        assert made.tables == (TABLE, OTHER)
        copy = await SqliteLog.open_reading(target)
        await copy.check()
        assert {table: await copy.read(table) for table in await copy.tables()} == before
        assert await copy.requests(TABLE) == await log.requests(TABLE)
        assert await copy.heads(TABLE) == await log.heads(TABLE)
        await copy.close()
        return made

    made = on_log(source, scenario)
    assert made.size == target.stat().st_size
    assert [each.name for each in target.parent.iterdir()] == [target.name]
    assert target.stat().st_mode & 0o777 == 0o600


def test_where_anything_is_raised_there_is_no_backup(source: Path, target: Path) -> None:
    async def fails(_: Unnamed) -> None:
        raise Unavailable("the machine stopped here")

    with pytest.raises(Unavailable):
        backup(source, target, fails)
    assert not list(target.parent.iterdir())


def test_a_text_whose_erasing_was_cut_short_is_not_in_a_backup(source: Path, target: Path) -> None:
    before = kept_in(source)
    text = before[TABLE][4]
    assert text.payload is not None  # and the next entry erases it
    backup(source, target)
    after = kept_in(target)
    assert after[TABLE] == (*before[TABLE][:4], withhold(text), before[TABLE][5])
    assert after[OTHER] == before[OTHER]  # its other text too
    assert text.payload not in target.read_bytes()


# --- what is there already ------------------------------------------------------------------------


def test_a_file_that_is_there_is_replaced_by_force_alone(source: Path, target: Path) -> None:
    target.write_bytes(b"a letter")
    with pytest.raises(Refused, match="is there already") as refused:
        backup(source, target)
    assert (refused.value.code, refused.value.allowed) == ("taken", ("another file", "--force"))
    assert target.read_bytes() == b"a letter"
    for _ in range(2):  # the second time it is a backup that is replaced
        backup(source, target, force=True)
    on_log(target, everything)
    with pytest.raises(Refused, match="a log that was opened to be written") as refused:
        backup(source, target, force=True)
    assert (refused.value.code, refused.value.allowed) == ("taken", ("another file",))
    assert list(kept_in(target)) == [TABLE, OTHER]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("what", ["directory", "link", "link to nothing"])
def test_what_is_no_plain_file_is_never_replaced(
    source: Path, target: Path, what: str, *, force: bool
) -> None:
    aim = target.with_name("aim")
    if what == "directory":
        target.mkdir()
    else:
        target.symlink_to(aim)
    if what == "link":
        aim.write_bytes(b"a letter")
    before = sorted(target.parent.iterdir())
    with pytest.raises(Refused, match="is no plain file") as refused:
        backup(source, target, force=force)
    assert refused.value.code == "taken"
    assert sorted(target.parent.iterdir()) == before


def test_of_two_backups_to_one_name_the_first_stays(source: Path, target: Path) -> None:
    async def another(_: Unnamed) -> None:
        await asyncio.to_thread(target.write_bytes, b"the first")

    with pytest.raises(Refused, match="is there already") as refused:
        backup(source, target, another)
    assert refused.value.code == "taken"
    assert target.read_bytes() == b"the first"
    assert [each.name for each in target.parent.iterdir()] == [target.name]


def test_a_backup_that_somebody_has_open_gets_no_name(source: Path, target: Path) -> None:
    opened: list[sqlite3.Connection] = []

    async def opens(made: Unnamed) -> None:
        connection = sqlite3.connect(made.path)
        opened.append(connection)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA user_version = 1").fetchall()

    with pytest.raises(Unavailable, match="is still in use"):
        backup(source, target, opens)
    opened[0].close()
    assert not target.exists()


# --- what is wrong with the source ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "seq", "words"),
    [
        ("DELETE FROM entries WHERE seq = 2 AND table_id = 'conform0'", 2, "no such entry"),
        ("UPDATE heads SET root = zeroblob(32) WHERE size = 5", 2, "not those signed for"),
        ("UPDATE commits SET stop = 9", 2, "a commit of entries 2 to 8 cannot be"),
    ],
)
def test_of_what_is_not_whole_there_is_no_backup(
    source: Path, target: Path, how: str, seq: int, words: str
) -> None:
    connection = sqlite3.connect(source)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    found = triggers.fetchall()
    connection.close()
    by_hand(source, *(f"DROP TRIGGER {name}" for name, _ in found), how)
    by_hand(source, *(sql for _, sql in found))
    with pytest.raises(Damaged, match=words) as damage:
        backup(source, target)
    assert damage.value.seq == seq
    assert not list(target.parent.iterdir())


@pytest.mark.parametrize(
    ("code", "kind", "copy"),
    [
        (sqlite3.SQLITE_FULL, Unavailable, True),
        (sqlite3.SQLITE_IOERR_WRITE, Unavailable, True),
        (sqlite3.SQLITE_IOERR_TRUNCATE, Unavailable, True),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, Refused, True),
        (sqlite3.SQLITE_CORRUPT, Damaged, False),
        (sqlite3.SQLITE_BUSY_TIMEOUT, Unavailable, False),
    ],
)
def test_an_error_names_the_file_whose_fault_it_is(
    source: Path,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    kind: type[UrimError],
    *,
    copy: bool,
) -> None:
    class Failing(sqlite3.Connection):
        def execute(self, sql: str, values: Any = ()) -> sqlite3.Cursor:
            if sql.startswith("VACUUM INTO"):
                error = sqlite3.OperationalError("it fails here")
                error.sqlite_errorcode, error.sqlite_errorname = code, "FAILS"
                raise error
            return super().execute(sql, values)

    def connect(place: Place, **_: object) -> sqlite3.Connection:
        return sqlite3.connect(
            place.path, factory=Failing, isolation_level=None, check_same_thread=False
        )

    monkeypatch.setattr(Place, "connect", connect)
    with pytest.raises(kind) as raised:
        backup(source, target)
    assert (str(target) in str(raised.value)) is copy
    assert (f"{source} " in str(raised.value)) is not copy
    assert not list(target.parent.iterdir())
