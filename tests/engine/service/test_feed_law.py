"""Whatever happened at a table, who resumes is sent what it missed, and no more."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from itertools import pairwise

import pytest
from hypothesis import given

from tests.engine.helpers.stages.client import Client, view_of
from tests.engine.helpers.stages.evening import (
    DICE,
    OPENING,
    SEATS,
    TABLE,
    Step,
    asked_by,
    steps,
)
from urim.engine.core.commands import OpenTable
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.feed import Feed, Left, Subscription
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Refused
from urim.events.entry import HIDDEN
from urim.events.log.memory import MemoryLog
from urim.events.roll import RollRevealed
from urim.events.table import SeatTaken

EVERYBODY = (*SEATS, "p4")
Views = dict[int, dict[str, list[bytes]]]
"""By the table's size what each seat's view was then."""


async def played(evening: Sequence[Step]) -> tuple[Service, Views]:
    """A service after an evening, and the views after each command."""
    service = Service(MemoryLog(), MemorySecrets())
    await service.open_table(NARRATOR, OpenTable(TABLE, "milhamah", {}, DICE))
    for seat, asking in OPENING:
        await service.submit(TABLE, seat, asking)
    views: Views = {}
    await _look(service, views)
    for step in evening:
        try:
            await service.submit(TABLE, *asked_by(await service.state(TABLE), step))
        except Refused:
            continue
        await _look(service, views)
    return service, views


async def _look(service: Service, views: Views) -> None:
    size = (await service.state(TABLE)).size
    views[size] = {seat: await view_of(service, TABLE, seat) for seat in EVERYBODY}


async def here(service: Service) -> list[str]:
    """The seats that may subscribe."""
    return [id for id, seat in (await service.state(TABLE)).seats.items() if seat.here]


def missed(views: Views, seat: str, size: int) -> int:
    """The bytes that a seat missed that has what it could see at a size of the table."""
    last = views[max(views)][seat]
    since = [views[later][seat] for later in sorted(views) if later >= size]
    changed = {
        seq for before, after in pairwise(since) for seq in range(size) if before[seq] != after[seq]
    }
    return sum(map(len, last[size:])) + sum(len(last[seq]) for seq in changed)


async def resumed(evening: Sequence[Step]) -> None:
    """Every seat resumes after every command of an evening."""
    service, views = await played(evening)
    for seat in await here(service):
        for size in views:
            client = Client(views[size][seat])
            async with aclosing(service.subscribe(TABLE, seat, size - 1)) as feed:
                await client.catch_up(feed)
            assert client.lines == await view_of(service, TABLE, seat)
            assert client.bytes == missed(views, seat, size)
    await service.close()


@pytest.mark.prove
@given(evening=steps)
def test_a_resume_sends_what_was_missed_and_leads_to_the_view(evening: list[Step]) -> None:
    asyncio.run(resumed(evening))


def everything(feed: Feed, seat: str, start: int, stop: int, below: int) -> set[int]:
    """All that the seat may see by now, after any event that may have changed it."""
    aggregate = feed.aggregate
    events = {type(record.event) for record in aggregate.records[start:stop] if record is not None}
    if not events & {RollRevealed, SeatTaken}:
        return set()
    hidden = [entry for entry in aggregate.entries[:below] if entry.kind in HIDDEN]
    return {
        entry.seq for entry in hidden if aggregate.visible_parts.shown(seat, entry.seq, stop - 1)
    }


def nothing(*_: object) -> set[int]:
    """No older entry."""
    return set()


@pytest.mark.parametrize("sent", [everything, nothing], ids=lambda sent: sent.__name__)
def test_the_law_finds_a_feed_that_sends_too_much_or_too_little(
    monkeypatch: pytest.MonkeyPatch, sent: Callable[..., set[int]]
) -> None:
    hidden, another, reveal, seat = (0, 0), (0, 0), (60, 0), (90, 0)
    asyncio.run(resumed((hidden, another, reveal, seat)))
    monkeypatch.setattr(Feed, "_changed", sent)
    with pytest.raises(AssertionError):
        asyncio.run(resumed((hidden, another, reveal, seat)))


@pytest.mark.prove
@given(evening=steps)
def test_a_resume_that_breaks_off_can_be_resumed_where_it_broke_off(evening: list[Step]) -> None:
    async def scenario() -> None:
        half = len(evening) // 2
        service, views = await played(evening[:half])
        clients: list[tuple[str, Client]] = []
        for seat in await here(service):
            for most, size in enumerate(views, 1):
                client = Client(views[size][seat])
                async with aclosing(service.subscribe(TABLE, seat, size - 1)) as feed:
                    await client.catch_up(feed, most % 5)
                clients.append((seat, client))
        for step in evening[half:]:
            try:
                await service.submit(TABLE, *asked_by(await service.state(TABLE), step))
            except Refused:
                continue
        left = set(EVERYBODY) - set(await here(service))
        for seat, client in clients:
            if seat not in left:
                async with aclosing(service.subscribe(TABLE, seat, client.after)) as feed:
                    await client.catch_up(feed)
                assert client.lines == await view_of(service, TABLE, seat)
        await service.close()

    asyncio.run(scenario())


class Listener(Client):
    """A client that subscribes whenever its seat is here, and takes what comes live."""

    feed: Subscription | None = None

    async def listen(self, service: Service, seat: str, size: int) -> None:
        """Take all up to that size."""
        if self.feed is None and seat in await here(service):
            self.feed = service.subscribe(TABLE, seat, self.after)
        while self.feed is not None and len(self.lines) < size:
            self.take(await anext(self.feed))
            if seat not in await here(service) and len(self.lines) == size:
                assert await anext(self.feed) == Left(size)
                assert [message async for message in self.feed] == []
                self.feed = None


@pytest.mark.prove
@given(evening=steps)
def test_who_listens_has_the_view_after_every_command(evening: list[Step]) -> None:
    async def scenario() -> None:
        service = Service(MemoryLog(), MemorySecrets())
        await service.open_table(NARRATOR, OpenTable(TABLE, "milhamah", {}, DICE))
        for seat, asking in OPENING:
            await service.submit(TABLE, seat, asking)
        listeners = {seat: Listener() for seat in EVERYBODY}
        for step in evening:
            try:
                await service.submit(TABLE, *asked_by(await service.state(TABLE), step))
            except Refused:
                continue
            size = (await service.state(TABLE)).size
            for seat, listener in listeners.items():
                listening = listener.feed is not None or seat in await here(service)
                await listener.listen(service, seat, size)
                assert not listening or listener.lines == await view_of(service, TABLE, seat)
        for listener in listeners.values():
            if listener.feed is not None:
                await listener.feed.aclose()
        await service.close()

    asyncio.run(scenario())
