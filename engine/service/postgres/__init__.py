"""Records in a PostgreSQL database: secrets, keys and heads for services on several machines.

    vault = PostgresVault("postgresql://urim_secrets@db.example/tables", Path("secrets.key"))

They are in a schema of their own, which is to belong to a role of its own, and encrypted under a
key in a file that every machine has (AES-256-GCM, a random nonce, the record's name as associated
data): who reads the database, or a backup of it, has none of them. Who may write there can put a
record back that was there before, or delete one.

It needs the extra `postgres`, two connections while it is used, and one more while something is
held: what is held is let go of by the database when the process ends.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from ....errors import Refused, Unavailable, UrimError
from ....events.log.postgres.place import Place
from ....events.log.postgres.readers import Readers
from ....events.log.postgres.schema import number_in, prepare
from ..files import Hold
from . import rows
from .locks import Locks
from .loop import LoopThread
from .rows import SCHEMA
from .sealing import Sealing

if TYPE_CHECKING:
    from ....events.log.postgres.place import Connection

T = TypeVar("T")

PAUSE = 0.01
"""Seconds between two looks at what somebody else holds."""


class PostgresVault:
    """A `Vault` in a database. `busy` is how many seconds a statement, or who waits, may take.

    Nothing is made there before the first record, and nothing is connected before it is used.
    """

    def __init__(self, url: str, key: Path, *, busy: float = 30.0) -> None:
        self._place = Place(url, busy=busy, schema=SCHEMA.name)
        self._looking = Place(url, busy=busy, schema=SCHEMA.name, reading=True)
        self._sealing = Sealing(key)
        self._ready = False
        self._made = False
        self._thread = LoopThread(f"secrets in the {self._place.shown}")
        self._connected: dict[bool, Readers] = {}
        self._locks = Locks(self._place)
        # Who forgets it, or ends, leaves no thread and no connection behind.
        finalize(self, _end, self._thread, self._locks, self._connected)

    @property
    def shown(self) -> str:
        return f"secrets in the {self._place.shown}"

    def there(self) -> bool:
        return self._read(rows.there) is not None

    def place(self, name: str) -> str:
        return f"{name!r} of the {self.shown}"

    def read(self, name: str, most: int) -> bytes | None:
        """See `Vault.read`.

        Refused("unreadable") names the record where it is encrypted under another key than the one
        in the file, or where there is no such file.
        """
        found = self._read(partial(rows.find, name=name))
        if found is None:
            return None
        return self._sealing.opened(found, name, self.place(name))[:most]

    def names(self, folder: str = "", stem: str = "") -> tuple[str, ...]:
        return self._read(partial(rows.names, folder=folder, stem=stem)) or ()

    def write_new(self, name: str, content: bytes) -> Hold | None:
        while not self._locked(name):
            # Who holds it has perhaps not written it yet.
            if self._read(partial(rows.find, name=name)) is not None:
                return None
            self._thread.call(partial(asyncio.sleep, PAUSE))
        held = self._held(name)
        try:
            added = self._kept(rows.add, name, content)
        except BaseException:
            held.release()
            raise
        if added:
            return held
        held.release()
        return None

    def write_over(self, name: str, content: bytes) -> None:
        self._kept(rows.put, name, content)

    def remove(self, name: str) -> None:
        with suppress(UrimError):
            if self.there():
                self._write(partial(rows.remove, name=name))

    def set_aside(self, name: str, other: str) -> None:
        def again(found: rows.Sealed, free: str) -> bytes:
            content = self._sealing.opened(found, name, self.place(name))
            return self._sealing.sealed(content, free).content

        if self.there():
            self._write(partial(rows.set_aside, name=name, other=other, again=again))

    def hold(self, name: str) -> Hold | None:
        if not self._locked(name):
            return None
        held = self._held(name)
        if self._read(partial(rows.find, name=name)) is not None:
            return held
        held.release()
        return None

    @contextmanager
    def alone(self, name: str = "", *, wait: bool) -> Generator[None]:
        name = f"{name}/"  # which no record is called
        waited = 0.0
        while not self._locked(name):
            if not wait or waited > self._place.busy:
                raise Unavailable(f"the {self.shown} are in use by another process")
            self._thread.call(partial(asyncio.sleep, PAUSE))
            waited += PAUSE
        held = self._held(name)
        try:
            yield
        finally:
            held.release()

    def rotate(self, key: Path) -> int:
        """See `Encrypted.rotate`; it is one transaction.

        Also raises Damaged for a record that is not what was written.
        """
        known = self._read(rows.proof)
        if known is None:
            why = f"there are no {self.shown}"
            raise Refused("unreadable", why, allowed=["open a table first"])
        self._sealing.agree(known, self.shown)  # before the other key is made
        new = Sealing(key)
        proof = new.made()
        if hmac.compare_digest(known, proof):
            why = f"{key} has the key that the {self.shown} are under"
            raise Refused("unreadable", why, allowed=["the file of another key"])

        def again(found: rows.Sealed, name: str) -> bytes:
            return new.sealed(self._sealing.opened(found, name, self.place(name)), name).content

        count = self._write(partial(rows.rotate, proof=proof, again=again))
        self._sealing = new
        return count

    def close(self) -> None:
        self._thread.call(self._shut)
        if not self._locks.held:
            self._thread.close()

    async def _shut(self) -> None:
        for each in self._connected.values():
            await each.close()
        self._connected.clear()
        await self._locks.close()

    # --- on the thread ----------------------------------------------------------------------------

    def _read(self, work: "Callable[[Connection], Awaitable[T]]") -> T | None:
        """What some work finds, as of one moment; None where there are no records at all."""

        async def looked(connection: "Connection") -> T | None:
            if not self._ready:
                if await number_in(self._looking, connection, SCHEMA) is None:
                    return None
                await prepare(self._looking, connection, SCHEMA)
                self._ready = True
            return await work(connection)

        async def asked() -> T | None:
            return await self._at(self._looking).look(looked)

        return self._thread.call(asked)

    def _write(self, work: "Callable[[Connection], Awaitable[T]]") -> T:
        """What some work that writes gives, once it is on the server's disk."""

        async def done(connection: "Connection") -> T:
            async with connection.transaction():
                return await work(connection)

        async def asked() -> T:
            there = self._at(self._place)
            if not self._made:
                await there.look(partial(prepare, self._place, schema=SCHEMA))
                self._made = True
            return await there.look(done)

        return self._thread.call(asked)

    def _at(self, place: Place) -> Readers:
        """One connection, to look or to write."""
        if place.reading not in self._connected:
            self._connected[place.reading] = Readers(place, 1)
        return self._connected[place.reading]

    def _kept(
        self,
        work: "Callable[[Connection, str, rows.Sealed], Awaitable[bool | None]]",
        name: str,
        content: bytes,
    ) -> bool:
        """What keeping a record gives. Raises Refused where others went on to another key."""
        while True:
            sealed = self._sealed(name, content)
            kept = self._write(lambda connection: work(connection, name, sealed))  # noqa: B023
            if kept is not None:
                return kept
            self._sealing.agreed = False

    def _sealed(self, name: str, content: bytes) -> rows.Sealed:
        """A record encrypted, under a key that is the one of all records there."""
        if not self._sealing.agreed:
            known = self._read(rows.proof)
            if known is None:
                known = self._write(partial(rows.agree, proof=self._sealing.made()))
            self._sealing.agree(known, self.place(name))
        return self._sealing.sealed(content, name)

    def _locked(self, name: str) -> bool:
        return self._thread.call(partial(self._locks.take, name))

    def _held(self, name: str) -> Hold:
        return Hold(partial(self._thread.settle, partial(self._locks.give_back, name)))


def _end(thread: LoopThread, locks: Locks, _: dict[bool, Readers]) -> None:
    """End what a vault began. What is given is not forgotten with it: a loop forgets its tasks."""
    thread.close(locks.drop)
