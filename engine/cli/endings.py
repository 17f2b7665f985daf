"""How a run ends: whatever stops it becomes an exit code and one sentence, or one object."""

import logging
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches

import click

from ...errors import Defect, Refused, Unavailable, UrimError, where
from .frame import Renamed
from .shared import (
    FAULT,
    FULL,
    INTERRUPTED,
    PASSED,
    UNREAD,
    UNUSABLE,
    UNWRITTEN,
    complain,
    discard,
    print_objects,
    report,
)

LONGEST = 60
"""Characters of a wrong word that a sentence repeats, at most."""


def run(app: click.Command, words: Sequence[str]) -> int:
    """Run the command line on these words, whatever stops it; its exit code."""
    try:
        code = _attempt(app, list(words))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        discard(sys.stdout)
        return UNREAD
    except OSError as error:
        discard(sys.stdout)
        complain(f"the output cannot be written: {error.strerror}")
        return UNWRITTEN
    return code


def _attempt(app: click.Command, words: list[str]) -> int:
    """Run it as `run` does; raises what concerns the output and interruptions alone."""
    as_json = "--json" in words
    try:
        with app.make_context("urim", words) as context:
            app.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.exceptions.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        _report_usage(error, as_json=as_json)
        return UNUSABLE
    except UrimError as error:
        return _stopped(error, as_json=as_json)
    except OSError as error:
        if error.filename is None:  # what writes to an open stream has no name
            raise
        why = f"{error.filename}: {error.strerror}"
        full = error.errno in FULL
        found = Unavailable(why) if full else Refused("unreadable", why)
        return _stopped(found, as_json=as_json)
    # Any other is a fault of ours, or of a game system that somebody installed: who called the
    # command gets a sentence and a code even then, and the traceback only in a log of debugging.
    except Exception as error:  # noqa: BLE001
        if logging.getLogger("urim").isEnabledFor(logging.DEBUG):
            traceback.print_exception(error)
        why = f"{type(error).__name__}: {error}, at {where(error)}"
        return _stopped(Defect(why), as_json=as_json)
    return PASSED


def _stopped(error: UrimError, *, as_json: bool) -> int:
    """Report what stopped a command; its exit code."""
    report(error, as_json=as_json)
    match error:
        case Defect():
            return FAULT
        case Unavailable():
            return UNWRITTEN
        case _:
            return UNUSABLE


# --- wrong uses of the command line ---------------------------------------------------------------


def _report_usage(error: click.ClickException, *, as_json: bool) -> None:
    why, allowed = usage(error)
    context = error.ctx if isinstance(error, click.UsageError) else None
    more = f"{context.command_path if context else 'urim'} --help"
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        click.echo(error.format_message(), err=True)
        return
    refused = Refused("malformed", why, allowed=allowed)
    if as_json:
        print_objects([{"type": "usage", "why": why, **refused.listed(), "help": more}])
    else:
        complain(f"{refused} ({more})")


def usage(error: click.ClickException) -> tuple[str, Sequence[str]]:
    """What is wrong with the use of the command line, and what would be allowed."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            return "a command is missing", _names(error)
        case click.exceptions.NoSuchCommand():
            return f"no command {_shown(error.command_name)}", _near(
                error.command_name, _names(error)
            )
        case Renamed():
            return error.message, [error.now]
        case click.exceptions.NoSuchOption():
            return f"no option {_shown(error.option_name)}", _near(
                error.option_name, _options(error)
            )
        case click.exceptions.MissingParameter():
            return f"{_label(error)} is missing", _choices(error)
        case click.exceptions.BadParameter():
            return f"{_label(error)}: {_part(error.message)}", _choices(error)
        case _:
            return _part(error.format_message()), ()


def _label(error: click.BadParameter) -> str:
    """The option or argument that is wrong, as the help calls it."""
    param = error.param
    if param is None:
        return "an argument"
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or str(param.name).upper()).strip("[].")


def _names(error: click.UsageError) -> list[str]:
    """The commands that there are where one is wrong."""
    group = error.ctx.command if error.ctx else None
    return group.list_commands(error.ctx) if error.ctx and isinstance(group, click.Group) else []


def _options(error: click.UsageError) -> list[str]:
    """The options that there are where one is wrong."""
    if error.ctx is None:
        return []
    params = error.ctx.command.get_params(error.ctx)
    return [name for param in params if isinstance(param, click.Option) for name in param.opts]


def _choices(error: click.BadParameter) -> Sequence[str]:
    kind = error.param.type if error.param else None
    return list(map(str, kind.choices)) if isinstance(kind, click.Choice) else ()


def _near(word: str, known: Sequence[str]) -> Sequence[str]:
    """What was probably meant; else all there is."""
    return get_close_matches(word[:LONGEST], known) or known


def _shown(word: str) -> str:
    from ...events.log.location import without_passwords  # noqa: PLC0415  no help needs it

    word = without_passwords(word)
    return repr(word if len(word) <= LONGEST else f"{word[:LONGEST]}…")


def _part(message: str) -> str:
    """A sentence of click's as part of one of ours."""
    from ...events.log.location import without_passwords  # noqa: PLC0415  no help needs it

    message = without_passwords(message)
    short = message if len(message) <= 2 * LONGEST else f"{message[: 2 * LONGEST]}…"
    return short[:1].lower() + short[1:].rstrip(".")
