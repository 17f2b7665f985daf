"""A Markdown page taken apart: its fenced blocks, the commands in them, its headings and links.

What a block's language means, tests/test_readme.py says.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests import tree

PAGES = (tree.ROOT / "README.md", *sorted((tree.ROOT / "docs").rglob("*.md")))
"""The pages that are held to the code: what they show is run, or printed from it."""

FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,}) *(?P<language>[^\s`]*) *(?P<note>[^`]*?) *$")
HEADING = re.compile(r"^(?P<marks>#{1,6}) +(?P<text>.+?) *$")
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
MAKE = re.compile(r"(?:`|^\$ )make ([a-z][a-z-]*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)")

ANYTHING = "..."
"""A line of expected output that stands for any number of lines, or for none."""


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line of the page that its text starts on.

    `note` is what the opening line says after the language.
    """

    language: str
    text: str
    line: int
    note: str = ""


class Heading(NamedTuple):
    """A heading: how deep it is, its text, and its line."""

    level: int
    text: str
    line: int


class Command(NamedTuple):
    """A command of a console block, the lines it should print, and its own line."""

    words: str
    expected: tuple[str, ...]
    line: int


def blocks(page: str) -> list[Block]:
    """Every fenced block of a page, in order. Raises ValueError where one is never closed."""
    found: list[Block] = []
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        number += 1
        if not fence:
            continue
        start = number
        while number < len(lines) and not closes(lines[number], fence["marks"]):
            number += 1
        if number == len(lines):
            raise ValueError(f"line {start}: the block is never closed")
        text = "".join(f"{line}\n" for line in lines[start:number])
        found.append(Block(fence["language"], text, start + 1, fence["note"]))
        number += 1
    return found


def closes(line: str, marks: str) -> bool:
    """Whether a line ends a block that these marks opened: as many of them, or more."""
    bare = line.strip()
    return bare.startswith(marks) and set(bare) == {marks[0]}


def commands(block: Block) -> list[Command]:
    """The commands of a console block: `$ ` starts one, `> ` continues it, all else is output."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], (), number))
        elif not found:
            raise ValueError(f"line {number}: output before the first command")
        elif line.startswith("> ") and not found[-1].expected:
            found[-1] = found[-1]._replace(words=f"{found[-1].words}\n{line[2:]}")
        else:
            found[-1] = found[-1]._replace(expected=(*found[-1].expected, line))
    return found


def matches(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether lines were printed as expected. Blanks at the ends of lines do not count."""
    if not expected:
        return not printed
    head, rest = expected[0].rstrip(), expected[1:]
    if head == ANYTHING:
        return any(matches(rest, printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and alike(head, printed[0].rstrip()) and matches(rest, printed[1:])


def alike(expected: str, printed: str) -> bool:
    """Whether a line was printed as expected; what stands for anything may stand inside it too."""
    return re.fullmatch(".*".join(map(re.escape, expected.split(ANYTHING))), printed) is not None


def is_make(command: Command) -> bool:
    """Whether a command is one for make, which tests do not run: it would run them again."""
    return command.words.split()[0] == "make"


def targets_named(page: str) -> set[str]:
    """The targets of make that a page speaks of, in commands or between backticks."""
    return set(MAKE.findall(page))


def targets(makefile: str) -> set[str]:
    """The targets that a Makefile has."""
    return set(TARGET.findall(makefile))


def text_lines(page: str) -> Iterator[tuple[int, str]]:
    """The lines outside every block, each with its number from 1."""
    inside = {
        line
        for block in blocks(page)
        for line in range(block.line - 1, block.line + block.text.count("\n") + 1)
    }
    for number, line in enumerate(page.splitlines(), 1):
        if number not in inside:
            yield number, line


def headings(page: str) -> list[Heading]:
    """Every heading of a page, in order."""
    return [
        Heading(len(found["marks"]), found["text"], number)
        for number, line in text_lines(page)
        if (found := HEADING.match(line))
    ]


def anchors(page: str) -> set[str]:
    """What a link may name after `#`: the headings in lower case, as GitHub spells them."""
    found: set[str] = set()
    times: Counter[str] = Counter()
    for heading in headings(page):
        anchor = re.sub(r"[^\w\- ]", "", heading.text.lower()).replace(" ", "-")
        found.add(f"{anchor}-{times[anchor]}" if times[anchor] else anchor)
        times[anchor] += 1
    return found


def links(page: str) -> list[str]:
    """Every link of a page to a file or a heading, in order; addresses elsewhere are left out."""
    found = (link for _, line in text_lines(page) for link in LINK.findall(line))
    return [link for link in found if "://" not in link]


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead to no file, or to no heading of the page they name."""
    dead: list[str] = []
    for link in links(page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text("utf-8"))):
            dead.append(link)
    return dead
