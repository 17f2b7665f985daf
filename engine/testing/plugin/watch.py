"""What one running test has made: the tables to tell about if it fails, and what it still owes."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:  # the plugin needs this module at every start of pytest, and nothing more
    from ....errors import Refused
    from ...core.aggregate import Aggregate
    from ...core.commands import AnyCommand

TABLES = 3
"""Tables that a failure tells about, at most: the latest. A law tried often makes thousands."""


class Refusal(NamedTuple):
    """A command that was refused: who asked, for what, and why not."""

    seat: str
    command: AnyCommand
    error: Refused


class Teller(Protocol):
    """Something with a story: a table, a scenario that was played."""

    @property
    def aggregate(self) -> Aggregate:
        """The table whose log is told."""
        ...

    @property
    def refusal(self) -> Refusal | None:
        """What was refused since its last entry, if anything was."""
        ...


class Debtor(Protocol):
    """Something that a test must not leave behind."""

    def owed(self) -> str:
        """What is missing, in a sentence; "" for nothing."""
        ...


class Watch:
    """The tables of one test, and its debts."""

    def __init__(self) -> None:
        self.tellers: deque[Teller] = deque(maxlen=TABLES)
        self.debtors: dict[int, Debtor] = {}

    def owed(self) -> list[str]:
        """Everything that the test left undone, in sentences."""
        return list(filter(None, (debtor.owed() for debtor in self.debtors.values())))


_watch: ContextVar[Watch | None] = ContextVar("urim_watch", default=None)


@contextmanager
def watching() -> Generator[Watch]:
    """Take note of what is made until the block ends, tests within tests apart."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)


def tell_of(teller: Teller) -> None:
    """Let the running test, if there is one, tell of this when it fails."""
    watch = _watch.get()
    if watch is not None and teller not in watch.tellers:
        watch.tellers.append(teller)


def note_debt(debtor: Debtor) -> None:
    """Put the debtor on the running test's list, or take it off once it owes nothing."""
    watch = _watch.get()
    if watch is None:
        return
    if debtor.owed():
        watch.debtors[id(debtor)] = debtor
    else:
        watch.debtors.pop(id(debtor), None)
