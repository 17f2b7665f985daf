"""A lock that goes round: who waits often has one turn while every other has one."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from urim.engine.service.turns import Turns


async def turns() -> None:
    """Let every task go on until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


async def served(keys: list[str], cancelled: frozenset[int] = frozenset()) -> list[int]:
    """Who is served, by number, when all of these wait in this order and some give up."""
    lock: Turns[str] = Turns()
    order: list[int] = []

    async def one(number: int) -> None:
        await lock.acquire(keys[number])
        order.append(number)
        await turns()
        lock.release()

    await lock.acquire("first")
    tasks = [asyncio.create_task(one(number)) for number in range(len(keys))]
    await turns()
    for number in cancelled:
        tasks[number].cancel()
    await turns()
    lock.release()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.wait_for(lock.acquire("last"), 60)
    return order


def test_those_who_wait_are_served_in_turn() -> None:
    assert asyncio.run(served(list("aaabbc"))) == [0, 3, 5, 1, 4, 2]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.frozensets(st.integers(0, 11)))
def test_everybody_is_served_once_in_order_of_its_key(keys: list[str], gave_up: set[int]) -> None:
    cancelled = frozenset(number for number in gave_up if number < len(keys))
    order = asyncio.run(served(keys, cancelled))
    assert sorted(order) == [at for at in range(len(keys)) if at not in cancelled]
    for key in set(keys):
        own = [number for number in order if keys[number] == key]
        assert own == sorted(own)
    # Nobody waits for two turns of another.
    left = {key: sum(keys[number] == key for number in order) for key in set(keys)}
    for at in range(1, len(order)):
        if keys[order[at]] == keys[order[at - 1]]:
            done = {key: sum(keys[number] == key for number in order[:at]) for key in left}
            assert all(done[key] == left[key] for key in left if key != keys[order[at]])


async def test_a_turn_that_comes_to_who_gave_up_goes_on() -> None:
    lock: Turns[str] = Turns()
    await lock.acquire("first")
    waiting = asyncio.create_task(lock.acquire("second"))
    await turns()
    lock.release()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(lock.acquire("third"), 60)
