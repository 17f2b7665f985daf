"""A table on a log, or one of its rolls, signed as it is now and written as a bundle."""

from collections.abc import Iterator

from ...errors import Refused
from ...events.checkpoint import Key, public_key
from ...events.log.protocol import EventLog
from ..bundle.write import write_bundle
from ..core.attempt import seat_of
from ..service import Service
from ..service.secrets import Secrets


async def bundle_lines(
    log: EventLog, secrets: Secrets, table: str, seat: str = "", roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle: what the seat, or with "" anybody, may see of a table now.

    Its head is signed for it, with the host's key. Raises as `Service.checkpoint` and
    `write_bundle` do, and Refused("unknown") for a seat that is not there.
    """
    service = Service(log, secrets)
    try:
        if seat:
            seat_of(await service.state(table), seat)
        note = await service.checkpoint(table)
        entries = await service.view(table, seat)
    finally:
        await service.close()
    return write_bundle(entries, note, [_key(note, secrets)], roll)


def _key(note: bytes, secrets: Secrets) -> Key:
    """The key under the name that the note was signed by: its origin."""
    private = secrets.key.find()
    if private is None:
        raise Refused("unreadable", f"{secrets.key.place} is missing", allowed=["the host's key"])
    origin, _, _ = note.decode("utf-8").partition("\n")
    return public_key(origin, private)
