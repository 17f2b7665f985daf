"""The file's own laws hold against every program, and a file of any schema is read or refused."""

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.events.sqlite.golden_db import GOLDEN, SECOND, TEXT, fill, heads_of, in_words
from tests.events.sqlite.runs import by_hand, kept_in, on_log, read_in, remains
from urim.engine.testing.log.harness import ASK, MAC, OTHER, TABLE, commit
from urim.errors import Damaged, Refused, Unavailable
from urim.events.codec import ERASES
from urim.events.entry import withhold
from urim.events.log.protocol import Answered, Appended
from urim.events.log.sqlite import SqliteLog, rows, schema
from urim.events.log.sqlite.file import Place, sync_directory
from urim.events.log.sqlite.schema import (
    APPLICATION_ID,
    COMMITS,
    ERASED_BY,
    SCHEMA,
    Schema,
    prepare,
)

NEXT = SCHEMA.number + 1

LATER = Schema(
    number=NEXT,
    statements=(*SCHEMA.statements, "CREATE TABLE later (word TEXT) STRICT"),
    steps={SCHEMA.number: ("CREATE TABLE later (word TEXT) STRICT",)},
)
"""A schema that is yet to come."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with some of everything in it, which nobody has open."""
    on_log(tmp_path / "log.db", fill)
    return tmp_path / "log.db"


# --- triggers -------------------------------------------------------------------------------------


def row(
    seq: int, at: str = "9000", kind: str = "'open'", salt: str = "NULL", start: str = "6"
) -> str:
    """A statement that inserts an entry into the first table."""
    values = f"'{TABLE}', {seq}, {at}, {kind}, zeroblob(32), zeroblob(32), {start}, {salt}, NULL"
    return f"INSERT INTO entries VALUES ({values})"  # noqa: S608 - a test's own words


