"""What a process holds in a database: locks by name, which end with its connection.

One connection has all of them. PostgreSQL lets a session take a lock twice, so what this process
holds is known here as well. Where that connection is lost, so are its locks: others may take for
left what is being opened just then.
"""

import asyncio
from hashlib import blake2b
from typing import TYPE_CHECKING

from ....events.log.postgres.place import FAULTS, Place, shut

if TYPE_CHECKING:
    from ....events.log.postgres.place import Connection

TAKE = "SELECT pg_catalog.pg_try_advisory_lock($1)"
GIVE_BACK = "SELECT pg_catalog.pg_advisory_unlock($1)"


class Locks:
    """Locks by name, for the event loop that uses them first."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._connection: Connection | None = None
        self._turn: asyncio.Lock | None = None
        self._held: dict[str, Connection | None] = {}

    @property
    def held(self) -> bool:
        """Whether anything is held."""
        return bool(self._held)

    async def take(self, name: str) -> bool:
        """Take a lock; False where anybody has it. Raises Unavailable as `Place.connect`."""
        if name in self._held:
            return False
        self._held[name] = None
        taken = False
        try:
            async with self._alone(), self._place.in_words():
                if self._connection is None or self._connection.is_closed():
                    self._connection = await self._place.connect()
                taken = bool(await self._connection.fetchval(TAKE, number_of(name)))
                self._held[name] = self._connection
        finally:
            if not taken:
                del self._held[name]
        return taken

    async def give_back(self, name: str) -> None:
        """Give a lock back; where that cannot be, its connection ends, and with it all of them."""
        connection = self._held.pop(name, None)
        if connection is None or connection.is_closed():
            return
        async with self._alone():
            try:
                await connection.execute(GIVE_BACK, number_of(name))
            except FAULTS:
                connection.terminate()

    async def close(self) -> None:
        """End the connection, unless something is held."""
        async with self._alone():
            if self._connection is not None and not self._held:
                await shut(self._connection)
                self._connection = None

    def drop(self) -> None:
        """Let go of everything at once."""
        self._held.clear()
        if self._connection is not None:
            self._connection.terminate()

    def _alone(self) -> asyncio.Lock:
        """A connection takes one statement at a time."""
        if self._turn is None:
            self._turn = asyncio.Lock()
        return self._turn


def number_of(name: str) -> int:
    """The number of a name's lock, which PostgreSQL knows locks by: 64 bits, with a sign."""
    digest = blake2b(f"urim/1 {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
