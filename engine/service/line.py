"""The line of calls before one table: so long, and of one seat no more than its share."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from ...errors import Unavailable
from .budgets import Alarm, Budgets, Spent

WHAT = "calls waiting"


class WaitingLine:
    """Who waits for which table. Refused commands wait too: a flood of them is bounded here."""

    def __init__(self, budgets: Budgets, alarm: Alarm) -> None:
        self._budgets = budgets
        self._alarm = alarm
        self._waiting: dict[str, Counter[str]] = {}

    @contextmanager
    def place(self, table: str, seat: str | None) -> Generator[None]:
        """A place for one call of a seat, as long as it waits; None waits without one.

        Raises Unavailable where the line is full, or the seat's share of it.
        """
        if seat is None:
            yield
            return
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
        own, every = line[seat], line.total()
        share, most = self._budgets.waiting_seat, self._budgets.waiting
        if own >= share:
            self._alarm.log(table, seat, Spent("waiting_seat", own, share, WHAT), monotonic())
            why = f"{own} calls of seat {seat!r} wait for table {table!r}; {share} may"
            raise Unavailable(f"{why}: wait for their answers first")
        if every >= most:
            self._alarm.log(table, seat, Spent("waiting", every, most, WHAT), monotonic())
            why = f"{every} calls wait for table {table!r}; {most} may"
            raise Unavailable(f"{why}: ask again in a moment")
