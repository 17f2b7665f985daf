"""Five seats whose pages sleep every 30 seconds: how long a throw waits, and what an audit says.

The service, the seats and the log are real; time is the test's own. A page is awake for a while and
asleep for a while. It opens its share at once while it is awake, or as soon as it wakes. The server
finds out after some time that a page is gone; from then on it is not asked. Who slept through a
throw says so when it wakes, as the page does.
"""

import asyncio
import time
from collections.abc import Callable
from statistics import median

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.players import ALONE, Evening, Player
from tests.engine.helpers.stages.service import TABLE
from urim.engine.bundle.write import write_bundle
from urim.engine.core.commands import (
    BreakThrow,
    Declare,
    EnterCharacter,
    Note,
    OpenTable,
    RollDice,
    TakeSeat,
    worded,
)
from urim.engine.testing.kit.luck import Luck
from urim.engine.verifier import urimcheck
from urim.engine.wire.numbers import PING
from urim.projections.levels import askable
from urim.projections.rollstate import BREAKING

FIVE = tuple(f"p{number}" for number in range(1, 6))
CYCLE = 30_000
"""Milliseconds from one sleep of a page to the next."""

LONGEST = 20_000
"""Milliseconds that a sleep takes, at most; all from 0 up are as likely."""

NOTICED = int(2_000 * PING)
"""Milliseconds after which the server knows that a page is gone, at most."""

EVERY = 12_000
"""Milliseconds from a throw to the next."""

SOON = 300
"""Milliseconds until a page that is awake has opened its share."""


class Sleepers(Evening):
    """A table of five phones, and its own time."""

    def __init__(self, seed: str) -> None:
        super().__init__()
        # The time of the real clock, but always at the same place of a cycle.
        self.luck, self.now = Luck(seed), (time.time_ns() // 1_000_000 // CYCLE + 1) * CYCLE
        self.sleeps: dict[tuple[str, int], int] = {}
        self.waits: list[int] = []
        self.breaks = 0

    async def begin_five(self) -> None:
        """Open the table; each seat has a character and an anchor."""
        await self.service.open_table("narrator", OpenTable(TABLE, "milhamah", {}, "fair", "table"))
        aggregate = await self.service.aggregate(TABLE)
        aggregate.environment = replace(aggregate.environment, clock=lambda _: self.now)
        for seat in FIVE:
            await self.service.submit(TABLE, "narrator", TakeSeat(seat))
            entering = EnterCharacter(f"c{seat}", seat, {"BLE": 3})
            await self.service.submit(TABLE, "narrator", entering)
        await self.service.checkpoint(TABLE)
        for seat in FIVE:
            self.players[seat] = self.player(seat)
            await self.players[seat].anchor()

    def wakes(self, seat: str) -> int:
        """When a page is awake: now, or later, where it sleeps."""
        offset = CYCLE // len(FIVE) * FIVE.index(seat)
        cycle, into = divmod(self.now - offset, CYCLE)
        sleeps = self.sleeps.setdefault((seat, cycle), self.luck.below(LONGEST))
        return self.now + max(0, sleeps - into)

    def is_away(self, seat: str) -> bool:
        """Whether the server knows that a page sleeps: how soon is luck."""
        return self.wakes(seat) - self.now > self.luck.below(NOTICED)

    async def throw(self, number: int) -> None:
        """The next throw, by one who is awake, until its dice lie."""
        awake: list[str] = []
        while not awake:
            self.now += EVERY
            for seat in FIVE:
                await self._back(seat)
            awake = [seat for seat in FIVE if self.wakes(seat) == self.now]
        player = self.players[self.luck.one_of(awake)]
        await player.sync()
        await player.ask(Declare(f"c{player.seat.id}", ALONE))
        await player.sync()
        began, hand = self.now, RollDice(number, "initiator")
        while player.seat.state.rolls[number].state == "declared":
            asked = askable(player.seat.state, player.seat.id)
            if not asked:  # all the others slept through a throw of late
                await player.ask(hand)
                await player.sync()
                continue
            others = [seat for seat in asked if not self.is_away(seat)]
            await player.send(player.seat.shares(hand, others or None))
            await self._answered(player, number)
        self.waits.append(self.now - began)
        player.leaves = ("roll", "ask")
        while await player.act():  # to the end: what is left lying counts as dropped
            pass

    async def _answered(self, thrower: Player, number: int) -> None:
        """Those who are asked answer, as they wake; who sleeps longer is broken off."""
        await thrower.sync()
        ask = thrower.seat.state.ask
        assert ask is not None
        due = sorted((self.wakes(seat) + SOON, seat) for seat in ask.waiting)
        until = self.now + BREAKING
        for at, seat in due:
            if at < until:
                self.now = max(self.now, at)
                await self.players[seat].sync()
                await self.players[seat].send(self.players[seat].seat.open_share())
        await thrower.sync()
        if thrower.seat.state.ask is not None:
            self.now, self.breaks = until, self.breaks + 1
            await thrower.ask(BreakThrow(number))
            await thrower.sync()

    async def _back(self, seat: str) -> None:
        """Who slept through a throw says so when awake, and makes a chain where the last ended."""
        if self.wakes(seat) != self.now:
            return
        await self.players[seat].anchor()
        state = await self.service.state(TABLE)
        if seat in state.kept_back:
            await self.players[seat].ask(worded(Note(0), "I am back."))


@pytest.mark.prove
def test_five_phones_that_sleep_hold_a_table_up_for_less_than_an_ask(
    count: int, seed: int, tried: Callable[[str], None]
) -> None:
    found = Sleepers(f"{seed}")

    async def run() -> None:
        await found.begin_five()
        for number in range(1, count + 1):
            await found.throw(number)
        await found.service.checkpoint(TABLE)

    asyncio.run(run())
    aggregate = asyncio.run(found.service.aggregate(TABLE))
    note = asyncio.run(found.service.head(TABLE))
    assert note is not None
    report = urimcheck.check(
        b"".join(write_bundle(aggregate.entries, note, [found.key])), now=found.now
    )
    assert report.exit == 0
    assert median(found.waits) < BREAKING
    looks = urimcheck.counted(report, urimcheck.LOOKS)
    assert set(looks) <= {"passed-over", "broken", "alone"}
    middle, longest = median(found.waits) / 1000, max(found.waits) / 1000
    tried(
        f"{len(found.waits)} throws: wait {middle:.1f} s in the median, {longest:.1f} s at most;"
        f" {found.breaks} broken off; looks {looks}"
    )
