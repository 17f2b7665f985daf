"""A receiver of calls on a loopback port: it notes what comes, and answers as it is told to.

with Receiver() as receiver:
receiver.manner = lambda: "500"
receiver.until(lambda: len(receiver.calls) == 3)
"""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from time import monotonic, sleep
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from tests.engine.helpers.stages.sooner import PATIENCE

Manner: TypeAlias = Literal[
    "good", "500", "hang", "close", "cut", "redirect", "gone", "late", "junk"
]
"""How a call is answered: as `ANSWERS` has it; `hang` never, `close` before it was read."""

ANSWERS: Mapping[str, bytes] = {
    "good": b"HTTP/1.1 204 No Content\r\n\r\n",
    "500": b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops",
    "redirect": b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:%d/\r\n\r\n",
    "gone": b"HTTP/1.1 410 Gone\r\n\r\n",
    "late": b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\n\r\n",
    "junk": b"SSH-2.0-OpenSSH_9.6\r\n",
    "cut": b"HTTP/1.1 20",
}


class Call(NamedTuple):
    """A call that was read whole, and how it was answered."""

    manner: Manner
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Receiver:
    """The receiver, in a thread of its own; it answers after a `delay` in seconds."""

    port: int

    def __init__(self, manner: Manner = "good") -> None:
        self.manner: Callable[[], Manner] = lambda: manner
        self.delay: Callable[[], float] = lambda: 0.0
        self.calls: list[Call] = []
        self.came = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    @property
    def place(self) -> str:
        """What a host names to let it be called."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.place}/told"

    @property
    def good(self) -> list[Call]:
        """Those that were taken."""
        return [call for call in self.calls if call.manner == "good"]

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(PATIENCE)

    def until(self, found: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until something is so."""
        end = monotonic() + seconds
        while not found():
            assert monotonic() < end, [call.json for call in self.calls]
            sleep(0.01)

    async def soon(self, found: Callable[[], object], seconds: float = PATIENCE) -> None:
        """The same, beside a loop."""
        await asyncio.to_thread(self.until, found, seconds)

    async def _main(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._called, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._ending.wait()
        server.close()

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        manner = self.manner()
        try:
            if manner == "close":
                return
            call = await _read(reader, manner)
            self.calls.append(call)
            if manner == "hang":
                await self._ending.wait()
            await asyncio.sleep(self.delay())
            answer = ANSWERS.get(manner, b"")
            writer.write(answer % self.port if manner == "redirect" else answer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # the server was killed meanwhile
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader, manner: Manner) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
    lines = [line.partition(": ") for line in head.split("\r\n")[1:] if line]
    headers = {name.lower(): value for name, _, value in lines}
    return Call(manner, headers, await reader.readexactly(int(headers["content-length"])))
