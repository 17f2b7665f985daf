"""What servers and clients of tests do sooner, or wait longer for, than they do for people.

Importing this is enough: `uvicorn`, `httpx` and Urim's server are changed for all tests of this
process.
"""

import asyncio
import inspect
import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from ssl import SSLContext
from typing import Any

import httpx

PATIENCE = 60
"""Seconds until something is given up."""

# A server answers when the machine comes to it: the five seconds of httpx would be luck.
for each in ("connect", "read", "write", "pool"):
    setattr(inspect.signature(httpx.get).parameters["timeout"].default, each, PATIENCE)

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@cache
def made(named: tuple[tuple[str, Any], ...], _: tuple[str | None, ...]) -> SSLContext:
    """What a client trusts, read once: that takes longer than a request, where none needs it."""
    return httpx.create_ssl_context(**dict(named))


def context(**named: Any) -> SSLContext:
    """What `httpx` makes for each client anew."""
    return made(tuple(named.items()), tuple(map(os.environ.get, CERTIFICATES)))


class Sooner:
    """asyncio for uvicorn, which waits here for a tenth of its tenths of a second.

    It looks ten times a second whether it shall end, and then waits as long for connections.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(seconds: float) -> None:
        """Sleep for a tenth of it."""
        await asyncio.sleep(seconds / 10)


CHANGED: Mapping[str, tuple[str, Any]] = {
    "uvicorn.server": ("asyncio", Sooner()),
    "httpx._transports.default": ("create_ssl_context", context),
    "urim.engine.server.http.transport": ("LINGER", 1.0),
    "urim.engine.server.socket.transport": ("LINGER", 1.0),
}
"""By the module in which it is: a name, and what it is now."""

for module, (name, other) in CHANGED.items():
    found = import_module(module)
    assert hasattr(found, name)
    setattr(found, name, other)
