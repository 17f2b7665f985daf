"""When a server looks for circles of objects that nobody holds any more: when nobody waits for it.

Python does so by itself as objects come, and looks through all that live: a fifth of a second with
a thousand sockets, in which nobody is answered. Here what has come is frozen every second, and is
looked through with all the rest where the server has little to do; or else every ten minutes.
"""

import asyncio
import gc
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from .beside import beside

EVERY = 1.0
"""Seconds between two looks at what has come."""

QUIET = 0.02
"""A server with little to do uses the processor for less than this part of the time."""

SELDOM, LATEST = 60.0, 600.0
"""Seconds between two looks at all objects, of a server with little to do, and of any other."""

NEVER = 1_000_000_000
"""How many young collections may pass before Python itself looks at all objects."""


def due(used: float, since: float) -> bool:
    """Whether all objects are looked through now.

    `used` is the part of the time for which the processor was used lately, `since` the seconds
    since they were last.
    """
    return since >= (SELDOM if used < QUIET else LATEST)


@asynccontextmanager
async def collecting(every: float = EVERY) -> AsyncGenerator[None]:
    """Look for garbage in this way until the block ends; then as before."""

    async def look() -> None:
        last = time.monotonic()
        while True:
            began, used = time.monotonic(), time.process_time()
            await asyncio.sleep(every)
            now = time.monotonic()
            if due((time.process_time() - used) / (now - began), now - last):
                gc.unfreeze()
                gc.collect()
                last = time.monotonic()
            else:
                gc.collect(1)
            gc.freeze()

    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*before[:2], NEVER)
    try:
        async with beside(look()):
            yield
    finally:
        gc.set_threshold(*before)
