"""What every store of snapshots must do, whatever keeps its rows."""

from collections.abc import Iterable
from contextlib import AbstractContextManager

import pytest

from urim.engine.snapshots.protocol import HEAD, Row, StaleSnapshot
from urim.engine.snapshots.rows import SnapshotStore, TableRows

TABLE, OTHER = "table001", "table002"
KEY = bytes(32)


def written(rows: TableRows, size: int, given: Iterable[Row], without: Iterable[Row] = ()) -> None:
    """Write rows as a snapshot of this size does, with a head that says the size."""
    head = (HEAD, 0, f"{size}".encode())
    rows.write([*given, head], [row[:2] for row in without], size)
    rows.wrote(size)


class SnapshotSuite:
    """What all stores must do. A subclass says which: `make_store`."""

    def make_store(self) -> AbstractContextManager[SnapshotStore]:
        """A store with nothing in it."""
        raise NotImplementedError

    def test_rows_are_read_as_they_were_written(self) -> None:
        given = [("kind", number, bytes([number]) * number) for number in (0, 1, 2, 5, 9)]
        with self.make_store() as store:
            first = store.table(TABLE, KEY)
            assert first.read(HEAD, 0) is None
            written(first, 3, [*given, ("another", 2**40, b"high")])
            second = store.table(TABLE, KEY)
            assert second.read(HEAD, 0) == b"3"
            for rows in (first, second):
                assert [rows.read("kind", number) for _, number, _ in given] == [
                    body for *_, body in given
                ]
                assert rows.read("kind", 3) is None
                assert rows.read("nothing", 0) is None
                assert rows.read_range("kind", 1, 9) == [row[1:] for row in given[1:4]]
                assert rows.read_range("kind", 3, 3) == []
                assert rows.numbers("kind") == [0, 1, 2, 5, 9]
                assert rows.read("another", 2**40) == b"high"
                assert not rows.stale

    def test_the_latest_form_of_a_row_is_read_and_what_was_deleted_is_not(self) -> None:
        with self.make_store() as store:
            first = store.table(TABLE, KEY)
            for size in range(1, 6):
                fresh = [("kind", 0, f"{size}".encode()), ("kind", size, b"once")]
                gone: list[Row] = [("kind", size - 2, b"")] if size > 2 else []
                written(first, size, fresh, gone)
                second = store.table(TABLE, KEY)
                assert second.read(HEAD, 0) == f"{size}".encode()
                for rows in (first, second):
                    assert rows.read("kind", 0) == f"{size}".encode()
                    found = [0, 1, 2] if size == 2 else [0, *range(max(1, size - 1), size + 1)]
                    assert rows.numbers("kind") == found

    def test_what_is_deleted_and_written_at_once_is_there(self) -> None:
        with self.make_store() as store:
            rows = store.table(TABLE, KEY)
            written(rows, 2, [("kind", 1, b"a text")])
            rows.write([("kind", 1, b"none")], [("kind", 1)], 2)
            assert rows.read("kind", 1) == b"none"

    def test_a_row_is_of_its_place_and_key_alone(self) -> None:
        with self.make_store() as store:
            written(store.table(OTHER, KEY), 1, [])
            written(store.table(TABLE, KEY), 1, [("kind", 1, b"mine")])
            with pytest.raises(StaleSnapshot, match="row 0 of head is not what was written"):
                store.table(TABLE, bytes([1]) * 32).read(HEAD, 0)
            assert store.table(TABLE, KEY).read(HEAD, 0) is None
            assert store.table(OTHER, KEY).read(HEAD, 0) == b"1"

    def test_what_is_forgotten_is_stale_for_all_that_read_it(self) -> None:
        with self.make_store() as store:
            written(store.table(OTHER, KEY), 1, [])
            first, second = store.table(TABLE, KEY), store.table(TABLE, KEY)
            written(first, 1, [("kind", 1, b"mine")])
            assert second.read(HEAD, 0) == b"1"
            assert store.forget(TABLE)
            for rows in (first, second):
                assert rows.stale
                with pytest.raises(StaleSnapshot):
                    rows.read("kind", 1)
                with pytest.raises(StaleSnapshot):
                    written(rows, 2, [])
            assert not store.forget(TABLE)
            third = store.table(TABLE, KEY)
            assert third.read(HEAD, 0) is None
            written(third, 1, [("kind", 1, b"again")])
            assert third.read("kind", 1) == b"again"
            assert store.table(OTHER, KEY).read(HEAD, 0) == b"1"

    def test_who_starts_over_begins_with_no_rows(self) -> None:
        with self.make_store() as store:
            rows = store.table(TABLE, KEY)
            written(rows, 1, [("kind", 1, b"mine")])
            rows.start_over()
            assert not rows.stale
            assert rows.read(HEAD, 0) is None
            assert rows.read("kind", 1) is None
            assert rows.numbers("kind") == []
            rows.write([("kind", 2, b"no head yet")], (), 1)
            rows.wrote(1)
            assert rows.read("kind", 2) == b"no head yet"
            rows.start_over()
            assert rows.read("kind", 2) is None
            assert not store.forget(TABLE)

    def test_a_number_that_fits_into_no_row_changes_nothing(self) -> None:
        with self.make_store() as store:
            rows = store.table(TABLE, KEY)
            written(rows, 1, [("kind", 1, b"mine")])
            with pytest.raises(OverflowError):
                written(rows, 2, [("kind", 1, b"another"), ("kind", 2**63, b"too high")])
            assert rows.read(HEAD, 0) == b"1"
            assert rows.read("kind", 1) == b"mine"
            written(rows, 2, [("kind", 1, b"another")])
            assert rows.read("kind", 1) == b"another"

    def test_a_store_that_is_closed_is_stale(self) -> None:
        with self.make_store() as store:
            rows = store.table(TABLE, KEY)
            written(rows, 1, [])
            store.close()
            with pytest.raises(StaleSnapshot, match="closed"):
                rows.read(HEAD, 0)
