"""What a command costs the server: beside the service alone, a bare broadcast, and boardgame.io."""

import asyncio
import gc
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import measure
from tests.bench.measure import Row
from tests.bench.report import Report
from tests.bench.script import Script
from tests.bench.server import boardgame, broadcast
from tests.bench.server.alone import Plan, scripts
from tests.bench.server.drive import FOLLOWERS, Room, play
from tests.bench.server.processes import Process, part
from tests.bench.server.size import FULL, Load

ALONE = "the service without followers"
BROADCAST = "a bare broadcast"
BOARDGAME = "boardgame.io, in memory, 4 pages a match"

MOST = {ALONE: 1.8, BROADCAST: 6.0, BOARDGAME: 1.5}
"""How many times as much as each of these the server may take."""


def rows(load: Load, folder: Path) -> list[Row]:
    """The processor's time a command of the whole process, played as fast as it goes."""
    plan = Plan(folder=str(folder), tables=load.tables, rolls=load.rolls)
    played = scripts(plan)
    ways: dict[str, measure.Way] = {
        f"the server, {len(FOLLOWERS)} sockets a table": partial(_server, plan, played),
        ALONE: partial(_alone, plan),
        BROADCAST: partial(_broadcast, played),
    }
    count = sum(len(each.steps) for each in played)
    if boardgame.there():
        each = count // load.tables
        ways[BOARDGAME] = partial(boardgame.seconds, load.tables, each)
    group = f"Commands of a server, {load.tables} tables at once"
    taken = measure.in_turn(ways, load.rounds)
    aims = {what: 1 / most for what, most in MOST.items()}
    return measure.rows(group, "command", count, taken, aims=aims)


@contextmanager
def fresh(plan: Plan) -> Generator[Plan]:
    """The same plan in a folder that is gone afterwards."""
    with TemporaryDirectory(dir=plan.folder) as folder:
        yield Plan(folder=folder, tables=plan.tables, rolls=plan.rolls)


def _server(plan: Plan, played: list[Script]) -> float:
    with fresh(plan) as here, Process(part("served"), here) as process:
        return asyncio.run(_driven(process, played))


def _alone(plan: Plan) -> float:
    with fresh(plan) as here, Process(part("alone"), here) as process:
        return float(process.ready["seconds"])


def _broadcast(played: list[Script]) -> float:
    with Process(part("broadcast"), broadcast.Plan()) as process:
        return asyncio.run(_driven(process, played))


async def _driven(process: Process, played: list[Script]) -> float:
    """The process's seconds of the processor until every socket has every commit."""
    async with Room(process.ready["port"], process.ready.get("tokens", {})) as room:
        lines = await room.followers(script.table for script in played)
        gc.collect()
        before = process.cpu()
        await asyncio.gather(*(play(lines[script.table], script.steps) for script in played))
        for script in played:
            for line in lines[script.table]:
                await line.until(len(script.steps))
        return process.cpu() - before


def test_commands(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
