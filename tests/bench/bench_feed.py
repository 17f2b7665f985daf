"""What followers cost: commands on tables that many follow, beside the same that nobody does."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from tests.bench import durable, measure
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.bench.script import STRIKER, TOAD, Asked, Script, around, script
from urim.engine.core.commands import SetTrack
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.feed import Commit

FOLLOWERS = (NARRATOR, STRIKER, TOAD, TOAD)
"""The seats that follow a table."""

WITHOUT = 1 / 1.3
"""Without followers a command may take so much of what it takes with them, not less."""

FEWER = 0.9
"""The same of the fewer tables that are followed."""


def rows(size: Size, folder: Path) -> list[Row]:
    """Tables with and without followers; then many followed tables beside few."""
    return [*_with_and_without(size, folder), *_many_and_few(size, folder)]


def _with_and_without(size: Size, folder: Path) -> list[Row]:
    scripts = [script(f"bench{at:03}", size.rolls_each) for at in range(size.tables)]
    without = "without followers"
    ways: dict[str, measure.Way] = {
        f"{len(FOLLOWERS)} followers a table": partial(commands, scripts, folder, FOLLOWERS),
        without: partial(commands, scripts, folder, ()),
    }
    count = sum(len(each.steps) for each in scripts)
    group = f"Followed commands, {size.tables} tables at once"
    taken = measure.in_turn(ways, size.rounds)
    return measure.rows(group, "command", count, taken, aims={without: WITHOUT})


def _many_and_few(size: Size, folder: Path) -> list[Row]:
    ways: dict[str, measure.Way] = {}
    many, _ = size.followed
    for tables in size.followed:
        scripts = [_marked(f"bench{at:03}", 2 * many // tables) for at in range(tables)]
        ways[f"{tables} followed tables"] = partial(commands, scripts, folder, (TOAD,))
    taken = measure.in_turn(ways, size.rounds)
    few = list(ways)[-1]
    return measure.rows("Many followed tables", "command", 2 * many, taken, aims={few: FEWER})


def _marked(table: str, times: int) -> Script:
    """An open table at which a track is set so often."""
    marks = (SetTrack("c1", "xr", number + 1) for number in range(times))
    asked = tuple(Asked(NARRATOR, mark, b"", f"mark-{mark.value}") for mark in marks)
    return replace(script(table, 0), rolls=(asked,))


def commands(scripts: Sequence[Script], folder: Path, seats: Sequence[str]) -> float:
    """The processor's seconds until all commands are done, and every follower has their entries."""
    return durable.fresh(folder, lambda path: asyncio.run(_commands(path, scripts, seats)))


async def _commands(path: Path, scripts: Sequence[Script], seats: Sequence[str]) -> float:
    log = await durable.opened(path, scripts)
    service = Service(log, durable.OneSecret(), environments=lambda dice, secret: around())
    sizes: dict[str, int] = {}
    ready = asyncio.Semaphore(0)

    async def play(script: Script) -> None:
        for step in script.steps:
            entries = await service.submit(script.table, step.seat, step.command, step.request)
            sizes[script.table] = entries[-1].seq + 1
            await service.head(script.table)  # as it is acknowledged

    async def follow(table: str, seat: str) -> None:
        size = (await service.state(table)).size
        subscription = service.subscribe(table, seat, size - 1)
        await anext(subscription)
        ready.release()
        async for message in subscription:
            if isinstance(message, Commit):
                size = message.size
        assert size == sizes[table]

    try:
        for script in scripts:
            await service.state(script.table)
        async with asyncio.TaskGroup() as group:
            for script in scripts:
                for seat in seats:
                    group.create_task(follow(script.table, seat))
                    await ready.acquire()
            start = time.process_time()
            await asyncio.gather(*map(play, scripts))
            await asyncio.sleep(0)
            seconds = time.process_time() - start
            await service.close()
        return seconds
    finally:
        await log.close()


def test_followed_commands(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
