"""How a new table's secret is kept: before its first entry, and for that table alone.

A process that ends between the two leaves a secret without a table. So does a log that is lost or
restored, and what was thrown under that secret may be known. It is set aside, and a fresh one kept.
"""

import asyncio
import secrets as random_bytes

from ...errors import Refused, Unavailable
from ...events.log.protocol import EventLog
from ..logs import logger
from .files import SECRET_BYTES, Hold
from .secrets import Secrets

TRIES = 250
"""How often to look whether another process has opened the table, or has given up, at most."""

PAUSE = 0.02
"""Seconds in between."""


def new_secret() -> bytes:
    """A secret that nobody has had."""
    return random_bytes.token_bytes(SECRET_BYTES)


async def kept(log: EventLog, secrets: Secrets, table: str, secret: bytes) -> Hold | None:
    """Keep a new table's secret; None where others have opened the table.

    Release what this gives once it is known whether the table was opened: until then no other
    process sets the secret aside. Raises Unavailable where another is opening the table for long,
    or where nothing can be written.
    """
    for _ in range(TRIES):
        try:
            return await asyncio.to_thread(secrets.keep, table, secret)
        except Refused as refused:
            if refused.code != "taken":
                raise
        left = await asyncio.to_thread(secrets.left, table)
        try:
            if left is not None:
                await log.settle()  # or the entry of who was killed could come back later
            # Only now: who held it until now has perhaps opened the table.
            if await log.read(table, limit=1):
                return None
            if left is not None:
                # In one piece: who gives up waiting must not let go of it in the middle.
                aside, left = left, None
                await asyncio.to_thread(_set_aside, secrets, table, aside)
                continue
        finally:
            if left is not None:
                left.release()
        await asyncio.sleep(PAUSE)
    raise Unavailable(f"another process is opening table {table!r}")


def _set_aside(secrets: Secrets, table: str, left: Hold) -> None:
    """Set aside a secret that is held as left, and let go of it."""
    try:
        secrets.set_aside(table)
        logger.warning("secret set aside", table=table)
    finally:
        left.release()
