"""Numbers and their nouns, ratings and their halves."""

import pytest

from urim.projections.wording import chances_text, counted, rating_text


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 rolls"), (1, "1 roll"), (2, "2 rolls"), (1200, "1,200 rolls")]
)
def test_one_is_singular(count: int, words: str) -> None:
    assert counted(count, "roll") == words


def test_chances_are_percent_the_greatest_first() -> None:
    assert chances_text({"failure": 0.388, "success": 0.612}) == "success 61.2 %, failure 38.8 %"
    assert chances_text({"always": 1, "never": 0}) == "always 100.0 %, never 0.0 %"


@pytest.mark.parametrize(("count", "words"), [(1, "1 entry"), (3, "3 entries")])
def test_a_plural_of_its_own_is_used(count: int, words: str) -> None:
    assert counted(count, "entry", "entries") == words


@pytest.mark.parametrize(
    ("rating", "words"),
    [(7, "7"), (7.5, "7½"), (0, "0"), (0.5, "½"), (-0.5, "-½"), (-3, "-3"), (-3.5, "-3½")],
)
def test_a_half_is_written_as_one(rating: float, words: str) -> None:
    assert rating_text(rating) == words
