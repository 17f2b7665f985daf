"""Another process that plays at a table of a database, a turn for each line of its standard input.

    python -m tests.engine.postgres.child URL TABLE

It writes `R` once it is ready, and then of each turn its entry, or why it was refused; at the end
how often another process was first. Where others were first again and again it asks once more.
"""

import os
import sys
from contextlib import suppress
from functools import partial
from io import StringIO

from urim.engine.core.commands import SetTrack
from urim.engine.logs import configure
from urim.engine.service import Service
from urim.engine.service.blocking import BlockingService
from urim.errors import Unavailable, UrimError
from urim.events.log.location import located


def main(url: str, table: str) -> None:
    """Play until the input ends."""
    configure(level="INFO", json=True, stream=(logged := StringIO()))
    with BlockingService(located(url), make=False) as running:
        running.call(lambda it: it.state(table))
        report("R")
        for turn, _ in enumerate(sys.stdin):
            asked = partial(played, table=table, turn=turn)
            try:
                report(running.call(asked))
            except UrimError as error:
                report(f"{type(error).__name__}: {error}")
        report(logged.getvalue().count('"others were first"'))


async def played(service: Service, table: str, turn: int) -> int:
    """The entry of a turn, under one request however often it is asked."""
    command, request = SetTrack("c1", "xr", turn % 7), f"turn-{os.getpid()}-{turn}"
    while True:
        with suppress(Unavailable):
            [entry] = await service.submit(table, "narrator", command, request)
            return entry.seq


def report(what: object) -> None:
    """Write a line in one piece, past every buffer."""
    os.write(1, f"{what}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
