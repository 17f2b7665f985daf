"""An evening over a network: a real server, a wire that may be cut, and clients in directories."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.engine.helpers.stages.acting import FAST, act
from tests.engine.helpers.stages.server import Served
from tests.engine.helpers.stages.wire import Wire
from urim.engine.client import Client, Manners, join, resume
from urim.engine.core.commands import EnterCharacter
from urim.engine.seat.happened import Happened
from urim.events.base import Role

TABLE = "table001"
ROLES: dict[str, Role] = {"narrator": "narrator", "p1": "player", "p2": "player"}
CHARACTERS = (("c1", "p1", {"BLE": 3}), ("c2", "p2", {"GRA": 2}))
IMPATIENT = Manners(first=0.01, most=0.03, patience=0.5, keep=0.0)


def played(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test to its end."""
    asyncio.run(asyncio.wait_for(test(), 120))


class Online:
    """A table of fair dice on a server, and the clients of its seats."""

    served: Served

    def __init__(self, wire: Wire, path: Path) -> None:
        self.wire = wire
        path.mkdir(exist_ok=True)
        self.path = path
        self.clients: dict[str, Client] = {}
        self.happened: dict[str, list[Happened]] = {seat: [] for seat in ROLES}

    async def close(self) -> None:
        """End the clients, and the server."""
        for client in self.clients.values():
            await client.close()
        await self.stop()

    async def link(self, seat: str) -> str:
        """A link to a seat."""
        role = ROLES[seat]
        secret = await asyncio.to_thread(self.served.invitation, TABLE, role, seat)
        return f"{self.wire.url}/#i={secret}"

    async def sit(self, *seats: str, **options: Any) -> None:
        """Let these join."""
        for seat in seats:
            options = {"manners": FAST, **options}
            self.clients[seat] = await join(await self.link(seat), self.path / seat, **options)

    async def restart(self, *seats: str, **options: Any) -> None:
        """End these clients and begin them again from their directories."""
        for seat in seats:
            await self.clients.pop(seat).close()
            options = {"manners": FAST, **options}
            self.clients[seat] = await resume(self.path / seat, **options)

    async def sit_again(self, seat: str, **options: Any) -> None:
        """Begin a client again that ended."""
        options = {"manners": FAST, **options}
        self.clients[seat] = await resume(self.path / seat, **options)

    async def serve(self) -> None:
        """Serve what the directory has."""
        settings: dict[str, Any] = {
            "origins": (self.wire.url,),
            "rate": 1000.0,
            "burst": 1000,
            "linger": 0.0,
        }
        self.served = Served(self.path, **settings)
        await asyncio.to_thread(self.served.__enter__)
        self.wire.server_port = port_of(self.served)

    async def anchored(self) -> None:
        """Wait until every client knows of an anchor of every other one's seat."""
        for client in self.clients.values():
            while any(client.state.seats[seat].anchor is None for seat in self.clients):
                self.happened[client.seat].append(await anext(client))

    async def stop(self) -> None:
        """End the server."""
        await asyncio.to_thread(self.served.stop)

    async def play(self, seats: Iterable[str] = ROLES) -> None:
        """Let these do what the table waits for, each in its own time, until there is nothing."""
        await asyncio.gather(*(self._play(self.clients[seat]) for seat in seats))

    async def _play(self, client: Client) -> None:
        while True:
            await client.caught_up()
            mine = [
                each
                for each in client.awaiting()
                if each.trigger not in ("open_share", "break_throw")
            ]
            if mine:
                await act(client, mine[0])
            elif all(roll.state == "resolved" for roll in client.state_sight().rolls):
                return
            else:
                happened = await anext(client)
                self.happened[client.seat].append(happened)


@asynccontextmanager
async def online(
    path: Path, *seats: str, level: str = "table", opened: bool = True
) -> AsyncGenerator[Online]:
    """A server with a table whose seats these clients took; each player has a character."""
    async with Wire(0) as wire:
        found = Online(wire, path)
        await found.serve()
        try:
            if opened:
                await asyncio.to_thread(found.served.open, TABLE, {}, source="fair", level=level)
            await found.sit(*seats)
            for character, seat, ratings in CHARACTERS:
                if seat in seats:
                    await found.clients[seat].do(EnterCharacter(character, seat, ratings))
            await found.anchored()
            yield found
        finally:
            await found.close()


def port_of(served: Served) -> int:
    """The port of a server."""
    return int(served.url.rpartition(":")[2])