FORBIDDEN = {
    "an entry deleted": "DELETE FROM entries WHERE seq = 4",
    "all entries deleted": "DELETE FROM entries",
    "a time changed": "UPDATE entries SET at = 9, salt = NULL, payload = NULL WHERE seq = 4",
    "a class changed": "UPDATE entries SET kind = 'text', salt = NULL, payload = NULL "
    "WHERE seq = 4",
    "a leaf changed": "UPDATE entries SET leaf = zeroblob(32), salt = NULL, payload = NULL "
    "WHERE seq = 4",
    "a digest changed": "UPDATE entries SET digest = zeroblob(32), salt = NULL, payload = NULL "
    "WHERE seq = 4",
    "a place changed": "UPDATE entries SET seq = 6, salt = NULL, payload = NULL WHERE seq = 4",
    "a table changed": "UPDATE entries SET table_id = 'x', salt = NULL, payload = NULL "
    "WHERE seq = 4",
    "a commit's beginning changed": "UPDATE entries SET start = 4, salt = NULL, payload = NULL "
    "WHERE seq = 4",
    "a payload changed": "UPDATE entries SET payload = x'7b7d' WHERE seq = 4",
    "a salt changed": "UPDATE entries SET salt = zeroblob(32) WHERE seq = 4",
    "a payload alone erased": "UPDATE entries SET payload = NULL WHERE seq = 4",
    "an open entry erased": "UPDATE entries SET salt = NULL, payload = NULL WHERE seq = 1",
    "a hidden entry erased": "UPDATE entries SET salt = NULL, payload = NULL WHERE seq = 2",
    "an open entry made a text and erased": "UPDATE entries SET kind = 'text', salt = NULL, "
    "payload = NULL WHERE seq = 1",
    "a hidden entry made a text and erased": "UPDATE entries SET kind = 'hidden-text', "
    "salt = NULL, payload = NULL WHERE seq = 2",
    "a text erased that no entry erases": "UPDATE entries SET salt = NULL, payload = NULL "
    "WHERE table_id = 'conform1' AND seq = 3",
    "an erasure undone": "UPDATE entries SET salt = zeroblob(32), payload = x'' "
    "WHERE table_id = 'conform1' AND seq = 1",
    "an entry changed without a change": "UPDATE entries SET at = at WHERE seq = 4",
    "a gap": row(7),
    "a table that begins late": "INSERT INTO entries SELECT 'newtable', seq, at, kind, digest, "
    "leaf, start, salt, payload FROM entries WHERE table_id = 'conform0' AND seq = 1",
    "a second entry at a place": row(5),
    "an entry replaced": row(5).replace("INSERT", "INSERT OR REPLACE"),
    "an entry of before": "INSERT INTO entries SELECT table_id, 6, 0, kind, digest, leaf, "
    "6, salt, payload FROM entries WHERE table_id = 'conform0' AND seq = 1",
    "an entry of no class": row(6, kind="''"),
    "an entry of a commit to come": row(6, start="7"),
    "an entry of a commit before the first": row(6, start="-1"),
    "an entry of no commit": row(6, start="NULL"),
    "a salt alone": row(6, salt="zeroblob(32)"),
    "a number as text": row(6, at="'x'"),
    "a commit deleted": "DELETE FROM commits",
    "a commit changed": "UPDATE commits SET mac = zeroblob(32)",
    "a commit replaced": "INSERT OR REPLACE INTO commits "
    "SELECT table_id, seat, request, zeroblob(32), start, 6 FROM commits",
    "a commit beyond the end": "INSERT INTO commits VALUES "
    "('conform0', 'p1', 'x', zeroblob(32), 2, 7)",
    "a commit of nothing": "INSERT INTO commits VALUES "
    "('conform0', 'p1', 'x', zeroblob(32), 6, 6)",
    "a head deleted": "DELETE FROM heads WHERE size = 2",
    "a head changed": "UPDATE heads SET root = zeroblob(32) WHERE size = 2",
    "a note changed": "UPDATE heads SET note = x'' WHERE size = 2",
    "a head replaced": "INSERT OR REPLACE INTO heads VALUES ('conform0', 2, zeroblob(32), x'')",
    "a second head of a size": "INSERT INTO heads VALUES ('conform0', 2, zeroblob(32), x'')",
    "a head of more than there is": "INSERT INTO heads VALUES ('conform0', 7, zeroblob(32), x'')",
    "a head of nothing": "INSERT INTO heads VALUES ('conform0', 0, zeroblob(32), x'')",
    "a head of no table": "INSERT INTO heads VALUES ('newtable', 1, zeroblob(32), x'')",
    "a head with half a root": "INSERT INTO heads VALUES ('conform0', 3, zeroblob(16), x'')",
    "a note as text": "INSERT INTO heads VALUES ('conform0', 3, zeroblob(32), 'text')",
}  # fmt: skip


@pytest.mark.sampled(16)
@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_file_forbids_every_program(what: str, path: Path) -> None:
    before = kept_in(path)
    with pytest.raises(sqlite3.IntegrityError):
        by_hand(path, FORBIDDEN[what])
    assert kept_in(path) == before


def test_the_file_lets_every_program_append_and_erase(path: Path) -> None:
    by_hand(
        path,
        "UPDATE entries SET salt = NULL, payload = NULL WHERE table_id = 'conform0' AND seq = 4",
        "UPDATE entries SET salt = NULL, payload = NULL WHERE table_id = 'conform1' AND seq = 1",
        row(6),
        "INSERT INTO commits VALUES ('conform0', 'p1', 'x', zeroblob(32), 6, 7)",
    )


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ("DROP TRIGGER entries_stay", "entries_stay"),
        ("DROP TABLE commits", "commits"),
        ("CREATE TABLE more (word TEXT)", "more"),
        ("CREATE INDEX quick ON entries (at)", "quick"),
        ("CREATE TRIGGER sly AFTER INSERT ON entries BEGIN SELECT 1; END", "sly"),
    ],
)
def test_a_file_whose_laws_were_changed_is_damaged(how: str, named: str, path: Path) -> None:
    by_hand(path, how)
    with pytest.raises(Damaged, match=named) as damage:
        kept_in(path)
    assert str(path) in str(damage.value)


