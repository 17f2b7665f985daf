"""Shares of a seat: over a head that covers the ask, for one ask alone, and of its own chain."""

import asyncio
import secrets

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.players import ALONE, Evening, Player
from tests.engine.helpers.stages.service import TABLE
from tests.engine.seat.test_asking import THROW, begun, code_of
from urim.engine.core.commands import BreakThrow, Declare, Note, OpenShare
from urim.engine.core.parse import read_logged
from urim.engine.core.request import read_request
from urim.engine.seat import Seat
from urim.engine.seat.happened import EpochSeen, NotMine, ShareAsked
from urim.engine.seat.shares import CHAINS, Chain, Moved, Shares
from urim.engine.seat.stored import read_stored
from urim.errors import Damaged, Refused
from urim.events.codec import Event, RecordedEvent
from urim.events.roll import ShareOpened, ThrowAsked, ThrowBroken
from urim.events.share import LENGTH, link
from urim.events.table import EpochBegun, ShareAnchored

A, B = b"a" * 32, b"b" * 32


def share_in(data: bytes) -> str:
    """The share that a request opens."""
    found = read_logged(read_request(data).body)
    assert isinstance(found, OpenShare)
    return found.share


async def ask(evening: Evening) -> Player:
    """Let p1 ask for the shares of a throw; p2, who does not know of it yet."""
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    await p1.send(p1.seat.shares(THROW))
    await p1.sync()
    return evening.players["p2"]


def warned(player: Player) -> list[int]:
    """The entries of which a player was shown that they are not this client's."""
    return [each.seq for each in player.happened if isinstance(each, NotMine)]


def opens(player: Player) -> bool:
    """Whether the seat may open a share now."""
    return player.seat.may_open


def should_anchor(player: Player) -> bool:
    """Whether the seat should publish a chain now."""
    return player.seat.should_anchor


def has_chain(player: Player) -> bool:
    """Whether the seat has a chain that goes on."""
    return player.seat.anchored


# --- with a table ---------------------------------------------------------------------------------


async def test_a_share_is_opened_once_over_a_head_that_covers_its_ask() -> None:
    evening = await begun("table")
    p2 = await ask(evening)
    for message in await evening.sent("p2", p2.seat.begin()):
        p2.happened += p2.seat.receive(message)
    assert ShareAsked(1, 0, "p1") in p2.happened
    assert code_of(p2.seat.open_share) == "due"
    assert not opens(p2)
    await p2.head()
    assert opens(p2)
    first, second = p2.seat.open_share(), p2.seat.open_share()
    [chain] = p2.seat.stored().chains
    assert share_in(first) == share_in(second) == link(TABLE, "p2", chain.last, 1)
    p2.restart()
    await p2.sync()
    assert share_in(p2.seat.open_share()) == share_in(first)
    await p2.send(first)
    await p2.sync()
    assert code_of(p2.seat.open_share) == "not-offered"
    for id in ("p1", "narrator"):
        player = evening.players[id]
        await player.sync()
        await player.send(player.seat.open_share())
    await p2.sync()
    assert p2.seat.state.rolls[1].throws == 1
    assert not warned(p2)


async def test_a_throw_at_level_table_is_asked_for() -> None:
    evening = await begun("table")
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    with pytest.raises(Refused) as refused:
        p1.seat.ask(THROW)
    assert (refused.value.code, refused.value.allowed) == ("nonce", ("ask",))
    late = evening.player("p1")
    await late.sync()
    assert code_of(lambda: late.seat.shares(THROW)) == "nonce"


async def test_a_throw_where_nobody_else_has_an_anchor_is_not_asked_for() -> None:
    p1 = (await begun()).players["p1"]
    await p1.anchor()
    await p1.ask(Declare("c1", ALONE, level="table"))
    await p1.sync()
    await p1.ask(THROW)


async def test_the_roller_waits_for_a_head_over_the_commitment() -> None:
    evening = await begun("table")
    p1 = evening.players["p1"]
    await evening.service.submit_request(TABLE, "p1", p1.seat.ask(Declare("c1", ALONE)))
    for message in await evening.sent("p1", p1.seat.begin()):
        p1.seat.receive(message)
    assert code_of(lambda: p1.seat.shares(THROW)) == "due"
    assert code_of(p1.seat.anchor) == "due"
    await p1.head()
    p1.seat.shares(THROW)


