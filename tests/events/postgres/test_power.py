"""When the power fails, whatever was not synced may be gone: nothing acknowledged is among it.

strace records what a server of PostgreSQL and its writers ask of their disk. The states that a
crash may leave are made from it, and a real server recovers from each.
"""

import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import pytest

from tests.events.crashes import Disk, Files, held, put
from tests.events.postgres.child import TABLES
from tests.events.postgres.runs import kept_in, on_log
from tests.events.postgres.server import Databases, Server, binaries, initdb, run_now, running
from tests.events.sqlite.runs import chance, commits_of, insist
from tests.events.traced import Call, must_trace, record
from urim.errors import UrimError
from urim.events.log.postgres import PostgresLog

# One trace serves all tests of the file.

PIDFILE = "postmaster.pid"
"""A server that finds this of another whose process number is somebody's now would not start."""

Promise = tuple[str, str, int, int, int]
"""Table, who, turn, start and stop of a commit that was acknowledged."""


class Life(NamedTuple):
    """A traced server: what was on its disk, what it and its writers did, and its database."""

    base: Files
    calls: list[Call]
    database: str

    def phase(self, name: str) -> range:
        """Where in the calls a phase is; the first one has the start of the server."""
        marks = [at for at, call in enumerate(self.calls) if call.data.startswith(b"P ")]
        names = [self.calls[at].data.decode().split()[1] for at in marks]
        at = names.index(name)
        return range(marks[at] if at else 0, marks[at + 1])


@pytest.fixture(scope="module")
def life() -> Life:
    """The life of a server on segments of 1 MB, so that many are filled and used again."""
    must_trace()
    with running(files=partial(initdb_with, "--wal-segsize=1")) as server:
        url = run_now(Databases(server.url).new())
        on_log(url, PostgresLog.tables)
        server.stop(signal.SIGINT)
        base, name = held(server.data), url.partition("@/")[2].partition("?")[0]
        words = ("tests.events.postgres.child", "power", str(server.folder), name)
        return Life(base, record(server.data, *words, there=base), name)
