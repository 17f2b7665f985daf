"""What a signed head of every answer costs a command: CPU, with one head a commit and with none.

python -m tests.bench.heads
"""

import asyncio
import sys
from time import process_time

from tests.engine.helpers.stages.heads import service_on
from tests.engine.helpers.stages.service import TABLE
from urim.engine.core.commands import Note, OpenTable, worded
from urim.engine.service.secrets import MemorySecrets
from urim.events.log.memory import MemoryLog

COMMANDS, ROUNDS = 500, 5


async def one(*, heads: bool) -> float:
    """CPU of a note, in microseconds, on a log in memory, its answer with a head or without."""
    service = service_on(MemoryLog(), MemorySecrets())
    await service.open_table("narrator", OpenTable(TABLE, "plain"))
    await service.checkpoint(TABLE)
    before = process_time()
    for number in range(COMMANDS):
        note = worded(Note(0), "a note")
        await service.submit(TABLE, "narrator", note, f"r{number}")
        if heads:
            await service.head(TABLE)
    spent = process_time() - before
    await service.close()
    return spent / COMMANDS * 1e6


async def main() -> None:
    """Print the least of each."""
    plain, signed = [], []
    for _ in range(ROUNDS):
        plain.append(await one(heads=False))
        signed.append(await one(heads=True))
    more = min(signed) - min(plain)
    line = f"{min(plain):.0f} us a note, {min(signed):.0f} us with a signed head: {more:.0f} us"
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    asyncio.run(main())
