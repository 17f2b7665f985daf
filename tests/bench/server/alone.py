"""The service without followers and without a server: the same commands, from the same bytes.

python -m tests.bench.server.alone '{"folder": …, "tables": 64, "rolls": 2}'
"""

import asyncio
import sys
import time
from pathlib import Path

from msgspec import Struct
from msgspec.json import decode

from tests.bench import durable
from tests.bench.script import Script, around, script
from tests.bench.server.processes import run, until_over
from urim.engine.core.request import WireRequest
from urim.engine.service import Service


class Plan(Struct, frozen=True, kw_only=True):
    """Where the log is to be, and how many tables play how many rolls of their scripts."""

    folder: str
    tables: int
    rolls: int


def scripts(plan: Plan) -> list[Script]:
    """The scripts of a plan: the same in each process."""
    return [script(f"bench{at:03}", plan.rolls) for at in range(plan.tables)]


async def main(plan: Plan) -> None:
    """Play all tables at once, and say the processor's seconds."""
    played = scripts(plan)
    log = await durable.opened(Path(plan.folder) / "log.db", played)
    service = Service(log, durable.OneSecret(), environments=lambda dice, secret: around())

    async def play(script: Script) -> None:
        for step in script.steps:
            data = WireRequest(step.body.decode(), step.request).written()
            await service.submit_request(script.table, step.seat, data)

    for each in played:
        await service.state(each.table)
    start = time.process_time()
    await asyncio.gather(*map(play, played))
    seconds = time.process_time() - start
    await service.close()
    await log.close()
    await until_over({"seconds": seconds})


if __name__ == "__main__":
    run(main(decode(sys.argv[1], type=Plan)))
