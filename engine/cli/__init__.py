"""The command `urim`: it plays scenarios, shows systems and reads logs, for people and programs.

The exit codes are those of `cli_shared`.
"""

import asyncio
import platform
import sys
from importlib import resources
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from ... import __version__
from ...errors import Refused
from ...events.log.memory import MemoryLog
from ...rules import ruleset_named, ruleset_names
from .. import scenario as scenarios
from ..logs import configure
from ..render.json import play_objects, refusal_object
from ..render.play import show_play
from ..render.systems import summary_object, system_object, system_parts, systems_table
from ..render.text import page, pen_of
from ..scenario import Play, Scenario, parse_scenario, play, read_scenario
from . import key as cli_key
from . import log as cli_log
from .audit import audit_file, verifier
from .fairness import fairness
from .replay import replay
from .shared import FAILED, PASSED, UNUSABLE, Json, complain, end, guarded, lines

STORIES = resources.files(str(scenarios.__package__)) / "stories"
"""The demonstrations, one a system."""

LEVELS = ("debug", "info", "warning", "error", "critical")
"""The levels of Urim's log, from all of it to hardly any."""

app = typer.Typer(
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


@app.command()
def demo(
    system: Annotated[str | None, typer.Argument(help="Play this system's alone.")] = None,
    *,
    as_json: Json = False,
) -> None:
    """Play the scenario that comes with each system."""
    with guarded():
        known = demos()
        if system is not None and system not in known:
            raise Refused("unknown", f"no demonstration of {system!r}", allowed=known)
        names = known if system is None else [system]
        failed = [name for name in names if not _told(_play(demo_scenario(name)), as_json=as_json)]
        end(FAILED if failed else PASSED)


@app.command()
def run(
    scenarios: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scenarios in TOML.")],
    *,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="DB", help="Keep the tables in this database.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play scenario files, one after the other, and check what they expect.

    A file that cannot be used does not keep the next ones from being played, and leaves nothing in
    the database. A scenario whose table's id is in use there is refused; one without an id takes
    the next free one, fixture0, fixture1 and so on.
    """
    with guarded():
        codes = [_run(Path(name), log, as_json=as_json) for name in scenarios]
        end(max(codes))


@app.command()
def systems(
    name: Annotated[str | None, typer.Argument(help="Show this one at length.")] = None,
    *,
    as_json: Json = False,
) -> None:
    """List the installed systems; or show one: its dice, tracks, declarations and readings."""
    with guarded():
        found = [ruleset_named(each) for each in ([name] if name else ruleset_names())]
        if as_json:
            lines((system_object if name else summary_object)(each) for each in found)
            return
        out = page(sys.stdout)
        if name is None:
            out.print(systems_table(found, pen_of(out)))
            return
        for part in system_parts(found[0], pen_of(out)):
            out.print(part)


for _command in (*cli_log.COMMANDS, *cli_key.COMMANDS, replay, fairness):
    app.command()(_command)
app.add_typer(cli_key.key_commands, name="key")
app.command("audit")(audit_file)
app.command()(verifier)


def demos() -> list[str]:
    """The installed systems that come with a scenario."""
    return [name for name in ruleset_names() if (STORIES / f"{name}.toml").is_file()]


def demo_scenario(system: str) -> Scenario:
    """The scenario that comes with a system."""
    text = (STORIES / f"{system}.toml").read_text("utf-8")
    return parse_scenario(text, f"the demonstration of {system}")


def _play(scenario: Scenario) -> Play:
    return asyncio.run(play(scenario, MemoryLog()))


def _run(path: Path, log: Path | None, *, as_json: bool) -> int:
    """Play one file; the exit code it asks for."""
    try:
        scenario = read_scenario(path)
        played = _play(scenario) if log is None else cli_log.play_onto(log, scenario)
        passed = _told(played, as_json=as_json)
        if log is not None and not as_json:
            out = page(sys.stdout, soft_wrap=True)
            out.print(pen_of(out).text(f"kept as table {played.aggregate.opened.id} in {log}"))
    except Refused as error:
        named = error if str(path) in error.why else _within(path, error)
        if as_json:
            lines([{"type": "error", "file": str(path), **refusal_object(named)}])
        complain(str(named))
        return UNUSABLE
    return PASSED if passed else FAILED


def _within(path: Path, error: Refused) -> Refused:
    return Refused(error.code, f"{path}: {error.why}", allowed=error.allowed)


def _told(played: Play, *, as_json: bool) -> bool:
    """Print a play; whether all it expects holds."""
    if as_json:
        lines(play_objects(played))
    else:
        show_play(page(sys.stdout), played)
    return not played.failures
