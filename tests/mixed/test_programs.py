"""Versions that meet: the program of version 0.2, from its wheel, and that of today.

What it does not know it refuses by name: it exits with 2 and a sentence, with no traceback.
"""

import re
import shutil
import signal
import sqlite3
import stat
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import urim
from tests.engine.helpers.stages.serving import Serving
from tests.mixed.program import LONG, Done, Program, audited, port_of, today
from tests.plays import SCENARIOS
from urim.engine.bundle.read import FORMAT

TABLE, OTHER = "table001", "table002"


def refused(done: Done, *words: str) -> None:
    """It is refused in one sentence that has these words, and nobody is accused."""
    assert (done.returncode, done.stdout) == (2, ""), done
    [sentence] = done.stderr.splitlines()
    assert all(word in sentence for word in words), done
    assert not re.search("fault of Urim|[Ff]ork|another log", sentence), done


def test_what_runs_is_the_program_of_then(old: Program, folder: Path) -> None:
    """Not the checkout, which this Python has installed."""
    script = "import urim; from urim.engine.bundle.read import FORMAT; print(urim.__file__, FORMAT)"
    assert old.runs(script).split() == [str(folder / "urim" / "__init__.py"), "urim-bundle/2"]


# --- what version 0.2 makes of files of today -----------------------------------------------------


def test_bundles_and_tables_of_today_are_refused_by_name(old: Program, tmp_path: Path) -> None:
    database, bundle = tmp_path / "night.db", tmp_path / "night.urim.jsonl"
    counter = str(SCENARIOS / "milhamah" / "counter.toml")
    assert urim("run", counter, "--log", str(database)).exit_code == 0
    export = ("export", str(database), "fixture0", "--format", "bundle", "--out", str(bundle))
    assert urim(*export).exit_code == 0
    refused(old.urim("p1", "audit", str(bundle)), "urim-bundle/2", FORMAT)
    refused(old.urim("p1", "show", str(database), "fixture0"), "table-opened/3")


@pytest.mark.slow
def test_every_command_of_before_refuses_a_table_of_today_by_name(
    old: Program, tmp_path: Path
) -> None:
    database = tmp_path / "night.db"
    today("open", str(database), "--system", "plain", "--id", TABLE)
    before = database.read_bytes()
    for words in (
        ("moves", str(database), TABLE, "--seat", "narrator"),
        ("note", str(database), TABLE, "0", "a note", "--seat", "narrator"),
        ("export", str(database), TABLE, "--format", "bundle"),
        ("fairness", str(database), TABLE),
    ):
        refused(old.urim("p1", *words), "table-opened/3")
    assert database.read_bytes() == before


# --- clients and servers --------------------------------------------------------------------------


@pytest.mark.slow
def test_a_client_of_today_plays_at_a_server_of_before(
    old: Program, new: Program, tmp_path: Path
) -> None:
    database = tmp_path / "night.db"
    with old.serves(database) as server:
        links = new.opens(server, server.host_link or "", TABLE, "player", "p1")
        new.joins("p1", links["p1"])
        assert new.rolls("p1") == 0
        narrator = new.joins("narrator", links["narrator"])
        refused(new.urim("narrator", "name-table", narrator, "Friday"), "name-table/1")
        assert server.end(signal.SIGTERM) == (0, "")
    audited(database, TABLE)


@pytest.mark.slow
def test_a_client_of_before_is_refused_by_name_at_a_table_of_today(
    old: Program, new: Program, tmp_path: Path
) -> None:
    """Its folder is no loss: the program of today goes on with it."""
    database = tmp_path / "night.db"
    with new.serves(database) as server:
        links = old.opens(server, server.host_link or "", TABLE, "player", "p1")
        for _ in range(2):
            refused(old.urim("p1", "join", links["p1"]), "table-opened/3")
        assert new.rolls("p1") == 0
        assert server.end(signal.SIGTERM) == (0, "")
    audited(database, TABLE)


# --- an evening whose server is upgraded ----------------------------------------------------------


