"""The one thread that writes: whatever waits goes in one transaction, answered once it is on disk.

Each job is judged on its own, inside a savepoint; commits that go on where this thread left their
tables are written all at once, and judged only if the file's own laws refuse one of them. Between
transactions the thread looks whether another process has committed. That is only a wake-up: the
rows are the truth.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeAlias, TypeVar

from ....errors import Unavailable
from ..protocol import Appended
from .file import FAULTS, Place, is_failed_sync, is_lock, roll_back
from .rows import Keep, keep_all

T = TypeVar("T")

Work: TypeAlias = Callable[[sqlite3.Connection], T]

MOST = 256
"""Jobs that one transaction takes together: what waits longer shares the next sync."""


KNOWN = 10_000
"""Tables whose size is remembered, at most; of others the last entry is looked at again."""


class Job:
    """Something to be done on the writing connection, what came of it, and what is done then."""

    def __init__(
        self,
        work: Work[Any],
        future: asyncio.Future[Any],
        *,
        then: Callable[[object], None] | None = None,
        alone: bool = False,
    ) -> None:
        self.work = work
        self.alone = alone
        self.future = future
        self.then = then

    def settle(self, outcome: object) -> None:
        """Answer who waits, in their loop: an exception is raised, anything else returned."""
        if self.future.cancelled():
            pass  # too late: it was begun, and is perhaps done all the same
        elif isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
            self.future.exception()  # so that asyncio does not warn where nobody waits
        else:
            self.future.set_result(outcome)
        if self.then is not None:
            self.then(outcome)


class Writer:
    """A connection that writes, on a thread of its own, for those in the event loop that made it.

    `heard` is called in that loop when another connection has committed since; how soon it is
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
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._waiting: list[Job] = []
        self._held: Job | None = None
        self._sizes: dict[str, int] = {}
        self._seen = self._version()
        self._out_of_order: str | None = None
        # A process that ends without closing its log must not wait for this thread for ever.
        self._thread = Thread(target=self._run, name=f"writes {place.path.name}", daemon=True)
        self._thread.start()

    def submit(
        self, work: Work[T], then: Callable[[object], None] | None = None
    ) -> asyncio.Future[T]:
        """Do some work in the next transaction.

        The future has its result, or the error that `work` raised, once that transaction is on
        disk; work that raises leaves nothing of itself, and of others' all. Unavailable or Damaged
        when SQLite cannot do it. Cancelled before it was begun, it is not done; else `then` is
        called with what came of it, whether anybody still waits or not.
        """
        return self._put(Job(work, self._loop.create_future(), then=then))

    def submit_alone(self, work: Work[T]) -> asyncio.Future[T]:
        """Do some work outside any transaction, after all that was submitted before it."""
        return self._put(Job(work, self._loop.create_future(), alone=True))

    def wake(self) -> None:
        """Look for other processes' commits from now on, if anybody listens."""
        _ = self.submit_alone(lambda _: None)

    def stop(self) -> None:
        """Finish what was submitted, then end. Give nothing more to do after this."""
        self._hand_over()
        self._jobs.put(None)

    def join(self) -> None:
        """Wait until the thread has ended."""
        self._thread.join()

    def _put(self, job: Job) -> asyncio.Future[Any]:
        if not self._waiting:
            self._loop.call_soon(self._hand_over)
        self._waiting.append(job)
        return job.future

    def _hand_over(self) -> None:
        """Give the thread what this turn of the loop has submitted: it is woken once for all."""
        for job in self._waiting:
            self._jobs.put(job)
        self._waiting.clear()

    def _run(self) -> None:
        going = True
        while going:
            batch, going = self._next()
            # Who gave up waiting before anything was begun has nothing done.
            batch = [job for job in batch if not job.future.cancelled()]
            if batch and batch[0].alone:
                self.settle(batch, [self._judge(batch[0], savepoint=False)])
            elif batch:
                self._together(batch)
            if self._listening():
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
                # The system may have dropped what it could not write, and succeed the next time.
                self._out_of_order = f"{self.place.worded(error)}: open the log again"
            elif len(batch) > 1 and not is_lock(error):
                for job in batch:
                    self._together([job])
                return
            outcomes = [self.place.worded(error) for _ in batch]
        except Exception as error:  # noqa: BLE001 - those who wait get it
            self._undo()
            outcomes = [error] * len(batch)
        self.settle(batch, outcomes)

    def transact(self, batch: Sequence[Job]) -> list[object]:
        """Do all jobs in one transaction; what came of each, now that it is on disk.

        Raises one of FAULTS, and then nothing was done.
        """
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            outcomes = self._written(batch)
        except sqlite3.IntegrityError:  # judged one by one, it shows which job it was, and why
            self.connection.execute("ROLLBACK")
            self.connection.execute("BEGIN IMMEDIATE")
            outcomes = [self._judge(job, savepoint=True) for job in batch]
        self.connection.execute("COMMIT")
        self._remember(batch, outcomes)
        return outcomes

    def settle(self, batch: Sequence[Job], outcomes: Sequence[object]) -> None:
        """Answer each job with its outcome, all in one turn of the loop."""
        self._soon(_settle, batch, outcomes)

    def _written(self, batch: Sequence[Job]) -> list[object]:
        """Do all jobs, as many together as can be. Raises sqlite3.IntegrityError where not all."""
        outcomes: list[object] = []
        for goes_on, jobs in groupby(batch, self._goes_on):
            if goes_on:
                commits = [job.work for job in jobs if isinstance(job.work, Keep)]
                outcomes += keep_all(self.connection, commits)
            else:
                outcomes += [self._judge(job, savepoint=True) for job in jobs]
        return outcomes

    def _goes_on(self, job: Job) -> bool:
        """Whether it is a commit after a last entry that this thread wrote and need not look at."""
        work = job.work
        return isinstance(work, Keep) and self._sizes.get(work.table) == work.expected

    def _remember(self, batch: Sequence[Job], outcomes: Sequence[object]) -> None:
        # Right for ever: entries stay. Where another process wrote more, the file's laws refuse it.
        if len(self._sizes) > KNOWN:
            self._sizes.clear()
        for job, outcome in zip(batch, outcomes, strict=True):
            if isinstance(job.work, Keep) and isinstance(outcome, Appended):
                self._sizes[job.work.table] = outcome.size

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
        except Exception as error:  # noqa: BLE001 - the one who asked gets it
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
            self._soon(self._heard)

    def _soon(self, call: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *args)
        except RuntimeError:  # the loop ended before the log was closed: nobody is left to call
            return

    def _version(self) -> int:
        """A number that other connections' commits change, and this one's do not."""
        try:
            (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        except FAULTS:
            return -1  # reading the rows will show what is wrong
        return int(version)


def _settle(batch: Sequence[Job], outcomes: Sequence[object]) -> None:
    for job, outcome in zip(batch, outcomes, strict=True):
        job.settle(outcome)
