"""Logs that move: copied into another, backed up while in use, restored; killed in between."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.engine.helpers.stages.heads import entries_in, exchanged, file_of, past_triggers, served
from tests.engine.helpers.stages.moving import (
    SECOND,
    TEXT,
    alike,
    more,
    played,
    plays_on,
    sizes,
)
from tests.engine.helpers.stages.service import TABLE, mark, noting
from tests.events.sqlite.runs import flip, kept_in
from tests.sealing import resealed
from urim.engine.cli.moving import question_of
from urim.engine.core.commands import Erase
from urim.engine.service import Service
from urim.engine.service.restoring import Outlook
from urim.errors import Unavailable
from urim.events.log.sqlite import SqliteLog


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two tables in which much has happened, for tests that change nothing."""
    return played(tmp_path_factory.mktemp("model"))


@pytest.fixture
def source(model: Path, tmp_path: Path) -> Path:
    """The same, for one test alone."""
    shutil.copytree(model.parent, tmp_path / "here")
    return tmp_path / "here" / model.name


def modes(path: Path) -> set[str]:
    """The modes of a log's file and of all that belongs to it."""
    files = [path, *path.with_name(f"{path.name}.secrets").rglob("*")]
    return {oct(each.stat().st_mode & 0o777) for each in files if each.is_file()}


# --- copy -----------------------------------------------------------------------------------------


def test_a_log_is_copied_with_its_secrets_and_played_on(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    done = urim("copy", str(source), str(to), "--secrets")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "table table001: 16 entries, 16 of them new",
        "table table002: 13 entries, 13 of them new",
    ]
    alike(source, to)
    assert modes(to) == {"0o600"}
    before = {file_of(source, name).read_bytes() for name in ("key", TABLE, f"{TABLE}.epoch-2")}
    assert {file_of(to, name).read_bytes() for name in ("key", TABLE, f"{TABLE}.epoch-2")} == before
    names = {path.name for path in file_of(source, "heads").iterdir()}
    assert {path.name for path in file_of(to, "heads").iterdir()} == names
    served(to, plays_on)


