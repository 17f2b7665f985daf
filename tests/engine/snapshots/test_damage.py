"""A snapshot that is not what was written is thrown away, and the table opens all the same."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import MANY
from tests.engine.helpers.snapshotted import (
    answers,
    changed,
    copied,
    differing,
    evening,
    often,
    rows_in,
    run,
)
from urim.engine.testing.kit.luck import Luck

pytestmark = [pytest.mark.usefixtures(often.__name__), pytest.mark.slow]

DENSE = {"moments", "takings", "of_all", "nodes"}
"""Kinds without marks."""

INDEXED = (
    *("rolls", "following", "texts", "writings", "entry_rolls", "moments", "takings"),
    *("of_rolls", "of_all", "follow", "erasures", "nodes"),
    *("parts", "hidden_entries", "places", "changes"),
)
KINDS = {"head", "entries", *INDEXED, *(f"{kind} there" for kind in INDEXED if kind not in DENSE)}
"""All kinds of rows."""


def is_right(folder: Path, most: int = 1) -> None:
    """A service with snapshots on this folder answers right; it may refuse so often at first."""
    wanted = evening()[1]
    found = run(answers, folder)
    assert not differing(wanted, found)
    assert found["refused"] <= most


def by_kind(luck: Luck, count: int, part: int) -> Iterator[tuple[str, int, bytes]]:
    """A row of every kind, or of one of two halves of them where few are tried, so often."""
    kinds: dict[str, list[tuple[str, int, bytes]]] = {}
    for row in rows_in(evening()[0]):
        kinds.setdefault(row[0], []).append(row)
    assert kinds.keys() == KINDS
    several = [*kinds.values()]
    for rows in several * (1 + count // 100) if MANY else several[part::2]:
        yield luck.one_of(rows)


def test_the_evening_of_these_tests_is_opened_through_its_snapshot(tmp_path: Path) -> None:
    is_right(copied(evening()[0], tmp_path / "copy"), most=0)


WRITE = "UPDATE rows SET body = ? WHERE kind = ? AND number = ?"
GONE = "DELETE FROM rows WHERE kind = ? AND number = ?"


@pytest.mark.prove
def test_a_flipped_bit_in_any_row(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck, seen = Luck(f"bits {seed}"), Counter[str]()
    for kind, number, body in by_kind(luck, count, 0):
        folder = copied(evening()[0], tmp_path / "copy")
        bit = luck.below(8 * len(body))
        flipped = bytearray(body)
        flipped[bit // 8] ^= 1 << bit % 8
        assert changed(folder, (WRITE, (bytes(flipped), kind, number))) == 1
        is_right(folder)
        seen[kind] += 1
    tried(f"{seen.total()} flipped bits in rows of {len(seen)} kinds")


@pytest.mark.prove
def test_a_missing_row(tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]) -> None:
    luck, seen = Luck(f"missing {seed}"), Counter[str]()
    for kind, number, _ in by_kind(luck, count, 1):
        folder = copied(evening()[0], tmp_path / "copy")
        assert changed(folder, (GONE, (kind, number))) == 1
        is_right(folder)
        seen[kind] += 1
    tried(f"{seen.total()} missing rows of {len(seen)} kinds")
