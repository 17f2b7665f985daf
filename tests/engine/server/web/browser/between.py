"""The wire between the browsers and the server, run by a thread of its own."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from tests.engine.helpers.stages.online import port_of
from tests.engine.helpers.stages.server import Served
from tests.engine.helpers.stages.wire import Wire


class Between:
    """A wire that can be cut from any thread; `wire.change` changes frames as they pass."""

    def __init__(self, wire: Wire, loop: asyncio.AbstractEventLoop) -> None:
        self.wire = wire
        self.url = wire.url
        self._loop = loop
        self._pass = wire.change

    def leads_to(self, served: Served) -> None:
        """Have it lead to this server."""
        self.wire.server_port = port_of(served)

    def cut(self) -> None:
        """Cut all connections there are."""
        self._loop.call_soon_threadsafe(self.wire.cut)

    def mend(self) -> None:
        """Frames pass as they are again."""
        self.wire.change = self._pass


@contextmanager
def between() -> Generator[Between]:
    """A wire that leads nowhere yet."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="wire", daemon=True)
    thread.start()
    wire = Wire(0)
    asyncio.run_coroutine_threadsafe(wire.__aenter__(), loop).result(10)
    try:
        yield Between(wire, loop)
    finally:
        asyncio.run_coroutine_threadsafe(wire.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
