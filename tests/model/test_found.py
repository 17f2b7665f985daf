"""What the search finds is what found.md says, and what the promise needs."""

import re
from fractions import Fraction

import pytest

from tests.conftest import COUNT
from tests.model import found
from tests.model.found import LEAST, MORE, ROLLS, TWO, Row
from tests.model.search import search
from tests.model.shares import RULES, fair, without

WRITTEN = found.written()
STATES = 40 * COUNT
"""The most states of a search that is run again here: URIM_COUNT=4000 runs all of them."""


def value(*out: str) -> Fraction:
    """The dearest value that found.md has for rules taken out together."""
    begins = f"| {', '.join(out) or 'nothing'} |"
    cells = [line.split(" | ") for at, (line, _) in WRITTEN.items() if at.startswith(begins)]
    return max(Fraction(cell[3]) for cell in cells)


def rows() -> list[Row]:
    """Every search that may have a line on the page."""
    alone = {name: value(name) for name in RULES}
    every = (*found.whole(), *found.singles(), *found.tries(), *found.pairs(alone))
    return [row for row in every if found.key(row) in WRITTEN]


def small() -> list[Row]:
    """Those that are soon searched again."""
    return [row for row in rows() if WRITTEN[found.key(row)][1] <= STATES]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("row", small(), ids=found.key)
def test_the_page_says_what_the_search_finds(row: Row) -> None:
    assert found.line(row, row.search()) == WRITTEN[found.key(row)][0]


def test_the_page_has_every_rule_and_every_search_that_it_should() -> None:
    text = found.PATH.read_text(encoding="utf-8")
    assert re.findall(r"^- `([\w-]+)`: (.+)$", text, re.MULTILINE) == list(RULES.items())
    due = {found.key(row) for row in (*found.whole(), *found.singles(), *found.tries())}
    assert due <= set(WRITTEN)
    assert set(WRITTEN) == {found.key(row) for row in rows()}


def test_with_all_rules_nobody_gets_more_than_a_fair_coin() -> None:
    assert value() == Fraction(1, 2)
    for game in (LEAST, MORE, TWO):
        assert search(game).value == Fraction(1, 2)


SURE = {
    "covers",
    "extends",
    "keeps",
    "mine",
    "c-over-head",
    "c-fresh",
    "committed",
    "dice-asked",
    "who-asked",
    "all-open",
    "share-fits",
    "anchored-before",
}
"""The rules without which, alone, the league has the face that it wants."""

BETTER = {"one-c", "break-look", "again-look", "epoch-look"}
"""Those without which it may try again."""


@pytest.mark.parametrize("name", RULES)
def test_a_rule_taken_out_alone_is_worth(name: str) -> None:
    expected = fair(3 if name != "one-c" else 4) if name in BETTER else Fraction(1, 2)
    assert value(name) == (1 if name in SURE else expected)


PAIRS = {
    ("spent", "break-look"): "a link is asked again after a break, with another S",
    ("epoch-look", "chains-end"): "a link is asked again after an epoch, with another S",
    ("epoch-look", "epoch-breaks"): "an epoch puts another S under an ask that was answered",
    ("tied", "epoch-look"): "an anchor is put behind another epoch than it was made for",
    ("plan-holds", "quiet"): "the table changes the dice after the ask",
    ("counts", "counted"): "a higher link is asked first, and tells the lower one",
    ("one-ask", "counted"): "one link stands under two asks",
    ("quiet", "open-look"): "an ask is left open and another one asked",
}
"""Pairs of rules that stand in for each other, and what may be done without both."""


@pytest.mark.slow
@pytest.mark.parametrize("out", PAIRS, ids=" and ".join)
def test_a_pair_of_rules_taken_out_is_worth_more_than_either(out: tuple[str, str]) -> None:
    # A link that is asked for earlier needs another roll before the deed.
    game = ROLLS if "counted" in out else LEAST
    assert search(without(*out, game=game)).value == (fair(2) if "open-look" in out else 1)
