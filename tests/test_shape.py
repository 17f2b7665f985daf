"""The code has the shape that was agreed: arrows, lengths, names, promises, no Mersenne Twister."""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import shape, tree
from tests.shape import Source


def read(path: Path) -> Source:
    """One file of the tree."""
    text = path.read_text(encoding="utf-8")
    return Source(tree.module_name(path), path.name == "__init__.py", text)


OURS = [read(path) for path in tree.source_files()]
TESTS = [read(path) for path in tree.test_files()]


def expect_none(problems: list[str]) -> None:
    """Fail with every problem on its line."""
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_the_tree_was_found() -> None:
    folders = {source.folder for source in OURS}
    assert folders == {"urim", "errors", *tree.FOLDERS}


Check = Callable[[Source], list[str]]

OF_OURS: tuple[Check, ...] = (shape.arrows, shape.upwards, shape.systems_named, shape.twister)
ASKED: tuple[Check, ...] = (shape.promises,)
"""Asked for together with the checks, so that no file is parsed twice."""
OF_TESTS: tuple[Check, ...] = (shape.undocumented, shape.sealing)
OF_BOTH: tuple[Check, ...] = (shape.long_file, shape.long_functions, shape.unpromising)


@pytest.fixture(scope="module")
def problems() -> Mapping[Check, list[str]]:
    """What each check finds: they look at one file after another, so that each is parsed once."""
    found = defaultdict[Check, list[str]](list)
    for sources, checks in ((OURS, OF_OURS + OF_BOTH + ASKED), (TESTS, OF_TESTS + OF_BOTH)):
        for source in sources:
            for check in checks:
                found[check] += check(source)
    return found


@pytest.mark.parametrize("check", [*OF_OURS, *OF_BOTH], ids=lambda check: check.__name__)
def test_the_files_have_no(check: Check, problems: Mapping[Check, list[str]]) -> None:
    expect_none(problems[check])


def test_no_modules_import_each_other_in_a_circle() -> None:
    expect_none(shape.circles(OURS))


def test_every_room_of_the_engine_stands_on_a_floor() -> None:
    rooms = {room for source in OURS if (room := shape.room_of(source.module))}
    assert rooms == {room for rooms in shape.FLOORS for room in rooms}


def test_everything_public_has_a_docstring(problems: Mapping[Check, list[str]]) -> None:
    promised = frozenset(problems[shape.promises])
    expect_none([words for source in OURS for words in shape.undocumented(source, promised)])


def test_every_module_of_the_tests_has_a_docstring(
    problems: Mapping[Check, list[str]],
) -> None:
    silent = problems[shape.undocumented]
    expect_none([problem for problem in silent if "the module has" in problem])


def test_entries_of_tests_are_sealed_in_one_place(problems: Mapping[Check, list[str]]) -> None:
    expect_none(problems[shape.sealing])


def test_importing_the_root_loads_nothing_of_ours() -> None:
    code = "import urim, sys; print([name for name in sys.modules if name.startswith('urim.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- every check has been seen red ----------------------------------------------------------------


def a_function(lines: int, docstring: int = 1) -> str:
    """A function of so many lines, the docstring's not counted."""
    words = '    """' + "So.\n" * (docstring - 1) + 'So."""\n'
    return "def f() -> None:\n" + words + "    pass\n" * (lines - 1)


BAD = {
    "a fact imports the engine": (shape.arrows, "events.roll", "from ..engine.dice import throw"),
    "a fact imports a rule": (shape.arrows, "events.log.memory", "from ...rules import ruleset"),
    "a rule imports all facts": (shape.arrows, "rules.letters", "from .. import events"),
    "a rule imports a fact": (shape.arrows, "rules.letters", "from ..events import roll"),
    "a rule imports from a fact": (
        shape.arrows,
        "rules.letters",
        "from ..events.roll import DiceRolled",
    ),
    "a rule imports from a fact named like the one it may": (
        shape.arrows,
        "rules.letters",
        "from ..events.base_of_all import Face",
    ),
    "a rule imports the root": (shape.arrows, "rules.letters", "from .. import Table"),
    "a fold imports the engine": (
        shape.arrows,
        "projections.odds",
        "import urim.engine.core.sources",
    ),
    "an error imports a fact": (shape.arrows, "errors", "from .events.roll import DiceRolled"),
    "the core imports the service": (
        shape.upwards,
        "engine.core.decide",
        "from ..service import Service",
    ),
    "the audit imports its neighbour": (
        shape.upwards,
        "engine.audit.rules",
        "from ..scenario.steps import Step",
    ),
    "a room that nobody knows": (shape.upwards, "engine.attic.box", "x = 1"),
    "an import of a room that nobody knows": (
        shape.upwards,
        "engine.cli.log",
        "from ..attic import box",
    ),
    "an import hides in a function": (
        shape.arrows,
        "rules.letters",
        "def f():\n    from ..engine import dice",
    ),
    "a folder's name is absolute": (shape.arrows, "engine.cli", "from events.roll import Proof"),
    "a game in a name": (shape.systems_named, "engine.cli", "def sagatafl_odds(): ..."),
    "a game in a comment": (shape.systems_named, "events.roll", "# as in Age of Magic"),
    "a game in a text": (shape.systems_named, "projections.health", "x = 'Allies of Majesty'"),
    "a long file": (shape.long_file, "engine.cli", "x = 1\n" * 501),
    "a long function": (shape.long_functions, "engine.cli", a_function(50)),
    "a long method": (
        shape.long_functions,
        "engine.cli",
        "class A:\n" + "".join(f"  {line}\n" for line in a_function(50).splitlines()),
    ),
    "a silent module": (shape.undocumented, "engine.cli", "x = 1"),
    "a silent function": (shape.undocumented, "engine.cli", '"""So."""\nasync def f(): ...'),
    "a silent class": (shape.undocumented, "engine.cli", '"""So."""\nclass A: ...'),
    "a silent method": (
        shape.undocumented,
        "engine.cli",
        '"""So."""\nclass A:\n    """So."""\n    def f(self): ...',
    ),
    "half a promise": (shape.unpromising, "engine.cli", '"""What a seat\nmay ask."""'),
    "a test that seals": (
        shape.sealing,
        "tests.engine.test_table",
        "from urim.events.entry import Entry, seal",
    ),
    "a twister": (shape.twister, "engine.dice", "from random import Random"),
    "a twister under a name": (shape.twister, "engine.dice", "import random as chance"),
    "a twister by hand": (shape.twister, "engine.dice", "x = import_module('random')"),
}

