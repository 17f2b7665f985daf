"""An epoch: a table whose log was restored goes on under a new secret, and an entry says so.

Who kept a copy of the log that was lost could know what is thrown next under the old secret:
nothing is thrown under it again. Over a log that fits its signed heads none begins (`grounds`).
"""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

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
from ..snapshots.protocol import StaleSnapshot
from .grounds import Filed, Grounds, evidence, filed
from .heads import is_note, read_unverified
from .opening import new_secret
from .secrets import WITH_SECRET
from .tables import Held, Loaded, Loader


async def begun(
    loader: Loader, held: Held, seat: str | None, seen: Sequence[bytes], *, restored: bool
) -> tuple[Entry, ...]:
    """See `Service.begin_epoch`."""
    table = held.table
    held.loaded = None
    alone = ExitStack()
    await asyncio.to_thread(alone.enter_context, loader.secrets.alone())
    with alone:
        signed = await filed(loader, table)
        known = await _loaded(loader, table)
        state = known.aggregate.opened
        seat = seat or narrator(state)
        must_narrate(state, seat, "beginning an epoch")
        found = await evidence(loader, known, signed, seen)
        if not restored:
            found.grounds.check()
        loader.signer.forget(table)
        source = await _new_source(loader, state)
        aggregate = known.aggregate
        aggregate.environment = replace(aggregate.environment, source=source)
        prepared = await loader.apart(partial(aggregate.prepare, seat, body_of(BeginEpoch())))
        lost = await _keep(loader, table, signed, found.lost)
        answer = await loader.log.append(table, prepared.entries, state.size)
        if not isinstance(answer, Appended):
            raise Unavailable(f"others changed table {table!r} first")
        # Only now: until the epoch is in the log, the signed head must keep the table from serving.
        await _supersede(loader, known, state.epoch + 1, lost)
        loader.signer.superseded(table)
    try:
        await loader.apart(partial(known.aggregate.keep, prepared))
    except StaleSnapshot as stale:  # which would begin another one
        raise Unavailable(f"the epoch has begun, and {stale.why}") from stale
    held.loaded = await loader.armed(table, known.aggregate, known.signing, known.snapshot)
    loader.signer.touch(known.signing, known.aggregate.frontier)
    why = found.grounds.words
    logger.warning(
        "epoch begun", table=table, seat=seat, epoch=state.epoch + 1, size=state.size, why=why
    )
    return prepared.entries


async def grounds(loader: Loader, held: Held, seen: Sequence[bytes]) -> Grounds:
    """See `Service.epoch_grounds`."""
    held.loaded = None
    signed = await filed(loader, held.table)
    known = await _loaded(loader, held.table)
    return (await evidence(loader, known, signed, seen)).grounds


async def _loaded(loader: Loader, table: str) -> Loaded:
    """The table as its log has it, whatever the head in its file shows."""
    known = await loader.load(table, restored=True)
    if known is None:
        raise Refused("unknown", f"no table {shown(table)}", allowed=["open it first"])
    return known


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


async def _keep(
    loader: Loader, table: str, signed: Filed, lost: Sequence[bytes]
) -> tuple[bytes, ...]:
    """Keep the largest head of what is lost in the file, so that it counts; those that are left.

    What was signed here, some client may have: it counts as signed before, lost or not.
    """
    heads = loader.secrets.heads
    news = [*lost] if signed.unkept is None else [*lost, signed.unkept]
    if not news or (signed.file is not None and not is_note(signed.file)):
        return tuple(news)
    largest = max(news, key=_size)
    if signed.file is None or _size(largest) > _size(signed.file):
        await asyncio.to_thread(heads.keep, table, largest)
        news = [note for note in news if note != largest]
    return tuple(note for note in dict.fromkeys(news) if note != signed.file)


def _size(note: bytes) -> int:
    return read_unverified(note).size


async def _supersede(loader: Loader, known: Loaded, epoch: int, lost: Sequence[bytes]) -> None:
    """Keep the head that was signed last as evidence; the log's own last head takes its place.

    Those of what is `lost` become evidence too, one after the other.
    """
    latest = known.signing.latest
    heads = loader.secrets.heads
    for note in (*lost, latest.note if latest else None):
        await asyncio.to_thread(heads.supersede, known.signing.table, epoch, note)
