"""A table copied into another log is the same table there, wherever the copy was cut short."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.heads import service_on
from tests.engine.helpers.stages.moving import TEXT, eventful, more, prefix
from tests.engine.helpers.stages.service import (
    TABLE,
    declare,
    made,
    mark,
    noting,
    on_each_log,
    seated,
)
from tests.sealing import resealed, sealed
from urim.engine.core.commands import Erase
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.errors import Damaged, Refused, Unavailable
from urim.events.asked import Asked
from urim.events.entry import Entry, withhold
from urim.events.log.copying import Copied, checked, copy_table
from urim.events.log.head import Head
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Answered, Appended, Conflict, EventLog, Request
from urim.events.log.protocol import Commit as CommitOf
from urim.events.merkle import root_of
from urim.events.table import TableOpened


async def same(log: EventLog, other: EventLog, table: str = TABLE) -> None:
    """Fails unless both logs hold the same of a table."""
    assert await log.read(table) == await other.read(table)
    assert await log.requests(table) == await other.requests(table)
    assert await log.heads(table) == await other.heads(table)


# --- a whole copy ---------------------------------------------------------------------------------


@on_each_log
async def test_a_copy_has_every_entry_request_and_head(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await eventful(service)
    copy = MemoryLog()
    seen: list[tuple[int, int]] = []
    found = await copy_table(log, copy, TABLE, lambda *far: seen.append(far))
    entries = await log.read(TABLE)
    size, root = len(entries), root_of(entry.leaf for entry in entries)
    heads, requests = await log.heads(TABLE), await log.requests(TABLE)
    assert found == Copied(TABLE, size, size, len(requests), len(heads), root)
    assert seen[-1] == (size, size)
    assert len(requests) == 7
    assert len(heads) == 2
    await same(log, copy)
    other = service_on(copy, secrets)
    assert await other.view(TABLE, "narrator") == await service.view(TABLE, "narrator")
    assert await other.submit(TABLE, "p1", declare(), "a") == entries[5:6]
    assert TEXT.encode() not in b"".join(entry.payload or b"" for entry in await copy.read(TABLE))


@on_each_log
async def test_what_is_new_is_added_to_an_earlier_copy(log: EventLog, secrets: Secrets) -> None:
    service, copy = service_on(log, secrets), MemoryLog()
    await eventful(service)
    first = await copy_table(log, copy, TABLE)
    await more(service)
    second = await copy_table(log, copy, TABLE)
    assert (second.size, second.added) == (first.size + 6, 6)
    assert (await copy_table(log, copy, TABLE)).added == 0
    await same(log, copy)


@on_each_log
async def test_a_text_that_is_erased_later_is_erased_in_the_copy(
    log: EventLog, secrets: Secrets
) -> None:
    service, copy = service_on(log, secrets), MemoryLog()
    await seated(service)
    noted = await service.submit(TABLE, "p1", noting(TEXT))
    await copy_table(log, copy, TABLE)
    assert TEXT.encode() in ((await copy.read(TABLE))[-1].payload or b"")
    await service.submit(TABLE, "p1", Erase(noted[-1].seq))
    await copy_table(log, copy, TABLE)
    await same(log, copy)
    assert (await copy.read(TABLE))[noted[-1].seq].payload is None


async def test_a_text_whose_erasing_was_cut_short_is_not_copied() -> None:
    class Cut(MemoryLog):
        async def erase(self, table: str, seq: int) -> None:
            raise Unavailable("the machine stopped here")

    log, copy = Cut(), MemoryLog()
    service = service_on(log, MemorySecrets())
    await seated(service)
    noted = await service.submit(TABLE, "p1", noting(TEXT))
    with pytest.raises(Unavailable):
        await service.submit(TABLE, "p1", Erase(noted[-1].seq))
    assert (await log.read(TABLE))[noted[-1].seq].payload is not None
    await copy_table(log, copy, TABLE)
    assert (await copy.read(TABLE))[noted[-1].seq].payload is None


@pytest.mark.slow
async def test_a_table_of_3000_entries_is_copied_into_a_file(tmp_path: Path) -> None:
    log, secrets = MemoryLog(), MemorySecrets()
    await eventful(service_on(log, secrets), epochs=1)
    last = (await log.read(TABLE))[-1]
    for seq in range(last.seq + 1, 3_000):
        entry = resealed(last, seq=seq, asked=Asked(f"m{seq}", "{}"), first=seq)
        await log.append(TABLE, [entry], seq, Request(f"m{seq}", "p1", bytes(32)))
    async with made("sqlite", tmp_path) as (copy, _):
        found = await copy_table(log, copy, TABLE)
        assert (found.size, found.added) == (3_000, 3_000)
        await same(log, copy)


# --- cut short ------------------------------------------------------------------------------------


class Stopping(MemoryLog):
    """A log that goes down after so many commits and heads."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def _count(self) -> None:
        if not self.left:
            raise Unavailable("the machine stopped here")
        self.left -= 1

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        self._count()
        return await super().append(table, entries, expected, request)

    async def keep_head(self, table: str, head: Head) -> Head:
        self._count()
        return await super().keep_head(table, head)


