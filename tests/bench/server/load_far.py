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
from urim.engine.core.commands import AnyCommand, CommitNonce, Declare, RollDice, Witness
from urim.engine.core.limits import NARRATOR
from urim.events.throw import nonce_commitment, throw_id

ONE_WAY = 0.04
"""Seconds from a seat to the server, and from the server to a seat."""

SEATS = (STRIKER, *(seat for seat in FAR_SEATS if seat != STRIKER), NARRATOR)
"""Who has a socket: first the one that rolls."""

LEGS = 6
"""From seat to server and back three times: binding and asking, the others' parts, the throw."""

ROLLED = {"root": "רוח", "attribute": "BLE", "skill": "wind attack"}


def rows(load: Load, folder: Path) -> list[Row]:
    """From the roll's two commands until the last of five sockets has the dice."""
    with fresh(Plan(folder=str(folder), tables=0, rolls=0)) as here, Process("served", here) as it:
        bound, thrown = zip(*asyncio.run(_rolls(it, load.far_rolls)), strict=True)
    return [
        _row("from asking the others for their parts", bound, LEGS),
        _row("from the throw, once all parts are there", thrown, 2),
    ]


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


async def _rolls(process: Process, count: int) -> list[tuple[float, float]]:
    port, tokens = process.ready["port"], process.ready["tokens"]
    async with Relay(port, ONE_WAY) as relay, Room(port, tokens) as room:
        lines = {seat: await room.line(FAR, seat, through=relay.port) for seat in SEATS}
        return [await _roll(lines, roll) for roll in range(1, count + 1)]


async def _roll(lines: dict[str, Line], roll: int) -> tuple[float, float]:
    """The seconds of one roll: from binding the roller's nonce, and from the throw."""
    roller, others = lines[STRIKER], SEATS[1:]
    declared = await _ask(roller, Declare("c1", ROLLED), f"declare-{roll}")
    committed = declared.seqs[0]
    nonce = sha256(b"%d" % roll).hexdigest()
    bound = nonce_commitment(throw_id(FAR, roll, 0), nonce).hex()
    start = time.perf_counter()
    binding = asyncio.create_task(
        _ask(roller, CommitNonce(roll, bound, committed, tuple(sorted(others))), f"bind-{roll}")
    )
    asked = declared.size + 1
    giving = [asyncio.create_task(_give(lines[seat], asked, roll)) for seat in others]
    await roller.until_size(asked + len(others))
    thrown = time.perf_counter()
    done = await _ask(roller, RollDice(roll, "initiator", committed, nonce), f"roll-{roll}")
    await asyncio.gather(binding, *giving)
    ends = [await line.until_size(done.size) for line in lines.values()]
    return max(ends) - start, max(ends) - thrown


async def _give(line: Line, asked: int, roll: int) -> None:
    """Give a seat's part as soon as it sees that it is asked for it."""
    await line.until_size(asked)
    await _ask(line, Witness(roll, sha256(b"of a witness").hexdigest()), f"witness-{roll}")


async def _ask(line: Line, command: AnyCommand, request: str) -> Seen:
    return await line.ask(request, Aggregate.body(command))


def test_far(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
