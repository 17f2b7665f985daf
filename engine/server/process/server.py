"""A server that runs: one process, one loop, on a database; and how it ends.

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(Path("night.db"), Config(), started=print))

SIGTERM or SIGINT drains it: /ready answers 503, sockets are closed with 1012, what was begun is
finished, heads are signed. A second SIGINT ends it at once, which no log minds.

Several servers may have one database: each hears what the others write and revoke. What a seat may
do and open at once is then each server's own, and on a file so is presence.
"""

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from math import ceil
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

import uvicorn
from msgspec.structs import replace

from ....errors import Defect, Refused, UrimError
from ....events.log.location import Location
from ....events.log.opening import open_log, reached
from ...access.beside import access_of
from ...access.secret import Secret
from ...logs import logger
from ...service.beside import secrets_of, snapshots_of
from ...service.sweep import sweep
from ...wire.numbers import FRAME
from ..app import application
from ..http.transport import door
from ..metrics.counted import CountedService
from ..metrics.middleware import Observed
from ..running import Running, milliseconds
from ..socket.transport import Link
from .beside import beside
from .config import Config
from .garbage import collecting
from .listener import check_reached, check_tls, listener_of

PURGED_EVERY = 3_600.0
"""Seconds between two purges of the store of access."""

SIGNALS = (signal.SIGTERM, signal.SIGINT)

Factory: TypeAlias = Callable[[], asyncio.AbstractEventLoop]


def loop_factory() -> Factory | None:
    """What makes the loop that a server runs in: uvloop's, where that is installed."""
    try:
        import uvloop  # noqa: PLC0415  not on every system
    except ImportError:
        return None
    return uvloop.new_event_loop


MIB = 1024 * 1024

CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""What TLS 1.2 may use: forward secrecy, authenticated encryption. TLS 1.3 has nothing else."""

HSTS = ("Strict-Transport-Security", "max-age=31536000")
"""Who came by https comes by https for a year. Subdomains are others': nothing is said of them."""


# --- a server ------------------------------------------------------------------------------------


@asynccontextmanager
async def opened(database: Location, config: Config, **known: Any) -> AsyncGenerator[Running]:
    """Everything that a server has, until the block ends; then begun work is finished and signed.

    `known` are further fields of `Running`. Raises as the log and the store of access do.
    """
    await asyncio.to_thread(sweep, database)
    log = await open_log(database)
    try:
        access = await access_of(database)
        try:
            half = config.memory * MIB // 2
            snapshots = snapshots_of(database, half)
            secrets = secrets_of(database)
            await reached(asyncio.to_thread(secrets.vault.there))
            service = CountedService(log, secrets, memory=half, snapshots=snapshots)
            running = Running(front=service, access=access, config=config, **known)
            service.metrics = running.metrics
            running.metrics.read_loaded(lambda: service.loaded)
            try:
                yield running
            finally:
                await service.close()
                await asyncio.to_thread(secrets.close)
        finally:
            await access.close()
    finally:
        await log.close()


def server_of(running: Running) -> "Server":
    """What answers for a server, not running yet."""
    config = running.config
    return Server(
        running,
        uvicorn.Config(
            Observed(application(running), running.metrics),  # type: ignore[arg-type]  # of any protocol
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # `guesses.address_of` reads them
            ssl_certfile=config.tls_cert,
            ssl_keyfile=config.tls_key,
            ssl_ciphers=CIPHERS,
            headers=[HSTS] if is_https_alone(config) else [],
            timeout_keep_alive=ceil(config.patience),
            timeout_graceful_shutdown=round(config.grace),
            http=door(config),
            ws=Link,
            ws_max_size=FRAME,
            ws_per_message_deflate=False,
            ws_ping_interval=config.ping,
            ws_ping_timeout=config.ping,
        ),
    )


def is_https_alone(config: Config) -> bool:
    """Whether clients come by https at its usual port: else others may be at the same name."""
    scheme, _, host = config.own[0].partition("://")
    return scheme == "https" and ":" not in host


