"""A table that goes on takes as much memory as the same one loaded; one that is closed, none."""

import gc
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from weakref import ref

import pytest

from tests.bench.script import around, commits
from tests.engine.helpers.stages.service import TABLE, declare, on_each_log, seated, throw
from urim.engine.core.aggregate import Aggregate
from urim.engine.service import Service
from urim.engine.service.feed import Feed
from urim.engine.service.secrets import Secrets
from urim.events.log.bell import Bell
from urim.events.log.protocol import EventLog

YOUNG, OLD = 800, 2_400
"""Entries between which it is measured: by the first one, what is kept up to a bound is full."""

ROOM = 1.05
"""What a table that is followed may take, beside one that is only loaded."""

Each = Callable[[Aggregate], object]


def grown(each: Each) -> int:
    """Bytes by which a table grows between the two; `each` is called after each of its commits."""
    log = [commit.entries for commit in commits(TABLE, OLD, varied=True)]
    table, sizes = Aggregate(around()), list[int]()
    gc.collect()
    tracer = sys.gettrace()
    sys.settrace(None)  # who watches what a test runs through keeps memory too
    tracemalloc.start()
    for entries in log:
        table.load(entries)
        each(table)
        if len(table.entries) >= (OLD if sizes else YOUNG):
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    sys.settrace(tracer)
    return sizes[-1] - sizes[0]


@pytest.mark.slow
def test_a_table_that_is_followed_takes_no_more_than_one_that_is_loaded() -> None:
    feed = Feed(TABLE, Bell())
    assert grown(partial(Feed.advance, feed)) < ROOM * grown(len_of)


def len_of(table: Aggregate) -> int:
    """What keeps nothing."""
    return len(table.entries)


@pytest.mark.slow
def test_what_is_kept_of_each_commit_is_found() -> None:
    kept = list[bytes]()
    assert grown(lambda table: kept.append(bytes(1_000))) > ROOM * grown(len_of)


@on_each_log
async def test_of_a_table_that_is_closed_nothing_is_kept(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    for visibility in ("public", "gm"):
        await service.submit(TABLE, "p1", declare(visibility))
    await service.submit(TABLE, "p1", throw())
    for seat in ("p1", "p2", "narrator"):
        await service.sight(TABLE, seat)
        await service.legal_moves(TABLE, seat)
    state = ref(await service.state(TABLE))
    await service.close()
    del service
    gc.collect()
    assert state() is None
