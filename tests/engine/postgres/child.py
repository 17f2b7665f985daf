"""Another process that plays at a table of a database, a turn for each line of its standard input.

    python -m tests.engine.postgres.child URL TABLE

It writes the entry of each turn, or why it was refused.
"""

import os
import sys

from urim.engine.core.commands import SetTrack
from urim.engine.service.blocking import BlockingService
from urim.errors import UrimError
from urim.events.log.location import located


def main(url: str, table: str) -> None:
    """Play until the input ends."""
    with BlockingService(located(url), make=False) as running:
        for turn, _ in enumerate(sys.stdin):
            command = SetTrack("c1", "xr", turn % 7)
            try:
                [entry] = running.call(lambda it: it.submit(table, "narrator", command))  # noqa: B023
                said = str(entry.seq)
            except UrimError as error:
                said = f"{type(error).__name__}: {error}"
            os.write(1, f"{said}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
