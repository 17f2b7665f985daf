"""What a resume costs on the wire: as many bytes as what was missed, and a little."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from tests.bench.measure import Row, limited
from tests.bench.report import Report
from tests.bench.script import TOAD, Script
from tests.bench.server.alone import Plan, scripts
from tests.bench.server.drive import Line, Room, play
from tests.bench.server.load_commands import fresh
from tests.bench.server.processes import Process, part
from tests.bench.server.relay import Relay
from tests.bench.server.size import FULL, Load
from urim.engine.wire.frames import CommitFrame, encoder, outgoing

MORE = 1024
"""Bytes that a resume may have beyond what was missed."""


def rows(load: Load, folder: Path) -> list[Row]:
    """Resumes after more and more rolls, each at a table of its own."""
    return [row for rolls in load.resumed for row in _resumed(rolls, folder)]


def _resumed(rolls: int, folder: Path) -> list[Row]:
    plan = Plan(folder=str(folder), tables=1, rolls=rolls)
    with fresh(plan) as here, Process(part("served"), here) as process:
        bytes_resumed, bytes_missed = asyncio.run(_cut(process, scripts(plan)[0]))
    commits = len(scripts(plan)[0].steps)
    more = bytes_resumed - bytes_missed
    within = limited(abs(more), MORE, f"{MORE:,} or fewer")
    return [
        Row(
            group="Bytes of a resume",
            what=what,
            unit="resume",
            count=commits,
            each=(each,),
            bytes=True,
            more=f"{more:+,} bytes beyond what was missed; {within}" if own else "",
        )
        for what, each, own in (
            (f"after {commits} commits", float(bytes_resumed), True),
            (
                f"those {commits} commits, as a socket had them that stayed",
                float(bytes_missed),
                False,
            ),
        )
    ]


async def _cut(process: Process, script: Script) -> tuple[int, int]:
    """The bytes on the wire to a socket that resumes; those of the frames that it missed."""
    port, tokens = process.ready["port"], process.ready["tokens"]
    async with Relay(port) as relay, Room(port, tokens) as room:
        lines = (await room.followers([script.table]))[script.table]
        stays = await room.line(script.table, TOAD, keep=True)
        await play(lines, script.steps)
        await stays.until(len(script.steps))
        after = len(script.entries) - sum(len(each.entries) for each in script.played) - 1
        before = relay.down
        await room.line(script.table, TOAD, after=after, through=relay.port)
        bytes_resumed = relay.down - before
    return bytes_resumed, _missed(stays)


def _missed(line: Line) -> int:
    """The bytes of a socket's frames of commits, without the signed heads: a history has none."""
    return sum(_length(outgoing.decode(frame)) for frame in line.frames)


def _length(frame: object) -> int:
    assert isinstance(frame, CommitFrame)
    length = len(encoder.encode(replace(frame, head=None)))
    return length + (2 if length < 126 else 4 if length < 1 << 16 else 10)


def test_resume(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
