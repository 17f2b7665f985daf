"""Table secrets: for their owner alone, in no log, and missed when they are gone."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.engine.helpers.stages.service import TABLE, declare, made, noting, on_each_log, seated
from urim.engine.core.commands import RollDice
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets, MemorySecrets, Secrets
from urim.errors import Damaged, Refused
from urim.events.codec import recorded
from urim.events.log.protocol import EventLog
from urim.events.roll import DiceRolled

NONCE = "ab" * 32


@on_each_log
async def test_fair_dice_go_on_after_the_table_was_let_go(log: EventLog, secrets: Secrets) -> None:
    await seated(Service(log, secrets), dice="fair")
    [declared] = await Service(log, secrets).submit(TABLE, "p1", declare())
    asked = RollDice(1, "initiator", declared.seq, NONCE)
    [thrown] = await Service(log, secrets).submit(TABLE, "p1", asked, "a")
    assert isinstance(recorded(thrown).event, DiceRolled)
    assert await Service(log, secrets).submit(TABLE, "p1", asked, "a") == (thrown,)


def on_sqlite(path: Path, test: str) -> None:
    """Run one of the tests below on a database in a directory."""

    async def run() -> None:
        async with made("sqlite", path) as (log, secrets):
            await TESTS[test](log, secrets)

    asyncio.run(run())


async def _open_fair(log: EventLog, secrets: Secrets) -> None:
    await seated(Service(log, secrets), dice="fair")


async def _without(log: EventLog, secrets: Secrets) -> None:
    lost = Service(log, MemorySecrets())
    assert len(await lost.view(TABLE, "p1")) == len(await log.read(TABLE))
    for request, command in ((None, declare()), ("a", noting("text"))):
        with pytest.raises(Refused, match="the secret of table 'table001' is not beside this log"):
            await lost.submit(TABLE, "p1", command, request)
    assert await lost.submit(TABLE, "p1", noting("text"))


async def _refused(log: EventLog, secrets: Secrets) -> None:
    with pytest.raises(Refused) as refused:
        await Service(log, secrets).submit(TABLE, "p1", declare())
    assert refused.value.code == "unreadable"
    assert isinstance(secrets, FileSecrets)
    assert str(secrets.directory) in refused.value.why


TESTS = {"open": _open_fair, "without": _without, "refused": _refused}


def test_a_table_without_its_secret_can_be_read_and_written_but_not_thrown_at(
    tmp_path: Path,
) -> None:
    on_sqlite(tmp_path, "open")
    on_sqlite(tmp_path, "without")


def test_secrets_are_for_their_owner_alone_and_in_no_entry(tmp_path: Path) -> None:
    on_sqlite(tmp_path, "open")
    directory = tmp_path / "table.db.secrets"
    [file] = (each for each in directory.iterdir() if each.name not in ("key", "heads"))
    assert (directory.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    secret = file.read_text("ascii").strip()
    assert secret.encode() not in (tmp_path / "table.db").read_bytes()
    assert bytes.fromhex(secret) not in (tmp_path / "table.db").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="no modes")
@pytest.mark.parametrize(("path", "mode"), [("table001", 0o640), (".", 0o755)])
def test_secrets_that_others_may_read_are_refused_by_name(
    tmp_path: Path, path: str, mode: int
) -> None:
    on_sqlite(tmp_path, "open")
    (tmp_path / "table.db.secrets" / path).chmod(mode)
    on_sqlite(tmp_path, "refused")


def test_a_secret_left_from_a_lost_log_is_never_used_again(tmp_path: Path) -> None:
    kept = tmp_path / "table.db.secrets"
    lost: list[str] = []
    for _ in range(3):
        on_sqlite(tmp_path, "open")
        lost.append((kept / TABLE).read_text("ascii"))
        for file in tmp_path.glob("table.db*"):
            if file.is_file():
                file.unlink()
    assert len(set(lost)) == 3
    aside = [kept / f"{TABLE}.aside", kept / f"{TABLE}.aside.2"]
    assert [path.read_text("ascii") for path in aside] == lost[:2]


@pytest.mark.parametrize("text", ["", "ab", "ab" * 33, "zz" * 32, "ש" * 32])
def test_a_file_that_holds_no_secret_is_damaged(tmp_path: Path, text: str) -> None:
    kept = FileSecrets(tmp_path / "secrets")
    kept.keep(TABLE, bytes(32))
    (tmp_path / "secrets" / TABLE).write_text(text, "utf-8")
    with pytest.raises(Damaged, match="holds no table secret"):
        kept.find(TABLE)


@pytest.mark.parametrize("table", ["../etc", "TABLE001", "a", ""])
def test_no_id_leads_out_of_the_directory(tmp_path: Path, table: str) -> None:
    with pytest.raises(Refused, match="table id"):
        FileSecrets(tmp_path).find(table)


@pytest.mark.skipif(os.name == "nt", reason="no links")
def test_a_link_is_no_secret(tmp_path: Path) -> None:
    kept = FileSecrets(tmp_path / "secrets")
    kept.keep("table002", bytes(32))
    (tmp_path / "secrets" / TABLE).symlink_to(tmp_path / "secrets" / "table002")
    with pytest.raises(Refused, match="cannot be read"):
        kept.find(TABLE)
