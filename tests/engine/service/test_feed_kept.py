"""What a feed keeps for those who are slow: as it was when it was kept, and so much at most."""

import pytest

from tests.engine.helpers.stage import NATURAL, ROOT, fight
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.service import feed as feeds
from urim.engine.service.feed import Commit, Feed
from urim.engine.table import Table
from urim.errors import Damaged
from urim.events.base import Visibility
from urim.events.log.bell import Bell

SEATS = (NARRATOR, "p1", "p2", "p3")


def fed(table: Table) -> Feed:
    """A feed that has handed on all of a table."""
    feed = Feed(table.state.id, Bell())
    feed.advance(table.aggregate)
    return feed


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_who_is_slow_is_sent_each_commit_as_it_was_when_it_was_kept(visibility: Visibility) -> None:
    table, *_ = fight()
    table.seat("p3")
    feed = fed(table)
    wish = {"root": ROOT, "rating": 2}
    revealing = "p1" if visibility == "self" else NARRATOR
    steps: list[tuple[str, c.Asking]] = [
        ("p1", c.Declare("c1", wish, visibility=visibility)),
        ("p1", c.RollDice(1, "initiator", faces=NATURAL)),
        (revealing, c.Reveal(1)),
        ("p2", c.worded(c.Note(0), "another")),
    ]
    prompt: dict[tuple[str, int], tuple[Commit, bool]] = {}
    for number, (seat, asking) in enumerate(steps):
        table.submit(seat, asking)
        feed.advance(table.aggregate, b"head %d" % number)
        prompt |= {(each, number): feed.live(each, number) for each in SEATS}
    assert (feed.first, feed.stop) == (0, len(steps))
    assert {(each, number): feed.live(each, number) for each, number in prompt} == prompt
    assert [prompt["p3", number][0].head for number in range(len(steps))] == [
        b"head %d" % number for number in range(len(steps))
    ]
    sealed = [b"payload" not in prompt["p3", number][0].entries[0] for number in range(2)]
    assert sealed == [True, True]
    shown = prompt["p3", 2][0]
    assert len(shown.changed) == 2
    assert all(b"payload" in line for line in shown.changed)


@pytest.mark.parametrize(("queued", "waiting"), [(3, 10**6), (1, 10**6), (100, 3_000), (100, 0)])
def test_so_many_commits_and_bytes_are_kept_and_the_newest_always(
    monkeypatch: pytest.MonkeyPatch, queued: int, waiting: int
) -> None:
    monkeypatch.setattr(feeds, "QUEUED", queued)
    monkeypatch.setattr(feeds, "WAITING", waiting)
    table, *_ = fight()
    feed = fed(table)
    sizes: list[int] = []
    for length in (10, 900, 5, 2_000, 40, 40, 1_500, 3, 700, 700, 700, 10):
        table.submit("p1", c.worded(c.Note(0), "x" * length))
        feed.advance(table.aggregate)
        sizes.append(sum(map(len, feed.live("p1", feed.stop - 1)[0].entries)))
        kept = sizes[feed.first :]
        assert feed.stop == len(sizes)
        assert 1 <= len(kept) <= queued
        assert sum(kept[:-1]) <= waiting  # beside the newest, which may be longer than that
        one_more = sizes[max(0, feed.first - 1) :]
        assert one_more == kept or len(one_more) > queued or sum(one_more[:-1]) > waiting


def test_a_table_that_lost_entries_ends_its_feed() -> None:
    table, *_ = fight()
    shorter = table.aggregate
    feed = fed(table)
    feed.size += 1
    feed.advance(shorter)
    assert feed.ended
    assert isinstance(feed.error, Damaged)
    with pytest.raises(Damaged, match="'t' is not loaded"):
        _ = Feed("t", Bell()).aggregate