GOOD = {
    "a fact imports an error": (shape.arrows, "events.log.memory", "from ...errors import Damaged"),
    "a fact imports a fact": (shape.arrows, "events.log.memory", "from ..roll import Proof"),
    "a rule imports what is common to all facts": (
        shape.arrows,
        "rules.letters",
        "from ..events.base import Effect, Face\nfrom ..events import base",
    ),
    "a fold imports what it folds": (
        shape.arrows,
        "projections.odds",
        "from ..rules import letters",
    ),
    "the engine imports all": (shape.arrows, "engine.cli", "from .. import events, rules, errors"),
    "a room imports from below, and from itself": (
        shape.upwards,
        "engine.audit.rules",
        "from ...events import entry\nfrom ..core.decide import decide\nfrom .tree import Tree",
    ),
    "a rule is named": (shape.systems_named, "rules.letters", "# as in Age of Magic"),
    "a file of 500 lines": (shape.long_file, "engine.cli", "x = 1\n" * 500),
    "a function of 49 lines": (shape.long_functions, "engine.cli", a_function(49, docstring=9)),
    "what is private": (
        shape.undocumented,
        "engine.cli",
        '"""So."""\ndef _f(): ...\nclass _A:\n    def f(self): ...',
    ),
    "what is special": (
        shape.undocumented,
        "engine.cli",
        '"""So."""\nclass A:\n    """So."""\n    def __len__(self): ...',
    ),
    "a test that is shipped": (
        shape.undocumented,
        "engine.testing.suite",
        '"""So."""\nclass Suite:\n    """So."""\n    def test_it_keeps_order(self): ...',
    ),
    "a promise": (shape.unpromising, "engine.cli", '"""What a seat may ask.\n\nAnd more\n"""'),
    "secrets": (shape.twister, "engine.dice", "import secrets, random_words"),
}


@pytest.mark.parametrize(("check", "module", "text"), BAD.values(), ids=BAD)
def test_a_check_sees(check: Callable[[Source], list[str]], module: str, text: str) -> None:
    problems = check(Source(f"urim.{module}", is_package=False, text=text))
    assert problems
    assert problems[0].startswith(f"urim.{module}:")


@pytest.mark.parametrize(("check", "module", "text"), GOOD.values(), ids=GOOD)
def test_a_check_passes(check: Callable[[Source], list[str]], module: str, text: str) -> None:
    assert not check(Source(f"urim.{module}", is_package=False, text=text))


def test_a_circle_is_seen_and_named() -> None:
    def importing(module: str, other: str) -> Source:
        return Source(f"urim.{module}", is_package=False, text=f"from {other} import x")

    around = [importing("events.a", ".b"), importing("events.b", ".c"), importing("events.c", ".a")]
    assert not shape.circles(around[:2])
    (problem,) = shape.circles(around)
    assert problem.startswith("urim.events.")
    assert all(f"urim.events.{name}" in problem for name in "abc")


def test_relative_imports_count_from_the_package_itself_in_an_init() -> None:
    source = Source("urim.rules", is_package=True, text="from ..events import roll")
    assert shape.arrows(source) == ["urim.rules:1: rules may not import urim.events.roll"]


def test_a_method_may_rest_on_the_promise_of_a_protocol() -> None:
    protocol = '"""So."""\nclass P:\n    """So."""\n    def f(self):\n        """So."""'
    promised = frozenset(shape.promises(Source("urim.engine.a", is_package=False, text=protocol)))
    silent = '"""So."""\nclass A:\n    """So."""\n    def f(self): ...\ndef f(): ...'
    problems = shape.undocumented(Source("urim.engine.b", is_package=False, text=silent), promised)
    assert problems == ["urim.engine.b:5: f has no docstring"]
