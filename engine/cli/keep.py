"""How a table that was played in memory comes into a log: whole, its secret first, or not."""

import asyncio

from ...errors import Defect
from ...events.log.location import Location
from ...events.log.protocol import Appended, EventLog
from ..core.aggregate import Aggregate
from ..service.beside import secrets_of
from ..service.opening import kept
from ..service.secrets import WITH_SECRET, Secrets
from .database import on_written_log


async def keep(log: EventLog, secrets: Secrets, aggregate: Aggregate) -> bool:
    """Append all entries of a table at once; False where others took its id meanwhile.

    Raises Unavailable as `kept` and the log do.
    """
    table, secret = aggregate.opened.id, aggregate.environment.secret
    if aggregate.opened.source not in WITH_SECRET:
        return isinstance(await log.append(table, aggregate.entries, 0), Appended)
    hold = await kept(log, secrets, table, secret)
    if hold is None:
        return False
    answer = await log.append(table, aggregate.entries, 0)
    if not isinstance(answer, Appended):
        await asyncio.to_thread(secrets.discard, table, secret)
    hold.release()
    return isinstance(answer, Appended)


def keep_at(database: Location, aggregate: Aggregate) -> str:
    """Keep a table with a random id in a database, which is made if there is none; its id.

    Raises as `on_written_log` and `keep`.
    """

    async def work(log: EventLog) -> bool:
        return await keep(log, secrets_of(database), aggregate)

    id = aggregate.opened.id
    if not on_written_log(database, work, make=True):
        raise Defect(f"table {id} is in {database} already, though its id is random")
    return id
