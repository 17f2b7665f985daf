"""The conformance suite can fail: each of its tests is failed by a log broken on purpose."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from tests.events import broken_logs
from urim.engine.testing.log import EventLogConformance
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog

TESTS = sorted(name for name in dir(EventLogConformance) if name.startswith("test_"))


def named(*words: str) -> list[str]:
    """The tests whose names hold one of these."""
    return [test for test in TESTS if any(word in test for word in words)]


FAILED_BY: dict[type[broken_logs.Broken], list[str]] = {
    broken_logs.LosesTheLastEntry: named(
        "byte_for_byte", "in_the_order_they_came", "same_time_twice", "commit_of_every_entry"
    ),
    broken_logs.KeepsTextOnly: named("byte_for_byte"),
    broken_logs.KeepsTheCallersList: named("does_not_change"),
    broken_logs.NeverConflicts: named(
        "conflicts_with_what_it_missed", "of_writers", "many_writers"
    ),
    broken_logs.MissesOne: named("conflicts_with_what_it_missed", "of_writers", "many_writers"),
    broken_logs.LooksBeforeItWrites: named("of_writers_that_expect_the_same", "many_writers"),
    broken_logs.KeepsHalfOfABadCommit: named("keeps_the_whole_commit_out"),
    broken_logs.WritesOneByOne: named("half_a_commit"),
    broken_logs.WantsTimeToPass: named("same_time_twice"),
    broken_logs.MakesRoom: named("beyond_the_end"),
    broken_logs.MendsTableIds: named("table_id"),
    broken_logs.HasOneTable: named("know_nothing_of_one_another", "of_its_own_table"),
    broken_logs.ForgetsRequests: named(
        "answered_with_its_commit", "sent_many_times", "another_body"
    ),
    broken_logs.IgnoresTheBody: named("another_body"),
    broken_logs.TakesAllSeatsForOne: named("another_seats"),
    broken_logs.ReadsInclusively: named("after_is_exclusive"),
    broken_logs.MakesUpEntries: named("nobody_wrote_to"),
    broken_logs.ForgivesNegatives: named("before_the_beginning"),
    broken_logs.SkipsAtTheHandOver: named("between_mark_and_waiting", "join_while_many_write"),
    broken_logs.RepeatsAtTheHandOver: named(
        "history_then_one_mark", "during_the_history", "join_while"
    ),
    broken_logs.MarksTwice: named("history_then_one_mark", "join_while_many_write"),
    broken_logs.NeverWakes: named("from_before_its_first_entry", "go_on", "bell_rings_after"),
    broken_logs.RingsWithoutSize: named("bell_rings_after", "nobody_waits_for_any_longer"),
    broken_logs.RingsOften: named("own_table_alone"),
    broken_logs.WakesOne: named("listen_to_a_table"),
    broken_logs.FollowsOnePage: named("many_pages", "stands_still"),
    broken_logs.FollowsFromTheBeginning: named("following_begins_after"),
    broken_logs.HasOneFollower: named("cancelled_and_the_others_go_on"),
    broken_logs.KeepsWhatHasNoPayload: named(
        "without_a_payload", "byte_for_byte", "withheld_text_can"
    ),
    broken_logs.ErasesUnnamed: named("a_text_is_erased_only_where"),
    broken_logs.GivesRequestsByName: named("requests_that_were_answered"),
    broken_logs.GivesAllRequests: named("requests_that_were_answered"),
    broken_logs.ErasesNothing: named("erasing_removes", "cannot_be_erased"),
    broken_logs.ErasesTheLeaf: named("erasing_removes"),
    broken_logs.ErasesOnce: named("erasing_removes", "withheld_text_can_be_erased"),
    broken_logs.ErasesAnything: named("no_text_cannot_be_erased"),
    broken_logs.ErasesWhatIsHidden: named("no_text_cannot_be_erased"),
    broken_logs.ErasesOpenTextsOnly: named("erasing_removes", "withheld_text_can_be_erased"),
    broken_logs.ErasesTheCommit: named("commit_of_every_entry"),
    broken_logs.ForgetsCommits: named("commit_of_every_entry"),
    broken_logs.ForgetsCommitsOfWithheldEntries: named("commit_of_every_entry"),
    broken_logs.StaysOpen: named("closing", "closed_log"),
    broken_logs.SharesHeads: named("nobody_signed"),
    broken_logs.ListsHeadsAsTheyCame: named("smallest_first"),
    broken_logs.ReplacesHeads: named("first_head_stays", "another_root"),
    broken_logs.LooksBeforeItKeepsAHead: named("of_two_roots"),
    broken_logs.SignsAhead: named("entries_that_are_not_there", "first_head_stays"),
    broken_logs.ForgivesNegativeHeads: named("less_than_nothing"),
    broken_logs.ErasesHeads: named("heads_stay_whatever"),
}


def passes(log: type[MemoryLog], test: str, seconds: float = 0.5) -> bool:
    """Whether a log passes a test of the suite; one that waits longer has failed it."""

    class Suite(EventLogConformance):
        patience = seconds

        @asynccontextmanager
        async def make_log(self) -> AsyncGenerator[EventLog, None]:
            yield log()

    try:
        getattr(Suite(), test)()
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - however it fails, it fails
        return False
    return True


@pytest.mark.parametrize("log", FAILED_BY, ids=lambda log: log.__name__)
def test_a_broken_log_fails_the_tests_that_speak_of_it(log: type[broken_logs.Broken]) -> None:
    assert [test for test in FAILED_BY[log] if passes(log, test)] == []


@pytest.mark.parametrize("test", TESTS)
def test_what_passes_is_the_log_and_not_only_the_test(test: str) -> None:
    assert passes(broken_logs.Broken, test, seconds=60)
    assert any(test in failed for failed in FAILED_BY.values()), "no broken log fails this test"
