"""A running service whose snapshots are lost, or cannot be written, answers as ever."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.snapshotted import (
    DATABASE,
    LITTLE,
    SYSTEM,
    Answers,
    alone,
    answers,
    ask,
    differing,
    often,
    requests,
    right,
    rows_in,
    run,
    serving,
    snapshots_of,
)
from tests.engine.snapshots.test_damage import is_right
from tests.engine.snapshots.test_file import more
from tests.pairs.play import TABLE
from urim.engine.core.commands import SetTrack
from urim.engine.service import Service, tables
from urim.engine.snapshots.file import Snapshots
from urim.engine.snapshots.table import TableSnapshot
from urim.errors import Unavailable
from urim.projections.history import history

pytestmark = pytest.mark.usefixtures(often.__name__)


async def marked(service: Service, times: int = 5) -> None:
    """Entries, and snapshots behind them."""
    for number in range(times):
        await service.submit(TABLE, "narrator", SetTrack("c1", "light", number))
        await asyncio.sleep(0.01)
    await service.checkpoint(TABLE)


async def right_now(folder: Path) -> Answers:
    """What a service without snapshots answers, beside one that is running."""
    return await asyncio.to_thread(right, folder)


@pytest.mark.slow
@alone
async def test_rows_that_are_lost_under_a_service(folder: Path) -> None:
    rows = Snapshots.beside(folder / DATABASE, LITTLE)
    async with serving(folder, rows=rows) as service:
        await marked(service)
        rows.forget(TABLE)
        found = await answers(service)
        assert not differing(await right_now(folder), found)
        assert not found["refused"]
        await marked(service)
        rows.run("UPDATE rows SET body = zeroblob(99)", ())
        found = await answers(service)
        assert not differing(await right_now(folder), found)
        assert found["refused"] <= 1


@pytest.mark.slow
@alone
async def test_a_file_that_is_overwritten_under_a_service(folder: Path) -> None:
    rows = Snapshots.beside(folder / DATABASE, LITTLE)
    async with serving(folder, rows=rows) as service:
        await marked(service)
        rows.purge()
        code = "import sys; file = open(sys.argv[1], 'r+b'); file.write(b'?' * 1_000_000)"
        line = [sys.executable, "-c", code, str(snapshots_of(folder))]
        await asyncio.to_thread(subprocess.run, line, check=True)
        rows.run("PRAGMA shrink_memory", ())
        found = await answers(service)
        assert not differing(await right_now(folder), found)
        assert found["refused"] <= 1
        await marked(service)
    await asyncio.to_thread(is_same, folder)


def is_same(folder: Path) -> None:
    """It answers right."""
    assert not differing(right(folder), run(answers, folder))


@pytest.mark.slow
@alone
async def test_rows_that_are_lost_in_an_epoch(folder: Path) -> None:
    rows = Snapshots.beside(folder / DATABASE, LITTLE)
    async with serving(folder, rows=rows) as service:
        await marked(service)
        await service.begin_epoch(TABLE, restored=True)
        await marked(service)
        assert rows.run("SELECT 1 FROM rows WHERE kind = 'head'", ())
        rows.forget(TABLE)
        found = await answers(service)
        assert not differing(await right_now(folder), found)
        assert not found["refused"]
    await asyncio.to_thread(is_same, folder)


@pytest.mark.slow
@alone
async def test_an_epoch_that_another_service_began(folder: Path) -> None:
    rows = Snapshots.beside(folder / DATABASE, LITTLE)
    async with serving(folder, rows=rows) as one, serving(folder, snapshots=False) as other:
        await marked(one)
        await other.begin_epoch(TABLE, restored=True)
        await marked(one)
        rows.forget(TABLE)
        found = await answers(one)
        assert not found["refused"]
        assert not differing(await right_now(folder), found)


@pytest.mark.slow
@pytest.mark.parametrize("error", [Unavailable("the disk is full"), OverflowError("too large")])
@alone
async def test_snapshots_that_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    tries = 0

    def write(*_: object, **__: object) -> None:
        nonlocal tries
        tries += 1
        raise error

    async with serving(folder) as service:
        await marked(service)
        with monkeypatch.context() as patched:
            patched.setattr(Snapshots, "write", write)
            await marked(service, 9)
            assert 1 <= tries <= 4
        found = await answers(service)
        assert not found["refused"]
        assert not differing(await right_now(folder), found)
    await asyncio.to_thread(is_same, folder)


@pytest.mark.slow
@alone
async def test_a_long_tail_is_read_while_no_snapshot_can_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object, **__: object) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(tables, "PAGE", 10)
    await asyncio.to_thread(more, folder, "a tail", 20, snapshots=False)
    wanted = await right_now(folder)
    monkeypatch.setattr(Snapshots, "write", write)
    async with serving(folder) as service:
        found = await answers(service)
        assert not differing(wanted, found)
        assert not found["refused"]


@pytest.mark.slow
def test_rows_of_a_load_that_broke_off_are_not_read_under_an_older_head(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tail(service: Service) -> None:
        for seed in ("a tail", "more of it"):
            for number, (seat, asked) in enumerate(
                requests(SYSTEM, seed.replace(" ", "-"), 99)[8:]
            ):
                await ask(service, seat, asked, f"{seed[0]}-{number}")

    monkeypatch.setattr(tables, "PAGE", 10)
    run(tail, folder, snapshots=False)
    written = 0
    whole = TableSnapshot.write

    def write(*given: Any) -> None:
        nonlocal written
        whole(*given)
        written += 1
        if written == 2:
            raise Killed

    class Killed(Exception):
        """What a process does no more."""

    with monkeypatch.context() as patched:
        patched.setattr(TableSnapshot, "write", write)
        with pytest.raises(Killed):
            run(lambda service: service.view(TABLE, "p1"), folder)
    assert written == 2
    wanted, found = right(folder), run(answers, folder)
    assert not differing(wanted, found)
    assert not found["refused"]


def test_what_is_read_after_the_end_is_refused_and_harms_nothing(folder: Path) -> None:
    async def work() -> None:
        async with serving(folder) as service:
            table = await service.aggregate(TABLE)
        with pytest.raises(Unavailable):
            history(table.opened, table.records)
        await service.close()

    asyncio.run(work())
    assert rows_in(folder)
    is_right(folder, most=0)


def test_a_private_file_that_fails_does_not_remove_the_one_of_another(folder: Path) -> None:
    first = Snapshots(snapshots_of(folder), LITTLE)
    second = Snapshots(snapshots_of(folder), LITTLE)
    assert first.run("SELECT 1", ())
    with pytest.raises(Unavailable):
        second.run("SELECT nothing FROM nowhere", ())
    first.close()
    second.close()
    assert rows_in(folder)
    is_right(folder, most=0)
