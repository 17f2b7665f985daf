"""Seats beyond their pace wait in one lane; all others are served at once."""

import asyncio
from contextlib import aclosing

import pytest

from tests.engine.helpers.clocks import Seconds
from tests.engine.helpers.stages.service import TABLE, mark, noting, seated
from tests.engine.service.test_line import OTHER, Held, turns
from urim.engine.core.commands import Resolve
from urim.engine.service import Service, pace
from urim.engine.service.budgets import Budgets
from urim.engine.service.feed import SLICE
from urim.engine.service.pace import BURST, KEPT, LONGEST, QUIET, REST, USUAL, Leave, Pace, no_turn
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Refused, Unavailable
from urim.events.log.memory import MemoryLog

OWN, MOST = "own", 4


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    """The pace's clock."""
    found = Seconds()
    monkeypatch.setattr(pace, "monotonic", found)
    return found


async def spent(one: Pace, seat: str, table: str = TABLE) -> None:
    """Make all the calls that a seat may make at once."""
    for _ in range(MOST * BURST):
        assert await asyncio.wait_for(one.enter(table, seat), 60) is no_turn


async def test_beyond_its_pace_a_seat_waits_until_the_one_before_is_done(clock: Seconds) -> None:
    one = Pace(MOST)
    await spent(one, "p1")
    await spent(one, "p1", OTHER)
    assert await one.enter(TABLE, "p2") is no_turn  # within its pace
    leave = await one.enter(TABLE, "p1")
    assert leave is not no_turn
    waiting = asyncio.create_task(one.enter(OTHER, "p1"))
    await turns()
    assert not waiting.done()
    assert await one.enter(TABLE, "p2") is no_turn
    clock.now += QUIET
    leave()
    (await asyncio.wait_for(waiting, 60))()


async def test_where_nobody_asks_little_there_is_no_lane(clock: Seconds) -> None:
    one = Pace(MOST)
    await spent(one, "p1")
    assert await one.enter(TABLE, "p1") is no_turn
    await one.enter(TABLE, "p2")
    leave = await one.enter(TABLE, "p1")
    assert leave is not no_turn
    clock.now += QUIET
    leave()
    await spent(one, "p1")
    assert await one.enter(TABLE, "p1") is no_turn


@pytest.mark.parametrize(
    ("took", "rest"), [(0.125, [REST * 0.125]), (QUIET - 1, [LONGEST]), (QUIET, [])]
)
async def test_the_lane_rests_while_others_ask(
    clock: Seconds, monkeypatch: pytest.MonkeyPatch, took: float, rest: list[float]
) -> None:
    one = Pace(MOST)
    await spent(one, "p1")
    await one.enter(TABLE, "p2")
    rests: list[float] = []
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(loop, "call_later", lambda seconds, call: rests.append(seconds))
    leave = await one.enter(TABLE, "p1")
    clock.now += took
    leave()
    assert rests == rest


async def test_a_seat_that_was_quiet_is_served_at_once_again(clock: Seconds) -> None:
    one = Pace(MOST)
    await spent(one, "p1")
    await one.enter(TABLE, "p2")
    clock.now += 2 / MOST
    assert await one.enter(TABLE, "p1") is no_turn
    assert await one.enter(TABLE, "p1") is no_turn
    assert await one.enter(TABLE, "p1") is not no_turn


async def test_a_call_that_takes_long_counts_as_several(clock: Seconds) -> None:
    one = Pace(MOST)
    await one.enter(TABLE, "p2")
    assert await one.enter(TABLE, "p1") is no_turn
    one.spend(TABLE, "p1", USUAL * (MOST * BURST - 2))
    assert await one.enter(TABLE, "p1") is no_turn
    assert await one.enter(TABLE, "p1") is not no_turn
    one.spend(TABLE, "nobody", 1)


async def test_what_a_seat_is_ahead_of_its_pace_has_an_end(clock: Seconds) -> None:
    """However long a call took, so many seconds later it is served at once again."""
    one = Pace(MOST)
    await spent(one, "p1")
    one.spend(TABLE, "p1", 1_000)
    await one.enter(TABLE, "p2")
    clock.now += BURST
    leave = await one.enter(TABLE, "p1")
    assert leave is not no_turn
    leave()
    clock.now += 2 / MOST
    assert await asyncio.wait_for(one.enter(TABLE, "p1"), 60) is no_turn


