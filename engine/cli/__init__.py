"""The command `urim`: it plays scenarios, shows systems and reads logs, for people and programs.

COMMANDS lists every command. The module of a command is imported when that command is called, so
the list itself, `urim --help`, costs none of them. The exit codes are those of `shared`.
"""

import platform
import sys
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ... import __version__
from ...errors import Refused
from ..logs import configure
from .shared import guarded


class Home(NamedTuple):
    """Where a command is: its module here, its function or Typer group, and its line of help."""

    module: str
    name: str
    help: str


COMMANDS: Mapping[str, Home] = {
    "demo": Home("play", "demo", "Play the scenario that comes with each system."),
    "dice": Home("dice", "dice", "Throw plain dice; no table is needed."),
    "run": Home(
        "play", "run", "Play scenario files, one after the other, and check what they expect."
    ),
    "systems": Home(
        "systems",
        "systems",
        "List the installed systems; or show one: its dice, tracks, declarations and readings.",
    ),
    "tables": Home("show", "tables", "List the tables of a log."),
    "show": Home(
        "show",
        "show",
        "Show a table, or one roll: what happened, how it came out, how everybody is.",
    ),
    "export": Home("export", "export", "Write a table, or one roll, for others."),
    "erase": Home(
        "keeper",
        "erase",
        "Erase a text for good, as a narrator may; its entry stays in the log.",
    ),
    "epoch": Home(
        "keeper",
        "epoch",
        "Let a table whose log was restored from a backup go on, under a new secret.",
    ),
    "replay": Home(
        "replay",
        "replay",
        "Go through a roll step by step; in a terminal by keys, forwards and back.",
    ),
    "fairness": Home(
        "fairness",
        "fairness",
        "Say whether a table's fair dice fell as fair dice do, and whether its voids select.",
    ),
    "audit": Home(
        "audit",
        "audit_file",
        "Check a bundle step by step: signature, log, throws, every die, every rule.",
    ),
    "verifier": Home(
        "verifier",
        "verifier",
        "Write the page that checks bundles in a browser, without a network or this code.",
    ),
    "key": Home("key", "key_commands", "The key that signs the heads of tables."),
}
"""Every command, in the order in which the help lists them."""

LEVELS = ("debug", "info", "warning", "error", "critical")
"""The levels of Urim's log, from all of it to hardly any."""


class Commands(TyperGroup):
    """Lists commands by their line of help, and loads the one that is called."""

    # Any, because the types of Typer's copy of Click are private to it.
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the arguments call, loaded, and the arguments left for it."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else load(name), rest


app = typer.Typer(
    cls=Commands,
    name="urim",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Dice rolls as an event-sourced log: play them, replay them, audit them.",
)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what no encoding can carry must not stop a program
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="urim")


def load(name: str) -> Any:
    """The command of that name as Typer runs it, its module imported."""
    home = COMMANDS[name]
    found = getattr(import_module(f".{home.module}", __name__), home.name)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    return get_command(found)


def _version(wanted: bool) -> None:  # noqa: FBT001  Typer gives a flag's callback its value alone
    if wanted:
        with guarded():
            sys.stdout.write(f"urim {__version__}, Python {platform.python_version()}\n")
        raise typer.Exit


@app.callback()
def options(
    log: Annotated[
        str | None,
        typer.Option(
            "--log-level", "-v", metavar="LEVEL", help=f"Log from this level: {' '.join(LEVELS)}."
        ),
    ] = None,
    *,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Log one JSON object a line; alone: from info.")
    ] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Set up what every command shares: the log, on standard error."""
    if log is None and not log_json:
        return
    with guarded():
        level = (log or "info").lower()
        if level not in LEVELS:
            raise Refused("unknown", f"no log level {log!r}", allowed=LEVELS)
        configure(level=level.upper(), json=log_json, stream=sys.stderr)


def _listed() -> None:
    """What the list shows; Commands loads the command itself."""


for _name, _home in COMMANDS.items():
    app.command(_name, help=_home.help)(_listed)
