"""Words that were erased are in no file: not in the log, nor in a snapshot, nor in what is left."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from tests.engine.helpers.snapshotted import (
    DATABASE,
    answers,
    changed,
    differing,
    often,
    right,
    run,
    serving,
    snapshots_of,
)
from tests.engine.snapshots.test_damage import WRITE
from tests.pairs.play import TABLE
from urim.engine.core.commands import Erase, Note, SetTrack, worded
from urim.engine.service import Service
from urim.engine.service.epochs import narrator
from urim.engine.snapshots.file import ENDING, Snapshots
from urim.engine.snapshots.protocol import StaleSnapshot
from urim.events.log.sqlite import SqliteLog

pytestmark = pytest.mark.usefixtures(often.__name__)

WORDS = "nobody may read this any more"


async def holding(folder: Path) -> list[str]:
    """The files of a folder that hold the words. In a process of its own: see `_made`."""
    run = ("grep", "-rlaF", WORDS, str(folder))
    process = await asyncio.create_subprocess_exec(*run, stdout=asyncio.subprocess.PIPE)
    found, _ = await process.communicate()
    return sorted(Path(line).name for line in found.decode().split())


async def gone(folder: Path) -> bool:
    """Whether no snapshot has the words now, and within a moment no file: the log's own has."""
    held = await holding(folder)
    assert [name for name in held if ENDING in name] == []
    for _ in range(400):
        if not held:
            return True
        await asyncio.sleep(0.02)
        held = await holding(folder)
    return False


async def marked(service: Service, times: int) -> None:
    """Entries without a text, so that snapshots are written."""
    for number in range(times):
        await service.submit(TABLE, "narrator", SetTrack("c1", "light", number))
        await asyncio.sleep(0.01)


async def noted(service: Service) -> int:
    """A note of these words; its entry."""
    return (await service.submit(TABLE, "narrator", worded(Note(0), WORDS)))[1].seq


@pytest.mark.sampled(1, rest=3)
@pytest.mark.parametrize("before", [0, 1, 4, 9])
@pytest.mark.parametrize("after", [0, 1, 4, 9])
def test_an_erased_text_is_in_no_file(folder: Path, before: int, after: int) -> None:
    async def work(service: Service) -> None:
        await marked(service, before)
        seq = await noted(service)
        await marked(service, after)
        held = await holding(folder)
        assert held
        if after >= 4:
            assert any("snapshots" in name for name in held)
        await service.submit(TABLE, "narrator", Erase(seq))
        assert await gone(folder)
        await marked(service, 2)

    run(work, folder)
    assert asyncio.run(holding(folder)) == []
    assert not differing(right(folder), run(answers, folder))


async def _entry_alone(folder: Path, seq: int) -> None:
    """Append an erasure, as a process does that is killed before it erases."""
    erase, SqliteLog.erase = SqliteLog.erase, _nothing  # type: ignore[method-assign, assignment]
    try:
        async with serving(folder, snapshots=False) as service:
            await service.submit(TABLE, "narrator", Erase(seq))
    finally:
        SqliteLog.erase = erase  # type: ignore[method-assign]


async def _nothing(*_: object) -> None:
    return


def test_an_erasure_that_is_found_on_loading(folder: Path) -> None:
    async def work() -> None:
        async with serving(folder) as service:
            seq = await noted(service)
            await marked(service, 5)
        await _entry_alone(folder, seq)
        assert len(await holding(folder)) == 2
        async with serving(folder) as service:
            await service.state(TABLE)
            assert await gone(folder)

    asyncio.run(work())
    assert not differing(right(folder), run(answers, folder))


@pytest.mark.slow
def test_an_erasure_of_another_service(folder: Path) -> None:
    async def work() -> None:
        async with serving(folder) as one, serving(folder) as other:
            seq = await noted(one)
            await marked(one, 5)
            assert len(await holding(folder)) >= 2
            await other.submit(TABLE, "narrator", Erase(seq))
            await one.state(TABLE)
            for _ in range(200):
                if not [name for name in await holding(folder) if ENDING in name]:
                    break
            assert await gone(folder)

    asyncio.run(work())
    assert not differing(right(folder), run(answers, folder))


def test_a_snapshot_that_is_thrown_away_leaves_no_words(folder: Path) -> None:
    async def work(service: Service) -> None:
        await noted(service)
        await marked(service, 5)

    run(work, folder)
    snapshots = Snapshots(snapshots_of(folder))
    assert any(ENDING in name for name in asyncio.run(holding(folder)))
    snapshots.forget(TABLE)
    assert not any(ENDING in name for name in asyncio.run(holding(folder)))
    snapshots.close()


async def test_a_table_whose_secret_is_gone_has_no_words_in_a_snapshot(folder: Path) -> None:
    async with serving(folder) as service:
        seq = await noted(service)
        await marked(service, 5)
    [secret] = (folder / f"{DATABASE}.secrets").glob(f"{TABLE}*")
    secret.unlink()
    async with serving(folder) as service:
        seat = narrator(await service.state(TABLE))
        await service.submit(TABLE, seat, Erase(seq))
        assert await gone(folder)


@pytest.mark.slow
def test_a_bad_row_between_a_text_and_its_erasure(folder: Path) -> None:
    async def work() -> None:
        async with serving(folder) as service:
            seq = await noted(service)
            await marked(service, 5)
        changed(folder, (WRITE, (bytes(40), "entries", seq)))
        assert snapshots_of(folder).exists()
        async with serving(folder) as service:
            with suppress(StaleSnapshot):
                await service.submit(TABLE, "narrator", Erase(seq), "erase")
            await service.submit(TABLE, "narrator", Erase(seq), "erase")
            assert await gone(folder)

    asyncio.run(work())
    assert not differing(right(folder), run(answers, folder))
