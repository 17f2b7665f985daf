"""Whatever is raised while a request is answered, as a problem that says no more than it may."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap
from msgspec.json import encode

from ....errors import CODES, Refused, Unavailable, UrimError, where
from ...core.moves import Move
from ...core.refusal import as_refusal
from ...logs import logger
from ...wire.problems import MEDIA_TYPE, OURS, STATUS, Problem
from ..admission.denied import Denied

RETRY_AFTER = 1.0
"""Seconds after which to ask again what could not be done now."""

ROOM = 60.0
"""Seconds after which to ask again where a budget has no room, and nobody knows when it will."""

MISSED = {400: "foreign", 404: "no-route", 405: "no-method", 413: "too-big"}
"""What the framework refuses before a handler is found, by status. 400: the host is no name."""


class RefusedWithMoves(Exception):
    """A refused request, and what the seat may do instead in the roll that it names."""

    def __init__(self, refused: Refused, moves: Sequence[Move]) -> None:
        self.refused = refused
        self.moves = tuple(moves)
        super().__init__(refused, self.moves)


def as_problem(error: Exception, moves: Sequence[Move] = ()) -> Problem:
    """What a client may know of an error.

    Of everything but a refusal that is its kind alone: not where a log is kept, nor what is wrong
    with it.
    """
    if isinstance(error, RefusedWithMoves):
        return as_problem(error.refused, error.moves)
    if isinstance(error, Denied):
        head = None if error.head is None else error.head.decode("utf-8")
        return _ours(error.code, error.why, retry_after=error.retry_after, head=head)
    if isinstance(error, Refused) and error.code != "unreadable":
        return _refused(error, tuple(moves))
    if isinstance(error, (Unavailable, Refused)):
        return _ours("unavailable", retry_after=RETRY_AFTER)
    if isinstance(error, HTTPException) and error.status_code in MISSED:
        allowed = [each for each in _allow(error).split(", ") if each]
        return _ours(MISSED[error.status_code], allowed=tuple(allowed))
    return _ours("broken")


def _refused(error: Refused, moves: tuple[Move, ...]) -> Problem:
    refusal = as_refusal(error)
    later = None
    if error.code == "over-budget":
        later = ROOM if error.seconds is None else error.seconds
    return Problem(
        type=f"/problems#{refusal.code}",
        title=CODES[refusal.code],
        status=STATUS[refusal.code],
        code=refusal.code,
        why=refusal.why,
        allowed=refusal.allowed,
        left_out=refusal.left_out,
        moves=moves,
        retry_after=later,
    )


def _ours(
    code: str,
    why: str | None = None,
    *,
    allowed: tuple[str, ...] = (),
    retry_after: float | None = None,
    head: str | None = None,
) -> Problem:
    status, meaning = OURS[code]
    return Problem(
        type=f"/problems#{code}",
        title=meaning,
        status=status,
        code=code,
        why=why or meaning,
        allowed=allowed,
        retry_after=retry_after,
        head=head,
    )


def _allow(error: HTTPException) -> str:
    return (error.headers or {}).get("allow", "")


def headers_of(problem: Problem) -> dict[str, str]:
    """The headers that go with a problem."""
    found = {}
    if problem.status == OURS["no-token"][0]:
        found["WWW-Authenticate"] = "Bearer"
    if problem.retry_after is not None:
        found["Retry-After"] = str(ceil(problem.retry_after))
    if problem.code == "no-method":
        found["Allow"] = ", ".join(problem.allowed)
    return found


def handled(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The answer to a request that failed; what is nobody's fault who asks is logged."""
    problem = as_problem(error)
    if problem.code in ("broken", "unavailable") and not isinstance(error, Denied):
        log_failure(request, error)
    return Response(
        encode(problem),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=headers_of(problem),
    )


def log_failure(request: Request[Any, Any, Any], error: Exception) -> None:
    """Log an error by what it was and where, with the words of none but Urim's own."""
    known: dict[str, object] = {"error": type(error).__name__, "where": where(error)}
    if isinstance(error, UrimError):
        known["why"] = str(error)
    route = request.scope.get("path_template", "")
    log = logger.warning if isinstance(error, Unavailable) else logger.error
    log("request failed", method=request.method, route=route, **known)


HANDLED: ExceptionHandlersMap = {Exception: handled}
"""What the application does with whatever is raised."""
