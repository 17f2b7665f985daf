"""An epoch: a table whose log was restored goes on under a new secret, and an entry says so.

Who kept a copy of the log that was lost could know what is thrown next under the old secret:
nothing is thrown under it again.
"""

import asyncio

from msgspec.structs import replace

from ...errors import Refused, Unavailable
from ...events.entry import Entry
from ...events.log.protocol import Appended
from ...projections.tables import TableState
from ..core.aggregate import environment
from ..core.attempt import must_narrate
from ..core.commands import BeginEpoch
from ..core.parse import body_of, shown
from ..core.sources import Source
from ..logs import logger
from .opening import new_secret
from .secrets import WITH_SECRET
from .tables import Held, Loaded, Loader


async def begun(loader: Loader, held: Held, seat: str | None) -> tuple[Entry, ...]:
    """See `Service.begin_epoch`."""
    table = held.table
    held.loaded = None
    with loader.secrets.alone():
        known = await loader.load(table, restored=True)
        if known is None:
            raise Refused("unknown", f"no table {shown(table)}", allowed=["open it first"])
        loader.signer.forget(table)
        state = known.aggregate.opened
        seat = seat or narrator(state)
        must_narrate(state, seat, "beginning an epoch")
        source = await _new_source(loader, state)
        aggregate = known.aggregate
        aggregate.environment = replace(aggregate.environment, source=source)
        prepared = aggregate.prepare(seat, body_of(BeginEpoch()))
        unkept = loader.signer.unkept(table)
        if unkept is not None:  # some client may have it: it counts as signed before
            await asyncio.to_thread(loader.secrets.heads.keep, table, unkept.note)
        answer = await loader.log.append(table, prepared.entries, state.size)
        if not isinstance(answer, Appended):
            raise Unavailable(f"others changed table {table!r} first")
        # Only now: until the epoch is in the log, the signed head must keep the table from serving.
        await _supersede(loader, known, state.epoch + 1)
        loader.signer.superseded(table)
    known.aggregate.keep(prepared)
    held.loaded = await loader.armed(table, known.aggregate, known.signing, known.snapshot)
    loader.signer.touch(known.signing, known.aggregate.frontier)
    logger.warning("epoch begun", table=table, seat=seat, epoch=state.epoch + 1, size=state.size)
    return prepared.entries


def narrator(state: TableState) -> str:
    """The first seat, by id, that narrates. Raises Refused("not-yours") where there is none."""
    seats = sorted(state.seats)
    here = (seat for seat in seats if state.seats[seat].here)
    found = next((seat for seat in here if state.seats[seat].role == "narrator"), None)
    if found is None:
        raise Refused("not-yours", f"no narrator sits at table {state.id!r}")
    return found


async def _new_source(loader: Loader, state: TableState) -> Source:
    """Dice under a new secret, which is kept before anything is committed to under it."""
    secret = new_secret()
    if state.source in WITH_SECRET:
        epoch = state.epoch + 1
        await asyncio.to_thread(loader.secrets.keep_epoch, state.id, epoch, secret)
    return environment(state.source, secret).source


async def _supersede(loader: Loader, known: Loaded, epoch: int) -> None:
    """Keep the head that was signed last as evidence; the log's own last head takes its place."""
    latest = known.signing.latest
    note = latest.note if latest else None
    heads = loader.secrets.heads
    await asyncio.to_thread(heads.supersede, known.signing.table, epoch, note)
