"""What a server counts, for Prometheus: how much of everything, and never whose.

No label is a table, a seat, a roll or a text: every label has a fixed, small set of values. So the
figures show a host how busy the server is, and nobody what is hidden at a table.
"""

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.process_collector import ProcessCollector

from ....errors import CODES
from ...wire.problems import OURS

MEDIA_TYPE = "text/plain; version=0.0.4"
"""The text format of Prometheus. What answers adds the charset."""

OTHER = "other"
"""The label of what is none of the values that a label may have."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REFUSALS = frozenset({*CODES, *OURS})

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram of requests, in seconds."""

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The figures of one server, in a registry of its own."""

    def __init__(self) -> None:
        own = CollectorRegistry()
        self.registry = own
        ProcessCollector(registry=own)
        self.requests = Counter(
            "urim_requests", "Requests answered.", ("route", "method", "status"), registry=own
        )
        self.seconds = Histogram(
            "urim_request_seconds", "Seconds of requests.", ("route",), buckets=BOUNDS, registry=own
        )
        self.commands = Counter(
            "urim_commands",
            "Commands, by what they do and how they ended: done, a code, unavailable, broken.",
            ("do", "result"),
            registry=own,
        )
        self.refused = Counter(
            "urim_refused", "Requests refused, by code.", ("code",), registry=own
        )
        self.sockets = Gauge("urim_sockets_open", "Sockets that are open.", registry=own)
        self.closed = Counter(
            "urim_sockets_closed", "Sockets closed, by code.", ("code",), registry=own
        )
        self.frames = Counter("urim_frames_sent", "Frames sent, by type.", ("type",), registry=own)
        self._sent: dict[str, Counter] = {}
        self._loaded = Gauge("urim_tables_loaded", "Tables in memory.", registry=own)

    def sent(self, kind: str) -> Counter:
        """The counter of frames of a type; found at once, for there are many."""
        found = self._sent.get(kind)
        if found is None:
            found = self._sent[kind] = self.frames.labels(kind)
        return found

    def read_loaded(self, loaded: Callable[[], int]) -> None:
        """Take the number of tables in memory from there, whenever it is asked for."""
        self._loaded.set_function(loaded)

    def text(self) -> bytes:
        """All figures, in the text format of Prometheus."""
        return generate_latest(self.registry)


def among(known: frozenset[str], value: str) -> str:
    """The value, if it is one that a label may have."""
    return value if value in known else OTHER
