"""What an audit stores of throws comes back, however little of it stays in memory."""

import pytest

from urim.engine.audit.cache import PrivateFile
from urim.engine.audit.proof.throw_ledger import Book, ThrowLedger, Waiting
from urim.errors import Unavailable

WAITING = Waiting(2, "ab" * 32, 7, bytes(32))
FULL = Book(1, "p1", "table", True, False, 2, WAITING, 5, ("red-a",))


@pytest.mark.parametrize("few", [1, 2, 3])
def test_a_book_that_was_written_is_the_same_when_it_is_read_again(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urim.engine.audit.proof.throw_ledger.IN_MEMORY", few)
    with PrivateFile() as file:
        books = ThrowLedger(file)
        books.put(FULL)
        for roll in range(2, 8):
            books.put(Book(roll)).throws = roll
        assert books.get(1) == FULL
        for roll in (7, 2, 5, 2):
            found = books.get(roll)
            assert found == Book(roll, throws=roll)
        assert books.get(8) is None


def test_a_new_book_is_of_a_roll_that_nobody_disclosed() -> None:
    book = Book(1)
    assert (book.known, book.hidden, book.throws, book.level) == (False, True, 0, None)


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_values_used_more_than_once_come_in_the_order_of_their_last_use(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urim.engine.audit.proof.throw_ledger.BATCH", batch)
    uses = [
        ("seed", "ab" * 32, 1),
        ("nonce", "ab" * 32, 2),  # of another kind
        ("nonce", "ef" * 32, 3),
        ("seed", "cd" * 32, 4),
        ("nonce", "ef" * 32, 5),
        ("seed", "ab" * 32, 6),
        ("nonce", "ef" * 32, 8),
    ]
    none = ("no hex digits", "AB" * 32, "ab" * 31, "\ud800", "\ud800")
    with PrivateFile() as file:
        books = ThrowLedger(file)
        for kind, value, seq in uses:
            books.used(kind, value, seq)
        for value in none:
            books.used("nonce", value, 9)
        assert books.uses == len(uses)
        assert list(books.reused()) == [("seed", 2, 1, 6), ("nonce", 3, 3, 8)]


def test_where_there_is_no_room_the_audit_cannot_go_on() -> None:
    with PrivateFile() as file:
        books = ThrowLedger(file)
        books.used("seed", "ab" * 32, 1)
    # The file is gone, as it would be on a disk that is full.
    for use in (lambda: books.get(1), lambda: list(books.reused())):
        with pytest.raises(Unavailable, match="no room for the working data of an audit"):
            use()
