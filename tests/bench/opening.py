"""Opens one table in a process of its own, and prints the seconds and the peak of memory it took.

    python -m tests.bench.opening service FILE TABLE      as the service opens it
    python -m tests.bench.opening snapshot FILE TABLE     the same through the snapshot beside it
    python -m tests.bench.opening rows FILE TABLE         its rows read and decoded, and kept

Processor time, without the start of Python and what a process does once, its rules read and its
code compared; memory beyond what was there before, where Linux tells.
"""

import asyncio
import gc
import re
import subprocess
import sys
import time
from pathlib import Path

from msgspec import Struct, json

from tests.bench import bare
from tests.bench.durable import OneSecret
from tests.bench.script import SYSTEM, around
from tests.tree import ROOT
from urim.engine.service import Service
from urim.engine.snapshots import Snapshots
from urim.engine.snapshots.head import code
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog
from urim.rules import ruleset_named

STATUS = Path("/proc/self/status")
KIB = 1024


class Opened(Struct, frozen=True):
    """What opening a table took: processor seconds, bytes of memory; its entries, those folded."""

    seconds: float
    memory: int
    entries: int
    folded: int


def measured(way: str, path: Path, table: str) -> Opened:
    """Open a table in a fresh process."""
    command = [sys.executable, "-m", "tests.bench.opening", way, str(path), table]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return json.decode(done.stdout, type=Opened)


class Counting(SqliteLog):
    """A log that counts the entries that are read; a few are read twice."""

    count = 0

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        """The entries, counted."""
        found = await super().read(table, after, limit)
        type(self).count += len(found)
        return found


def _by_service(path: Path, table: str) -> tuple[int, int]:
    return asyncio.run(_served(path, table, None))


def _by_snapshot(path: Path, table: str) -> tuple[int, int]:
    return asyncio.run(_served(path, table, Snapshots.beside(path)))


async def _served(path: Path, table: str, snapshots: Snapshots | None) -> tuple[int, int]:
    log = await Counting.open(path)
    service = Service(
        log, OneSecret(), environments=lambda dice, secret: around(), snapshots=snapshots
    )
    size = (await service.state(table)).size
    await service.close()
    await log.close()
    return size, Counting.count


def _rows(path: Path, table: str) -> tuple[int, int]:
    return bare.read(path, table), 0


WAYS = {"service": _by_service, "snapshot": _by_snapshot, "rows": _rows}


def main() -> None:
    """Do it, and say what it took."""
    way, path, table = sys.argv[1:]
    ruleset_named(SYSTEM)
    code()
    gc.collect()
    before = resident("VmRSS")
    start = time.process_time()
    entries, folded = WAYS[way](Path(path), table)
    seconds = time.process_time() - start
    memory = resident("VmHWM") - before
    sys.stdout.buffer.write(json.encode(Opened(seconds, memory, entries, folded)))


def resident(which: str) -> int:
    """Bytes of memory, now (VmRSS) or at most (VmHWM); 0 where the system has no such file.

    Not `ru_maxrss`: a new process takes it over from the one that started it.
    """
    found = re.search(rf"{which}:\s+(\d+) kB", STATUS.read_text()) if STATUS.exists() else None
    return int(found.group(1)) * KIB if found else 0


if __name__ == "__main__":
    main()
