"""What a log must do while others use it: follow without a gap, conflict without loss, close."""

# ruff: noqa: S101
# (assert is how pytest asks.)

import asyncio
from contextlib import aclosing
from itertools import groupby

import pytest

from ....errors import Defect
from ....events.entry import Entry
from ....events.log.protocol import (
    Answered,
    Appended,
    CaughtUp,
    Conflict,
    EventLog,
    Followed,
    Request,
)
from .harness import ASK, MAC, OTHER, TABLE, LogTests, commit, entry, on_logs_of_their_own

WRITERS = 8
COMMITS = 6
"""Per writer, of one to three entries each."""

FOLLOWERS = 50

Items = list[Entry | CaughtUp]


async def take(followed: Followed, n: int) -> Items:
    """The next n items that a follower gets."""
    return [await anext(followed) for _ in range(n)]


async def until(followed: Followed, size: int) -> Items:
    """All that a follower gets until it has the mark and entry size - 1, or the log closes."""
    found: Items = []
    marked, seq = False, -1
    async with aclosing(followed):
        async for item in followed:
            found.append(item)
            if isinstance(item, Entry):
                seq = item.seq
            else:
                marked = True
            if marked and seq == size - 1:
                break
    return found


def entries_of(items: Items) -> tuple[Entry, ...]:
    """The entries among the items of a follower, without the mark."""
    return tuple(item for item in items if isinstance(item, Entry))


async def keep(log: EventLog, payload: bytes, length: int, request: Request | None) -> None:
    """Append a commit of entries with one payload, after as many conflicts as it takes."""
    expected = 0
    while True:
        seqs = range(expected, expected + length)
        entries = [entry(seq, at=expected, payload=payload) for seq in seqs]
        result = await log.append(TABLE, entries, expected, request)
        if isinstance(result, Conflict):
            assert [missed.seq for missed in result.missed[:1]] == [expected]
            expected += len(result.missed)
        else:
            assert result == Appended(expected + length)
            return


async def write_together(log: EventLog) -> None:
    """Many writers at once, each trying again after every conflict."""

    async def write(writer: int) -> None:
        for turn in range(COMMITS):
            request = Request(f"{turn}", f"p{writer}", MAC) if turn % 2 else None
            await keep(log, b"%d/%d" % (writer, turn), length_of(writer, turn), request)

    await asyncio.gather(*map(write, range(WRITERS)))


def length_of(writer: int, turn: int) -> int:
    """How many entries a writer's commit has."""
    return 1 + (writer + turn) % 3


WRITTEN = sum(length_of(writer, turn) for writer in range(WRITERS) for turn in range(COMMITS))
"""How many entries `write_together` leaves."""


