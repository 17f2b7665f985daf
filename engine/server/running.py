"""What every handler of one running server has: its service, its store of access, its settings."""

import asyncio
import time
from collections.abc import Callable

from litestar.connection import ASGIConnection
from msgspec import Struct, field
from msgspec.structs import force_setattr

from ...events.log.bell import Bell
from ..access.store import AccessStore
from ..wire import numbers
from .admission.buckets import Buckets
from .admission.guesses import Guesses
from .front import Front
from .hooks.caller import Caller
from .lane import Lane
from .metrics.figures import Metrics
from .process.config import Config
from .socket.registry import Sockets
from .worker import Worker


def milliseconds() -> int:
    """The time now, since 1970."""
    return time.time_ns() // 1_000_000


class Running(Struct, frozen=True, kw_only=True):
    """One server. `now` is its clock, in milliseconds since 1970; `ending` is set once it stops."""

    front: Front
    access: AccessStore
    config: Config = field(default_factory=Config)
    bases: tuple[str, ...] = ()
    """What links begin with, where that is not the origin that was asked: in the local network."""

    now: Callable[[], int] = milliseconds
    guesses: Guesses = field(default_factory=Guesses)
    metrics: Metrics = field(default_factory=Metrics)
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    sockets: Sockets = field(default_factory=Sockets)
    buckets: Buckets = field(default_factory=Buckets)
    tests: Buckets = field(default_factory=lambda: Buckets(numbers.CALL_RATE, numbers.CALL_BURST))
    """How fast a seat may try its hooks."""

    caller: Caller = field(default_factory=Caller)
    hooked: Bell = field(default_factory=Bell)
    """Rings when a hook was made, taken away, or answered a test call."""

    lane: Lane = field(default_factory=Lane)
    odds: Lane = field(default_factory=lambda: Lane("odds", rests=False))
    worker: Worker = field(default_factory=Worker)
    """Answers what goes through the lane of odds."""

    def __post_init__(self) -> None:
        # How fast a seat may ask is a setting, and so is whom it may have called.
        force_setattr(self, "buckets", Buckets(self.config.rate, self.config.burst))
        self.caller.config = self.config


def running_of(connection: ASGIConnection) -> Running:  # type: ignore[type-arg]  # of any handler
    """The server that a connection came to."""
    found: Running = connection.app.state.running
    return found
