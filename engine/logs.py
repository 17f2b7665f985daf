"""What Urim writes to a program's log: named events with table, roll, request and seat, no secrets.

The library logs to the standard logger `urim` and configures nothing; `configure` is for programs
of ours. Payloads, salts, seeds and nonces are never passed to a logger.

structlog formats the events. It would be a third of what `from urim import Table` costs, so it is
imported with the first event that somebody listens to.
"""

import logging
import sys
from functools import cache
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger
    from structlog.typing import Processor

_standard = logging.getLogger("urim")
_standard.addHandler(logging.NullHandler())


class Logger:
    """Logs named events with what is known about them, at three levels."""

    def info(self, event: str, **known: object) -> None:
        """Log what happened as usual."""
        if _standard.isEnabledFor(logging.INFO):
            _structured().info(event, **known)

    def warning(self, event: str, **known: object) -> None:
        """Log what somebody should look at."""
        if _standard.isEnabledFor(logging.WARNING):
            _structured().warning(event, **known)

    def error(self, event: str, **known: object) -> None:
        """Log what failed."""
        if _standard.isEnabledFor(logging.ERROR):
            _structured().error(event, **known)


logger = Logger()
"""The one logger of Urim."""


def listening() -> bool:
    """Whether events at INFO are logged; if not, nobody needs to prepare them."""
    return _standard.isEnabledFor(logging.INFO)


def configure(*, level: str = "WARNING", json: bool = False, stream: TextIO | None = None) -> None:
    """Send Urim's log to a stream (standard error), for people or as one JSON object a line.

    `level` is a standard level's name; raises ValueError for any other.
    """
    # As the module's docstring says: only where there is a log.
    import structlog  # noqa: PLC0415
    from structlog.stdlib import ProcessorFormatter  # noqa: PLC0415

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


@cache
def _structured() -> "BoundLogger":
    """The logger of structlog over the standard one."""
    # As the module's docstring says: only for an event that is logged.
    import structlog  # noqa: PLC0415
    from structlog.stdlib import BoundLogger, ProcessorFormatter  # noqa: PLC0415

    return cast(
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
