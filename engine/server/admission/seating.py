"""The seat that an invitation leads to: taken at the table before anybody has its token."""

from typing import cast

from ....errors import Refused
from ....events.base import Role
from ...access.protocol import Admitted, Grant
from ...core.commands import TakeSeat
from ..running import Running
from .denied import Denied

PASSING = ("due", "over-budget")
"""Refusals of a seat that pass by themselves: a throw waits for shares, a table did much lately."""


async def seats_at(running: Running, table: str) -> dict[str, Role]:
    """The seats at a table and their roles. Raises Denied("no-table") where there is none."""
    try:
        return await running.front.seated(table)
    except Refused as refused:
        if refused.code != "unknown":
            raise
        raise Denied("no-table") from None


async def seats_for(running: Running, grant: Grant, table: str) -> dict[str, Role]:
    """The seats at a table. Raises as `seats_at`, and Denied("no-right") for a seat that left it.

    Its commands, and what it would see, the table refuses by itself.
    """
    known = await seats_at(running, table)
    if grant.seat is not None and grant.seat not in known:
        raise Denied("no-right", f"seat {grant.seat!r} left the table")
    return known


async def seat_admitted(running: Running, admitted: Admitted) -> None:
    """Have the seat taken that somebody was admitted to, where the table does not have it.

    It is asked for by the seat that invited, or by a narrator where the host did, and under one
    request id for all repetitions of an exchange: whatever was lost in between, the next one goes
    on from there, and no seat is taken twice. Where the seat cannot be taken the token is revoked
    before anybody has it, with the invitation's use, and the refusal is raised: "taken" for a seat
    of another role. What passes by itself (`PASSING`) gives the use back instead. Unavailable
    leaves all as it is, as the seat may have been taken: the exchange may be repeated.
    """
    grant = admitted.grant
    if grant.table is None or grant.seat is None or grant.role in ("host", "auditor"):
        return
    try:
        await _seat(running, admitted, grant.table, grant.seat)
    except (Refused, Denied) as refused:
        if refused.code not in PASSING:
            await running.access.revoke_token(grant.table, grant.id)
            raise
        await running.access.give_back(admitted)
        if refused.code != "due":
            raise
        # What the table allows meanwhile is for those who sit there.
        raise Refused("due", refused.why, allowed=["the same link, in a moment"]) from None


async def _seat(running: Running, admitted: Admitted, table: str, seat: str) -> None:
    role = cast(Role, admitted.grant.role)
    known = await seats_at(running, table)
    if seat not in known:
        by = admitted.by_seat or narrating(known)
        try:
            await running.front.submit(table, by, TakeSeat(seat, role), admitted.request)
        except Refused as refused:
            if refused.code != "taken":
                raise
        # Others may have been first, or the seat has left since this request was answered.
        known = await seats_at(running, table)
    if known.get(seat) != role:
        why = f"seat {seat!r} is not there as a {role}'s"
        raise Refused("taken", why, allowed=["another invitation"])


def narrating(known: dict[str, Role]) -> str:
    """The first seat, by id, that narrates; as it is for an epoch."""
    found = next((seat for seat, role in known.items() if role == "narrator"), None)
    if found is None:
        raise Refused("not-yours", "no narrator sits at the table")
    return found
