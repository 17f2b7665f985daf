"""Who is awaited, for one socket: what fails is looked at again, and nothing outlives its end."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from urim.engine.server.asker import Asker
from urim.engine.server.socket import awaited
from urim.engine.server.socket.awaited import Waits
from urim.engine.service.reading import Waiting
from urim.errors import Refused, Unavailable


class Fails:
    """A front that fails the first time it is asked."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.looked = 0

    async def waiting(self, *_: object, size: int) -> Waiting:
        """Fail, the first time."""
        self.looked += 1
        if self.looked == 1:
            raise self.error
        return Waiting(4, (), ())


def looking(front: Any, put: Callable[[bytes], None]) -> Waits:
    return Waits(Asker(front, "table001", "p1"), put)


@pytest.mark.parametrize(
    "error",
    [Unavailable("locked"), Refused("over-budget", "busy"), Refused("unreadable", "gone")],
    ids=["unavailable", "over-budget", "unreadable"],
)
def test_what_cannot_be_known_now_is_looked_at_later(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(awaited, "LATER", 0)

    async def scene() -> list[bytes]:
        found: asyncio.Queue[bytes] = asyncio.Queue()
        each = looking(Fails(error), found.put_nowait)
        each.changed(4)
        async with asyncio.timeout(60):
            first = await found.get()
        await each.end()
        return [first]

    # Of the size that was looked at, even where another commit came meanwhile.
    assert b'"size":4' in asyncio.run(scene())[0]


def test_between_two_commits_nothing_waits_for_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(awaited, "LATER", 0)
    front = Fails(Unavailable("locked"))

    async def scene() -> list[int]:
        tasks = list[int]()
        each = looking(front, lambda _: None)
        for size in (4, 5):
            each.changed(size)
            for _ in range(20):
                await asyncio.sleep(0)
            tasks.append(len(asyncio.all_tasks()))
        return tasks

    assert asyncio.run(scene()) == [1, 1]  # this one
    assert front.looked == 3


def test_at_the_end_nothing_is_looked_at_any_more() -> None:
    async def scene() -> int:
        each = looking(Fails(Refused("unknown", "the seat left")), lambda _: None)
        each.changed(4)
        await asyncio.sleep(0)
        await each.end()
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(scene()) == 0
