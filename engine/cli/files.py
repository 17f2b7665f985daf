"""What a command leaves behind: on standard output, or in a file that is there whole or not."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from ...errors import Refused, Unavailable

DATABASE = b"SQLite format 3\x00"
"""How a log's file begins."""


def leave(path: Path | None, parts: Iterable[bytes]) -> None:
    """Write bytes to a file, anew if it is there; without one to standard output.

    Raises Refused("taken") where a log stands in the file, Unavailable where it cannot be written.
    """
    if path is None:
        for part in parts:
            sys.stdout.buffer.write(part)
        sys.stdout.flush()
        return
    _not_a_log(path)
    try:
        _written(path, parts)
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}") from error


def _not_a_log(path: Path) -> None:
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(DATABASE)) == DATABASE:
            raise Refused("taken", f"{path} is a database", allowed=["another file"])


def _written(path: Path, parts: Iterable[bytes]) -> None:
    unfinished = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        with unfinished.open("xb") as file:
            file.writelines(parts)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
