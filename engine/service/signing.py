"""The heads of tables, signed once their entries are on disk: in the background, or when asked.

No command waits for a head to be kept. While a table is busy its head is kept at most once a
second; what was not kept then is when the service closes, or by the next that loads or changes the
table. A commit that is handed on, or acknowledged, may have a head at once: signed, and not kept.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from ...errors import Damaged, Defect, Refused, Unavailable
from ...events.checkpoint import Checkpoint, Key, PrivateKey
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

    `attested` is the largest that was signed, kept or not. Sizes up to `floor` were signed before
    an epoch, of a log that is lost, and are not again: there must never be two roots for one size.
    """

    def __init__(
        self, table: str, origin: str, latest: Head | None, attested: Head | None = None
    ) -> None:
        self.table = table
        self.origin = origin
        self.latest = latest
        self.attested = attested or latest
        self.floor = 0

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
        self._private: PrivateKey | None = None
        # Signed and not kept yet: it outlives the table in memory, which is checked against it.
        self._unkept: dict[str, Head] = {}
        # One file after the other: those who wait for the disk should be the commands.
        self._filing = asyncio.Lock()
        self._waiting: dict[str, tuple[Signing, Frontier]] = {}
        self._sweep: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def touch(self, signing: Signing, tree: Frontier) -> None:
        """Note that a table's entries are on disk, up to this tree. It is signed soon."""
        if tree.size <= signing.signed:
            return
        self._waiting[signing.table] = signing, tree
        if self._sweep is None:
            self._sweep = asyncio.create_task(self._swept())

    def forget(self, table: str) -> None:
        """Drop what waits for a table: another head than that will be signed."""
        self._waiting.pop(table, None)

    def unkept(self, table: str) -> Head | None:
        """The largest head of a table that was signed here and is not kept yet."""
        return self._unkept.get(table)

    def superseded(self, table: str) -> None:
        """Drop it: an epoch begins, and sizes up to its own are not signed again."""
        self._unkept.pop(table, None)

    async def close(self) -> None:
        """Sign what still waits; what cannot be is left to anybody who loads the table next."""
        self._closing.set()
        if self._sweep is not None:
            await asyncio.gather(self._sweep, return_exceptions=True)
        await self._sign_all()

    async def _swept(self) -> None:
        """Sign what waits after a while, until nothing does."""
        pause = self._every
        while self._waiting and not self._closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), pause)
            pause = self._every if await self._sign_all() else self._every * RETRY
        self._sweep = None

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

    async def ready(self) -> PrivateKey:
        """Read the host's key, or make it: before `attest`. Raises Refused("unreadable")."""
        if self._private is None:
            self._private = PrivateKey(await asyncio.to_thread(self._secrets.key.make))
        return self._private

    async def key(self, signing: Signing) -> Key:
        """What verifies a table's heads. Raises as `ready`."""
        return (await self.ready()).key(signing.origin)

    def attest(self, signing: Signing, tree: Frontier) -> bytes | None:
        """The note of this tree, whose entries are on disk: signed at once, kept soon.

        It is signed once a size. None for a size that an epoch leaves unsigned, for one that others
        went beyond, and before the key is `ready`. Raises Damaged where another root was signed for
        that size.
        """
        known = signing.attested
        if known is None or known.size < tree.size:
            if self._private is None or not tree.size or tree.size <= signing.floor:
                return None
            known = signing.attested = self._signed(self._private, signing, tree)
            self._unkept[signing.table] = known
            self.touch(signing, tree)
        elif known.size > tree.size or tree.size <= signing.floor:
            return None
        elif known.root != tree.root():
            raise two_roots(signing.table, tree.size)
        return known.note

    async def sign(self, signing: Signing, tree: Frontier) -> Head:
        """The signed head of this tree, whose entries are on disk; it is too when this returns.

        Raises Damaged where another root was signed for that size, Refused("out-of-range") for a
        size that belongs to a log that was lost, Refused("unreadable") where the key is gone, and
        Unavailable where the head cannot be kept.
        """
        for known in (signing.attested, signing.latest):
            if known is not None and known.size == tree.size and known.root != tree.root():
                raise two_roots(signing.table, tree.size)
        latest = signing.latest
        if latest is not None and latest.size == tree.size:
            return latest
        _must_be_above(signing, tree.size)
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
        if signing.attested is None or signing.attested.size < kept.size:
            signing.attested = kept
        unkept = self._unkept.get(signing.table)
        if unkept is not None and unkept.size <= kept.size:
            del self._unkept[signing.table]
        logger.info("head signed", table=signing.table, size=kept.size)
        return kept

    async def of_size(self, signing: Signing, size: int, root: bytes) -> bytes:
        """The note of a size that a kept head goes beyond, or is of; it is not kept itself.

        Raises Refused("out-of-range") and Refused("unreadable") as `sign`.
        """
        _must_be_above(signing, size)
        private = await self.ready()
        return private.sign(Checkpoint(signing.origin, size, root))

    async def shown(self, signing: Signing, tree: Frontier) -> Head:
        """The signed head of this tree, for who reads; kept later where nothing can be written now.

        Raises as `sign`; Unavailable only for a size that was not signed before and is not now.
        """
        try:
            return await self.sign(signing, tree)
        except Unavailable:
            self.attest(signing, tree)
            head = signing.attested
            if head is None or head.size != tree.size:
                raise
            return head

    async def _head(self, signing: Signing, tree: Frontier) -> Head:
        return self._signed(await self.ready(), signing, tree)

    @staticmethod
    def _signed(private: PrivateKey, signing: Signing, tree: Frontier) -> Head:
        known, root = signing.attested, tree.root()
        if known is not None and (known.size, known.root) == (tree.size, root):
            return known
        return Head(tree.size, root, private.sign(Checkpoint(signing.origin, tree.size, root)))


def _must_be_above(signing: Signing, size: int) -> None:
    if size <= signing.floor:
        why = f"heads up to size {signing.floor} were signed before the epoch, of entries that "
        why += f"are lost; size {size} is not signed again"
        raise Refused("out-of-range", why, allowed=[f"{signing.floor + 1} entries or more"])