async def test_an_anchor_of_another_client_is_shown_and_ends_this_ones_part() -> None:
    evening = await begun("table")
    one, two = evening.players["p2"], evening.player("p2")
    await two.sync()
    anchor = one.seat.sight().seats[2].anchor
    assert anchor is not None
    [first] = warned(two)  # of the first history too: a host may have made it
    assert should_anchor(two)
    await two.anchor()
    assert has_chain(two)
    await one.sync()
    assert warned(one) == [one.seat.size - 1] != [first]
    assert not has_chain(one)
    assert not should_anchor(one)
    await ask(evening)
    await one.sync()
    assert not opens(one)
    assert code_of(one.seat.open_share) == "nonce"
    assert code_of(one.seat.anchor) == "due"  # while the ask waits
    await two.sync()
    await two.send(two.seat.open_share())
    await one.sync()
    assert len(warned(one)) == 2
    for id in ("p1", "narrator"):
        player = evening.players[id]
        await player.sync()
        await player.send(player.seat.open_share())
    await one.sync()
    await one.send(one.seat.anchor())  # its player says so
    await one.sync()
    assert has_chain(one)
    assert len(warned(one)) == 2
    one.restart()
    await one.sync()
    assert has_chain(one)


async def test_who_lost_its_newest_head_keeps_back_and_anchors_anew() -> None:
    evening = await begun("table")
    p2 = await ask(evening)
    await p2.sync()
    held = share_in(p2.seat.open_share())
    lost = read_stored(p2.seat.stored().after_restore().written())
    p2.seat = Seat.resume(lost, [p2.key])
    await p2.sync()
    assert not opens(p2)
    assert code_of(p2.seat.open_share) == "nonce"
    assert not should_anchor(p2)  # before the throw is over
    service = evening.service
    await _later(evening)
    await service.submit(TABLE, "narrator", BreakThrow(1))
    await p2.sync()
    assert should_anchor(p2)
    await p2.anchor()
    assert has_chain(p2)
    [old, new] = p2.seat.stored().chains
    assert old.opened[0].share.hex() == held
    assert (old.last, new.opened) == ("", ())


async def _later(evening: Evening) -> None:
    """Ten seconds pass."""
    aggregate = await evening.service.aggregate(TABLE)
    real = aggregate.environment.clock
    late = replace(aggregate.environment, clock=lambda state: real(state) + 10_000)
    aggregate.environment = late


async def test_after_an_epoch_a_seat_anchors_once_its_player_knows() -> None:
    evening = await begun("table")
    p2 = await ask(evening)
    await p2.sync()
    before = p2.seat.stored().chains[0].anchor
    await evening.service.begin_epoch(TABLE, restored=True)
    for player in evening.players.values():
        player.happened.clear()
        await player.sync()
        assert any(isinstance(each, EpochSeen) for each in player.happened)
    assert p2.seat.state.ask is None
    assert not should_anchor(p2)
    assert code_of(p2.seat.anchor) in ("commitment", "due")
    p2.seat.accept_epoch()
    for text in ("some", "more", "notes"):
        await evening.players["p1"].send(evening.players["p1"].seat.say(Note(0), text))
    await p2.sync()
    assert should_anchor(p2)
    await p2.anchor()
    assert has_chain(p2)
    assert p2.seat.state.seats["p2"].anchor is not None
    assert p2.seat.state.seats["p2"].anchor.first != before
    late = evening.player("p2")  # which lost nothing, and need not be asked
    await late.sync()
    assert should_anchor(late)


def test_where_nobody_asks_nobody_anchors() -> None:
    async def run(source: str, level: str = "table", *, one_machine: bool = False) -> None:
        evening = Evening()
        await evening.begin(anchored=False, source=source, level=level, one_machine=one_machine)
        assert not should_anchor(evening.players["p1"])

    for source in ("seeded:x", "scripted", "manual"):
        asyncio.run(run(source))
    asyncio.run(run("fair", "player", one_machine=True))


# --- without one ----------------------------------------------------------------------------------


def record(seq: int, event: Event, leaf: bytes = A) -> RecordedEvent:
    """An entry of a log."""
    return RecordedEvent(seq, 0, leaf, event)


