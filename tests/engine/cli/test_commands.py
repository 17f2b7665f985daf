"""The list of commands: what it says, and that a command imports no more than it needs."""

import inspect
import subprocess
import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest
import typer

from tests.engine.helpers.cli_runs import urim
from urim.engine import cli

LOADED = """
import sys
from urim.engine.cli import main
sys.argv = ["urim", *sys.argv[1:]]
try:
    main()
finally:
    print(*(name for name in sys.modules if name.startswith("urim.")), file=sys.stderr)
"""
"""A program that runs the command line, then says which modules of Urim were imported."""

HEAVY = {f"urim.{name}" for name in ("engine.core", "engine.scenario", "events", "rules")}
"""What neither the list nor the version needs."""


def imported(*args: str) -> set[str]:
    """The modules of Urim that a command imports in a process of its own."""
    command = [sys.executable, "-c", LOADED, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_line_of_help_is_the_one_of_the_command_itself(name: str) -> None:
    home = cli.COMMANDS[name]
    found = getattr(import_module(f"urim.engine.cli.{home.module}"), home.name)
    text = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    assert str(text).splitlines()[0] == home.help
    assert cli.load(name).help == text


def test_the_list_names_every_command_in_order() -> None:
    lines = urim("--help").stdout.partition("─ Commands ─")[2].splitlines()
    words = [line.split()[1] for line in lines if line.startswith("│ ") and line[2] != " "]
    assert words == list(cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help_of_its_own(name: str) -> None:
    done = urim(name, "--help")
    assert done.exit_code == 0
    assert f"Usage: urim {name} " in done.stdout
    assert "completion" not in done.stdout


@pytest.mark.parametrize("args", [["--help"], ["--version"]], ids=" ".join)
def test_the_list_and_the_version_import_no_command(args: list[str]) -> None:
    found = imported(*args)
    assert not found & HEAVY
    assert not {f"urim.engine.cli.{home.module}" for home in cli.COMMANDS.values()} & found


def test_a_command_imports_what_it_needs_alone() -> None:
    found = imported("systems")
    assert "urim.engine.cli.systems" in found
    assert "urim.rules.sagatafl" in found
    assert not found & (HEAVY - {"urim.rules", "urim.events"})
    assert "urim.engine.service" not in imported("audit", "--help")


def test_the_page_is_written_and_named(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = urim("verifier", str(page))
    assert (done.exit_code, done.stdout) == (0, f"{page} is written\n")
    assert page.read_bytes() == (files("urim.engine.verifier") / "verifier.html").read_bytes()
