"""A scenario's time: as its table's, and later by what its steps wait."""

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import Refused
from ...projections.tables import TableState
from ..core.limits import DAY


class Clock:
    """The time of a table that can be told to wait, in the milliseconds of the clock beneath it.

    What was waited is never lost: a step that is refused leaves no entry, but its time has passed.
    """

    def __init__(self, beneath: Callable[[TableState | None], int]) -> None:
        self._beneath = beneath
        self._earliest = 0

    def __call__(self, state: TableState | None) -> int:
        return max(self._beneath(state), state.at if state else 0, self._earliest)

    def wait(self, step: Mapping[str, Any], state: TableState) -> None:
        """Let the seconds pass that a step waits before it does anything. Raises Refused."""
        seconds = step.get("wait", 0)
        if type(seconds) is not int:
            raise Refused("malformed", f"`wait` is a number of seconds, not {seconds!r}")
        if not 0 <= seconds <= DAY:
            raise Refused("out-of-range", f"`wait` is {seconds}", allowed=[f"0 to {DAY} seconds"])
        if seconds:
            self._earliest = self(state) + seconds * 1_000
