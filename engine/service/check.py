"""A table compared with its signed heads, before anybody is served from it.

Three must agree: the entries, the signed heads in the log, and the last signed head in its file
outside. Where they do not, the table is refused, and the refusal names the entry, the smallest
range of entries, or the head that is not what it was.
"""

import asyncio
from collections.abc import Sequence

from ...errors import Damaged, Refused
from ...events.checkpoint import Checkpoint, Key, origin_of, public_key, read
from ...events.entry import Entry
from ...events.log.head import Head
from ...events.log.protocol import EventLog
from ...events.merkle import Frontier
from .heads import is_note, read_unverified
from .keys import no_key
from .secrets import Secrets

WAY_OUT = "restore the log and the heads that belong together, or begin an epoch (urim epoch)"

HEADS = 50
"""Heads that are checked at once: a few milliseconds, then other tables have their turn."""


class HeadCheck:
    """Reads the heads of one table, then takes its entries page by page, from the first.

    `unkept` is a head that was signed here and is in neither place yet. `restored` is for a log
    that is about to begin an epoch: the head in the file, and that one, are passed over then, but
    never the heads in the log itself.
    """

    def __init__(
        self,
        log: EventLog,
        secrets: Secrets,
        table: str,
        host: str | None,
        unkept: Head | None = None,
        *,
        restored: bool,
    ) -> None:
        self._log = log
        self._secrets = secrets
        self._table = table
        self._host = host
        self._restored = restored
        self._unkept = None if restored else unkept
        self.tree = Frontier()
        self._known = 0
        self._key: Key | None = None
        self._filed: Head | None = None
        self.last: Head | None = None
        self.origin = origin_of(table, host)

    async def begin(self) -> None:
        """Read the last heads; call it before the first entry is read.

        Raises Damaged where one is not signed with the host's key, or the file's is older than the
        log's; Refused("unreadable") where the key is missing or another host signed.
        """
        # In this order: others may go on signing, the file first, and the log only grows.
        self.last = await self._log.last_head(self._table)
        note = await asyncio.to_thread(self._secrets.heads.find, self._table)
        if self.last is None and (note is None or (self._restored and not is_note(note))):
            return
        self.origin = self._agreed(
            read_unverified(self.last.note if self.last else note or b"").origin
        )
        private = await asyncio.to_thread(self._secrets.key.find)
        if private is None:
            raise no_key(self._secrets.key.place)
        self._key = public_key(self.origin, private)
        if self.last is not None:
            await self._verify_last(self.last)
        if not self._restored:
            self._file(note)

    async def _verify_last(self, last: Head) -> None:
        try:
            self._verify(last.note, f"the head of size {last.size} in the log")
        except Damaged:
            # A host that lost its key went on with a new one: what was signed before is set aside.
            if last.size > await asyncio.to_thread(self._secrets.heads.floor, self._table):
                raise

    def _agreed(self, origin: str) -> str:
        if not origin.endswith(f"/t/{self._table}"):
            raise Damaged(f"the signed heads of table {self._table!r} are those of {origin}")
        if self._host is not None and origin != self.origin:
            why = f"the heads of table {self._table!r} were signed as {origin}"
            host = origin.removesuffix(f"/t/{self._table}")
            raise Refused("unreadable", why, allowed=[f"host {host}"])
        return origin

    def _file(self, note: bytes | None) -> None:
        """Check the head in the file against the last one in the log."""
        place = self._secrets.heads.place(self._table)
        if self.last is not None and note is None:
            why = f"{place} is missing, but a head of size {self.last.size} was signed"
            raise Damaged(f"{why}; {WAY_OUT}")
        if note is None:
            return
        if self.last is None or note != self.last.note:
            self._verify(note, f"the head in {place}")
        filed = read_unverified(note)
        self._filed = Head(filed.size, filed.root, note)
        if self.last is not None and self._filed.size < self.last.size:
            why = f"{place} went back from {self.last.size} to {self._filed.size} entries"
            raise Damaged(f"{why}; {WAY_OUT}")

    def _verify(self, note: bytes, what: str) -> None:
        if self._key is None:
            return
        try:
            read(note, [self._key])
        except Damaged as error:
            why = f"{what} of table {self._table!r} was not signed with the key in"
            raise Damaged(f"{why} {self._secrets.key.place}: {error.why}") from error

    def resume(self, tree: Frontier) -> bool:
        """Go on behind the entries of this tree, which were checked before.

        False, and nothing is changed, where a head of that size was signed over others. Raises
        Damaged for one up to there that is not what was signed.
        """
        heads = [head for head in (self.last, self._filed, self._unkept) if head is not None]
        for head in heads:
            if head.size <= tree.size:
                self._matches_note(head)
        if any(head.size == tree.size and head.root != tree.root() for head in heads):
            return False
        self.tree, self._known = tree, tree.size
        return True

    async def take(self, entries: Sequence[Entry]) -> None:
        """Compare the next entries with all heads within them. Raises Damaged."""
        start, stop = self.tree.size, self.tree.size + len(entries)
        heads: list[Head] = []
        if self.last is not None:
            heads += await self._log.heads(self._table, start, len(entries))
        if self._filed is not None:
            heads.append(self._filed)
        if self._unkept is not None:
            heads.append(self._unkept)
        within = (head for head in heads if start < head.size <= stop)
        for number, head in enumerate(sorted(within, key=lambda head: head.size)):
            if number % HEADS == HEADS - 1:
                await asyncio.sleep(0)
            leaves = entries[self.tree.size - start : head.size - start]
            self.tree = self.tree.extend(entry.leaf for entry in leaves)
            self._matches_note(head)
            if self.tree.root() != head.root:
                raise self._changed(head)
            self._known = head.size
        rest = entries[self.tree.size - start :]
        self.tree = self.tree.extend(entry.leaf for entry in rest)

    def _matches_note(self, head: Head) -> None:
        """Raises Damaged where the row of a head differs from its note."""
        text = Checkpoint(self.origin, head.size, head.root).text
        if not head.note.startswith(text + b"\n"):
            why = f"the head of size {head.size} of table {self._table!r} is not what was signed"
            raise Damaged(why)

    def _changed(self, head: Head) -> Damaged:
        """The error for entries that do not have the root that was signed."""
        self._verify(head.note, f"the head of size {head.size}")
        first, last = self._known, head.size - 1
        if first == last:
            return Damaged("it is not the entry that was signed", seq=first)
        why = f"entries {first} to {last} are not all those that were signed"
        return Damaged(why, seq=first)

    def end(self) -> None:
        """Note that there are no more entries. Raises Damaged where a head has signed more."""
        size = self.tree.size
        if self.last is not None and self.last.size > size:
            why = f"table {self._table!r} has {size} entries, and a signed head of {self.last.size}"
            raise Damaged(why, seq=size)
        if self._filed is not None and self._filed.size > size:
            place = self._secrets.heads.place(self._table)
            why = f"the log of table {self._table!r} went back from {self._filed.size} entries, "
            why += f"signed in {place}, to {size}"
            raise Damaged(f"{why}; {WAY_OUT}")
        if self._unkept is not None and self._unkept.size > size:
            why = f"the log of table {self._table!r} went back from {self._unkept.size} entries, "
            raise Damaged(f"{why}signed here, to {size}; {WAY_OUT}")
