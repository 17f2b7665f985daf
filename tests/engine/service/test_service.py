"""Many tables on one log: decided in turn, acknowledged once kept, each request done once."""

import asyncio
import gc
import sys
import tracemalloc
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import evening
from tests.engine.helpers.stages.service import (
    ROOT,
    TABLE,
    TWO,
    at_a_table,
    declare,
    mark,
    noting,
    on_each_log,
    seated,
    throw,
)
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.bundle.read import entry_of
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import (
    Declare,
    Erase,
    GiveCharacter,
    OpenTable,
    Resolve,
    Reveal,
    SetTrack,
)
from urim.engine.core.parse import body_of
from urim.engine.service import Service, tables
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.engine.service.signing import Signing
from urim.engine.service.tables import PER_BYTE, PER_TABLE, SLICE, Loaded
from urim.errors import Damaged, Defect, Refused
from urim.events.asked import Asked
from urim.events.checkpoint import origin_of
from urim.events.codec import asked_in
from urim.events.entry import Entry, verify, withhold
from urim.events.line import entry_line
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Answered, Appended, Conflict, EventLog, Request

NONCE = "ab" * 32


@on_each_log
async def test_what_is_acknowledged_is_on_the_log(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    declared = await service.submit(TABLE, "p1", declare())
    thrown = await service.submit(TABLE, "p1", throw())
    assert (await log.read(TABLE))[-2:] == (*declared, *thrown)
    assert (await service.state(TABLE)).rolls[1].state == "rolled"
    assert await service.tables() == (TABLE,)


@on_each_log
async def test_a_refused_command_leaves_nothing(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    before = await log.read(TABLE)
    with pytest.raises(Refused) as refused:
        await service.submit(TABLE, "p1", Resolve(1), "a")
    assert refused.value.code == "unknown"
    assert await log.read(TABLE) == before
    assert await log.answered(TABLE, "p1", "a") is None


@on_each_log
async def test_a_command_that_changes_nothing_leaves_no_record(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    assert await service.submit(TABLE, "narrator", GiveCharacter("c1", "p1"), "a") == ()
    assert await log.answered(TABLE, "narrator", "a") is None


@on_each_log
async def test_a_table_that_is_not_there_is_refused(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    for call in (service.view("nowhere1", "p1"), service.submit("nowhere1", "p1", throw())):
        with pytest.raises(Refused, match="no table 'nowhere1'"):
            await call
    assert service.loaded == 0


# --- requests -------------------------------------------------------------------------------------


@on_each_log
async def test_the_same_request_gets_the_same_entries(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    first = await service.submit(TABLE, "p1", declare(), "a")
    assert await service.submit(TABLE, "p1", declare(), "a") == first
    assert await Service(log, secrets).submit(TABLE, "p1", declare(), "a") == first
    assert len((await service.state(TABLE)).rolls) == 1
    with pytest.raises(Refused) as refused:
        await service.submit(TABLE, "p1", throw(), "a")
    assert refused.value.code == "request-reused"


@at_a_table()
async def test_another_seats_id_is_another_id(service: Service) -> None:
    mine = await service.submit(TABLE, "p1", noting("mine"), "a")
    theirs = await service.submit(TABLE, "p2", noting("theirs"), "a")
    assert mine[0].seq + 2 == theirs[0].seq


@at_a_table()
async def test_what_was_asked_is_on_the_log_under_the_id_of_its_request(service: Service) -> None:
    asking = noting("mine")
    [first, _] = await service.submit(TABLE, "p1", asking, "evening-1.a_B")
    assert asked_in(first) == Asked("evening-1.a_B", body_of(asking.command).decode())
    [unnamed] = await service.submit(TABLE, "p1", declare())
    assert asked_in(unnamed) == Asked(f"~{unnamed.seq}", body_of(declare()).decode())


@pytest.mark.parametrize("request_id", ["", "a b", "a/b", "~7", "x" * 65, "a\n", "é"])
async def test_a_request_id_that_is_not_of_its_form_is_refused(request_id: str) -> None:
    log = MemoryLog()
    service = Service(log, MemorySecrets())
    await seated(service)
    with pytest.raises(Refused, match="request id") as refused:
        await service.submit(TABLE, "p1", declare(), request_id)
    assert refused.value.code == "malformed"
    assert len(await log.read(TABLE)) == 5


@on_each_log
async def test_a_request_with_a_text_is_the_same_one_if_both_are(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    asking = noting("mine")
    first = await service.submit(TABLE, "p1", asking, "a")
    for each in (service, Service(log, secrets)):
        assert await each.submit(TABLE, "p1", asking, "a") == first
        for other in (noting("mine"), noting("another")):  # another salt, another text
            with pytest.raises(Refused) as refused:
                await each.submit(TABLE, "p1", other, "a")
            assert refused.value.code == "request-reused"
    assert (await log.read(TABLE))[-2:] == first


@on_each_log
async def test_a_request_whose_text_was_erased_is_still_known_after_an_epoch_too(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service, dice="fair")
    asking = noting("gone soon")
    note, text = await service.submit(TABLE, "p1", asking, "a")
    await service.submit(TABLE, "p1", Erase(text.seq))
    for epoch in range(2):
        for each in (service, Service(log, secrets)):
            assert await each.submit(TABLE, "p1", asking, "a") == (note, withhold(text))
            with pytest.raises(Refused) as refused:
                await each.submit(TABLE, "p1", noting("gone soon"), "a")
            assert refused.value.code == "request-reused"
        assert len(await log.read(TABLE)) == 8 + epoch
        await service.begin_epoch(TABLE, restored=True)


@on_each_log
async def test_opening_is_idempotent_and_a_second_opening_refused(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    opening = OpenTable(TABLE, "milhamah", {}, "fair")
    first = await service.open_table("narrator", opening, "a")
    assert await service.open_table("narrator", opening, "a") == first
    assert await Service(log, secrets).open_table("narrator", opening, "a") == first
    with pytest.raises(Refused) as refused:
        await service.open_table("narrator", opening, "b")
    assert refused.value.code == "taken"


@at_a_table()
async def test_a_repeated_request_is_answered_as_the_seat_may_see_it_now(service: Service) -> None:
    await service.submit(TABLE, "p1", declare("blind"))
    [sealed] = await service.submit(TABLE, "p1", throw(), "a")
    assert sealed.payload is None
    await service.submit(TABLE, "narrator", Reveal(1))
    [now] = await service.submit(TABLE, "p1", throw(), "a")
    assert (now.leaf, now.payload is not None) == (sealed.leaf, True)
    asking = noting("gone soon")
    [note, text] = await service.submit(TABLE, "p2", asking, "b")
    await service.submit(TABLE, "narrator", Erase(text.seq))
    [same, erased] = await service.submit(TABLE, "p2", asking, "b")
    assert (same, erased.leaf, erased.payload) == (note, text.leaf, None)


# --- erasure, memory ------------------------------------------------------------------------------


@on_each_log
async def test_what_is_erased_is_gone_from_the_log_and_the_tree_stays(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    [note, text] = await service.submit(TABLE, "p1", noting("gone soon"))
    await service.submit(TABLE, "p1", Erase(text.seq))
    kept = (await log.read(TABLE))[text.seq]
    assert (kept.salt, kept.payload, kept.leaf) == (None, None, text.leaf)
    assert (await service.view(TABLE, "p1"))[text.seq].payload is None
    assert (await log.read(TABLE))[note.seq] == note


def test_a_table_takes_so_much_memory_and_more_for_each_byte_of_its_payloads() -> None:
    signing = Signing(TABLE, origin_of(TABLE), None)
    for stored, beside in ((0, 0), (1, 5), (10_000, 50_000), (100_000, 500_000)):
        aggregate = cast(Aggregate, SimpleNamespace(stored=stored))
        assert Loaded(aggregate, (None,), 0, signing).size == PER_TABLE + beside


@on_each_log
async def test_tables_unused_for_longest_leave_the_memory_and_come_back(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets, memory=TWO)
    ids = [f"table00{number}" for number in range(5)]
    for id in ids:
        await seated(service, id)
        assert service.loaded <= 2
    for id in ids:
        await service.submit(id, "p1", declare())
        assert len((await service.state(id)).rolls) == 1
    assert service.loaded == 2


def test_while_a_long_table_is_loaded_others_have_their_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = 0
    taken: list[tuple[int, int]] = []
    load = Aggregate.load

    def counted(aggregate: Aggregate, entries: Sequence[Entry], *, checked: bool) -> None:
        taken.append((turns, len(entries)))
        load(aggregate, entries, checked=checked)

    async def run() -> None:
        nonlocal turns
        log, secrets = MemoryLog(), MemorySecrets()
        service = Service(log, secrets)
        await seated(service)
        for number in range(1_500):
            await service.submit(TABLE, "narrator", mark(number))
        monkeypatch.setattr(Aggregate, "load", counted)
        loading = asyncio.create_task(Service(log, secrets).state(TABLE))
        while not loading.done():
            await asyncio.sleep(0)
            turns += 1
        assert (await loading).size == 1_505

    asyncio.run(run())
    assert sum(size for _, size in taken) == 1_505
    assert max(size for _, size in taken) <= SLICE
    assert len({turn for turn, _ in taken}) == len(taken)


class FlippedLog(MemoryLog):
    """A log whose disk flipped a bit of table001's third entry."""

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        rows = await super().read(table, after, limit)
        if table == TABLE:
            for row in rows:  # as every log does
                verify(replace(row, leaf=bytes(32)) if row.seq == 2 else row)
        return rows


async def test_a_damaged_entry_is_named_and_other_tables_go_on() -> None:
    log, secrets = FlippedLog(), MemorySecrets()
    await seated(Service(log, secrets))
    await seated(Service(log, secrets), "table002")
    service = Service(log, secrets)
    with pytest.raises(Damaged, match="entry 2"):
        await service.view(TABLE, "p1")
    assert await service.submit("table002", "p1", declare())


# --- the end --------------------------------------------------------------------------------------


@on_each_log
async def test_a_closed_service_refuses(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await service.close()
    with pytest.raises(Defect, match="closed"):
        await service.submit(TABLE, "p1", Declare("c1", {"root": ROOT}))


class SlowLog(MemoryLog):
    """Keeps a commit only once it may; `begun` is set when it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may = asyncio.Event(), asyncio.Event()
        self.may.set()

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        self.begun.set()
        await self.may.wait()
        return await super().append(table, entries, expected, request)


def test_closing_waits_for_what_was_begun() -> None:
    async def run() -> None:
        log = SlowLog()
        service = Service(log, MemorySecrets(), sign_every=60)
        await seated(service)
        log.may.clear()
        log.begun.clear()
        submitted = asyncio.create_task(service.submit(TABLE, "p1", declare()))
        await log.begun.wait()
        closing = asyncio.create_task(service.close())
        asyncio.get_running_loop().call_later(0.1, log.may.set)
        await closing
        assert submitted.done()
        assert (await log.read(TABLE))[-1:] == (await submitted)[-1:]
        last = await log.last_head(TABLE)
        assert last is not None
        assert last.size == len(await log.read(TABLE))

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_log_of_more_than_a_page_is_loaded_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of more entries than those numbers of which there is one object each."""
    monkeypatch.setattr(tables, "PAGE", 300)

    async def run() -> None:
        log, secrets = MemoryLog(), MemorySecrets()
        first = Service(log, secrets)
        await seated(first)
        for number in range(700):
            await first.submit(TABLE, "narrator", SetTrack("c1", "soak", number % 3))
        size = (await first.state(TABLE)).size
        assert size > 700
        assert (await Service(log, secrets).state(TABLE)).size == size

    asyncio.run(run())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("system", TRIALS)
def test_the_memory_of_a_table_is_no_more_than_is_said(system: str) -> None:
    log = evening(system, 0, 1).aggregate
    lines = [entry_line(entry) for entry in log.entries]
    gc.collect()
    tracer = sys.gettrace()
    sys.settrace(None)  # who watches what a test runs through keeps memory too
    tracemalloc.start()
    table = Aggregate(log.environment)
    table.load([entry_of(line) for line in lines], checked=True)
    found, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    sys.settrace(tracer)
    assert PER_BYTE / 3 < found / table.stored < PER_BYTE + PER_TABLE / table.stored
