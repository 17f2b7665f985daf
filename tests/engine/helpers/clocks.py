"""Clocks that a test moves."""

from urim.engine.server.running import milliseconds


class Seconds:
    """A clock that stands until it is moved, in seconds."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Ahead:
    """The time of now and so much more, in milliseconds."""

    def __init__(self) -> None:
        self.more = 0

    def __call__(self) -> int:
        return milliseconds() + self.more
