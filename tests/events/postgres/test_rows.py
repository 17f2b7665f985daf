"""Rows of a log that were changed by force: what is read says which entry is missed."""

import pytest

from tests.events.postgres.runs import by_others, on_log
from urim.engine.testing.log.harness import ASK, TABLE, commit, entry
from urim.errors import Damaged


def test_a_commit_of_which_the_end_is_gone_answers_nothing_and_names_what_is_missed(
    own_url: str,
) -> None:
    asked = (entry(2), entry(3, first=2), entry(4, first=2))
    on_log(own_url, lambda log: log.append(TABLE, commit(0, 2), 0))
    on_log(own_url, lambda log: log.append(TABLE, asked, 2, ASK))
    cut = ("DELETE FROM entries WHERE seq >= 3", "UPDATE tables SET size = 3, at = 2000")
    by_others(own_url, *cut, forced=True)
    with pytest.raises(Damaged, match="ends inside a commit") as damage:
        on_log(own_url, lambda log: log.answered(TABLE, ASK.seat, ASK.id))
    assert damage.value.seq == 3
