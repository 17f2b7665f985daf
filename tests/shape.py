"""Checks of the code's shape: each takes one file and says what is wrong with it.

A problem is a line `MODULE:LINE: what is wrong`. tests/test_shape.py runs the checks over the tree.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple, TypeAlias

LINES_OF_A_FILE = 500
ALONE = frozenset({"urim.engine.verifier.urimcheck"})
"""A file that is read, downloaded and run by itself: it is long, and has the dice of old logs."""
LINES_OF_A_FUNCTION = 49

OURS = frozenset({"errors", "events", "rules", "projections", "engine"})
ALLOWED = {
    "errors": frozenset[str](),
    "events": frozenset({"errors"}),
    "rules": frozenset({"errors", "events.base"}),
    "projections": frozenset({"errors", "events", "rules"}),
    "engine": OURS | {"urim"},
    "urim": OURS,
}
"""What each folder may import beside itself: a folder whole, or one module of it; `urim` is the
root's __init__."""

FLOORS = (
    ("logs",),
    ("core",),
    ("bundle", "verifier", "snapshots", "whatif"),
    ("service",),
    ("table", "access"),
    ("scenario", "audit", "check", "wire"),
    ("render", "testing", "seat"),
    ("case",),
    ("server", "client"),
    ("cli",),
)
"""The rooms of engine/, floor by floor: each may import from the floors below it alone."""

SYSTEMS = re.compile(r"milhamah|sagatafl|majesty|scarterra|age[ _-]?of[ _-]?magic", re.IGNORECASE)
NAMELESS = frozenset({"events", "projections", "engine"})
"""The folders in which no game has a name."""

MAY_SEAL = frozenset({"tests.sealing", "tests.events.test_entry", "tests.vectors.compared"})
"""The modules of tests that call `seal` itself: the one place for all others, and its own tests."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Documented: TypeAlias = Function | ast.ClassDef

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of a node in which statements, and what holds statements, stand."""


class Source(NamedTuple):
    """One Python file: its module's dotted name, whether it is a package's __init__, its text."""

    module: str
    is_package: bool
    text: str

    @property
    def tree(self) -> ast.Module:
        """The parsed text."""
        return parsed(self.text)

    @property
    def folder(self) -> str:
        """The folder it lies in: `events` for urim.events.log.memory, `urim` for the root."""
        return folder_of(self.module)

    def problem(self, line: int, what: str) -> str:
        """The line that reports a problem."""
        return f"{self.module}:{line}: {what}"


@lru_cache(maxsize=1)
def parsed(text: str) -> ast.Module:
    """A text parsed, once for all checks that look at it one after another."""
    return ast.parse(text)


def folder_of(module: str) -> str:
    """The top folder (or root module) that a dotted name belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in OURS else parts[0]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a node, at any depth: some tenth of what `ast.walk` goes through."""
    for block in BLOCKS:
        for each in getattr(node, block, ()):
            yield each
            yield from statements(each)


@cache
def imported(source: Source) -> tuple[tuple[int, str], ...]:
    """Line and full dotted name of everything imported, wherever in the file it is."""
    package = source.module.split(".")
    if not source.is_package:
        package = package[:-1]
    found: list[tuple[int, str]] = []
    for node in statements(source.tree):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            found += ((node.lineno, ".".join([*base, alias.name])) for alias in node.names)
    return tuple(found)


def arrows(source: Source) -> list[str]:
    """Imports that run against the arrows between folders."""
    allowed = ALLOWED[source.folder] | {source.folder}
    problems: list[str] = []
    for line, name in imported(source):
        top = name.split(".")[0]
        if top in OURS:
            problems.append(source.problem(line, f"{name} is imported by its folder's name"))
        elif top == "urim" and not _allows(allowed, name):
            problems.append(source.problem(line, f"{source.folder} may not import {name}"))
    return problems


def _allows(allowed: frozenset[str], name: str) -> bool:
    """Whether one of `allowed` is an imported name's folder, its module, or the name itself."""
    inside = name.removeprefix("urim.")
    module, _, _ = inside.rpartition(".")
    return not allowed.isdisjoint({folder_of(name), module, inside})


def upwards(source: Source) -> list[str]:
    """Imports inside engine/ that lead up or to the same floor, and rooms that stand on none."""
    own = room_of(source.module)
    if own is None:
        return []
    if own not in HEIGHTS:
        return [source.problem(1, f"engine/{own} stands on no floor")]
    problems: list[str] = []
    for line, name in imported(source):
        other = room_of(name)
        if other in (None, own):
            continue
        if HEIGHTS.get(other, len(FLOORS)) >= HEIGHTS[own]:
            problems.append(source.problem(line, f"engine/{own} stands below {name}, or beside it"))
    return problems


HEIGHTS = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}


