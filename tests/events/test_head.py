"""A signed head's bounds, and the entries that do not fit it."""

from functools import partial

import pytest

from urim.engine.testing.log.harness import commit
from urim.errors import Damaged, Refused
from urim.events.checkpoint import NOTE_BYTES
from urim.events.log.head import Head, check_heads, check_signed, same_head
from urim.events.merkle import root_of

LEAVES = [each.leaf for each in commit(0, 9)]


def head(size: int) -> Head:
    """The head of the first entries."""
    return Head(size, root_of(LEAVES[:size]), b"note")


def between(leaves: list[bytes], start: int, stop: int) -> list[bytes]:
    """The leaves from one to before another."""
    return leaves[start:stop]


@pytest.mark.parametrize("length", [0, 1, NOTE_BYTES - 1, NOTE_BYTES])
def test_a_note_may_have_64_kib(length: int) -> None:
    assert len(Head(1, bytes(32), bytes(length)).note) == length


@pytest.mark.parametrize(
    ("size", "root", "note", "code"),
    [
        (0, 32, 0, "out-of-range"),
        (-1, 32, 0, "out-of-range"),
        (1, 31, 0, "malformed"),
        (1, 33, 0, "malformed"),
        (1, 32, NOTE_BYTES + 1, "too-long"),
        (1, 32, NOTE_BYTES * 2, "too-long"),
    ],
)
def test_what_is_no_head_is_refused(size: int, root: int, note: int, code: str) -> None:
    with pytest.raises(Refused) as refused:
        Head(size, bytes(root), bytes(note))
    assert refused.value.code == code


def test_heads_are_asked_for_after_0_or_more() -> None:
    check_heads(0)
    check_heads(0, 0)
    for after, limit in ((-1, None), (0, -1)):
        with pytest.raises(Refused) as refused:
            check_heads(after, limit)
        assert refused.value.code == "out-of-range"


def test_of_one_size_there_is_one_root_and_no_more_entries_than_the_table_has() -> None:
    assert same_head(head(3), None, "table001", 3) is None
    earlier = Head(3, head(3).root, b"an earlier note")
    assert same_head(head(3), earlier, "table001", 9) is earlier
    with pytest.raises(Refused) as refused:
        same_head(head(3), Head(3, bytes(32), b"note"), "table001", 9)
    assert refused.value.code == "taken"
    for size, allowed in ((2, ("1 to 2",)), (0, ())):
        with pytest.raises(Refused) as refused:
            same_head(head(3), None, "table001", size)
        assert (refused.value.code, refused.value.allowed) == ("out-of-range", allowed)


def test_the_entries_since_the_last_head_that_fits_are_named() -> None:
    heads = [head(size) for size in (1, 4, 8)]
    check_signed("table001", heads, partial(between, LEAVES))
    for seq, named in [(0, "0 to 0"), (1, "1 to 3"), (3, "1 to 3"), (4, "4 to 7"), (7, "4 to 7")]:
        bent = [*LEAVES[:seq], bytes(32), *LEAVES[seq + 1 :]]
        with pytest.raises(Damaged, match=f"entries {named} are not those signed for") as damage:
            check_signed("table001", heads, partial(between, bent))
        assert damage.value.seq == int(named.split()[0])
    with pytest.raises(Damaged, match="entries 4 to 7 are") as damage:
        check_signed("table001", heads, partial(between, LEAVES[:7]))
    assert damage.value.seq == 4
