"""The command `urim`: it plays scenarios, shows systems and reads logs, for people and programs.

`commands` lists every command, `app` runs the one that is called, `frame` is how one is declared,
`shared` holds exit codes, refusals and output, `endings` is how a run ends. This module is what the
operating system meets: streams that are closed, signals. It imports the others when it can say what
stopped them.
"""

import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn


class Terminated(BaseException):
    """A signal asks the program to end: what is unfinished is removed first."""


def main() -> None:
    """Run the command line."""
    try:
        for name in ("SIGTERM", "SIGHUP"):
            heed(name)
        ready()
        # Not before: whatever stops a program while it starts is no traceback either.
        from .app import app  # noqa: PLC0415

        app(prog_name="urim")
    except KeyboardInterrupt:
        sys.exit(130)  # INTERRUPTED of `shared`, which may not be there yet
    except Terminated as asked:
        number = asked.args[0]
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # and end as others do whom it ends


def heed(name: str) -> None:
    """Let a signal that would end the program raise Terminated, unless it is ignored."""
    number = getattr(signal, name, None)  # Windows has no SIGHUP
    if number is not None and signal.getsignal(number) is signal.SIG_DFL:
        signal.signal(number, _end)


def _end(number: int, _: object) -> NoReturn:
    raise Terminated(number)


def ready() -> None:
    """Make standard streams that can be used: none is closed, none stops at what it cannot encode.

    A closed one is opened to nowhere, so that no file of ours takes its place; standard output that
    is closed ends the program, before anything has happened.
    """
    closed = sys.stdout is None
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  open until the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  likewise
    if closed:
        with suppress(OSError):
            sys.stderr.write("urim: standard output is closed\n")
        sys.exit(74)  # UNWRITTEN of `shared`
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
