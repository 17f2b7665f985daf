"""Tells hooks what happened: after the commit, in order, at least once, and nobody waits for it.

Every hook has a task. It sleeps until its table grows, looks at what there is to tell, and tells it
one message after the other; how far it came is kept after each answer. Where no answer comes it
waits as long as that has been so, from FIRST to LONGEST, and gives the hook up after GIVEN_UP.
One server at a time calls for a hook: it has it for twice as long as a call may take.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....errors import Refused, Unavailable
from ...access.hooks import Hook
from ...access.protocol import DAY, SECOND
from ...logs import logger
from ..process.beside import beside
from .caller import GONE
from .messages import Message, messages, waiting, written

if TYPE_CHECKING:
    from ..running import Running

FIRST, LONGEST = SECOND, 900 * SECOND
"""Milliseconds until a call that was not answered is made again: at first, and at most."""

GIVEN_UP = DAY
"""Milliseconds without an answer after which a hook is given up."""

REST = 250
"""Milliseconds between two looks at a table: what waits for less is not told."""

AGAIN = 15 * SECOND
"""Milliseconds after which to look again where that was not possible."""

EVERY = 15.0
"""Seconds until a server hears of a hook that another one was given, at most."""

BEHIND = 200
"""Entries that a hook's place may be behind without being kept: nothing in them is to be told."""


class Teller:
    """Tells the hooks of one server's tables, while it runs."""

    def __init__(self, running: "Running") -> None:
        self._running = running
        self._holder = secrets.token_hex(8)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Begin and end tasks as hooks come and go, until cancelled."""
        try:
            while True:
                ticket = self._running.hooked.ticket()
                try:
                    self._keep_to(await self._running.access.live_hooks(self._running.now()))
                except Exception as error:  # noqa: BLE001 - the next time it may go well
                    logger.warning("hooks cannot be read", error=type(error).__name__)
                await waited([ticket], EVERY)
        finally:
            tasks = [*self._tasks.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _keep_to(self, hooks: Iterable[Hook]) -> None:
        """Have a task for each of these and for no other."""
        live = {hook.id: hook for hook in hooks}
        for id, task in [*self._tasks.items()]:
            if id not in live or task.done():
                task.cancel()
                del self._tasks[id]
        for id in live.keys() - self._tasks.keys():
            self._tasks[id] = asyncio.create_task(self._follow(live[id]))

    async def _follow(self, hook: Hook) -> None:
        """Tell one hook whatever happens, until it is gone or given up."""
        running, known, due = self._running, hook, 0
        bell = running.front.bell(hook.table)
        while True:
            news, changed = bell.ticket(), running.hooked.ticket()
            try:
                found = await running.access.hook(hook.id, running.now())
                if found is None or found.over:
                    return
                if found.failing != known.failing:  # by another server, or by a test call
                    due = running.now() + pause_of(found, running.now())
                known = found
                if running.now() >= due:
                    known, pause = await self._tell(found)
                    due = running.now() + pause
            except Exception as error:  # noqa: BLE001 - it is tried again
                _complain(hook, error)
                due = running.now() + AGAIN
            if known.over:
                return
            if due > running.now():
                await waited([changed], (due - running.now()) / SECOND)
            else:
                await waited([news, changed])
                await asyncio.sleep(REST / SECOND)

    async def _tell(self, hook: Hook) -> tuple[Hook, int]:
        """Tell a hook all that there is; the hook after it, and the pause until the next call."""
        running = self._running
        try:
            all_see = hook.view == "table"
            news = await running.front.news(
                hook.table, hook.seat, hook.position - 1, everybody=all_see
            )
        except Refused as refused:
            return await self._end(hook, refused), 0
        now = waiting(hook, news)
        fresh = {each.key for each in now.waits} - {each.key for each in hook.waits}
        # What waits is told when it is seen a second time, since most turns are over at once; it is
        # kept by then, so that it has the same id after a kill.
        every = messages(hook, news)
        if not every and now == hook and 0 <= news.size - hook.position < BEHIND:
            return hook, 0
        claimed = await running.access.claim_hook(
            hook.id, self._holder, running.now(), self._until()
        )
        if claimed != hook:  # another server has it, or had it a moment ago
            return hook, self._lease if claimed is None else 1
        for message in every:
            now, pause = await self._called(now, message)
            if pause:
                return now, pause
        now = replace(now, position=news.size)  # less than before, after a restore
        await self._keep(now, 0)
        return now, REST if fresh else 0

    async def _called(self, hook: Hook, message: Message) -> tuple[Hook, int]:
        """Call for one message, and keep what came of it; the pause is 0 where it was taken."""
        running = self._running
        async with running.caller.room:
            if not await self._keep(hook):
                return hook, self._lease
            headers, body = written(hook, message, running.now())
            answer = await running.caller.call(hook.url.reveal(), headers, body)
        now = running.now()
        if answer.good:
            told = message.told_to(hook).answered(now)
            return (told, 0) if await self._keep(told) else (hook, self._lease)
        failed = hook.failed(now, answer.why, 0 if answer.status == GONE else GIVEN_UP)
        await self._keep(failed, 0)
        if failed.over:
            _given_up(failed)
        return failed, max(pause_of(failed, now), round(answer.later * SECOND))

    async def _end(self, hook: Hook, refused: Refused) -> Hook:
        """Give a hook up whose seat is not at the table any more."""
        if refused.code != "unknown":
            raise refused
        now = self._running.now()
        if await self._running.access.claim_hook(hook.id, self._holder, now, self._until()):
            hook = hook.failed(now, "the seat is not at the table any more", 0)
            await self._keep(hook, 0)
            _given_up(hook)
        return hook

    # --- whose it is ------------------------------------------------------------------------------

    @property
    def _lease(self) -> int:
        return round(2 * self._running.config.call_patience * SECOND)

    def _until(self) -> int:
        return self._running.now() + self._lease

    async def _keep(self, hook: Hook, until: int | None = None) -> bool:
        """Keep how far a hook was told, as long as this server has it; `until` 0 gives it back."""
        end = self._until() if until is None else until
        return await self._running.access.keep_hook(hook, self._holder, end)


def pause_of(hook: Hook, now: int) -> int:
    """The milliseconds until a hook is called again: as long as it has failed, within bounds."""
    if hook.failing is None:
        return 0
    return min(max(now - hook.failing, FIRST), LONGEST)


def _given_up(hook: Hook) -> None:
    logger.warning("a hook was given up", table=hook.table, seat=hook.seat, id=hook.id)


def _complain(hook: Hook, error: Exception) -> None:
    if not isinstance(error, Unavailable):
        name = type(error).__name__
        logger.error("a hook cannot be told", table=hook.table, id=hook.id, error=name)


async def waited(tickets: Iterable[asyncio.Event], seconds: float | None = None) -> None:
    """Wait for the first of some rings, and no longer than so many seconds."""
    tasks = [asyncio.ensure_future(each.wait()) for each in tickets]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


@asynccontextmanager
async def telling(running: "Running") -> AsyncGenerator[None]:
    """Tell the hooks of a server's tables until the block ends."""
    async with beside(Teller(running).run()):
        yield
