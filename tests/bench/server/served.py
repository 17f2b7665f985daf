"""The server, on a log where the scripts' rolls may begin, with a token for each seat.

    python -m tests.bench.server.served '{"folder": …, "tables": 64, "rolls": 2}'

All is as `urim serve` has it, but for the scripts' secret, clock and salts, and for the limit of a
seat's rate.
"""

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path
from secrets import token_urlsafe

from msgspec.json import decode

from tests.bench import durable
from tests.bench.script import READINGS, STRIKER, SYSTEM, TOAD, around
from tests.bench.server.alone import Plan, scripts
from tests.bench.server.processes import run
from tests.bench.server.serving import loopback, serve
from urim.engine.access.protocol import DAY, Inviting
from urim.engine.access.rights import AccessRole
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.core.commands import EnterCharacter, OpenTable, TakeSeat
from urim.engine.core.limits import NARRATOR
from urim.engine.server.metrics.counted import CountedService
from urim.engine.server.metrics.figures import Metrics
from urim.engine.server.running import Running, milliseconds
from urim.engine.service import Service

FAR = "fartable"
"""A table where every seat may be asked for a share of the dice."""

FAR_SEATS = (STRIKER, TOAD, "p3", "p4", "p5", "p6", "p7")


async def main(plan: Plan) -> None:
    """Serve the tables until the process is over."""
    path = Path(plan.folder) / "log.db"
    log = await durable.opened(path, scripts(plan))
    access = await SqliteAccess.beside(path)
    service = CountedService(log, durable.OneSecret(), environments=lambda dice, secret: around())
    metrics = service.metrics = Metrics()
    await _open_far(service)
    seats = {f"bench{at:03}": (STRIKER, TOAD) for at in range(plan.tables)} | {FAR: FAR_SEATS}
    given = await asyncio.gather(*(_tokens(access, *each) for each in seats.items()))
    tokens = dict(zip(seats, given, strict=True))
    for table in seats:
        await service.state(table)
    listener, config = loopback()
    here = Running(front=service, access=access, config=config, metrics=metrics)
    try:
        ready = {"tokens": tokens}
        await serve(here, listener, lambda port: ready | {"port": port})
    finally:
        await service.close()
        await access.close()
        await log.close()


async def _open_far(service: Service) -> None:
    await service.open_table(NARRATOR, OpenTable(FAR, SYSTEM, READINGS, "fair", "player"))
    for seat in FAR_SEATS:
        await service.submit(FAR, NARRATOR, TakeSeat(seat))
    character = EnterCharacter("c1", STRIKER, {"BLE": 3, "VIG": 2, "wind attack": 2})
    await service.submit(FAR, NARRATOR, character)


async def _tokens(access: SqliteAccess, table: str, seats: Iterable[str]) -> dict[str, str]:
    """A token for the narrator, and for each of these seats."""
    found = {NARRATOR: await _token(access, table, "narrator", NARRATOR)}
    for seat in seats:
        found[seat] = await _token(access, table, "player", seat)
    return found


async def _token(access: SqliteAccess, table: str, role: AccessRole, seat: str) -> str:
    now = milliseconds()
    inviting = Inviting(
        table=table,
        role=role,
        seat=seat,
        by="host" if role == "narrator" else "narrator",
        by_seat=None if role == "narrator" else NARRATOR,
        expires=now + DAY,
    )
    issued = await access.invite(inviting, now)
    admitted = await access.exchange(issued.secret.reveal(), token_urlsafe(24), now)
    assert admitted is not None
    return admitted.token.reveal()


if __name__ == "__main__":
    run(main(decode(sys.argv[1], type=Plan)))
