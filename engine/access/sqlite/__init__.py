"""A store of access in one SQLite file, beside the log and never in it, its owner's alone.

    store = await SqliteAccess.beside(Path("table.db"))

The file has mode 0600 in a directory of mode 0700, is in WAL mode and synced at every commit.
Several processes may have it open: each hears what the others revoke. Who reads it can let
nobody in; who can write it can let in anybody. An older copy that is put back has what was
revoked since: revoke its tables then.
"""

import asyncio
import re
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from ....errors import Defect
from ....events.log.protocol import Bell
from ....events.log.sqlite.file import Place
from ....events.log.sqlite.readers import Readers
from ....events.log.sqlite.rows import is_unicode
from ....events.log.sqlite.schema import prepare
from ....events.log.sqlite.writer import Work, Writer
from ...logs import logger
from ...service.files import make_file
from ...service.secrets import ENDING
from ..protocol import DEFAULT, Admitted, Ended, Grant, Invitation, Inviting, Issued, Limits
from ..secret import Secret, checked_client, hashed
from . import rows
from .schema import SCHEMA, WHAT

T = TypeVar("T")

NAME = "access.db"
"""The file's name in the directory of a database's secrets."""

POLL = 0.25
"""Seconds until another process's revocation is heard, at most, while somebody follows."""

NAMED = re.compile(r"[a-z0-9-]{1,32}", re.ASCII)
"""The form of what a log line names: a table, a seat, the id of a token or an invitation."""


class SqliteAccess:
    """An `AccessStore` on one SQLite file. Make one with `open`, in the loop that will use it."""

    def __init__(
        self, place: Place, connection: sqlite3.Connection, limits: Limits, writer: type[Writer]
    ) -> None:
        """Use `open` instead: it makes the file fit to be written first."""
        self._place = place
        self._limits = limits
        self._bell = Bell()
        self._followers = 0
        self._closed = False
        self._writer = writer(
            place,
            connection,
            heard=self._bell.ring,
            listening=lambda: self._followers > 0,
            poll=POLL,
        )
        self._readers = Readers(place)

    @classmethod
    async def open(
        cls,
        path: str | Path,
        *,
        limits: Limits = DEFAULT,
        busy: float = 30.0,
        writer: type[Writer] = Writer,
    ) -> "SqliteAccess":
        """Open a store's file, or make a new one; its directory too.

        `busy` is how many seconds to wait for a lock that another process holds. Raises
        Refused("unreadable") where others may read or write the file or its directory, for a link,
        a directory, a file that is no store of access (a log's, too) or cannot be written, and a
        newer schema; Damaged for a file that is not whole; Unavailable for a lock held too long, or
        a disk that is full or fails.
        """
        place = Place(Path(path), busy=busy, what=WHAT)

        def opened() -> sqlite3.Connection:
            make_file(place.path)
            return prepare(place, SCHEMA)

        return cls(place, await asyncio.to_thread(opened), limits, writer)

    @classmethod
    async def beside(cls, database: Path, *, limits: Limits = DEFAULT) -> "SqliteAccess":
        """Open the store of a database's tables, in the directory of their secrets; see `open`."""
        return await cls.open(database.with_name(database.name + ENDING) / NAME, limits=limits)

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
        return await self._look(partial(rows.invitations, table=_known(table), now=now))

    async def holders(self, table: str, now: int) -> tuple[Grant, ...]:
        """See `AccessStore.holders`."""
        return await self._look(partial(rows.holders, table=_known(table), now=now))

    # --- going ------------------------------------------------------------------------------------

    async def revoke_token(self, table: str | None, id: str) -> int:
        """See `AccessStore.revoke_token`."""
        which = (table if table is None else _known(table), _known(id))
        revoking = partial(rows.revoke, where="table_id IS ? AND id = ?", which=which)
        return await self._revoke(revoking, table=table, id=id)

    async def revoke_seat(self, table: str, seat: str) -> int:
        """See `AccessStore.revoke_seat`."""
        revoking = partial(rows.revoke_seat, table=_known(table), seat=_known(seat))
        return await self._revoke(revoking, table=table, seat=seat)

    async def revoke_table(self, table: str) -> int:
        """See `AccessStore.revoke_table`."""
        return await self._revoke(partial(rows.revoke_table, table=_known(table)), table=table)

    async def revoke_invitation(self, table: str, id: str) -> int:
        """See `AccessStore.revoke_invitation`."""
        revoking = partial(rows.revoke_invitation, table=_known(table), id=_known(id))
        return await self._revoke(revoking, table=table, id=id)

    async def follow(
        self, held: Callable[[], Iterable[str]], *, every: float = 0.5
    ) -> AsyncGenerator[Ended, None]:
        """See `AccessStore.follow`."""
        self._check_open()
        checked: Ended = frozenset()
        self._followers += 1
        self._writer.wake()
        try:
            while not self._closed:
                ticket = self._bell.ticket()
                ids = frozenset(held())
                if not ids <= checked:
                    ended = await self._look(partial(rows.ended, ids=ids))
                    checked = ids - ended
                    if ended:
                        yield ended
                if await _rings(ticket, every):
                    checked = frozenset()
        finally:
            self._followers -= 1

    async def purge(self, now: int) -> int:
        """See `AccessStore.purge`."""
        purged = await self._write(partial(rows.purge, now=now))
        logger.info("access purged", rows=purged)
        return purged

    # --- the end ----------------------------------------------------------------------------------

    async def check(self) -> None:
        """Read the whole file. Raises Damaged for the first page that is not whole."""
        await self._look(rows.check)

    async def close(self) -> None:
        """Finish what was begun, end the followers, refuse further work."""
        if not self._closed:
            self._closed = True
            self._writer.stop()
            self._bell.ring()
            await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._writer.join()
        self._readers.close()
        # The last to be closed writes the WAL back and removes it, which a reader may not.
        self._writer.connection.close()

    async def _revoke(self, revoking: Work[int], **which: str | None) -> int:
        revoked = await self._write(revoking, rings=True)
        # What has another form may be a secret that came to the wrong place.
        known = {name: text for name, text in which.items() if text and NAMED.fullmatch(text)}
        logger.info("revoked", tokens=revoked, **known)
        return revoked

    async def _write(self, work: Work[T], *, rings: bool = False) -> T:
        self._check_open()
        # Rung by the writer's answer: anybody who gave up waiting has perhaps revoked.
        return await self._writer.submit(work, self._ring if rings else None)

    def _ring(self, _outcome: object) -> None:
        self._bell.ring()

    async def _look(self, work: Work[T]) -> T:
        """Do some work on a connection that reads, as of one moment, off the loop's thread."""
        self._check_open()
        return await self._readers.look(work)

    def _check_open(self) -> None:
        if self._closed:
            raise Defect("the store of access is closed")


def _known(text: str) -> str:
    """A text as SQLite can take it; no row has the empty one."""
    return text if is_unicode(text) else ""


async def _rings(ticket: asyncio.Event, seconds: float) -> bool:
    """Whether it is rung within some seconds."""
    try:
        async with asyncio.timeout(seconds):
            await ticket.wait()
    except TimeoutError:
        return False
    return True
