"""Logs that each do one thing wrong, for the conformance suite to find out."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from tests.sealing import sealed_raw
from urim.errors import Refused
from urim.events.entry import TEXTS, Entry, entry_bytes, leaf_of, withhold
from urim.events.log.bell import Bell
from urim.events.log.head import Head
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import (
    Answered,
    Appended,
    CaughtUp,
    Commit,
    Conflict,
    Followed,
    Request,
)

Result = Appended | Conflict | Answered


class Broken(MemoryLog):
    """Does as the memory log does, but for the one thing that a subclass does wrong."""

    def asked(self, table: str, request: Request | None) -> tuple[str, Request | None]:
        """What it takes table and request for."""
        return table, request

    async def before(self, table: str, entries: Sequence[Entry], expected: int) -> None:
        """What it does first."""

    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        """What it does, and answers, in the end."""
        return result

    def start(self, after: int) -> int:
        """Where it reads from."""
        return after

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        return await super().read(table, self.start(after), limit)

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Result:
        table, request = self.asked(table, request)
        await self.before(table, entries, expected)
        result = await super().append(table, entries, expected, request)
        return self.after(self._tables[table].rows, entries, result)


def resealed(entry: Entry) -> Entry:
    """The entry under a leaf that fits its fields."""
    return replace(entry, leaf=leaf_of(entry_bytes(entry.seq, entry.at, entry.kind, entry.digest)))


class LosesTheLastEntry(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        del rows[max(1, len(rows) - 1) :]
        return result


class KeepsTextOnly(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        for at, row in enumerate(rows):
            text = (row.payload or b"").decode(errors="replace")
            rows[at] = replace(row, payload=text.encode())
        return result


class KeepsTheCallersList(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        if isinstance(entries, list) and len(entries) == len(rows):
            next(iter(self._tables.values())).rows = entries
        return result


class NeverConflicts(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        if not isinstance(result, Conflict):
            return result
        rows.extend(entries)
        return Appended(len(rows))


class MissesOne(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        return Conflict(result.missed[1:]) if isinstance(result, Conflict) else result


class LooksBeforeItWrites(Broken):
    async def before(self, table: str, entries: Sequence[Entry], expected: int) -> None:
        self.size = len(self._tables[table].rows) if table in self._tables else 0
        await asyncio.sleep(0)

    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        if isinstance(result, Conflict) and self.size == entries[0].seq:
            rows[self.size :] = entries
            return Appended(len(rows))
        return result


class KeepsHalfOfABadCommit(Broken):
    async def before(self, table: str, entries: Sequence[Entry], expected: int) -> None:
        if len(entries) > 1 and entries[0].seq == expected:
            await MemoryLog.append(self, table, entries[:1], expected)


class WritesOneByOne(Broken):
    async def before(self, table: str, entries: Sequence[Entry], expected: int) -> None:
        for seq, entry in enumerate(entries[:-1], start=expected):
            await MemoryLog.append(self, table, [entry], seq)

    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        if isinstance(result, Conflict) and result.missed == tuple(entries[:-1]):
            rows.append(entries[-1])
            return Appended(len(rows))
        return result


class WantsTimeToPass(Broken):
    async def before(self, table: str, entries: Sequence[Entry], expected: int) -> None:
        if len({entry.at for entry in entries}) < len(entries):
            raise Refused("out-of-range", "the same time twice")


class MakesRoom(Broken):
    """Fills the log up to where it is asked to write."""

    async def before(self, table: str, entries: Sequence[Entry], expected: int) -> None:
        size = len(await self.read(table))
        if expected > size:
            filling = [sealed_raw(seq, 0, b"") for seq in range(size, expected)]
            await MemoryLog.append(self, table, filling, size)


class MendsTableIds(Broken):
    def asked(self, table: str, request: Request | None) -> tuple[str, Request | None]:
        return "".join(letter for letter in table.lower() if letter.isalnum()).zfill(8), request


class HasOneTable(Broken):
    def asked(self, table: str, request: Request | None) -> tuple[str, Request | None]:
        return "conform0", request


class ForgetsRequests(Broken):
    def asked(self, table: str, request: Request | None) -> tuple[str, Request | None]:
        return table, None


class IgnoresTheBody(Broken):
    def asked(self, table: str, request: Request | None) -> tuple[str, Request | None]:
        return table, request and replace(request, mac=bytes(range(32)))


class TakesAllSeatsForOne(Broken):
    def asked(self, table: str, request: Request | None) -> tuple[str, Request | None]:
        return table, request and replace(request, seat="p1")


class ReadsInclusively(Broken):
    def start(self, after: int) -> int:
        return max(after - 1, -1)


class ForgivesNegatives(Broken):
    def start(self, after: int) -> int:
        return max(after, -1)


class MakesUpEntries(Broken):
    def _rows(self, table: str, after: int, limit: int | None) -> tuple[Entry, ...]:
        return super()._rows(table, after, limit) or (sealed_raw(0, 0, b""),)


class SkipsAtTheHandOver(Broken):
    async def follow(self, table: str, after: int = -1) -> Followed:
        async for item in super().follow(table, after):
            yield item
            if isinstance(item, CaughtUp):
                break
        async for item in super().follow(table, len(await self.read(table)) - 1):
            if isinstance(item, Entry):
                yield item


class RepeatsAtTheHandOver(Broken):
    async def follow(self, table: str, after: int = -1) -> Followed:
        last: Entry | None = None
        async for item in super().follow(table, after):
            yield item
            if isinstance(item, CaughtUp) and last is not None:
                yield last
            last = item if isinstance(item, Entry) else last


class MarksTwice(Broken):
    async def follow(self, table: str, after: int = -1) -> Followed:
        async for item in super().follow(table, after):
            yield item
            if isinstance(item, CaughtUp):
                yield item


class NeverWakes(Broken):
    def _ring(self, table: str, size: int | None = None) -> None:
        pass


class RingsWithoutSize(Broken):
    def _ring(self, table: str, size: int | None = None) -> None:
        super()._ring(table)


class RingsOften(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        self._ring("conform0", len(rows))
        return result


class WakesOne(Broken):
    def listen(self, table: str) -> Bell:
        self._bells[table] = bell = Bell()
        return bell


class FollowsOnePage(Broken):
    async def follow(self, table: str, after: int = -1) -> Followed:
        async for item in super().follow(table, after):
            if isinstance(item, CaughtUp) or item.seq < 256:
                yield item


class FollowsFromTheBeginning(Broken):
    def follow(self, table: str, after: int = -1) -> Followed:
        return super().follow(table, -1)


class HasOneFollower(Broken):
    latest = 0

    async def follow(self, table: str, after: int = -1) -> Followed:
        self.latest = mine = self.latest + 1
        async for item in super().follow(table, after):
            if self.latest == mine:
                yield item


class ErasesNothing(Broken):
    async def erase(self, table: str, seq: int) -> None:
        pass


class ErasesTheLeaf(Broken):
    async def erase(self, table: str, seq: int) -> None:
        await super().erase(table, seq)
        rows = self._tables[table].rows
        rows[seq] = replace(rows[seq], leaf=bytes(32))


class ErasesOnce(Broken):
    async def erase(self, table: str, seq: int) -> None:
        if (await self.read(table))[seq].payload is None:
            raise Refused("unknown", "nothing to erase")
        await super().erase(table, seq)


class ErasesAnything(Broken):
    async def erase(self, table: str, seq: int) -> None:
        if not 0 <= seq < len(self._rows(table, -1, None)):
            raise Refused("unknown", "no such entry")
        rows = self._tables[table].rows
        rows[seq] = withhold(rows[seq])


class ErasesWhatIsHidden(Broken):
    async def erase(self, table: str, seq: int) -> None:
        rows = self._rows(table, -1, None)
        if 0 <= seq < len(rows) and rows[seq].kind == "hidden":
            self._tables[table].rows[seq] = withhold(rows[seq])
        else:
            await super().erase(table, seq)


class ErasesOpenTextsOnly(Broken):
    async def erase(self, table: str, seq: int) -> None:
        rows = self._rows(table, -1, None)
        if 0 <= seq < len(rows) and rows[seq].kind == "hidden-text":
            raise Refused("not-offered", "a hidden text")
        await super().erase(table, seq)


class KeepsWhatHasNoPayload(Broken):
    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Result:
        texts = [replace(each, kind="text") if each.payload is None else each for each in entries]
        sealed = [each if each.payload else resealed(each) for each in texts]
        return await super().append(table, sealed, expected, request)


class ErasesUnnamed(Broken):
    async def erase(self, table: str, seq: int) -> None:
        rows = self._rows(table, -1, None)
        if 0 <= seq < len(rows) and rows[seq].kind in TEXTS:
            self._tables[table].rows[seq] = withhold(rows[seq])
        else:
            await super().erase(table, seq)


class GivesRequestsByName(Broken):
    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        found = await super().requests(table, after)
        return tuple(sorted(found, key=lambda each: each.request.id))[:limit]


class GivesAllRequests(Broken):
    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        return await super().requests(table)


class ErasesTheCommit(Broken):
    async def erase(self, table: str, seq: int) -> None:
        await super().erase(table, seq)
        rows = self._tables[table].rows
        rows[seq] = replace(rows[seq], commit=seq)


class ForgetsCommits(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        rows[:] = [replace(row, commit=row.seq) for row in rows]
        return result


class ForgetsCommitsOfWithheldEntries(Broken):
    def after(self, rows: list[Entry], entries: Sequence[Entry], result: Result) -> Result:
        rows[:] = [row if row.payload else replace(row, commit=row.seq) for row in rows]
        return result


class StaysOpen(Broken):
    async def close(self) -> None:
        pass


class SharesHeads(Broken):
    async def keep_head(self, table: str, head: Head) -> Head:
        for each in self._tables.values():
            each.heads.setdefault(head.size, head)
        return await super().keep_head(table, head)

    async def last_head(self, table: str) -> Head | None:
        return await super().last_head(next(iter(self._tables)))


class ListsHeadsAsTheyCame(Broken):
    async def heads(self, table: str, after: int = 0, limit: int | None = None) -> tuple[Head, ...]:
        kept = self._tables[table].heads.values() if table in self._tables else ()
        return tuple(kept)[after:][:limit]


class ReplacesHeads(Broken):
    async def keep_head(self, table: str, head: Head) -> Head:
        self._tables[table].heads.pop(head.size, None)
        return await super().keep_head(table, head)


class LooksBeforeItKeepsAHead(Broken):
    async def keep_head(self, table: str, head: Head) -> Head:
        if head.size in self._tables[table].heads:
            return await super().keep_head(table, head)
        await asyncio.sleep(0)
        self._tables[table].heads[head.size] = head
        return head


class SignsAhead(Broken):
    async def keep_head(self, table: str, head: Head) -> Head:
        return head


class ForgivesNegativeHeads(Broken):
    async def heads(self, table: str, after: int = 0, limit: int | None = None) -> tuple[Head, ...]:
        return await super().heads(table, max(after, 0), max(limit or 0, 0))


class ErasesHeads(Broken):
    async def erase(self, table: str, seq: int) -> None:
        await super().erase(table, seq)
        self._tables[table].heads.clear()
