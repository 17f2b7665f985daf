"""Who asks: the bearer token of a request, and the right that it needs."""

from litestar.connection import ASGIConnection

from ...access.protocol import Grant
from ...access.rights import Right
from ...access.secret import draw
from ..running import Running, running_of
from .addresses import address_of
from .denied import Denied

SCHEME = "bearer"


async def granted(
    connection: ASGIConnection,  # type: ignore[type-arg]  # of any handler
    right: Right | None,
    table: str | None = None,
) -> Grant:
    """What the request's token stands for, with this right at that table; see `grant_for_token`."""
    running = running_of(connection)
    address = address_of(connection, running.config)
    return await grant_for_token(running, bearer(connection), right, table, address=address)


async def grant_for_token(
    running: Running,
    token: str,
    right: Right | None,
    table: str | None = None,
    *,
    address: str | None = None,
) -> Grant:
    """What a token stands for, with this right at that table; with None for any right at all.

    Where `address` is given, tokens that are not good are counted for it. Raises Denied("no-token")
    for a token that is not good, whatever it is; Denied("no-table") for another table than its own,
    as if it were not there; Denied("no-right") for a role without the right, and Denied("too-fast")
    for an address that was wrong too often. Unavailable and Damaged as the store.
    """
    guesses = running.guesses
    async with guesses.turn(address, token):
        grant = await _looked_up(running, token, address)
    check(grant, right, table)
    return grant


async def _looked_up(running: Running, token: str, address: str | None) -> Grant:
    guesses = running.guesses
    if address is not None and not guesses.knows(token):
        guesses.check(address)
    # No token, or none of the form, is looked up as one that nobody has: it takes the same time.
    grant = await running.access.lookup(token or draw("t").reveal(), running.now())
    if grant is None:
        guesses.bad(token)
        if address is not None:
            guesses.wrong(address)
        raise Denied("no-token")
    guesses.good(token)
    return grant


def check(grant: Grant, right: Right | None, table: str | None = None) -> None:
    """Whether the grant has the right at that table. Raises Denied as `grant_for_token`."""
    if table is not None and grant.table not in (None, table):
        raise Denied("no-table")
    if right is not None and not grant.permits(right, table):
        raise Denied("no-right", f"a {grant.role} may not {right}")


def bearer(connection: ASGIConnection) -> str:  # type: ignore[type-arg]  # of any handler
    """The token of a request; empty where it has none, or more than one header for it."""
    lines = connection.headers.getall("authorization", [])
    scheme, _, token = lines[0].partition(" ") if len(lines) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == SCHEME else ""
