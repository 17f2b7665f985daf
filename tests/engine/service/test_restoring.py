"""What is known of a log that is restored, and the epochs by which its tables go on."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.engine.helpers.stages.heads import service_on
from tests.engine.helpers.stages.moving import eventful
from tests.engine.helpers.stages.service import TABLE, declare, seated
from urim.engine.service.restoring import Begun, Outlook, begin_epochs, by_table, outlook
from urim.engine.service.secrets import FileSecrets
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint
from urim.events.log.memory import MemoryLog

SCRIPTED = "table002"


def note(size: int, root: bytes = bytes(32), table: str = TABLE) -> bytes:
    """A head that nobody signed."""
    return Checkpoint(f"host/t/{table}", size, root).text + b"\nnobody signed it\n"


Work = Callable[[MemoryLog, FileSecrets], Awaitable[None]]


def on_restored(folder: Path, work: Work) -> None:
    """Some work on a log with a fair table and a scripted one, both signed to their ends."""

    async def run() -> None:
        log, secrets = MemoryLog(), FileSecrets(folder / "secrets")
        service = service_on(log, secrets)
        await eventful(service, epochs=1)
        await seated(service, SCRIPTED)
        await service.submit(SCRIPTED, "p1", declare())
        await service.close()
        await work(log, secrets)

    asyncio.run(run())


async def of(log: MemoryLog, *places: FileSecrets, **seen: list[bytes]) -> dict[str, Outlook]:
    """The outlook of each table."""
    return {each.table: each for each in await outlook(log, places, seen)}


# --- what is known --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("newest", "fit", "fair", "nothing_lost", "begins"),
    [
        (9, True, False, False, False),
        (9, True, False, True, False),
        (9, True, True, False, True),
        (9, True, True, True, False),
        (9, False, False, True, True),
        (9, False, True, True, True),
        (10, False, True, False, True),
        (10, False, False, False, True),
    ],
)
def test_a_table_begins_an_epoch_unless_all_is_there_and_nobody_saw_more(
    newest: int, fit: bool, fair: bool, nothing_lost: bool, begins: bool
) -> None:
    found = Outlook(TABLE, 9, newest, fit, fair)
    assert found.must_begin(nothing_lost=nothing_lost) is begins


@pytest.mark.parametrize(("newest", "lost"), [(0, 0), (8, 0), (9, 0), (10, 1), (19, 10)])
def test_what_was_signed_beyond_the_log_is_lost(newest: int, lost: int) -> None:
    found = Outlook(TABLE, 9, newest, fit=False, fair=True)
    assert found.lost == lost
    if lost:
        with pytest.raises(Refused, match=f"had {newest} entries, and has 9") as refused:
            found.must_begin(nothing_lost=True)
        assert refused.value.code == "not-offered"


def test_a_log_with_all_its_secrets_can_go_on(tmp_path: Path) -> None:
    async def work(log: MemoryLog, secrets: FileSecrets) -> None:
        found = await of(log, secrets)
        sizes = {table: len(await log.read(table)) for table in await log.tables()}
        assert {table: each.size for table, each in found.items()} == sizes
        assert all(each.fit for each in found.values())
        assert {table: each.newest for table, each in found.items()} == sizes
        assert {table: each.fair for table, each in found.items()} == {TABLE: True, SCRIPTED: False}
        elsewhere = FileSecrets(tmp_path / "elsewhere")
        assert await of(log, elsewhere, secrets) == found

    on_restored(tmp_path, work)


@pytest.mark.parametrize(
    ("gone", "unfit"),
    [
        ("key", [TABLE, SCRIPTED]),
        (f"{TABLE}.epoch-1", [TABLE]),
        (TABLE, []),
        (f"heads/{TABLE}", [TABLE]),
        (f"heads/{SCRIPTED}", [SCRIPTED]),
    ],
)
def test_a_table_without_its_secrets_cannot(tmp_path: Path, gone: str, unfit: list[str]) -> None:
    async def work(log: MemoryLog, secrets: FileSecrets) -> None:
        await asyncio.to_thread((secrets.directory / gone).unlink)
        found = await of(log, secrets)
        assert [table for table, each in found.items() if not each.fit] == unfit

    on_restored(tmp_path, work)


def test_heads_that_somebody_kept_are_looked_at(tmp_path: Path) -> None:
    async def work(log: MemoryLog, secrets: FileSecrets) -> None:
        before = await of(log, secrets)
        size = before[TABLE].size
        [*_, last] = await log.heads(TABLE)
        found = await of(log, secrets, table001=[last.note])
        assert found == before
        with pytest.raises(Damaged, match="was not signed with the host's key"):
            await of(log, secrets, table001=[note(size + 3)])
        without = FileSecrets(tmp_path / "elsewhere")  # no key by which to see who signed
        found = await of(log, without, table001=[note(size + 3), note(size + 1)])
        assert (found[TABLE].newest, found[TABLE].lost, found[TABLE].fit) == (size + 3, 3, False)
        with pytest.raises(Damaged, match="not those signed for"):
            await of(log, without, table001=[note(size)])
        with pytest.raises(Refused, match="a head of table 'table009' was given") as refused:
            await of(log, secrets, table009=[note(3)])
        assert (refused.value.code, refused.value.allowed) == ("unknown", await log.tables())

    on_restored(tmp_path, work)


def test_a_size_that_was_set_aside_counts_as_signed(tmp_path: Path) -> None:
    async def work(log: MemoryLog, secrets: FileSecrets) -> None:
        size = (await of(log, secrets))[TABLE].size
        [*_, last] = await log.heads(TABLE)
        secrets.heads.keep(TABLE, note(size + 2))  # of entries that are lost
        secrets.heads.supersede(TABLE, 9, last.note)
        found = (await of(log, secrets))[TABLE]
        assert (found.newest, found.lost, found.fit) == (size + 2, 2, False)

    on_restored(tmp_path, work)


def test_heads_are_sorted_by_the_tables_that_they_name() -> None:
    notes = [note(1), note(2, table=SCRIPTED), note(3)]
    assert by_table(notes) == {TABLE: [note(1), note(3)], SCRIPTED: [note(2, table=SCRIPTED)]}
    assert by_table([]) == {}
    with pytest.raises(Damaged, match="no note"):
        by_table([b"no note"])


# --- epochs ---------------------------------------------------------------------------------------


def test_the_tables_that_must_begin_an_epoch_and_the_others_stay(tmp_path: Path) -> None:
    async def work(log: MemoryLog, secrets: FileSecrets) -> None:
        before = await of(log, secrets)
        assert await begin_epochs(log, secrets, [], {}) == {}
        assert await of(log, secrets) == before
        found = await begin_epochs(log, secrets, [TABLE], {})
        assert found == {TABLE: Begun(2, before[TABLE].size)}
        after = await of(log, secrets)
        assert after[TABLE].size == before[TABLE].size + 1
        assert after[SCRIPTED] == before[SCRIPTED]

    on_restored(tmp_path, work)


def test_where_the_hosts_key_is_gone_a_new_one_is_made_and_old_heads_are_set_aside(
    tmp_path: Path,
) -> None:
    async def work(log: MemoryLog, secrets: FileSecrets) -> None:
        before = await of(log, secrets)
        others = FileSecrets(tmp_path / "elsewhere")
        found = await begin_epochs(log, others, [TABLE], {TABLE: [note(before[TABLE].size + 4)]})
        assert found[TABLE].seq == before[TABLE].size
        assert others.key.find() not in (None, secrets.key.find())
        assert others.heads.floor(SCRIPTED) == before[SCRIPTED].newest
        assert others.heads.floor(TABLE) == before[TABLE].newest + 4

    on_restored(tmp_path, work)
