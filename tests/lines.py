"""Lines of code by room: `python -m tests.lines [REVISION]`.

Blanks, comments and docstrings are no code. Of the files as they are, and of a revision of git
beside them. What others wrote (`vendor`) is left out. A room is a folder in one of those at the
top; in tests/ it is two folders deep.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

from tests.tree import ROOT

SKIPPED = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
)
"""Tokens that are no code."""

REMARK = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
"""A comment of JavaScript."""

DEEP = {"tests": 3}
"""How many folders name a room, where it is not 2."""


def of_python(text: str) -> int:
    """The lines of code of a module."""
    documented = set[int]()
    for node in ast.walk(ast.parse(text)):
        said = node.value if isinstance(node, ast.Expr) else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            documented.update(range(said.lineno, (said.end_lineno or said.lineno) + 1))
    lines = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)


def of_javascript(text: str) -> int:
    """The lines of code of a module."""
    return sum(1 for line in REMARK.sub("", text).splitlines() if line.strip())


KINDS = {".py": of_python, ".js": of_javascript, ".mjs": of_javascript}


def git(*words: str) -> str:
    """What git says."""
    return subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def texts(revision: str) -> Iterator[tuple[PurePath, str]]:
    """The files that are counted, of a revision, or "" for those that lie here."""
    listed = git("ls-tree", "-r", "--name-only", revision) if revision else git("ls-files")
    for name in listed.splitlines():
        path = PurePath(name)
        if (
            path.suffix in KINDS
            and "vendor" not in path.parts
            and (revision or (ROOT / path).exists())
        ):
            text = (
                git("show", f"{revision}:{name}") if revision else (ROOT / path).read_text("utf-8")
            )
            yield path, text


def room(path: PurePath) -> str:
    """The room of a file."""
    depth = DEEP.get(path.parts[0], 2)
    return "/".join(path.parts[:-1][:depth]) or "."


def kind(path: PurePath) -> str:
    """What the sum counts a file among: the product's Python, its JavaScript, or tests."""
    top = path.parts[0]
    return top if top in {"tests", "docs"} else "JavaScript" if path.suffix != ".py" else "Python"


def counted(revision: str = "") -> tuple[Counter[str], Counter[str]]:
    """Lines by room, and by kind."""
    rooms, kinds = Counter[str](), Counter[str]()
    for path, text in texts(revision):
        count = KINDS[path.suffix](text)
        rooms[room(path)] += count
        kinds[kind(path)] += count
    return rooms, kinds


def main(revision: str = "") -> None:
    """Print the table; with a revision, what it was there beside what it is here."""
    now, sums = counted()
    before, sums_before = counted(revision) if revision else (Counter[str](), Counter[str]())
    for name in sorted(now.keys() | before.keys(), key=lambda each: (-now[each], each)):
        print(
            f"{before[name]:8,} {now[name]:8,}  {name}" if revision else f"{now[name]:8,}  {name}"
        )
    for name, count in sums.items():
        was = f"{sums_before[name]:,} before, " if revision else ""
        print(f"{name}: {was}{count:,} lines of code")


if __name__ == "__main__":
    main(*sys.argv[1:2])
