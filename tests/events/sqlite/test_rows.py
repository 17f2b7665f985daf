"""What SQLite has room for: times of 64 bits, to the last."""

import sqlite3
from contextlib import closing

import pytest

from tests.sealing import sealed_raw
from urim.errors import Damaged, Refused
from urim.events.log.head import Head
from urim.events.log.rowed import LARGEST, check_storable, is_storable
from urim.events.log.sqlite.heads import head_of


def test_sqlite_keeps_integers_of_64_bits() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute("SELECT ?", (LARGEST,)).fetchone() == (LARGEST,)
        with pytest.raises(OverflowError):
            connection.execute("SELECT ?", (LARGEST + 1,))


@pytest.mark.parametrize(
    ("text", "storable"),
    [("", True), ("table", True), ("אשר", True), ("\U0001f3b2", True), ("\ud83d", False),
     ("a\udfff", False), ("a\0", False)],
)  # fmt: skip
def test_no_row_has_half_of_a_surrogate_pair_or_a_null(text: str, storable: bool) -> None:
    assert is_storable(text) is storable


@pytest.mark.parametrize("at", [-LARGEST, -1, 0, LARGEST])
def test_a_time_of_64_bits_can_be_kept(at: int) -> None:
    check_storable([sealed_raw(0, at, b"{}")])


@pytest.mark.parametrize("at", [-LARGEST - 2, -LARGEST - 1, LARGEST + 1])
def test_a_time_beyond_64_bits_is_refused(at: int) -> None:
    with pytest.raises(Refused, match=f"entry 0 is of {at}") as refused:
        check_storable([sealed_raw(0, at, b"{}")])
    assert refused.value.code == "out-of-range"


HEAD = (3, bytes(32), b"note")


def test_a_head_is_read_as_it_was_kept() -> None:
    assert head_of(HEAD) == Head(*HEAD)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("other", ["text", 1.5, None])
def test_a_head_whose_row_holds_another_type_is_damaged(place: int, other: object) -> None:
    row = (*HEAD[:place], other, *HEAD[place + 1 :])
    with pytest.raises(Damaged, match="holds a value of another type"):
        head_of(row)


@pytest.mark.parametrize("row", [(0, *HEAD[1:]), (3, bytes(31), b"note")])
def test_a_head_that_cannot_be_is_damaged(row: tuple[object, ...]) -> None:
    with pytest.raises(Damaged, match="the signed head of size"):
        head_of(row)
