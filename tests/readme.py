"""A Markdown page taken apart: its fenced blocks, the commands in them, and its links.

What a block's language means, tests/test_readme.py says.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,}) *(?P<language>[^\s`]*)[^`]*$")
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
MAKE = re.compile(r"(?:`|^\$ )make ([a-z][a-z-]*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)")

ANYTHING = "..."
"""A line of expected output that stands for any number of lines, or for none."""


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line of the page that its text starts on."""

    language: str
    text: str
    line: int


class Command(NamedTuple):
    """A command of a console block, the lines it should print, and the line it stands on."""

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
        found.append(Block(fence["language"], text, start + 1))
        number += 1
    return found


def closes(line: str, marks: str) -> bool:
    """Whether a line ends a block that these marks opened: as many of them, or more."""
    bare = line.strip()
    return len(bare) >= len(marks) and set(bare) == {marks[0]}


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


def links(page: str) -> set[str]:
    """The files that a page links to; addresses elsewhere are not looked at."""
    return {target for target in LINK.findall(page) if "://" not in target}