def anchored(shares: Shares, seq: int = 5) -> str:
    """A chain that is published as this entry."""
    anchor = shares.anchor()
    assert not shares.took_place(record(seq, ShareAnchored("p2", anchor)), A)
    return anchor


def asks(shares: Shares, seq: int, i: int, leaf: bytes = A, throw: int = 0) -> None:
    """An ask for share i."""
    event = ThrowAsked("p1", 1, throw, 3, (("p1", 9), ("p2", i)))
    assert not shares.took_place(record(seq, event, leaf), leaf)


def chain() -> Shares:
    """The shares of p2, who anchored."""
    shares = Shares(TABLE, "p2", secrets.token_bytes)
    anchored(shares)
    return shares


def test_a_share_under_another_ask_is_fraud_and_both_are_named() -> None:
    shares = chain()
    asks(shares, 10, 1)
    share = shares.share(10)
    for head in (True, False):
        again = Shares(TABLE, "p2", secrets.token_bytes)
        again.resume(shares.chains, head=head)
        [known] = shares.chains
        assert not again.took_place(record(5, ShareAnchored("p2", known.anchor)), A)
        asks(again, 10, 1, B)
        assert not again.opens(10)
        assert code_of(lambda: again.share(10)) == "nonce"  # noqa: B023
        with pytest.raises(Moved, match=share) as moved:
            again.took_place(record(11, ShareOpened("p2", 1, 0, share)), A)
        assert (moved.value.first, moved.value.second) == ((10, A), (10, B))
        assert (moved.value.i, moved.value.share) == (1, share)


def test_a_seat_counts_its_asks_and_spends_one_whether_it_opens_or_not() -> None:
    shares = chain()
    asks(shares, 10, 1)
    assert not shares.took_place(record(12, ThrowBroken("p1", 1, 0, ("p2",), "", "")), A)
    assert not shares.opens(10)
    for i in (1, 3):
        event = ThrowAsked("p1", 1, 1, 3, (("p2", i),))
        with pytest.raises(Damaged, match="is ask 2 since its anchor"):
            _copy(shares).took_place(record(13, event), A)
    asks(shares, 13, 2)
    [known] = shares.chains
    assert shares.share(13) == link(TABLE, "p2", known.last, 2)
    event = ThrowAsked("p1", 1, 1, 3, (("p2", 1),))
    with pytest.raises(Damaged, match="has no anchor"):
        Shares(TABLE, "p2", secrets.token_bytes).took_place(record(13, event), A)


def _copy(shares: Shares) -> Shares:
    """The same, after one ask."""
    found = Shares(TABLE, "p2", secrets.token_bytes)
    found.resume(shares.chains, head=True)
    found.took_place(record(5, ShareAnchored("p2", shares.chains[0].anchor)), A)
    asks(found, 10, 1)
    return found


def test_a_chain_is_used_up() -> None:
    shares = chain()
    for i in range(1, LENGTH + 1):
        assert shares.anchored
        asks(shares, 10 * i, i)
    assert shares.opens(10 * LENGTH)
    assert not shares.anchored


def test_an_anchor_that_comes_back_after_an_epoch_opens_nothing() -> None:
    shares = chain()
    [known] = shares.chains
    assert not shares.took_place(record(20, EpochBegun("narrator", 1, ())), A)
    assert shares.ended and not shares.anchored
    assert shares.took_place(record(21, ShareAnchored("p2", known.anchor)), A)
    asks(shares, 22, 1)
    assert not shares.opens(22)


def test_a_share_that_this_client_did_not_open_ends_its_part() -> None:
    shares = chain()
    asks(shares, 10, 1)
    [known] = shares.chains
    share = link(TABLE, "p2", known.last, 1)
    assert shares.took_place(record(11, ShareOpened("p2", 1, 0, share)), A)
    assert shares.strange
    asks(shares, 12, 2)
    assert not shares.opens(12)
    anchored(shares, 14)
    assert not shares.strange


def test_chains_that_are_over_are_forgotten_in_the_end() -> None:
    shares = chain()
    for seq in range(50, 100):
        anchored(shares, seq)
    assert len(shares.chains) == CHAINS
    assert [bool(each.last) for each in shares.chains] == [*[False] * (CHAINS - 1), True]
    assert isinstance(shares.chains[0], Chain)
