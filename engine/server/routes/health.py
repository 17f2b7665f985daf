"""Whether a server lives, whether it is ready for more, and its figures."""

import time
from typing import Any

from litestar import Request, Response, get
from litestar.status_codes import HTTP_200_OK, HTTP_503_SERVICE_UNAVAILABLE
from msgspec import Struct

from .... import __version__
from ....errors import UrimError
from ...logs import logger
from ..admission.auth import granted
from ..metrics.figures import MEDIA_TYPE
from ..running import Running, running_of

FRESH = 1.0
"""Seconds that what was found out of the log holds: anybody may ask, and the log has more to do."""


class Status(Struct, frozen=True):
    """`ok`, or why the server takes nothing new: `stopping`, `unreadable`."""

    status: str


class Alive(Status, frozen=True):
    """`ok`, and the version of the server: a page that came from another one is an old page."""

    version: str = __version__


class _LastRead(Struct):
    """When the log was last read, and whether it could be."""

    at: float = float("-inf")
    good: bool = True


@get("/health", tags=["server"], summary="Whether the process lives")
async def health() -> Alive:
    """Whether the process lives, and its version. It says so while it stops, too."""
    return Alive("ok")


@get("/ready", tags=["server"], summary="Whether it takes requests")
async def ready(request: Request[Any, Any, Any]) -> Response[Status]:
    """Whether it takes requests: 503 while it stops, or where its log cannot be read."""
    running = running_of(request)
    status = "ok"
    if running.ending.is_set():
        status = "stopping"
    elif not await _readable(running, request.app.state.setdefault("read", _LastRead())):
        status = "unreadable"
    code = HTTP_200_OK if status == "ok" else HTTP_503_SERVICE_UNAVAILABLE
    return Response(Status(status), status_code=code, headers={"Cache-Control": "no-store"})


async def _readable(running: Running, seen: _LastRead) -> bool:
    if time.monotonic() - seen.at >= FRESH:
        seen.at = time.monotonic()  # who asks meanwhile gets the answer of before
        try:
            await running.front.tables()
            seen.good = True
        except UrimError as error:
            logger.error("the log cannot be read", why=str(error))
            seen.good = False
    return seen.good


@get("/metrics", tags=["server"], summary="Figures for Prometheus; the host's")
async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Figures in the text format of Prometheus. They name no table, seat or roll."""
    await granted(request, "health")
    return Response(running_of(request).metrics.text(), media_type=MEDIA_TYPE)


HANDLERS = (health, ready, metrics)
