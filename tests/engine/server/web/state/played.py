"""An evening of a narrator's client and a player's page, for the tests of the page's state."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.engine.helpers.stages.online import TABLE, Online, online, played
from tests.engine.server.web.page import Page, page

ENTER = '{do: "enter/1", character: "c1", seat: "p1", attributes: {Lockpicking: 3}}'
DECLARE = '{do: "declare/1", character: "c1", declaration: {trait: "Lockpicking", rd: 7}}'

ANCHORED = (
    "await once(() => ['narrator', 'p1'].every((id) => app.live.value.seats[id]?.anchor));"
    "await once(() => app.seal.value.head?.size === app.live.value.size)"
)
"""Both publish an anchor as they come in."""


@asynccontextmanager
async def evening(path: Path, level: str = "player") -> AsyncGenerator[tuple[Online, Page]]:
    """A table with a narrator's client, and the page of a player who sat down."""
    async with online(path, opened=False) as found:
        opened: dict[str, Any] = {"ruleset": "sagatafl", "source": "fair", "level": level}
        await asyncio.to_thread(found.served.open, TABLE, {}, **opened)
        await found.sit("narrator")
        _, _, secret = (await found.link("p1")).partition("/#")
        async with page(found.wire.url) as ruth:
            await ruth.do(f'await app.begin("#{secret}"); return app.join(app.place.value.secret)')
            await ruth.live()
            await ruth.do(ANCHORED)
            yield found, ruth


def with_evening(
    path: Path, test: Callable[[Online, Page], Awaitable[None]], level: str = "player"
) -> None:
    """Run a test in an evening."""

    async def run() -> None:
        async with evening(path, level) as (found, ruth):
            await test(found, ruth)

    played(run)


async def entered(ruth: Page) -> None:
    assert (await ruth.do(f'return app.ask({ENTER}, "Ruth")'))["type"] == "done"
