"""A store of access: what it does with its rows, in whichever database they are; see `protocol`."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from typing import TypeAlias, TypeVar

from ...errors import Defect
from ...events.log.bell import Bell
from ...events.log.rowed import known
from ..logs import logger
from . import hook_rows, rows
from .hooks import Hook
from .protocol import Admitted, Ended, Grant, Invitation, Inviting, Issued, Limits
from .rows import Connection
from .secret import Secret, checked_client, hashed

T = TypeVar("T")

Work: TypeAlias = Callable[[Connection], T]
"""What is done with the rows, within a transaction."""

NAMED = re.compile(r"[a-z0-9-]{1,32}", re.ASCII)
"""The form of what a log line names: a table, a seat, the id of a token or an invitation."""


class AccessStore(ABC):
    """Grants, kept. Any number of tasks of one event loop may use it at once.

    Every method but `follow` raises Unavailable where the store cannot be read or written now, and
    Damaged where it is not whole; `now` is in milliseconds. Nothing logs a secret or its hash, and
    no error shows one.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bell = Bell()
        self._closed = False

    @abstractmethod
    async def _write(self, work: Work[T], *, rings: bool = False) -> T:
        """Do some work alone; `rings` where it may end what is good."""

    @abstractmethod
    async def _look(self, work: Work[T]) -> T:
        """Do some work that reads, as of one moment."""

    @abstractmethod
    def follow(
        self, held: Callable[[], Iterable[str]], *, every: float = 0.5
    ) -> AsyncGenerator[Ended, None]:
        """Of the tokens held at the time (`Grant.id`), those revoked, by any process.

        `held` is asked again whenever something may have changed, and every `every` seconds. So a
        token that was revoked between its lookup and the moment it is held is found too, and one
        that is still held is given again. Expiry is not: it needs a clock. Ends when the store is
        closed; close it with `aclosing`. Who holds sockets must close them all where it raises.
        """

    @abstractmethod
    async def close(self) -> None:
        """Release everything held; followers end. Any other call after it raises Defect."""

    def _check_open(self) -> None:
        if self._closed:
            raise Defect("the store of access is closed")

    # --- coming in --------------------------------------------------------------------------------

    async def invite(self, inviting: Inviting, now: int) -> Issued:
        """Make an invitation.

        Raises Refused("taken") where others hold the seat (the law above), "out-of-range" for an
        expiry that is not after `now`, or too far, "too-long" for a name, and "over-budget", naming
        the limit, for more uses or open invitations than the limits have.
        """
        inviting_now = partial(rows.invite, inviting=inviting, now=now, limits=self._limits)
        issued = await self._write(inviting_now)
        made = issued.invitation
        logger.info("invited", table=made.table, seat=made.seat, role=made.role, id=made.id)
        return issued

    async def host_link(self, now: int, *, new: bool = False) -> Secret | None:
        """The host's link, when it is made: None where there is one already.

        It is exchanged once, as an invitation is, and does not expire. A `new` one revokes the old
        one and every token that came of it. Who lost a link before it was printed makes a new one.
        """
        secret = await self._write(partial(rows.host_link, new=new), rings=True)
        if secret is not None:
            logger.info("the host's link was made", at=now)
        return secret

    async def next_host_link(self, now: int) -> Secret:
        """Another host's link in the place of the last one, which opens nothing any more.

        Who came by an earlier one stays in: but where the host has as many tokens as it may,
        the oldest is revoked, so that this link can always be exchanged.
        """
        linking = partial(rows.next_host_link, now=now, limits=self._limits)
        secret = await self._write(linking, rings=True)
        logger.info("the next host's link was made", at=now)
        return secret

    async def exchange(self, secret: str, client: str, now: int) -> Admitted | None:
        """Exchange an invitation, or the host's link, for a bearer token; a use is spent with it.

        None, in as far as can be the same time, for a secret that is unknown, expired, revoked or
        spent, or leads to a seat that others hold: nothing says which. The same `client` may repeat
        it (see above). If it is cancelled it may be done all the same: repeat it. Raises
        Refused("malformed") for a client id not of its form, and "over-budget", naming the limit,
        where the seat has as many tokens as it may; then no use is spent.
        """
        asked = (hashed(secret), hashed(checked_client(client)))
        admitted = await self._write(
            lambda connection: rows.exchange(connection, *asked, now, self._limits)
        )
        if admitted is not None:
            grant = admitted.grant
            logger.info(
                "admitted", table=grant.table, seat=grant.seat, role=grant.role, id=grant.id
            )
        return admitted

    async def give_back(self, admitted: Admitted) -> None:
        """Take back an exchange whose token nobody has, as if it had not been: its use, too.

        The use stays spent while another token of it is there, and where it was revoked meanwhile.
        """
        grant = admitted.grant
        await self._write(partial(rows.give_back, token=grant.id))
        logger.info("given back", table=grant.table, seat=grant.seat, role=grant.role, id=grant.id)

    async def invitation(self, secret: str, now: int) -> Invitation | None:
        """The invitation of a secret, as a list shows it; nothing is spent.

        None, in as far as can be the same time, for what a new client could not exchange now, and
        for the host's link.
        """
        return await self._look(partial(rows.invitation, hash=hashed(secret), now=now))

    async def lookup(self, token: str, now: int) -> Grant | None:
        """What a bearer token stands for; None for an unknown, wrong, expired or revoked one alike.

        The first time it is looked up, the other tokens of its exchange are revoked.
        """
        hash = hashed(token)
        found = await self._look(partial(rows.find, hash=hash, now=now))
        if found is None or found.used:
            return None if found is None else found.grant()
        # Two tokens of one exchange may come at once: one of them is first.
        return await self._write(partial(rows.first_use, hash=hash, now=now), rings=True)

    # --- lists ------------------------------------------------------------------------------------

    async def invitations(self, table: str, now: int) -> tuple[Invitation, ...]:
        """The invitations to a table that can still be exchanged, oldest first."""
        return await self._look(partial(rows.invitations, table=known(table), now=now))

    async def holders(self, table: str, now: int) -> tuple[Grant, ...]:
        """The good tokens of a table, oldest first: who could come in."""
        return await self._look(partial(rows.holders, table=known(table), now=now))

    # --- hooks ------------------------------------------------------------------------------------

    async def add_hook(self, hook: Hook, now: int) -> None:
        """Keep a new hook of a seat. Raises Refused("over-budget") where the seat has too many."""
        await self._write(partial(hook_rows.add, hook=hook, now=now, limits=self._limits))
        logger.info("a hook was made", table=hook.table, seat=hook.seat, id=hook.id)

    async def hooks(self, table: str, seat: str | None, now: int) -> tuple[Hook, ...]:
        """The hooks of a seat (None: of all seats), oldest first, those that were given up too.

        Here and below a hook is there only as long as the token is good that it was made with.
        """
        which = (known(table), None if seat is None else known(seat))
        return await self._look(lambda connection: hook_rows.of_seat(connection, *which, now))

    async def live_hooks(self, now: int) -> tuple[Hook, ...]:
        """Every hook of every table that was not given up."""
        return await self._look(partial(hook_rows.live, now=now))

    async def hook(self, id: str, now: int) -> Hook | None:
        """One hook as it is now."""
        return await self._look(partial(hook_rows.one, id=known(id), now=now))

    async def remove_hook(self, table: str, seat: str, id: str) -> int:
        """Take a hook of a seat away; how many were there."""
        which = (known(table), known(seat), known(id))
        removed = await self._write(lambda connection: hook_rows.remove(connection, *which))
        if removed:
            logger.info("a hook was taken away", table=table, seat=seat, id=id)
        return removed

    async def claim_hook(self, id: str, holder: str, now: int, until: int) -> Hook | None:
        """Have a hook as the one that calls, until then; None where another one has it still."""
        return await self._write(
            partial(hook_rows.claim, id=id, holder=holder, now=now, until=until)
        )

    async def keep_hook(self, hook: Hook, holder: str, until: int) -> bool:
        """Keep what was told and what failed, and have the hook until then; 0 gives it back.

        False where another one has it by now: then nothing was kept.
        """
        return await self._write(partial(hook_rows.keep, hook=hook, holder=holder, until=until))

    # --- going ------------------------------------------------------------------------------------

    async def revoke_token(self, table: str | None, id: str) -> int:
        """Revoke one token of a table, or of the host (None); how many were good until now.

        0 for one that is not known, of another table, or revoked before; so for all of these. Who
        may revoke its own alone (`revoke-own`) is held to `holders` of its seat by the server.
        """
        which = (table if table is None else known(table), known(id))
        revoking = partial(rows.revoke, where="table_id IS ? AND id = ?", which=which)
        return await self._revoke(revoking, table=table, id=id)

    async def revoke_seat(self, table: str, seat: str) -> int:
        """Revoke the tokens of a seat, the open invitations to it, and those it made to others.

        What came of these before stays, and so does an invitation to new seats by which the seat
        came: revoke that too. A seat that leaves its table is not revoked by that: the server does
        it where it wants to, and until then the token may ask for what the engine lets it.
        """
        revoking = partial(rows.revoke_seat, table=known(table), seat=known(seat))
        return await self._revoke(revoking, table=table, seat=seat)

    async def revoke_table(self, table: str) -> int:
        """Revoke all tokens of a table and all its invitations."""
        return await self._revoke(partial(rows.revoke_table, table=known(table)), table=table)

    async def revoke_invitation(self, table: str, id: str) -> int:
        """Revoke an invitation to a table with every token that came of it."""
        revoking = partial(rows.revoke_invitation, table=known(table), id=known(id))
        return await self._revoke(revoking, table=table, id=id)

    async def purge(self, now: int) -> int:
        """Forget what expired, was revoked, or is spent with nothing left of it; how many rows.

        With it go the invitations' names. A clock that is far ahead purges what it should not.
        """
        purged = await self._write(lambda connection: _purged(connection, now))
        logger.info("access purged", rows=purged)
        return purged

    async def _revoke(self, revoking: Work[int], **which: str | None) -> int:
        revoked = await self._write(revoking, rings=True)
        # What has another form may be a secret that came to the wrong place.
        known = {name: text for name, text in which.items() if text and NAMED.fullmatch(text)}
        logger.info("revoked", tokens=revoked, **known)
        return revoked


def _purged(connection: Connection, now: int) -> int:
    return rows.purge(connection, now) + hook_rows.purge(connection)


async def rings(ticket: asyncio.Event, seconds: float) -> bool:
    """Whether it is rung within some seconds."""
    try:
        async with asyncio.timeout(seconds):
            await ticket.wait()
    except TimeoutError:
        return False
    return True
