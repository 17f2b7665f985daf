"""Another process that plays at a table of a database, a turn for each line of its standard input.

    python -m tests.engine.postgres.child URL TABLE

It writes `R` once it is ready, and then of each turn its entry, or why it was refused; at the end
how often another process was first.
"""

import os
import sys
from io import StringIO

from urim.engine.core.commands import SetTrack
from urim.engine.logs import configure
from urim.engine.service.blocking import BlockingService
from urim.errors import UrimError
from urim.events.log.location import located


def main(url: str, table: str) -> None:
    """Play until the input ends."""
    configure(level="INFO", json=True, stream=(logged := StringIO()))
    with BlockingService(located(url), make=False) as running:
        running.call(lambda it: it.state(table))
        report("R")
        for turn, _ in enumerate(sys.stdin):
            command = SetTrack("c1", "xr", turn % 7)
            try:
                [entry] = running.call(lambda it: it.submit(table, "narrator", command))  # noqa: B023
                report(entry.seq)
            except UrimError as error:
                report(f"{type(error).__name__}: {error}")
        report(logged.getvalue().count('"others were first"'))


def report(what: object) -> None:
    """Write a line in one piece, past every buffer."""
    os.write(1, f"{what}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
