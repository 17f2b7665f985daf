"""All commands together: which one is called, what they share, and that each run ends in a code.

COMMANDS lists them; the one that is called is loaded, no other.
"""

import logging
import os
import platform
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from importlib import import_module
from io import StringIO
from typing import Any

import click
from click.shell_completion import CompletionItem

from ... import __version__
from .commands import COMMANDS, GROUPS
from .endings import run
from .frame import ASKING, OneOf, load
from .shared import PASSED, complain, discard

LEVELS = ("debug", "info", "warning", "error", "critical")
"""The levels of Urim's log, from all of it to hardly any."""

WIDEST = 100
"""Columns that help is set in, at most."""

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

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """Run the command line and end the program with its exit code."""
        if ASKING in os.environ:
            # A shell waits: what fails completes nothing, and what warns is not shown.
            with suppress(Exception), redirect_stderr(StringIO()):
                import_module(".shells", __package__)
                super().main(args, "urim", ASKING)
            sys.exit(PASSED)
        code = run(self, sys.argv[1:] if args is None else args)
        try:
            sys.stderr.flush()
        except OSError:
            discard(sys.stderr)
        sys.exit(code)


# --- what all commands share ----------------------------------------------------------------------


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  click's
    if wanted and not ctx.resilient_parsing:
        sys.stdout.write(f"urim {__version__}, Python {platform.python_version()}\n")
        ctx.exit()


class Telling(logging.Handler):
    """Says what was logged as a sentence on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say it; see `logging.Handler`."""
        complain(record.getMessage())


@contextmanager
def telling() -> Generator[None]:
    """Say which files of older versions are upgraded, which nobody asked for."""
    upgrades, handler = logging.getLogger("urim.upgrades"), Telling()
    upgrades.addHandler(handler)
    try:
        yield
    finally:
        upgrades.removeHandler(handler)


def options(log_level: str | None, *, log_json: bool) -> None:
    """Set up what every command shares: the log, on standard error."""
    if log_level is None and not log_json:
        click.get_current_context().with_resource(telling())
        return
    from ..logs import configure  # noqa: PLC0415  only where there is a log

    configure(level=(log_level or "info").upper(), json=log_json, stream=sys.stderr)


app = Commands(
    "urim",
    callback=options,
    help="Dice rolls as an event-sourced log: play them, replay them, audit them.",
    no_args_is_help=True,
    context_settings={"max_content_width": WIDEST},
    params=[
        click.Option(
            ["--log-level", "-v", "log_level"],
            type=OneOf(LEVELS, case_sensitive=False),
            metavar="LEVEL",
            help=f"Log from this level: {' '.join(LEVELS)}.",
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
