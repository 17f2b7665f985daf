"""Snapshots in a PostgreSQL database, for services on several machines.

    snapshots = PostgresSnapshots("postgresql://urim@db.example/tables")

They are in a schema of their own. A row is kept in each form that it had, with the size that the
table had then: who took up an older snapshot reads on as of then, while others write the next. Who
writes names the head that it went on from, and where others were first it has changed nothing, and
loads the table again through theirs. Rows that have no head yet, of a table that is being loaded,
are a *generation* of their own, which nobody else reads; whose head is first, that is the table's.

It needs the extra `postgres`, and at most two connections while it is used.
"""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from msgspec.structs import replace

from .....errors import Damaged, Refused
from .....events.log.postgres.place import Place
from .....events.log.postgres.readers import Readers
from .....events.log.postgres.schema import prepare
from ....logs import logger
from ....snapshots.file import MEMORY, Snapshots
from ....snapshots.protocol import HEAD, Row, StaleSnapshot
from ....snapshots.recent import Recent
from ....snapshots.rows import TableRows
from ..loop import LoopThread, apart
from . import rows as stored
from .rows import BITS, SCHEMA, Batch, Generation

if TYPE_CHECKING:
    from .....events.log.postgres.place import Connection

T = TypeVar("T")

CONNECTIONS = 2
"""Connections, at most: one reads while another one writes."""

_counted = count(1)


class PostgresSnapshots:
    """A `SnapshotStore` in a database; in a private file where the database does not let it.

    `memory` bounds the rows in memory, `busy` is how many seconds a statement may take. Nothing is
    made there, or connected, before it is used.
    """

    def __init__(self, url: str, memory: int = MEMORY, *, busy: float = 30.0) -> None:
        self._place = Place(url, busy=busy, schema=SCHEMA.name)
        self._private = Snapshots(memory=memory)
        self._thread = LoopThread(f"snapshots in the {self._place.shown}")
        self._readers: Readers | None = None
        self._usable: bool | None = None
        self._thrown: dict[str, int] = {}
        self._closed = False
        # Who forgets it, or ends, leaves no thread behind.
        finalize(self, self._thread.close)

    @property
    def recent(self) -> Recent:
        """See `SnapshotStore.recent`."""
        return self._private.recent

    async def apart(self, work: Callable[[], T], /) -> T:
        """See `SnapshotStore.apart`."""
        return await apart(work)

    def table(self, table: str, key: bytes) -> TableRows:
        """See `SnapshotStore.table`."""
        if not self.usable():
            return self._private.table(table, key)
        return TableRows(self, PostgresRows(self, table), table, key)

    def forget(self, table: str) -> bool:
        """See `SnapshotStore.forget`. Raises Unavailable, and then they are as they were."""
        if not self.usable():
            return self._private.forget(table)
        found = self.run(partial(stored.forget, table=table))
        if found:
            self._thrown[table] = self.times_thrown(table) + 1
        return found

    def times_thrown(self, table: str) -> int:
        """How often the rows of a table were thrown away here."""
        return self._thrown.get(table, 0)

    def purge(self) -> None:
        """Nothing: what a row held before goes as it does in the log, when PostgreSQL vacuums."""

    def close(self) -> None:
        """Close the connections."""
        self._private.close()
        if not self._closed:
            self._closed = True
            self._thread.call(self._shut)
            self._thread.close()

    async def _shut(self) -> None:
        if self._readers is not None:
            await self._readers.close()

    def usable(self) -> bool:
        """Whether they can be in the database; what is missing there is made. Raises Unavailable.

        They are a cache: a service without the right to make them has private ones.
        """
        if self._usable is None:
            try:
                self.run(partial(prepare, self._place, schema=SCHEMA))
                self._usable = True
            except (Refused, Damaged) as error:
                self._usable = False
                logger.warning("snapshots not used", why=str(error))
        return self._usable

    def run(self, work: "Callable[[Connection], Awaitable[T]]") -> T:
        """What some work gives, in a transaction. Raises Unavailable; StaleSnapshot once closed."""
        if self._closed:
            raise StaleSnapshot("the snapshots are closed")

        async def done(connection: "Connection") -> T:
            async with connection.transaction():
                return await work(connection)

        async def asked() -> T:
            if self._readers is None:
                self._readers = Readers(self._place, CONNECTIONS)
            return await self._readers.look(done)

        return self._thread.call(asked)


class PostgresRows:
    """A table's rows in the database; see `StoredRows`. Its head is to be read first."""

    def __init__(self, store: PostgresSnapshots, table: str) -> None:
        self._store = store
        self._begin(stored.new_generation(table))

    def _begin(self, of: Generation) -> None:
        """Go on with rows that have a head, or begin with none."""
        self.known_as = f"{of.table} {next(_counted)}"
        self._of = of
        self._lost = False
        self._wrote = False
        self._thrown = self._store.times_thrown(of.table)

    @property
    def stale(self) -> bool:
        """Whether they were thrown away, or others wrote the next."""
        return self._lost or self._thrown != self._store.times_thrown(self._of.table)

    @property
    def shared(self) -> bool:
        """Whether they have a head, through which others read them."""
        return self._of.head > 0

    def start_over(self) -> None:
        """Throw all of them away, unless others wrote the next, and begin with none."""
        if self.shared or self._wrote:
            self._store.run(partial(stored.drop, of=self._of))
        self._begin(stored.new_generation(self._of.table))

    def read(self, kind: str, number: int) -> object:
        """See `StoredRows.read`. Who reads the head goes on from there."""
        if kind != HEAD:
            return self._store.run(partial(stored.read, of=self._of, kind=kind, number=number))
        found = self._store.run(partial(stored.head, table=self._of.table))
        if found is None:
            return None
        self._begin(found[0])
        return found[1]

    def read_range(self, kind: str, start: int, stop: int) -> list[tuple[object, object]]:
        """See `StoredRows.read_range`."""
        work = partial(stored.read_range, of=self._of, kind=kind, span=range(start, stop))
        return self._still(self._store.run(work))

    def numbers(self, kind: str) -> list[object]:
        """See `StoredRows.numbers`."""
        return self._still(self._store.run(partial(stored.numbers, of=self._of, kind=kind)))

    def write(self, rows: Iterable[Row], without: Iterable[tuple[str, int]], size: int) -> None:
        """See `StoredRows.write`. Raises OverflowError for a number that is beyond 63 bits."""
        whole = list(rows)
        for kind, number, _ in whole:
            if number >> BITS:
                raise OverflowError(f"row {number} of {kind} has too high a number")
        batch = Batch(
            size,
            [place for place in without if place[0] != HEAD],
            [row for row in whole if row[0] != HEAD],
            next((body for kind, _, body in whole if kind == HEAD), None),
        )
        self._wrote = True
        done = self._store.run(partial(stored.write, of=self._of, batch=batch))
        self._still(done or None)
        if batch.head is not None:
            self._of = replace(self._of, head=size)

    def wrote(self, size: int) -> None:
        """See `StoredRows.wrote`."""
        self._of = replace(self._of, at=size)

    def throw_away(self) -> None:
        """Throw all of them away, unless others wrote the next."""
        if not self.stale:
            self._lost = True
            self._store.run(partial(stored.drop, of=self._of))

    def _still(self, found: T | None) -> T:
        """What was found. Raises StaleSnapshot where it is None: others were there first."""
        if found is None:
            self._lost = True
            why = f"table {self._of.table!r} has another snapshot by now: ask again"
            raise StaleSnapshot(why)
        return found
