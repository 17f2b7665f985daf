"""A real server for tests: uvicorn on a loopback port, a log, secrets and access in files.

    with Served(tmp_path) as served:
        tokens = served.open("table001", {"p1": "player"})
        httpx.get(f"{served.url}/tables/table001", headers=bearer(tokens["p1"]))

The server has a thread and a loop of its own; `run` does something in that loop.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Self, TypeVar

from litestar import Litestar
from msgspec.structs import replace

from tests.engine.helpers.stages.sooner import PATIENCE
from urim.engine.access.protocol import DAY, Grant
from urim.engine.access.rights import AccessRole
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.core.commands import OpenTable, TakeSeat
from urim.engine.server.metrics.middleware import Observed
from urim.engine.server.process.config import Config
from urim.engine.server.process.listener import listener_of
from urim.engine.server.process.server import opened, server_of
from urim.engine.server.running import Running, milliseconds
from urim.engine.service import Service
from urim.events.base import Role
from urim.events.log.protocol import EventLog

T = TypeVar("T")

NARRATOR = "narrator"
"""The first narrator's seat of every table that is opened here."""

PLAYERS: Mapping[str, Role] = {"p1": "player", "p2": "player"}


NOTHING: Mapping[str, Any] = {}


class Served:
    """A running server on `table.db` in a directory, which may have been served before.

    `settings` are those of `Config`; `now` is the clock, `known` further fields of `Running`.
    """

    url: str
    ws_url: str
    here: Running
    app: Litestar
    service: Service
    """What the server's own front is: for a test that looks behind it."""

    log: EventLog
    access: SqliteAccess

    def __init__(
        self,
        directory: Path,
        *,
        now: Callable[[], int] = milliseconds,
        known: Mapping[str, Any] = NOTHING,
        **settings: Any,
    ) -> None:
        self.database = directory / "table.db"
        self._now = now
        self._settings = settings
        self._known = known
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="serves", daemon=True)
        self._host_token: str | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE), "the server did not start"
        if self._failed is not None:
            raise self._failed
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Drain and end, as SIGTERM does."""
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server does not end"
        if self._failed is not None:
            raise self._failed

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the server's loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def soon(self, call: Callable[[], object]) -> None:
        """Do something in the server's loop, without waiting for it."""
        self._loop.call_soon_threadsafe(call)

    @property
    def connections(self) -> set[Any]:
        """Those that are open, in the server's hands."""
        return self._server.server_state.connections

    @property
    def tasks(self) -> set[asyncio.Task[None]]:
        """What the server does for them."""
        return self._server.server_state.tasks

    # --- who comes in -----------------------------------------------------------------------------

    @property
    def host_token(self) -> str:
        """A token of the host, the same one each time."""
        if self._host_token is None:
            link = self.run(self.access.host_link(self._now(), new=True))
            assert link is not None
            self._host_token = self.exchange(link.reveal())
        return self._host_token

    def open(
        self,
        table: str,
        seats: Mapping[str, Role] = PLAYERS,
        *,
        ruleset: str = "milhamah",
        source: str = "scripted",
        level: Any = "player",
    ) -> dict[str, str]:
        """Open a table with these seats; a token for each, and for the narrator."""
        command = OpenTable(table, ruleset, {}, source, level)
        self.run(self.service.open_table(NARRATOR, command))
        for seat, role in seats.items():
            self.run(self.service.submit(table, NARRATOR, TakeSeat(seat, role)))
        tokens = {NARRATOR: self.token(table, "narrator", NARRATOR)}
        return tokens | {seat: self.token(table, role, seat) for seat, role in seats.items()}

    def token(self, table: str, role: AccessRole, seat: str | None = None) -> str:
        """A further token; for a role with a seat, the seat must be there already."""
        return self.exchange(self.invitation(table, role, seat))

    def invitation(self, table: str, role: AccessRole, seat: str | None = None) -> str:
        """An invitation's secret, from the host or from the table's narrator."""

        async def issued() -> str:
            now = self._now()
            held = [grant for grant in await self.access.holders(table, now) if grant.seat == seat]
            by: Grant = _by(role, table, now)
            if seat is not None and held:
                by = held[0]  # its holder's further client
            inviting = by.inviting(table, role, seat=seat, expires=now + DAY)
            return (await self.access.invite(inviting, now)).secret.reveal()

        return self.run(issued())

    def exchange(self, secret: str) -> str:
        """The token for an invitation, or for the host's link."""
        admitted = self.run(self.access.exchange(secret, token_urlsafe(24), self._now()))
        assert admitted is not None
        return admitted.token.reveal()

    # --- the server's thread ----------------------------------------------------------------------

    def _main(self) -> None:
        with suppress(BaseException):  # _serve keeps it for the test
            asyncio.run(self._serve())
        self._ready.set()

    async def _serve(self) -> None:
        try:
            await self._serve_until_stopped()
        except BaseException as error:
            self._failed = error
            raise

    async def _serve_until_stopped(self) -> None:
        self._loop = asyncio.get_running_loop()
        settings: dict[str, Any] = {"port": 0, **self._settings}
        config = Config(**settings)
        with listener_of(config) as listener:
            config = replace(config, port=listener.getsockname()[1])
            self.url = config.listens
            self.ws_url = self.url.replace("http", "ws", 1)
            async with opened(self.database, config, now=self._now, **self._known) as self.here:
                assert isinstance(self.here.front, Service)
                assert isinstance(self.here.access, SqliteAccess)
                self.log = self.here.front.log
                self.service, self.access = self.here.front, self.here.access
                self._server = server_of(self.here)
                observed = self._server.config.app
                assert isinstance(observed, Observed)
                assert isinstance(observed.app, Litestar)
                self.app = observed.app
                self._server.listening = self._ready.set
                await self._server.serve(sockets=[listener])


def _by(role: AccessRole, table: str, now: int) -> Grant:
    """Who may invite somebody of a role."""
    by: AccessRole = "host" if role in ("narrator", "auditor") else "narrator"
    seat = None if by == "host" else NARRATOR
    return Grant(id="of tests", table=table, seat=seat, role=by, expires=now + DAY)


def bearer(token: str) -> dict[str, str]:
    """The header of a request that has a token."""
    return {"Authorization": f"Bearer {token}"}