def test_a_copy_without_secrets_is_read_and_not_played(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    assert urim("copy", str(source), str(to)).exit_code == 0
    assert not file_of(to, "key").parent.exists()
    assert urim("show", str(to), TABLE).stdout == urim("show", str(source), TABLE).stdout
    refused = urim("note", str(to), TABLE, "0", "so", "--seat", "p1")
    assert refused.exit_code == 2
    assert "key is missing, the key that heads were signed with" in refused.stderr


def test_a_copy_without_secrets_is_audited(source: Path, tmp_path: Path) -> None:
    to, bundle = tmp_path / "to.db", tmp_path / "to.urim.jsonl"
    assert urim("copy", str(source), str(to)).exit_code == 0
    [key] = urim("key", "show", str(source), TABLE).stdout.split()
    words = ("export", str(to), TABLE, "--format", "bundle", "--out", str(bundle))
    assert urim(*words).exit_code == 2
    assert urim(*words, "--key", key.replace(TABLE, SECOND)).exit_code == 2
    assert urim(*words, "--key", key).exit_code == 0
    done = urim("audit", str(bundle), "--key", key)
    assert done.exit_code == 0
    assert "\nNothing is wrong. Look at: " in done.stdout
    refused = urim(*words[:3], "--format", "jsonl", "--key", key)
    assert "a key is for a bundle; allowed: --format bundle, no --key" in refused.stderr


def test_one_table_is_copied_then_the_others_then_what_is_new(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    words = ("copy", str(source), str(to), "--json")
    [first] = objects(urim(*words, "--table", SECOND).stdout)
    assert (first["type"], first["table"], first["added"]) == ("copied", SECOND, 13)
    assert sizes(source, to) == {SECOND: 13}
    served(source, lambda service: more(service, SECOND))
    found = objects(urim(*words).stdout)
    assert [(each["table"], each["size"], each["added"]) for each in found] == [
        (TABLE, 16, 16), (SECOND, 19, 6)
    ]  # fmt: skip
    alike(source, to)
    assert [each["added"] for each in objects(urim(*words).stdout)] == [0, 0]


def test_a_copy_with_secrets_follows_a_source_that_goes_on(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    words = ("copy", str(source), str(to), "--secrets")
    assert urim(*words).exit_code == 0

    async def goes_on(service: Service) -> None:
        await more(service)
        await service.begin_epoch(TABLE, restored=True)
        await more(service)

    served(source, goes_on)
    assert urim(*words).exit_code == 0
    alike(source, to)
    assert file_of(to, f"{TABLE}.epoch-3").read_bytes() == (
        file_of(source, f"{TABLE}.epoch-3").read_bytes()
    )
    assert file_of(to).read_bytes() == file_of(source).read_bytes()
    served(to, plays_on)


def test_a_copy_that_lacks_what_was_signed_meanwhile_is_not_served(
    source: Path, tmp_path: Path
) -> None:
    to = tmp_path / "to.db"
    assert urim("copy", str(source), str(to)).exit_code == 0
    served(source, more)
    assert urim("backup", str(source), str(tmp_path / "b"), "--secrets").exit_code == 0
    shutil.copytree(file_of(tmp_path / "b", "x").parent, file_of(to, "x").parent)
    refused = urim("note", str(to), TABLE, "0", "so", "--seat", "p1")
    assert "went back from 22 entries" in refused.stderr
    assert urim("copy", str(source), str(to), "--secrets").exit_code == 0
    served(to, plays_on)


@pytest.mark.parametrize(
    "name", ["key", TABLE, f"{TABLE}.epoch-1", f"heads/{TABLE}.before-epoch-1"]
)
def test_other_secrets_are_never_written_over(name: str, source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    assert urim("copy", str(source), str(to), "--secrets", "--table", TABLE).exit_code == 0
    served(source, more)
    file_of(to, name).write_bytes(b"another one")
    before = to.read_bytes()
    refused = urim("copy", str(source), str(to), "--secrets")
    assert refused.exit_code == 2
    assert f"{file_of(to, name)} is there, and another one" in refused.stderr
    assert (to.read_bytes(), file_of(to, name).read_bytes()) == (before, b"another one")


def test_a_copy_that_was_played_on_is_refused_by_its_entry(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    assert urim("copy", str(source), str(to), "--secrets").exit_code == 0
    served(to, plays_on)
    refused = urim("copy", str(source), str(to))
    assert refused.exit_code == 2
    assert "table table001: the copy of table 'table001' has entry 16" in refused.stderr
    assert "table table002: 13 entries, 0 of them new" in refused.stdout
    served(source, more)
    assert "another table 'table001': entry 16 differs" in urim("copy", str(source), str(to)).stderr


def test_damage_is_named_and_the_other_tables_are_copied(source: Path, tmp_path: Path) -> None:
    to = tmp_path / "to.db"
    emptied = "UPDATE entries SET salt = NULL, payload = NULL"
    past_triggers(source, f"{emptied} WHERE seq = 3 AND table_id = '{TABLE}'")
    done = urim("copy", str(source), str(to), "--json")
    copied, damaged = objects(done.stdout)
    assert done.exit_code == 2
    assert (damaged["type"], damaged["table"], damaged["seq"]) == ("damaged", TABLE, 3)
    assert (copied["type"], copied["table"]) == ("copied", SECOND)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("copy", "none.db", "to.db"), "there is no file none.db"),
        (("copy", "DB", "DB"), "is the log itself"),
        (("copy", "DB", "to.db", "--table", "nowhere1"), "no table 'nowhere1'; allowed: table001"),
        (("copy", "DB", "text"), "text is no SQLite database"),
        (("backup", "none.db", "b"), "there is no file none.db"),
        (("backup", "DB", "DB", "--force"), "is the log itself"),
        (("backup", "text", "b"), "text is no SQLite database"),
        (("backup", "DB", "text"), "text is there already; allowed: another file, --force"),
        (("backup", "DB", "other.db", "--force"), "other.db is a log that was opened to be"),
        (("backup", "DB", "nowhere/b"), "is in no directory"),
        (("restore", "none.db", "to.db"), "there is no file none.db"),
        (("restore", "text", "to.db"), "text is no SQLite database"),
        (("restore", "DB", "other.db"), "other.db is there; allowed: move it away"),
        (("restore", "DB", "left.db"), "left.db-wal is there; allowed: move it away"),
        (("restore", "DB", "to.db"), "a restore needs a yes"),
        (("restore", "DB", "to.db", "--seen", "text", "--yes"), "a signed head that is no note"),
        (("restore", "DB", "to.db", "--seen", "nothing", "--yes"), "nothing cannot be read"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_what_cannot_be_done_is_refused_and_nothing_is_left(
    words: tuple[str, ...],
    why: str,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("no database, but long enough to be one" * 30, "utf-8")
    Path("left.db-wal").write_bytes(b"left")
    assert urim("open", "other.db", "--system", "plain").exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    refused = urim(*(str(source) if word == "DB" else word for word in words))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert why in refused.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# --- backup ---------------------------------------------------------------------------------------


def test_a_backup_of_a_log_in_use_has_all_that_was_acknowledged(source: Path) -> None:
    file = source.with_name("b")

    async def work(service: Service) -> None:
        # Acknowledged, and only in the write-ahead log yet.
        for value in range(20):
            await service.submit(TABLE, "narrator", mark(value))
        done = await asyncio.to_thread(urim, "backup", str(source), str(file), "--secrets")
        assert (done.exit_code, done.stdout) == (0, f"{file} is written\n")
        await service.submit(TABLE, "narrator", mark())

    served(source, work)
    assert sizes(source, file) == {TABLE: 36, SECOND: 13}
    assert modes(file) == {"0o600"}
    assert sorted(path.name for path in file.parent.glob("b*")) == ["b", "b.secrets"]
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("delete",)]


def test_no_erased_byte_is_in_a_backup(source: Path, tmp_path: Path) -> None:
    """Not even what another program left in free pages, or a service that was cut short."""

    class Cut(SqliteLog):
        async def erase(self, table: str, seq: int) -> None:
            raise Unavailable("the machine stopped here")

    async def cut() -> None:
        from urim.engine.service.secrets import FileSecrets  # noqa: PLC0415

        log = await Cut.open(source)
        service = Service(log, FileSecrets.beside(source))
        noted = await service.submit(TABLE, "p1", noting(TEXT))
        with pytest.raises(Unavailable):
            await service.submit(TABLE, "p1", Erase(noted[-1].seq))
        await service.close()
        await log.close()

    asyncio.run(cut())
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE left_over (words TEXT)")
        connection.execute("INSERT INTO left_over VALUES (?)", (TEXT * 500,))
        connection.execute("DROP TABLE left_over")
    assert TEXT.encode() in source.read_bytes()
    file = tmp_path / "b"
    assert urim("backup", str(source), str(file)).exit_code == 0
    assert TEXT.encode() not in file.read_bytes()
    kept_in(file)


@pytest.mark.parametrize(
    ("made", "code"),
    [("_litestream_lock (id INTEGER)", 0), ("_litestream_lock (id TEXT)", 2), ("others (id)", 2)],
)
def test_what_litestream_makes_in_a_file_is_no_damage(made: str, code: int, source: Path) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute(f"CREATE TABLE {made}")
    for words in (("show", str(source), TABLE), ("copy", str(source), str(source.with_name("c")))):
        assert urim(*words).exit_code == code
    assert urim("backup", str(source), str(source.with_name("b"))).exit_code == code


def test_a_backup_is_made_again_over_the_last_one(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "b"
    words = ("backup", str(source), str(file), "--secrets")
    assert urim(*words).exit_code == 0
    served(source, more)
    assert urim(*words).exit_code == 2
    assert sizes(source, file)[TABLE] == 16
    [written] = objects(urim(*words, "--force", "--json").stdout)
    assert written == {"type": "written", "file": str(file), "bytes": file.stat().st_size}
    assert sizes(source, file)[TABLE] == 22
    assert file_of(file).read_bytes() == file_of(source).read_bytes()


@pytest.mark.parametrize(
    ("what", "why"),
    [("rewritten", "entries 0 to 6 are not those signed for"), ("flipped", "entry 2: the payload")],
)
def test_a_damaged_log_is_not_backed_up(what: str, why: str, source: Path, tmp_path: Path) -> None:
    db = source.with_name("one.db")
    assert urim("copy", str(source), str(db), "--table", TABLE).exit_code == 0
    if what == "rewritten":
        # All but what was signed fits: its time, its commit, what was asked.
        exchanged(db, resealed(entries_in(db)[1], salt=b"1" * 32))
    else:
        flip(db, db.read_bytes().index(b'"event":{"type":"seat-taken') + 20)
    done = urim("backup", str(db), str(tmp_path / "b"))
    assert done.exit_code == 2
    assert why in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


# --- restore --------------------------------------------------------------------------------------


def test_a_restore_begins_an_epoch_of_each_table_and_is_played_on(
    source: Path, tmp_path: Path
) -> None:
    file, db = tmp_path / "b", tmp_path / "night.db"
    assert urim("backup", str(source), str(file), "--secrets").exit_code == 0
    before = file.read_bytes()
    done = urim("restore", str(file), str(db), "--yes")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "table table001: 16 entries, nothing known to be lost; epoch 3 begins with entry 16",
        "table table002: 13 entries, nothing known to be lost; epoch 1 begins with entry 13",
        f"{db} is written",
    ]
    assert file.read_bytes() == before
    assert modes(db) == {"0o600"}
    assert file_of(db, f"{TABLE}.epoch-3").read_bytes() != file_of(db, TABLE).read_bytes()
    served(db, plays_on)
    assert sorted(path.name for path in tmp_path.glob("night*")) == ["night.db", "night.db.secrets"]


def test_what_is_lost_is_known_by_the_heads_beside_the_place(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "b"
    assert urim("backup", str(source), str(file)).exit_code == 0
    served(source, more)
    source.unlink()
    lost = file_of(source).read_bytes()
    found = objects(urim("restore", str(file), str(source), "--yes", "--json").stdout)
    assert found[0] == {
        "type": "restored",
        "table": TABLE,
        "size": 16,
        "newest": 22,
        "lost": 6,
        "epoch": 3,
        "seq": 16,
    }
    assert [each["type"] for each in found] == ["restored", "restored", "written"]
    assert file_of(source, f"heads/{TABLE}.before-epoch-3").read_bytes() == lost
    served(source, plays_without_signing)


async def plays_without_signing(service: Service) -> None:
    """The table goes on; a size that was signed before is not signed again."""
    await service.submit(TABLE, "narrator", mark())
    heads = [head.size for head in await service.log.heads(TABLE)]
    assert max(heads) <= 16


def test_a_head_that_a_player_kept_says_what_is_lost(source: Path, tmp_path: Path) -> None:
    file, db, note = tmp_path / "b", tmp_path / "night.db", tmp_path / "seen.txt"
    assert urim("backup", str(source), str(file), "--secrets").exit_code == 0
    served(source, more)
    note.write_bytes(file_of(source).read_bytes())
    words = ("restore", str(file), str(db), "--seen", str(note), "--yes", "--json")
    refused = urim(*words, "--nothing-lost")
    assert refused.exit_code == 2
    assert "table 'table001' had 22 entries, and has 16" in refused.stdout
    assert not db.exists()
    found = objects(urim(*words).stdout)
    assert (found[0]["newest"], found[0]["lost"]) == (22, 6)
    assert file_of(db, f"heads/{TABLE}.before-epoch-3").read_bytes() == note.read_bytes()
    served(db, plays_without_signing)


def test_a_head_of_another_log_is_refused(source: Path, tmp_path: Path) -> None:
    file, db, note = tmp_path / "b", tmp_path / "night.db", tmp_path / "seen.txt"
    assert urim("backup", str(source), str(file), "--secrets").exit_code == 0
    (tmp_path / "other").mkdir()
    other = played(tmp_path / "other")
    note.write_bytes(file_of(other).read_bytes())
    words = ("restore", str(file), str(db), "--seen", str(note), "--yes")
    assert "was not signed with the host's key" in urim(*words).stderr
    shutil.copyfile(file_of(source, "key"), file_of(other, "key"))
    shutil.rmtree(file_of(other, "heads"))
    past_triggers(other, "DELETE FROM heads")
    served(other, lambda service: service.checkpoint(TABLE))
    note.write_bytes(file_of(other).read_bytes())
    assert "entries 0 to 15 are not those signed for" in urim(*words).stderr
    assert not db.exists()


def test_nothing_lost_begins_no_epoch(source: Path, tmp_path: Path) -> None:
    file, db = tmp_path / "b", tmp_path / "night.db"
    assert urim("backup", str(source), str(file), "--secrets").exit_code == 0
    done = urim("restore", str(file), str(db), "--nothing-lost", "--yes")
    assert done.exit_code == 0
    assert "table table001: 16 entries, nothing known to be lost; no epoch begins" in done.stdout
    alike(source, db)
    served(db, plays_on)


def test_without_its_secrets_a_log_goes_on_under_a_new_key(source: Path, tmp_path: Path) -> None:
    file, db = tmp_path / "b", tmp_path / "night.db"
    assert urim("backup", str(source), str(file)).exit_code == 0
    assert urim("show", str(file), TABLE).exit_code == 0
    done = urim("restore", str(file), str(db), "--nothing-lost", "--yes")
    assert "epoch 3 begins with entry 16" in done.stdout
    assert file_of(db, "key").read_bytes() != file_of(source, "key").read_bytes()
    served(db, plays_on)
    assert urim("show", str(db), TABLE).exit_code == 0


def test_an_epoch_cut_short_before_the_first_head_of_a_new_key_is_no_dead_end(
    source: Path, tmp_path: Path
) -> None:
    file, db = tmp_path / "b", tmp_path / "night.db"
    assert urim("backup", str(source), str(file)).exit_code == 0
    assert urim("restore", str(file), str(db), "--yes").exit_code == 0
    past_triggers(db, "DELETE FROM heads WHERE size > 16")
    shutil.copyfile(file_of(db, f"heads/{TABLE}.before-epoch-3"), file_of(db, f"heads/{TABLE}"))
    served(db, plays_on)


def test_a_fixture_that_nobody_signed_is_restored_as_it_is(tmp_path: Path) -> None:
    db, file = tmp_path / "night.db", tmp_path / "b"
    words = ("open", str(db), "--system", "plain", "--dice", "seeded:7", "--id", TABLE)
    assert urim(*words).exit_code == 0
    shutil.rmtree(file_of(db, "x").parent, ignore_errors=True)
    past_triggers(db, "DELETE FROM heads")
    db.rename(file)
    done = urim("restore", str(file), str(db), "--yes")
    assert f"table {TABLE}: 1 entry, nothing known to be lost; no epoch begins" in done.stdout


def test_the_question_says_where_nothing_shows_a_loss() -> None:
    whole = Outlook("table001", 9, 9, fit=True, fair=True)
    lost = Outlook("table002", 9, 12, fit=False, fair=True)
    asked = question_of([whole, lost], [whole, lost])
    assert "Table table002 lost 3 entries after 9." in asked
    assert "Nothing shows that table001 lost anything (--seen NOTE would)" in asked
    assert asked.endswith("Restore it, and begin an epoch of 2 tables?")
    assert "Nothing shows" not in question_of([whole, lost], [lost])
