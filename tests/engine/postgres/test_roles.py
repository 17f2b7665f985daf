"""The roles of docs/postgres.md: each may do what the page says, and is refused all else."""

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_hex

import asyncpg
import pytest

from tests.engine.helpers.cli_runs import urim
from tests.engine.postgres.others import by_others
from tests.engine.snapshots.stores import KEY, written
from tests.events.postgres.server import run_now
from tests.tree import ROOT
from urim.engine.access.beside import access_of
from urim.engine.access.protocol import DAY, Inviting
from urim.engine.service.postgres.snapshots import PostgresSnapshots
from urim.events.log.location import DatabaseUrl

pytestmark = pytest.mark.slow

TABLE = "evening1"

PAGE = (ROOT / "docs" / "postgres.md").read_text("utf-8").partition("## Roles")[2]

MADE, GIVEN_AWAY, READ = re.findall(r"```sql\n(.*?)```", PAGE, flags=re.DOTALL)[:3]
"""The statements of the page: roles and schemas, another owner, and roles that read."""

Url = Callable[[str], str]


@pytest.fixture
def url_of(place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch) -> Url:
    """The URL of a role of the page, in a database with a table, after one server has run.

    Roles are a whole server's, and have other names here.
    """
    mark = token_hex(4)

    def url_of(role: str) -> str:
        return place.reveal().replace("//urim@", f"//{role}_{mark}@")

    def named(statements: str) -> str:
        return re.sub(r"\b(urim(_keeper|_owner|_reader|_checker)?)\b", rf"\1_{mark}", statements)

    by_others(place, named(MADE))
    monkeypatch.setenv("URIM_SECRETS", url_of("urim_keeper"))
    log = url_of("urim")
    ran("open", log, "--system", "plain", "--id", TABLE, "--request", "first")
    ran("enter", log, TABLE, "Dana", "--seat", "narrator", "--owner", "narrator")
    run_now(served(log))
    by_others(place, named(GIVEN_AWAY), named(READ))
    return url_of


async def served(url: str) -> None:
    """Write what a server keeps beside the log."""
    place = DatabaseUrl(url)
    access = await access_of(place)
    by = Inviting(table=TABLE, role="player", by="narrator", by_seat="narrator", expires=DAY)
    issued = await access.invite(by, 0)
    admitted = await access.exchange(issued.secret.reveal(), f"{token_hex(8)}-client", 0)
    assert admitted is not None
    assert await access.revoke_seat(TABLE, admitted.grant.seat or "") == 1
    await access.close()
    await asyncio.to_thread(snapshotted, url)


def snapshotted(url: str) -> None:
    """Write a snapshot, and throw it away."""
    snapshots = PostgresSnapshots(url)
    try:
        assert snapshots.usable()
        written(snapshots.table("table009", KEY), 10, [("kind", 1, b"row")])
        assert snapshots.forget("table009")
    finally:
        snapshots.close()


def ran(*words: object, code: int = 0) -> str:
    """What a command prints; it ends with that code."""
    done = urim(*map(str, words))
    assert done.exit_code == code, (words, done.output)
    return done.output


def rolled(url: str) -> None:
    """Throw some dice at the table."""
    for words in (("declare", url, TABLE, "expression=4d6kh3"), ("roll", url, TABLE)):
        ran(*words, "--seat", "narrator")
    ran("resolve", url, TABLE, "--seat", "narrator")


def refused(command: Sequence[object], schema: str) -> None:
    """A command is refused in one sentence, and names the schema."""
    said = ran(*command, code=2)
    assert f"permission denied for schema {schema}" in said
    assert len(said.strip().splitlines()) == 1


FORBIDDEN = {
    "ALTER TABLE urim_log.entries DISABLE TRIGGER USER": "must be owner",
    "DROP FUNCTION urim_log.entries_stay CASCADE": "must be owner",
    "DELETE FROM urim_log.entries": "permission denied",
    "TRUNCATE urim_log.heads": "permission denied",
    "SET session_replication_role = replica": "permission denied",
    "SELECT * FROM urim_secrets.records": "permission denied for schema urim_secrets",
}


def test_a_log_whose_tables_are_anothers_is_played_erased_and_served_and_keeps_its_laws(
    url_of: Url,
) -> None:
    log = url_of("urim")
    ran("note", log, TABLE, "0", "A word.", "--seat", "narrator")
    ran("erase", log, TABLE, "4", "--yes")
    ran("check", log)
    run_now(served(log))

    async def forbidden() -> None:
        connection = await asyncpg.connect(log)
        for statement, words in FORBIDDEN.items():
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match=words):
                await connection.execute(statement)
        await connection.close()

    run_now(forbidden())


def test_a_reader_reads_the_log_and_a_checker_what_is_beside_it_and_neither_writes(
    url_of: Url, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, reader, checker = (url_of(name) for name in ("urim", "urim_reader", "urim_checker"))
    bundle, page = tmp_path / "a.urim.jsonl", tmp_path / "a.html"
    rolled(log)
    ran("export", log, TABLE, "--format", "bundle", "--out", bundle)  # signs the head
    monkeypatch.delenv("URIM_SECRETS")
    before = ran("show", log, TABLE, "--json")
    for reads in (
        ("whatif", reader, TABLE, "--roll", "1", "--void"),
        ("moves", reader, TABLE, "--seat", "narrator"),
        ("fairness", reader, TABLE),
        ("export", reader, TABLE, "--format", "scenario"),
    ):
        ran(*reads)
    assert ran("show", reader, TABLE, "--json") == before
    more = (
        ("check",),
        ("case", TABLE, "--roll", "1", "--out", page),
        ("export", TABLE, "--format", "bundle", "--out", bundle, "--force"),
    )
    for command, *words in more:
        refused((command, reader, *words), "urim_secrets")
        ran(command, checker, *words)
    assert "Nothing is wrong" in ran(
        "audit", bundle, "--key", ran("key", "show", checker, TABLE).splitlines()[0]
    )
    for role in (reader, checker):
        said = ran("note", role, TABLE, "0", "A word.", "--seat", "narrator", code=2)
        assert "permission denied" in said
    assert ran("show", log, TABLE, "--json") == before
