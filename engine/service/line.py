"""A line before each table, so long, and of one seat no more than its share."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from ...errors import Unavailable
from .budgets import Alarm, Budgets, Spent


class WaitingLine:
    """Who waits for which table. Refused commands wait too: a flood of them is bounded here.

    `what` waits: of one seat as many as the budget named `share`, of all as many as the one named
    `every`, if any.
    """

    def __init__(
        self, budgets: Budgets, alarm: Alarm, what: str, share: str, every: str | None = None
    ) -> None:
        self._budgets = budgets
        self._alarm = alarm
        self._what = what
        self._share = share
        self._every = every
        self._waiting: dict[str, Counter[str]] = {}

    @contextmanager
    def place(self, table: str, seat: str) -> Generator[None]:
        """A place for one call of a seat, as long as it waits.

        Raises Unavailable where the line is full, or the seat's share of it.
        """
        line = self._waiting.setdefault(table, Counter())
        try:
            self._check(table, seat, line)
            line[seat] += 1
            try:
                yield
            finally:
                line[seat] -= 1
                if not line[seat]:
                    del line[seat]
        finally:
            if not line:
                self._waiting.pop(table, None)

    def _check(self, table: str, seat: str, line: Counter[str]) -> None:
        own, share = line[seat], getattr(self._budgets, self._share)
        if own >= share:
            self._log(table, seat, self._share, own, share)
            why = f"{own} {self._what} of seat {seat!r} wait for table {table!r}; {share} may"
            raise Unavailable(f"{why}: wait for their answers first")
        if self._every is None:
            return
        every, most = line.total(), getattr(self._budgets, self._every)
        if every >= most:
            self._log(table, seat, self._every, every, most)
            why = f"{every} {self._what} wait for table {table!r}; {most} may"
            raise Unavailable(f"{why}: ask again in a moment")

    def _log(self, table: str, seat: str, budget: str, used: int, most: int) -> None:
        spent = Spent(budget, used, most, f"{self._what} waiting")
        self._alarm.log(table, seat, spent, monotonic())
