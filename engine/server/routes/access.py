"""Who comes in: links and invitations that are exchanged, who holds tokens, and new tables.

A token or an invitation is shown in the one answer that makes it, which nobody may keep a copy of.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from litestar import Response, delete, get, post
from msgspec.json import Decoder

from ....errors import Refused
from ....events.strict import Malformed, strict_object
from ...access.protocol import SECOND, Admitted, Grant, Invitation, Issued
from ...access.rights import Right, allowed
from ...core.commands import OpenTable
from ...core.parse import placed, refusal
from ...wire.bodies import (
    DamagedId,
    Exchange,
    Exchanged,
    HoldersBody,
    InvitationBody,
    InvitationsBody,
    InviteBody,
    InvitedBody,
    Link,
    OpenTableBody,
    RevokedBody,
    SecretBody,
    TableOpenedBody,
    TablesBody,
)
from ..admission.addresses import address_of
from ..admission.auth import check, granted
from ..admission.denied import Denied
from ..admission.origins import bases_of
from ..admission.seating import narrating, seat_admitted, seats_at, seats_for
from ..http.incoming import AnyRequest, InPath, body_of, parameters
from ..http.replies import answered
from ..qr import qr_code
from ..running import Running, running_of
from .documents import systems

T = TypeVar("T")
F = TypeVar("F")

_exchange = Decoder(Exchange)
_secret = Decoder(SecretBody)
_opening = Decoder(OpenTableBody)
_invite = Decoder(InviteBody)


async def read_body(request: AnyRequest, decoder: Decoder[T]) -> T:
    """What a body holds, once it is known who asks, where that matters.

    Raises as `asked.body_of`, and Refused("malformed") for another form. No message shows what
    came: it may be a secret.
    """
    parameters(request)
    data = await body_of(request)
    try:
        strict_object(data)
        return decoder.decode(data)
    except (Malformed, ValueError, RecursionError) as error:
        form = getattr(decoder.type, "__struct_fields__", ())
        # Not chained, nor its words: what is below it may show a piece of the body.
        _, place, _ = placed(error)
        if place in form:
            known = refusal(error, None, decoder.type).allowed
            why = f"{place} in the body is not of its form"
            raise Refused("malformed", why, allowed=known) from None
        raise Refused("malformed", "the body is not of its form", allowed=form) from None


# --- coming and going -----------------------------------------------------------------------------


@post("/access/exchange", status_code=200)
async def exchange(request: AnyRequest) -> Response[bytes]:
    """Exchange a link's secret for a token. The seat is taken, where the table does not have it.

    What opens nothing is answered as a token that is not good is. Where no answer came, ask again
    with the same `client`: the first token that is used is the one that counts.
    """
    running = running_of(request)

    def admit(asked: Exchange) -> Awaitable[Admitted | None]:
        return running.access.exchange(asked.secret, asked.client, running.now())

    admitted = await _by_secret(request, _exchange, admit)
    grant = admitted.grant
    await seat_admitted(running, admitted)
    key = "" if grant.table is None else await running.front.key(grant.table)
    return answered(Exchanged(token=admitted.token.reveal(), grant=grant, key=key))


@post("/access/invitation", status_code=200)
async def invitation(request: AnyRequest) -> Response[bytes]:
    """Where a link's secret leads: which table, game and role, and who invites. Nothing is spent.

    What opens nothing, or nothing new, is answered as a token that is not good is.
    """
    running = running_of(request)

    def find(asked: SecretBody) -> Awaitable[Invitation | None]:
        return running.access.invitation(asked.secret, running.now())

    found = await _by_secret(request, _secret, find)
    narrator = narrating(await seats_at(running, found.table))
    table = await running.front.sight(found.table, narrator, rolls=())
    others = (seat for seat in table.seats if seat.here and seat.id != found.seat)
    by = (seat.name for seat in others if seat.id == found.by_seat)
    title = dict(systems()).get(table.system, table.system)
    shown = InvitationBody(
        table=found.table,
        name=table.name,
        system=title,
        role=found.role,
        by=next(by, ""),
        left=found.left,
    )
    return answered(shown)


async def _by_secret(
    request: AnyRequest, decoder: Decoder[T], find: Callable[[T], Awaitable[F | None]]
) -> F:
    """What a secret opens. Raises Denied("no-token") for nothing, which is counted as a guess."""
    running = running_of(request)
    address = address_of(request, running.config)
    # Counted before anything is read, and given back where it was none.
    running.guesses.wrong(address)
    try:
        found = await find(await read_body(request, decoder))
    except Exception:
        running.guesses.right(address)
        raise
    if found is None:
        raise Denied("no-token")
    running.guesses.right(address)
    return found


@get("/access")
async def my_access(request: AnyRequest) -> Response[bytes]:
    """What my token stands for."""
    grant = await granted(request, None)
    parameters(request)
    return answered(grant)


@delete("/access", status_code=200)
async def leave(request: AnyRequest) -> Response[bytes]:
    """Give up my token; the seat stays at the table."""
    grant = await granted(request, None)
    check(grant, "revoke-own", grant.table)
    parameters(request)
    return _revoked(await running_of(request).access.revoke_token(grant.table, grant.id))


def _revoked(count: int) -> Response[bytes]:
    return answered(RevokedBody(revoked=count))


# --- tables ---------------------------------------------------------------------------------------


@get("/tables")
async def tables(request: AnyRequest) -> Response[bytes]:
    """All tables of the server."""
    await granted(request, "list-tables")
    parameters(request)
    front = running_of(request).front
    found = await front.damaged()
    damaged = (DamagedId(table=id, why=error.why, seq=error.seq) for id, error in found.items())
    return answered(TablesBody(tables=await front.tables(), damaged=tuple(damaged)))


@post("/tables", status_code=201)
async def open_table(request: AnyRequest) -> Response[bytes]:
    """Open a table, and invite its first narrator.

    The same request again gives the same table, with another invitation as long as nobody holds the
    narrator's seat.
    """
    grant = await granted(request, "open-table")
    asked = await read_body(request, _opening)
    running = running_of(request)
    command = OpenTable(
        asked.table,
        asked.ruleset,
        asked.options,
        asked.source,
        asked.level,
        one_machine=asked.one_machine,
    )
    entries = await running.front.open_table(asked.narrator, command, asked.request)
    inviting = InviteBody(role="narrator", seat=asked.narrator)
    issued = await _issued(running, grant, asked.table, inviting)
    opened = TableOpenedBody(
        table=asked.table,
        seqs=tuple(entry.seq for entry in entries),
        invitation=issued.secret.reveal(),
        links=_links(request, issued),
    )
    return answered(opened, 201)


# --- invitations ----------------------------------------------------------------------------------


@post("/tables/{table:str}/invitations", status_code=201)
async def invite(request: AnyRequest, table: InPath) -> Response[bytes]:
    """Invite somebody, or another client of one's own seat."""
    grant = await granted(request, None, table)
    if not grant.permits("invite-own", table):
        check(grant, "invite", table)
    asked = await read_body(request, _invite)
    own = asked.seat is not None and (asked.seat, asked.role) == (grant.seat, grant.role)
    check(grant, "invite-own" if own else "invite", table)
    running = running_of(request)
    issued = await _issued(running, grant, table, asked)
    links = _links(request, issued)
    invited = InvitedBody(
        secret=issued.secret.reveal(),
        link=links[0].url,
        invitation=issued.invitation,
        links=links,
    )
    return answered(invited, 201)


