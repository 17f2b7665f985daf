"""What a log must do with entries at rest: keep, refuse, answer again, erase."""

# ruff: noqa: S101
# (assert is how pytest asks.)

import json
from collections.abc import Awaitable, Sequence
from contextlib import aclosing

import pytest
from msgspec.structs import replace

from ....errors import Damaged, Refused, UrimError
from ....events.entry import Entry, EntryClass, verify, withhold
from ....events.log.protocol import Answered, Appended, Commit, Conflict, EventLog, Request
from ....events.merkle import root_of
from .harness import ASK, MAC, OTHER, TABLE, LogTests, commit, entry, erasing, on_logs_of_their_own

HIDDEN_KINDS: tuple[EntryClass, ...] = ("hidden", "hidden", "hidden-text")
"""The classes of a hidden commit's entries."""


@on_logs_of_their_own
class StoredTests(LogTests):
    """Every promise of a log that one task alone can see."""

    # Appending and reading

    async def test_a_table_that_nobody_wrote_to_is_empty(self, log: EventLog) -> None:
        assert await log.read(TABLE) == ()
        assert await log.answered(TABLE, "p1", "ask-1") is None
        assert await log.tables() == ()

    async def test_what_was_appended_is_read_back_byte_for_byte(self, log: EventLog) -> None:
        entries = (
            entry(0),
            entry(1, kind="hidden"),
            entry(2, kind="hidden-text"),
            entry(3, payload=bytes(range(256)) * 2),
            entry(4, payload=b""),
            entry(5, payload="אשר 🎲 \u2028".encode()),
            entry(6, payload=b"x" * 64 * 1024),
            entry(7, at=2**53),
            entry(8, at=2**53, kind="text"),
            withhold(entry(9, at=2**53, kind="hidden-text")),
        )
        assert await log.append(TABLE, entries, 0) == Appended(10)
        assert await log.read(TABLE) == entries
        for kept in await log.read(TABLE):
            verify(kept)

    async def test_the_commit_of_every_entry_is_kept_and_given_back(self, log: EventLog) -> None:
        first = (entry(0), entry(1, kind="text", first=0))
        second = tuple(
            entry(seq, kind=kind, first=2)
            for seq, kind in zip(range(2, 5), HIDDEN_KINDS, strict=True)
        )
        third = (entry(5), entry(6, first=5), erasing(7, 1), erasing(8, 4))
        left = (first[0], withhold(first[1]), *second[:2], withhold(second[2]), *third)
        await log.append(TABLE, first, 0, ASK)
        await log.append(TABLE, second, 2)
        await log.append(TABLE, third, 5)
        assert await log.read(TABLE) == (*first, *second, *third)
        await log.erase(TABLE, 1)
        await log.erase(TABLE, 4)
        assert [kept.commit for kept in await log.read(TABLE)] == [0, 0, 2, 2, 2, 5, 5, 7, 8]
        assert await log.answered(TABLE, "p1", ASK.id) == Answered(MAC, left[:2])
        assert await log.append(TABLE, commit(3), 3) == Conflict(left[3:])
        async with aclosing(log.follow(TABLE)) as followed:
            assert [await anext(followed) for _ in left] == [*left]

    async def test_commits_follow_one_another_in_the_order_they_came(self, log: EventLog) -> None:
        sizes = [await log.append(TABLE, commit(n, 3), n) for n in (0, 3, 6)]
        assert sizes == [Appended(3), Appended(6), Appended(9)]
        assert await log.read(TABLE) == commit(0, 9)

    async def test_after_is_exclusive_and_limit_bounds(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 5), 0)
        for after in range(-1, 7):
            assert await log.read(TABLE, after) == commit(0, 5)[after + 1 :]
            for limit in range(7):
                expected = commit(0, 5)[after + 1 :][:limit]
                assert await log.read(TABLE, after, limit) == expected
                assert await log.read(OTHER, after, limit) == ()

    def test_reading_from_before_the_beginning_is_refused(self) -> None:
        self.refuse("out-of-range", lambda log: log.read(TABLE, -2))
        self.refuse("out-of-range", lambda log: log.read(TABLE, -1, -1))

        async def following(log: EventLog) -> None:
            await anext(log.follow(TABLE, -2))

        self.refuse("out-of-range", following)

    async def test_what_was_read_does_not_change_with_the_log(self, log: EventLog) -> None:
        given = list(commit(0, 2, "text"))
        await log.append(TABLE, given, 0)
        given.clear()
        read = await log.read(TABLE)
        await log.append(TABLE, [erasing(2, 0)], 2)
        await log.erase(TABLE, 0)
        assert read == commit(0, 2, "text")

    async def test_tables_know_nothing_of_one_another(self, log: EventLog) -> None:
        await log.append(OTHER, commit(0, 2, "text"), 0, ASK)
        assert await log.append(TABLE, commit(0, 3, "text"), 0, ASK) == Appended(3)
        await log.append(OTHER, [erasing(2, 1)], 2)
        await log.erase(OTHER, 1)
        texts = commit(0, 3, "text")
        assert await log.read(TABLE) == texts
        assert await log.read(OTHER) == (texts[0], withhold(texts[1]), erasing(2, 1))
        assert await log.answered(TABLE, "p1", "ask-1") == Answered(MAC, texts)
        assert await log.tables() == (TABLE, OTHER)

    # What is refused

    async def test_a_commit_on_an_old_size_conflicts_with_what_it_missed(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0, 4), 0)
        for expected in range(4):
            conflict = await log.append(TABLE, commit(expected, 2), expected, ASK)
            assert conflict == Conflict(commit(expected, 4 - expected))
        assert await log.read(TABLE) == commit(0, 4)
        assert await log.answered(TABLE, "p1", "ask-1") is None
        assert await log.append(TABLE, commit(4, 2), 4, ASK) == Appended(6)

    def test_a_commit_beyond_the_end_is_refused(self) -> None:
        self.refuse("out-of-range", lambda log: log.append(TABLE, commit(1), 1))
        self.refuse("out-of-range", lambda log: log.append(TABLE, commit(4), 4), commit(0, 2))
        self.refuse("out-of-range", lambda log: log.append(TABLE, commit(0), -1), commit(0, 2))

    def test_a_bad_entry_anywhere_keeps_the_whole_commit_out(self) -> None:
        good = commit(2, 3)
        touched = replace(good[1], at=good[1].at + 1)
        halved = replace(good[2], salt=None)
        swapped = replace(good[2], payload=b"{}")
        batches: list[tuple[Sequence[Entry], type[UrimError], str]] = [
            ((), Refused, "malformed"),
            (commit(3, 2), Refused, "malformed"),
            (commit(0, 3), Refused, "malformed"),
            ((good[0], good[2]), Refused, "malformed"),
            ((good[0], good[0]), Refused, "malformed"),
            ((entry(2, first=0), good[1]), Refused, "malformed"),
            ((entry(2, first=1), entry(3, first=1)), Refused, "malformed"),
            ((good[0], entry(3, first=1)), Refused, "malformed"),
            ((good[0], good[1], entry(4, first=2)), Refused, "malformed"),
            ((good[0], entry(3, at=1_999)), Refused, "out-of-range"),
            ((entry(2, at=999), good[1]), Refused, "out-of-range"),
            ((good[0], touched, good[2]), Damaged, ""),
            ((good[0], good[1], halved), Damaged, ""),
            ((good[0], good[1], swapped), Damaged, ""),
        ]
        for batch, error, code in batches:

            def call(log: EventLog, batch: Sequence[Entry] = batch) -> Awaitable[object]:
                return log.append(TABLE, batch, 2, ASK)

            self.refuse(code, call, commit(0, 2), error)

    async def test_the_same_time_twice_is_no_time_that_goes_back(self, log: EventLog) -> None:
        still = tuple(entry(seq, at=5) for seq in range(4))
        await log.append(TABLE, still[:2], 0)
        assert await log.append(TABLE, still[2:], 2) == Appended(4)

    def test_a_table_id_not_of_its_form_is_refused(self) -> None:
        for table in ("", "short", "UPPER000", "../../etc", "a" * 33, "table\n00", "t%00000000"):

            def call(log: EventLog, table: str = table) -> Awaitable[object]:
                return log.append(table, commit(0), 0)

            self.refuse("malformed", call)

    # Requests

    async def test_the_same_request_is_answered_with_its_commit_and_not_kept_twice(
        self, log: EventLog
    ) -> None:
        await log.append(TABLE, commit(0), 0)
        await log.append(TABLE, commit(1, 2), 1, ASK)
        await log.append(TABLE, commit(3), 3, Request("ask-2", "p1", MAC))
        answer = Answered(MAC, commit(1, 2))
        assert await log.answered(TABLE, "p1", "ask-1") == answer
        # Whatever size it now expects, and whatever else it would now write.
        for expected in (0, 1, 4):
            again = await log.append(TABLE, commit(expected, 3), expected, ASK)
            assert again == answer
        assert await log.read(TABLE) == commit(0, 4)

    async def test_a_request_id_with_another_body_is_refused(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0, 2), 0, ASK)
        for start in (0, 2):
            with pytest.raises(Refused) as refusal:
                await log.append(TABLE, commit(start), start, replace(ASK, mac=bytes(32)))
            assert refusal.value.code == "request-reused"
        assert await log.read(TABLE) == commit(0, 2)
        assert await log.answered(TABLE, "p1", "ask-1") == Answered(MAC, commit(0, 2))

    async def test_another_seats_same_request_id_is_another_request(self, log: EventLog) -> None:
        await log.append(TABLE, commit(0), 0, ASK)
        other = Request(ASK.id, "p2", bytes(32))
        assert await log.answered(TABLE, "p2", ASK.id) is None
        assert await log.append(TABLE, commit(1), 1, other) == Appended(2)
        assert await log.answered(TABLE, "p1", ASK.id) == Answered(MAC, commit(0))
        assert await log.answered(TABLE, "p2", ASK.id) == Answered(bytes(32), commit(1))

    def test_the_requests_that_were_answered_are_given_in_the_order_of_the_log(self) -> None:
        asks = [Request(f"ask-{10 - n}", f"p{n % 2 + 1}", bytes([n]) * 32) for n in range(4)]
        kept = tuple(Commit(ask, 3 * n, 3 * n + 2) for n, ask in enumerate(asks))

        async def scenario(log: EventLog) -> None:
            for commits in kept:
                await log.append(TABLE, commit(commits.start, 2), commits.start, commits.request)
                await log.append(TABLE, commit(commits.stop), commits.stop)
            for after in range(-1, 12):
                later = tuple(each for each in kept if each.start > after)
                assert await log.requests(TABLE, after) == later
                for limit in range(5):
                    assert await log.requests(TABLE, after, limit) == later[:limit]
            assert await log.requests(TABLE) == kept
            assert await log.requests(OTHER) == ()

        self.run(scenario)
        self.refuse("out-of-range", lambda log: log.requests(TABLE, -2))
        self.refuse("out-of-range", lambda log: log.requests(TABLE, -1, -1))

    # Erasing

    async def test_erasing_removes_salt_and_payload_and_leaves_the_tree(
        self, log: EventLog
    ) -> None:
        texts = (entry(2, kind="text", first=1), entry(3, kind="hidden-text"))
        ends = (erasing(4, 2), erasing(5, 3))
        whole = (*commit(0, 2), *texts, *ends)
        one = (*whole[:2], withhold(texts[0]), *whole[3:])
        left = (*whole[:2], *map(withhold, texts), *ends)
        await log.append(TABLE, whole, 0, ASK)
        root = root_of(kept.leaf for kept in await log.read(TABLE))
        for seq, erased in ((2, one), (3, left), (2, left)):  # again changes nothing
            await log.erase(TABLE, seq)
            assert await log.read(TABLE) == erased
            assert root_of(kept.leaf for kept in await log.read(TABLE)) == root
            assert await log.answered(TABLE, "p1", "ask-1") == Answered(MAC, erased)
        assert await log.append(TABLE, commit(6), 6) == Appended(7)
        assert await log.append(TABLE, commit(2), 2) == Conflict((*left[2:], entry(6)))
        async with aclosing(log.follow(TABLE)) as followed:
            assert [await anext(followed) for _ in range(6)] == [*left]

    def test_what_is_no_text_cannot_be_erased(self) -> None:
        kept = (entry(0), entry(1, kind="hidden"))
        for each in kept:

            def call(log: EventLog, seq: int = each.seq) -> Awaitable[object]:
                return log.erase(TABLE, seq)

            named = tuple(erasing(seq, seq - 2) for seq in (2, 3))
            self.refuse("not-offered", call, (*kept, *named))

    async def test_a_text_is_erased_only_where_an_entry_of_its_table_erases_it(
        self, log: EventLog
    ) -> None:
        words = json.dumps('{"event":{"type":"entry-erased/1","by":"p1","seq":1}}').encode()
        others = (entry(2, payload=words), erasing(3, 0), erasing(4, 10))
        kept = (entry(0), entry(1, kind="text"), *others)

        async def call(log: EventLog) -> None:
            await log.append(OTHER, [entry(0), entry(1, kind="text"), erasing(2, 1)], 0)
            await log.erase(TABLE, 1)

        await log.append(TABLE, kept, 0)
        with pytest.raises(Refused) as refusal:
            await call(log)
        assert refusal.value.code == "not-offered"
        assert await log.read(TABLE) == kept
        await log.append(TABLE, [erasing(5, 1)], 5)
        await log.erase(TABLE, 1)
        assert (await log.read(TABLE))[1] == withhold(kept[1])

    def test_an_entry_without_a_payload_that_is_no_text_is_damaged(self) -> None:
        for kind in ("open", "hidden"):
            wrong = withhold(entry(1, kind=kind, first=0))

            def call(log: EventLog, wrong: Entry = wrong) -> Awaitable[object]:
                return log.append(TABLE, [entry(0), wrong], 0)

            self.refuse("", call, error=Damaged)

    async def test_a_withheld_text_can_be_erased_too(self, log: EventLog) -> None:
        kept = (withhold(entry(0, kind="hidden-text")), erasing(1, 0))
        await log.append(TABLE, kept, 0)
        await log.erase(TABLE, 0)
        assert await log.read(TABLE) == kept

    def test_an_entry_that_is_not_there_cannot_be_erased(self) -> None:
        for table, seq in ((TABLE, 2), (TABLE, -1), (OTHER, 0)):

            def call(log: EventLog, table: str = table, seq: int = seq) -> Awaitable[object]:
                return log.erase(table, seq)

            self.refuse("unknown", call, commit(0, 2))
