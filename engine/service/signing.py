"""The heads of tables, signed once their entries are on disk: in the background, or when asked.

No command waits for a signature. While a table is busy its head is signed at most once a second;
what was not signed then is signed when the service closes, or by the next that loads or changes
the table.
"""

import asyncio
from collections.abc import Callable

from ...errors import Damaged, Defect, Refused, Unavailable
from ...events.checkpoint import Checkpoint, sign
from ...events.log.head import Head
from ...events.log.protocol import EventLog
from ...events.merkle import Frontier
from ..logs import logger
from .heads import two_roots
from .secrets import Secrets

EVERY = 1.0
"""Seconds between two signatures of a busy table, at least."""

RETRY = 10
"""How many times longer to wait after a signature that could not be kept."""


class Signing:
    """What is known of a table's signatures: `latest` is the last head that was signed and kept.

    Sizes up to `floor` were signed before an epoch, of a log that is lost, and are not again: there
    must never be two roots for one size.
    """

    def __init__(self, table: str, origin: str, latest: Head | None, floor: int = 0) -> None:
        self.table = table
        self.origin = origin
        self.latest = latest
        self.floor = floor

    @property
    def signed(self) -> int:
        """The size up to which there is nothing left to sign."""
        return max(self.floor, self.latest.size if self.latest else 0)


class Signer:
    """Signs heads with the host's key and keeps them: in the file outside first, then in the log.

    `damaged` is called with a table whose head cannot be signed: another root was signed before.
    """

    def __init__(
        self,
        log: EventLog,
        secrets: Secrets,
        damaged: Callable[[str], None],
        every: float = EVERY,
    ) -> None:
        self._log = log
        self._secrets = secrets
        self._damaged = damaged
        self._every = every
        self._private: bytes | None = None
        # One file after the other: those who wait for the disk should be the commands.
        self._filing = asyncio.Lock()
        self._waiting: dict[str, tuple[Signing, Frontier]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._sweep: asyncio.Task[None] | None = None

    def touch(self, signing: Signing, tree: Frontier) -> None:
        """Note that a table's entries are on disk, up to this tree. It is signed soon."""
        if tree.size <= signing.signed:
            return
        self._waiting[signing.table] = signing, tree
        if self._timer is None and self._sweep is None:
            self._later(self._every)

    def forget(self, table: str) -> None:
        """Drop what waits for a table: another head than that will be signed."""
        self._waiting.pop(table, None)

    async def close(self) -> None:
        """Sign what still waits; what cannot be is left to anybody who loads the table next."""
        if self._timer is not None:
            self._timer.cancel()
        if self._sweep is not None:
            await asyncio.gather(self._sweep, return_exceptions=True)
        await self._sign_all()
        if self._timer is not None:
            self._timer.cancel()

    def _later(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._begin)

    def _begin(self) -> None:
        self._timer = None
        self._sweep = asyncio.create_task(self._swept())

    async def _swept(self) -> None:
        kept = await self._sign_all()
        self._sweep = None
        if self._waiting and self._timer is None:
            self._later(self._every if kept else self._every * RETRY)

    async def _sign_all(self) -> bool:
        """Sign all that waits now; whether everything could be."""
        waiting, self._waiting = self._waiting, {}
        return all(await asyncio.gather(*(self._sign(*each) for each in waiting.values())))

    async def _sign(self, signing: Signing, tree: Frontier) -> bool:
        """Sign what waited; False where it has to wait again."""
        try:
            if tree.size > signing.signed:
                await self.sign(signing, tree)
        except Defect:  # the log was closed
            return True
        except Damaged as error:
            logger.error("head refused", table=signing.table, why=error.why)
            self._damaged(signing.table)
        except (Unavailable, Refused) as error:
            logger.warning("head not kept", table=signing.table, why=error.why)
            self._waiting.setdefault(signing.table, (signing, tree))
            return False
        return True

    async def sign(self, signing: Signing, tree: Frontier) -> Head:
        """The signed head of this tree, whose entries are on disk; it is too when this returns.

        Raises Damaged where another root was signed for that size, Refused("out-of-range") for a
        size that belongs to a log that was lost, Refused("unreadable") where the key is gone, and
        Unavailable where the head cannot be kept.
        """
        latest = signing.latest
        if latest is not None and latest.size == tree.size:
            if latest.root != tree.root():
                raise two_roots(signing.table, tree.size)
            return latest
        if tree.size <= signing.floor:
            why = f"heads up to size {signing.floor} were signed before the epoch, of entries that "
            why += f"are lost; size {tree.size} is not signed again"
            raise Refused("out-of-range", why, allowed=[f"{signing.floor + 1} entries or more"])
        async with self._filing:
            head = await self._head(signing, tree)
            # The file first: it shows that a log lost this head, whatever happens in between.
            await asyncio.to_thread(self._secrets.heads.keep, signing.table, head.note)
        try:
            kept = await self._log.keep_head(signing.table, head)
        except Refused as error:
            taken = error.code == "taken"
            raise two_roots(signing.table, tree.size) if taken else Damaged(error.why) from error
        if signing.latest is None or signing.latest.size < kept.size:
            signing.latest = kept
        logger.info("head signed", table=signing.table, size=kept.size)
        return kept

    async def _head(self, signing: Signing, tree: Frontier) -> Head:
        if self._private is None:
            self._private = await asyncio.to_thread(self._secrets.key.make)
        root = tree.root()
        note = sign(Checkpoint(signing.origin, tree.size, root), self._private)
        return Head(tree.size, root, note)