@on_logs_of_their_own
class LiveTests(LogTests):
    """Every promise of a log that shows when tasks meet."""

    # Following

    async def test_a_follower_gets_history_then_one_mark_then_what_happens(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0, 3), 0)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await take(followed, 4) == [*commit(0, 3), CaughtUp(3)]
            for seq in range(3, 9, 2):
                await log.append(TABLE, commit(seq, 2), seq)
                assert await take(followed, 2) == [*commit(seq, 2)]

    async def test_an_empty_table_can_be_followed_from_before_its_first_entry(
        self, log: EventLog
    ) -> None:
        async with aclosing(log.follow(TABLE)) as followed:
            assert await anext(followed) == CaughtUp(0)
            waiting = asyncio.create_task(take(followed, 1))
            await asyncio.sleep(0.01)
            assert not waiting.done()
            await log.append(TABLE, commit(0), 0)
            assert await waiting == [entry(0)]

    async def test_following_begins_after_the_given_entry(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 5), 0)
        for after in range(-1, 7):
            async with aclosing(log.follow(TABLE, after)) as followed:
                expected = [*commit(0, 5)[after + 1 :], CaughtUp(5)]
                assert await take(followed, len(expected)) == expected

    async def test_what_comes_during_the_history_comes_after_the_mark(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 3), 0)
        for begun in range(1, 4):
            size = len(await log.read(TABLE))
            async with aclosing(log.follow(TABLE)) as followed:
                items = await take(followed, begun)
                await log.append(TABLE, commit(size, 2), size)
                items += await take(followed, size + 3 - begun)
            assert items == [*commit(0, size), CaughtUp(size), *commit(size, 2)]

    async def test_what_comes_between_mark_and_waiting_is_not_missed(self, log: EventLog) -> None:
        async with aclosing(log.follow(TABLE)) as followed:
            await anext(followed)
            for seq in range(5):
                await log.append(TABLE, commit(seq), seq)
            assert await take(followed, 5) == [*commit(0, 5)]

    async def test_a_history_of_many_pages_comes_whole(self, log: EventLog) -> None:
        for size in (0, 1000):
            await log.append(TABLE, commit(size, 1000), size)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await take(followed, 2001) == [*commit(0, 2000), CaughtUp(2000)]

    async def test_a_follower_hears_of_its_own_table_and_of_kept_commits_alone(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0), 0, ASK)
        async with aclosing(log.follow(TABLE)) as followed:
            assert await take(followed, 2) == [entry(0), CaughtUp(1)]
            assert await log.append(OTHER, commit(0, 2), 0) == Appended(2)
            assert await log.append(TABLE, commit(0), 0) == Conflict(commit(0))
            assert await log.append(TABLE, commit(1), 1, ASK) == Answered(MAC, commit(0))
            assert await log.append(TABLE, commit(1), 1) == Appended(2)
            assert await take(followed, 1) == [entry(1)]

    async def test_followers_that_join_while_many_write_miss_nothing_and_hear_nothing_twice(
        self, log: EventLog
    ) -> None:
        writing = asyncio.create_task(write_together(log))
        following: list[tuple[int, asyncio.Task[Items]]] = []
        while not writing.done() and len(following) < FOLLOWERS:
            for after in (-1, len(await log.read(TABLE)) // 2 - 1):
                task = asyncio.create_task(until(log.follow(TABLE, after), WRITTEN))
                following.append((after, task))
            await asyncio.sleep(0.001)
        await writing
        rows = await log.read(TABLE)
        for after, task in following:
            told_all = await task
            marks = [item for item in told_all if isinstance(item, CaughtUp)]
            assert entries_of(told_all) == rows[after + 1 :]
            assert len(marks) == 1
            history = told_all[: told_all.index(marks[0])]
            assert entries_of(history) == rows[after + 1 : marks[0].size]

    async def test_a_follower_that_stands_still_holds_up_nobody_and_loses_nothing(
        self, log: EventLog
    ) -> None:
        async with aclosing(log.follow(TABLE)) as still:
            assert await anext(still) == CaughtUp(0)
            for size in range(0, 1000, 50):
                await log.append(TABLE, commit(size, 50), size)
            assert await take(still, 1000) == [*commit(0, 1000)]

    async def test_a_follower_can_be_cancelled_and_the_others_go_on(self, log: EventLog) -> None:
        following = [asyncio.create_task(until(log.follow(TABLE), 4)) for _ in range(6)]
        await log.append(TABLE, commit(0, 2), 0)
        await asyncio.sleep(0.01)
        for task in following[::2]:
            task.cancel()
        await log.append(TABLE, commit(2, 2), 2)
        for cancelled in following[::2]:
            with pytest.raises(asyncio.CancelledError):
                await cancelled
        for items in await asyncio.gather(*following[1::2]):
            assert entries_of(items) == commit(0, 4)
        assert await log.append(TABLE, commit(4), 4) == Appended(5)

    # Writing at the same time

    async def test_of_writers_that_expect_the_same_size_one_goes_first(self, log: EventLog) -> None:
        batches = [[entry(0, payload=b"%d" % n), entry(1)] for n in range(WRITERS)]
        results = await asyncio.gather(*(log.append(TABLE, each, 0) for each in batches))
        kept = await log.read(TABLE)
        assert list(kept) in batches
        assert results.count(Appended(2)) == 1
        assert results.count(Conflict(kept)) == WRITERS - 1

    async def test_the_same_request_sent_many_times_at_once_is_kept_once(
        self, log: EventLog
    ) -> None:
        results = await asyncio.gather(
            *(log.append(TABLE, commit(0, 2), 0, ASK) for _ in range(WRITERS))
        )
        assert results.count(Appended(2)) == 1
        assert results.count(Answered(MAC, commit(0, 2))) == WRITERS - 1
        assert await log.read(TABLE) == commit(0, 2)

    async def test_many_writers_leave_whole_commits_and_no_gaps(self, log: EventLog) -> None:
        await write_together(log)
        rows = await log.read(TABLE)
        assert [row.seq for row in rows] == list(range(WRITTEN))
        runs = [(payload, len(list(run))) for payload, run in groupby(row.payload for row in rows)]
        assert sorted(runs) == sorted(
            (b"%d/%d" % (writer, turn), length_of(writer, turn))
            for writer in range(WRITERS)
            for turn in range(COMMITS)
        )

    async def test_no_reader_ever_sees_half_a_commit(self, log: EventLog) -> None:
        async def write() -> None:
            for size in range(0, 90, 3):
                await log.append(TABLE, commit(size, 3), size)

        writing = asyncio.create_task(write())
        while not writing.done():
            read = await log.read(TABLE)
            assert read == commit(0, len(read) // 3 * 3)
            await asyncio.sleep(0)
        await writing

    # Closing

    async def test_closing_ends_the_followers_and_refuses_everything_after(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0), 0)
        following = log.follow(TABLE)
        assert [await anext(following) for _ in range(2)] == [entry(0), CaughtUp(1)]
        await log.close()
        await log.close()
        assert await until(following, 9) == []
        for call in (
            lambda: log.append(TABLE, commit(1), 1),
            lambda: log.answered(TABLE, "p1", "ask-1"),
            lambda: log.requests(TABLE),
            log.settle,
            lambda: log.read(TABLE),
            lambda: anext(log.follow(TABLE)),
            log.tables,
            lambda: log.erase(TABLE, 0),
        ):
            with pytest.raises(Defect):
                await call()
