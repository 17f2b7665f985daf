"""The evenings that are kept, and what happens in each."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.recorded.draw import HERE, NEVER, Thing, Things, things_of
from urim.engine.bundle.read import entries_of_bundle
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.testing.plugin import RECORDED

LIST = HERE / "README.md"

HEAD = """# Recorded evenings

Written by `python -m tests.recorded --write`; do not edit.

Each file is a whole table, decided again in every run of the tests: its events must come out as
they did, to the byte. A change of a rule keeps what the rule gave before as a value of a reading,
else the evenings that it touches fail. What is kept stays; what a system gets anew is drawn and
added. Each line says what its evening added to those above it.

Nothing shows:
"""


def evenings() -> list[Path]:
    """The files, by name."""
    return sorted(HERE.glob(f"*{RECORDED}"))


@cache
def things_in(file: Path) -> Things:
    """What happens in an evening, by the rules as they are today."""
    table = Aggregate(environment("scripted"))
    table.load(list(entries_of_bundle(file)))
    return things_of(table.opened)


def things_kept() -> Things:
    """What happens in all of them."""
    return frozenset().union(*map(things_in, evenings()))


def adding() -> Mapping[Path, Things]:
    """What each evening adds to those before it."""
    found: dict[Path, Things] = {}
    seen: set[Thing] = set()
    for file in evenings():
        things = things_in(file)
        found[file] = things - seen
        seen |= things
    return found


def written() -> str:
    """The list, as Markdown."""
    return HEAD + "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    for thing, why in sorted(NEVER.items()):
        yield f"- {thing.system}, {thing.sort} `{thing.name}`: {why}"
    yield from ("", "| evening | adds |", "|---|---|")
    for file, things in adding().items():
        new = ", ".join(f"{thing.sort} `{thing.name}`" for thing in sorted(things))
        yield f"| {file.name.removesuffix(RECORDED)} | {new} |"
