"""What seats read, computed beside the queue: in a thread, in the seat's turn, at its pace."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TypeVar

from ...errors import Defect
from ..core.aggregate import Aggregate
from ..snapshots import Outdated, StaleSnapshot
from .bundles import SLICE
from .line import WaitingLine
from .pace import Leave, Pace
from .reading import Reading, read_by, timed
from .tables import TableCache, at_hand

T = TypeVar("T")

THREADS = 2
"""Threads that compute what seats read. More would not be faster: they share one interpreter."""

TRIES = 3
"""How often a read is tried while snapshots of its table are written."""


class Readers:
    """Computes what seats read of tables that `look` gives; `check_open` refuses after the end.

    What is in memory, in a `cache`, is looked at before anything is waited for.
    """

    def __init__(
        self,
        line: WaitingLine,
        pace: Pace,
        look: Callable[[str, str], Awaitable[Aggregate]],
        cache: TableCache,
        check_open: Callable[[], None],
    ) -> None:
        self._line = line
        self._pace = pace
        self._look = look
        self._cache = cache
        self._check_open = check_open
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="reads tables")

    async def read(
        self, table: str, seat: str, answer: Callable[[Reading], T], size: int | None = None
    ) -> T:
        """What a seat reads of a table as it is now.

        Who was sent `size` entries, and asks after each commit, is answered from the table in
        memory, where that is as long and has few open rolls: without its queue, a turn, a thread.

        Else it is read again where the table's next snapshot was written meanwhile, by any service.
        Raises as `answer`, and Unavailable where too many reads of the seat wait.
        """
        known = self._cache.loaded(table)
        if size is not None and known is not None and at_hand(known, size):
            self._check_open()
            with suppress(Outdated, StaleSnapshot):
                return answer(read_by(known.aggregate, seat))
        for left in reversed(range(TRIES)):
            leave = await self.turn(table, seat)
            try:
                work = partial(answer, read_by(await self._look(table, seat), seat))
            except BaseException:
                leave()
                raise
            try:
                return await self._computed(table, seat, leave, work)
            except (Outdated, StaleSnapshot):
                if not left:
                    raise
        raise Defect("a read was never tried")

    async def turn(self, table: str, seat: str) -> Leave:
        """The seat's turn to read, waited for; call what it gives when that is done."""
        with self._line.place(table, seat):
            return await self._pace.enter(table, seat)

    async def lines(self, table: str, seat: str, lines: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Lines that are made in a thread, some in each turn of the seat, as they are taken."""
        while True:
            leave = await self.turn(table, seat)
            some = await self._computed(table, seat, leave, lambda: [*islice(lines, SLICE)])
            for line in some:
                yield line
            if len(some) < SLICE:
                return

    async def close(self) -> None:
        """Finish what was begun."""
        await asyncio.to_thread(self._threads.shutdown)

    async def _computed(self, table: str, seat: str, leave: Leave, work: Callable[[], T]) -> T:
        """What is computed in a thread, in a seat's turn."""
        try:
            self._check_open()
            found = self._threads.submit(timed, work)
        except BaseException:
            leave()
            raise
        # Its turn ends with it, even if the caller gives up waiting.
        ended = asyncio.wrap_future(found)
        ended.add_done_callback(lambda _: leave())
        seconds, result = await asyncio.shield(ended)
        self._pace.spend(table, seat, seconds)
        return result
