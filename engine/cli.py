"""The command `urim`: it plays scenarios and shows systems, for people and, as JSON, for programs.

Exit codes: 0 all went well; 1 an expectation of a scenario failed; 2 the input cannot be used;
3 a fault of Urim; 130 interrupted; 141 nobody reads the output any more.
"""

import asyncio
import json
import os
import platform
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from importlib.resources import files
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import Damaged, Defect, Refused
from ..events.log.memory import MemoryLog
from ..rules import ruleset_named, ruleset_names
from .logs import configure
from .render import show_play
from .render_json import play_objects, refusal_object
from .render_systems import summary_object, system_object, system_parts, systems_table
from .render_text import Page, Pen, page, pen_of
from .scenario import Play, Scenario, parse_scenario, play, read_scenario

PASSED, FAILED, UNUSABLE, FAULT, INTERRUPTED, UNREAD = 0, 1, 2, 3, 130, 141

SCENARIOS = files(str(__package__)) / "scenarios"
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

Json = Annotated[bool, typer.Option("--json", help="JSON Lines for programs, one object a line.")]


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
            "--log", "-v", metavar="LEVEL", help=f"Log from this level: {' '.join(LEVELS)}."
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
        _end(FAILED if failed else PASSED)


@app.command()
def run(
    scenarios: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scenarios in TOML.")],
    *,
    as_json: Json = False,
) -> None:
    """Play scenario files, one after the other, and check what they expect.

    A file that cannot be used does not keep the next ones from being played.
    """
    with guarded():
        codes = [_run(Path(name), as_json=as_json) for name in scenarios]
        _end(max(codes))


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
            _lines((system_object if name else summary_object)(each) for each in found)
            return
        out = page(sys.stdout)
        if name is None:
            out.print(systems_table(found, pen_of(out)))
            return
        for part in system_parts(found[0], pen_of(out)):
            out.print(part)


def demos() -> list[str]:
    """The installed systems that come with a scenario."""
    return [name for name in ruleset_names() if (SCENARIOS / f"{name}.toml").is_file()]


def demo_scenario(system: str) -> Scenario:
    """The scenario that comes with a system."""
    text = (SCENARIOS / f"{system}.toml").read_text("utf-8")
    return parse_scenario(text, f"the demonstration of {system}")


def _play(scenario: Scenario) -> Play:
    return asyncio.run(play(scenario, MemoryLog()))


def _run(path: Path, *, as_json: bool) -> int:
    """Play one file; the exit code it asks for."""
    try:
        passed = _told(_play(read_scenario(path)), as_json=as_json)
    except Refused as error:
        named = error if str(path) in error.why else _within(path, error)
        if as_json:
            _lines([{"type": "error", "file": str(path), **refusal_object(named)}])
        _complain(str(named))
        return UNUSABLE
    return PASSED if passed else FAILED


def _within(path: Path, error: Refused) -> Refused:
    return Refused(error.code, f"{path}: {error.why}", allowed=error.allowed)


def _told(played: Play, *, as_json: bool) -> bool:
    """Print a play; whether all it expects holds."""
    if as_json:
        _lines(play_objects(played))
    else:
        show_play(page(sys.stdout), played)
    return not played.failures


def _lines(objects: Iterable[Any]) -> None:
    """One JSON object a line; beyond ASCII only where standard output is in UTF."""
    plain = not Pen(sys.stdout.encoding or "ascii").unicode
    for each in objects:
        sys.stdout.write(json.dumps(each, ensure_ascii=plain) + "\n")
    sys.stdout.flush()


def _complain(sentence: str) -> None:
    """Say on standard error what was wrong."""
    out: Page = page(sys.stderr, soft_wrap=True)
    out.print(pen_of(out).text(f"urim: {sentence}"))


def _end(code: int) -> None:
    if code:
        raise typer.Exit(code)


@contextmanager
def guarded() -> Generator[None]:
    """Turn whatever stops a command into its exit code, with one sentence and no traceback."""
    try:
        yield
        sys.stdout.flush()
    except (Refused, Damaged) as error:
        _complain(str(error))
        raise typer.Exit(UNUSABLE) from error
    except Defect as error:
        _complain(f"a fault of Urim, please report it: {error}")
        raise typer.Exit(FAULT) from error
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error
    except BrokenPipeError as error:
        # Python flushes standard output once more as it ends: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(UNREAD) from error


if __name__ == "__main__":
    main()
