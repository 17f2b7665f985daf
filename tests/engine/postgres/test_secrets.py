"""Secrets in a database keep what every vault promises, and nobody reads them without the key."""

import asyncio
import gc
import re
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex

import pytest

from tests.engine.postgres.others import asked, by_others
from tests.engine.service.vaults import ONE, OTHER, TABLE, THREE, TWO, VaultSuite, note
from tests.events.postgres.server import run_now
from tests.tree import ROOT
from urim.engine.access.beside import access_of
from urim.engine.service.beside import secrets_of
from urim.engine.service.moving import copy_secrets
from urim.engine.service.postgres import PostgresVault
from urim.engine.service.postgres.locks import number_of
from urim.engine.service.secrets import FileSecrets, Secrets
from urim.engine.service.vault import Vault
from urim.errors import Damaged, Refused, Unavailable
from urim.events.log.location import DatabaseUrl
from urim.events.log.opening import open_log, open_log_reading


@pytest.fixture
def kept(place: DatabaseUrl) -> Generator[Secrets]:
    """Secrets in a database."""
    with closing(secrets_of(place)) as found:
        yield found


class TestPostgresVault(VaultSuite):
    """The suite, on a database of each test's own."""

    @pytest.fixture(autouse=True)
    def _at(self, place: DatabaseUrl, key: Path) -> None:
        self.at, self.key = place, key

    @contextmanager
    def make_vault(self) -> Generator[Vault]:
        """An empty one, or another with its records."""
        with closing(PostgresVault(self.at.reveal(), self.key)) as vault:
            yield vault


@pytest.mark.parametrize("table", ["../etc", "TABLE001", "a", ""])
def test_only_a_tables_id_names_a_secret(place: DatabaseUrl, table: str) -> None:
    with closing(secrets_of(place)) as kept, pytest.raises(Refused, match="table id"):
        kept.find(table)


def test_looking_makes_nothing(kept: Secrets, place: DatabaseUrl, key: Path) -> None:
    assert (kept.find(TABLE), kept.key.find(), kept.heads.floor(TABLE)) == (None, None, 0)
    assert not kept.vault.there()
    by_others(place, "CREATE SCHEMA urim_secrets")  # or it would be there
    assert not key.exists()


def test_nobody_reads_a_secret_in_the_database(kept: Secrets, place: DatabaseUrl) -> None:
    kept.keep(TABLE, ONE)
    found = asked(place, "SELECT sealed FROM urim_secrets.records")
    sealed = b"".join(row[0] for row in found)
    assert len(sealed) > 64
    assert ONE.hex().encode() not in sealed
    assert ONE not in sealed


def test_two_machines_with_one_key_file_have_one_secret(kept: Secrets, place: DatabaseUrl) -> None:
    held = kept.keep(TABLE, ONE)
    with closing(secrets_of(place)) as other:
        assert other.find(TABLE) == ONE
        assert other.left(TABLE) is None
        held.release()
        left = other.left(TABLE)
        assert left is not None
        assert kept.left(TABLE) is None
        assert other.key.make() == kept.key.make()
        with kept.alone(), pytest.raises(Unavailable), other.alone():
            pytest.fail("two were alone")


def test_what_a_dead_process_held_is_free(kept: Secrets, place: DatabaseUrl) -> None:
    held = kept.keep(TABLE, ONE)
    with closing(secrets_of(place)) as other:
        assert other.left(TABLE) is None
        by_others(
            place,
            f"SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'"  # noqa: S608
            f" AND ((classid::bigint << 32) | objid::bigint) = {number_of(TABLE)}",
        )
        assert other.left(TABLE) is not None
    held.release()


@pytest.mark.parametrize("what", ["gone", "another"])
def test_another_key_is_refused_by_the_tables_name_and_changes_nothing(
    kept: Secrets, place: DatabaseUrl, key: Path, what: str
) -> None:
    kept.keep(TABLE, ONE)
    if what == "gone":
        key.unlink()
    else:
        key.write_text(f"{THREE.hex()}\n", "ascii")
    with closing(secrets_of(place)) as other:
        for ask in (
            lambda: other.find(TABLE),
            lambda: other.keep(TABLE, TWO),
            lambda: other.keep_epoch(TABLE, 1, TWO),
            lambda: other.heads.keep(TABLE, note(1)),
        ):
            with pytest.raises(Refused) as refused:
                ask()
            assert refused.value.code == "unreadable"
            assert TABLE in refused.value.why
            assert str(key) in refused.value.why
        assert other.vault.names() == (TABLE,)
    assert key.exists() is (what == "another")
    assert kept.find(TABLE) == ONE


