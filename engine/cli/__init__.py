"""The command `urim`: it plays scenarios, shows systems and reads logs, for people and programs.

`commands` lists every command, `frame` runs the one that is called, `shared` holds what all of them
share: exit codes, refusals, output.
"""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what no encoding can carry must not stop a program
            stream.reconfigure(errors="backslashreplace")
    from .frame import app  # noqa: PLC0415  an interruption while it is imported comes with stage 2

    app(prog_name="urim")