@pytest.mark.parametrize(
    ("calls", "little"), [(MOST * BURST // 2, True), (MOST * BURST // 2 + 1, False)]
)
async def test_who_asks_less_than_half_of_its_burst_asks_little(
    clock: Seconds, calls: int, little: bool
) -> None:
    one = Pace(MOST)
    await spent(one, "p1")
    for _ in range(calls):
        await one.enter(TABLE, "p2")
    assert (await one.enter(TABLE, "p1") is no_turn) != little


async def test_seats_that_were_quiet_are_forgotten(clock: Seconds) -> None:
    one = Pace(MOST)
    for at in range(KEPT):
        await one.enter(TABLE, f"p{at}")
    clock.now += QUIET
    await spent(one, "p1")
    await one.enter(TABLE, "another")
    assert len(one) == 2
    assert await one.enter(TABLE, "p1") is not no_turn
    clock.now += QUIET / 2
    for at in range(KEPT):
        await one.enter(TABLE, f"p{at}")
    assert len(one) == KEPT + 1


# --- at a service ---------------------------------------------------------------------------------

SLOW = Budgets(pace=MOST)


async def beyond(service: Service, seat: str, table: str = TABLE) -> None:
    """Bring a seat beyond its pace, by commands that are refused."""
    for _ in range(MOST * BURST):
        with pytest.raises(Refused):
            await service.submit(table, seat, Resolve(99))


@pytest.mark.usefixtures("clock")
async def test_commands_reads_and_subscriptions_wait_in_the_lane_and_other_seats_do_not() -> None:
    log = Held()
    service = Service(log, MemorySecrets(), budgets=SLOW)
    await seated(service)
    await seated(service, OTHER)
    await beyond(service, "p1")
    await beyond(service, "p2", OTHER)
    log.go.clear()
    working = asyncio.create_task(service.submit(TABLE, "p1", noting("it holds the lane")))
    await turns()
    subscription = service.subscribe(OTHER, "p2")
    asked = [
        service.submit(OTHER, "p2", noting("a command")),
        service.submit_request(OTHER, "p2", b"no request"),
        service.sight(OTHER, "p2"),
        service.view(OTHER, "p2"),
        anext(subscription),
    ]
    waiting = [asyncio.ensure_future(each) for each in asked]
    await turns()
    assert not any(task.done() for task in waiting)
    assert await asyncio.wait_for(service.submit(OTHER, "p1", noting("at once")), 60)
    await asyncio.wait_for(service.sight(OTHER, "p1"), 60)
    working.cancel()  # the command goes on, and so does its turn
    await turns()
    assert not any(task.done() for task in waiting)
    log.go.set()
    done = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 60)
    assert [type(each) for each in done if isinstance(each, Exception)] == [Refused]
    await subscription.aclose()
    await service.close()


@pytest.mark.usefixtures("clock")
async def test_a_long_history_is_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    async def enter(_: Pace, table: str, seat: str) -> Leave:
        calls.append(seat)
        return no_turn

    service = Service(MemoryLog(), MemorySecrets())
    await seated(service)
    for number in range(3 * SLICE):
        await service.submit(TABLE, "narrator", mark(number % 9 + 1))
    monkeypatch.setattr(Pace, "enter", enter)
    async with aclosing(service.subscribe(TABLE, "p1")) as messages:
        for count in (1, 1, 2, 2, 3):
            for _ in range(SLICE // 2):
                await anext(messages)
            assert len(calls) == count
    await service.close()


@pytest.mark.usefixtures("clock")
async def test_only_so_many_reads_of_a_seat_wait() -> None:
    log = Held()
    service = Service(log, MemorySecrets(), budgets=Budgets(reading_seat=2))
    await seated(service)
    log.go.clear()
    working = asyncio.create_task(service.submit(TABLE, "p1", noting("it is slow")))
    await turns()
    views = [asyncio.create_task(service.view(TABLE, "p1")) for _ in range(3)]
    others = asyncio.create_task(service.view(TABLE, "p2"))
    await turns()
    assert [task.done() for task in (*views, others)] == [False, False, True, False]
    with pytest.raises(Unavailable, match="2 reads of seat 'p1' wait"):
        await views[2]
    log.go.set()
    await asyncio.gather(working, *views[:2], others)
    await service.close()


async def test_a_seat_has_so_many_subscriptions_and_another_once_one_ends() -> None:
    budgets = Budgets(subscriptions=2)
    service = Service(MemoryLog(), MemorySecrets(), budgets=budgets)
    await seated(service)
    await seated(service, OTHER)
    own = [service.subscribe(TABLE, "p1") for _ in range(3)]
    for subscription in own[:2]:
        await anext(subscription)
    with pytest.raises(Refused, match="has 2 subscriptions; its budget `subscriptions` is 2"):
        await anext(own[2])
    others = [service.subscribe(TABLE, "p2"), service.subscribe(OTHER, "p1")]
    for subscription in others:
        await anext(subscription)
    await own[0].aclose()
    again = service.subscribe(TABLE, "p1")
    await anext(again)
    for subscription in (*own, *others, again):
        await subscription.aclose()
    await service.close()


async def test_a_reader_that_gives_up_leaves_the_lane() -> None:
    service = Service(MemoryLog(), MemorySecrets(), budgets=Budgets(pace=1))
    await seated(service)
    await asyncio.gather(*(service.sight(TABLE, "p1") for _ in range(2 * BURST)))
    for _ in range(3):
        task = asyncio.create_task(service.sight(TABLE, "p1"))
        await turns()
        task.cancel()
    await asyncio.wait_for(service.sight(TABLE, "p1"), 60)
    await service.close()
