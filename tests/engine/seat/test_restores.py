"""Behind a restore that a player accepted: what is gone is kept, and stays gone."""

import pytest

from tests.engine.helpers.stages.players import ALONE, Evening, Player
from tests.engine.helpers.stages.service import TABLE
from tests.engine.seat.test_shares import A, B, anchored, ask, asks, record, share_in
from urim.engine.core.commands import Ask, Declare, Note, OpenShare, worded
from urim.engine.seat import Seat
from urim.engine.seat.heads import Forked
from urim.engine.seat.shares import Moved, Shares
from urim.engine.seat.stored import GONE, Stored, read_stored
from urim.events.checkpoint import read
from urim.events.table import EpochBegun, ShareAnchored


async def begun(level: str = "player") -> Evening:
    """A table of that level, at which every seat has an anchor."""
    evening = Evening()
    await evening.begin(level=level)
    return evening


async def notes(evening: Evening, count: int = 1) -> None:
    """The narrator notes something, so many times."""
    for number in range(count):
        words = worded(Note(0), f"note {number}", "ab" * 16)
        await evening.service.submit(TABLE, "narrator", words)


async def epoch(evening: Evening) -> None:
    """The host restored its log."""
    await evening.service.begin_epoch(TABLE, restored=True)


def accepted(player: Player, evening: Evening) -> Player:
    """The player, who knows of a restore, at what is served now."""
    stored = read_stored(player.seat.stored().written()).after_restore()
    seat = Seat.resume(read_stored(stored.written()), [player.key])
    return Player(evening.service, seat, player.key)


async def forked(player: Player) -> Forked:
    """What the player's client says of the log that it is shown."""
    with pytest.raises(Forked, match="at no epoch of its own") as found:
        await player.sync()
    assert player.seat.fault is found.value
    return found.value


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_epoch_brings_nothing_back_that_an_earlier_one_took_away(restarted: bool) -> None:
    evening = await begun()
    early = await evening.copied()
    await epoch(evening)
    middle = await evening.copied()
    p1 = evening.players["p1"]
    await p1.sync()
    await notes(evening, 3)
    await p1.sync()
    first = p1.seat.stored()

    await epoch(early)
    await notes(early)
    there = accepted(p1, early)
    await there.sync()
    assert there.seat.live
    if restarted:
        there.restart()
    [gone] = there.seat.stored().gone
    assert (gone.note, gone.size, len(gone.epochs)) == (first.note, first.size, 1)

    again = await middle.copied()
    await notes(again)  # no longer than what is gone: it may still begin an epoch
    back = accepted(there, again)
    await back.sync()
    await notes(again, first.size)
    await again.service.checkpoint(TABLE)
    error = await forked(back)
    assert error.earlier == first.note

    await notes(middle)
    await epoch(middle)
    await notes(middle, first.size)
    honest = accepted(there, middle)
    await honest.sync()
    assert honest.seat.live and len(honest.seat.stored().gone) == 2


async def test_a_restore_without_an_epoch_is_none() -> None:
    evening = await begun()
    early = await evening.copied()
    await notes(evening, 2)
    p1 = evening.players["p1"]
    await p1.sync()
    same = accepted(p1, evening)  # nothing is gone
    await same.sync()
    await notes(early)
    back = accepted(p1, early)
    await back.sync()
    await notes(early, 2)
    await forked(back)


def test_no_more_is_remembered_than_fits() -> None:
    stored = Stored(TABLE, "p1", "x")
    assert stored.after_restore().gone == ()
    for size in range(1, GONE + 3):
        shown = Stored(TABLE, "p1", "x", size=size, root="ab" * 32, gone=stored.gone)
        stored = read_stored(shown.after_restore().written())
    assert [each.size for each in stored.gone] == [*range(3, GONE + 3)]


# --- chains, and shares ---------------------------------------------------------------------------


def test_a_chain_is_for_the_epoch_behind_which_it_was_published() -> None:
    shares = Shares(TABLE, "p2", lambda size: b"\x07" * size)
    shares.took_place(record(3, EpochBegun("narrator", 1, ())), A)
    anchor = anchored(shares)
    for leaf, strange in ((A, False), (B, True)):
        again = Shares(TABLE, "p2", lambda size: b"\x07" * size)
        again.resume(shares.chains, head=True)
        again.took_place(record(3, EpochBegun("narrator", 1, ())), leaf)
        published = record(5, ShareAnchored("p2", anchor))
        assert again.took_place(published, A) is strange
        assert again.strange is strange
        asks(again, 10, 1)
        assert again.opens(10) is not strange


async def test_a_share_under_another_ask_is_shown_by_the_heads_that_cover_both() -> None:
    evening = await begun("table")
    twin = await evening.copied()
    p2 = await ask(evening)
    await p2.sync()
    share = share_in(p2.seat.open_share())
    [opened] = p2.seat.stored().chains[0].opened

    await notes(twin)
    await twin.service.submit(TABLE, "p1", Declare("c1", ALONE))
    state = await twin.service.state(TABLE)
    committed = state.rolls[1].outstanding
    assert committed is not None
    seats = ("narrator", "p1", "p2")
    await twin.service.submit(TABLE, "p1", Ask(1, "initiator", committed.seq, seats))
    await twin.service.submit(TABLE, "p2", OpenShare(1, share))
    back = accepted(p2, twin)
    back.seat.head(await twin.service.checkpoint(TABLE))
    with pytest.raises(Moved) as moved:
        await back.sync()
    error = moved.value
    assert error.earlier == opened.note
    for note, (seq, _) in ((error.earlier, error.first), (error.later, error.second)):
        assert note is not None and read(note, [p2.key]).size > seq
    kept = Seat.resume(back.seat.stored(), [p2.key]).fault
    assert isinstance(kept, Forked)
    assert (kept.earlier, kept.later, kept.seq) == (error.earlier, error.later, error.seq)
