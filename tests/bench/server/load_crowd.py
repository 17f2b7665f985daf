"""A thousand sockets at 250 tables at half load: what a socket takes of memory, and the tail.

Full load is how many commands a second the tables do when each sends the next as soon as it may.
At half of that, commands are due at times that do not depend on the answers, and their seconds are
counted from when they are due. Meanwhile a bare insert is made now and then, in a file of its own:
its tail is the disk's.
"""

import asyncio
import gc
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

from msgspec import Struct

from tests.bench import bare
from tests.bench.bench_load import quantile
from tests.bench.measure import Row, limited
from tests.bench.report import Report, duration
from tests.bench.script import Asked, Script, script
from tests.bench.server.alone import Plan, scripts
from tests.bench.server.drive import FOLLOWERS, Line, Room, play
from tests.bench.server.load_commands import fresh
from tests.bench.server.processes import Process, part
from tests.bench.server.size import FULL, Load

MOST_BYTES = 50 << 10
"""Bytes of memory that a socket may take."""

TAIL = 10
"""How many times the median the 99th percentile may be."""

PART = 0.5
"""Of full load."""

ASIDE, APART = 60, 0.05
"""Rolls whose commits are inserted meanwhile, at most; seconds between two of them."""


class Found(Struct, frozen=True, kw_only=True):
    """Bytes of a socket at rest and after the load; commands a second at full load; seconds."""

    at_rest: float
    after: float
    full: float
    taken: list[float]
    inserts: list[float]


def rows(load: Load, folder: Path) -> list[Row]:
    """Memory of a socket, then how long commands take at half load."""
    plan = Plan(folder=str(folder), tables=load.crowd, rolls=1 + load.crowd_rolls)
    with fresh(plan) as here, Process(part("served"), here) as process:
        found = asyncio.run(_measured(process, scripts(plan), Path(here.folder)))
    return [*_memory(found, load), *_seconds(found, load)]


def _memory(found: Found, load: Load) -> list[Row]:
    sockets = load.crowd * len(FOLLOWERS)
    more = {
        "at rest": limited(found.at_rest, MOST_BYTES, f"{MOST_BYTES:,} or fewer"),
        "after the load": "with all that the tables grew by",
    }
    group = f"Memory of {sockets:,} sockets at {load.crowd} tables"
    return [
        Row(
            group=group,
            what=what,
            unit="socket",
            count=sockets,
            each=(max(1.0, each),),
            bytes=True,
            more=more[what],
        )
        for what, each in (("at rest", found.at_rest), ("after the load", found.after))
    ]


def _seconds(found: Found, load: Load) -> list[Row]:
    half, tail = (quantile(found.taken, part) for part in (0.5, 0.99))
    bare_half, bare_tail = (quantile(found.inserts, part) for part in (0.5, 0.99))
    within = limited(tail, TAIL * half, f"{TAIL} or less")
    group = f"Commands at half load, {load.crowd} tables, seconds of the clock"
    pace = f"{PART * found.full:,.0f} commands a second are due; full load is {found.full:,.0f}"
    return [
        Row(
            group=group,
            what=what,
            unit="command",
            count=len(found.taken),
            each=(each,),
            more=more,
        )
        for what, each, more in (
            ("median", half, pace),
            ("p95", quantile(found.taken, 0.95), ""),
            ("p99", tail, f"{tail / half:.1f} × the median; {within}"),
            ("most", max(found.taken), f"least {duration(min(found.taken))}"),
            ("a bare durable insert meanwhile, median", bare_half, f"{len(found.inserts)} of them"),
            ("the same, p99", bare_tail, f"{bare_tail / bare_half:.1f} × its median"),
        )
    ]


async def _measured(process: Process, played: Sequence[Script], folder: Path) -> Found:
    sockets = len(played) * len(FOLLOWERS)
    before = process.resident()
    async with Room(process.ready["port"], process.ready["tokens"]) as room:
        lines = await room.followers(script.table for script in played)
        at_rest = (process.resident() - before) / sockets
        first = [script.rolls[0] for script in played]
        start = time.perf_counter()
        await asyncio.gather(
            *(play(lines[each.table], roll) for each, roll in zip(played, first, strict=True))
        )
        full = sum(map(len, first)) / (time.perf_counter() - start)
        over = Event()
        inserting = asyncio.create_task(asyncio.to_thread(_inserts, folder / "bare.db", over))
        taken = await _half_load(played, lines, PART * full)
        over.set()
        inserts = await inserting
        after = (process.resident() - before) / sockets
    return Found(at_rest=at_rest, after=after, full=full, taken=taken, inserts=inserts)


def _inserts(path: Path, over: Event) -> list[float]:
    """The seconds of each insert of a commit, now and then until it is over."""
    taken: list[float] = []
    commits = script("beside00", ASIDE).played
    with closing(bare.connect(path)) as connection:
        for commit in commits:
            start = time.perf_counter()
            bare.write(connection, [("beside00", commit)], [1])
            taken.append(time.perf_counter() - start)
            if over.wait(APART):
                break
    return taken


async def _half_load(
    played: Sequence[Script], lines: Mapping[str, Sequence[Line]], pace: float
) -> list[float]:
    """Play the other rolls, so many commands a second in all; each one's seconds since due."""
    by = random.Random(1)  # noqa: S311 - when commands are due is no secret
    rest = {each.table: [step for roll in each.rolls[1:] for step in roll] for each in played}
    gc.collect()
    gc.disable()  # the client's own pauses are not what is measured
    try:
        start = time.perf_counter()
        tables = (
            _paced(lines[table], steps, start, pace / len(played), by)
            for table, steps in rest.items()
        )
        return [seconds for taken in await asyncio.gather(*tables) for seconds in taken]
    finally:
        gc.enable()


async def _paced(
    lines: Sequence[Line], steps: Sequence[Asked], due: float, pace: float, by: random.Random
) -> list[float]:
    taken: list[float] = []
    for step in steps:
        due += by.expovariate(pace)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await play(lines, [step])
        taken.append(time.perf_counter() - due)
    return taken


def test_crowd(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
