"""A store of snapshots, and the rows of one of its tables, each with its MAC."""

import hmac
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Protocol, TypeVar

from ..logs import logger
from .protocol import Row, StaleSnapshot, StoredRows
from .recent import Recent

T = TypeVar("T")

MAC_BYTES = 16


class SnapshotStore(Protocol):
    """The snapshots of the tables of one log. Threads may share it."""

    @property
    def recent(self) -> Recent:
        """The rows used last, in memory."""
        ...

    def table(self, table: str, key: bytes) -> "TableRows":
        """The rows of one table, under a key that follows from its secret. Raises Unavailable."""
        ...

    async def apart(self, work: Callable[[], T], /) -> T:
        """Do some work that reads rows, in an event loop; see `Apart`."""
        ...

    def forget(self, table: str) -> bool:
        """Throw away all rows of a table: for all that read them they are stale.

        False where there are none: nothing is stale.
        """
        ...

    def purge(self) -> None:
        """Let nothing that was overwritten stay, as far as that is the store's to do."""
        ...

    def close(self) -> None:
        """Let go of what reading and writing need."""
        ...


class TableRows:
    """The rows of one table. Each has a MAC: one that is not as it was written is stale."""

    def __init__(
        self, snapshots: SnapshotStore, stored: StoredRows, table: str, key: bytes
    ) -> None:
        self.snapshots = snapshots
        self.table = table
        self.writes = 0
        self._stored = stored
        self._key = blake2b(b"urim/1 snapshot\n" + key, digest_size=32).digest()

    @property
    def known_as(self) -> str:
        """What the table is called in the store's `recent`."""
        return self._stored.known_as

    @property
    def stale(self) -> bool:
        """Whether they were thrown away, or others wrote the next."""
        return self._stored.stale

    @property
    def shared(self) -> bool:
        """Whether others may read them: then none is written but with its head."""
        return self._stored.shared

    def start_over(self) -> None:
        """Throw all of them away, and begin with none."""
        self._stored.start_over()

    def read(self, kind: str, number: int) -> bytes | None:
        """The body of a row; None where there is none. Raises StaleSnapshot, Unavailable."""
        self._check()
        found = self._stored.read(kind, number)
        self._check()
        return None if found is None else self._body(kind, number, found)

    def read_range(self, kind: str, start: int, stop: int) -> list[tuple[int, bytes]]:
        """Numbers and bodies of the rows from `start` up to `stop`. Raises as `read`."""
        self._check()
        found = self._stored.read_range(kind, start, stop)
        self._check()
        rows = ((self._number(kind, number), whole) for number, whole in found)
        return [(number, self._body(kind, number, whole)) for number, whole in rows]

    def _number(self, kind: str, number: object) -> int:
        if not isinstance(number, int):  # the file was overwritten
            raise self.thrown_away(f"a row of {kind} has no number")
        return number

    def _body(self, kind: str, number: int, whole: object) -> bytes:
        if not isinstance(whole, bytes) or len(whole) < MAC_BYTES:
            raise self.thrown_away(f"row {number} of {kind} is not one")
        mac, body = whole[:MAC_BYTES], whole[MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(kind, number, body)):
            raise self.thrown_away(f"row {number} of {kind} is not what was written")
        return body

    def numbers(self, kind: str) -> list[int]:
        """The numbers of all rows of a kind that are there. Raises StaleSnapshot."""
        self._check()
        return [self._number(kind, number) for number in self._stored.numbers(kind)]

    def write(
        self, rows: Iterable[Row], without: Iterable[tuple[str, int]] = (), size: int = 0
    ) -> None:
        """Delete the rows `without`, and write these, all or none; see `StoredRows.write`."""
        self._check()
        sealed = (
            (kind, number, self._mac(kind, number, body) + body) for kind, number, body in rows
        )
        self._stored.write(sealed, without, size)

    def wrote(self, size: int) -> None:
        """Read from now on as of this size. What a thread reads meanwhile is of before."""
        self.writes += 1
        self._stored.wrote(size)

    def thrown_away(self, why: str) -> StaleSnapshot:
        """Throw all of them away; the error to raise."""
        self._stored.throw_away()
        logger.warning("snapshot thrown away", table=self.table, why=why)
        return StaleSnapshot(
            f"the snapshot of table {self.table!r} was thrown away ({why}): ask again"
        )

    def _check(self) -> None:
        if self.stale:
            raise StaleSnapshot(f"the snapshot of table {self.table!r} was thrown away: ask again")

    def _mac(self, kind: str, number: int, body: bytes) -> bytes:
        place = f"{self.table}\n{kind}\n{number}\n".encode()
        return blake2b(place + body, key=self._key, digest_size=MAC_BYTES).digest()
