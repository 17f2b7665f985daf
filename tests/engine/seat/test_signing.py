"""A seat's commands are signed over the newest head that it verified, and again where needed."""

import asyncio

import pytest

from tests.engine.helpers.stages.players import Evening, Player
from tests.engine.helpers.stages.service import TABLE
from tests.engine.seat.test_asking import code_of
from urim.engine.core.commands import Note, TakeSeat
from urim.engine.core.refusal import as_refusal
from urim.engine.core.request import read_request
from urim.engine.seat import Seat
from urim.engine.seat.happened import NotDone
from urim.engine.seat.key import SeatKey
from urim.errors import Refused

KEY = SeatKey(bytes(range(32)))
TAKING = TakeSeat("p1", key=KEY.public)


def client(evening: Evening) -> Player:
    """A client of p1 that has its key."""
    seat = Seat(TABLE, "p1", [evening.key], signers={KEY.public: KEY.sign})
    return Player(evening.service, seat, evening.key)


def test_a_request_that_another_client_overtook_is_signed_over_a_newer_head() -> None:
    async def run() -> None:
        evening = Evening()
        await evening.begin(level="player", anchored=False)
        one, two = client(evening), client(evening)
        await one.sync()
        await one.ask(TAKING)
        for player in (one, two):
            await player.sync()
        held = two.seat.say(Note(0), "the first of two")
        for words in ("one", "two"):  # the second one over the head of the first
            await one.send(one.seat.say(Note(0), words))
            await one.sync()
        id = str(read_request(held).request)
        with pytest.raises(Refused) as refused:
            await evening.service.submit_request(TABLE, "p1", held)
        assert refused.value.code == "not-signed"
        await two.sync()
        assert two.seat.refused(id, as_refusal(refused.value)) == ()
        [again] = two.seat.resend()
        first, second = read_request(held), read_request(again)
        assert (first.body, first.request, first.text) == (
            second.body,
            second.request,
            second.text,
        )
        assert first.seen is not None and second.seen is not None
        assert first.seen.size < second.seen.size == two.seat.size
        assert await evening.service.submit_request(TABLE, "p1", again)
        await two.sync()
        assert two.seat.resend() == ()
        # Without a newer head it is over.
        last = two.seat.say(Note(0), "refused")
        gone = str(read_request(last).request)
        assert two.seat.refused(gone, as_refusal(refused.value)) == (
            NotDone(gone, as_refusal(refused.value)),
        )
        assert two.seat.resend() == ()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_nothing_is_signed_before_there_is_a_head_nor_with_another_key() -> None:
    async def run() -> None:
        evening = Evening()
        await evening.begin(level="player", anchored=False)
        one = client(evening)
        for message in await evening.sent("p1"):
            one.seat.receive(message)
        assert code_of(lambda: one.seat.ask(TAKING)) == "due"
        other = SeatKey(bytes(range(1, 33))).public
        assert code_of(lambda: one.seat.ask(TakeSeat("p1", key=other))) == "not-yours"
        one.seat.ask(TakeSeat("p2", key=other))  # another seat's: that is the table's to refuse
        assert one.seat.ask(Note(0))

    asyncio.run(asyncio.wait_for(run(), 60))
