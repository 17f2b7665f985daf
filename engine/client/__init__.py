"""The client of a seat, over a network: async, typed, and it checks what it is sent.

    async with await join(link, Path("my seat")) as client:     # once; `resume` from then on
        await client.do(RollDice(1, "initiator"))
        for each in client.legal_moves(): ...
        async for happened in client: ...

The link's secret is exchanged once for a token, which is kept in a directory with the seat's
nonces and shares, and all that is under way. Cuts and restarts, on either side, lose nothing and do
nothing twice.

The host's public key is the one that the server shows at the exchange, which is trust on first use:
a host that shows two histories from then on is found out. Give `keys` from outside (`urim key
show`) to trust no other.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict, Unpack

from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, read_key
from ...projections.tables import Rulesets
from ...rules import ruleset_named
from ..seat import Seat
from ..seat.signing import NO_SIGNERS, Signers
from ..wire.bodies import Exchanged
from .client import Client
from .errors import NotAdmitted, Unanswered
from .http import Host, draw_client, exchange
from .link import Link, read_link
from .manners import DEFAULT, Manners
from .store import Joining, Store, Ticket

__all__ = ["Client", "Host", "Manners", "NotAdmitted", "Unanswered", "join", "resume"]


class Options(TypedDict, total=False):
    """How a client is to be.

    `sharing`: it anchors its seat, and opens its shares of throws, by itself (True). `signers` sign
    for the seat once it has a key. `waiting`: it is sent whom
    else the table waits for, `Client.awaited` (False). `manners` are its times, `rulesets` the
    systems that are known here.
    """

    manners: Manners
    sharing: bool
    signers: Signers
    waiting: bool
    rulesets: Rulesets


async def join(
    link: str, store: Path, *, keys: Iterable[Key] = (), **options: Unpack[Options]
) -> Client:
    """Take the seat that a link leads to, and keep it in a directory.

    A link is good once; the same one again with the same `store` leads to the seat that is kept
    there, and goes on with an exchange of which the answer was lost.

    With `keys` the host must sign with one of these, as with `resume`; else the key that it shows
    now is trusted.
    Raises NotAdmitted for a link that is not good; Refused: "malformed" for what is no link to a
    seat, "taken" where the directory keeps another seat, "unreadable" where others may read it;
    Damaged for a host of another key; Unavailable as `Client.caught_up`.
    """
    found = read_link(link)
    place = Store(store)
    try:
        ticket = place.ticket()
        if ticket is None:
            ticket = await _exchanged(place, found, tuple(keys), options.get("manners", DEFAULT))
        elif ticket.link != found.hash:
            why = f"{store} keeps seat {ticket.seat!r} of table {ticket.table!r} already"
            raise Refused("taken", why, allowed=["another directory", "resume"])
        ticket = _with_keys(place, ticket, tuple(keys))
        return await _started(place, ticket, options)
    except BaseException:
        place.close()
        raise


async def resume(
    store: Path,
    *,
    keys: Iterable[Key] = (),
    after_restore: bool = False,
    **options: Unpack[Options],
) -> Client:
    """The seat that a directory keeps, again: it goes on with what was under way.

    With `keys` the host must sign with one of these from now on; one that was trusted until now
    must be among them. With `after_restore` the player knows that the host went back to a backup:
    what was shown of the table before is forgotten, which would be a fork else, and so is a fault.

    Raises Refused("unknown") where the directory keeps no seat; Damaged, and Forked with its notes,
    for a fault that ended the client before; and else as `join`.
    """
    place = Store(store)
    try:
        ticket = place.ticket()
        if ticket is None:
            raise Refused("unknown", f"{store} keeps no seat", allowed=["join"])
        ticket = _with_keys(place, ticket, tuple(keys))
        return await _started(place, ticket, options, after_restore=after_restore)
    except BaseException:
        place.close()
        raise


async def _exchanged(place: Store, link: Link, keys: tuple[Key, ...], manners: Manners) -> Ticket:
    """What a link was exchanged for, kept."""
    joining = place.joining()
    if joining is None or (joining.url, joining.secret) != (link.url, link.secret):
        joining = Joining(link.url, link.secret, draw_client())
        place.begin(joining)
    got = await exchange(link, joining.client, manners)
    ticket = _ticket(got, link, keys)
    place.joined(ticket)
    return ticket


def _with_keys(place: Store, ticket: Ticket, keys: tuple[Key, ...]) -> Ticket:
    """The ticket with these keys in the place of those trusted until now, where some are given."""
    given = tuple(each.vkey for each in keys)
    if not given or given == ticket.keys:
        return ticket
    if not set(given) & set(ticket.keys):
        found = ", ".join(ticket.keys)
        raise Damaged(f"the host's key is not the one that was given; found: {found}")
    ticket = replace(ticket, keys=given)
    place.joined(ticket)
    return ticket


def _ticket(got: Exchanged, link: Link, keys: tuple[Key, ...]) -> Ticket:
    grant = got.grant
    if grant.table is None or grant.seat is None:
        why = f"the link is for a {grant.role}, who has no seat"
        raise Refused("malformed", why, allowed=["a link to a seat", "Host"])
    key = read_key(got.key)
    trusted = tuple(each.vkey for each in keys) or (key.vkey,)
    if key.vkey not in trusted:
        raise Damaged(f"the host's key is not the one that was given; found: {key.vkey}")
    return Ticket(
        link.url, grant.table, grant.seat, grant.role, got.token, trusted, grant.expires, link.hash
    )


async def _started(
    place: Store, ticket: Ticket, options: Options, *, after_restore: bool = False
) -> Client:
    keys = [read_key(each) for each in ticket.keys]
    rulesets = options.get("rulesets", ruleset_named)
    signers = options.get("signers", NO_SIGNERS)
    stored = place.stored()
    if stored is None:
        seat = Seat(
            ticket.table, ticket.seat, keys, rulesets=rulesets, over_heads=True, signers=signers
        )
    else:
        stored = stored.after_restore() if after_restore else stored
        seat = Seat.resume(stored, keys, rulesets=rulesets, over_heads=True, signers=signers)
        if seat.fault is not None:
            raise seat.fault
    client = Client(
        place,
        ticket,
        seat,
        manners=options.get("manners", DEFAULT),
        sharing=options.get("sharing", True),
        waiting=options.get("waiting", False),
    )
    try:
        await client.start()
    except BaseException:
        await client.close()
        raise
    return client