class Evening:
    """A table of version 0.2, whose host goes on with the program of today, and goes back."""

    def __init__(self, old: Program, new: Program, database: Path) -> None:
        self.old, self.new, self.database = old, new, database
        self.access = database.with_name("night.db.secrets") / "access.db"
        self.port = self.opened = 0
        self.url = ""
        self.links: Mapping[str, str] = {}
        self.copies: list[Path] = []

    @contextmanager
    def serves(self, program: Program, *, says: str = "") -> Generator[Serving]:
        """A server at the port of the first one, which says no more than this; audited then."""
        with program.serves(self.database, self.port) as server:
            self.port = port_of(server)
            yield server
            assert server.end(signal.SIGTERM) == (0, says and f"urim: {says}\n")
        audited(self.database, TABLE)

    @property
    def upgrade(self) -> str:
        """What is said of an upgrade that comes now."""
        number = f".{len(self.copies) + 1}" if self.copies else ""
        self.copies.append(self.access.with_name(f"access.db.schema-1{number}"))
        where = f"as it was, it is kept in {self.copies[-1]}"
        return f"{self.access} is upgraded from schema 1 to 2; {where}"

    def begins(self) -> None:
        """Everybody sits down with the program of version 0.2, and one rolls."""
        with self.serves(self.old) as server:
            host = server.host_link or ""
            self.links = self.old.opens(server, host, TABLE, "table", "p1", "p2")
            for who in ("p1", "p2", "narrator"):
                self.url = self.old.joins(who, self.links[who])
            assert self.old.rolls("p1") == 0  # nobody else can be asked yet

    def both_roll(self, one: Program, other: Program, ended: int) -> None:
        """Both players roll, each with the other's share, until so many rolls have ended."""
        with ThreadPoolExecutor() as pool:
            first = pool.submit(one.rolls, "p1", ended)
            second = pool.submit(other.rolls, "p2", ended)
            opened = max(first.result(), second.result())
        assert opened > self.opened
        self.opened = opened


def held(path: Path) -> list[str]:
    """All that an SQLite file holds."""
    with closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


@pytest.mark.slow
def test_a_server_is_upgraded_and_goes_back_and_everybody_goes_on(
    old: Program, new: Program, tmp_path: Path
) -> None:
    """Seats of version 0.2 go on with either program, at either server."""
    evening = Evening(old, new, tmp_path / "night.db")
    evening.begins()
    before = held(evening.access)
    with evening.serves(new, says=evening.upgrade) as server:
        evening.both_roll(old, new, 3)
        assert new.opens(server, evening.links["host"], OTHER, "player")["host"]
    [copy] = evening.copies
    assert held(copy) == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with evening.serves(new):
        pass  # it is upgraded once
    words = ("serve", str(evening.database), "--port", "0")
    refused(old.urim("host", *words), "schema 2, newer than 1", str(evening.access))
    shutil.copy(copy, evening.access)
    with evening.serves(old):
        evening.both_roll(new, old, 5)  # with what the other one kept
    refused(old.urim("host", "show", str(evening.database), OTHER), "table-opened/3")
    with evening.serves(new, says=evening.upgrade):
        new.does("narrator", "name-table", evening.url, "Friday")
        refused(old.urim("p1", "moves", evening.url), "table-set/1")
        evening.both_roll(new, new, 7)
    refused(old.urim("host", "show", str(evening.database), TABLE), "table-set/1")


# --- snapshots ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_snapshots_of_another_version_are_thrown_away(
    old: Program, new: Program, tmp_path: Path
) -> None:
    database = tmp_path / "night.db"
    snapshots = tmp_path / "night.db.snapshots"
    size = 0
    for program, notes in ((old, 120), (new, 1), (old, 1)):
        before = snapshots.read_bytes() if snapshots.exists() else b""
        found = int(program.runs(LONG, str(database), TABLE, str(notes)))
        assert found == size + 2 * notes + (0 if size else 1)
        size = found
        assert snapshots.read_bytes() != before
        today("check", str(database))
