"""The lane of what takes long: one at a time, seat after seat, and a rest after each."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from urim.engine.server import lane
from urim.engine.server.admission.denied import Denied
from urim.engine.server.lane import Lane, short_enough
from urim.errors import Refused


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for the rest but the one about it."""
    monkeypatch.setattr(lane, "REST", 0)


class Held:
    """Work that lasts until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.go.wait(60)
        return "done"


def nothing() -> str:
    """Work that is done at once."""
    return "nothing"


async def begun(held: Held) -> None:
    """Wait until it has begun."""
    assert await asyncio.to_thread(held.begun.wait, 60)


def noting(order: list[str], name: str) -> Callable[[], None]:
    return lambda: order.append(name)


def test_one_is_done_at_a_time_and_each_seat_has_its_turn() -> None:
    async def played() -> list[str]:
        one, held, order = Lane(), Held(), list[str]()
        first = asyncio.create_task(one.do("t", "a", held))
        await begun(held)
        others = [asyncio.create_task(one.do("t", seat, noting(order, seat))) for seat in "bc"]
        await asyncio.sleep(0)
        assert order == []
        held.go.set()
        assert await first == "done"
        await asyncio.gather(*others)
        return order

    assert asyncio.run(played()) == ["b", "c"]


async def test_a_seat_has_one_under_way_even_if_it_gives_up_waiting() -> None:
    one, held = Lane(), Held()
    first = asyncio.create_task(one.do("t", "a", held))
    await begun(held)
    first.cancel()
    await asyncio.wait([first])
    with pytest.raises(Denied, match="under way") as caught:
        await one.do("t", "a", nothing)
    assert (caught.value.status, caught.value.retry_after) == (429, lane.AGAIN)
    other = asyncio.create_task(one.do("u", "a", nothing))  # the same seat of another table
    held.go.set()
    assert await other == "nothing"
    assert await one.do("t", "a", nothing) == "nothing"


async def test_so_many_wait_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane, "WAITING", 2)

    one, held = Lane(), Held()
    waiting = [asyncio.create_task(one.do("t", seat, held)) for seat in "ab"]
    await begun(held)
    with pytest.raises(Denied, match="too many wait"):
        await one.do("t", "c", nothing)
    held.go.set()
    assert await asyncio.gather(*waiting) == ["done", "done"]
    assert await one.do("t", "c", nothing) == "nothing"


async def test_what_goes_wrong_is_raised_and_ends_the_turn() -> None:
    one = Lane()
    with pytest.raises(ZeroDivisionError):
        await one.do("t", "a", lambda: 1 // 0)
    assert await one.do("t", "a", nothing) == "nothing"


def test_the_lane_rests_after_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane, "REST", 1e9)
    rests: list[float] = []

    async def played() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "call_later", lambda seconds, _: rests.append(seconds))
        one = Lane()
        await one.do("t", "a", nothing)
        other = asyncio.create_task(one.do("t", "b", nothing))
        await asyncio.sleep(0)
        assert not other.done()  # nobody has let it go on
        other.cancel()

    asyncio.run(played())
    assert rests[0] == lane.LONGEST


def test_a_long_table_is_refused_with_what_does_it_instead() -> None:
    short_enough(lane.ENTRIES, "urim whatif")
    with pytest.raises(Refused, match="10,001 entries") as caught:
        short_enough(lane.ENTRIES + 1, "urim whatif")
    assert caught.value.allowed == ("at most 10,000", "urim whatif with its bundle")
