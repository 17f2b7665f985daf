"""The list of commands: what it says, and that a command imports no more than it needs."""

import inspect
import re
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import click
import pytest

from tests.engine.helpers.cli_runs import urim
from urim.engine.cli.commands import COMMANDS, GROUPS
from urim.engine.cli.frame import Command, load
from urim.engine.verifier import build

LOADED = """
import sys
from urim.engine.cli import main
sys.argv = ["urim", *sys.argv[1:]]
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
"""A program that runs the command line, then says which modules were imported."""

HEAVY = {f"urim.{name}" for name in ("engine.core", "engine.scenario", "events", "rules")}
"""What neither the list nor the version needs."""

DATABASES = {f"urim.{name}" for name in ("engine.scenario", "engine.service", "events.log.sqlite")}
"""What throws dice that nobody keeps does not need."""


def imported(*args: str) -> set[str]:
    """The modules that a command imports in a process of its own."""
    command = [sys.executable, "-c", LOADED, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


EVERY = [
    (f"{name} {each.name}" if isinstance(found, click.Group) else name, each)
    for name in COMMANDS
    for found in [load(name)]
    for each in (found.commands.values() if isinstance(found, click.Group) else [found])
]
"""Every command that does something, by what calls it."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_help_is_the_one_of_the_command_itself(name: str) -> None:
    assert str(load(name).help).splitlines()[0] == COMMANDS[name].help


@pytest.mark.parametrize(("name", "found"), EVERY, ids=[name for name, _ in EVERY])
def test_a_command_takes_what_it_declares(name: str, found: Command) -> None:
    assert found.callback is not None
    takes = inspect.signature(found.callback).parameters
    named = {each for each, how in takes.items() if how.kind is not how.VAR_KEYWORD}
    given = {param.name for param in found.params}
    # The fields of a Struct come as they are; tests/engine/cli/test_single.py uses each of them.
    assert given == named or (len(named) < len(takes) and given > named)
    assert "as_json" in {param.name for param in found.params}


@pytest.mark.parametrize(("name", "found"), EVERY, ids=[name for name, _ in EVERY])
def test_every_command_has_help_with_an_example_and_exit_codes(name: str, found: Command) -> None:
    done = urim(*name.split(), "--help")
    assert done.exit_code == 0
    assert f"Usage: urim {name} " in done.stdout
    assert f"urim {name} " in done.stdout.partition("\nExample")[2]
    assert "  130  interrupted\n" in done.stdout.partition("\nExit codes:\n")[2]


@pytest.mark.parametrize("example", [each for home in COMMANDS.values() for each in home.examples])
def test_an_example_is_parsed(example: str) -> None:
    called, *words = shlex.split(re.findall(r"urim ([^|)]+)", example)[0])
    found = load(called)
    if isinstance(found, click.Group):
        found, words = found.commands[words[0]], words[1:]
    found.make_context(called, words)


def test_the_list_names_every_command_by_groups() -> None:
    lines = urim("--help").stdout.splitlines()
    assert [line[:-1] for line in lines if line[:-1] in GROUPS] == list(GROUPS)
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2].isalpha()]
    assert sorted(names[1:]) == sorted(COMMANDS)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("args", [["--help"], ["--version"]], ids=" ".join)
def test_the_list_and_the_version_import_no_command(args: list[str]) -> None:
    found = imported(*args)
    assert not found & HEAVY
    assert not {f"urim.engine.cli.{home.module}" for home in COMMANDS.values()} & found


def test_a_command_imports_what_it_needs_alone() -> None:
    found = imported("systems")
    assert "urim.engine.cli.systems" in found
    assert "urim.rules.sagatafl" in found
    assert not found & (HEAVY - {"urim.rules", "urim.events"})
    assert "urim.engine.service" not in imported("audit", "--help")
    assert not imported("dice", "4d6") & {"asyncio", "sqlite3", "importlib.metadata", *DATABASES}
    assert not imported("show", "--help") & {"tomlkit", "urim.engine.scenario"}


def test_the_page_is_written_and_named(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = urim("verifier", str(page))
    assert (done.exit_code, done.stdout) == (0, f"{page} is written\n")
    assert page.read_bytes() == build.page().encode()


def test_the_script_is_written_and_runs_alone(tmp_path: Path) -> None:
    script, kept = tmp_path / "check.py", files("urim.engine.verifier") / "urimcheck.py"
    done = urim("verifier", "--python", str(script))
    assert (done.exit_code, done.stdout) == (0, f"{script} is written\n")
    assert script.read_bytes() == kept.read_bytes()
