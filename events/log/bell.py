"""How who follows a log hears of its commits."""

import asyncio


class Bell:
    """Wakes those who wait for a table's commits: what there is to know is in the rows.

    `size` is the greatest size after a commit that was rung with its size; `others` counts the
    rings without one, after which only the rows show whether there is more. Take a `ticket` before
    looking, wait on it after: a ring in between is not missed. Ring it in the waiters' event loop
    (from another thread: `loop.call_soon_threadsafe(bell.ring)`).
    """

    def __init__(self) -> None:
        self.size = 0
        self.others = 0
        self._next = asyncio.Event()

    def ticket(self) -> asyncio.Event:
        """What the next ring will set."""
        return self._next

    def ring(self, size: int | None = None) -> None:
        """Wake everybody who waits; `size` is the table's, None where it is not known."""
        if size is None:
            self.others += 1
        else:
            self.size = max(self.size, size)
        self._next.set()
        self._next = asyncio.Event()
