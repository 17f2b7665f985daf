"""How long the dice of a roll take where every seat is far: until all of them have them.

Between any two seats are 80 ms: 40 from each to the server, and 40 back. At level `table` every
seat is asked for its share, at level `player` nobody.
"""

import asyncio
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

from tests.bench.bench_load import quantile
from tests.bench.measure import Row, middle
from tests.bench.report import Report, duration
from tests.bench.script import STRIKER
from tests.bench.server.alone import Plan
from tests.bench.server.drive import Line, Room, Seen
from tests.bench.server.load_commands import fresh
from tests.bench.server.processes import Process, part
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
    RollDice,
)
from urim.engine.core.limits import NARRATOR
from urim.events.share import link

ONE_WAY = 0.04
"""Seconds from a seat to the server, and from the server to a seat."""

SEATS = (STRIKER, *(seat for seat in FAR_SEATS if seat != STRIKER), NARRATOR)
"""Who has a socket: first the one that rolls."""

ASKED = (4, 8)
"""How many seats are asked, the roller among them."""

LEGS = {"player": 2, "table": 4}
"""From seat to server or back: the nonce and the dice; before it the ask, which everybody gets."""

ROLLED = {"root": "רוח", "attribute": "BLE", "skill": "wind attack"}


def rows(load: Load, folder: Path) -> list[Row]:
    """From the command that throws, or asks, until the last of all sockets has the dice."""
    with (
        fresh(Plan(folder=str(folder), tables=0, rolls=0)) as here,
        Process(part("served"), here) as it,
    ):
        taken = asyncio.run(_rolls(it, load.far_rolls))
    alone, *others = taken
    return [
        _row("level `player`", alone, LEGS["player"], alone),
        *(
            _row(f"level `table`, {count} seats asked", each, LEGS["table"], alone)
            for count, each in zip(ASKED, others, strict=True)
        ),
    ]


def _row(what: str, taken: tuple[float, ...], legs: int, alone: tuple[float, ...]) -> Row:
    distance = legs * ONE_WAY
    return Row(
        group=f"Dice on {len(SEATS)} sockets 80 ms apart, seconds of the clock",
        what=what,
        unit="roll",
        count=len(taken),
        each=(middle(taken),),
        ratios=() if taken is alone else (middle(taken) / middle(alone),),
        more=f"p95 {duration(quantile(taken, 0.95))}; the way alone {duration(distance)}",
    )


async def _rolls(process: Process, count: int) -> list[tuple[float, ...]]:
    port, tokens = process.ready["port"], process.ready["tokens"]
    async with Relay(port, ONE_WAY) as relay, Room(port, tokens) as room:
        lines = {seat: await room.line(FAR, seat, through=relay.port) for seat in SEATS}
        for seat, line in lines.items():
            await _ask(line, AnchorShares(_share(seat, 0)), f"anchor-{seat}")
        table = Table(lines)
        return [
            tuple([await table.roll(SEATS[:asked]) for _ in range(count)]) for asked in (0, *ASKED)
        ]


class Table:
    """The table with its sockets: how many rolls it had, how often each seat was asked."""

    def __init__(self, lines: dict[str, Line]) -> None:
        self._lines = lines
        self._rolls = 0
        self._asks = Counter[str]()

    async def roll(self, seats: tuple[str, ...]) -> float:
        """The seconds of one roll, from the throw until all have the dice: of these seats' shares.

        Without seats it is at level `player`.
        """
        self._rolls += 1
        roller, number = self._lines[STRIKER], self._rolls
        declare = Declare("c1", ROLLED, level="table" if seats else "player")
        declared = await _ask(roller, declare, f"declare-{number}")
        start = time.perf_counter()
        if seats:
            size = await self._shared(number, declared, seats)
        else:
            nonce = sha256(f"{number}".encode()).hexdigest()
            throw = RollDice(number, "initiator", declared.seqs[0], nonce)
            await _ask(roller, throw, f"throw-{number}")
            size = declared.size + 1
        ends = [await line.until_size(size) for line in self._lines.values()]
        return max(ends) - start

    async def _shared(self, number: int, declared: Seen, seats: tuple[str, ...]) -> int:
        """Ask these seats, and let each open; gives the size of the log with the dice."""
        asking = Ask(number, "initiator", declared.seqs[0], tuple(sorted(seats)))
        asked = asyncio.create_task(_ask(self._lines[STRIKER], asking, f"ask-{number}"))
        size = declared.size + 2
        await asyncio.gather(asked, *(self._open(seat, size, number) for seat in seats))
        return size + len(seats) + 1

    async def _open(self, seat: str, asked: int, number: int) -> None:
        """Open a seat's share as soon as it sees that it is asked for it."""
        self._asks[seat] += 1
        line = self._lines[seat]
        await line.until_size(asked)
        share = _share(seat, self._asks[seat])
        await _ask(line, OpenShare(number, share), f"open-{number}")


def _share(seat: str, i: int) -> str:
    return link(FAR, seat, sha256(seat.encode()).hexdigest(), i)


async def _ask(line: Line, command: AnyCommand, request: str) -> Seen:
    return await line.ask(request, Aggregate.body(command))


def test_far(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
