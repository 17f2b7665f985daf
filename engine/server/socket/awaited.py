"""What a table waits for, sent to a socket whenever that changes: once after many commits."""

import asyncio
from collections.abc import Callable

from ....errors import Refused, Unavailable
from ...logs import logger
from ...wire.frames import WaitingFrame
from ..asker import Asker
from .frames import written

LATER = 1.0
"""Seconds after which to look again where that was not possible."""


class Waits:
    """Looks at the table for one socket, once at a time, and gives what it found to `put`.

    What it finds is of one size of the table, which the frame names: of what the socket was sent by
    the time of the look, or of a commit that is about to be sent; after that it looks again.
    """

    def __init__(self, asker: Asker, put: Callable[[bytes], None]) -> None:
        self._asker = asker
        self._put = put
        self._news = False
        self._last: WaitingFrame | None = None
        self._looking: asyncio.Task[None] | None = None
        self._size = 0

    def changed(self, size: int) -> None:
        """The socket was sent so many entries: a commit, or the end of a history."""
        self._size = size
        self._news = True
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def end(self) -> None:
        """Look no more; nothing runs any longer after this."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look(self) -> None:
        front, table, seat = self._asker.front, self._asker.table, self._asker.seat
        while self._news:
            self._news = False
            try:
                found = await front.waiting(table, seat, size=self._size)
            except (Unavailable, Refused) as error:
                if isinstance(error, Refused) and error.code == "unknown":
                    return  # the seat left
                await asyncio.sleep(LATER)
                self._news = True
                continue
            except Exception as error:  # noqa: BLE001 - the feed closes the socket where it must
                logger.error("nobody knows who is awaited", error=type(error).__name__, table=table)
                return
            last = self._last
            if last is None or (last.mine, last.others) != (found.mine, found.others):
                self._last = WaitingFrame(found.size, found.mine, found.others)
                self._put(written(self._last))
        self._looking = None
