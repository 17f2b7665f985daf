"""The one thread that writes: whatever waits goes in one transaction, answered once it is on disk.

Each job is judged on its own, inside a savepoint. Between transactions the thread looks whether
another process has committed; it tells no more than that: the rows are the truth.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeAlias, TypeVar

from ...errors import Unavailable
from .sqlite_file import FAULTS, Place, is_failed_sync, is_lock, roll_back

T = TypeVar("T")

Work: TypeAlias = Callable[[sqlite3.Connection], T]

MOST = 256
"""Jobs that one transaction takes together: what waits longer shares the next sync."""


class Job:
    """Something to be done on the writing connection, and what came of it."""

    def __init__(self, work: Work[Any], *, alone: bool) -> None:
        self.work = work
        self.alone = alone
        self.future: Future[Any] = Future()

    def settle(self, outcome: object) -> None:
        """Tell whoever waits: an exception is raised there, anything else is the result."""
        if isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class Writer:
    """A connection that writes, on a thread of its own.

    `heard` is called on that thread when another connection has committed since; how soon it is
    noticed is up to `poll` seconds, and it is looked for only while `listening()` is true.
    """

    def __init__(
        self,
        place: Place,
        connection: sqlite3.Connection,
        *,
        heard: Callable[[], None],
        listening: Callable[[], bool],
        poll: float,
    ) -> None:
        self.place = place
        self.connection = connection
        self._heard = heard
        self._listening = listening
        self._poll = poll
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._held: Job | None = None
        self._seen = self._version()
        self._out_of_order: str | None = None
        # A process that ends without closing its log must not wait for this thread for ever.
        self._thread = Thread(target=self._run, name=f"writes {place.path.name}", daemon=True)
        self._thread.start()

    def submit(self, work: Work[T]) -> Future[T]:
        """Do some work in the next transaction.

        The future has its result, or the error that `work` raised, once that transaction is on
        disk; work that raises leaves nothing of itself, and of others' all. Unavailable or Damaged
        when SQLite cannot do it.
        """
        return self._put(Job(work, alone=False))

    def submit_alone(self, work: Work[T]) -> Future[T]:
        """Do some work outside any transaction, after all that was submitted before it."""
        return self._put(Job(work, alone=True))

    def wake(self) -> None:
        """Look for other processes' commits from now on, if anybody listens."""
        self.submit_alone(lambda _: None)

    def stop(self) -> None:
        """Finish what was submitted, then end. Give nothing more to do after this."""
        self._jobs.put(None)

    def join(self) -> None:
        """Wait until the thread has ended."""
        self._thread.join()

    def _put(self, job: Job) -> Future[Any]:
        self._jobs.put(job)
        return job.future

    def _run(self) -> None:
        going = True
        while going:
            batch, going = self._next()
            # Whoever gave up waiting before anything was begun has nothing done.
            batch = [job for job in batch if job.future.set_running_or_notify_cancel()]
            if batch and batch[0].alone:
                batch[0].settle(self._judge(batch[0], savepoint=False))
            elif batch:
                self._together(batch)
            self._listen()

    def _next(self) -> tuple[list[Job], bool]:
        """The jobs that go together, none if it is time to listen; whether more will come."""
        try:
            first = self._held or self._jobs.get(timeout=self._poll if self._listening() else None)
        except Empty:
            return [], True
        self._held = None
        if first is None:
            return [], False
        batch = [first]
        while not first.alone and len(batch) < MOST:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                break
            if job is None:
                return batch, False
            if job.alone:
                self._held = job
                break
            batch.append(job)
        return batch, True

    def _together(self, batch: Sequence[Job]) -> None:
        """Do all jobs in one transaction; where SQLite cannot, each in one of its own."""
        outcomes: list[object]
        try:
            if self._out_of_order is not None:
                raise Unavailable(self._out_of_order)
            outcomes = self.transact(batch)
        except FAULTS as error:
            self._undo()
            if is_failed_sync(error):
                # The system may have dropped what it could not write and say yes the next time.
                self._out_of_order = f"{self.place.worded(error)}: open the log again"
            elif len(batch) > 1 and not is_lock(error):
                for job in batch:
                    self._together([job])
                return
            outcomes = [self.place.worded(error) for _ in batch]
        except Exception as error:  # noqa: BLE001 - it is told to those who wait
            self._undo()
            outcomes = [error] * len(batch)
        self.settle(batch, outcomes)

    def transact(self, batch: Sequence[Job]) -> list[object]:
        """Do all jobs in one transaction; what came of each, now that it is on disk.

        Raises one of FAULTS, and then nothing was done.
        """
        self.connection.execute("BEGIN IMMEDIATE")
        outcomes = [self._judge(job, savepoint=True) for job in batch]
        self.connection.execute("COMMIT")
        return outcomes

    def settle(self, batch: Sequence[Job], outcomes: Sequence[object]) -> None:
        """Tell each what came of its job."""
        for job, outcome in zip(batch, outcomes, strict=True):
            job.settle(outcome)

    def _judge(self, job: Job, *, savepoint: bool) -> object:
        try:
            if savepoint:
                self.connection.execute("SAVEPOINT job")
            outcome: object = job.work(self.connection)
        except FAULTS as error:
            # Within a transaction it may have been undone as a whole.
            if savepoint:
                raise
            return self.place.worded(error)
        except Exception as error:  # noqa: BLE001 - it is told to the one who asked
            outcome = error
            if savepoint:
                self.connection.execute("ROLLBACK TO job")
        if savepoint:
            self.connection.execute("RELEASE job")
        return outcome

    def _undo(self) -> None:
        try:
            roll_back(self.connection)
        except FAULTS as error:
            self._out_of_order = f"{self.place.worded(error)}: open the log again"

    def _listen(self) -> None:
        seen = self._version()
        if seen != self._seen:
            self._seen = seen
            self._heard()

    def _version(self) -> int:
        """A number that other connections' commits change, and this one's do not."""
        try:
            (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        except FAULTS:
            return -1  # reading the rows will say what is wrong
        return int(version)
