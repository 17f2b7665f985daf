"""Rows as objects: what was written is there, what was not is not, whatever the numbers are."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from immutables import Map

from tests.engine.helpers.stage import fight, hit
from urim.engine.snapshots import Outdated, Snapshots, StaleSnapshot, file, head
from urim.engine.snapshots.kind import MARKS, Kind
from urim.engine.snapshots.lists import PAGE, Entries, Positions, Records
from urim.engine.snapshots.maps import Index, StoredTexts, rolls_of
from urim.engine.snapshots.recent import LEAST, OBJECT, Recent
from urim.engine.snapshots.rows import TableRows
from urim.engine.table import Table
from urim.events.codec import recorded

TABLE, OTHER = "table001", "table002"
KEY = bytes(32)


@pytest.fixture
def snapshots(tmp_path: Path) -> Iterator[Snapshots]:
    """An empty file, read row by row: nothing stays in memory."""
    found = Snapshots(tmp_path / "snapshots", 0)
    yield found
    found.close()


@pytest.fixture
def rows(snapshots: Snapshots) -> TableRows:
    """The rows of one table."""
    return snapshots.table(TABLE, KEY)


@pytest.fixture(scope="module")
def table() -> Table:
    """A table of some hundred entries, all in memory."""
    found, etgar, toad = fight()
    while len(found.entries) < PAGE + 20:
        hit(found, etgar, toad)
    return found


def numbers(rows: TableRows, highest: int = -1, *, dense: bool = False) -> Kind[int | None]:
    """A kind of rows that are numbers themselves."""

    def pack(item: int | None) -> bytes:
        return b"" if item is None else item.to_bytes(8)

    def unpack(_: int, body: bytes) -> int | None:
        return int.from_bytes(body) if body else None

    return Kind(rows, "numbers", pack, unpack, highest, dense=dense)


def put(kind: Kind[Any], items: Mapping[int, Any], size: int) -> None:
    """Write rows, and those of their marks, as a snapshot does."""
    found = [(kind, number, item, kind.row(number, item, size)) for number, item in items.items()]
    marks: Any = kind.marks
    for page, bits in kind.marked(items).items():
        assert len(bits) == MARKS // 8
        found.append((marks, page, bits, marks.row(page, bits, size)))
    kind.rows.write([row for *_, row in found])
    for each, number, item, row in found:
        each.wrote(number, item, row)


# --- kinds ----------------------------------------------------------------------------------------

BATCHES = (
    [(0,)],
    [(1,)],
    [(0, 1), (MARKS - 1,), (MARKS,)],
    [(5, 7, 9), (MARKS + 3, MARKS + 5), (2, 8)],
    [(3,), (4 * MARKS + 1,), (2 * MARKS, 3 * MARKS - 1), (4,)],
    [(MARKS - 1, 3 * MARKS)],
)


@pytest.mark.parametrize("batches", BATCHES)
def test_the_numbers_that_were_written_are_there_and_no_others(
    rows: TableRows, batches: list[tuple[int, ...]]
) -> None:
    kind, written = numbers(rows), set[int]()
    for size, batch in enumerate(batches, start=1):
        put(kind, {number: number + 100 for number in batch}, size)
        written |= {*batch}
        for each in (kind, numbers(rows, max(written))):
            assert [*each.numbers()] == sorted(written)
            for number in {at for one in written for at in (one - 1, one, one + 1)} - {-1}:
                assert each.get(number) == (number + 100 if number in written else None)


def test_a_dense_kind_has_the_numbers_up_to_its_highest(rows: TableRows) -> None:
    put(numbers(rows, dense=True), {0: 10, 1: 11, 2: 12, 3: 13}, 1)
    younger = numbers(rows, 2, dense=True)
    assert [*younger.numbers()] == [0, 1, 2]
    assert younger.get(2) == 12
    assert younger.get(3) is None
    assert younger.between(1, 9) == {1: 11, 2: 12}
    assert younger.between(1, 2) == {1: 11}
    assert rows.read_range("numbers", 1, 1) == []


def test_a_row_that_was_lost_is_missed(snapshots: Snapshots, rows: TableRows) -> None:
    kind = numbers(rows)
    put(kind, {3: 1, 5: 2}, 1)
    snapshots.run("DELETE FROM rows WHERE kind = 'numbers' AND number = 5", ())
    assert kind.get(4) is None
    with pytest.raises(StaleSnapshot, match="row 5 of numbers is missing"):
        kind.get(5)


def test_an_older_state_does_not_read_what_was_written_later(tmp_path: Path) -> None:
    for memory in (0, 10_000):
        kept = Snapshots(tmp_path / f"{memory}", memory)
        kind = numbers(kept.table(TABLE, KEY))
        put(kind, {1: 1, 2: 2}, 10)
        put(kind, {2: 3}, 11)
        assert (kind.get(1, 10), kind.get(2, 11), kind.get(2)) == (1, 3, 3)
        with pytest.raises(Outdated):
            kind.get(2, 10)
        kept.close()


# --- what was used last ---------------------------------------------------------------------------


def test_the_longest_unused_is_dropped_first_and_sizes_add_up() -> None:
    each = LEAST + round(OBJECT * 100)
    recent = Recent(3 * each)
    assert recent.size == 0
    for number in (0, 0, 1, 2, 1, 2):
        recent.put((TABLE, "rolls", number), number, 100)
    assert recent.size == 3 * each
    assert recent.get((TABLE, "rolls", 0)) == 0
    recent.put((OTHER, "rolls", 0), "another", 100)
    assert [recent.get((TABLE, "rolls", number)) for number in range(3)] == [0, None, 2]
    recent.put((OTHER, "rolls", 0), "longer", 101)
    assert recent.get((OTHER, "rolls", 0)) == "longer"
    assert recent.size == each + LEAST + round(OBJECT * 101)


@pytest.mark.parametrize(("gone", "stays"), [(TABLE, OTHER), (OTHER, TABLE)])
def test_one_table_is_forgotten_alone(gone: str, stays: str) -> None:
    recent = Recent(10_000)
    for table in (TABLE, OTHER):
        recent.put((table, "rolls", 1), table, 10)
    recent.drop(gone)
    assert recent.get((gone, "rolls", 1)) is None
    assert recent.get((stays, "rolls", 1)) == stays
    assert recent.size == LEAST + round(OBJECT * 10)
    recent.clear()
    assert recent.size == 0
    assert recent.get((stays, "rolls", 1)) is None


# --- the file -------------------------------------------------------------------------------------


def test_rows_are_stale_however_often_they_were_thrown_away(snapshots: Snapshots) -> None:
    for _ in range(4):
        rows, other = snapshots.table(TABLE, KEY), snapshots.table(OTHER, KEY)
        rows.write([("numbers", 0, b"x")])
        assert not rows.stale
        assert snapshots.forget(TABLE)
        assert (rows.stale, other.stale) == (True, False)
        with pytest.raises(StaleSnapshot):
            rows.read("numbers", 0)
        assert not snapshots.forget(TABLE)


def test_a_file_that_is_there_is_never_opened_and_closed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, closed = tmp_path / "snapshots", list[int]()
    monkeypatch.setattr(os, "close", closed.append)
    file._made(path)  # noqa: SLF001
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(closed) == 1
    file._made(path)  # noqa: SLF001
    assert len(closed) == 1
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="exists"):
        file._made(path)  # noqa: SLF001


def test_the_code_of_a_fold_is_that_of_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = head.code.__wrapped__
    assert code() == head.code()
    monkeypatch.setattr(head, "ROOT", tmp_path)
    monkeypatch.setattr(head, "LOG", tmp_path / "events" / "log")
    for name in head.CODE:
        place = tmp_path / name
        path = place if name.endswith(".py") else place / "log" / "module.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")
    before = code()
    (tmp_path / "events" / "log" / "module.py").write_text("another")
    (tmp_path / "engine" / "other.py").write_text("another")
    assert code() == before
    for name in ("errors.py", "engine/service/usage.py", "rules/log/module.py", "rules/new.py"):
        (tmp_path / name).write_text("another")
        after = code()
        assert after != before
        before = after
    (tmp_path / "rules" / "new.py").rename(tmp_path / "rules" / "renamed.py")
    assert code() != before


# --- lists ----------------------------------------------------------------------------------------


def counted(snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that are asked of the file from now on."""
    found, whole = list[str](), snapshots.run

    def run(sql: str, values: Any) -> Any:
        found.append(sql)
        return whole(sql, values)

    monkeypatch.setattr(snapshots, "run", run)
    return found


