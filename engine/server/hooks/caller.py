"""One call of an address outside: looked up once, checked, made, and answered in time or not.

No redirect is followed, and no more is read of an answer than its status and its headers.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeAlias

import h11
from msgspec import Struct

from .... import __version__
from ....errors import Refused
from ..process.config import Config
from .reach import Target, check_addresses, target_of

AT_ONCE = 32
"""Calls that are under way at once, at most."""

THREADS = 8
"""Names that are looked up at once: a server of names that does not answer holds up no other."""

HEAD = 16 * 1024
"""Bytes of an answer's headers, at most."""

GOOD = range(200, 300)
GONE = 410
"""Who answers so wants no further calls."""

ADDRESSES = 3
"""Addresses of a name that are tried, at most."""

LATER = 3_600.0
"""Seconds for which an answer may ask us to wait, at most."""

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Finds the addresses of a name."""


class Answer(Struct, frozen=True):
    """What came of a call: the status of its answer, None where none came, and why it is no good.

    `later` is after how many seconds it may be made again, where the answer says so.
    """

    status: int | None
    why: str = ""
    later: float = 0.0

    @property
    def good(self) -> bool:
        """Whether it was taken."""
        return self.status in GOOD


class Caller:
    """Calls addresses for one server of these settings. `room` bounds the calls under way."""

    def __init__(self, config: Config | None = None, resolve: Resolve | None = None) -> None:
        self.config = config or Config()
        self._resolve = resolve or _resolver()
        self.room = asyncio.Semaphore(AT_ONCE)

    async def call(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Post a body; every way in which that fails is in the answer."""
        seconds = self.config.call_patience
        try:
            target = target_of(url, self.config.calls)
            async with asyncio.timeout(seconds):
                return await self._called(target, headers, body)
        except Refused as refused:
            return Answer(None, refused.why)
        except TimeoutError:
            return Answer(None, f"no answer came within {seconds:g} seconds")
        except ssl.SSLError:
            return Answer(None, "its certificate is not good")
        except socket.gaierror:
            return Answer(None, "its name is not known")
        except (OSError, h11.ProtocolError):
            return Answer(None, "it cannot be reached, or closed the connection, or speaks no HTTP")

    async def _called(self, target: Target, headers: Mapping[str, str], body: bytes) -> Answer:
        addresses = await self._resolve(target.host, target.port)
        check_addresses(target, addresses)
        reader, writer = await _connected(target, addresses[:ADDRESSES])
        try:
            return _answer(await _exchanged(target, headers, body, reader, writer))
        finally:
            writer.transport.abort()


async def _connected(
    target: Target, addresses: list[str]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first of some addresses that takes it, in the name of the target."""
    secure = {"ssl": _tls(), "server_hostname": target.host} if target.scheme == "https" else {}
    for address in addresses[:-1]:
        try:
            return await asyncio.open_connection(address, target.port, **secure)  # type: ignore[arg-type]
        except OSError:
            continue
    return await asyncio.open_connection(addresses[-1], target.port, **secure)  # type: ignore[arg-type]


async def _exchanged(
    target: Target,
    headers: Mapping[str, str],
    body: bytes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> h11.Response:
    """The head of the answer to a body. Raises h11.ProtocolError for what is none."""
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD)
    every = {
        "Host": target.authority,
        "User-Agent": f"Urim/{__version__}",
        "Content-Type": "application/json",
        "Content-Length": f"{len(body)}",
        "Connection": "close",
        **headers,
    }
    request = h11.Request(method="POST", target=target.path, headers=[*every.items()])
    for part in (request, h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(part) or b"")
    await writer.drain()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(HEAD))
        elif isinstance(event, h11.Response):
            return event
        elif not isinstance(event, h11.InformationalResponse):
            raise h11.RemoteProtocolError("no answer")


def _answer(response: h11.Response) -> Answer:
    status = response.status_code
    if status in GOOD:
        return Answer(status)
    [later, *_] = [value for name, value in response.headers if name == b"retry-after"] or [b"0"]
    seconds = min(float(later), LATER) if later.isdigit() else 0.0
    return Answer(status, f"it answered {status}", seconds)


def _resolver() -> Resolve:
    """Looks names up as the machine does, in threads of its own."""
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="looks up")

    def find(host: str, port: int) -> list[str]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    async def resolve(host: str, port: int) -> list[str]:
        return await asyncio.get_running_loop().run_in_executor(threads, find, host, port)

    return resolve


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
