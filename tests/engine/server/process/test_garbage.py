"""A server looks through all its objects when it has little to do, and seldom."""

import asyncio
import gc
import weakref
from collections.abc import Callable

import pytest

from urim.engine.server.process import garbage
from urim.engine.server.process.garbage import LATEST, QUIET, SELDOM, collecting, due


class Circle:
    """An object that holds itself."""

    def __init__(self) -> None:
        self.own = self


async def until(holds: Callable[[], bool]) -> None:
    """Wait for it."""
    while not holds():  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.001)


@pytest.mark.parametrize(
    ("used", "since", "now"),
    [
        (0.0, SELDOM, True),
        (0.0, SELDOM - 1, False),
        (QUIET, SELDOM, False),
        (1.0, LATEST, True),
        (1.0, LATEST - 1, False),
    ],
)
def test_who_has_little_to_do_looks_soon_and_everybody_at_last(
    used: float, since: float, now: bool
) -> None:
    assert due(used, since) is now


async def test_what_has_come_is_frozen_and_what_is_garbage_goes() -> None:
    before = gc.get_threshold()
    async with collecting(0.001):
        kept = Circle()
        gone = weakref.ref(Circle())
        await until(lambda: gone() is None)
        # What is frozen is in no generation.
        await until(lambda: all(each is not kept for each in gc.get_objects()))
        assert gc.get_threshold()[2] > before[2]
    assert gc.get_threshold() == before


async def test_what_was_frozen_and_is_garbage_now_goes_when_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    circle = Circle()
    known = weakref.ref(circle)
    async with collecting(0.001):
        del circle
        for _ in range(100):
            await asyncio.sleep(0.001)
        assert known() is not None
        monkeypatch.setattr(garbage, "SELDOM", 0.0)
        monkeypatch.setattr(garbage, "LATEST", 0.0)
        await until(lambda: known() is None)
