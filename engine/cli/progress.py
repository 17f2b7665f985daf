"""How far a long command is: a line on standard error that is written over, in a terminal alone."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

PATIENCE = 1.0
"""Seconds before progress is shown."""


@contextmanager
def progress(*, as_json: bool) -> Generator[Callable[[str], None] | None]:
    """What shows some words as progress; None where nobody at a terminal would see them."""
    if as_json or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()

    def show(words: str) -> None:
        if time.monotonic() - started > PATIENCE:
            sys.stderr.write(f"\rurim: {words}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
