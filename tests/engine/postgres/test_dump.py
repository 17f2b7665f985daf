"""PostgreSQL's dump of a database: restored into an empty one it is whole, and goes on."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.postgres.test_roles import TABLE, ran, rolled
from tests.events.postgres.runs import kept_in
from tests.events.postgres.server import HOW, Databases, binaries, run_now
from urim.events.log.location import DatabaseUrl

pytestmark = pytest.mark.slow


def postgres(program: str, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run one of PostgreSQL's programs."""
    programs = binaries()
    if programs is None:
        pytest.skip(HOW)
    asked = [str(programs / program), *map(str, words)]
    return subprocess.run(asked, capture_output=True, check=False, encoding="utf-8")


def audited(url: str, path: Path) -> None:
    """The log and all that is beside it are whole, and the table passes its audit."""
    ran("check", url)
    ran("export", url, TABLE, "--format", "bundle", "--out", path, "--force")
    key = ran("key", "show", url, TABLE).splitlines()[0]
    assert "Nothing is wrong" in ran("audit", path, "--key", key)


def test_a_dump_is_restored_into_an_empty_database_passes_its_audit_and_goes_on(
    place: DatabaseUrl, databases: Databases, tmp_path: Path
) -> None:
    url, dump = place.reveal(), tmp_path / "log.dump"
    ran("open", url, "--system", "plain", "--id", TABLE, "--request", "first")
    ran("enter", url, TABLE, "Dana", "--seat", "narrator", "--owner", "narrator")
    ran("erase", url, TABLE, "2", "--yes")
    done = postgres("pg_dump", "--format=custom", "--file", dump, url)
    assert done.returncode == 0, done.stderr
    restored = run_now(databases.new())
    done = postgres("pg_restore", "--exit-on-error", "--no-owner", "--dbname", restored, dump)
    assert done.returncode == 0, done.stderr
    assert kept_in(restored) == kept_in(url)
    rolled(restored)
    audited(restored, tmp_path / "a.urim.jsonl")
    # Into a log that is there the laws let nothing, however it is put.
    there = run_now(databases.log())
    done = postgres("pg_restore", "--data-only", "--schema=urim_log", "--dbname", there, dump)
    assert "the last entry must be counted by its table" in done.stderr
    assert kept_in(there) == {}
