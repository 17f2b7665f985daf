"""Callers that go away and logs that fail: nothing is half done, lost, or done twice."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.helpers.stages.service import ONE, TABLE, declare, notes, noting, seated, whole
from urim.engine.core.commands import Erase, TakeSeat, worded
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Refused, Unavailable
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Answered, Appended, Conflict, Request
from urim.events.table import SeatTaken, TextSaid

# --- callers that go away -------------------------------------------------------------------------


class SlowLog(MemoryLog):
    """A log whose appends take some turns of the loop, and can be set to fail afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.fails = 0
        self.fails_erasing = 0

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        self.begun.set()
        for _ in range(3):
            await asyncio.sleep(0)
        answer = await super().append(table, entries, expected, request)
        if self.fails:
            self.fails -= 1
            raise Unavailable("the disk went away")
        return answer

    async def erase(self, table: str, seq: int) -> None:
        if self.fails_erasing:
            self.fails_erasing -= 1
            raise Unavailable("the disk went away")
        await super().erase(table, seq)


async def test_a_caller_that_goes_away_while_its_command_is_kept_has_it_kept_whole() -> None:
    log, secrets = SlowLog(), MemorySecrets()
    service = Service(log, secrets)
    await seated(service)
    log.begun.clear()
    asking = worded(TakeSeat("p3"), "N")
    task = asyncio.create_task(service.submit(TABLE, "narrator", asking, "a"))
    await log.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await service.close()
    kept = (await log.read(TABLE))[-2:]
    assert [type(recorded(entry).event) for entry in kept] == [SeatTaken, TextSaid]
    again = Service(log, secrets)
    assert await again.submit(TABLE, "narrator", asking, "a") == kept


async def test_a_caller_that_goes_away_while_it_waits_is_never_heard() -> None:
    log = SlowLog()
    service = Service(log, MemorySecrets())
    await seated(service)
    first = asyncio.create_task(service.submit(TABLE, "p1", noting("first")))
    second = asyncio.create_task(service.submit(TABLE, "p1", noting("second")))
    third = asyncio.create_task(service.submit(TABLE, "p1", noting("third")))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, third)
    assert await notes(log) == ["first", "third"]


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_callers_may_go_away_at_any_moment(plan: list[tuple[int, bool]]) -> None:
    async def run() -> None:
        log = SlowLog()
        service = Service(log, MemorySecrets(), memory=ONE)
        await seated(service)
        tasks: list[asyncio.Task[tuple[Entry, ...]]] = []
        for number, (wait, leaves) in enumerate(plan):
            command = worded(TakeSeat(f"q{number}"), f"name {number}")
            tasks.append(
                asyncio.create_task(service.submit(TABLE, "narrator", command, f"{number}"))
            )
            for _ in range(wait):
                await asyncio.sleep(0)
            if leaves:
                tasks[-1].cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        await service.close()
        known = (await whole(log)).opened
        for number, result in enumerate(done):
            gone = isinstance(result, asyncio.CancelledError)
            assert gone or f"q{number}" in known.seats
            if f"q{number}" in known.seats:
                assert known.name_of(f"q{number}") == f"name {number}"
        seqs = [entry.seq for entry in await log.read(TABLE)]
        assert seqs == list(range(len(seqs)))

    asyncio.run(run())


# --- logs that fail -------------------------------------------------------------------------------


async def test_a_command_kept_without_an_answer_is_answered_when_asked_again() -> None:
    log = SlowLog()
    service = Service(log, MemorySecrets())
    await seated(service)
    log.fails = 1
    with pytest.raises(Unavailable):
        await service.submit(TABLE, "p1", declare(), "a")
    assert await service.submit(TABLE, "p1", declare(), "a") == (await log.read(TABLE))[-1:]
    assert len((await whole(log)).opened.rolls) == 1


async def test_an_opening_that_failed_is_made_good_by_the_next() -> None:
    log = SlowLog()
    service = Service(log, MemorySecrets())
    log.fails = 1
    with pytest.raises(Unavailable):
        await seated(service, dice="fair")
    with pytest.raises(Refused, match="open already"):
        await seated(service, dice="fair")
    assert await service.submit(TABLE, "narrator", noting("text"), "a")


@pytest.mark.parametrize("again", ["the same request", "another process"])
async def test_an_erasure_that_was_cut_short_is_finished(again: str) -> None:
    log, secrets = SlowLog(), MemorySecrets()
    service = Service(log, secrets)
    await seated(service)
    [_, text] = await service.submit(TABLE, "p1", noting("gone soon"))
    log.fails_erasing = 1
    with pytest.raises(Unavailable):
        await service.submit(TABLE, "p1", Erase(text.seq), "a")
    assert (await log.read(TABLE))[text.seq].payload is not None
    if again == "the same request":
        await service.submit(TABLE, "p1", Erase(text.seq), "a")
    else:
        await Service(log, secrets).view(TABLE, "p2")
    assert (await log.read(TABLE))[text.seq].payload is None


async def test_a_service_that_is_always_too_late_gives_up() -> None:
    class Busy(MemoryLog):
        async def append(self, table: str, entries: Any, expected: int, request: Any = None) -> Any:
            return Conflict(())

    log, secrets = MemoryLog(), MemorySecrets()
    await seated(Service(log, secrets))
    busy = Busy()
    busy.__dict__.update(log.__dict__)
    with pytest.raises(Unavailable, match="20 times"):
        await Service(busy, secrets).submit(TABLE, "p1", declare())