async def test_a_copy_goes_on_wherever_it_was_cut_short() -> None:
    log, secrets = MemoryLog(), MemorySecrets()
    await eventful(service_on(log, secrets))
    steps = 0
    while True:
        copy = Stopping(steps)
        try:
            await copy_table(log, copy, TABLE)
            break
        except Unavailable:
            size = await prefix(log, copy)
        copy.left = 10_000
        found = await copy_table(log, copy, TABLE)
        assert found.added == found.size - size
        await same(log, copy)
        steps += 1
    assert steps > 12


async def test_a_log_that_tries_commits_in_another_order_gets_them_again() -> None:
    class Disorderly(MemoryLog):
        async def append(self, table: str, entries: Any, expected: int, request: Any = None) -> Any:
            await asyncio.sleep(0 if expected % 3 == 0 else 0.001)
            return await super().append(table, entries, expected, request)

    log, secrets, copy = MemoryLog(), MemorySecrets(), Disorderly()
    await eventful(service_on(log, secrets))
    await copy_table(log, copy, TABLE)
    await same(log, copy)


async def test_others_who_add_to_the_copy_meanwhile_are_noticed() -> None:
    class Busy(MemoryLog):
        async def append(self, table: str, entries: Any, expected: int, request: Any = None) -> Any:
            if expected == 5:
                await super().append(table, entries, expected)
            return await super().append(table, entries, expected, request)

    log, secrets = MemoryLog(), MemorySecrets()
    await eventful(service_on(log, secrets))
    with pytest.raises(Unavailable, match="others added to table 'table001'"):
        await copy_table(log, Busy(), TABLE)


@on_each_log
async def test_a_table_in_use_is_copied_as_of_one_moment(log: EventLog, secrets: Secrets) -> None:
    service, copy = service_on(log, secrets, every=0.001), MemoryLog()
    await seated(service)

    async def write() -> None:
        for value in range(25):
            await service.submit(TABLE, "narrator", mark(value), f"r{value}")
            await service.submit(TABLE, "p1", noting("so"))

    writing = asyncio.create_task(write())
    while not writing.done():
        found = await copy_table(log, copy, TABLE)
        assert await prefix(log, copy) == found.size
        await checked(copy, TABLE)
        await asyncio.sleep(0)
    await writing
    await service.close()
    await copy_table(log, copy, TABLE)
    await same(log, copy)


async def test_of_a_table_that_grows_while_it_is_read_a_copy_has_one_moment() -> None:
    class Growing(MemoryLog):
        """Others keep three commits before its requests are read."""

        last: Entry | None = None

        async def requests(
            self, table: str, after: int = -1, limit: int | None = None
        ) -> tuple[CommitOf, ...]:
            if self.last is not None:
                size = len(await self.read(table))
                for seq in range(size, size + 3):
                    asked = Asked(f"late-{seq}", "{}")
                    late = resealed(self.last, seq=seq, asked=asked, first=seq)
                    await self.append(table, [late], seq, Request(asked.request, "p1", bytes(32)))
            return await super().requests(table, after, limit)

    log, copy = Growing(), MemoryLog()
    await eventful(service_on(log, MemorySecrets()))
    log.last = (await log.read(TABLE))[-1]
    copied = await copy_table(log, copy, TABLE)
    assert copied.size == len(await copy.read(TABLE))
    assert copied.requests == len(await copy.requests(TABLE))
    assert await prefix(log, copy) == copied.size


# --- refused --------------------------------------------------------------------------------------


class Bent(MemoryLog):
    """A log with what another one has of the table, to be bent."""

    @classmethod
    async def of(cls, log: EventLog, size: int | None = None) -> "Bent":
        """The first entries of the other log, its requests and heads."""
        found = cls()
        await copy_table(log, found, TABLE)
        if size is not None:
            del found.rows[size:]
            held = found._tables[TABLE]
            held.answers = {k: each for k, each in held.answers.items() if each.stop <= size}
            held.heads = {k: head for k, head in held.heads.items() if k <= size}
        return found

    @property
    def rows(self) -> list[Entry]:
        """The table's entries."""
        return self._tables[TABLE].rows

    def ask(self, id: str, other: str | None) -> None:
        """Keep a request of p1 under another id, or not at all."""
        answers = self._tables[TABLE].answers
        commit = answers.pop(("p1", id))
        if other is not None:
            request = Request(other, "p1", commit.request.mac)
            answers["p1", other] = replace(commit, request=request)

    def sign(self, size: int) -> None:
        """Keep a head that nobody signed."""
        root = root_of(entry.leaf for entry in self.rows[:size])
        self._tables[TABLE].heads[size] = Head(size, root, b"note")

    def rename(self, other: str) -> None:
        """Keep the table under another id."""
        self._tables[other] = self._tables.pop(TABLE)


