"""A process beside the server, which answers what would stall everybody: odds, and luck.

It is started when it is first asked, answers one question at a time, and ends with the server. What
takes too long, or dies, is given up with its process; the next question has a new one.
"""

import asyncio
import pickle
import signal
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, TypeAlias

from msgspec.structs import replace

from ...errors import Defect, Refused
from ...events.entry import Entry
from ...projections.automaton import LIVE
from ..core.aggregate import table_of
from ..core.luck import Memory, TableLuck, luck_of, moments
from ..core.odds import Odds, Question, answer

SECONDS = 20.0
"""Seconds for one question, at most."""

KEPT = 64
"""Answers that are kept, at most: the newest."""

LAST = 25
"""Seconds after which the process ends itself, in the midst of a question."""

WAYS = 10
"""Ways of an answer, at most; and the obvious one, if it is none of these."""

Said: TypeAlias = tuple[Any, ...]
"""The work and what came of it, or `refused`, the code, why, and what is allowed."""

_length = struct.Struct("!I")


class Worker:
    """The process, which is asked one thing at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._said: dict[bytes, Said] = {}

    @property
    def pid(self) -> int | None:
        """The process, where there is one."""
        return None if self._process is None else self._process.pid

    async def odds(self, asked: Question, aim: str) -> Odds:
        """The odds of a roll, with the best ways alone. Raises Refused as `core.odds.answer`."""
        found: Odds = await self._asked("odds", asked, aim)
        return found

    async def luck(self, entries: Sequence[Entry]) -> TableLuck:
        """The luck of a table's throws, as far as these entries show them, without the play."""
        found: TableLuck = await self._asked("luck", entries)
        return found

    async def _asked(self, work: str, *given: object) -> Any:
        """An answer, at once to what was asked before: others at the table ask the same.

        Raises what the work refuses, and Refused where it takes too long.
        """
        data = pickle.dumps((work, given))
        if data not in self._said:
            said = await self._answered(data)
            self._said = dict([*self._said.items()][1 - KEPT :]) | {data: said}
        kind, *found = self._said[data]
        if kind == "refused":
            code, why, allowed = found
            raise Refused(code, why, allowed=allowed)
        return found[0]

    async def _answered(self, data: bytes) -> Said:
        try:
            return await asyncio.wait_for(self._answer(data), SECONDS)
        except TimeoutError:
            await self.stop()
            why = f"too much to count: this takes over {SECONDS:g} s"
            return "refused", "out-of-range", why, ("urim odds, or urim luck, at a shell",)
        except (EOFError, OSError) as error:
            await self.stop()
            raise Refused("out-of-range", "this could not be computed to the end") from error
        except asyncio.CancelledError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()  # its pipes are open until it has ended

    async def _answer(self, data: bytes) -> Said:
        if self._process is None or self._process.returncode is not None:
            command = (sys.executable, "-m", __name__)
            self._process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        writer, reader = self._process.stdin, self._process.stdout
        if writer is None or reader is None:
            raise Defect("a process without pipes")
        writer.write(_length.pack(len(data)) + data)
        await writer.drain()
        (size,) = _length.unpack(await reader.readexactly(_length.size))
        said: Said = pickle.loads(await reader.readexactly(size))  # noqa: S301  our own process
        return said


# --- in the process -------------------------------------------------------------------------------


def answers(asks: IO[bytes], says: IO[bytes]) -> None:
    """Answer what is asked, until nobody asks any more."""
    while head := asks.read(_length.size):
        signal.alarm(LAST)  # where nobody is there any more to end it
        work, given = pickle.loads(asks.read(*_length.unpack(head)))  # noqa: S301  of our server
        try:
            said: Said = (work, WORK[work](*given))
        except Refused as refused:
            said = ("refused", refused.code, refused.why, refused.allowed)
        data = pickle.dumps(said)
        says.write(_length.pack(len(data)) + data)
        says.flush()
        signal.alarm(0)


def best(asked: Question, aim: str) -> Odds:
    """The odds of a roll with their best ways alone."""
    odds = answer(asked, aim)
    ways = (*odds.ways[:WAYS], *(way for way in odds.ways[WAYS:] if way.plain))
    return replace(odds, ways=ways)


_memory: Memory = {}
"""What a table has asked once is known when its next roll has ended."""


def luck(entries: Sequence[Entry]) -> TableLuck:
    """The luck of a table's throws in rolls that have ended: of one that goes on it were advice."""
    table = table_of(entries).opened
    ended = [roll.number for roll in table.rolls.values() if roll.state not in LIVE]
    return luck_of(moments(entries, ended, play=False, memory=_memory), table.game.ruleset.aim)


WORK: Mapping[str, Callable[..., object]] = {"odds": best, "luck": luck}
"""What the process does, by its name."""


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's to end
    answers(sys.stdin.buffer, sys.stdout.buffer)
