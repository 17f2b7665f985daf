"""What the conformance tests of a log share: entries to keep, and a loop to run a scenario in."""

# ruff: noqa: S101
# (assert is how pytest asks.)

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeVar

import pytest

from ....errors import Refused, UrimError
from ....events.codec import encode
from ....events.entry import Entry, EntryClass, seal
from ....events.log.protocol import EventLog, Request
from ....events.table import EntryErased

T = TypeVar("T")

TABLE = "conform0"
OTHER = "conform1"
MAC = bytes(range(32))
ASK = Request("ask-1", "p1", MAC)


def entry(
    seq: int,
    at: int | None = None,
    kind: EntryClass = "open",
    payload: bytes | None = None,
    first: int | None = None,
) -> Entry:
    """An entry that holds its own place, sealed with a salt that has every kind of byte in it.

    `first` is the first entry of its commit, by default itself.
    """
    salt = bytes((seq * 7 + n * 37) % 256 for n in range(32))
    content = f'{{"n":{seq},"text":"אשר"}}'.encode() if payload is None else payload
    return seal(seq, 1_000 * seq if at is None else at, kind, salt, content, first)


def erasing(seq: int, text: int, at: int | None = None) -> Entry:
    """An entry, a commit of its own, that erases a text; its time is as that of `entry`."""
    return entry(seq, at, payload=encode(EntryErased("p1", text)))


def commit(start: int, length: int = 1, kind: EntryClass = "open") -> tuple[Entry, ...]:
    """Entries that follow one another from sequence `start`, each a commit of its own."""
    return tuple(entry(seq, kind=kind) for seq in range(start, start + length))


class LogTests:
    """What the tests of a log share. Each runs its own event loop, on a log of its own."""

    patience: float = 30.0
    """Seconds until a test that waits for an entry gives up."""

    def make_log(self) -> AbstractAsyncContextManager[EventLog]:
        """A new and empty log, open as long as the context. Every test asks for its own."""
        raise NotImplementedError("say which log to test: override make_log")

    def run(self, scenario: Callable[[EventLog], Awaitable[T]]) -> T:
        """Run a scenario on a log of its own."""

        async def within() -> T:
            async with asyncio.timeout(self.patience), self.make_log() as log:
                return await scenario(log)

        return asyncio.run(within())

    def refuse(
        self,
        code: str,
        call: Callable[[EventLog], Awaitable[object]],
        before: Sequence[Entry] = (),
        error: type[UrimError] = Refused,
    ) -> None:
        """Check that a log which holds `before` refuses a call by code, and writes nothing."""

        async def scenario(log: EventLog) -> None:
            if before:
                await log.append(TABLE, before, 0)
            with pytest.raises(error) as refusal:
                await call(log)
            if isinstance(refusal.value, Refused):
                assert refusal.value.code == code
            assert await log.read(TABLE) == tuple(before)
            assert await log.tables() == ((TABLE,) if before else ())

        self.run(scenario)


def on_logs_of_their_own(tests: type[T]) -> type[T]:
    """Run each test of a class that takes a log on one of its own; a class of LogTests."""
    for name, test in list(vars(tests).items()):
        if inspect.iscoroutinefunction(test):
            setattr(tests, name, _on_a_log(test))
    return tests


def _on_a_log(test: Callable[[LogTests, EventLog], Awaitable[None]]) -> Callable[[LogTests], None]:
    def run(tests: LogTests) -> None:
        tests.run(partial(test, tests))

    run.__name__, run.__qualname__ = test.__name__, test.__qualname__
    return run
