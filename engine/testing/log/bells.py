"""What a log must do with those who wait for its commits: wake them, and give the size it knows."""

# ruff: noqa: S101
# (assert is how pytest asks.)

import asyncio

import pytest

from ....errors import Defect, Refused
from ....events.log.protocol import Answered, Appended, Conflict, EventLog
from .harness import ASK, MAC, OTHER, TABLE, LogTests, commit, on_logs_of_their_own


@on_logs_of_their_own
class BellTests(LogTests):
    """Every promise of a log about its bells."""

    async def test_a_bell_rings_after_every_commit_and_has_the_tables_size(
        self, log: EventLog
    ) -> None:
        bell = log.listen(TABLE)
        for size in range(0, 9, 3):
            ticket = bell.ticket()
            await log.append(TABLE, commit(size, 3), size)
            await ticket.wait()
            assert (bell.size, bell.others) == (size + 3, 0)

    async def test_all_who_listen_to_a_table_are_woken(self, log: EventLog) -> None:
        bells = [log.listen(TABLE) for _ in range(3)]
        tickets = [bell.ticket() for bell in bells]
        await log.append(TABLE, commit(0), 0)
        await asyncio.gather(*(ticket.wait() for ticket in tickets))
        assert [bell.size for bell in bells] == [1, 1, 1]

    async def test_a_bell_rings_for_kept_commits_of_its_own_table_alone(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0), 0, ASK)
        bell = log.listen(TABLE)
        ticket = bell.ticket()
        assert await log.append(OTHER, commit(0, 2), 0) == Appended(2)
        assert await log.append(TABLE, commit(0), 0) == Conflict(commit(0))
        assert await log.append(TABLE, commit(1), 1, ASK) == Answered(MAC, commit(0))
        with pytest.raises(Refused):
            await log.append(TABLE, commit(1), 2)
        await asyncio.sleep(0)
        assert not ticket.is_set()

    async def test_a_commit_that_nobody_waits_for_any_longer_rings_if_it_is_kept(
        self, log: EventLog
    ) -> None:
        bell = log.listen(TABLE)
        appending = asyncio.create_task(log.append(TABLE, commit(0), 0))
        await asyncio.sleep(0)
        appending.cancel()
        await asyncio.wait([appending])
        # One commit more, so that something rings in any case.
        before = len(await log.read(TABLE))
        ticket = bell.ticket()
        answer = await log.append(TABLE, commit(before), before)
        while not isinstance(answer, Appended):
            before = len(await log.read(TABLE))
            answer = await log.append(TABLE, commit(before), before)
        await ticket.wait()
        assert bell.size == answer.size == len(await log.read(TABLE))

    async def test_closing_rings_for_the_last_time(self, log: EventLog) -> None:
        bell = log.listen(TABLE)
        ticket = bell.ticket()
        await log.close()
        await ticket.wait()
        assert bell.others == 1
        with pytest.raises(Defect):
            log.listen(TABLE)
