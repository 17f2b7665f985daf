"""When snapshots are written: in the table's turn, behind the command after which one is due."""

import asyncio
from functools import partial

from ..logs import logger
from ..snapshots.rows import SnapshotStore
from .tables import Held, Loader, TableCache


class Snapshotting:
    """Writes the next snapshots of a service's tables; nobody's command waits for its own one."""

    def __init__(self, snapshots: SnapshotStore | None, cache: TableCache, loader: Loader) -> None:
        self._snapshots = snapshots
        self._cache = cache
        self._loader = loader
        self._writing: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    def after(self, held: Held) -> None:
        """Write a table's next snapshot soon, if it is due; its place is held.

        The table stays in memory until it is written, however little room there is.
        """
        if not self._closed and held.table not in self._writing and _due(held):
            self._cache.take(held.table)
            task = asyncio.create_task(self._write(held))
            self._writing[held.table] = task
            task.add_done_callback(partial(self._written, held))

    def _written(self, held: Held, task: asyncio.Task[None]) -> None:
        del self._writing[held.table]
        self._cache.give_back(held)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("no snapshot written", why=str(task.exception()))

    async def _write(self, held: Held) -> None:
        # Not as a call of the service's: it is written to its end while the service closes too.
        await held.turns.acquire(None)
        try:
            await self._loader.write_snapshot(held)
        except BaseException:
            held.loaded = None  # the log shows what became of it
            raise
        finally:
            held.turns.release()

    async def close(self) -> None:
        """Write what is due still, once no other work is under way, and let go of the file."""
        self._closed = True
        await asyncio.gather(*self._writing.values(), return_exceptions=True)
        for held in self._cache.tables():
            if _due(held):
                await self._loader.write_snapshot(held)
        if self._snapshots is not None:
            await asyncio.to_thread(self._snapshots.close)


def _due(held: Held) -> bool:
    known = held.loaded
    if known is None or known.snapshot is None or known.stale:
        return False
    return known.snapshot.due(known.aggregate)
