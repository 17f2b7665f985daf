"""Commands that only read touch nothing: no file is made, changed or left behind."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.helpers import terminals
from tests.engine.helpers.cli_runs import objects, urim
from urim.engine.cli.frame import ASKING
from urim.engine.testing.log.harness import commit
from urim.events.log.sqlite import SqliteLog

T = "table001"

State = dict[str, tuple[bytes, int]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose table was played with fair dice, and is signed."""
    db = tmp_path_factory.mktemp("made") / "night.db"
    by = ("--seat", "narrator")
    for words in (
        ("open", db, "--system", "plain", "--id", T),
        ("enter", db, T, "Ruth", *by),
        ("declare", db, T, "expression=4d6", *by),
        ("roll", db, T, *by),
        ("resolve", db, T, *by),
    ):
        assert urim(*map(str, words)).exit_code == 0
    return db


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(made.parent, tmp_path / "copy")
    return tmp_path / "copy" / made.name


def state_of(folder: Path) -> State:
    """Every file of a folder: its bytes, and when it was written."""
    return {
        str(each.relative_to(folder)): (
            b"" if each.name.endswith("-shm") else each.read_bytes(), each.stat().st_mtime_ns
        )
        for each in folder.rglob("*") if each.is_file() and not each.name.endswith("-shm")
    }  # fmt: skip


READS = (
    "tables DB", f"show DB {T}", f"show DB {T} --roll 1", f"show DB {T} --at 2",
    f"replay DB {T} --roll 1", f"whatif DB {T} --roll 1 --void", f"fairness DB {T}",
    f"luck DB {T}", f"moves DB {T} --seat narrator",
    f"export DB {T} --format jsonl", f"export DB {T} --format scenario",
    f"export DB {T} --format bundle", f"export DB {T} --format character --character Ruth",
    f"export DB {T} --format bundle --seat narrator --roll 1", f"key show DB {T}", "check DB",
    f"check DB {T} --json", f"case DB {T} --roll 1 --json",
)  # fmt: skip
"""A line of every command that only reads."""


@pytest.mark.sampled(13)
@pytest.mark.parametrize("line", READS)
def test_a_command_that_reads_touches_nothing(line: str, db: Path) -> None:
    before = state_of(db.parent)
    done = urim(*line.replace("DB", str(db)).split())
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout
    assert state_of(db.parent) == before


def test_a_shell_that_completes_touches_nothing(db: Path) -> None:
    before = state_of(db.parent)
    for words in (f"show {db} ", f"moves {db} {T} --seat "):
        env = {"COMP_WORDS": f"urim {words}", "COMP_CWORD": str(len(words.split(" ")))}
        assert urim(**env, **{ASKING: "bash_complete"}).stdout
    assert state_of(db.parent) == before


@pytest.mark.parametrize("ends", [("",), ("-shm",)], ids=["without an index", "with its index"])
def test_what_a_killed_writer_left_is_shown_and_stays(
    db: Path, tmp_path: Path, ends: tuple[str, ...]
) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()

    async def left() -> None:
        log = await SqliteLog.open(db)
        await log.append("table002", commit(0, 2), 0)
        for end in ("", "-wal", *ends):
            shutil.copy(f"{db}{end}", killed / f"{db.name}{end}")
        await log.close()

    asyncio.run(left())
    before = state_of(killed)
    found = objects(urim("tables", str(killed / db.name), "--json").stdout)
    # The table in the write-ahead log has no events, and is found all the same.
    assert {each.get("id") or each.get("table") for each in found} == {T, "table002"}
    assert state_of(killed) == before
    shutil.copytree(f"{db}.secrets", f"{killed / db.name}.secrets")
    before = state_of(killed)
    assert urim("export", str(killed / db.name), T, "--format", "bundle").exit_code == 0
    assert state_of(killed) == before


def test_a_bundle_of_what_nobody_signed_is_signed_for_it_as_before(tmp_path: Path) -> None:
    db = tmp_path / "dice.db"
    table = objects(urim("dice", "2d6", "--log", str(db), "--json").stdout)[-1]["table"]
    out = tmp_path / "x.urim.jsonl"
    assert urim("export", str(db), table, "--format", "bundle", "--out", str(out)).exit_code == 0
    assert urim("audit", str(out)).exit_code == 0
    before = state_of(tmp_path)
    done = urim("export", str(db), table, "--format", "bundle")
    assert (done.exit_code, done.stdout) == (0, out.read_text("utf-8"))
    assert state_of(tmp_path) == before
    assert [each["count"] for each in objects(urim("check", str(db), "--json").stdout)
            if each.get("what") == "heads"] == [2]  # fmt: skip


# --- the check ------------------------------------------------------------------------------------


def test_the_check_ends_with_what_it_found(db: Path, tmp_path: Path) -> None:
    wide = {"COLUMNS": "500"}
    whole = urim("check", str(db), **wide)
    assert whole.exit_code == 0
    assert " ".join(whole.stdout.split()).endswith("night.db is whole: 1 table.")
    (db.parent / "night.db.secrets" / T).unlink()
    broken = urim("check", str(db), **wide)
    assert broken.exit_code == 1
    shown = " ".join(broken.stdout.split())
    assert f"wrong: table {T}, {db}.secrets/{T}: it is missing" in shown
    assert "is not whole: 1 fault" in shown
    for words in ((str(tmp_path / "none.db"),), (str(db), "nowhere1")):
        done = urim("check", *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith("urim: ")


def test_the_check_says_how_far_it_is_to_a_terminal_that_waits(db: Path) -> None:
    impatient = (
        "import urim.engine.cli.progress as p, urim.engine.cli as m, sys;"
        "p.PATIENCE = 0; sys.argv = ['urim', 'check', sys.argv[1]]; m.main()"
    )
    ours, theirs = terminals.opened()
    command = [sys.executable, "-c", impatient, str(db)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=False)
    os.close(theirs)
    shown = os.read(ours, 4096)
    os.close(ours)
    assert done.returncode == 0
    assert b"urim: 6 entries" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert b"urim:" not in done.stdout


def test_the_check_prints_objects(db: Path) -> None:
    (db.parent / "night.db.secrets" / T).unlink()
    first, *rest = objects(urim("check", str(db), "--json").stdout)
    assert (first["type"], first["faults"], first["exit"]) == ("check", 1, 1)
    [fault] = [each for each in rest if each["type"] == "fault"]
    assert (fault["what"], fault["table"], fault["seq"]) == ("secrets", T, None)
    assert fault["file"].endswith(T)
    assert fault["way_out"]
