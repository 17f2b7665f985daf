"""The feeds of all tables of a service, and how a seat subscribes to one."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeVar

from ...errors import Damaged, Defect, Refused, Unavailable, UrimError
from ...events.log.protocol import CaughtUp
from ..logs import logger
from ..snapshots.protocol import StaleSnapshot
from .feed import Commit, Feed, History, Listener, Subscription
from .line import WaitingLine
from .pace import Pace
from .presence import Presence
from .tables import Held, Loader, TableCache

T = TypeVar("T")


class InLine(Protocol):
    """Does some work on a table, alone; what a seat asks for waits in a line."""

    def __call__(
        self,
        table: str,
        work: Callable[[Held], Awaitable[object]],
        seat: str | None = None,
        line: WaitingLine | None = None,
    ) -> Awaitable[object]: ...


class Feeds:
    """The feeds of a service: one for each table that is subscribed to, which stays in memory."""

    def __init__(
        self, cache: TableCache, loader: Loader, in_line: InLine, line: WaitingLine, pace: Pace
    ) -> None:
        self._cache = cache
        self._loader = loader
        self._in_line = in_line
        self._line = line
        self._pace = pace
        self._presence = Presence(loader.log)
        self._feeds: dict[str, Feed] = {}
        self._held: dict[str, Held] = {}
        self._closed = False

    async def advance(self, held: Held) -> None:
        """Hand on what a table has now; its place must be held."""
        feed = self._feeds.get(held.table)
        if feed is None or held.loaded is None:
            return
        try:
            await self._loader.opened(held, partial(self._advance, feed))
        except UrimError as error:
            held.loaded = None
            feed.end(error)
        if feed.error is not None:
            self._drop(feed)

    async def _advance(self, feed: Feed, held: Held) -> None:
        known = await self._loader.must_know(held)
        aggregate = known.aggregate
        try:
            news = feed.size < len(aggregate.entries)
            head = self._loader.attested(known) if news else None
        except Damaged as error:
            logger.error("head refused", table=held.table, why=error.why)
            held.loaded = None
            feed.end(error)
        else:
            await self._loader.apart(partial(feed.advance, aggregate, head))

    def present(self, table: str) -> tuple[str, ...]:
        """See `Service.present`."""
        feed = self._feeds.get(table)
        return feed.seats.present if feed is not None else ()

    async def subscribe(
        self, table: str, seat: str, after: int, room: Callable[[int], None]
    ) -> Subscription:
        """See `Service.subscribe`; `room` refuses a seat that has so many and no room for more."""
        if self._closed:
            raise Defect("subscriptions were ended")
        feed = self._feeds.get(table) or self._begin(table)
        feed.users += 1
        try:
            await self._in_line(table, self._loader.current, seat, self._line)
            await self._key_ready(table)
            start = await self._read(feed, partial(feed.start_of, seat, after))
            room(feed.seats.own[seat])
            listener = Listener(feed, seat, self._loader.apart, self._open_again)
            self._presence.join(feed.seats, seat)
            try:
                history = History(feed, seat, start, listener.size)
                some = await self._read(feed, history.some)
                while some:
                    for commit in some:
                        yield commit
                    some = await self._next_slice(history)
                yield CaughtUp(listener.size)
                while (message := await listener.hear()) is not None:
                    yield message
            finally:
                self._presence.leave(feed.seats, seat)
        finally:
            feed.users -= 1
            if not feed.users:
                self._drop(feed)

    async def _key_ready(self, table: str) -> None:
        try:
            await self._loader.signer.ready()
        except (Refused, Unavailable) as error:  # its commits come without heads
            logger.warning("no key to sign heads with", table=table, why=error.why)

    async def _next_slice(self, history: History) -> list[Commit]:
        """More of a long history: a call like any other."""
        await asyncio.sleep(0)
        leave = await self._pace.enter(history.feed.table, history.seat)
        try:
            return await self._read(history.feed, history.some)
        finally:
            leave()

    async def _read(self, feed: Feed, work: Callable[[], T]) -> T:
        """What some work reads of a feed's table; again, where that has to be opened again."""
        while True:
            try:
                return await self._loader.apart(work)
            except StaleSnapshot:
                await self._open_again(feed)

    async def _open_again(self, feed: Feed) -> None:
        """Give a feed its table as it is opened again: another service replaced its snapshot."""
        await self._in_line(feed.table, self._loader.current)

    async def close(self) -> None:
        """End all feeds, for good."""
        self._closed = True
        feeds = list(self._feeds.values())
        for feed in feeds:
            feed.end()
            self._drop(feed)
        watches = [feed.watch for feed in feeds if feed.watch is not None]
        await asyncio.gather(*watches, return_exceptions=True)

    def _begin(self, table: str) -> Feed:
        # It listens before the table is read: nothing that comes in between is missed.
        feed = self._feeds[table] = Feed(table, self._loader.log.listen(table))
        self._presence.begin(feed.seats)
        self._held[table] = self._cache.take(table)
        feed.watch = asyncio.create_task(self._watch(feed))
        return feed

    def _drop(self, feed: Feed) -> None:
        """Let go of a feed, which nobody may join any more."""
        if self._feeds.get(feed.table) is not feed:
            return
        del self._feeds[feed.table]
        self._presence.end(feed.seats)
        self._cache.give_back(self._held.pop(feed.table))
        if feed.watch is not None:
            feed.watch.cancel()

    async def _watch(self, feed: Feed) -> None:
        """Look into the log whenever its bell says that there is more than what is in memory."""
        others = feed.bell.others

        def behind() -> bool:
            return feed.bell.size > feed.size or feed.bell.others > others

        async def look(held: Held) -> None:
            nonlocal others
            if behind():  # the one before in the line may have looked
                others = feed.bell.others
                await self._loader.current(held)

        try:
            while True:
                ticket = feed.bell.ticket()
                if behind():
                    await self._in_line(feed.table, look)
                else:
                    await ticket.wait()
        except Exception as error:  # noqa: BLE001 - the subscribers get it
            feed.end(error)
            self._drop(feed)
