"""A service for callers without a loop: calls from any thread, finished before it closes."""

import asyncio
import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.stages.service import TABLE, noting, seated
from tests.events.sqlite.runs import kept_in
from urim.engine.service import Service
from urim.engine.service.blocking import BlockingService
from urim.errors import Refused, Unavailable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is made."""
    return tmp_path / "night.db"


def threads_of(path: Path) -> list[threading.Thread]:
    """The threads that serve a database."""
    return [each for each in threading.enumerate() if each.name == f"serves {path.name}"]


def test_calls_come_from_any_thread_and_what_returned_is_kept(path: Path) -> None:
    with BlockingService(path) as running:
        running.call(seated)

        def note(number: int) -> int:
            asking = noting(f"note {number}")
            return len(running.call(lambda service: service.submit(TABLE, "p1", asking)))

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(note, range(8))) == [2] * 8
        [thread] = threads_of(path)
        assert thread.daemon
    assert threads_of(path) == []
    assert len(kept_in(path)[TABLE]) == 5 + 2 * 8


def test_what_the_work_raises_is_raised_and_others_go_on(path: Path) -> None:
    async def fails(service: Service) -> None:
        raise ZeroDivisionError("the caller's own")

    with BlockingService(path) as running:
        with pytest.raises(ZeroDivisionError, match="the caller's own"):
            running.call(fails)
        work: Any = lambda service: 7  # noqa: E731
        with pytest.raises(Refused, match="the work is 7, of type int") as refused:
            running.call(work)
        assert (refused.value.code, refused.value.allowed) == ("malformed", ("a coroutine",))
        assert running.call(lambda service: service.tables()) == ()


def test_closing_waits_for_what_was_begun_and_refuses_the_rest(path: Path) -> None:
    running, begun, ends = BlockingService(path), threading.Event(), threading.Event()

    async def slow(service: Service) -> str:
        begun.set()
        await asyncio.to_thread(ends.wait, 10)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        call = pool.submit(running.call, slow)
        assert begun.wait(10)
        closing = pool.submit(running.close)
        time.sleep(0.05)
        assert not closing.done()
        with pytest.raises(Unavailable, match=f"{path} was closed"):
            running.call(lambda service: service.tables())
        ends.set()
        assert call.result(10) == "done"
        closing.result(10)
    running.close()
    assert threads_of(path) == []


def test_one_that_is_forgotten_ends_by_itself(path: Path) -> None:
    running = BlockingService(path)
    [thread] = threads_of(path)
    running.call(seated)
    del running
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()
    assert len(kept_in(path)[TABLE]) == 5


def test_what_cannot_be_opened_is_refused_to_the_caller(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is a directory"):
        BlockingService(tmp_path)
    for thread in threads_of(tmp_path):  # it has answered, and is about to end
        thread.join(10)
    assert threads_of(tmp_path) == []
