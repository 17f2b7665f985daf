"""docs/api.md is exact: every name it promises exists and is documented, and no other is shown.

A section of the page promises names in a table, `| NAME | MODULE | what |`, and has an example.
tests/test_readme.py runs the examples. Every command and every event is promised by its union.
"""

import ast
import importlib
import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

import urim
from tests import readme, tree
from tests.readme import Block, Heading
from urim.engine.core.commands import AnyCommand
from urim.events.codec import Event

API = (tree.ROOT / "docs" / "api.md").read_text(encoding="utf-8")

ROW = re.compile(r"^\| `(?P<name>\w+)` \| `(?P<module>urim[\w.]*)` \| (?P<what>.*) \|$")

EXAMPLES = tree.ROOT / "tests" / "third_party"
"""Programs of others, some of which the pages show."""


class Promise(NamedTuple):
    """A name of a module, and what the page says of it."""

    module: str
    name: str
    what: str


class Section(NamedTuple):
    """What the page says of a subject: its title, the names, and blocks of code."""

    title: str
    promises: tuple[Promise, ...]
    blocks: tuple[Block, ...]


def sections(page: str) -> list[Section]:
    """Every section of a page that promises names."""
    titles = [*readme.headings(page), Heading(1, "", len(page.splitlines()) + 1)]
    found: list[Section] = []
    for title, following in pairwise(titles):
        within = range(title.line, following.line)
        rows = [ROW.match(line) for at, line in readme.text_lines(page) if at in within]
        promises = tuple(Promise(row["module"], row["name"], row["what"]) for row in rows if row)
        shown = tuple(block for block in readme.blocks(page) if block.line in within)
        if promises:
            found.append(Section(title.text, promises, shown))
    return found


def promised(page: str) -> list[Promise]:
    """Every promise of a page, in order."""
    return [promise for section in sections(page) for promise in section.promises]


def source_of(module: str) -> ast.Module | None:
    """The parsed text of a module; None where there is none."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None:
        return None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def docstrings(source: ast.Module) -> dict[str, str]:
    """Every name that a module defines, with its docstring, or the text that follows it."""
    found: dict[str, str] = {}
    for node, following in zip(source.body, [*source.body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found[target.id] = text_of(following)
    return found


def text_of(node: ast.stmt) -> str:
    """The text that a statement is, if it is nothing else."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else ""
    return ""


def problem(promise: Promise) -> str | None:
    """What is wrong with a promise, if anything is."""
    source, name = source_of(promise.module), f"{promise.module}.{promise.name}"
    if source is None:
        return f"{name}: there is no such module"
    words = docstrings(source).get(promise.name)
    if words is None:
        module = importlib.import_module(promise.module)
        if promise.name not in getattr(module, "__all__", ()):
            return f"{name}: the module neither defines it nor lists it in __all__"
        words = getattr(module, promise.name).__doc__
    if not words:
        return f"{name}: it has no docstring"
    return None if promise.what.strip() else f"{name}: the page says nothing of it"


def twice(promises: Iterable[Promise]) -> list[str]:
    """The names that are promised more than once."""
    times = Counter((promise.module, promise.name) for promise in promises)
    return [f"{module}.{name}" for (module, name), count in times.items() if count > 1]


