"""What a log must do with signed heads: keep them for good, and for one size a single root."""

# ruff: noqa: S101
# (assert is how pytest asks.)

import asyncio
from collections.abc import Awaitable

import pytest

from ....errors import Defect, Refused
from ....events.log.head import Head
from ....events.log.protocol import EventLog
from .harness import ASK, OTHER, TABLE, LogTests, commit, entry, erasing, on_logs_of_their_own

WRITERS = 8


def head(size: int, root: int = 1, note: bytes = b"signed \xe2\x80\x94\n\x00\xff") -> Head:
    """A head of a size with one byte repeated as its root; a log reads neither root nor note."""
    return Head(size, bytes([root]) * 32, note)


@on_logs_of_their_own
class HeadTests(LogTests):
    """Every promise of a log about signed heads."""

    async def test_a_table_that_nobody_signed_has_no_heads(self, log: EventLog) -> None:
        await log.append(OTHER, commit(0, 3), 0)
        await log.keep_head(OTHER, head(2))
        for turn in range(2):
            assert await log.last_head(TABLE) is None
            assert await log.heads(TABLE) == ()
            await log.append(TABLE, commit(turn), turn)

    async def test_heads_are_given_back_smallest_first_whatever_order_they_came_in(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0, 5), 0)
        kept = {size: head(size, size, b"note %d" % size) for size in (4, 2, 5, 1)}
        for each in kept.values():
            assert await log.keep_head(TABLE, each) == each
        ordered = tuple(kept[size] for size in sorted(kept))
        assert await log.last_head(TABLE) == kept[5]
        assert await log.heads(TABLE) == ordered
        for after in range(7):
            expected = tuple(each for each in ordered if each.size > after)
            assert await log.heads(TABLE, after) == expected
            for limit in range(5):
                assert await log.heads(TABLE, after, limit) == expected[:limit]

    async def test_of_one_size_the_first_head_stays(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 2), 0)
        first = head(2, note=b"first")
        for note in (b"first", b"second", b"first"):
            assert await log.keep_head(TABLE, head(2, note=note)) == first
        assert await log.heads(TABLE) == (first,)

    async def test_another_root_for_a_size_is_refused(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 3), 0)
        await log.keep_head(TABLE, head(2))
        with pytest.raises(Refused) as refusal:
            await log.keep_head(TABLE, head(2, 7))
        assert refusal.value.code == "taken"
        assert await log.heads(TABLE) == (head(2),)
        assert await log.keep_head(TABLE, head(3, 7)) == head(3, 7)

    async def test_of_two_roots_at_the_same_time_one_is_refused(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 2), 0)
        calls = (log.keep_head(TABLE, head(2, root)) for root in range(WRITERS))
        results = await asyncio.gather(*calls, return_exceptions=True)
        [kept] = await log.heads(TABLE)
        assert [each for each in results if isinstance(each, Head)] == [kept]
        assert sum(isinstance(each, Refused) for each in results) == WRITERS - 1

    def test_a_head_of_entries_that_are_not_there_is_refused(self) -> None:
        for table, size in ((TABLE, 3), (TABLE, 2**63), (OTHER, 1)):

            def call(log: EventLog, table: str = table, size: int = size) -> Awaitable[object]:
                return log.keep_head(table, head(size))

            self.refuse("out-of-range", call, commit(0, 2))

    def test_heads_after_less_than_nothing_are_refused(self) -> None:
        self.refuse("out-of-range", lambda log: log.heads(TABLE, -1))
        self.refuse("out-of-range", lambda log: log.heads(TABLE, 0, -1))

    async def test_heads_stay_whatever_happens_to_the_entries(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 2, "text"), 0, ASK)
        await log.keep_head(TABLE, head(1))
        await log.append(TABLE, [erasing(2, 0), entry(3)], 2)
        await log.erase(TABLE, 0)
        assert await log.heads(TABLE) == (head(1),)
        assert await log.tables() == (TABLE,)

    async def test_a_closed_log_keeps_and_gives_no_heads(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0), 0)
        await log.close()
        for call in (
            lambda: log.keep_head(TABLE, head(1)),
            lambda: log.last_head(TABLE),
            lambda: log.heads(TABLE),
        ):
            with pytest.raises(Defect):
                await call()
