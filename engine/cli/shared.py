"""What every command shares: exit codes, one style for whatever stops it, files read and written.

A command that is stopped says why in one sentence on standard error, `urim: WHY; allowed: A, B`.
With --json the same is one object on standard output, and standard error stays empty:

    {"type": "refusal", "code", "why", "allowed"}   a command or an input that cannot be used
    {"type": "usage", "why", "allowed", "help"}     a wrong use of the command line
    {"type": "damaged", "why", "seq"}               a log that is not what was written
    {"type": "unavailable", "why"}                  a place that cannot do what it was asked
    {"type": "defect", "why"}                       a fault of Urim

At most 20 things are listed in "allowed"; of more, "left_out" is how many are not. Only what keeps
standard output itself from being written is a sentence even then. Rich is imported where something
is shown, so that what prints nothing of the kind starts without it.
"""

import errno
import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TextIO

import click

from ...errors import Damaged, Defect, Refused, Unavailable, UrimError

if TYPE_CHECKING:  # `urim --help` imports no room of ours
    from ...events.base import JSON

PASSED, FAILED, UNUSABLE, UNCHECKED = 0, 1, 2, 3
FAULT, UNWRITTEN, INTERRUPTED, UNREAD = 70, 74, 130, 141

EXITS: Mapping[int, str] = {
    PASSED: "all went well",
    FAILED: "an expectation or a check failed",
    UNUSABLE: "the input cannot be used; nothing was changed",
    UNCHECKED: "an audit could not check everything",
    FAULT: "a fault of Urim",
    UNWRITTEN: "a full disk, a locked log, or a closed output; it may be tried again",
    INTERRUPTED: "interrupted",
    UNREAD: "nobody reads the output any more",
}
"""Every exit code and what it means; what a command means by 0 to 3 its own help says."""

LONGEST = 2000
"""Characters of what is wrong, at most: a word that was given may be a whole file."""

DATABASE = b"SQLite format 3\x00"
"""How a log's file begins."""


# --- what is printed ------------------------------------------------------------------------------


def print_objects(objects: Iterable[Any]) -> None:
    """Print one JSON object a line; beyond ASCII only where standard output is in UTF.

    Nothing is printed where what makes the objects is refused.
    """
    plain = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    lines = [f"{json.dumps(each, ensure_ascii=plain)}\n" for each in objects]
    sys.stdout.writelines(lines)
    sys.stdout.flush()


def say(sentence: str) -> None:
    """Write one line on standard output, as it can show it."""
    from ..render.text import page, pen_of  # noqa: PLC0415  as the module's docstring says

    out = page(sys.stdout, soft_wrap=True)
    out.print(pen_of(out).text(sentence))


def complain(sentence: str) -> None:
    """Write on standard error what was wrong, in one sentence."""
    from ..render.text import page, pen_of  # noqa: PLC0415  as the module's docstring says

    with suppress(OSError):  # who closed it, or filled its disk, does not read it
        out = page(sys.stderr, soft_wrap=True)
        out.print(pen_of(out).text(f"urim: {sentence}"))


def report(error: UrimError, *, as_json: bool, place: str = "", **known: object) -> None:
    """Say what is wrong, and in which `place`; as an object with what else is `known`."""
    if as_json:
        print_objects([{**error_object(error), **known}])
    else:
        complain(f"{place}: {sentence(error)}" if place else sentence(error))


def sentence(error: UrimError) -> str:
    """What is wrong, in a sentence."""
    prefix = "a fault of Urim, please report it: " if isinstance(error, Defect) else ""
    return f"{prefix}{_bounded(str(error))}"


def error_object(error: UrimError) -> "JSON":
    """What is wrong, as an object."""
    match error:
        case Refused():
            return {
                "type": "refusal",
                "code": error.code,
                "why": _bounded(error.why),
                **error.listed(),
            }
        case Damaged():
            return {"type": "damaged", "why": _bounded(error.why), "seq": error.seq}
        case Unavailable():
            return {"type": "unavailable", "why": _bounded(error.why)}
        case _:
            return {"type": "defect", "why": _bounded(str(error))}


