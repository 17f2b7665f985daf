"""PostgreSQL's own backup of a database: what is in it is whole, and what came after it is lost."""

from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import urim
from tests.events.postgres.server import Server, run_now, running, standby_of
from urim.events.log.location import DatabaseUrl
from urim.events.log.opening import open_log_reading

pytestmark = pytest.mark.slow

TABLE = "evening1"


def ran(*words: object, code: int = 0) -> str:
    """What a command prints; it ends with that code."""
    done = urim(*map(str, words))
    assert done.exit_code == code, done.output
    return done.output


def rolled(url: str) -> None:
    """Throw some dice at the table."""
    for words in (("declare", url, TABLE, "expression=4d6kh3"), ("roll", url, TABLE)):
        ran(*words, "--seat", "narrator")
    ran("resolve", url, TABLE, "--seat", "narrator")


def audited(url: str, path: Path) -> int:
    """How many entries a bundle of the table has, which passes its audit; its head is signed."""
    ran("export", url, TABLE, "--format", "bundle", "--out", path, "--force")
    key = ran("key", "show", url, TABLE).splitlines()[0]
    assert "Nothing is wrong" in ran("audit", path, "--key", key)
    return run_now(size(url))


async def size(url: str) -> int:
    """How many entries the table has."""
    log = await open_log_reading(DatabaseUrl(url))
    try:
        return len(await log.read(TABLE))
    finally:
        await log.close()


async def newest(url: str) -> bytes:
    """The newest signed head of the table, as a player's client keeps it."""
    log = await open_log_reading(DatabaseUrl(url))
    try:
        head = await log.last_head(TABLE)
    finally:
        await log.close()
    assert head is not None
    return head.note


def test_a_restored_backup_passes_its_audit_lacks_what_came_later_and_goes_on_in_an_epoch(
    tmp_path: Path,
) -> None:
    bundle, seen = tmp_path / "a.urim.jsonl", tmp_path / "seen.txt"
    with running() as first:
        url = first.url_of("postgres")
        ran("open", url, "--system", "plain", "--id", TABLE, "--request", "first")
        ran("enter", url, TABLE, "Dana", "--seat", "narrator", "--owner", "narrator")
        rolled(url)
        before = audited(url, bundle)
        backup = Server(first.programs, files=standby_of(first))  # pg_basebackup
        try:
            rolled(url)
            after = audited(url, bundle)
            seen.write_bytes(run_now(newest(url)))
            first.stop()
            (backup.data / "standby.signal").unlink()
            backup.start()
            restored = backup.url_of("postgres")
            assert audited(restored, bundle) == before < after
            said = ran("epoch", restored, TABLE, "--seen", seen, "--yes")
            assert f"epoch 1 of table {TABLE} begins with entry {before}" in said
            rolled(restored)
            assert audited(restored, bundle) > before
        finally:
            backup.remove()