def names_used(code: str) -> set[str]:
    """Every name in a piece of code: of variables, arguments, attributes, imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.alias(name=name):
                found.add(name)
            case _:
                pass
    return found


def without_example(section: Section) -> str | None:
    """Says so where no block of Python of a section uses a name that it promises."""
    names = {promise.name for promise in section.promises}
    code = [block.text for block in section.blocks if block.language == "python"]
    if any(names & names_used(text) for text in code):
        return None
    return f"{section.title}: no example uses its names"


def strays(code: str, known: set[tuple[str, str]]) -> list[str]:
    """What a piece of code imports of Urim that is not promised."""
    modules = {module for module, _ in known}
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name not in modules]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "urim":
            whole = ((node.module or "", alias.name) for alias in node.names)
            found += [
                f"{module}.{name}"
                for module, name in whole
                if (module, name) not in known and f"{module}.{name}" not in modules
            ]
    return [name for name in found if name.split(".")[0] == "urim"]


def shown_code() -> Iterator[tuple[str, str]]:
    """All Python that is shown to users: where it is, and its text."""
    for page in readme.PAGES:
        for block in readme.blocks(page.read_text(encoding="utf-8")):
            if block.language == "python":
                yield f"{page.name}:{block.line}", block.text
    for path in sorted(EXAMPLES.rglob("*.py")):
        yield path.name, path.read_text(encoding="utf-8")


SECTIONS = sections(API)
PROMISED = promised(API)
SHOWN = list(shown_code())
KINDS = {(kind.__module__, kind.__name__) for kind in get_args(AnyCommand) + get_args(Event)}
"""Every command and every event."""
KNOWN = {(promise.module, promise.name) for promise in PROMISED} | KINDS


def test_every_promise_is_kept_and_documented() -> None:
    problems = [words for promise in PROMISED if (words := problem(promise))]
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_no_promise_comes_or_goes_unnoticed() -> None:
    counted = f"Urim promises {len(PROMISED)} names, all commands and all events."
    assert counted in API, f"the page should say, and CHANGELOG.md what changed: {counted}"


def test_nothing_is_promised_twice() -> None:
    assert not twice(PROMISED)


def test_the_root_promises_all_it_gives() -> None:
    assert {name for module, name in KNOWN if module == "urim"} == set(urim.__all__)


def test_every_section_has_an_example() -> None:
    assert not [words for section in SECTIONS if (words := without_example(section))]


@pytest.mark.parametrize(("place", "code"), SHOWN, ids=[place for place, _ in SHOWN])
def test_what_is_shown_imports_only_what_is_promised(place: str, code: str) -> None:
    assert not strays(code, KNOWN), place


# --- every check has been seen red ----------------------------------------------------------------

PAGE = """\
# A page
| `no` | a row without a module |
## Errors
| name | module | what it is |
|---|---|---|
| `CODES` | `urim.errors` | the codes |
```python
| `inside` | `urim` | a block |
```
### Words
| `nor` | `elsewhere` | of a module of ours |
"""


def test_the_promises_of_a_page_are_the_rows_of_its_sections() -> None:
    [section] = sections(PAGE)
    assert section.title == "Errors"
    assert [block.line for block in section.blocks] == [8]
    assert promised(PAGE) == [Promise("urim.errors", "CODES", "the codes")]


@pytest.mark.parametrize(
    ("promise", "why"),
    [
        (Promise("urim.nowhere", "Table", "a table"), "no such module"),
        (Promise("urim.nowhere.at.all", "Table", "a table"), "no such module"),
        (Promise("urim.errors", "Mistaken", "an error"), "neither defines it"),
        (Promise("urim.events.codec", "Entry", "imported alone"), "neither defines it"),
        (Promise("urim.events.throw", "SEED_BYTES", "a number"), "no docstring"),
        (Promise("urim.errors", "Refused", " "), "says nothing"),
    ],
)
def test_a_promise_that_is_not_kept_is_seen(promise: Promise, why: str) -> None:
    assert why in str(problem(promise))


def test_a_name_that_is_promised_twice_is_seen() -> None:
    assert twice([*PROMISED, PROMISED[0]]) == ["urim.Table"]


@pytest.mark.parametrize(
    "blocks",
    [
        (),
        (Block("text", "Table", 1),),
        (Block("python", "'Table'", 1),),
    ],
)
def test_a_section_without_an_example_is_seen(blocks: tuple[Block, ...]) -> None:
    promises = (Promise("urim", "Table", "a table"),)
    assert without_example(Section("Tables", promises, blocks))


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from urim import Table", []),
        ("from urim import errors", []),
        ("from urim.errors import CODES, Unavailable", []),
        ("import urim.errors", []),
        ("import os, urimlike\nfrom os import path\nfrom house import RULESET", []),
        ("from urim import Environment", ["urim.Environment"]),
        ("def f():\n    from urim.engine import logs", ["urim.engine.logs"]),
        ("from urim.errors import Table", ["urim.errors.Table"]),
        ("import urim.engine.logs", ["urim.engine.logs"]),
    ],
)
def test_an_import_of_what_is_not_promised_is_seen(code: str, found: list[str]) -> None:
    assert strays(code, KNOWN) == found