def _bounded(text: str) -> str:
    """The text, what is too long of it left out in its middle, and without a password."""
    from ...events.log.location import without_passwords  # noqa: PLC0415  no help needs it

    text = without_passwords(text)
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"


def exit_with(code: int) -> None:
    """End the command with an exit code."""
    if code:
        raise click.exceptions.Exit(code)


def confirm(deed: str, question: str, *, yes: bool) -> None:
    """Ask on the terminal whether to do what cannot be undone; `yes` is the answer beforehand.

    Raises Refused("due") where there is no terminal to ask at, or the answer is no.
    """
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        why = f"{deed} needs a yes, and there is no terminal to ask at"
        raise Refused("due", why, allowed=["--yes"])
    sys.stderr.write(f"urim: {question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused("due", "it was not confirmed; nothing was changed")


# --- what is read ---------------------------------------------------------------------------------


def bytes_in(path: Path, most: int) -> bytes:
    """What a file begins with: one byte more than `most`, if it is too long.

    Raises Refused("unreadable"), naming it, where it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error


# --- what is written ------------------------------------------------------------------------------


FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""What a disk answers that cannot take more."""


def must_be_free(path: Path | None, *, force: bool) -> None:
    """Refuse with "taken" a file that is a log, or that is there and shall not be replaced.

    What is no file on a disk, as /dev/null, holds nothing that could be lost. Raises
    Refused("malformed") for `force` without a file.
    """
    if path is None and force:
        why = "--force replaces a file, and none is named"
        raise Refused("malformed", why, allowed=["a file", "no --force"])
    if path is None or not path.exists() or _is_device(path):
        return
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(DATABASE)) == DATABASE:
            raise Refused("taken", f"{path} is a database", allowed=["another file"])
    if not force:
        allowed = ["another file"] if path.is_dir() else ["another file", "--force"]
        raise Refused("taken", f"{path} is there already", allowed=allowed)


def write_file(path: Path, parts: Iterable[bytes], *, force: bool) -> "JSON":
    """Write bytes to a file, whole or not at all; what was written. Raises as `must_be_free`.

    Raises Refused("unreadable") where it cannot be written, Unavailable where there is no room.
    """
    must_be_free(path, force=force)
    try:
        size = _write(path, parts, force=force)
    except OSError as error:
        why = f"{path} cannot be written: {error.strerror or error}"
        if error.errno in FULL:
            raise Unavailable(why) from error
        raise Refused("unreadable", why, allowed=["another file"]) from error
    return {"type": "written", "file": str(path), "bytes": size}


def say_written(written: "JSON", *, as_json: bool) -> None:
    """Say that a file is written."""
    if as_json:
        print_objects([written])
    else:
        say(f"{written['file']} is written")


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _write(path: Path, parts: Iterable[bytes], *, force: bool) -> int:
    """Write to a file beside it and then give it the name; the bytes that were written."""
    if _is_device(path):
        with path.open("wb") as file:
            return sum(map(file.write, parts))
    final = path.resolve() if force else path  # a link stays one
    unfinished = final.with_name(f".{final.name}.{token_hex(8)}")
    try:
        with unfinished.open("xb") as file:
            size = sum(map(file.write, parts))
        if force or not _linked(unfinished, path):
            unfinished.replace(final)
    finally:
        unfinished.unlink(missing_ok=True)
    return size


def _linked(unfinished: Path, path: Path) -> bool:
    """Give a file its name if nothing has it; False where the disk knows no links.

    Raises Refused("taken") where something came to have it meanwhile.
    """
    try:
        path.hardlink_to(unfinished)
    except FileExistsError as error:
        raise Refused("taken", f"{path} is there already", allowed=["another file"]) from error
    except OSError:
        return False
    return True


def discard(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere: Python writes it once more as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
