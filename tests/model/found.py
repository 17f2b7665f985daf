"""Writes found.md: what each rule is worth, and what pairs of rules are worth together.

`python -m tests.model.found` says whether found.md is stale; with `--write` it computes all of it
again, which takes minutes.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from tests.model.search import Found, search
from tests.model.shares import RULES, Game, without

PATH = Path(__file__).with_name("found.md")

LEAST = Game(other=False, player=False)
MORE = LEAST._replace(league=("R", "Q"))
TWO = LEAST._replace(honest=("H1", "H2"))
ROLLS = Game()

LARGE = frozenset({"epoch-look", "again-look", "anchor-look"})
"""Rules without which the larger games have too many states to be searched in a test."""


class Row(NamedTuple):
    """One search: the rules that are taken out, and the game."""

    out: tuple[str, ...]
    game: Game

    def search(self) -> Found:
        """What it comes to."""
        return search(without(*self.out, game=self.game))


def whole() -> Iterator[Row]:
    """With all rules, in every game, and with one more of each bound."""
    for game in (LEAST, MORE, TWO, ROLLS):
        yield Row((), game)
    yield Row((), LEAST._replace(tries=3, cuts=2, size=10))
    yield Row((), MORE._replace(honest=TWO.honest))
    yield Row((), ROLLS._replace(league=MORE.league))


def singles() -> Iterator[Row]:
    """Each rule taken out alone."""
    for name in RULES:
        yield Row((name,), LEAST)
        if name not in LARGE:
            yield from (Row((name,), game) for game in (MORE, TWO, ROLLS))


def tries() -> Iterator[Row]:
    """What more tries are worth, where two were worth 3/4."""
    yield Row(("break-look",), LEAST._replace(tries=3, size=9))
    yield Row(("again-look",), LEAST._replace(tries=3, size=11))
    yield Row(("epoch-look",), LEAST._replace(tries=3, cuts=2))
    yield Row(("one-c",), LEAST._replace(player=True, tries=4))
    yield Row(("quiet", "open-look"), LEAST._replace(tries=3))
    yield Row(("epoch-look", "old-heads"), LEAST._replace(cuts=2))


def pairs(alone: dict[str, Fraction]) -> Iterator[Row]:
    """Every pair of rules of which neither is worth 1 alone."""
    for out in combinations([name for name in RULES if alone[name] < 1], 2):
        yield Row(out, LEAST)
        if not LARGE & set(out):
            yield Row(out, ROLLS)


# --- the page -----------------------------------------------------------------------------------

HEAD = """# What a league can get out of throws at level `table`

Written by `python -m tests.model.found --write`; do not edit. tests/model/shares.py says what the
model knows and what it leaves out; a fair coin is 1/2. R: the roller, Q: one more seat, both in
league with the host; H1, H2: honest seats. A value holds within its bounds: so many tries (asks,
declarations of the deed, secrets of one seat), cuts of the log, entries in a log. *Rolls*: another
roll may come before the deed, and the honest seat may roll at level `player`; *nonces*: the second
of these alone. A way is one line of play. Of each secret that comes out it follows the bit that is
worse for the league: it ends with the throw that stands, or where nothing is left to be gained.
"""

COLUMNS = "| taken out | who | bounds | value | states | a way |\n|---|---|---|---|---|---|\n"


def bounds(game: Game) -> str:
    """The bounds of a game, in words."""
    words = [f"{game.tries} tries", f"{game.cuts} cuts", f"{game.size} entries"]
    if game.player:
        words.append("rolls" if game.other else "nonces")
    return ", ".join(words).replace("1 cuts", "1 cut")


def key(row: Row) -> str:
    """How the line of a search begins."""
    out = ", ".join(row.out) or "nothing"
    who = f"{', '.join(row.game.league)} v {', '.join(row.game.honest)}"
    return f"| {out} | {who} | {bounds(row.game)} |"


def line(row: Row, found: Found) -> str:
    """One line of the page."""
    way = " · ".join(found.line) if found.value > Fraction(1, 2) else ""
    return f"{key(row)} {found.value} | {found.states:,} | {way} |"


def written() -> dict[str, tuple[str, int]]:
    """Each line of the page by how it begins, with its number of states."""
    form = re.compile(r"^(\|[^|]*\|[^|]*\|[^|]*\|) [\d/]+ \| ([\d,]+) \|.*$", re.MULTILINE)
    text = PATH.read_text(encoding="utf-8")
    return {found[1]: (found[0], int(found[2].replace(",", ""))) for found in form.finditer(text)}


def _searched(row: Row) -> tuple[Row, Found]:
    return row, row.search()


def compute(rows: Iterable[Row]) -> dict[Row, Found]:
    """Every search, two at a time."""
    with Pool(2) as pool:
        return dict(pool.imap_unordered(_searched, [*rows]))


def page() -> str:
    """The whole page, computed."""
    found = compute([*whole(), *singles(), *tries()])
    alone: dict[str, Fraction] = {}
    for row in singles():
        alone[row.out[0]] = max(alone.get(row.out[0], Fraction(0)), found[row].value)
    both = compute(pairs(alone))
    dear = [row for row, got in both.items() if got.value > max(alone[name] for name in row.out)]
    # One line a pair: the game that is worth more, else the one that was searched sooner.
    best: dict[tuple[str, ...], Row] = {}
    for row in sorted(dear, key=lambda row: (-both[row].value, both[row].states)):
        best.setdefault(row.out, row)
    listed = [row for row in pairs(alone) if best.get(row.out) == row]
    count = len({row.out for row in both})
    rest = (
        f"Of {count} pairs of rules of which neither is worth 1 alone, these {len(listed)} are"
        " worth more than either of their rules; the others are not, R v H1 with"
        " 2 tries and 1 cut.\n\n"
    )
    return "\n".join(
        [
            HEAD,
            _section("All rules", whole(), found),
            _section("Each rule taken out alone", singles(), found, words=True),
            _section("More tries", tries(), found),
            _section("Pairs", listed, both, rest),
        ]
    )


def _section(
    title: str,
    rows: Iterable[Row],
    found: dict[Row, Found],
    first: str = "",
    *,
    words: bool = False,
) -> str:
    says = "".join(f"- `{name}`: {text}\n" for name, text in RULES.items()) + "\n" if words else ""
    lines = "".join(f"{line(row, found[row])}\n" for row in rows)
    return f"## {title}\n\n{first}{says}{COLUMNS}{lines}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Say whether the page is stale, or with --write compute it again."""
    parser = argparse.ArgumentParser(description="Search the model of throws at level table.")
    parser.add_argument("--write", action="store_true", help="write tests/model/found.md")
    write = parser.parse_args(arguments).write
    fresh = page()
    stale = not PATH.exists() or fresh != PATH.read_text(encoding="utf-8")
    if write:
        PATH.write_text(fresh, encoding="utf-8")
    print(f"{PATH.name}: {'stale' if stale else 'fresh'}{', written' if write else ''}")
    return int(stale and not write)


if __name__ == "__main__":
    sys.exit(main())
