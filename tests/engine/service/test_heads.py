"""Heads are signed for what is on disk, in good time, and kept twice."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.engine.helpers.stages.heads import (
    NEVER,
    file_of,
    heads_come,
    is_head_of,
    key_of,
    service_on,
    signed_at,
)
from tests.engine.helpers.stages.service import (
    ONE,
    TABLE,
    declare,
    made,
    mark,
    on_each_log,
    seated,
)
from urim.engine.core.commands import OpenTable, TakeSeat
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.engine.service.signing import Signer, Signing
from urim.errors import Damaged, Refused, Unavailable
from urim.events.checkpoint import Checkpoint, origin_of, read, sign
from urim.events.log.head import Head
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog
from urim.events.merkle import Frontier

# --- signing --------------------------------------------------------------------------------------


@on_each_log
async def test_a_head_that_is_asked_for_is_of_all_that_was_acknowledged(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)
    [entry] = await service.submit(TABLE, "p1", declare())
    note = await service.checkpoint(TABLE)
    signed = await is_head_of(log, secrets, note)
    assert (signed.origin, signed.size) == (f"urim.local/t/{TABLE}", entry.seq + 1)
    assert await service.checkpoint(TABLE) == note
    assert await log.last_head(TABLE) == Head(signed.size, signed.root, note)
    assert secrets.heads.find(TABLE) == note


@on_each_log
async def test_entries_are_acknowledged_before_they_are_signed(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)
    assert await log.last_head(TABLE) is None
    assert secrets.heads.find(TABLE) is None
    assert secrets.key.find() is None


@pytest.mark.slow
@on_each_log
async def test_a_busy_table_is_signed_now_and_then(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets, every=0.2)
    await seated(service)
    loop = asyncio.get_running_loop()
    start = loop.time()
    while loop.time() - start < 1:
        await service.submit(TABLE, "narrator", mark())
    last = await heads_come(log, beyond=len(await log.read(TABLE)) - 1)
    seconds = loop.time() - start
    heads = await log.heads(TABLE)
    assert 2 <= len(heads) <= seconds / 0.2 + 1
    assert last.size == len(await log.read(TABLE))
    for head in heads:
        assert (await is_head_of(log, secrets, head.note)).size == head.size


@on_each_log
async def test_what_is_not_signed_yet_is_when_the_service_is_closed(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)
    await service.close()
    last = await log.last_head(TABLE)
    assert last is not None
    assert last.size == len(await log.read(TABLE))


@on_each_log
async def test_a_table_that_left_the_memory_is_signed_all_the_same(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets, every=0.05, memory=ONE)
    for number in range(3):
        await seated(service, f"table00{number}")
    assert service.loaded == 1
    for number in range(3):
        assert (await heads_come(log, f"table00{number}", 4)).size == 5


@on_each_log
async def test_what_nobody_signed_is_signed_by_whoever_loads_it_next(
    log: EventLog, secrets: Secrets
) -> None:
    early = service_on(log, secrets)
    await signed_at(early, 5)
    await early.submit(TABLE, "p1", declare())  # never closed: as if its process had died
    service = service_on(log, secrets, every=0.01)
    await service.view(TABLE, "p1")
    assert (await heads_come(log, beyond=5)).size == 6


@on_each_log
async def test_looking_at_a_table_that_nobody_ever_signed_makes_no_key(
    log: EventLog, secrets: Secrets
) -> None:
    await seated(service_on(log, secrets))
    service = service_on(log, secrets, every=0.01)
    await service.view(TABLE, "p1")
    await asyncio.sleep(0.1)
    await service.close()
    assert await log.last_head(TABLE) is None
    assert secrets.key.find() is None


@on_each_log
async def test_an_origin_names_the_host_and_stays(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets, host="dice.example", sign_every=NEVER)
    await seated(service)
    note = await service.checkpoint(TABLE)
    assert note.startswith(b"dice.example/t/table001\n5\n")
    again = service_on(log, secrets)
    await again.submit(TABLE, "p1", declare())
    assert (await again.checkpoint(TABLE)).startswith(b"dice.example/t/table001\n6\n")
    with pytest.raises(Refused, match="name of a log or key"):
        Service(log, secrets, host="two words")
    other = Service(log, secrets, host="other.example", sign_every=NEVER)
    with pytest.raises(Refused, match=r"signed as dice\.example/t/table001.*host dice\.example"):
        await other.view(TABLE, "p1")


@on_each_log
async def test_one_key_signs_for_every_table_under_that_tables_name(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    for table in (TABLE, "table002"):
        await seated(service, table)
    first, second = [await service.checkpoint(table) for table in (TABLE, "table002")]
    assert read(first, [key_of(secrets)]).origin == "urim.local/t/table001"
    with pytest.raises(Damaged, match=r"no key that is trusted for urim\.local/t/table002"):
        read(second, [key_of(secrets)])


# --- several services -----------------------------------------------------------------------------


@on_each_log
async def test_services_that_sign_at_the_same_time_give_one_root_for_a_size(
    log: EventLog, secrets: Secrets
) -> None:
    services = [service_on(log, secrets, every=0.01) for _ in range(3)]
    await seated(services[0])
    notes = set[bytes]()

    async def client(number: int) -> None:
        for turn in range(12):
            service = services[(number + turn) % 3]
            await service.submit(TABLE, "narrator", mark(turn))
            notes.add(await service.checkpoint(TABLE))

    await asyncio.gather(*map(client, range(4)))
    for service in services:
        await service.close()
    signed = [await is_head_of(log, secrets, note) for note in notes]
    assert len({each.size for each in signed}) == len(notes)
    kept = await log.heads(TABLE)
    assert notes <= {head.note for head in kept}
    assert kept[-1].size == len(await log.read(TABLE)) == 53
    assert secrets.heads.find(TABLE) == kept[-1].note


@on_each_log
async def test_a_smaller_head_that_comes_late_does_not_take_the_files_back(
    log: EventLog, secrets: Secrets
) -> None:
    early, late = service_on(log, secrets), service_on(log, secrets)
    await seated(late)
    await late.view(TABLE, "p1")
    await signed_at(early, 7)
    note = secrets.heads.find(TABLE)
    await late.close()  # it knows of 5 entries, and signs them now
    assert [head.size for head in await log.heads(TABLE)] == [5, 7]
    assert secrets.heads.find(TABLE) == note


# --- what cannot be kept --------------------------------------------------------------------------


class FullDisk(MemoryLog):
    """A log that has no room for heads, a few times."""

    fails = 0

    async def keep_head(self, table: str, head: Head) -> Head:
        if self.fails:
            self.fails -= 1
            raise Unavailable("no space")
        return await super().keep_head(table, head)


async def test_a_head_that_the_log_cannot_keep_is_signed_again_later() -> None:
    log, secrets = FullDisk(), MemorySecrets()
    service = service_on(log, secrets, every=0.01)
    log.fails = 2
    await seated(service)
    [entry] = await service.submit(TABLE, "p1", declare())
    assert entry.seq == 5  # no command waits for it
    assert (await heads_come(log, beyond=5)).size == 6
    assert log.fails == 0


async def test_a_note_that_cannot_be_kept_now_is_given_and_is_the_one_kept_later() -> None:
    log = FullDisk()
    service = service_on(log, MemorySecrets())
    await seated(service)
    log.fails = 1
    note = await service.checkpoint(TABLE)
    assert note.split(b"\n")[1] == b"5"
    log.fails = 1
    assert (await service.inclusion(TABLE, 0)).note == note
    assert await log.heads(TABLE) == ()
    assert await service.checkpoint(TABLE) == note
    assert [head.note for head in await log.heads(TABLE)] == [note]


def test_a_service_that_is_left_open_leaves_no_task_behind() -> None:
    async def run() -> None:
        service = service_on(MemoryLog(), MemorySecrets(), every=0.05)
        await seated(service)
        running = asyncio.get_running_loop()
        _ = running.run_in_executor(None, time.sleep, 0.2)  # the loop ends later

    asyncio.run(run())


async def test_commands_go_on_while_the_file_of_heads_cannot_be_written(tmp_path: Path) -> None:
    async with made("sqlite", tmp_path) as (log, secrets):
        service = service_on(log, secrets, every=0.05)
        await service.open_table("narrator", OpenTable(TABLE, "milhamah", {}, "fair"))
        heads = file_of(tmp_path / "table.db").parent
        heads.write_text("in the way", "utf-8")
        for number in range(3):
            await service.submit(TABLE, "narrator", TakeSeat(f"p{number}"))
            await asyncio.sleep(0.1)
        note = await service.checkpoint(TABLE)
        assert await log.heads(TABLE) == ()
        heads.unlink()
        assert (await heads_come(log)).note == note
        await service.close()


# --- two roots ------------------------------------------------------------------------------------


@on_each_log
async def test_a_signer_that_remembers_another_root_signs_nothing(
    log: EventLog, secrets: Secrets
) -> None:
    await seated(service_on(log, secrets))
    tree = Frontier().extend(entry.leaf for entry in await log.read(TABLE))
    signer = Signer(log, secrets, lambda table: None)
    signing = Signing(TABLE, origin_of(TABLE), Head(5, bytes(32), b"another"))
    with pytest.raises(Damaged, match="another root for its first 5 entries"):
        await signer.sign(signing, tree)
    assert await log.heads(TABLE) == ()
    assert secrets.heads.find(TABLE) is None


@on_each_log
async def test_outside_the_log_too_there_is_one_root_for_a_size(
    log: EventLog, secrets: Secrets
) -> None:
    def note(size: int, root: int) -> bytes:
        return sign(Checkpoint(origin_of(TABLE), size, bytes([root]) * 32), bytes(32))

    secrets.heads.keep(TABLE, note(5, 1))
    secrets.heads.keep(TABLE, note(5, 1))
    with pytest.raises(Damaged, match="another root for its first 5 entries"):
        secrets.heads.keep(TABLE, note(5, 2))
    secrets.heads.keep(TABLE, note(4, 2))
    assert secrets.heads.find(TABLE) == note(5, 1)
    secrets.heads.keep(TABLE, note(6, 2))
    assert secrets.heads.find(TABLE) == note(6, 2)
