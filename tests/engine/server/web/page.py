"""A page without views, in Node, that does what it is asked in JavaScript.

async with page(url) as ruth:
    await ruth.do("return app.link.value.state")
"""

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.engine.helpers.nodejs import NODE
from tests.engine.server.web.node import IMPORTS
from tests.tree import plain_environment

SCRIPT = Path(__file__).parent / "state" / "page.mjs"
LONGEST = 1 << 24


class Page:
    """A page that runs; what it has no WebSocket for is polled."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def do(self, code: str) -> Any:
        """Do this in the page (`app`, `once`), and give what it returns. Fails where it throws."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(code).encode() + b"\n")
        await self._process.stdin.drain()
        line = await asyncio.wait_for(self._process.stdout.readline(), 60)
        said = json.loads(line or b'{"error": "the page ended"}')
        assert "error" not in said, said["error"]
        return said["found"]

    async def live(self) -> None:
        """Wait until all is there that came before."""
        await self.do('await once(() => app.link.value.state === "live")')


@asynccontextmanager
async def page(url: str) -> AsyncGenerator[Page]:
    """A page of the server at this URL."""
    words = ["--no-warnings", "--import", IMPORTS.as_uri(), str(SCRIPT), url]
    process = await asyncio.create_subprocess_exec(
        str(NODE),
        *words,
        stdin=PIPE,
        stdout=PIPE,
        env=plain_environment(NO_COLOR="1"),
        limit=LONGEST,
    )
    try:
        yield Page(process)
    finally:
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 10)
        except TimeoutError:
            process.kill()
            await process.wait()
