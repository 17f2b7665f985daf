"""The frame of every command: how it is declared, loaded, helped with, and how it ends.

A command is a function and its parameters, as click has them:

    @command(DATABASE, TABLE, click.Option(["--roll"], type=NUMBER, metavar="N", help="…"))
    def show(database: Path, table: str, *, roll: int | None, as_json: bool) -> None:

Its docstring is its help; group, example and exit codes are in COMMANDS. Every command has --json.

Plain click, because parameters are values: those of a command can be made from a Struct's fields.
Typer would import a validation library of 11 MB beside it, cyclopts reads signatures alone and
takes twice as long to import, and rich-click would load Rich for each line of help.
"""

import inspect
import logging
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ... import __version__
from ...errors import Defect, Refused, UrimError
from .commands import COMMANDS, GROUPS
from .shared import (
    EXITS,
    FAILED,
    FAULT,
    INTERRUPTED,
    PASSED,
    UNREAD,
    UNUSABLE,
    UNWRITTEN,
    complain,
    discard_output,
    print_objects,
    report,
)

LEVELS = ("debug", "info", "warning", "error", "critical")
"""The levels of Urim's log, from all of it to hardly any."""

WIDEST = 100
"""Columns that help is set in, at most."""

DIGITS = 18
"""Digits of a number, at most: more than any log has entries, and no more than a database holds."""


class Number(click.ParamType[int]):
    """A whole number from 0, in plain digits."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that a text is."""
        if isinstance(value, int):
            return value
        text = str(value)
        if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
            shown = text if len(text) <= DIGITS else f"{text[:DIGITS]}…"
            self.fail(f"{shown!r} is no whole number", param, ctx)
        return int(text)


class FileName(click.ParamType[Path]):
    """A file's name; whether it is there is the command's business."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path that a text is."""
        text = str(value)
        if not text or "\0" in text:
            self.fail(f"{text!r} is no file's name", param, ctx)
        return Path(text)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """What the shell itself finds."""
        return [CompletionItem(incomplete, type="file")]


class OneOf(click.Choice[str]):
    """One of some words."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What is wrong with another word; what is allowed a refusal lists itself."""
        return f"{value!r} is none of its values"


NUMBER, FILE = Number(), FileName()

JSON = click.Option(
    ["--json", "as_json"], is_flag=True, help="JSON Lines for programs, one object a line."
)


class Command(click.Command):
    """A command of ours: help with an example and its exit codes, and --json."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        exits: Mapping[int, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.params.append(JSON)
        self.examples = examples
        self.exits = exits or {}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the exit codes."""
        _write_examples(formatter, self.examples)
        known = {**EXITS, **self.exits}
        if FAILED not in self.exits:
            del known[FAILED]
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), means) for code, means in known.items()])


def _write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    if examples:
        with formatter.section("Examples" if len(examples) > 1 else "Example"):
            for each in examples:
                formatter.write(f"{'':>{formatter.current_indent}}{each}\n")


