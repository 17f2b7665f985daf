"""A refusal lists what would be allowed: the most useful, and how many more there are."""

from collections.abc import Iterable

import pytest

from urim.engine.cli.shared import error_object
from urim.engine.render.json import refusal_object
from urim.engine.render.play import refusal
from urim.engine.render.text import Pen
from urim.errors import ALLOWED, Refused


def refused(allowed: Iterable[object]) -> Refused:
    """A refusal that lists these."""
    return Refused("unknown", "no such thing", allowed=allowed)


def test_all_are_listed_up_to_the_bound() -> None:
    error = refused(range(ALLOWED))
    assert error.allowed == tuple(map(str, range(ALLOWED)))
    assert error.left_out == 0
    assert str(error).endswith(", 18, 19")
    assert "left_out" not in error_object(error)
    assert "left_out" not in refusal_object(error)


@pytest.mark.parametrize("more", [1, 2, 980])
def test_of_more_the_first_are_listed_and_the_others_counted(more: int) -> None:
    error = refused(iter(range(ALLOWED + more)))
    assert error.allowed == tuple(map(str, range(ALLOWED)))
    assert error.left_out == more
    assert str(error) == f"no such thing; allowed: {error.allowed_text}"
    assert error.allowed_text.endswith(f", 18, 19 and {more} more")
    for shown in (error_object(error), refusal_object(error)):
        assert shown["allowed"] == list(error.allowed)
        assert shown["left_out"] == more
    assert f"and {more} more" in refusal(error, "it", Pen()).plain


def test_a_refusal_in_other_words_lists_and_counts_the_same() -> None:
    error = refused(range(ALLOWED + 7)).reworded("step 3: no such thing")
    assert (error.code, error.why) == ("unknown", "step 3: no such thing")
    assert (len(error.allowed), error.left_out) == (ALLOWED, 7)
    assert str(error).endswith(" and 7 more")


def test_a_refusal_without_an_answer_lists_nothing() -> None:
    error = refused(())
    assert (error.allowed, error.left_out, str(error)) == ((), 0, "no such thing")
