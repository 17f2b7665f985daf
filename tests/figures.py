"""docs/figures.md: what was measured, against which peer or limit, from tests/bench/results.md.

What Urim loses comes first.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from tests.bench.report import PAGE
from tests.tree import ROOT

PATH = ROOT / "docs" / "figures.md"

HEAD = """\
# What is measured

For who wants to know how fast Urim is beside others, and where it is not. Each figure is from
[tests/bench/results.md](../tests/bench/results.md), which has all rounds and the machine;
`make bench` and `make load` measure them again. Aims that are missed stand first.
"""

BESIDE = """
## Beside others

`×` is how many times as much time as Urim the other one took, in the same run, round by round: the
median, and its spread. Below 1 the other one was quicker. Where the other one does only a part of
the work, as a bare insert does, below 1 is as it must be; the aim says how far.

| what | beside | × | aim | at commit |
|---|---|---|---|---|
"""

LIMITS = """
## With a limit of their own

| what | of which | it took | limit | at commit |
|---|---|---|---|---|
"""

LIMIT = re.compile(r"([\d,.]+ (?:ms )?or (?:less|fewer)): (met|missed)")
COMMIT = re.compile(
    r"^At `(?P<commit>[0-9a-f]{8})[0-9a-f]*`(?P<changed> with local changes)?", re.MULTILINE
)


class Figure(Struct, frozen=True):
    """A row of a table of results: its group, its cells as they stand, the commit."""

    group: str
    cells: tuple[str, ...]
    commit: str


def figures_page() -> str:
    """The whole page."""
    every = [*figures(PAGE.read_text(encoding="utf-8"))]
    beside = sorted((each for each in every if each.cells[4]), key=loss)
    limits = [(each, found) for each in every if (found := LIMIT.search(each.cells[6]))]
    limits.sort(key=lambda pair: pair[1][2] == "met")
    rows = (_row(each.group, each.cells[0], *each.cells[4:6], each.commit) for each in beside)
    own = (
        _row(each.group, each.cells[0], each.cells[1], f"{found[1]}: {found[2]}", each.commit)
        for each, found in limits
    )
    return "".join([HEAD, BESIDE, *rows, LIMITS, *own])


def figures(page: str) -> Iterator[Figure]:
    """Every row of the results."""
    for part in page.split("\n## ")[1:]:
        group, _, rest = part.partition("\n")
        at = COMMIT.search(rest)
        commit = "" if at is None else f"`{at['commit']}`{' and changes' if at['changed'] else ''}"
        for line in rest.splitlines():
            cells = tuple(cell.strip() for cell in line.strip("|").split(" | "))
            if line.startswith("| ") and cells[0] not in ("", "---") and len(cells) == 7:
                yield Figure(group, cells, commit)


def loss(figure: Figure) -> tuple[bool, float]:
    """An order: aims that are missed, then how much quicker the other one was."""
    *_, ratio, aim, _ = figure.cells
    return not aim.endswith("missed"), float(ratio.split()[0])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
