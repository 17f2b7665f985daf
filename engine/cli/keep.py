"""How a table that was played in memory comes into a log: whole, its secret first, or not."""

import asyncio

from ...events.log.protocol import Appended, EventLog
from ..core.aggregate import Aggregate
from ..service.secrets import WITH_SECRET, FileSecrets


async def keep(log: EventLog, secrets: FileSecrets, aggregate: Aggregate) -> bool:
    """Append all entries of a table at once; False where others took its id meanwhile."""
    table, secret = aggregate.opened.id, aggregate.environment.secret
    own = aggregate.opened.source in WITH_SECRET
    if own:
        await asyncio.to_thread(secrets.keep, table, secret)
    answer = await log.append(table, aggregate.entries, 0)
    if own and not isinstance(answer, Appended):
        await asyncio.to_thread(secrets.discard, table, secret)
    return isinstance(answer, Appended)
