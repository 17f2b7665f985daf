"""Chains of shares: each link leads to the one before it, and only that way."""

import pytest

from urim.errors import Refused
from urim.events.share import LENGTH, link, links, reaches

TABLE, SEAT, LAST = "t0000001", "p1", "0" * 64
FIRST = "8d99af9ede429b23a5ab278d3fcd0437dab88042139423d090d79062677f4bf4"
"""The anchor of the chain that ends with 32 zero bytes, in the public vectors too."""


def x(i: int, *, seat: str = SEAT) -> str:
    """x_i of that chain."""
    return link(TABLE, seat, LAST, i)


def test_a_chain_has_the_links_of_its_definition() -> None:
    assert x(LENGTH) == LAST
    assert x(0) == FIRST
    assert x(0, seat="p2") != FIRST
    for i in (1, 2, 500, LENGTH):
        assert list(links(TABLE, SEAT, x(i), 1)) == [x(i), x(i - 1)]


@pytest.mark.parametrize(("i", "at"), [(1, 0), (2, 0), (3, 2), (LENGTH, 0), (LENGTH, LENGTH - 1)])
def test_a_link_reaches_those_before_it(i: int, at: int) -> None:
    assert reaches(TABLE, SEAT, x(i), i, x(at), at)
    assert not reaches(TABLE, SEAT, x(i), i, x(at, seat="p2"), at)
    assert not reaches(TABLE, SEAT, x(i - 1), i, x(at), at)
    assert not reaches("t0000002", SEAT, x(i), i, x(at), at)


@pytest.mark.parametrize(("i", "at"), [(0, 0), (1, 1), (2, 3), (LENGTH + 1, LENGTH), (-1, 0)])
def test_a_link_that_is_spent_or_that_no_chain_has_is_refused(i: int, at: int) -> None:
    with pytest.raises(Refused) as caught:
        reaches(TABLE, SEAT, FIRST, i, FIRST, at)
    assert caught.value.code == "out-of-range"
    if 0 <= i <= at < LENGTH:
        assert (caught.value.why, caught.value.allowed) == (
            f"link {i} is spent",
            (f"{at + 1} to {LENGTH}",),
        )


@pytest.mark.parametrize(
    "values",
    [
        ("T0000001", SEAT, FIRST, FIRST),
        (TABLE, "P1", FIRST, FIRST),
        (TABLE, SEAT, FIRST.upper(), FIRST),
        (TABLE, SEAT, FIRST[1:], FIRST),
        (TABLE, SEAT, FIRST, f"{FIRST}\n"),
    ],
)
def test_values_that_are_not_of_their_form_are_refused(values: tuple[str, str, str, str]) -> None:
    table, seat, found, known = values
    with pytest.raises(Refused) as caught:
        reaches(table, seat, found, 1, known, 0)
    assert caught.value.code == "malformed"


def test_the_links_that_a_chain_shows_end_with_its_anchor() -> None:
    assert list(links(TABLE, SEAT, x(3), 3)) == [x(3), x(2), x(1), FIRST]
    assert list(links(TABLE, SEAT, FIRST, 0)) == [FIRST]