@pytest.mark.parametrize("base", [0, 9, PAGE - 1, PAGE + 2])
def test_entries_in_rows_are_a_list(
    snapshots: Snapshots,
    rows: TableRows,
    table: Table,
    base: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries, events = [*table.entries], [recorded(entry) for entry in table.entries]
    kept = Entries(rows)
    kept.extend(entries[:base])
    put(kept.kind, dict(kept.changed()), base)
    kept.written()
    records = Records(kept)
    for entry in entries[base:]:
        kept.append(entry)
        records.append(recorded(entry))
    asked = counted(snapshots, monkeypatch)
    assert [*kept] == entries
    assert len(asked) <= 2
    assert [*records] == events
    assert kept[-1] == entries[-1]
    slices = (slice(3), slice(5, 30), slice(None, None, 7), slice(40, 2, -3), slice(-25, None))
    for cut in (*slices, slice(None, None, -1), slice(9, 9), slice(0, 8), slice(0, 7)):
        assert kept[cut] == entries[cut]
        assert records[cut] == events[cut]
    for at in (0, base - 1, base, len(entries) - 1, -len(entries)):
        assert (kept[at], records[at]) == (entries[at], events[at])
    for at in (len(entries), len(entries) + 1, -len(entries) - 1):
        with pytest.raises(IndexError):
            kept[at]


def test_an_entry_that_was_withheld_is_so_in_its_row_and_before(
    rows: TableRows, table: Table
) -> None:
    entries = [*table.entries[:30]]
    kept = Entries(rows)
    kept.extend(entries)
    put(kept.kind, dict(kept.changed()), 30)
    kept.written()
    other = table.entries[30]
    kept[4] = other
    kept.append(entries[0])
    kept[30] = other
    assert kept.withheld
    assert (kept[4], kept[30], kept[3]) == (other, other, entries[3])
    assert kept[0:20] == [*entries[:4], other, *entries[5:20]]
    assert kept[4:20] == [other, *entries[5:20]]
    assert [*kept.changed()] == [(4, other), (30, other)]
    kept.erased(4)
    assert not kept.withheld


def test_numbers_in_rows_are_a_list(rows: TableRows) -> None:
    kept = Positions(rows, "positions")
    kept.extend(range(50, 70))
    put(kept.kind, dict(kept.changed()), 1)
    kept.written()
    kept.extend(range(70, 75))
    assert [*kept] == [*range(50, 75)]
    assert [*kept.changed()] == [*enumerate(range(70, 75), start=20)]
    assert kept[7:9] == [57, 58]
    again = Positions(rows, "positions", 20)
    assert [*again] == [*range(50, 70)]


# --- maps -----------------------------------------------------------------------------------------


def test_an_index_is_as_a_map(rows: TableRows) -> None:
    kind, model = numbers(rows), Map[int, int]()
    index: Index[int] = Index(kind, 0)
    for size, number in enumerate((4, 1, 9, 4, 1), start=1):
        index, model = index.set(number, size), model.set(number, size)
        put(kind, dict(index.changed()), size)
        index = index.written(size)
        assert [*index.changed()] == []
        assert index == model
        assert [*index.items()] == sorted(model.items())
    index, model = index.delete(9), model.delete(9)
    assert index == model
    assert index != model.set(9, 9)
    assert index != 5
    assert (index.get(9), index.get(9, 7), index.get(4, 7)) == (None, 7, model[4])
    put(kind, dict(index.changed()), 6)
    assert index.written(6) == model


def test_rolls_in_rows_are_as_a_map(rows: TableRows, table: Table) -> None:
    state = table.aggregate.opened
    kept = rolls_of(rows, lambda: state.game)
    for roll in state.rolls.values():
        kept = kept.set(roll.number, roll)
    count, size = len(state.rolls), state.size
    assert (len(kept), kept.highest) == (count, count)
    put(kept.kind, dict(kept.changed()), size)
    for each in (kept, kept.written(size), rolls_of(rows, lambda: state.game, size, count, count)):
        assert len(each) == count
        assert each == state.rolls
        assert each.get(0) is None
        assert 0 not in each
        assert (1 in each, count in each, count + 1 in each) == (True, True, False)
        less = each.delete(2)
        assert (len(less), less.highest) == (count - 1, count)
        assert less != state.rolls
        assert less == state.rolls.delete(2)
        assert len(less.set(2, each[2])) == count
        assert len(each.set(2, each[3])) == count
        assert [roll.number for roll in less.values()] == [1, *range(3, count + 1)]
        with pytest.raises(KeyError):
            less[2]
    assert kept != "rolls"


def test_texts_in_rows_are_as_a_map(rows: TableRows, table: Table) -> None:
    kind: Kind[Any] = Kind(rows, "texts", lambda _: b"", lambda *_: ("from a row",))
    texts: Any = StoredTexts(Index(kind, 0), Map())
    texts = texts.set("seat:p1", ("a name",)).set("entry:7", ("a note",)).set("entry:5", ("one",))
    assert dict(texts.items()) == {
        "seat:p1": ("a name",),
        "entry:5": ("one",),
        "entry:7": ("a note",),
    }
    put(kind, dict(texts.about.changed()), 3)
    texts = texts.written(3)
    assert (texts.get("entry:7"), texts["seat:p1"]) == (("from a row",), ("a name",))
    texts = texts.delete("entry:7").delete("seat:p1")
    assert texts == Map({"entry:5": ("from a row",)})
    assert texts != Map({"entry:5": ("another",)})
    assert texts != 5
    assert (texts.get("entry:7", ()), "seat:p1" in texts, "entry:5" in texts) == ((), False, True)
    with pytest.raises(KeyError):
        texts["entry:7"]
