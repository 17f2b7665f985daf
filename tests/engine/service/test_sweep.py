"""What killed processes left unfinished goes when a service starts, and nothing else does."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import urim
from tests.engine.helpers.stages.heads import served
from tests.engine.helpers.stages.service import TABLE, mark, seated
from tests.tree import ROOT
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.blocking import BlockingService
from urim.engine.service.secrets import FileSecrets
from urim.engine.service.sweep import AGE, leftovers, sweep
from urim.events.log.sqlite.file import Place
from urim.events.log.sqlite.schema import SCHEMA, Schema, prepare

HEX = "0123456789abcdef"

LEFT = (
    f"night.db.{HEX}.new", "night.db.schema-3.unfinished", "night.db.schema-3.2.unfinished",
    "night.db.schema-3.unfinished-journal", f"night.db.secrets/{TABLE}.{HEX}",
    f"night.db.secrets/{TABLE}.epoch-2.{HEX}", f"night.db.secrets/key.{HEX}",
    f"night.db.secrets/access.db.{HEX}", f"night.db.secrets/access.db.{HEX}.new",
    "night.db.secrets/access.db.schema-1.unfinished", f"night.db.secrets/heads/{TABLE}.{HEX}",
    f"night.db.secrets/shares/{'ab' * 32}.{HEX}",
)  # fmt: skip
"""Every name that an unfinished file has."""

OTHERS = (
    "night.db", "night.db-wal", "night.db.schema-3", "night.db.schema-3.2", f"day.db.{HEX}.new",
    f"night.db.{HEX}", f"night.db.{HEX}0.new", f"night.db.{HEX.upper()}.new", HEX,
    f"night.db.secrets/{HEX}", f"night.db.secrets/{TABLE}", f"night.db.secrets/{TABLE}.epoch-1",
    f"night.db.secrets/{TABLE}.epoch-1.aside.2", "night.db.secrets/key",
    f"night.db.secrets/heads/{TABLE}", f"night.db.secrets/heads/{TABLE}.before-epoch-1",
    f"night.db.secrets/shares/{'ab' * 32}", f"night.db.secrets/{TABLE}.0123456789abcde",
    f".night.urim.jsonl.{HEX}",
)  # fmt: skip
"""Names of finished files, and of other programs'."""


def planted(folder: Path, *names: str, age: float = AGE + 60) -> None:
    """Files of these names, last written to so many seconds ago."""
    then = time.time() - age
    for name in names:
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        os.utime(path, (then, then))


def names_in(folder: Path) -> set[str]:
    """Every file of a folder and of those within."""
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def test_unfinished_files_go_and_no_other(tmp_path: Path) -> None:
    planted(tmp_path, *LEFT, *OTHERS)
    sweep(tmp_path / "night.db")
    assert names_in(tmp_path) == set(OTHERS)


def test_what_a_living_process_may_be_writing_stays(tmp_path: Path) -> None:
    planted(tmp_path, *LEFT, age=AGE - 60)
    sweep(tmp_path / "night.db")
    assert names_in(tmp_path) == set(LEFT)


def test_a_link_or_a_directory_of_such_a_name_stays(tmp_path: Path) -> None:
    database = tmp_path / "night.db"
    planted(tmp_path, "other")
    (tmp_path / f"night.db.{HEX}.new").symlink_to(tmp_path / "other")
    (tmp_path / "night.db.schema-3.unfinished").mkdir()
    assert not list(leftovers(database, age=-60))


def test_a_service_sweeps_as_it_starts_and_so_does_a_command_that_writes(tmp_path: Path) -> None:
    database = tmp_path / "night.db"
    planted(tmp_path, *LEFT)
    BlockingService(database).close()
    assert not names_in(tmp_path) & set(LEFT)
    planted(tmp_path, *LEFT)
    assert urim("dice", "1d6", "--log", str(database)).exit_code == 0
    assert not names_in(tmp_path) & set(LEFT)
    planted(tmp_path, *LEFT)
    assert urim("tables", str(database)).exit_code == 0  # it only reads
    assert names_in(tmp_path) >= set(LEFT)


KILLED = """
import os, sys
from pathlib import Path
from urim.engine.service.secrets import FileSecrets
def hang(*words):
    print("there", flush=True)
    sys.stdin.read()
os.link = hang
FileSecrets.beside(Path(sys.argv[1])).keep("table001", bytes(32))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of POSIX")
def test_what_a_process_left_that_was_killed_goes_and_hinders_nobody(tmp_path: Path) -> None:
    database = tmp_path / "night.db"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(database)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.send_signal(signal.SIGKILL)
    [left] = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert left.parent == FileSecrets.beside(database).directory
    served(database, seated)  # it needs another name, and gets one
    assert left.exists()
    os.utime(left, (0, 0))
    BlockingService(database).close()
    assert not left.exists()


# --- modes ----------------------------------------------------------------------------------------


LATER = Schema(
    SCHEMA.number + 1,
    (*SCHEMA.statements, "CREATE TABLE later (word TEXT) STRICT"),
    {SCHEMA.number: ("CREATE TABLE later (word TEXT) STRICT",)},
)
"""A schema that is yet to come."""


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of POSIX")
def test_everything_that_is_made_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    database = tmp_path / "night.db"

    async def play(service: Service) -> None:
        await seated(service, dice="fair")
        await service.submit(TABLE, NARRATOR, mark(1), "a")
        await service.begin_epoch(TABLE, restored=True)
        await service.checkpoint(TABLE)
        access = await SqliteAccess.beside(database)
        await access.host_link(0)
        found.update(modes())  # with what SQLite keeps beside them
        await access.close()

    def modes() -> dict[str, int]:
        files = (each for each in tmp_path.rglob("*"))
        return {
            str(each.relative_to(tmp_path)): stat.S_IMODE(each.stat().st_mode) for each in files
        }

    found: dict[str, int] = {}
    before = os.umask(0)
    try:
        served(database, play)
        prepare(Place(database), LATER).close()
        assert urim("dice", "1d6", "--log", str(tmp_path / "dice.db")).exit_code == 0
    finally:
        os.umask(before)
    found |= modes()
    wrong = {
        name: oct(mode)
        for name, mode in found.items()
        if mode != (0o700 if (tmp_path / name).is_dir() else 0o600)
    }
    assert wrong == {}
    assert {
        "night.db-wal", "night.db-shm", f"night.db.schema-{SCHEMA.number}", "dice.db",
        "night.db.secrets/access.db", "night.db.secrets/access.db-wal", "night.db.secrets/key",
        f"night.db.secrets/{TABLE}.epoch-1", f"night.db.secrets/heads/{TABLE}",
    } <= set(found)  # fmt: skip
