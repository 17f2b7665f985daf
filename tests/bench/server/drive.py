"""What a client of the load does: raw frames on a socket, and as little else as can be.

It checks nothing of what it gets, so that what is measured is not waiting for it.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Self

from msgspec import Struct
from msgspec.json import Decoder
from websockets.asyncio.client import ClientConnection, connect

from tests.bench.script import STRIKER, TOAD, Asked
from urim.engine.core.limits import NARRATOR
from urim.engine.wire.frames import Ask, Enter, encoder

FOLLOWERS = (NARRATOR, STRIKER, TOAD, TOAD)
"""The seats whose sockets follow a table."""


class Seen(Struct, frozen=True, gc=False):
    """As much of a frame as is looked at."""

    type: str
    size: int = 0
    request: str | None = None
    seqs: tuple[int, ...] = ()
    why: str = ""


_seen = Decoder(Seen)


class Line:
    """One socket at a table. `arrived` has when each size of the table came, once it caught up.

    With `keep` its frames of commits stay in `frames`.
    """

    def __init__(self, connection: ClientConnection, *, keep: bool = False) -> None:
        self.arrived: dict[int, float] = {}
        self.commits = 0
        self.frames: list[bytes] = []
        self._keep = keep
        self._connection = connection
        self._answers: dict[str, asyncio.Future[Seen]] = {}
        self._news = asyncio.Event()
        self._follows: asyncio.Task[None] | None = None

    async def enter(self, token: str, after: int = -1) -> None:
        """Enter as the page does, which is told what waits, and take the table's history."""
        await self._send(encoder.encode(Enter(token, after, waiting=True)))
        seen = None
        while seen is None or seen.type != "caught-up":
            frame = await self._connection.recv(decode=False)
            seen = _seen.decode(frame)
            known = ("entered", "commit", "present", "waiting", "caught-up")
            assert seen.type in known, frame

    def follow(self) -> Self:
        """Take what comes from now on."""
        self._follows = asyncio.create_task(self._follow())
        return self

    async def close(self) -> None:
        """Leave. Raises what was wrong with what came."""
        if self._follows is not None and self._follows.done():
            self._follows.result()
        await self._connection.close()
        if self._follows is not None:
            await asyncio.gather(self._follows, return_exceptions=True)

    async def ask(self, request: str, body: bytes) -> Seen:
        """Ask for something and wait for the answer, which is to be good."""
        answer: asyncio.Future[Seen] = asyncio.get_running_loop().create_future()
        self._answers[request] = answer
        await self._send(framed(request, body))
        return await answer

    async def until(self, commits: int) -> None:
        """Wait until so many commits have come."""
        while self.commits < commits:
            self._news.clear()
            await self._news.wait()

    async def until_size(self, size: int) -> float:
        """Wait until the table has so many entries here; when that was."""
        while size not in self.arrived:
            self._news.clear()
            await self._news.wait()
        return self.arrived[size]

    async def _send(self, frame: bytes) -> None:
        await self._connection.send(frame, text=True)

    async def _follow(self) -> None:
        try:
            while True:
                self._take(await self._connection.recv(decode=False))
        except Exception as error:
            for answer in self._answers.values():
                answer.set_exception(error)
            raise

    def _take(self, frame: bytes) -> None:
        seen = _seen.decode(frame)
        if seen.type in ("commit", "ask"):
            self.commits += 1
            self.arrived[seen.size] = time.perf_counter()
            self._news.set()
            if self._keep:
                self.frames.append(frame)
        if seen.request is not None and seen.request in self._answers:
            self._answered(seen, frame)

    def _answered(self, seen: Seen, frame: bytes) -> None:
        assert seen.request is not None
        answer = self._answers.pop(seen.request)
        if seen.type in ("done", "ask"):
            answer.set_result(seen)
        else:
            answer.set_exception(AssertionError(frame))


def framed(request: str, body: bytes) -> bytes:
    """The frame that asks for something."""
    return encoder.encode(Ask(request, body.decode()))


class Room:
    """The sockets of one run, all at one port. Use it as a context: at its end all are closed."""

    def __init__(self, port: int, tokens: Mapping[str, Mapping[str, str]]) -> None:
        self._port = port
        self._tokens = tokens
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def line(
        self,
        table: str,
        seat: str,
        *,
        after: int = -1,
        through: int | None = None,
        keep: bool = False,
    ) -> Line:
        """A new socket of a seat that has caught up; `through` the port of a relay."""
        connection = await connect(
            f"ws://127.0.0.1:{self._port}/tables/{table}/socket",
            host="127.0.0.1",
            port=through or self._port,
            compression=None,
            ping_interval=None,
            max_size=None,
            proxy=None,
        )
        line = Line(connection, keep=keep)
        self._stack.push_async_callback(line.close)
        if self._tokens:
            await line.enter(self._tokens[table][seat], after)
        return line.follow()

    async def followers(self, tables: Iterable[str]) -> dict[str, list[Line]]:
        """As many sockets as follow each of these tables, a table after the other."""
        return {table: [await self.line(table, seat) for seat in FOLLOWERS] for table in tables}


async def play(lines: Sequence[Line], steps: Iterable[Asked]) -> list[float]:
    """A table's commands, one after the other, each by its seat; the seconds to each answer."""
    by_seat: dict[str, Line] = dict(zip(FOLLOWERS, lines, strict=True))
    taken: list[float] = []
    for step in steps:
        start = time.perf_counter()
        await by_seat[step.seat].ask(step.request, step.body)
        taken.append(time.perf_counter() - start)
    return taken
