"""Wakes those who wait, here and in other processes: after commits, never within one.

One connection listens, and notifies the others of what was committed here: many tables a message,
at most every few milliseconds. PostgreSQL lets only one transaction at a time end with a NOTIFY, so
that one within each commit would make all commits wait for one another. A message may be lost: the
same connection looks now and then at the sizes of all tables that are listened to. When it dies it
is opened again, and everybody is woken. It carries hints too, on a channel of their own.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING

import asyncpg

from ....errors import Refused
from ..hints import Heard
from . import rows
from .place import FAULTS, PID, Place, backed_off, shut

if TYPE_CHECKING:
    from .place import Connection

CHANNEL = "urim_log"

HINTS = "urim_hints"
"""The channel of hints: a line each, what it is about, `|`, and its words."""

EVERY = 0.005
"""Seconds between two notifications, at least."""

BYTES = 7_900
"""Of a message, at most: PostgreSQL takes less than 8,000."""

NOTIFY = "SELECT pg_catalog.pg_notify($1, message) FROM unnest($2::text[]) AS message"


class Bells:
    """The connection that listens, notifies and polls, for those in the event loop that made it.

    `heard` is called with a table that another process has committed to, `heard_all` when anything
    may have been missed. `listened` gives the tables that somebody waits for, `size_of` the size
    that is known of one, None while that is about to change.
    """

    def __init__(
        self,
        place: Place,
        *,
        heard: Callable[[str], None],
        heard_all: Callable[[], None],
        listened: Callable[[], Collection[str]],
        size_of: Callable[[str], int | None],
        poll: float,
    ) -> None:
        self.place = place
        self._heard = heard
        self._heard_all = heard_all
        self._listened = listened
        self._size_of = size_of
        self._poll = poll
        self._changed: set[str] = set()
        self._hints: dict[str, str] = {}
        self._hearers: list[Heard] = []
        self._seen: dict[str, int] = {}
        self._wanted = asyncio.Event()
        self._lost = False
        self._pid = 0
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to listen. Raises as `Place.connect`."""
        connection = await self._connected()
        self._task = asyncio.create_task(self._run(connection))

    async def close(self) -> None:
        """Send what waits to be sent, and end."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait([self._task])

    def announce(self, table: str) -> None:
        """Let other processes know soon that a table has grown."""
        self._changed.add(table)
        self._wanted.set()

    def hint(self, about: str, words: str) -> None:
        """Give a hint soon; see `Hints.hint`."""
        line = f"{about}|{words}"
        if len(line) > BYTES or "|" in about or not (line.isascii() and line.isprintable()):
            why = f"a hint of {len(line)} characters about {about[:40]!a}"
            allowed = [f"{BYTES} printable ASCII characters of one line, and one '|'"]
            raise Refused("malformed", why, allowed=allowed)
        self._hints[about] = words
        self._wanted.set()

    def hear(self, heard: Heard) -> Callable[[], None]:
        """Call this with every hint; see `Hints.hear`."""
        self._hearers.append(heard)
        return lambda: self._hearers.remove(heard)

    async def _connected(self) -> "Connection":
        connection = await self.place.connect()
        try:
            self._pid = int(await connection.fetchval(PID))
            connection.add_termination_listener(self._ended)
            await connection.add_listener(CHANNEL, self._notified)
            await connection.add_listener(HINTS, self._hinted)
        except asyncpg.ReadOnlySQLTransactionError:
            pass  # a standby has no notifications: it is only looked at now and then
        except BaseException:
            connection.terminate()
            raise
        self._lost = False
        return connection

    def _ended(self, _: object) -> None:
        self._lost = True
        self._wanted.set()

    def _notified(self, connection: object, pid: int, channel: str, message: object) -> None:
        if pid == self._pid:  # not what the driver was given: a pooler makes one up
            return  # what was committed here was rung for already, with its size
        for table in str(message).split():
            self._heard(table)

    def _hinted(self, connection: object, pid: int, channel: str, message: object) -> None:
        for line in str(message).split("\n"):
            about, _, words = line.partition("|")
            for heard in [*self._hearers]:
                heard(about, words)

    async def _run(self, connection: "Connection | None") -> None:
        turn = 0
        try:
            while True:
                try:
                    if connection is None:
                        connection = await self._connected()
                        self._heard_all()
                    await self._serve(connection)
                except Exception:  # noqa: BLE001 - whatever it was, others are waiting
                    turn += 1
                else:
                    turn = 0
                if connection is not None:
                    connection.terminate()
                    connection = None
                await backed_off(turn)
        finally:
            if connection is not None:
                await self._farewell(connection)

    async def _serve(self, connection: "Connection") -> None:
        """Notify and look until the connection ends."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._poll
        while not self._lost:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._wanted.wait()
            self._wanted.clear()
            if self._changed or self._hints:
                await self._notify(connection)
                await asyncio.sleep(EVERY)
            if loop.time() >= due:
                await self._look(connection)
                due = loop.time() + self._poll

    async def _notify(self, connection: "Connection") -> None:
        if sent := frozenset(self._changed):
            await connection.execute(NOTIFY, CHANNEL, packed(sorted(sent), " "))
            self._changed -= sent
        if hints := dict(self._hints):
            lines = [f"{about}|{words}" for about, words in hints.items()]
            await connection.execute(NOTIFY, HINTS, packed(lines, "\n"))
            self._hints = dict(self._hints.items() - hints.items())

    async def _look(self, connection: "Connection") -> None:
        """Ring for the tables that have grown though nobody notified of it."""
        listened = list(self._listened())
        if not listened:
            return
        found = await rows.sizes(connection, listened)
        for table, size in found.items():
            known = self._size_of(table)
            if known is not None and size > max(known, self._seen.get(table, 0)):
                self._seen[table] = size
                self._heard(table)
        if len(self._seen) > 2 * len(listened):
            self._seen = {table: self._seen[table] for table in listened if table in self._seen}

    async def _farewell(self, connection: "Connection") -> None:
        with suppress(*FAULTS):
            if not connection.is_closed():
                await self._notify(connection)
            await connection.remove_listener(CHANNEL, self._notified)
            await connection.remove_listener(HINTS, self._hinted)
        await shut(connection)


def packed(pieces: Collection[str], between: str) -> list[str]:
    """Tables' ids, or hints, as few messages as they go into."""
    messages: list[str] = []
    room = 0
    for piece in pieces:
        room -= len(between) + len(piece)
        if room < 0:
            messages.append(piece)
            room = BYTES - len(piece)
        else:
            messages[-1] += between + piece
    return messages