class Server(uvicorn.Server):
    """uvicorn's server: it says when it listens, lingers, and leaves the process to its caller."""

    def __init__(self, running: Running, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.running = running
        self.caught = False
        self.listening: Callable[[], None] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        try:
            await super().startup(sockets)
        except asyncio.CancelledError:  # by a signal: the application ends as it does later
            await self.lifespan.shutdown()
            raise
        self.listening()

    async def main_loop(self) -> None:
        """Answer until it shall end, and then as long as it lingers, with /ready 503."""
        await super().main_loop()
        self.running.ending.set()
        logger.info("the server stops")
        await asyncio.sleep(self.running.config.linger)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nobody in any more, and end.

        Whom asyncio accepted in the very turn in which a server is closed it would lose, with a
        failed assertion of its own; who is a connection only after that would not be told to end.
        """
        loop = asyncio.get_running_loop()
        for each in [found for server in self.servers for found in server.sockets]:
            loop.remove_reader(each.fileno())
        for _ in ("accepted", "made"):
            await asyncio.sleep(0)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take SIGTERM and SIGINT meanwhile. uvicorn's own ends the process by them afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in SIGNALS}
        try:
            yield
        finally:
            # After a signal they stay as they are: heads are signed yet, and no SIGTERM stops that.
            if not self.caught:
                for each, handler in before.items():
                    signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain; from here on SIGINT ends the process at once."""
        self.caught = self.should_exit = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)


async def serve(
    database: Location, config: Config, *, started: Callable[[Config, Secret | None], None]
) -> None:
    """Serve a database until SIGTERM or SIGINT.

    `started` is called once it listens, with the settings, their port the real one, and with the
    host's link where that was made now. Raises Refused for settings that cannot be used, and as the
    log and the store of access do.
    """
    check_reached(config)
    check_tls(config)
    with listener_of(config) as listener:
        config = replace(config, port=listener.getsockname()[1])
        async with opened(database, config) as running:
            link = await running.access.host_link(running.now())
            await run(running, [listener], lambda: started(config, link))


async def run(
    running: Running, listeners: list[socket.socket], listening: Callable[[], None]
) -> None:
    """Answer at some sockets until SIGTERM or SIGINT; `listening` is called once it does."""
    server = server_of(running)
    server.listening = listening
    async with purging(running), collecting():
        await server.serve(sockets=listeners)


async def new_host_link(database: Location, config: Config) -> Secret:
    """Make another host's link, beside a running server too, which closes the old one's sockets.

    Raises Refused("unreadable") for a database that is not there, "due" where nothing says at which
    address it is served, and as the store of access does.
    """
    if isinstance(database, Path) and not await asyncio.to_thread(database.is_file):
        raise Refused("unreadable", f"there is no file {database}")
    if config.url is None and config.port == 0:
        raise Refused(
            "due", "with port 0 nothing says where it is served", allowed=["--port", "--url"]
        )
    check_reached(config)
    access = await access_of(database)
    try:
        link = await access.host_link(milliseconds(), new=True)
    finally:
        await access.close()
    if link is None:
        raise Defect("no new link was made")
    return link


@asynccontextmanager
async def purging(running: Running, every: float = PURGED_EVERY) -> AsyncGenerator[None]:
    """Let the store of access forget what is over, at once and every hour."""

    async def purge() -> None:
        while True:
            try:
                await running.access.purge(running.now())
            except Exception as error:  # noqa: BLE001 - the next time it may go well
                known = {"why": str(error)} if isinstance(error, UrimError) else {}
                name = type(error).__name__
                logger.warning("the store of access was not purged", error=name, **known)
            await asyncio.sleep(every)

    async with beside(purge()):
        yield


def host_url(config: Config, link: Secret) -> str:
    """The host's link, whole: the secret is in its fragment, which no browser sends."""
    return f"{config.own[0]}/#h={link.reveal()}"
