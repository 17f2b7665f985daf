"""The clocks of this machine, as a table reads its time from them."""

import time
from collections.abc import Callable

from msgspec import Struct

from ...projections.tables import TableState


class MachineClock(Struct, frozen=True):
    """The clocks of a machine, in milliseconds: a table's time goes on while it is in memory.

    `wall` counts from 1970-01-01 UTC and may be set; `monotonic` counts from any moment and is
    never set: where `wall` is behind a table's last entry, its time goes on by this one. By any
    other clock it then stands still.
    """

    wall: Callable[[], int]
    monotonic: Callable[[], int]

    def __call__(self, state: TableState | None) -> int:
        """The wall's time, whatever the table's."""
        return self.wall()


def _milliseconds(clock: Callable[[], int]) -> Callable[[], int]:
    return lambda: clock() // 1_000_000


MACHINE = MachineClock(_milliseconds(time.time_ns), _milliseconds(time.monotonic_ns))
"""The clocks of this machine."""
