"""What the tests of the store in a file share: scenarios on it, and other processes that use it."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from tests.tree import ROOT
from urim.engine.access.protocol import DEFAULT, Limits
from urim.engine.access.sqlite import SqliteAccess
from urim.events.log.sqlite.writer import Writer

T = TypeVar("T")

PATIENCE = 60
"""Seconds until a scenario is given up."""


def on_store(
    path: Path,
    scenario: Callable[[SqliteAccess], Awaitable[T]],
    *,
    limits: Limits = DEFAULT,
    busy: float = 30.0,
    writer: type[Writer] = Writer,
) -> T:
    """Run a scenario on the store in a file."""

    async def within() -> T:
        async with asyncio.timeout(PATIENCE):
            store = await SqliteAccess.open(path, limits=limits, busy=busy, writer=writer)
            try:
                return await scenario(store)
            finally:
                await store.close()

    return asyncio.run(within())


def child(*words: object) -> "subprocess.Popen[bytes]":
    """Start tests/engine/access/child.py; what it reports comes through its standard output."""
    command = [sys.executable, "-m", "tests.engine.access.child", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
