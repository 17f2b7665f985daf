"""What one running test has made: the tables to report if it fails, and its open debts."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:  # the plugin needs this module at every start of pytest, and nothing more
    from ....errors import Refused
    from ...core.aggregate import Aggregate
    from ...core.commands import Asking

TABLES = 3
"""Tables that a failure reports, at most: the latest. A law tried often makes thousands."""


class Refusal(NamedTuple):
    """A command that was refused: who asked, for what, and why not."""

    seat: str
    command: Asking
    error: Refused


class Reported(Protocol):
    """Something that a failure reports: a table, a scenario that was played."""

    @property
    def aggregate(self) -> Aggregate:
        """The table whose history is shown."""
        ...

    @property
    def refusal(self) -> Refusal | None:
        """What was refused since its last entry, if anything was."""
        ...

    @property
    def example(self) -> object:
        """Which of many tries of a law made it; None outside of such a law."""
        ...

    @property
    def needs_scenario(self) -> bool:
        """Whether the report writes a scenario of it; a scenario that was played is one."""
        ...


class Debtor(Protocol):
    """Something that a test must not leave behind."""

    def owed(self) -> str:
        """What is missing, in a sentence; "" for nothing."""
        ...


class Watch:
    """The tables of one test, and its debts."""

    def __init__(self) -> None:
        self.reported: deque[Reported] = deque(maxlen=TABLES)
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


def note_history(reported: Reported) -> None:
    """Put this on the running test's list, if there is a test: a failure reports it."""
    watch = _watch.get()
    if watch is not None and reported not in watch.reported:
        watch.reported.append(reported)


def note_debt(debtor: Debtor) -> None:
    """Put the debtor on the running test's list, or take it off once it owes nothing."""
    watch = _watch.get()
    if watch is None:
        return
    if debtor.owed():
        watch.debtors[id(debtor)] = debtor
    else:
        watch.debtors.pop(id(debtor), None)