def test_a_law_whose_name_is_no_text_is_damage_too(path: Path) -> None:
    blob = "UPDATE sqlite_schema SET name = CAST(name AS BLOB) WHERE name = 'heads_stay'"
    by_hand(path, "PRAGMA writable_schema = ON", blob)
    with pytest.raises(Damaged, match="heads_stay"):
        kept_in(path)


# --- schemas --------------------------------------------------------------------------------------


def test_there_is_a_golden_file_of_every_schema_that_is_read() -> None:
    oldest = min(SCHEMA.steps, default=SCHEMA.number)
    expected = {f"schema-{number}.db" for number in range(oldest, SCHEMA.number + 1)}
    assert {each.name for each in GOLDEN.glob("*.db*")} == expected


@pytest.mark.parametrize("golden", sorted(GOLDEN.glob("*.db")), ids=lambda golden: golden.stem)
def test_a_file_of_every_schema_is_read_and_written_on(golden: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    shutil.copy(golden, path)
    expected = json.loads(golden.with_suffix(".json").read_text(encoding="utf-8"))
    assert {table: in_words(entries) for table, entries in read_in(path).items()} == expected

    async def scenario(log: SqliteLog) -> None:
        assert await log.answered(TABLE, "p1", ASK.id) == Answered(MAC, SECOND)
        assert (await log.read(OTHER))[1] == withhold(TEXT)
        signed = await heads_of(log)
        assert await log.heads(TABLE) == signed
        for head in signed:
            assert await log.keep_head(TABLE, head) == head
        assert await log.append(TABLE, commit(6), 6) == Appended(7)

    on_log(path, scenario)


@pytest.mark.parametrize("golden", sorted(GOLDEN.glob("*.db")), ids=lambda golden: golden.stem)
def test_a_file_of_an_older_schema_is_kept_beside_the_upgraded_one(
    golden: Path, tmp_path: Path
) -> None:
    path, first = tmp_path / "log.db", tmp_path / "first.db"
    for copy in (path, first):
        shutil.copy(golden, copy)
    read_in(path)
    number = int(golden.stem.removeprefix("schema-"))
    upgraded = number < SCHEMA.number
    assert remains(path) == ["log.db", *([f"log.db.schema-{number}"] if upgraded else [])]
    for copy in tmp_path.glob("log.db.schema-*"):
        with closing(sqlite3.connect(copy)) as older, closing(sqlite3.connect(first)) as before:
            assert list(older.iterdump()) == list(before.iterdump())
            assert older.execute("PRAGMA user_version").fetchone() == (number,)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_file_of_before_the_log_said_what_was_asked_is_refused_and_left_alone(
    path: Path, number: int
) -> None:
    by_hand(path, f"PRAGMA user_version = {number}")
    before = path.read_bytes()
    why = f"schema {number}, from which nothing leads to {SCHEMA.number}"
    with pytest.raises(Refused, match=why) as refusal:
        kept_in(path)
    assert (refusal.value.code, refusal.value.allowed) == ("unreadable", ("an older Urim",))
    assert str(path) in refusal.value.why
    assert path.read_bytes() == before
    assert remains(path) == ["log.db"]


def test_what_is_written_today_is_what_the_golden_file_says(path: Path) -> None:
    expected = json.loads((GOLDEN / f"schema-{SCHEMA.number}.json").read_text(encoding="utf-8"))
    assert {table: in_words(entries) for table, entries in kept_in(path).items()} == expected


def test_a_newer_schema_is_refused_naming_both_numbers_and_left_alone(path: Path) -> None:
    by_hand(path, f"PRAGMA user_version = {NEXT}")
    before = path.read_bytes()
    with pytest.raises(Refused, match=f"schema {NEXT}, newer than {SCHEMA.number}") as refusal:
        kept_in(path)
    assert refusal.value.code == "unreadable"
    assert str(path) in refusal.value.why
    assert path.read_bytes() == before
    assert remains(path) == ["log.db"]


def test_an_older_schema_is_upgraded_after_a_copy_was_made_beside_it(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = kept_in(path)
    prepare(Place(path), LATER).close()
    said = f"{path} is upgraded from schema {SCHEMA.number} to {NEXT}; as it was, it is kept in "
    assert caplog.messages == [f"{said}{path}.schema-{SCHEMA.number}"]
    assert remains(path) == ["log.db", f"log.db.schema-{SCHEMA.number}"]
    assert kept_in(path.with_name(f"log.db.schema-{SCHEMA.number}")) == before
    by_hand(path, "INSERT INTO later VALUES ('now')", "UPDATE later SET word = 'then'")
    prepare(Place(path), LATER).close()  # it is one of that schema now: no second copy
    assert len(remains(path)) == 2
    assert len(caplog.messages) == 1


def test_an_upgrade_that_fails_leaves_the_file_and_the_copy(path: Path) -> None:
    before = kept_in(path)
    for turn, steps in enumerate([("DROP TRIGGER entries_stay",), ("CREATE TABLE entries (x)",)]):
        failing = Schema(NEXT, LATER.statements, {SCHEMA.number: steps})
        with pytest.raises(Damaged):
            prepare(Place(path), failing)
        assert kept_in(path) == before
        assert len(remains(path)) == turn + 2  # no copy was written over


def test_an_upgrade_includes_what_is_in_the_write_ahead_log_only(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(6), 6)
        prepare(Place(path), LATER).close()

    on_log(path, scenario)
    assert len(kept_in(path.with_name(f"log.db.schema-{SCHEMA.number}"))[TABLE]) == 7


def test_a_new_file_says_whose_it_is(path: Path) -> None:
    content = path.read_bytes()
    assert content[68:72] == b"URM1" == APPLICATION_ID.to_bytes(4, "big")
    assert content[60:64] == SCHEMA.number.to_bytes(4, "big")


def test_the_names_of_a_folder_are_made_to_last(tmp_path: Path) -> None:
    sync_directory(tmp_path / "log.db")
    with pytest.raises(FileNotFoundError):
        sync_directory(tmp_path / "none" / "log.db")


def test_tables_are_strict() -> None:
    assert all("STRICT" in sql for sql in SCHEMA.statements if sql.startswith("CREATE TABLE"))
    assert COMMITS in SCHEMA.statements


def test_the_file_and_the_code_know_what_erases_by_the_same_bytes() -> None:
    assert ERASES.decode() in ERASED_BY


# --- a file that others are setting up ------------------------------------------------------------


@pytest.mark.parametrize("code", ["SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_LOCKED"])
def test_a_lock_that_sqlite_does_not_wait_for_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    tries = failing(monkeypatch, code, times=3)
    prepare(Place(tmp_path / "log.db", busy=20)).close()
    assert len(tries) == 4
    start = time.monotonic()
    failing(monkeypatch, code, times=10_000)
    with pytest.raises(Unavailable, match="was locked by another process"):
        prepare(Place(tmp_path / "log.db", busy=0.1))
    assert 0.1 <= time.monotonic() - start < 5


def test_what_is_no_lock_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = failing(monkeypatch, "SQLITE_FULL", times=3)
    with pytest.raises(Unavailable, match="no space left"):
        prepare(Place(tmp_path / "log.db", busy=20))
    assert len(tries) == 1


def failing(monkeypatch: pytest.MonkeyPatch, code: str, times: int) -> list[int]:
    """Let SQLite turn the file down so often; how often it was tried, as it happens."""
    tries: list[int] = []
    works = schema._prepare  # noqa: SLF001 - as if another process were setting up the file

    def fails(place: Place, connection: sqlite3.Connection, wanted: Schema) -> None:
        tries.append(len(tries))
        if len(tries) <= times:
            error = sqlite3.OperationalError("it fails here")
            error.sqlite_errorcode, error.sqlite_errorname = getattr(sqlite3, code), code
            raise error
        works(place, connection, wanted)

    monkeypatch.setattr(schema, "_prepare", fails)
    return tries


def test_who_asks_for_the_latest_requests_reads_no_others(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {rows.REQUESTS}", (TABLE, 1, 9)).fetchall()
    assert [how for *_, how in plan] == [
        "SEARCH commits USING INDEX commits_by_start (table_id=? AND start>?)"
    ]
