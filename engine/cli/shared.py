"""What every command shares: exit codes, one sentence for whatever stops it, how output is written.

Exit codes: 0 all went well; 1 an expectation of a scenario failed; 2 the input cannot be used;
3 a fault of Urim; 130 interrupted; 141 nobody reads the output any more.
"""

import json
import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any

import typer

from ...errors import Damaged, Defect, Refused, Unavailable
from ..render.text import Page, Pen, page, pen_of

PASSED, FAILED, UNUSABLE, FAULT, INTERRUPTED, UNREAD = 0, 1, 2, 3, 130, 141

Json = Annotated[bool, typer.Option("--json", help="JSON Lines for programs, one object a line.")]

DATABASE = b"SQLite format 3\x00"
"""How a log's file begins."""


def print_objects(objects: Iterable[Any]) -> None:
    """Print one JSON object a line; beyond ASCII only where standard output is in UTF."""
    plain = not Pen(sys.stdout.encoding or "ascii").unicode
    for each in objects:
        sys.stdout.write(json.dumps(each, ensure_ascii=plain) + "\n")
    sys.stdout.flush()


def complain(sentence: str) -> None:
    """Write on standard error what was wrong, in one sentence."""
    out: Page = page(sys.stderr, soft_wrap=True)
    out.print(pen_of(out).text(f"urim: {sentence}"))


def exit_with(code: int) -> None:
    """End the command with an exit code."""
    if code:
        raise typer.Exit(code)


@contextmanager
def guarded() -> Generator[None]:
    """Turn whatever stops a command into its exit code, with one sentence and no traceback."""
    try:
        yield
        sys.stdout.flush()
    except (Refused, Damaged, Unavailable) as error:
        complain(str(error))
        raise typer.Exit(UNUSABLE) from error
    except Defect as error:
        complain(f"a fault of Urim, please report it: {error}")
        raise typer.Exit(FAULT) from error
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error
    except BrokenPipeError as error:
        # Python flushes standard output once more as it ends: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(UNREAD) from error


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
    out: Page = page(sys.stdout, soft_wrap=True)
    out.print(pen_of(out).text(f"{path} is written"))


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
