"""Rows of a log that were changed by force: what is read says which entry is missed."""

import pytest
from msgspec.structs import replace

from tests.events.postgres.runs import by_others, on_log
from urim.engine.testing.log.harness import ASK, TABLE, commit, entry
from urim.errors import Damaged
from urim.events.log.postgres import PostgresLog, rows


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


@pytest.mark.parametrize("seq", range(6))
def test_the_check_reads_every_page_and_finds_what_is_gone(
    own_url: str, seq: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of commits that follow one another without a gap, from the first entry on."""
    monkeypatch.setattr(rows, "PAGE", 2)

    async def scenario(log: PostgresLog) -> None:
        for at in range(6):
            await log.append(TABLE, commit(at), at, replace(ASK, id=f"ask-{at}"))
        await log.check()

    on_log(own_url, scenario)
    emptied = "UPDATE entries SET salt = NULL, payload = NULL"
    by_others(own_url, f"{emptied} WHERE seq = {seq}", forced=True)
    with pytest.raises(Damaged) as damage:
        on_log(own_url, lambda log: log.check())
    assert damage.value.seq == seq
