"""What every command shares: exit codes, one style for whatever stops it, how output is written.

A command that is stopped says why in one sentence on standard error, `urim: WHY; allowed: A, B`.
With --json the same is one object on standard output, and standard error stays empty:

    {"type": "refusal", "code", "why", "allowed"}   a command or an input that cannot be used
    {"type": "usage", "why", "allowed", "help"}     a wrong use of the command line
    {"type": "damaged", "why", "seq"}               a log that is not what was written
    {"type": "unavailable", "why"}                  a place that cannot do what it was asked
    {"type": "defect", "why"}                       a fault of Urim

Only what keeps standard output itself from being written is a sentence even then. Rich is imported
where something is shown, so that what prints nothing of the kind starts without it.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

import click

from ...errors import Damaged, Defect, Refused, Unavailable, UrimError

PASSED, FAILED, UNUSABLE, FAULT, UNWRITTEN, INTERRUPTED, UNREAD = 0, 1, 2, 3, 74, 130, 141

EXITS: Mapping[int, str] = {
    PASSED: "all went well",
    FAILED: "an expectation or a check failed",
    UNUSABLE: "the input cannot be used",
    FAULT: "a fault of Urim",
    UNWRITTEN: "the output cannot be written",
    INTERRUPTED: "interrupted",
    UNREAD: "nobody reads the output any more",
}
"""Every exit code and what it means; what a command means by 0, 1 or 2 its own help says."""

Object = dict[str, Any]

DATABASE = b"SQLite format 3\x00"
"""How a log's file begins."""


# --- what is printed ------------------------------------------------------------------------------


def print_objects(objects: Iterable[Any]) -> None:
    """Print one JSON object a line; beyond ASCII only where standard output is in UTF."""
    plain = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    for each in objects:
        sys.stdout.write(json.dumps(each, ensure_ascii=plain) + "\n")
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
    return f"{prefix}{error}"


def error_object(error: UrimError) -> Object:
    """What is wrong, as an object."""
    match error:
        case Refused():
            return {
                "type": "refusal",
                "code": error.code,
                "why": error.why,
                "allowed": list(error.allowed),
            }
        case Damaged():
            return {"type": "damaged", "why": error.why, "seq": error.seq}
        case Unavailable():
            return {"type": "unavailable", "why": error.why}
        case _:
            return {"type": "defect", "why": str(error)}


def exit_with(code: int) -> None:
    """End the command with an exit code."""
    if code:
        raise click.exceptions.Exit(code)


# --- what is written ------------------------------------------------------------------------------


def write_output(path: Path | None, parts: Iterable[bytes]) -> None:
    """Write bytes to a file, in place of what it holds, and say so; else to standard output.

    Raises Refused("taken") where the file is a log, Unavailable where it cannot be written.
    """
    if path is None:
        for part in parts:
            sys.stdout.buffer.write(part)
        sys.stdout.flush()
        return
    _not_a_log(path)
    try:
        _write(path, parts)
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}") from error
    say(f"{path} is written")


def _not_a_log(path: Path) -> None:
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(DATABASE)) == DATABASE:
            raise Refused("taken", f"{path} is a database", allowed=["another file"])


def _write(path: Path, parts: Iterable[bytes]) -> None:
    unfinished = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        with unfinished.open("xb") as file:
            file.writelines(parts)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def discard_output() -> None:
    """Let what standard output still holds go nowhere: Python writes it once more as it ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
