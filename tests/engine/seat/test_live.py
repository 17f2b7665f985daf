"""Seats that live on a feed: each commit comes with its head, and shares are opened over heads."""

import asyncio
from contextlib import aclosing
from random import Random

import pytest

from tests.engine.helpers.stages.acting import to_reveal
from tests.engine.helpers.stages.players import ALONE, OPPOSED, SEATS, Evening, Player
from tests.engine.helpers.stages.service import TABLE
from urim.engine.core.commands import Declare, Reveal
from urim.engine.core.refusal import as_refusal
from urim.engine.core.request import read_request
from urim.engine.core.view import view_of
from urim.engine.seat import Seat
from urim.engine.service.feed import Commit, Message
from urim.errors import Refused
from urim.events.log.protocol import CaughtUp


class Live(Player):
    """A person whose seat follows the feed, and is cut now and then; acts while it is live."""

    chance = Random(0)  # noqa: S311
    heads = 0

    async def follow(self, over: asyncio.Event) -> None:
        """Go on until the evening is over."""
        while not over.is_set():
            after = self.seat.begin()
            async with aclosing(self.service.subscribe(TABLE, self.seat.id, after)) as messages:
                async for message in messages:
                    await self.take(message)
                    if self.seat.live:
                        await self.go_on()
                    if self.seat.id == "narrator" and self.ended():
                        over.set()
                    if over.is_set() or self.chance.random() < 0.1:
                        break

    async def take(self, message: Message) -> None:
        """Take a message over, its head before or after it."""
        early = self.chance.random() < 0.5
        head = message.head if isinstance(message, Commit) else None
        if isinstance(message, CaughtUp):
            head, early = await self.service.head(TABLE), False
        if head is not None and early:
            self.seat.head(head)
        self.seat.receive(message)
        if head is not None and not early:
            self.seat.head(head)
        if isinstance(message, Commit) and self.seat.live:
            assert head is not None
            assert self.seat.head_size == self.seat.size == message.size
            self.heads += 1

    async def go_on(self) -> None:
        """Do the first thing that the table waits for, unless an answer is waited for."""
        waiting = [each for each in self.seat.awaiting() if each.trigger != "break_throw"]
        if self.seat.stored().pending:
            return
        if self.seat.should_anchor:
            data = self.seat.anchor()
        elif waiting and (waiting[0].trigger != "open_share" or self.seat.may_open):
            data = self._act(waiting[0])
        elif not waiting and (hidden := to_reveal(self.seat)):
            data = self.seat.ask(Reveal(hidden[0]))
        else:
            return
        request = str(read_request(data).request)
        try:
            entries = await self._answer(data)
        except Refused as refused:  # somebody was first
            self.seat.refused(request, as_refusal(refused))
        else:
            self.seat.answer(request, entries, await self.service.head(TABLE))

    def ended(self) -> bool:
        """Whether both rolls are resolved and open."""
        rolls = tuple(self.seat.state.rolls.values()) if self.seat.live else ()
        return len(rolls) == 2 and all(r.state == "resolved" and not r.hidden for r in rolls)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("chance", range(6))
def test_a_seat_holds_every_commit_of_a_feed_against_its_head(chance: int) -> None:
    async def run() -> None:
        evening = Evening()
        await evening.begin(anchored=False)
        service, over = evening.service, asyncio.Event()
        lives = [
            Live(service, Seat(TABLE, seat, [evening.key], over_heads=True), evening.key)
            for seat in SEATS
        ]
        for number, live in enumerate(lives):
            live.chance = Random(chance * 10 + number)  # noqa: S311
        async with asyncio.TaskGroup() as group:
            following = [group.create_task(live.follow(over)) for live in lives]
            await service.submit(TABLE, "p1", Declare("c1", OPPOSED))
            await service.submit(TABLE, "p1", Declare("c1", ALONE, "gm"))
            await over.wait()
            # Nothing more comes: who waits for a message would wait for ever.
            for each in following:
                each.cancel()
        state = await service.state(TABLE)
        note = await service.head(TABLE)
        assert note is not None
        for live in lives:
            await live.sync()
            live.seat.head(note)
            assert live.seat.state == view_of(state, live.seat.id)
            assert live.seat.head_size == state.size
        assert sum(live.heads for live in lives) > 10
        assert all(roll.throws for roll in state.rolls.values())
        await service.close()

    asyncio.run(asyncio.wait_for(run(), 60))
