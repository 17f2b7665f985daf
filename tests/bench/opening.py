"""Opens one table in a process of its own, and prints the seconds and the peak of memory it took.

    python -m tests.bench.opening service FILE TABLE      as the service opens it
    python -m tests.bench.opening rows FILE TABLE         its rows read and decoded, and kept

Processor time, without the start of Python; memory beyond what was there before, where Linux tells.
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
from tests.bench.script import around
from tests.tree import ROOT
from urim.engine.service import Service
from urim.events.log.sqlite import SqliteLog

STATUS = Path("/proc/self/status")
KIB = 1024


class Opened(Struct, frozen=True):
    """What opening a table took: processor seconds, bytes of memory, entries."""

    seconds: float
    memory: int
    entries: int


def measured(way: str, path: Path, table: str) -> Opened:
    """Open a table in a fresh process."""
    command = [sys.executable, "-m", "tests.bench.opening", way, str(path), table]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return json.decode(done.stdout, type=Opened)


def _by_service(path: Path, table: str) -> int:
    async def work() -> int:
        log = await SqliteLog.open(path)
        service = Service(log, OneSecret(), environments=lambda dice, secret: around())
        size = (await service.state(table)).size
        await service.close()
        await log.close()
        return size

    return asyncio.run(work())


WAYS = {"service": _by_service, "rows": bare.read}


def main() -> None:
    """Do it, and say what it took."""
    way, path, table = sys.argv[1:]
    gc.collect()
    before = _memory("VmRSS")
    start = time.process_time()
    entries = WAYS[way](Path(path), table)
    seconds = time.process_time() - start
    memory = _memory("VmHWM") - before
    sys.stdout.buffer.write(json.encode(Opened(seconds, memory, entries)))


def _memory(which: str) -> int:
    """Bytes of memory, now (VmRSS) or at most (VmHWM); 0 where the system has no such file.

    Not `ru_maxrss`: a new process takes it over from the one that started it.
    """
    found = re.search(rf"{which}:\s+(\d+) kB", STATUS.read_text()) if STATUS.exists() else None
    return int(found.group(1)) * KIB if found else 0


if __name__ == "__main__":
    main()
