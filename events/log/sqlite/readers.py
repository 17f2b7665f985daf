"""Reading beside the writer: connections that read, on threads of their own."""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

from .file import Place, roll_back
from .writer import Work

THREADS = 2
"""How many reads of a file are done at once."""

T = TypeVar("T")


class Readers:
    """Connections to a file that only read, opened as they are needed and used again."""

    def __init__(self, place: Place, threads: int = THREADS) -> None:
        self._place = place
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"reads {place.path.name}")

    async def look(self, work: Work[T]) -> T:
        """Do some work as of one moment, off the loop's thread."""
        return await asyncio.wrap_future(self._threads.submit(self._as_of_now, work))

    def close(self) -> None:
        """Finish what was begun, then close every connection."""
        self._threads.shutdown()
        while not self._idle.empty():
            self._idle.get().close()

    def _as_of_now(self, work: Work[T]) -> T:
        with self._place.in_words():
            try:
                connection = self._idle.get_nowait()
            except Empty:
                connection = self._place.connect(reading=True)
            try:
                connection.execute("BEGIN")
                return work(connection)
            finally:
                roll_back(connection)
                self._idle.put(connection)
