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
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from .commands import COMMANDS
from .shared import EXITS, FAILED, UNCHECKED

DIGITS = 15
"""Digits of a number, at most: more than any log has entries, and exact in every JSON."""


NEGATIVE = re.compile(r"-\d+(\.\d+)?\Z", re.ASCII)

MY_SEAT = "the seat of the client"
"""What `--seat` holds where it was left out, for a URL: no id and no name."""

ASKING = "_URIM_COMPLETE"
"""The variable by which a shell asks for completions."""


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
        """The path that a text is. A database's URL is none, and may have a password in it."""
        from ...events.log.location import is_url  # noqa: PLC0415  no help needs it

        text = str(value)
        if is_url(text):
            self.fail("a file is needed here, and no URL of a database", param, ctx)
        if not text or "\0" in text:
            self.fail(f"{text!r} is no file's name", param, ctx)
        return Path(text)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """What the shell itself finds."""
        return [CompletionItem(incomplete, type="file")]


class LogPlace(FileName):
    """A log's file, or the URL of its database."""

    name = "log"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path that a text is, or the URL, which shows no password."""
        from ...events.log.location import DatabaseUrl, is_url  # noqa: PLC0415  no help needs it

        if isinstance(value, DatabaseUrl):
            return value
        if is_url(str(value)):
            return DatabaseUrl(str(value))
        return super().convert(value, param, ctx)


class TableUrl(NamedTuple):
    """A table on a server, and the seat whose client is meant, where the URL names it."""

    url: str
    table: str
    seat: str | None


TABLE_URL = re.compile(r"(https?://[^#?\s]+)/tables/([a-z0-9]{8,32})/?(?:#(\w+))?\Z", re.ASCII)
"""A table's URL, `#SEAT` behind it where there are several seats."""


class Where(LogPlace):
    """A log's file or database, or a table's URL, in which case no table follows."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path that a text is, or the URL apart."""
        found = TABLE_URL.match(str(value))
        return super().convert(value, param, ctx) if found is None else TableUrl(*found.groups())


class OneOf(click.Choice[str]):
    """One of some words."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What is wrong with another word; what is allowed a refusal lists itself."""
        return f"{value!r} is none of its values"


class Known(click.ParamType[str]):
    """A word of which a shell is told those that there are; the command judges it."""

    def __init__(self, name: str, find: Callable[[click.Context], Iterable[str]]) -> None:
        self.name = name
        self._find = find

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Those that begin so; `find` knows what was typed before."""
        return [CompletionItem(word) for word in self._find(ctx) if word.startswith(incomplete)]


NUMBER, FILE, LOG_PLACE, WHERE = Number(), FileName(), LogPlace(), Where()

LOG = click.Option(
    ["--log"],
    type=LOG_PLACE,
    metavar="DB",
    help="Keep what is played in this file, or at this URL of a database.",
)
FORCE = click.Option(["--force"], is_flag=True, help="Replace a file that is there.")
SEEN = click.Option(
    ["--seen"],
    type=FILE,
    multiple=True,
    metavar="NOTE",
    help="A signed head that somebody kept; repeat for more.",
)
YES = click.Option(["--yes"], is_flag=True, help="Do not ask.")
JSON = click.Option(
    ["--json", "as_json"], is_flag=True, help="JSON Lines for programs, one object a line."
)


class Renamed(click.UsageError):
    """An option has another name, which is all that would be allowed."""

    def __init__(self, before: str, now: str, ctx: click.Context) -> None:
        super().__init__(f"no option {before!r}", ctx)
        self.now = now


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

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; a negative number is an argument.

        An option whose value a shell is about to complete is not there yet.
        """
        if (
            ctx.resilient_parsing
            and args
            and any(
                isinstance(param, click.Option) and not param.is_flag and args[-1] in param.opts
                for param in self.params
            )
        ):
            args = args[:-1]
        self._spelled_as_today(ctx, args)
        args = self._at_the_usual_table(ctx, args)
        if not ctx.resilient_parsing:
            args = self._with_table(args)
        if any(map(NEGATIVE.match, args)):
            # click takes -1 for an option: the others are judged here, then none is.
            plain = [word[1:] if NEGATIVE.match(word) else word for word in args]
            self.make_parser(ctx).parse_args(plain)
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)

    def _spelled_as_today(self, ctx: click.Context, args: Sequence[str]) -> None:
        """Refuse what `--seat` and `--format` were called before."""
        words = args[: args.index("--")] if "--" in args else args
        if any(each == "--as" or each.startswith("--as=") for each in words):
            names = {name for param in self.params for name in param.opts}
            instead = "--format" if "--format" in names else "--seat"
            raise Renamed("--as", instead, ctx)

    def _at_the_usual_table(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words, with those of URIM_TABLE where database and table are left out.

        They are there where the first word is a URL, or a file that is there.
        """
        usual = os.environ.get("URIM_TABLE")
        names = [each.name for each in self.params if isinstance(each, click.Argument)]
        if not usual or names[:2] != ["database", "table"]:
            return args
        at = self._first_word(args)
        first = args[at] if at < len(args) else ""
        if "://" in first or os.path.isfile(first):  # noqa: PTH113  a long text is no file's name
            return args
        words = [usual] if TABLE_URL.match(usual) else usual.rsplit(maxsplit=1)
        if len(words) != (1 if TABLE_URL.match(usual) else 2):
            why = f"the variable URIM_TABLE is {usual!r}, neither DB TABLE nor a table's URL"
            raise click.UsageError(why, ctx)
        return [*args[:at], *words, *args[at:]]

    def _first_word(self, args: Sequence[str]) -> int:
        """The place of the first word that is no option, nor an option's."""
        flags = {
            name for each in self.params if getattr(each, "is_flag", False) for name in each.opts
        }
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] != "--":
            at += 1 if args[at] in flags or "=" in args[at] else 2
        return at

    def _with_table(self, args: list[str]) -> list[str]:
        """The words, with the table and the seat behind a URL that stands for both."""
        kinds = {param.name: param.type for param in self.params}
        if "table" not in kinds or WHERE not in kinds.values():
            return args
        at = self._first_word(args)
        found = TABLE_URL.match(args[at]) if at < len(args) else None
        if found is None:
            return args
        seat = any(param.name == "seat_asking" and param.required for param in self.params)
        named = any(each == "--seat" or each.startswith("--seat=") for each in args)
        named = named or (found[3] is None and bool(os.environ.get("URIM_AS")))
        table = [*args[: at + 1], found[2], *args[at + 1 :]]
        return ["--seat", found[3] or MY_SEAT, *table] if seat and not named else table

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the exit codes."""
        _write_examples(formatter, self.examples)
        known = {**EXITS, **self.exits}
        for code in {FAILED, UNCHECKED} - self.exits.keys():
            del known[code]
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
    found: click.Command = getattr(import_module(f".{home.module}", __package__), home.name or name)
    if isinstance(found, Command):
        found.examples = found.examples or home.examples
        found.exits = found.exits or home.exits
    return found
