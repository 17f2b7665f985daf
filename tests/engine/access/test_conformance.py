"""The suite can fail: each of its tests is failed by a store that is broken on purpose."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.engine.access.broken import BROKEN
from urim.engine.access.protocol import AccessStore, Limits
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.testing.access import AccessConformance

TESTS = sorted(name for name in dir(AccessConformance) if name.startswith("test_"))

FAILED_BY: dict[str, list[str]] = {
    "expired invitations open": ["an_expired_invitation_opens_nothing"],
    "revoked invitations open": ["a_seat_is_revoked_with_its_invitations_and_those_it_made"],
    "expired tokens are good": ["what_opens_nothing_is_answered_alike"],
    "revoked tokens are good": ["a_token_is_revoked_alone_and_once"],
    "revoked tokens are good while the clock is back": [
        "a_clock_that_goes_back_gives_back_no_use_and_nothing_revoked"
    ],
    "nothing is repeated": ["an_exchange_whose_answer_was_lost_is_repeated_and_spends_nothing"],
    "all is repeated": ["nothing_is_repeated_for_ever"],
    "a repetition is another use": ["one_client_that_asks_many_times_at_once_spends_one_use"],
    "held seats are open": [
        "a_seat_that_somebody_holds_is_invited_to_by_itself_alone",
        "of_many_invitations_to_a_seat_at_once_one_leads_there",
        "of_two_invitations_to_a_seat_one_leads_there",
    ],
    "auditors hold a seat": ["a_new_seat_is_drawn_for_each_use"],
    "there is always room": ["more_than_the_limits_is_refused_by_name_and_spends_nothing"],
    "there are no bounds": ["more_than_the_limits_is_refused_by_name_and_spends_nothing"],
    "invitations last": ["more_than_the_limits_is_refused_by_name_and_spends_nothing"],
    "there is one new seat": [
        "a_new_seat_is_drawn_for_each_use",
        "auditors_have_no_seat_and_do_not_keep_each_other_out",
        "of_many_clients_at_once_as_many_come_in_as_there_are_uses",
    ],
    "the others of an exchange are good": ["the_first_token_that_is_used_is_the_only_one"],
    "no token is ever used": ["the_first_token_that_is_used_is_the_only_one"],
    "looks before it writes": ["a_client_id_that_could_be_guessed_is_refused_and_not_shown"],
    "any client id will do": ["a_client_id_that_could_be_guessed_is_refused_and_not_shown"],
    "a wrong text is mended": ["what_opens_nothing_is_answered_alike"],
    "lists show all": ["a_list_shows_what_is_open_and_no_secret"],
    "holders of all tables": [
        "an_invitation_gives_a_token_that_stands_for_its_seat",
        "tokens_of_one_exchange_that_come_at_once_leave_one",
    ],
    "the host's link is always new": ["of_many_who_ask_for_the_hosts_link_at_once_one_gets_it"],
    "a new host's link leaves the tokens": [
        "of_many_who_ask_for_the_hosts_link_at_once_one_gets_it"
    ],
    "tables are one": ["a_token_is_revoked_alone_and_once"],
    "seats are one": ["seats_of_one_name_at_two_tables_are_two"],
    "a table's invitations stay": ["a_table_is_revoked_with_all_its_invitations"],
    "what came of an invitation stays": ["an_invitation_is_revoked_with_all_that_came_of_it"],
    "nobody is woken": [
        "who_holds_a_token_hears_that_it_was_revoked",
        "the_other_tokens_of_an_exchange_are_heard_when_one_is_used",
    ],
    "what was purged is good": ["what_was_purged_is_heard_too"],
    "only news is heard": ["what_was_revoked_before_it_was_held_is_heard_too"],
    "closing wakes nobody": ["followers_end_with_the_store"],
    "purging takes open invitations": ["purging_forgets_what_is_over_and_nothing_that_is_good"],
    "purging takes what was spent": [
        "purging_forgets_what_is_over_and_nothing_that_is_good",
        "what_was_revoked_is_not_repeated",
    ],
    "the next host's link puts all out": ["the_next_hosts_link_lets_in_beside_those_who_are_in"],
    "the next host's link leaves the last one": [
        "the_next_hosts_link_lets_in_beside_those_who_are_in"
    ],
    "purging takes the host's link": ["the_hosts_link_is_made_once_and_a_new_one_replaces_it"],
}
"""The tests that a broken store fails, at the least: those which speak of it."""


class Suite(AccessConformance):
    """The suite, on a store that is broken."""

    @asynccontextmanager
    async def make_store(self, limits: Limits) -> AsyncGenerator[AccessStore, None]:
        """A new file."""
        with tempfile.TemporaryDirectory() as folder:
            store = await SqliteAccess.open(Path(folder) / "access.db", limits=limits)
            try:
                yield store
            finally:
                await store.close()


def passes(broken: str, test: str) -> bool:
    """Whether a broken store passes a test of the suite."""
    suite = Suite()
    suite.patience = 0.7  # some wait for what never comes
    with pytest.MonkeyPatch.context() as patch:
        BROKEN[broken](patch)
        try:
            getattr(suite, test)()
        except (Exception, pytest.fail.Exception):  # noqa: BLE001 - however it fails, it fails
            return False
    return True


@pytest.mark.parametrize("broken", FAILED_BY)
def test_a_broken_store_fails_the_tests_that_speak_of_it(broken: str) -> None:
    assert [test for test in FAILED_BY[broken] if passes(broken, f"test_{test}")] == []


def test_every_test_is_failed_by_a_broken_store_and_every_broken_store_fails_one() -> None:
    assert {*FAILED_BY} == {*BROKEN}
    assert {f"test_{test}" for tests in FAILED_BY.values() for test in tests} == {*TESTS}