def room_of(module: str) -> str | None:
    """The folder or file of engine/ that a dotted name belongs to; None outside engine/."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["urim", "engine"] and len(parts) > 2 else None


def sealing(source: Source) -> list[str]:
    """Tests that seal entries themselves, where tests/sealing.py should."""
    if source.module in MAY_SEAL:
        return []
    found = [line for line, name in imported(source) if name == "urim.events.entry.seal"]
    return [source.problem(line, "entries of tests are sealed by tests.sealing") for line in found]


def circles(sources: Iterable[Source]) -> list[str]:
    """A circle of modules that import each other, the first that is found."""
    known = {source.module: source for source in sources}
    graph = {
        module: {found for _, name in imported(source) if (found := _module(name, known)) != module}
        for module, source in known.items()
        if module != "urim"  # the root names what it hands out, and imports it when it is asked for
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return [known[circle[0]].problem(1, f"imports itself: {' <- '.join(circle)}")]
    return []


def _module(name: str, known: Collection[str]) -> str:
    """The module that an imported name is, or is found in."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def long_file(source: Source) -> list[str]:
    """Files longer than a reader's patience."""
    lines = len(source.text.splitlines())
    if lines <= LINES_OF_A_FILE or source.module in ALONE:
        return []
    return [source.problem(lines, f"{lines} lines, more than {LINES_OF_A_FILE}")]


def long_functions(source: Source) -> list[str]:
    """Functions longer than a page, counted from `def` to the end without the docstring."""
    problems: list[str] = []
    for node in statements(source.tree):
        if isinstance(node, Function):
            lines = length(node) - docstring_length(node)
            if lines > LINES_OF_A_FUNCTION:
                what = f"{node.name} has {lines} lines, more than {LINES_OF_A_FUNCTION}"
                problems.append(source.problem(node.lineno, what))
    return problems


def length(node: ast.stmt) -> int:
    """How many lines a statement takes."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def docstring_length(node: Function) -> int:
    """How many lines a function's docstring takes."""
    return length(node.body[0]) if ast.get_docstring(node) is not None else 0


def systems_named(source: Source) -> list[str]:
    """Names of games where all games are alike, in code, comments and words."""
    if source.folder not in NAMELESS or source.module in ALONE:
        return []
    return [
        source.problem(number, f"names a game: {found.group()}")
        for number, line in enumerate(source.text.splitlines(), 1)
        if (found := SYSTEMS.search(line))
    ]


def undocumented(source: Source, promised: frozenset[str] = frozenset()) -> list[str]:
    """Public modules, classes, functions and methods without a docstring.

    A method named in `promised` needs none: a protocol or another class has said what it does. Nor
    does a test that is shipped: its name is the sentence.
    """
    if any(part.startswith("_") for part in source.module.split(".")):
        return []
    problems: list[str] = []
    if not promise(source):
        problems.append(source.problem(1, "the module has no docstring"))
    for owner, name, line, documented in public(source):
        if not documented and not (owner and name in promised):
            problems.append(source.problem(line, f"{owner}{name} has no docstring"))
    return problems


@cache
def promise(source: Source) -> str:
    """A module's docstring; empty where it has none."""
    return ast.get_docstring(source.tree) or ""


def promises(source: Source) -> list[str]:
    """The names of the methods that have a docstring here."""
    return [name for owner, name, _, documented in public(source) if owner and documented]


class Public(NamedTuple):
    """A class or function that users can reach; `owner` is `Class.` before a method's name."""

    owner: str
    name: str
    line: int
    documented: bool


@cache
def public(source: Source) -> tuple[Public, ...]:
    """Every class and function of a file that users can reach."""
    return tuple(_public(source.tree, ""))


def _public(tree: ast.Module | ast.ClassDef, owner: str) -> Iterator[Public]:
    for node in tree.body:
        if not isinstance(node, Documented) or node.name.startswith(("_", "test_")):
            continue
        if not any(is_repeat(decorator) for decorator in node.decorator_list):
            yield Public(owner, node.name, node.lineno, ast.get_docstring(node) is not None)
        if isinstance(node, ast.ClassDef):
            yield from _public(node, f"{owner}{node.name}.")


def is_repeat(decorator: ast.expr) -> bool:
    """Whether a decorated function belongs to one of the same name that has the docstring."""
    words = ast.unparse(decorator)
    return words.endswith((".setter", ".deleter")) or words.split(".")[-1] == "overload"


def unpromising(source: Source) -> list[str]:
    """Modules whose docstring does not begin with one whole sentence on one line."""
    docstring = promise(source)
    if not docstring or docstring.splitlines()[0].endswith((".", "!", "?")):
        return []
    return [source.problem(1, "the docstring's first line is no whole sentence")]


def twister(source: Source) -> list[str]:
    """Uses of the `random` module, which can be foretold from what it gave before."""
    lines = [line for line, name in imported(source) if name.split(".")[0] == "random"]
    if "random" in source.text:
        lines += [
            node.lineno
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Call) and is_import_of(node, "random")
        ]
    return [source.problem(line, "imports the module random") for line in sorted(lines)]


def is_import_of(call: ast.Call, module: str) -> bool:
    """Whether a call imports a module by hand."""
    named = any(isinstance(word, ast.Constant) and word.value == module for word in call.args)
    return named and ast.unparse(call.func).endswith(("import_module", "__import__"))