def command(
    *params: click.Parameter,
    name: str | None = None,
    examples: Sequence[str] = (),
    exits: Mapping[int, str] | None = None,
) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command with these parameters, and --json; its help is its docstring.

    Examples and exit codes that are not given are those of COMMANDS.
    """

    def made(function: Callable[..., None]) -> Command:
        return Command(
            name or function.__name__,
            callback=function,
            params=list(params),
            help=inspect.getdoc(function),
            examples=examples,
            exits=exits,
        )

    return made


def load(name: str) -> click.Command:
    """The command of that name, its module imported."""
    home = COMMANDS[name]
    found: click.Command = getattr(import_module(f".{home.module}", __package__), home.name)
    if isinstance(found, Command):
        found.examples = found.examples or home.examples
        found.exits = found.exits or home.exits
    return found


# --- all of them ----------------------------------------------------------------------------------


class Commands(click.Group):
    """Lists commands by COMMANDS, and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, loaded; None where there is none."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments call, loaded, and the arguments left for it."""
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing:
            raise click.exceptions.NoSuchCommand(name, possibilities=COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command with its line of help, group by group."""
        widest = max(map(len, COMMANDS))
        for group in GROUPS:
            rows = [(name, home.help) for name, home in COMMANDS.items() if home.group == group]
            if rows:
                with formatter.section(group):
                    formatter.write_dl([(name.ljust(widest), text) for name, text in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that begin so; no command is loaded for it."""
        found = [
            CompletionItem(name, help=home.help)
            for name, home in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def main(self, args: Sequence[str] | None = None, *_: Any, **settings: Any) -> Any:
        """Run the command line and end the program with its exit code."""
        if COMPLETING in os.environ:
            return super().main(args, "urim", COMPLETING)
        sys.exit(run(sys.argv[1:] if args is None else args))


COMPLETING = "_URIM_COMPLETE"
"""The variable by which a shell asks for completions."""


def run(words: Sequence[str]) -> int:
    """Run the command line on these words, whatever stops it; its exit code."""
    as_json = "--json" in words
    try:
        with app.make_context("urim", list(words)) as context:
            app.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return _flushed(ended.exit_code)
    except (KeyboardInterrupt, click.exceptions.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        discard_output()
        return UNREAD
    except OSError as error:
        discard_output()
        complain(f"{error.filename or 'the output'} cannot be written: {error.strerror}")
        return UNWRITTEN
    except Exception as error:  # noqa: BLE001  whatever it is, the program ends with a sentence
        return _stopped(error, as_json=as_json)
    return PASSED


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return UNREAD
    except OSError as error:
        discard_output()
        complain(f"the output cannot be written: {error.strerror}")
        return UNWRITTEN
    return code


def _stopped(error: Exception, *, as_json: bool) -> int:
    """Report what stopped a command; its exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        click.echo(error.format_message(), err=True)
        return UNUSABLE
    if isinstance(error, click.ClickException):
        _report_usage(error, as_json=as_json)
        return UNUSABLE
    if logging.getLogger("urim").isEnabledFor(logging.DEBUG):
        traceback.print_exception(error)
    known = error if isinstance(error, UrimError) else Defect(f"{type(error).__name__}: {error}")
    report(known, as_json=as_json)
    return FAULT if isinstance(known, Defect) else UNUSABLE


# --- wrong uses of the command line ---------------------------------------------------------------


def _report_usage(error: click.ClickException, *, as_json: bool) -> None:
    why, allowed = usage(error)
    context = error.ctx if isinstance(error, click.UsageError) else None
    more = f"{context.command_path if context else 'urim'} --help"
    if as_json:
        print_objects([{"type": "usage", "why": why, "allowed": list(allowed), "help": more}])
        return
    refused = Refused("malformed", why, allowed=allowed)
    complain(f"{refused} ({more})")


def usage(error: click.ClickException) -> tuple[str, Sequence[str]]:
    """What is wrong with the use of the command line, and what would be allowed."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            return "a command is missing", _names(error.ctx.command)
        case click.exceptions.NoSuchCommand():
            known = _names(error.ctx.command) if error.ctx else list(COMMANDS)
            return f"no command {error.command_name!r}", _near(error.command_name, known)
        case click.exceptions.NoSuchOption():
            known = _options(error.ctx) if error.ctx else []
            return f"no option {error.option_name!r}", _near(error.option_name, known)
        case click.exceptions.MissingParameter():
            return f"{_label(error)} is missing", _choices(error.param)
        case click.exceptions.BadParameter():
            return f"{_label(error)}: {_lower(error.message)}", _choices(error.param)
        case _:
            return _lower(error.format_message()), ()


def _label(error: click.BadParameter) -> str:
    param = error.param
    if param is None:
        return "an argument"
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or str(param.name).upper()).removesuffix("...")


def _names(group: click.Command) -> list[str]:
    if isinstance(group, Commands):
        return list(COMMANDS)
    return list(group.commands) if isinstance(group, click.Group) else []


def _options(ctx: click.Context) -> list[str]:
    return [name for param in ctx.command.get_params(ctx) for name in param.opts if "-" in name[:1]]


def _near(word: str, known: Sequence[str]) -> Sequence[str]:
    """What was probably meant; else all there is."""
    return get_close_matches(word, known) or known


def _choices(param: click.Parameter | None) -> Sequence[str]:
    return (
        list(map(str, param.type.choices)) if param and isinstance(param.type, click.Choice) else ()
    )


def _lower(message: str) -> str:
    """A sentence of click's as part of one of ours."""
    return message[:1].lower() + message[1:].rstrip(".")


# --- what all commands share ----------------------------------------------------------------------


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  click's
    if wanted and not ctx.resilient_parsing:
        sys.stdout.write(f"urim {__version__}, Python {platform.python_version()}\n")
        ctx.exit()


def options(log_level: str | None, *, log_json: bool) -> None:
    """Set up what every command shares: the log, on standard error."""
    if log_level is None and not log_json:
        return
    level = (log_level or "info").lower()
    if level not in LEVELS:
        raise Refused("unknown", f"no log level {log_level!r}", allowed=LEVELS)
    from ..logs import configure  # noqa: PLC0415  only where there is a log

    configure(level=level.upper(), json=log_json, stream=sys.stderr)


def _levels(_: click.Context, __: click.Parameter, incomplete: str) -> Iterable[str]:
    return [level for level in LEVELS if level.startswith(incomplete)]


app = Commands(
    "urim",
    callback=options,
    help="Dice rolls as an event-sourced log: play them, replay them, audit them.",
    no_args_is_help=True,
    context_settings={"max_content_width": WIDEST},
    params=[
        click.Option(
            ["--log-level", "-v", "log_level"],
            metavar="LEVEL",
            help=f"Log from this level: {' '.join(LEVELS)}.",
            shell_complete=lambda *asked: list(_levels(*asked)),
        ),
        click.Option(["--log-json"], is_flag=True, help="Log JSON, one object a line; from info."),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Print the version.",
        ),
    ],
)
