"""Another process that uses a store of access, and reports on its standard output.

    python -m tests.engine.access.child exchange PATH SECRET FIRST COUNT BUILD
    python -m tests.engine.access.child revoke PATH TABLE SEAT

Lines: `T WHO TOKEN` a client was admitted, `N WHO` it was not, `B` work is done and not committed,
`C` it is committed and nobody has an answer.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence

from tests.engine.access.helpers import NOW, client
from urim.engine.access.sqlite import SqliteAccess
from urim.events.log.sqlite.writer import Job, Writer


def report(*words: object) -> None:
    """Write a line in one piece, past every buffer."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class StopsBefore(Writer):
    """Stops for good when the work is done and COMMIT is not."""

    def transact(self, batch: Sequence[Job]) -> list[object]:
        self.connection.execute("BEGIN IMMEDIATE")
        for job in batch:
            job.work(self.connection)
        report("B")
        signal.pause()
        return []


class StopsAfter(Writer):
    """Stops for good when COMMIT has returned and nobody has an answer."""

    def settle(self, batch: Sequence[Job], outcomes: Sequence[object]) -> None:
        if not batch[0].alone:
            report("C")
            signal.pause()
        super().settle(batch, outcomes)


BUILDS: dict[str, type[Writer]] = {"whole": Writer, "before": StopsBefore, "after": StopsAfter}


async def exchange(path: str, secret: str, first: str, count: str, build: str) -> None:
    """Exchange a secret as so many clients, one after another."""
    store = await SqliteAccess.open(path, writer=BUILDS[build])
    for who in range(int(first), int(first) + int(count)):
        admitted = await store.exchange(secret, client(who), NOW)
        if admitted is None:
            report("N", who)
        else:
            report("T", who, admitted.token.reveal())
    await store.close()


async def revoke(path: str, table: str, seat: str) -> None:
    """Revoke a seat."""
    store = await SqliteAccess.open(path)
    report(await store.revoke_seat(table, seat))
    await store.close()


if __name__ == "__main__":
    _, what, *words = sys.argv
    ways: dict[str, Callable[..., Coroutine[None, None, None]]] = {
        "exchange": exchange, "revoke": revoke,
    }  # fmt: skip
    asyncio.run(ways[what](*words))
