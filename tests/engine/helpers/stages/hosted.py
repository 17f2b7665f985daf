"""`urim serve` in a process of its own, behind a relay: it can be killed, and begun again.

async with hosted(path) as host:
links = await host.open(TABLE, "p1", "p2")     # the narrator's too
await host.kill()
await host.serve()
"""

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from tests.engine.helpers.stages.relay import Relay
from tests.engine.helpers.stages.serving import begun
from urim.engine.client import Host
from urim.engine.client.http import draw_client, exchange
from urim.engine.client.link import read_link
from urim.engine.service import Service
from urim.engine.service.beside import secrets_of
from urim.events.base import Level
from urim.events.log.location import Location
from urim.events.log.opening import open_log

T = TypeVar("T")

NARRATOR = "narrator"
QUICK = ("--rate", "100000", "--burst", "100000")


class Hosted:
    """The process, when it runs; `starts` how often it was begun."""

    process: "subprocess.Popen[str]"

    def __init__(self, relay: Relay, at: Location) -> None:
        self.relay = relay
        self.database: Location = at / "table.db" if isinstance(at, Path) else at
        self.link = self.host_token = ""
        self.starts = 0

    @property
    def url(self) -> str:
        """Where clients come in."""
        return self.relay.url

    @property
    def ws_url(self) -> str:
        """Where its sockets are, without the relay."""
        return f"ws://127.0.0.1:{self.relay.server_port}"

    async def serve(self, *words: str) -> None:
        """Begin it, with further flags, and wait until it listens."""
        self.process = begun(self.database, "--origin", self.relay.url, *QUICK, *words)
        assert self.process.stdout is not None
        line = await asyncio.to_thread(self.process.stdout.readline)
        assert line, self.process.communicate()
        found = json.loads(line)
        self.relay.server_port = int(found["url"].rpartition(":")[2])
        self.link = found.get("host_link", self.link).replace(found["url"], self.relay.url)
        self.starts += 1

    async def kill(self) -> None:
        """End it by SIGKILL, whatever it does. It complained of nothing until then."""
        self.process.kill()
        _, complaints = await asyncio.to_thread(self.process.communicate)
        assert not complaints, complaints

    async def end(self) -> None:
        """Let it drain and end. It complained of nothing."""
        self.process.send_signal(signal.SIGTERM)
        _, complaints = await asyncio.to_thread(self.process.communicate)
        assert (self.process.returncode, complaints) == (0, "")

    async def open(
        self, table: str, *seats: str, system: str = "milhamah", level: Level = "table"
    ) -> dict[str, str]:
        """Open a table of fair dice: links for the narrator and for these players."""
        async with Host(self.url, self.host_token or self.link) as host:
            self.host_token = host.token
            opened = await host.open_table(table, system, level=level)
        token = (await exchange(read_link(opened), draw_client())).token
        async with Host(self.url, token) as inviting:
            links = {seat: await inviting.invite(table, seat=seat) for seat in seats}
            own = await inviting.invite(table, "narrator", NARRATOR)
        return {NARRATOR: own, **links}

    async def read(self, work: Callable[[Service], Awaitable[T]]) -> T:
        """Look at its files from here, through a service that signs nothing new."""
        log, secrets = await open_log(self.database), secrets_of(self.database)
        service = Service(log, secrets, sign_every=10_000)
        try:
            return await work(service)
        finally:
            await service.close()
            await log.close()
            await asyncio.to_thread(secrets.close)


@asynccontextmanager
async def hosted(at: Location, *words: str) -> AsyncGenerator[Hosted]:
    """A server on a new log, in a folder or a database, begun with these flags.

    It is ended at the end, by whatever is needed.
    """
    async with Relay() as relay:
        found = Hosted(relay, at)
        try:
            await found.serve(*words)
            yield found
        finally:
            found.process.kill()
            await asyncio.to_thread(found.process.communicate)
