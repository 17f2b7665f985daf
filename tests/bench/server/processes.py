"""Processes that are measured from outside: what each takes of the processor and of memory.

The other half, for what runs in such a process: `until_over`, and the loop that all of them use.
"""

import asyncio
import ctypes
import gc
import os
import subprocess
import sys
import time
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from tests.tree import ROOT
from urim.engine.server.process.server import loop_factory

PATIENCE = 120
"""Seconds until a process that does not end is given up."""

_PAGE = os.sysconf("SC_PAGE_SIZE")


def part(module: str) -> list[str]:
    """The command of a module of this folder."""
    return [sys.executable, "-m", f"tests.bench.server.{module}"]


class Process:
    """A command with a plan, as a process, with more variables of the surroundings; a context.

    `ready` is the line of JSON that it writes once it is ready. It ends when its input does.
    """

    def __init__(
        self, command: Sequence[str], plan: msgspec.Struct, variables: Mapping[str, str] = {}
    ) -> None:
        self._command = [*command, msgspec.json.encode(plan).decode()]
        self._variables = variables
        self.ready: Any = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env={**os.environ, **self._variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ready = msgspec.json.decode(self._line())
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            assert self._process.wait(PATIENCE) == 0, "a measured process failed"
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()

    def cpu(self) -> float:
        """Seconds of the processor that all its threads took so far."""
        # The clock of another process, as clock_getcpuclockid gives it.
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def resident(self) -> int:
        """Bytes of memory that it has, once what is free was given back."""
        self.tell("sweep")
        statm = Path(f"/proc/{self._process.pid}/statm").read_text("ascii")
        return int(statm.split()[1]) * _PAGE

    def tell(self, words: str) -> None:
        """Write it a line, and wait for the one that answers."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{words}\n")
        self._process.stdin.flush()
        self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "a measured process ended before its time"
        return line


# --- within such a process ------------------------------------------------------------------------


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run it in the loop that `urim serve` has: all peers get the same."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(work)


def say(words: object) -> None:
    """Write a line of JSON to whom the process belongs."""
    print(msgspec.json.encode(words).decode(), flush=True)


async def until_over(ready: object) -> None:
    """Say that all is ready; then sweep the memory for each line that comes, until the last."""
    say(ready)
    while await asyncio.to_thread(sys.stdin.readline):
        sweep()
        say("swept")


def sweep() -> None:
    """Give back what is free, as far as this system can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
