"""The list of a log has the tables that open as what they are called, and names the rest."""

import pytest

from tests.sealing import sealed
from urim.engine.testing.log.harness import entry
from urim.errors import Damaged
from urim.events.entry import Entry
from urim.events.log.listing import Listing, check_absent, check_opening, listed, stray
from urim.events.log.memory import MemoryLog
from urim.events.table import TableOpened

TABLES = ("table001", "table002", "table003")


def opening(table: str) -> Entry:
    """The first entry of a table."""
    return sealed(0, 0, TableOpened("narrator", table, "plain", 1, {}, "fair", "table", 1))


class Counting(MemoryLog):
    """A log that notes which tables were read, and has what other programs left in it."""

    def __init__(self) -> None:
        super().__init__()
        self.looks: list[tuple[str, int | None]] = []
        self._left: set[str] = set()

    async def read(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Entry, ...]:
        self.looks.append((table, limit))
        return await super().read(table, after, limit)

    def rename(self, table: str, other: str) -> None:
        """Move a table's rows to another id, as another program could."""
        self._tables[other] = self._tables.pop(table)

    def forget(self, table: str) -> None:
        """Remove a table's entries, and leave what is kept beside them."""
        del self._tables[table]
        self._left.add(table)

    async def strays(self, table: str | None = None) -> tuple[str, ...]:
        return tuple(each for each in sorted(self._left) if table in (None, each))


async def filled() -> Counting:
    """A log with three tables."""
    log = Counting()
    for table in TABLES:
        await log.append(table, [opening(table)], 0)
    return log


def test_an_opening_is_that_of_its_table() -> None:
    assert check_opening("table001", opening("table001")).table == "table001"
    with pytest.raises(Damaged, match="'table002', but table 'table001'") as damage:
        check_opening("table002", opening("table001"))
    assert damage.value.seq == 0
    with pytest.raises(Damaged) as damage:
        check_opening("table001", entry(0))
    assert damage.value.seq == 0


async def test_a_list_has_every_table_and_looks_at_each_opening_alone() -> None:
    log = await filled()
    assert await listed(log) == (TABLES, {})
    assert log.looks == [(table, 1) for table in TABLES]


async def test_what_is_renamed_or_has_lost_its_entries_is_damage_and_no_table() -> None:
    log = await filled()
    log.rename("table002", "table009")
    log.forget("table003")
    tables, damaged = await listed(log)
    assert tables == ("table001",)
    assert list(damaged) == ["table003", "table009"]
    assert str(damaged["table003"]) == str(stray("table003"))
    assert "but table 'table002'" in str(damaged["table009"])
    with pytest.raises(Damaged, match="'table003' has requests or signed heads, but no entri"):
        await check_absent(log, "table003")
    await check_absent(log, "table001")
    await check_absent(log, "table004")


async def test_a_listing_looks_at_each_table_once_and_at_damage_each_time() -> None:
    log = await filled()
    log.rename("table002", "table009")
    listing = Listing(log)
    for looked in (["table001", "table003", "table009"], ["table009"]):
        log.looks.clear()
        tables, damaged = await listing.read()
        assert (tables, [*damaged]) == (("table001", "table003"), ["table009"])
        assert [table for table, _ in log.looks] == looked
    await log.append("table004", [opening("table004")], 0)
    log.looks.clear()
    assert (await listing.read())[0] == ("table001", "table003", "table004")
    assert [table for table, _ in log.looks] == ["table004", "table009"]