def refused(bending: str, kind: type[Exception], match: str, size: int | None = None) -> None:
    """Bend the source or the copy in some way, and see that the copy is refused."""

    async def run() -> None:
        log, secrets = MemoryLog(), MemorySecrets()
        await eventful(service_on(log, secrets))
        source, copy = await Bent.of(log), await Bent.of(log, size)
        BENDINGS[bending](source, copy)
        with pytest.raises(kind, match=match):
            await copy_table(source, copy, TABLE)

    asyncio.run(run())


def bent(log: Bent, seq: int, entry: Entry) -> None:
    """Put another entry in the place of one."""
    log.rows[seq] = entry


Bending = Callable[[Bent, Bent], object]

BENDINGS: Mapping[str, Bending] = {
    "another entry": lambda _, copy: bent(copy, 7, resealed(copy.rows[7], at=10**13)),
    "another commit": lambda _, copy: bent(copy, 1, replace(copy.rows[1], commit=0)),
    "another request": lambda _, copy: copy.ask("a", "z"),
    "another head": lambda _, copy: copy.sign(3),
    "a longer copy": lambda _, copy: copy.rows.append(resealed(copy.rows[-1], seq=len(copy.rows))),
    "half a commit": lambda _, copy: copy.rows.pop(),
    "an erased text": lambda _, copy: bent(copy, 4, withhold(copy.rows[4])),
    "payload of a throw": lambda source, _: bent(source, 6, withhold(source.rows[6])),
    "payload of a name": lambda source, _: bent(source, 4, withhold(source.rows[4])),
    "request gone": lambda source, _: source.ask("a", None),
    "rewritten": lambda source, _: bent(source, 3, resealed(source.rows[3], salt=b"1" * 32)),
}
"""How a source, or a copy, may not be."""


@pytest.mark.parametrize(
    ("bending", "match", "size"),
    [
        ("another entry", "has another table 'table001': entry 7 differs", 8),
        ("another commit", "has another table 'table001': entry 1 differs", 8),
        ("an erased text", "has another table 'table001': entry 4 differs", 8),
        ("another request", "has another request: entry 5 differs", 8),
        ("another head", "has another signed head of size 3", 8),
        ("a longer copy", "has entry 16, which the table has not", None),
        ("half a commit", "ends inside a commit, before entry 4", 5),
    ],
)
def test_another_table_in_the_copy_is_refused_by_its_first_entry(
    bending: str, match: str, size: int | None
) -> None:
    refused(bending, Refused, match, size)


@pytest.mark.parametrize(
    ("bending", "match"),
    [
        ("payload of a throw", "entry 6: its payload is missing"),
        ("payload of a name", "entry 4: its payload is missing"),
        ("request gone", "entry 5: request 'a' of seat p1"),
        ("rewritten", "entries 0 to 6 are not those signed for"),
    ],
)
def test_damage_in_the_source_is_refused_and_named(bending: str, match: str) -> None:
    refused(bending, Damaged, match)


async def test_a_table_under_another_id_is_damage() -> None:
    log, secrets = Bent(), MemorySecrets()
    await eventful(service_on(log, secrets))
    log.rename("table009")
    with pytest.raises(Damaged, match="entry 0: it does not open table 'table009'"):
        await copy_table(log, MemoryLog(), "table009")
    with pytest.raises(Refused, match="no table 'table001'"):
        await copy_table(log, MemoryLog(), TABLE)


@pytest.mark.parametrize("last", range(8))
async def test_a_log_that_loses_its_last_commits_is_found_out(last: int) -> None:
    class Short(MemoryLog):
        async def read(
            self, table: str, after: int = -1, limit: int | None = None
        ) -> tuple[Entry, ...]:
            return (await super().read(table, after, limit))[: last + 1]

    log = MemoryLog()
    for seq in range(10):
        event = TableOpened("narrator", TABLE, "plain", 1, {}, "fair", "table", 1)
        await log.append(TABLE, [sealed(seq, seq, event)], seq)
    with pytest.raises(Damaged, match="has another root for its first 10 entries"):
        await copy_table(log, Short(), TABLE)


@pytest.mark.parametrize("what", ["entry", "request", "head", "leaf"])
async def test_a_log_that_keeps_something_else_is_found_out(what: str) -> None:
    class Forgetful(Bent):
        async def append(self, table: str, entries: Any, expected: int, request: Any = None) -> Any:
            if what == "request" and request is not None and request.id == "c":
                request = None
            if what == "leaf" and expected == 5:
                entries = [resealed(entries[0], salt=b"2" * 32), *entries[1:]]
            if what == "entry" and expected == 14:
                entries = [withhold(entries[0]), *entries[1:]]
            return await super().append(table, entries, expected, request)

        async def keep_head(self, table: str, head: Head) -> Head:
            return head if what == "head" else await super().keep_head(table, head)

    log, secrets = MemoryLog(), MemorySecrets()
    await eventful(service_on(log, secrets))
    with pytest.raises(Damaged):
        await copy_table(log, Forgetful(), TABLE)
