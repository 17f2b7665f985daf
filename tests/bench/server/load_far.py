"""How long a roll of level `table` takes where every seat is far: until all of them have its dice.

Between any two seats are 80 ms: 40 from each to the server, and 40 back.
"""

import asyncio
import time
from hashlib import sha256
from pathlib import Path

from tests.bench.bench_load import quantile
from tests.bench.measure import Row, middle
from tests.bench.report import Report, duration
from tests.bench.script import STRIKER
from tests.bench.server.alone import Plan
from tests.bench.server.drive import Line, Room, Seen
from tests.bench.server.load_commands import fresh
from tests.bench.server.processes import Process
from tests.bench.server.relay import Relay
from tests.bench.server.served import FAR, FAR_SEATS
from tests.bench.server.size import FULL, Load
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import (
    AnchorShares,
    AnyCommand,
    Ask,
    Declare,
    OpenShare,
)
from urim.engine.core.limits import NARRATOR
from urim.events.share import link

ONE_WAY = 0.04
"""Seconds from a seat to the server, and from the server to a seat."""

SEATS = (STRIKER, *(seat for seat in FAR_SEATS if seat != STRIKER), NARRATOR)
"""Who has a socket: first the one that rolls."""

LEGS = 4
"""From seat to server and back twice: the ask, and the shares with the dice."""

ROLLED = {"root": "רוח", "attribute": "BLE", "skill": "wind attack"}


def rows(load: Load, folder: Path) -> list[Row]:
    """From the roll's two commands until the last of five sockets has the dice."""
    with fresh(Plan(folder=str(folder), tables=0, rolls=0)) as here, Process("served", here) as it:
        taken = tuple(asyncio.run(_rolls(it, load.far_rolls)))
    return [_row("from asking all seats for their shares", taken, LEGS)]


def _row(what: str, taken: tuple[float, ...], legs: int) -> Row:
    distance = legs * ONE_WAY
    return Row(
        group=f"Dice of level `table` on {len(SEATS)} sockets 80 ms apart, seconds of the clock",
        what=what,
        unit="roll",
        count=len(taken),
        each=(middle(taken),),
        more=f"p95 {duration(quantile(taken, 0.95))}; the way alone {duration(distance)}",
    )


async def _rolls(process: Process, count: int) -> list[float]:
    port, tokens = process.ready["port"], process.ready["tokens"]
    async with Relay(port, ONE_WAY) as relay, Room(port, tokens) as room:
        lines = {seat: await room.line(FAR, seat, through=relay.port) for seat in SEATS}
        for seat, line in lines.items():
            await _ask(line, AnchorShares(_share(seat, 0)), f"anchor-{seat}")
        return [await _roll(lines, roll) for roll in range(1, count + 1)]


async def _roll(lines: dict[str, Line], roll: int) -> float:
    """The seconds of one roll: from the ask until every seat has the dice."""
    roller = lines[STRIKER]
    declared = await _ask(roller, Declare("c1", ROLLED, level="table"), f"declare-{roll}")
    start = time.perf_counter()
    asking = Ask(roll, "initiator", declared.seqs[0], tuple(sorted(SEATS)))
    asked = asyncio.create_task(_ask(roller, asking, f"ask-{roll}"))
    size = declared.size + 2
    opening = [asyncio.create_task(_open(line, seat, size, roll)) for seat, line in lines.items()]
    await asyncio.gather(asked, *opening)
    ends = [await line.until_size(size + len(SEATS) + 1) for line in lines.values()]
    return max(ends) - start


async def _open(line: Line, seat: str, asked: int, roll: int) -> None:
    """Open a seat's share as soon as it sees that it is asked for it."""
    await line.until_size(asked)
    await _ask(line, OpenShare(roll, _share(seat, roll)), f"open-{roll}")


def _share(seat: str, i: int) -> str:
    return link(FAR, seat, sha256(seat.encode()).hexdigest(), i)


async def _ask(line: Line, command: AnyCommand, request: str) -> Seen:
    return await line.ask(request, Aggregate.body(command))


def test_far(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
