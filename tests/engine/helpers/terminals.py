"""Pseudo-terminals for tests, which are skipped where none can be opened."""

import os
import signal
import sys

import pytest

MISSING = "no pseudo-terminal can be opened here: mount devpts at /dev/pts"


def opened() -> tuple[int, int]:
    """Both ends of a new terminal, ours first."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminals")
    try:
        return os.openpty()
    except OSError as error:
        pytest.skip(f"{MISSING} ({error})")


def started(arguments: list[str], **environment: str) -> tuple[int, int]:
    """Our end of a new terminal, and the id of the program in it, which the terminal controls."""
    for end in opened():  # whether there is one is not asked of the child
        os.close(end)
    import pty  # noqa: PLC0415 - Windows has none

    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a job in the background ignores
        os.execvpe(arguments[0], arguments, {**os.environ, **environment})  # noqa: S606 - our own
    return terminal, child
