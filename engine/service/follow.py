"""A table's entries as one seat may see them, as they come, and again once it may see more."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeAlias

from ...events import roll as rolled
from ...events import table as tabled
from ...events.entry import HIDDEN, Entry
from ...events.log.protocol import CaughtUp, EventLog
from ..core.aggregate import Aggregate
from ..core.visibility import redacted

Reaches: TypeAlias = Callable[[int], Awaitable[Aggregate | None]]
"""The table in memory with that entry in it; None where the log has no such entry."""

WIDENING = (
    rolled.RollRevealed,
    rolled.ReactionDeclared,
    rolled.DiceRolled,
    tabled.CharacterGiven,
    tabled.SeatTaken,
)
"""Events after which a seat may see what was withheld from it before."""


async def followed(
    log: EventLog, reaches: Reaches, table: str, seat: str, after: int
) -> AsyncGenerator[Entry | CaughtUp, None]:
    """See `Service.follow`."""
    async with aclosing(log.follow(table, after)) as rows:
        unseen = await _hidden_until(reaches, after)
        async for row in rows:
            if isinstance(row, CaughtUp):
                yield row
                continue
            aggregate = await reaches(row.seq)
            if aggregate is None:
                return
            # No await from here to the end of the list: it is of one moment.
            given = [as_seen(aggregate, seat, row.seq)]
            record = aggregate.records[row.seq]
            if record is not None and isinstance(record.event, WIDENING):
                again = [as_seen(aggregate, seat, seq) for seq in sorted(unseen)]
                given += [entry for entry in again if entry.payload is not None]
                unseen -= {entry.seq for entry in given}
            if given[0].payload is None and row.kind in HIDDEN:
                unseen.add(row.seq)
            for entry in given:
                yield entry


async def _hidden_until(reaches: Reaches, after: int) -> set[int]:
    """The hidden entries that a follower has already: whether with a payload, it alone knows."""
    aggregate = await reaches(after) if after >= 0 else None
    if aggregate is None:
        return set()
    return {entry.seq for entry in aggregate.entries[: after + 1] if entry.kind in HIDDEN}


def as_seen(aggregate: Aggregate, seat: str, seq: int) -> Entry:
    """An entry of a table as the seat may have it now."""
    return redacted(aggregate.opened, seat, aggregate.entries[seq])
