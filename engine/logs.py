"""What Urim writes to a program's log: named events with table, roll, request and seat, no secrets.

The library logs to the standard logger `urim` and configures nothing; `configure` is for programs
of ours. Payloads, salts, seeds and nonces are never passed to a logger.
"""

import logging
import sys
from typing import TextIO, cast

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import Processor

_standard = logging.getLogger("urim")
_standard.addHandler(logging.NullHandler())

logger: BoundLogger = cast(
    BoundLogger,
    structlog.wrap_logger(
        _standard,
        wrapper_class=BoundLogger,
        cache_logger_on_first_use=True,
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            ProcessorFormatter.wrap_for_formatter,
        ],
    ),
)
"""The one logger of Urim; bind what is known and log a named event."""


def listening() -> bool:
    """Whether anybody reads what is logged at INFO; if not, there is nothing to bind."""
    return _standard.isEnabledFor(logging.INFO)


def configure(*, level: str = "WARNING", json: bool = False, stream: TextIO | None = None) -> None:
    """Send Urim's log to a stream (standard error), for people or as one JSON object a line.

    `level` is a standard level's name; raises ValueError for any other.
    """
    out = stream or sys.stderr
    render: Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=out.isatty())
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        ProcessorFormatter(processors=[ProcessorFormatter.remove_processors_meta, render])
    )
    _standard.handlers[:] = [handler]
    _standard.setLevel(level)
    _standard.propagate = False
