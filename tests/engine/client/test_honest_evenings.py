"""Honest evenings with phones that sleep or die in mid-throw: every throw is made in the end.

Whoever wakes goes on where the table is. A throw that broke is one break, and the log is whole.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.online import TABLE, Online, online
from tests.engine.helpers.stages.players import ALONE
from urim.engine.audit import audit
from urim.engine.client import Client
from urim.engine.client.connected import milliseconds
from urim.engine.core.commands import BreakThrow, Declare, LeaveSeat, Note, TakeSeat
from urim.engine.core.request import read_request
from urim.engine.seat.happened import Contradicted, EpochSeen, NotMine
from urim.errors import Refused
from urim.events.codec import Event, recorded
from urim.events.entry import Entry
from urim.events.roll import DiceRolled, ShareOpened, ThrowAsked, ThrowBroken
from urim.projections.rollstate import BREAKING

pytestmark = pytest.mark.slow

SEATS = ("narrator", "p1", "p2")


class Night:
    """An evening, and what happens to its phones; `thrown` and `broken` count throws."""

    def __init__(self, evening: Online) -> None:
        self.evening = evening
        self.rolls = 0
        self.late = 0

    @property
    def p1(self) -> Client:
        """Who throws."""
        return self.evening.clients["p1"]

    async def slow(self) -> None:
        """Let the table's time be changed."""
        aggregate = await self.evening.served.service.aggregate(TABLE)
        real = aggregate.environment.clock
        changed = replace(aggregate.environment, clock=lambda state: real(state) + self.late)
        aggregate.environment = changed

    async def throw(self) -> "asyncio.Task[object]":
        """Declare, and begin to throw."""
        done = await self.p1.do(Declare("c1", ALONE))
        assert done.seq is not None
        self.rolls += 1
        return asyncio.create_task(self.p1.throw(self.rolls, "initiator"))

    async def asked(self, seat: str) -> bool:
        """Wait until the throw waits, for this seat too; False where it is not asked."""
        client = self.p1
        while client.state.ask is None or client.state.ask.roll != self.rolls:
            if client.state.rolls[self.rolls].throws:
                return False
            await anext(client)
        return seat in dict(client.state.ask.asked)

    async def dozes(self) -> "asyncio.Task[object]":
        """Begin a throw that asks p2, which is there and opens nothing."""
        await self.evening.restart("p2", sharing=False)
        if "p2" in self.p1.state.kept_back:
            await self.evening.clients["p2"].say(Note(0), "here I am")
        while "p2" not in self.p1.present or "p2" in self.p1.state.kept_back:
            await anext(self.p1)
        task = await self.throw()
        assert await self.asked("p2")
        return task

    async def broken(self) -> None:
        """Ten seconds pass, and somebody breaks the throw off, if it still waits."""
        await asyncio.sleep(0.3)
        self.late += BREAKING
        ask = self.p1.state.ask
        assert ask is not None
        await self.evening.clients["narrator"].do(BreakThrow(ask.roll))

    def of_roll(self) -> list[Event]:
        """The events of the latest roll."""
        events = [recorded(e).event for e in self.entries() if e.payload is not None]
        return [each for each in events if getattr(each, "roll", None) == self.rolls]

    def entries(self) -> list[Entry]:
        """The log."""
        served = self.evening.served
        return list(served.run(served.service.log.read(TABLE)))


@asynccontextmanager
async def night(path: Path) -> AsyncGenerator[Night]:
    """A table at level `table`, and three phones that are anchored; at the end all is right."""
    async with online(path, *SEATS) as evening:
        found = Night(evening)
        evening.served.run(found.slow())
        yield found
        for client in evening.clients.values():
            async with asyncio.timeout(30):
                while client.state.size < len(found.entries()) or client.pending:
                    await anext(client)
            assert client.fault is None
            strange = (NotMine, EpochSeen, Contradicted)
            assert not [each for each in client.warnings if isinstance(each, strange)]
        right(evening, found)


def right(evening: Online, found: Night) -> None:
    """Every roll was thrown, broke once at most, and an audit has nothing against it."""
    events = [recorded(e).event for e in found.entries() if e.payload is not None]
    broken = Counter(each.roll for each in events if isinstance(each, ThrowBroken))
    thrown = Counter(each.roll for each in events if isinstance(each, DiceRolled))
    assert set(thrown) == set(range(1, found.rolls + 1))
    assert not broken or max(broken.values()) == 1
    shares = [(e.by, e.roll, e.throw) for e in events if isinstance(e, ShareOpened)]
    assert len(shares) == len(set(shares))

    async def bundle() -> bytes:
        lines = await evening.served.service.bundle(TABLE, "")
        return b"".join([line async for line in lines])

    report = audit(BytesIO(evening.served.run(bundle())))
    assert not report.failed, report.failed


