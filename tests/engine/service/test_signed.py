"""A service asks the seats that have keys for signatures, over restarts, snapshots and epochs."""

from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.engine.helpers.stages.service import TABLE, noting, on_each_log, seated
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import Asking, LeaveSeat, OpenTable, TakeSeat, apart
from urim.engine.core.parse import body_of
from urim.engine.core.signed import Signed
from urim.engine.service import Service
from urim.engine.service.secrets import Secrets
from urim.engine.snapshots.file import Snapshots
from urim.engine.snapshots.table import TableSnapshot, latest
from urim.errors import Refused
from urim.events.asked import Asked, Seen, signed
from urim.events.log.protocol import EventLog
from urim.events.merkle import root_of

HOST = "dice.example"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = b64encode(KEY.public_key().public_bytes_raw()).decode("ascii")
TAKING = TakeSeat("p1", key=PUBLIC)


def signature(asking: Asking, request: str, seen: Seen, host: str = HOST) -> Signed:
    """What seat p1 sends with a request."""
    asked = Asked(request, body_of(apart(asking)[0]).decode("utf-8"), seen)
    message = signed(f"{host}/t/{TABLE}", "p1", asked)
    return Signed(seen, b64encode(KEY.sign(message)).decode("ascii"))


async def head(log: EventLog, size: int | None = None) -> Seen:
    """A head of the log: the newest, unless a size is given."""
    entries = (await log.read(TABLE))[:size]
    return Seen(len(entries), root_of(entry.leaf for entry in entries).hex())


async def code_of(service: Service, *given: object) -> str:
    """The code that seat p1 is refused with."""
    with pytest.raises(Refused) as refusal:
        await service.submit(TABLE, "p1", *given)  # type: ignore[arg-type]
    return refusal.value.code


async def keyed(log: EventLog, secrets: Secrets) -> Service:
    """A service with a table at which seat p1 has a key."""
    service = Service(log, secrets, host=HOST)
    await seated(service)
    await service.submit(TABLE, "p1", TAKING, "k-1", signature(TAKING, "k-1", await head(log)))
    return service


@on_each_log
async def test_the_origin_is_that_of_the_services_heads(log: EventLog, secrets: Secrets) -> None:
    service = await keyed(log, secrets)
    asking, seen = noting("so"), await head(log)
    assert await code_of(service, asking, "n-1") == "not-signed"
    for host in ("urim.local", "other.example"):
        wrong = signature(asking, "n-1", seen, host)
        assert await code_of(service, asking, "n-1", wrong) == "not-signed"
    assert await service.submit(TABLE, "p1", asking, "n-1", signature(asking, "n-1", seen))
    await service.checkpoint(TABLE)
    await service.close()
    again = Service(log, secrets)  # the heads say how the host is called
    assert await again.submit(TABLE, "p1", asking, "n-2", signature(asking, "n-2", seen))


@on_each_log
async def test_a_request_is_done_once_over_restarts_epochs_and_persons(
    log: EventLog, secrets: Secrets
) -> None:
    service = await keyed(log, secrets)
    asking = noting("so")
    sent = signature(asking, "n-1", await head(log))
    first = await service.submit(TABLE, "p1", asking, "n-1", sent)
    await service.close()
    service = Service(log, secrets, host=HOST)
    assert await service.submit(TABLE, "p1", asking, "n-1", sent) == first
    await service.begin_epoch(TABLE, restored=True)
    assert await service.submit(TABLE, "p1", asking, "n-1", sent) == first
    other = noting("something else")
    reused = other, "n-1", signature(other, "n-1", await head(log))
    assert await code_of(service, *reused) == "request-reused"
    await service.submit(TABLE, "narrator", LeaveSeat("p1"))
    await service.submit(TABLE, "narrator", TakeSeat("p1"))
    size = len(await log.read(TABLE))
    assert await code_of(service, noting("hers"), "n-1") == "request-reused"
    # The same command under its id is answered as before: the key is not taken again.
    replayed = signature(TAKING, "k-1", await head(log, 0))
    assert await service.submit(TABLE, "p1", TAKING, "k-1", replayed)
    assert (await service.state(TABLE)).seats["p1"].key is None
    assert len(await log.read(TABLE)) == size


@on_each_log
async def test_a_signed_request_is_not_done_in_a_log_that_went_another_way(
    log: EventLog, secrets: Secrets
) -> None:
    service = await keyed(log, secrets)
    await service.submit(TABLE, "narrator", noting("one"))
    asking = noting("so")
    roots = [entry.leaf for entry in await log.read(TABLE)]
    roots[-1] = bytes(32)  # the seat was shown another entry
    sent = signature(asking, "n-1", Seen(len(roots), root_of(roots).hex()))
    assert await code_of(service, asking, "n-1", sent) == "not-signed"


def test_a_table_opened_through_its_snapshot_knows_what_each_seat_had_seen(tmp_path: Path) -> None:
    around = environment("seeded:7")
    rows = Snapshots(tmp_path / "snapshots")
    known = latest(rows.table(TABLE, bytes(32)))
    table = Aggregate(around, known.kept)
    table.submit("narrator", OpenTable(TABLE, "plain", source="seeded:7"))
    table.submit("narrator", TakeSeat("p1"))

    def ask(at: Aggregate, asking: Asking, request: str, size: int) -> None:
        seen = Seen(size, at.root_at(size).hex())
        at.submit("p1", asking, request, signature(asking, request, seen, "urim.local"))

    ask(table, TAKING, "k-1", 0)
    for number in range(3):
        ask(table, noting("so"), f"n-{number}", 3)
    known.write(table, b"")
    entries = list(table.entries)
    rows.close()
    known = latest(Snapshots(tmp_path / "snapshots").table(TABLE, bytes(32)))
    again = Aggregate(around, known.kept)
    assert known.take_up(again, entries[0], around.rulesets)
    assert isinstance(known, TableSnapshot)
    assert again.index.asked == table.index.asked
    for size in (0, 2):
        with pytest.raises(Refused, match=f"a head of {size} entries"):
            ask(again, noting("more"), "n-9", size)
    ask(again, noting("more"), "n-9", 3)
