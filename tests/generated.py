"""The regions of README.md that are printed from the code, between two comments that name them.

    <!-- generated: NAME -->
    <!-- end -->

GENERATORS says what prints each. `python -m tests.generated` says which regions are stale; with
`--write` it refreshes them.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping

from tests.tree import ROOT
from urim.engine.core.machine import markdown, mermaid
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.readings import readings_of

README = ROOT / "README.md"


def transitions() -> str:
    """Every row of the table of transitions."""
    return markdown()


def diagram() -> str:
    """The same as a picture, without the triggers that keep the state."""
    return f"```mermaid\n{mermaid()}```"


def systems() -> str:
    """The systems that come with Urim: title, name, dice, how many readings."""
    rows = ["| system | name | dice | readings |", "|---|---|---|---|"]
    for name in BUILT_IN:
        ruleset = ruleset_named(name)
        kinds = ruleset.faces(ruleset.Options())
        dice = ", ".join(sorted({f"d{len(faces)}" for faces in kinds.values()}))
        readings = len(readings_of(ruleset.Options))
        rows.append(f"| {ruleset.title} | `{name}` | {dice} | {readings} |")
    return "\n".join(rows)


def third_party() -> str:
    """A game system of somebody else's, as the test of it runs it."""
    home = ROOT / "tests" / "third_party" / "tidewater"
    code = (home / "tidewater.py").read_text(encoding="utf-8")
    entry = (home / "pyproject.toml").read_text(encoding="utf-8").partition("[project.entry")[2]
    laws = (home / "check_tidewater.py").read_text(encoding="utf-8").partition("\n\n")[2]
    points = f"[project.entry{entry.partition(chr(10) * 2)[0]}"
    return f"```python\n{code}```\n\n```toml\n{points}\n```\n\n```text\n{laws}```"


GENERATORS: Mapping[str, Callable[[], str]] = {
    "transitions": transitions,
    "diagram": diagram,
    "systems": systems,
    "third-party": third_party,
}
"""The region's name -> the function that gives its Markdown."""

START = re.compile(r"^<!-- generated: *(?P<name>[\w-]+) *-->$", re.MULTILINE)
END = "<!-- end -->"


class Unreadable(ValueError):
    """A page whose regions are not well formed, or have no generator."""


def refreshed(page: str, generators: Mapping[str, Callable[[], str]] = GENERATORS) -> str:
    """The page with every region printed anew."""
    parts: list[str] = []
    rest = page
    while start := START.search(rest):
        body, end, after = rest[start.end() :].partition(END)
        name = start["name"]
        if not end or START.search(body):
            raise Unreadable(f"region {name} has no end")
        if name not in generators:
            raise Unreadable(f"region {name} has no generator")
        text = generators[name]().strip("\n")
        parts += [rest[: start.end()], f"\n\n{text}\n\n", END]
        rest = after
    if any(END in part for part in (*parts[::3], rest)):
        raise Unreadable("an end without a region")
    return "".join([*parts, rest])


def names(page: str) -> list[str]:
    """The regions of a page, in order."""
    return START.findall(page)


def main() -> int:
    """Say whether README.md is stale, or with --write refresh it."""
    parser = argparse.ArgumentParser(description="Refresh what README.md shows of the code.")
    parser.add_argument("--write", action="store_true", help="refresh README.md")
    write = parser.parse_args().write
    page = README.read_text(encoding="utf-8")
    fresh = refreshed(page)
    if write:
        README.write_text(fresh, encoding="utf-8")
    print(f"{README.name}: {len(names(page))} regions, {'fresh' if fresh == page else 'stale'}")
    return int(fresh != page and not write)


if __name__ == "__main__":
    sys.exit(main())
