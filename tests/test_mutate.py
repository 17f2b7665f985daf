"""Every module has its tests, a mutant that does not end is seen, and a line is of one run."""

import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests import bounded, mutate, nearest, prove
from tests.tree import ROOT, source_files

REASONS = tomllib.loads(mutate.SURVIVORS.read_text("utf-8"))
PAGE = prove.PROOF.read_text("utf-8")

UNTESTED = ("__init__.py", "__main__.py")
"""The modules that only the tests of the whole package hold."""

EVERY_MODULE = [
    module
    for file in source_files()
    if (module := file.relative_to(ROOT).as_posix()) not in UNTESTED
]


def test_every_module_has_tests_that_are_there() -> None:
    tests = {module: mutate.tests_of(module) for module in EVERY_MODULE}
    assert [module for module, found in tests.items() if not found] == []
    paths = {ROOT / path for found in tests.values() for path in found}
    assert [path for path in paths if not path.is_file() and not any(path.rglob("test_*.py"))] == []


def test_every_module_of_the_tables_is_there() -> None:
    named = [*mutate.CORE, *mutate.ALSO, *mutate.ELSEWHERE]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_tests_of_a_module_are_those_of_its_folder() -> None:
    also = mutate.SCENARIOS, nearest.FROZEN
    oracles = "tests/oracles"
    assert mutate.tests_of("rules/sagatafl/outcome.py") == ("tests/rules/sagatafl", *also, oracles)
    assert mutate.tests_of("rules/ruleset.py") == ("tests/rules", *also, oracles)
    pushes = "tests/rules/age_of_magic/test_damage.py"
    assert mutate.tests_of("engine/core/sources.py") == ("tests/engine/core", *also, pushes)
    assert mutate.tests_of("engine/audit/replay.py") == ("tests/engine/audit",)
    assert mutate.tests_of("events/keys.py") == mutate.CORE["events/keys.py"]
    assert "tests/events/sqlite" in mutate.tests_of("events/log/sqlite/rows.py")
    assert "tests/events/sqlite" not in mutate.tests_of("events/log/memory.py")
    with pytest.raises(SystemExit, match="no tests are known"):
        mutate.tests_of("__init__.py")


def test_folders_modules_or_the_verifiers_core_is_broken() -> None:
    files = sorted((ROOT / "rules/sagatafl").glob("*.py"))
    assert mutate.modules_of("rules/sagatafl/") == [f"rules/sagatafl/{file.name}" for file in files]
    assert mutate.modules_of("rules/ruleset.py") == ["rules/ruleset.py"]
    both = mutate.modules_of("rules/sagatafl rules/ruleset.py rules/sagatafl/outcome.py")
    assert both == [*mutate.modules_of("rules/sagatafl"), "rules/ruleset.py"]
    assert mutate.modules_of("") == list(mutate.CORE)
    with pytest.raises(SystemExit, match="no module under rules/saga"):
        mutate.modules_of("rules/saga")


def test_every_explained_survivor_is_of_a_module_that_is_there() -> None:
    assert [
        name for name in REASONS if name != "every module" and not (ROOT / name).is_file()
    ] == []


def test_every_explained_survivor_changes_a_line_that_is_there() -> None:
    for module in REASONS.keys() - {"every module"}:
        lines = [line.strip() for line in (ROOT / module).read_text("utf-8").splitlines()]
        changed = tuple(f"{line} > " for line in lines)
        taken_out = [diff for diff in REASONS[module] if not diff.startswith(changed)]
        assert [(module, line) for line in taken_out if line not in lines] == []


def test_the_page_names_modules_that_are_there() -> None:
    lines = mutate.read(PAGE)
    assert lines
    assert [module for module in lines if not (ROOT / module).is_file()] == []


def test_the_page_comes_back_from_its_lines() -> None:
    assert mutate.renewed(PAGE, {}) == PAGE


def a_mutant(module: str, line: int = 3, *, seen: bool) -> mutate.Mutant:
    """One mutant of a module."""
    return mutate.Mutant(module, "NumberReplacer", line, "x = 1 > x = 2", seen, soon=False)


def test_the_lines_of_one_folder_are_replaced_alone() -> None:
    others = "errors.py", "rules/readings.py", "rules/gone.py"
    before = mutate.lines_of([], others, "2 of `rules`, seed 8", "`abc`")
    page = prove.with_section("# Proof\n", mutate.SECTION, mutate.section(before))
    mutants = a_mutant("errors.py", seen=False), a_mutant("errors.py", seen=True)
    trials = [mutate.Trial("errors.py", (mutant,), 2.4) for mutant in mutants]
    lines = mutate.lines_of(trials, ["errors.py"], "2 of `errors.py`, seed 9", "`def`")
    page = mutate.renewed(page + "\n## Others\n\nare kept\n", lines)
    after = mutate.read(page)
    assert list(after) == ["errors.py", "rules/readings.py"]
    assert after["rules/readings.py"] == before["rules/readings.py"]
    assert after["errors.py"].row.startswith("| `errors.py` | 2 | 1 | 2 of `errors.py`, seed 9 |")
    assert after["errors.py"].row.endswith(" | `def` | 5 s | 0 |")
    assert after["errors.py"].unseen == ("- `errors.py` 3: `x = 1 > x = 2` · **not explained**",)
    assert "## Others\n\nare kept\n" in page


# --- what does not end ----------------------------------------------------------------------------

LOOPS = "def test_it():\n    while True: pass\n"
"""A test of a mutant that loops for ever."""

PARENT = """
import subprocess, sys, time
from pathlib import Path
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
Path(sys.argv[1]).write_text(str(child.pid))
"""
"""A program that starts another one, which runs on."""


def alive(pid: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "seconds", "code"),
    [(LOOPS, 3.0, bounded.OUT_OF_TIME), ("def test_it(): ...", 100.0, 0)],
)
def test_a_mutant_that_loops_for_ever_is_seen(
    text: str, seconds: float, code: int, tmp_path: Path
) -> None:
    """cosmic-ray takes every exit code but 0 as seen."""
    test = tmp_path / "test_it.py"
    test.write_text(text, encoding="utf-8")
    command = mutate.stopped(mutate.tests_command(tmp_path, [str(test)]), seconds)
    start = time.monotonic()
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == code
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    ("ending", "code"), [("time.sleep(600)", bounded.OUT_OF_TIME), ("sys.exit(3)", 3)]
)
def test_whatever_a_command_started_ends_with_it(ending: str, code: int, tmp_path: Path) -> None:
    child = tmp_path / "pid"
    assert bounded.run([sys.executable, "-c", PARENT + ending, child], 2.0) == code
    until = time.monotonic() + 10
    while alive(pid := int(child.read_text("utf-8"))) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(pid)