async def sleeps(found: Night) -> None:
    """A phone sleeps: it is there and opens nothing, until the throw is broken off."""
    task = await found.dozes()
    await found.broken()
    await task
    await found.evening.restart("p2")


async def dies(found: Night) -> None:
    """A phone dies once it is asked, and comes back before the throw is broken off."""
    task = await found.dozes()
    await found.evening.restart("p2")
    await task
    assert not any(isinstance(each, ThrowBroken) for each in found.of_roll())


async def dies_for_good(found: Night) -> None:
    """A phone dies once it is asked; it comes back when all is over."""
    task = await found.dozes()
    await found.evening.clients.pop("p2").close()
    await found.broken()
    await task
    await found.evening.sit_again("p2")


async def is_away(found: Night) -> None:
    """A phone is away from the beginning: it is not asked."""
    await found.evening.clients.pop("p2").close()
    while "p2" in found.p1.present:
        await anext(found.p1)
    task = await found.throw()
    await task
    [ask] = [each for each in found.of_roll() if isinstance(each, ThrowAsked)]
    assert "p2" not in dict(ask.asked)
    assert ask.left == ("p2",)
    await found.evening.sit_again("p2")


async def sends_twice(found: Night) -> None:
    """A phone sends its share twice, under two requests, and then the first one once more."""
    task = await found.dozes()
    p2, served = found.evening.clients["p2"], found.evening.served
    while (ask := p2.state.ask) is None or ask.roll != found.rolls:
        await anext(p2)
    await p2.caught_up()
    seat = p2._own  # noqa: SLF001  its bytes, sent by others than it
    first, second = seat.open_share(), seat.open_share()
    assert read_request(first).body == read_request(second).body
    submit = served.service.submit_request
    one = served.run(submit(TABLE, "p2", first))
    assert served.run(submit(TABLE, "p2", first)) == one
    with pytest.raises(Refused):
        served.run(submit(TABLE, "p2", second))
    await task
    await found.evening.restart("p2")


async def leaves(found: Night) -> None:
    """A seat wants to leave in mid-throw: once the throw is over it does, and comes back."""
    evening = found.evening
    task = await found.dozes()
    leaving = asyncio.create_task(evening.clients["narrator"].do(LeaveSeat("p2")))
    await asyncio.sleep(0.1)
    assert found.p1.state.seats["p2"].here
    await found.broken()
    await task
    await leaving
    await evening.clients.pop("p2").close()
    await evening.clients["narrator"].do(TakeSeat("p2"))
    await evening.sit_again("p2")


async def speaks(found: Night) -> None:
    """A phone that kept back says something: it is asked again."""
    p2 = found.evening.clients["p2"]
    await p2.say(Note(0), "here I am")
    while "p2" in found.p1.state.kept_back:
        await anext(found.p1)
    task = await found.throw()
    await found.asked("p2")
    await task


HAPPEN = (sleeps, dies, dies_for_good, is_away, sends_twice, speaks)


@pytest.mark.parametrize("happens", [*HAPPEN, leaves])
async def test_a_throw_is_made_whatever_happens_to_a_phone(tmp_path: Path, happens: object) -> None:
    async with night(tmp_path) as found:
        await happens(found)  # type: ignore[operator]
        await speaks(found)


async def test_who_waits_for_a_throw_is_told_once_it_may_be_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with night(tmp_path) as found:
        task = await found.dozes()
        later = milliseconds() + BREAKING
        monkeypatch.setattr("urim.engine.client.client.milliseconds", lambda: later)
        with pytest.raises(Refused) as refused:
            async with asyncio.timeout(10):  # well before its patience is spent
                await found.evening.clients["narrator"].do(LeaveSeat("p2"))
        assert refused.value.code == "due"
        assert any(each.startswith("break_throw") for each in refused.value.allowed)
        await found.broken()
        await task
        await found.evening.restart("p2")


@pytest.mark.parametrize("chance", range(2))
async def test_an_evening_of_whatever_happens(tmp_path: Path, chance: int) -> None:
    random = Random(chance)  # noqa: S311
    async with night(tmp_path) as found:
        for _ in range(8):
            await random.choice(HAPPEN)(found)
        await speaks(found)
