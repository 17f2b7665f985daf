"""What a client raises beside what a seat does: it is let in no more, or was not answered yet."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ...errors import CODES, Refused, Unavailable


class NotAdmitted(Refused):
    """The server does not let this client in: its link, or its token, is not good there.

    It was spent, has expired or was revoked, or is for another server; nothing says which.
    """

    def __init__(self, why: str) -> None:
        super().__init__("not-yours", why, allowed=["an invitation"])


class NotHere(NotAdmitted):
    """There is no server for sockets at the URL, or it takes none from here."""


class Unanswered(Unavailable):
    """A request was not answered in time, and nothing is known of it.

    The client goes on sending `request` until it is answered: `Client.outcome` waits for that.
    """

    def __init__(self, request: str, why: str) -> None:
        super().__init__(why)
        self.request = request


OURS: Mapping[str, str] = MappingProxyType(
    {
        "foreign": "not-yours",
        "no-right": "not-yours",
        "no-table": "unknown",
        "no-route": "unknown",
        "no-method": "unknown",
        "too-big": "too-long",
        "forked": "out-of-range",
    }
)
"""What a server's own refusals (`wire.problems.OURS`) are to somebody who asks through a client."""


def refusal(code: str, why: str, allowed: Iterable[str] = (), left_out: int = 0) -> Refused:
    """A refusal as it came; of a code that is not known here it is "malformed"."""
    known = code if code in CODES else OURS.get(code, "malformed")
    return Refused(known, why, allowed=allowed, left_out=left_out)
