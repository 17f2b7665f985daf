"""What every store that lasts does with its rows, wherever they are kept."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TypeAlias, TypeVar

from ...errors import Defect
from ...events.log.bell import Bell
from ...events.log.rowed import known
from ..logs import logger
from . import hook_rows, rows
from .hooks import Hook
from .protocol import Admitted, Grant, Invitation, Inviting, Issued, Limits
from .rows import Connection
from .secret import Secret, checked_client, hashed

T = TypeVar("T")

Work: TypeAlias = Callable[[Connection], T]
"""What is done with the rows, within a transaction."""

NAMED = re.compile(r"[a-z0-9-]{1,32}", re.ASCII)
"""The form of what a log line names: a table, a seat, the id of a token or an invitation."""


class KeptAccess(ABC):
    """The methods of an `AccessStore` that only ask or change rows."""

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

    def _check_open(self) -> None:
        if self._closed:
            raise Defect("the store of access is closed")

    # --- coming in --------------------------------------------------------------------------------

    async def invite(self, inviting: Inviting, now: int) -> Issued:
        """See `AccessStore.invite`."""
        inviting_now = partial(rows.invite, inviting=inviting, now=now, limits=self._limits)
        issued = await self._write(inviting_now)
        made = issued.invitation
        logger.info("invited", table=made.table, seat=made.seat, role=made.role, id=made.id)
        return issued

    async def host_link(self, now: int, *, new: bool = False) -> Secret | None:
        """See `AccessStore.host_link`."""
        secret = await self._write(partial(rows.host_link, new=new), rings=True)
        if secret is not None:
            logger.info("the host's link was made", at=now)
        return secret

    async def next_host_link(self, now: int) -> Secret:
        """See `AccessStore.next_host_link`."""
        linking = partial(rows.next_host_link, now=now, limits=self._limits)
        secret = await self._write(linking, rings=True)
        logger.info("the next host's link was made", at=now)
        return secret

    async def exchange(self, secret: str, client: str, now: int) -> Admitted | None:
        """See `AccessStore.exchange`."""
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

    async def invitation(self, secret: str, now: int) -> Invitation | None:
        """See `AccessStore.invitation`."""
        return await self._look(partial(rows.invitation, hash=hashed(secret), now=now))

    async def lookup(self, token: str, now: int) -> Grant | None:
        """See `AccessStore.lookup`."""
        hash = hashed(token)
        found = await self._look(partial(rows.find, hash=hash, now=now))
        if found is None or found.used:
            return None if found is None else found.grant()
        # Two tokens of one exchange may come at once: one of them is first.
        return await self._write(partial(rows.first_use, hash=hash, now=now), rings=True)

    # --- lists ------------------------------------------------------------------------------------

    async def invitations(self, table: str, now: int) -> tuple[Invitation, ...]:
        """See `AccessStore.invitations`."""
        return await self._look(partial(rows.invitations, table=known(table), now=now))

    async def holders(self, table: str, now: int) -> tuple[Grant, ...]:
        """See `AccessStore.holders`."""
        return await self._look(partial(rows.holders, table=known(table), now=now))

    # --- hooks ------------------------------------------------------------------------------------

    async def add_hook(self, hook: Hook, now: int) -> None:
        """See `AccessStore.add_hook`."""
        await self._write(partial(hook_rows.add, hook=hook, now=now, limits=self._limits))
        logger.info("a hook was made", table=hook.table, seat=hook.seat, id=hook.id)

    async def hooks(self, table: str, seat: str | None, now: int) -> tuple[Hook, ...]:
        """See `AccessStore.hooks`."""
        which = (known(table), None if seat is None else known(seat))
        return await self._look(lambda connection: hook_rows.of_seat(connection, *which, now))

    async def live_hooks(self, now: int) -> tuple[Hook, ...]:
        """See `AccessStore.live_hooks`."""
        return await self._look(partial(hook_rows.live, now=now))

    async def hook(self, id: str, now: int) -> Hook | None:
        """See `AccessStore.hook`."""
        return await self._look(partial(hook_rows.one, id=known(id), now=now))

    async def remove_hook(self, table: str, seat: str, id: str) -> int:
        """See `AccessStore.remove_hook`."""
        which = (known(table), known(seat), known(id))
        removed = await self._write(lambda connection: hook_rows.remove(connection, *which))
        if removed:
            logger.info("a hook was taken away", table=table, seat=seat, id=id)
        return removed

    async def claim_hook(self, id: str, holder: str, now: int, until: int) -> Hook | None:
        """See `AccessStore.claim_hook`."""
        return await self._write(
            partial(hook_rows.claim, id=id, holder=holder, now=now, until=until)
        )

    async def keep_hook(self, hook: Hook, holder: str, until: int) -> bool:
        """See `AccessStore.keep_hook`."""
        return await self._write(partial(hook_rows.keep, hook=hook, holder=holder, until=until))

    # --- going ------------------------------------------------------------------------------------

    async def revoke_token(self, table: str | None, id: str) -> int:
        """See `AccessStore.revoke_token`."""
        which = (table if table is None else known(table), known(id))
        revoking = partial(rows.revoke, where="table_id IS ? AND id = ?", which=which)
        return await self._revoke(revoking, table=table, id=id)

    async def revoke_seat(self, table: str, seat: str) -> int:
        """See `AccessStore.revoke_seat`."""
        revoking = partial(rows.revoke_seat, table=known(table), seat=known(seat))
        return await self._revoke(revoking, table=table, seat=seat)

    async def revoke_table(self, table: str) -> int:
        """See `AccessStore.revoke_table`."""
        return await self._revoke(partial(rows.revoke_table, table=known(table)), table=table)

    async def revoke_invitation(self, table: str, id: str) -> int:
        """See `AccessStore.revoke_invitation`."""
        revoking = partial(rows.revoke_invitation, table=known(table), id=known(id))
        return await self._revoke(revoking, table=table, id=id)

    async def purge(self, now: int) -> int:
        """See `AccessStore.purge`."""
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
