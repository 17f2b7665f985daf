"""Erased bytes leave the file and its write-ahead log in the background: no commit waits for it.

An erased row holds nothing once its transaction is on disk. But its text is still in older pages:
of the file, until they are written back, and of the write-ahead log, until that is emptied. Neither
can be done while somebody reads an older snapshot. So it is tried again and again, on a thread and
connections of its own: first written back, which hinders no writer, then emptied, which takes the
writers' lock only where nobody reads. Many erasures share one checkpoint.
"""

import logging
import sqlite3
import time
from contextlib import closing
from threading import Condition, Event, Thread

from .file import FAULTS, Place

_log = logging.getLogger("urim")
_log.addHandler(logging.NullHandler())

PAUSE = 0.05
"""Seconds between two checkpoints, at least: what is erased meanwhile shares the next one."""

LONGEST = 0.5
"""Seconds between two tries while somebody reads, at most; each waits twice as long as the last."""

LAST = 1.0
"""Seconds that closing waits for those who read."""


class Scrubber:
    """Scrubs what was erased from a log's files; its thread begins with the first erasure."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._changed = Condition()
        self._wanted = 0
        self._done = 0
        self._ends: float | None = None
        self._thread: Thread | None = None
        self.idle = Event()
        """Set while nothing waits to be scrubbed; for good once this is stopped."""
        self.idle.set()

    def want(self) -> None:
        """Scrub what was erased until now; call it once that is on disk."""
        with self._changed:
            if self._ends is not None:
                return
            self._wanted += 1
            self.idle.clear()
            if self._thread is None:
                name = f"scrubs {self._place.path.name}"
                self._thread = Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
            self._changed.notify()

    def stop(self) -> None:
        """Scrub what waits, for LAST seconds at most, and end; log what could not be scrubbed."""
        with self._changed:
            self._ends = time.monotonic() + LAST
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
        if self._done < self._wanted:
            _log.warning(
                "erased bytes are left in %s-wal, which somebody reads: they go with its last user",
                self._place.path,
            )
        self.idle.set()

    def _run(self) -> None:
        wait = PAUSE
        while (wanted := self._next()) is not None:
            done = self._tried()
            wait = PAUSE if done else min(2 * wait, LONGEST)
            with self._changed:
                if done:
                    self._done = wanted
                if self._done == self._wanted:
                    self.idle.set()
            self._rest(wait)

    def _next(self) -> int | None:
        """How many erasures the next checkpoint is for; None where none will be."""
        with self._changed:
            self._changed.wait_for(lambda: self._ends is not None or self._done < self._wanted)
            over = self._ends is not None and time.monotonic() >= self._ends
            return None if over or self._done == self._wanted else self._wanted

    def _rest(self, wait: float) -> None:
        with self._changed:
            ends = self._changed.wait_for(lambda: self._ends is not None, wait)
        if ends:
            time.sleep(PAUSE / 5)

    def _tried(self) -> bool:
        try:
            with closing(self._place.connect(reading=True)) as connection:
                connection.execute("PRAGMA busy_timeout = 0").fetchall()
                return self.scrub(connection)
        except FAULTS:
            return False  # a lock, or a disk that fails: who writes next is refused in words

    @staticmethod
    def scrub(connection: sqlite3.Connection) -> bool:
        """Write the WAL back and empty it; whether nobody was in the way."""
        [(_, frames, written)] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if written < frames:
            return False
        [(busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return not busy
