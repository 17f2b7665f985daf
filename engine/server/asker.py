"""Who asks at a table: over HTTP or by a socket, always for one seat."""

from msgspec import Struct

from ..access.rights import Right
from .admission.auth import granted
from .admission.origins import bases_of
from .front import Front
from .http.incoming import AnyRequest
from .running import running_of


class Asker(Struct, frozen=True):
    """Who asks at a table; `seat` is "" for an auditor, who has none."""

    front: Front
    table: str
    seat: str


async def asker_of(request: AnyRequest, right: Right, table: str) -> Asker:
    """Who asks, with this right. Raises Denied as `auth.granted` does."""
    grant = await granted(request, right, table)
    return Asker(running_of(request).front, table, grant.seat or "")


async def full_link(request: AnyRequest, asker: Asker, roll: int) -> str | None:
    """The link of a roll, from the server's own address on; None where none may show it."""
    found = await asker.front.link(asker.table, roll)
    return None if found is None else f"{bases_of(request)[0]}{found}"
