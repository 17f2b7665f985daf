"""Whatever goes wrong: every acknowledged command is on the log exactly once, and in order."""

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.helpers.stages.service import (
    TABLE,
    TWO,
    declare,
    made,
    notes,
    noting,
    on_each_log,
    seated,
    throw,
)
from urim.engine.core.commands import GiveCharacter
from urim.engine.service import Service
from urim.engine.service.secrets import Secrets
from urim.errors import Refused
from urim.events.log.protocol import EventLog

# --- others on the same log -----------------------------------------------------------------------


@on_each_log
async def test_what_another_service_did_meanwhile_is_taken_in(
    log: EventLog, secrets: Secrets
) -> None:
    one, other = Service(log, secrets), Service(log, secrets)
    await seated(one)
    await other.submit(TABLE, "p1", declare())
    assert (await one.submit(TABLE, "p1", throw()))[0].seq == 6  # refused by what `one` had in mind
    with pytest.raises(Refused) as refused:
        await other.submit(TABLE, "p1", throw())  # allowed by what `other` had in mind
    assert refused.value.code == "not-offered"
    assert await other.view(TABLE, "p1") == await log.read(TABLE)


@on_each_log
async def test_a_change_that_another_service_undid_is_made_again(
    log: EventLog, secrets: Secrets
) -> None:
    one, other = Service(log, secrets), Service(log, secrets)
    await seated(one)
    await one.submit(TABLE, "narrator", GiveCharacter("c1", "p2"))
    await other.submit(TABLE, "narrator", GiveCharacter("c1", "p1"))
    assert await one.submit(TABLE, "narrator", GiveCharacter("c1", "p2"))


@on_each_log
async def test_a_request_sent_to_two_services_at_once_is_done_once(
    log: EventLog, secrets: Secrets
) -> None:
    services = [Service(log, secrets) for _ in range(4)]
    await seated(services[0])
    asked = [service.submit(TABLE, "p1", declare(), "a") for service in services]
    first, *rest = await asyncio.gather(*asked)
    assert rest == [first] * 3
    assert len((await services[0].state(TABLE)).rolls) == 1


@pytest.mark.slow
@on_each_log
async def test_thousands_of_commands_are_each_kept_once_and_in_order(
    log: EventLog, secrets: Secrets
) -> None:
    tables = [f"table00{number}" for number in range(3)]
    services = [Service(log, secrets, memory=TWO) for _ in range(2)]
    for table in tables:
        await seated(services[0], table)

    async def client(name: int, table: str) -> None:
        for turn in range(60):
            service = services[(name + turn) % 2]
            asking, request = noting(f"{name} {turn}"), f"{name}.{turn}"
            sent = await service.submit(table, "p1", asking, request)
            if turn % 7 == 0:
                other = services[(name + turn + 1) % 2]
                assert await other.submit(table, "p1", asking, request) == sent

    clients = [(name, table) for table in tables for name in range(6)]
    await asyncio.gather(*(client(*each) for each in clients))
    for table in tables:
        found = await notes(log, table)
        assert Counter(found) == Counter(
            f"{name} {turn}" for name in range(6) for turn in range(60)
        )
        for name in range(6):
            turns = [int(text.split()[1]) for text in found if text.startswith(f"{name} ")]
            assert turns == list(range(60))


OTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.engine.core.commands import Note, worded
from urim.events.log.sqlite import SqliteLog

async def run(path, name):
    log = await SqliteLog.open(path)
    service = Service(log, FileSecrets.beside(path))
    for turn in range(40):
        asking = worded(Note(0), f"{name} {turn}")
        await service.submit("table001", "p1", asking, f"{name}.{turn}")
    await log.close()

asyncio.run(run(Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.mark.slow
async def test_other_processes_on_the_same_file_lose_nothing(tmp_path: Path) -> None:
    async with made("sqlite", tmp_path) as (log, secrets):
        service = Service(log, secrets)
        await seated(service, dice="fair")
        path = str(tmp_path / "table.db")
        others = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", OTHER_PROCESS, path, name, stderr=subprocess.PIPE
            )
            for name in ("b", "c")
        ]
        for turn in range(40):
            await service.submit(TABLE, "p1", noting(f"a {turn}"), f"a.{turn}")
        for other in others:
            _, errors = await other.communicate()
            assert (other.returncode, errors) == (0, b"")
        found = await notes(log)
        for name in "abc":
            turns = [int(text.split()[1]) for text in found if text.startswith(name)]
            assert turns == list(range(40))