def test_a_key_that_others_may_read_is_refused(
    kept: Secrets, place: DatabaseUrl, key: Path
) -> None:
    kept.keep(TABLE, ONE)
    key.chmod(0o644)
    with closing(secrets_of(place)) as other, pytest.raises(Refused, match="open to others"):
        other.find(TABLE)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE urim_secrets.records SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))",
        "UPDATE urim_secrets.records SET sealed = ''",
        "UPDATE urim_secrets.records SET name = 'table002'",
    ],
)
def test_a_record_that_somebody_changed_is_damaged(
    kept: Secrets, place: DatabaseUrl, change: str
) -> None:
    kept.keep(TABLE, ONE)
    by_others(place, change)
    with pytest.raises(Damaged, match="is not what was written"):
        kept.find(TABLE if "name" not in change else OTHER)


def test_secrets_go_from_a_directory_to_a_database_and_back(kept: Secrets, tmp_path: Path) -> None:
    source, back = FileSecrets(tmp_path / "from"), FileSecrets(tmp_path / "back")
    source.keep(TABLE, ONE)
    source.keep(OTHER, TWO)
    source.keep_epoch(TABLE, 1, THREE)
    source.key.make()
    source.keep_chain("ab" * 32, ONE)
    source.heads.keep(TABLE, note(9))
    source.heads.supersede(TABLE, 1, note(5))
    assert copy_secrets(source, kept, [TABLE]) == 6
    assert copy_secrets(source, kept, [TABLE]) == 0
    assert copy_secrets(kept, back, [TABLE]) == 6
    assert back.find(TABLE) == ONE
    assert (back.find(OTHER), back.find_epoch(TABLE, 1)) == (None, THREE)
    assert back.key.find() == source.key.find()
    assert (back.heads.find(TABLE), back.heads.floor(TABLE)) == (note(5), 9)
    assert back.find_chain("ab" * 32) == ONE


def test_the_connection_that_is_lost_is_opened_again(kept: Secrets, place: DatabaseUrl) -> None:
    kept.keep(TABLE, ONE).release()
    for n in range(3):
        by_others(
            place,
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        assert kept.find(TABLE) == ONE
        kept.keep_epoch(TABLE, n, TWO)


def test_who_forgets_it_leaves_no_thread(place: DatabaseUrl) -> None:
    before = {*threading.enumerate()}
    kept = secrets_of(place)
    kept.keep(TABLE, ONE).release()
    [thread] = {*threading.enumerate()} - before
    del kept
    gc.collect()
    thread.join(timeout=30)
    assert not thread.is_alive()


def test_a_role_of_their_own_keeps_them_from_the_logs(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The roles are those of docs/postgres.md, under other names: roles are a whole server's."""
    keeper, reader = (f"urim_{each}_{token_hex(4)}" for each in ("keeper", "reader"))
    page = (ROOT / "docs" / "postgres.md").read_text("utf-8")
    statements = page.partition("```sql\n")[2].partition("```")[0]
    for shown, own in ((r"\burim_keeper;", f"{keeper};"), (r"\burim;", f"{reader};")):
        statements = re.sub(shown, own, statements)
    statements = statements.replace("urim_keeper LOGIN", f"{keeper} LOGIN")
    by_others(place, statements.replace("ROLE urim LOGIN", f"ROLE {reader} LOGIN"))
    keepers = place.reveal().replace("//urim@", f"//{keeper}@")
    monkeypatch.setenv("URIM_SECRETS", keepers)
    with closing(secrets_of(place)) as kept:
        kept.keep(TABLE, ONE)
        assert kept.find(TABLE) == ONE
    monkeypatch.delenv("URIM_SECRETS")
    readers = DatabaseUrl(place.reveal().replace("//urim@", f"//{reader}@"))
    with closing(secrets_of(readers)) as kept, pytest.raises(Refused, match="permission denied"):
        kept.find(TABLE)

    async def others() -> None:
        await (await open_log(readers)).close()
        await (await access_of(readers)).close()
        with pytest.raises(Refused, match="permission denied"):
            await open_log_reading(keepers)

    run_now(others())


def test_the_environment_names_a_directory_too(
    place: DatabaseUrl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URIM_SECRETS", str(tmp_path / "shared"))
    with closing(secrets_of(place)) as kept:
        kept.keep(TABLE, ONE)
    assert FileSecrets(tmp_path / "shared").find(TABLE) == ONE


def test_it_may_be_called_within_a_loop(kept: Secrets) -> None:
    async def scenario() -> bytes | None:
        await asyncio.to_thread(kept.keep, TABLE, ONE)
        return kept.find(TABLE)

    assert run_now(scenario()) == ONE