def _links(request: AnyRequest, issued: Issued) -> tuple[Link, ...]:
    """An invitation's links, one for each address by which others reach the server."""
    urls = (f"{base}/#i={issued.secret.reveal()}" for base in bases_of(request))
    return tuple(Link(url=url, qr=qr_code(url)) for url in urls)


async def _issued(running: Running, grant: Grant, table: str, asked: InviteBody) -> Issued:
    """An invitation. Raises Refused("taken") for a seat that the table has with another role."""
    now = running.now()
    inviting = grant.inviting(
        table,
        asked.role,
        seat=asked.seat,
        expires=now + asked.seconds * SECOND,
        uses=asked.uses,
        name=asked.name,
    )
    role = (await seats_for(running, grant, table)).get(asked.seat or "", asked.role)
    if role != asked.role:
        raise Refused("taken", f"seat {asked.seat!r} is a {role}'s", allowed=[role, "another seat"])
    return await running.access.invite(inviting, now)


async def _permitted(request: AnyRequest, right: Right, table: str) -> Running:
    """The server, for a token with this right at a table that is there."""
    grant = await granted(request, right, table)
    parameters(request)
    running = running_of(request)
    await seats_for(running, grant, table)
    return running


@get("/tables/{table:str}/invitations")
async def invitations(request: AnyRequest, table: InPath) -> Response[bytes]:
    """The invitations to a table that can still be exchanged."""
    running = await _permitted(request, "holders", table)
    return answered(
        InvitationsBody(invitations=await running.access.invitations(table, running.now()))
    )


@delete("/tables/{table:str}/invitations/{id:str}", status_code=200)
async def revoke_invitation(request: AnyRequest, table: InPath, id: InPath) -> Response[bytes]:
    """Revoke an invitation, with every token that came of it."""
    running = await _permitted(request, "revoke", table)
    return _revoked(await running.access.revoke_invitation(table, id))


# --- holders --------------------------------------------------------------------------------------


@get("/tables/{table:str}/holders")
async def holders(request: AnyRequest, table: InPath) -> Response[bytes]:
    """Who could come in to a table."""
    running = await _permitted(request, "holders", table)
    return answered(HoldersBody(holders=await running.access.holders(table, running.now())))


@delete("/tables/{table:str}/holders/{id:str}", status_code=200)
async def revoke_holder(request: AnyRequest, table: InPath, id: InPath) -> Response[bytes]:
    """Revoke a token of a table: any with the right `revoke`, or of one's own seat."""
    grant = await granted(request, None, table)
    parameters(request)
    running = running_of(request)
    if not grant.permits("revoke", table):
        held = await running.access.holders(table, running.now())
        own = {each.id for each in held if grant.seat is not None and each.seat == grant.seat}
        check(grant, "revoke-own" if id in own | {grant.id} else "revoke", table)
    await seats_for(running, grant, table)
    return _revoked(await running.access.revoke_token(table, id))


@delete("/tables/{table:str}/seats/{seat:str}/holders", status_code=200)
async def revoke_seat(request: AnyRequest, table: InPath, seat: InPath) -> Response[bytes]:
    """Revoke all that leads to a seat: its tokens, invitations to it, and those that it made."""
    grant = await granted(request, None, table)
    own = not allowed(grant.role, "revoke") and seat == grant.seat
    check(grant, "revoke-own" if own else "revoke", table)
    parameters(request)
    running = running_of(request)
    await seats_for(running, grant, table)
    return _revoked(await running.access.revoke_seat(table, seat))


HANDLERS = (
    exchange,
    invitation,
    my_access,
    leave,
    tables,
    open_table,
    invite,
    invitations,
    revoke_invitation,
    holders,
    revoke_holder,
    revoke_seat,
)
