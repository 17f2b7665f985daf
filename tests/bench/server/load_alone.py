"""How long a command of a table alone takes, from the command to `done`, beside a bare insert."""

import asyncio
import gc
import time
from contextlib import closing
from pathlib import Path

from tests.bench import bare
from tests.bench.measure import Row, middle
from tests.bench.report import Report
from tests.bench.script import Script
from tests.bench.server.alone import Plan, scripts
from tests.bench.server.drive import FOLLOWERS, Room, play
from tests.bench.server.load_commands import fresh
from tests.bench.server.processes import Process, part
from tests.bench.server.size import FULL, Load

MOST = 2.0
"""How many times as long as a durable insert of the same rows a command may take, in the median."""


def rows(load: Load, folder: Path) -> list[Row]:
    """The medians of each round. Commands and inserts take turns: the disk is the same to both."""
    plan = Plan(folder=str(folder), tables=1, rolls=load.alone_rolls)
    script = scripts(plan)[0]
    commands, inserts = [], []
    for _ in range(load.alone_rounds):
        with fresh(plan) as here, Process(part("served"), here) as process:
            taken = asyncio.run(_in_turn(process, script, Path(here.folder) / "bare.db"))
        commands.append(middle(taken[0]))
        inserts.append(middle(taken[1]))
    count = len(script.steps)
    more = f"{len(FOLLOWERS)} sockets"
    ratios = tuple(bare / own for bare, own in zip(inserts, commands, strict=True))
    group = "From a command to `done`, one table, median, seconds of the clock"
    return [
        _row(group, "the server", count, commands, (), None, more),
        _row(group, "a bare durable insert", count, inserts, ratios, 1 / MOST, ""),
    ]


def _row(
    group: str,
    what: str,
    count: int,
    each: list[float],
    ratios: tuple[float, ...],
    aim: float | None,
    more: str,
) -> Row:
    return Row(
        group=group,
        what=what,
        unit="command",
        count=count,
        each=tuple(each),
        ratios=ratios,
        aim=aim,
        more=more,
    )


async def _in_turn(process: Process, script: Script, path: Path) -> tuple[list[float], list[float]]:
    """The seconds of each command, and of each insert of the same commit."""
    commands, inserts = [], []
    async with Room(process.ready["port"], process.ready["tokens"]) as room:
        lines = (await room.followers([script.table]))[script.table]
        gc.collect()
        with closing(bare.connect(path)) as connection:
            for step, commit in zip(script.steps, script.played, strict=True):
                commands += await play(lines, [step])
                start = time.perf_counter()
                bare.write(connection, [(script.table, commit)], [1])
                inserts.append(time.perf_counter() - start)
    return commands, inserts


def test_alone(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
