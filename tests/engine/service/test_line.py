"""Only so many commands wait for a table, and of one seat no more than its share."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from tests.engine.helpers.stages.service import TABLE, declare, mark, notes, noting, seated
from urim.engine.core.commands import Resolve
from urim.engine.service import Service
from urim.engine.service.budgets import DEFAULT, WAITING, WAITING_SEAT, Budgets
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Refused, Unavailable
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Answered, Appended, Conflict, Request

OTHER = "table002"


class Held(MemoryLog):
    """A log that keeps nothing of one table until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.go.set()

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        if table == TABLE:
            await self.go.wait()
        return await super().append(table, entries, expected, request)


def on_held(
    budgets: Budgets = DEFAULT,
) -> Callable[[Callable[[Held, Service], Awaitable[None]]], Callable[[], None]]:
    """Run a test on a seated table, a command of the narrator at work that does not end."""

    def wrapped(test: Callable[[Held, Service], Awaitable[None]]) -> Callable[[], None]:
        async def run() -> None:
            log = Held()
            service = Service(log, MemorySecrets(), budgets=budgets)
            await seated(service)
            await seated(service, OTHER)
            log.go.clear()
            working = asyncio.create_task(service.submit(TABLE, "narrator", mark()))
            await turns()
            await asyncio.wait_for(test(log, service), 60)
            log.go.set()
            await working

        def runs() -> None:
            asyncio.run(run())

        runs.__name__ = test.__name__
        return runs

    return wrapped


async def turns() -> None:
    """Let every task go on until it waits."""
    for _ in range(20):
        await asyncio.sleep(0)


def asking(service: Service, seat: str, count: int) -> list["asyncio.Task[tuple[Entry, ...]]"]:
    """So many commands of a seat at once."""
    return [
        asyncio.create_task(service.submit(TABLE, seat, noting(f"{seat} {at}"), f"{seat}-{at}"))
        for at in range(count)
    ]


@on_held()
async def test_one_seat_has_its_share_of_the_line_and_others_theirs(
    log: Held, service: Service
) -> None:
    flood = asking(service, "p1", WAITING_SEAT + 10)
    await turns()
    refused = [task for task in flood if task.done()]
    assert refused == flood[WAITING_SEAT:]
    for task in refused:
        with pytest.raises(Unavailable, match=f"{WAITING_SEAT} commands of seat 'p1' wait"):
            await task
    mine = asking(service, "p2", 1)
    assert await service.submit(OTHER, "p1", declare())  # another table has a line of its own
    log.go.set()
    assert all(await asyncio.gather(*flood[:WAITING_SEAT], *mine))
    own = [f"p1 {at}" for at in range(WAITING_SEAT)]
    assert await notes(log) == [own[0], "p2 0", *own[1:]]  # in turn, however many wait
    again = await service.submit(TABLE, "p1", noting("p1, again"), f"p1-{WAITING_SEAT}")
    assert again


@on_held()
async def test_the_line_is_so_long_no_matter_who_waits(log: Held, service: Service) -> None:
    seats = [f"p{number}" for number in range(1, 6)]
    waiting = [task for seat in seats for task in asking(service, seat, WAITING_SEAT)]
    await turns()
    beyond = [task for task in waiting if task.done()]
    assert beyond == waiting[WAITING:]
    with pytest.raises(Unavailable, match=f"{WAITING} commands wait for table '{TABLE}'"):
        await beyond[0]
    log.go.set()
    done = await asyncio.gather(*waiting[:WAITING], return_exceptions=True)
    assert sum(isinstance(each, tuple) for each in done) == 2 * WAITING_SEAT  # p1 and p2 sit here
    assert await service.submit(TABLE, "p1", noting("there is room again"))
    for task in beyond[1:]:
        assert isinstance(task.exception(), Unavailable)


@on_held(Budgets(waiting=2, waiting_seat=2))
async def test_who_gives_up_waiting_makes_room(log: Held, service: Service) -> None:
    first, second = asking(service, "p1", 2)
    await turns()
    with pytest.raises(Unavailable):
        await service.submit(TABLE, "p2", noting("no room"))
    first.cancel()
    await turns()
    third, fourth = asking(service, "p2", 2)
    await turns()
    assert not third.done()
    with pytest.raises(Unavailable, match="2 commands wait"):
        await asyncio.wait_for(fourth, 1)
    log.go.set()
    assert await second
    assert await third


@on_held(Budgets(waiting=3, waiting_seat=3))
async def test_refused_commands_wait_in_the_line_too(log: Held, service: Service) -> None:
    flood = [asyncio.create_task(service.submit(TABLE, "p1", Resolve(9))) for _ in range(5)]
    await turns()
    assert [task.done() for task in flood] == [False] * 3 + [True] * 2
    log.go.set()
    errors = await asyncio.gather(*flood, return_exceptions=True)
    assert [type(error) for error in errors] == [Refused] * 3 + [Unavailable] * 2


@on_held(Budgets(waiting=1, waiting_seat=1))
async def test_reading_needs_no_place_in_the_line_of_commands(log: Held, service: Service) -> None:
    reads = [asyncio.create_task(service.view(TABLE, "p1")) for _ in range(5)]
    await turns()
    assert not any(task.done() for task in reads)
    log.go.set()
    assert all(await asyncio.gather(*reads))
