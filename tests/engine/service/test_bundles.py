"""A bundle that a service writes: the log as it is now, as a seat may see it, in slices."""

from io import BytesIO

import pytest

from tests.engine.helpers.stages.heads import key_of, service_on
from tests.engine.helpers.stages.service import (
    TABLE,
    declare,
    mark,
    noting,
    on_each_log,
    seated,
    throw,
)
from urim.engine.audit import audit
from urim.engine.bundle.write import write_bundle
from urim.engine.core.commands import Erase, Reveal
from urim.engine.server.front import Front
from urim.engine.service import Service, bundles
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.errors import Defect, Refused
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog


async def lines_of(service: Service, seat: str, roll: int | None = None) -> list[bytes]:
    """A whole bundle."""
    return [line async for line in await service.bundle(TABLE, seat, roll)]


async def played(service: Service) -> None:
    """A roll in the open, 1, and a hidden one, 2, with dice."""
    await seated(service)
    for command in (declare(), throw(), declare("gm"), throw(2)):
        await service.submit(TABLE, "p1", command)


async def test_a_service_is_what_a_server_asks() -> None:
    front: Front = Service(MemoryLog(), MemorySecrets())
    assert await front.tables() == ()


@on_each_log
async def test_a_bundle_is_of_the_log_as_it_is_now_as_the_seat_may_see_it(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    for seat in ("", "p1", "p2", "narrator"):
        for roll in (None, 1, 2):
            if roll == 2 and seat in ("", "p2"):
                continue
            await service.submit(TABLE, "p2", noting(f"{seat} {roll}"))
            found = await lines_of(service, seat, roll)
            note = await service.checkpoint(TABLE)
            head = await log.last_head(TABLE)
            assert head is not None
            assert (head.note, head.size) == (note, (await service.state(TABLE)).size)
            own = await service.view(TABLE, seat)
            assert found == [*write_bundle(own, note, [key_of(secrets)], roll)]
            report = audit(BytesIO(b"".join(found)), key=key_of(secrets).vkey)
            assert not report.failed, (seat, roll)


@on_each_log
async def test_what_is_hidden_is_in_no_bundle_and_its_roll_is_unknown(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    whole = b"".join(await lines_of(service, "p1"))
    for seat in ("", "p2"):
        assert len(b"".join(await lines_of(service, seat))) < len(whole)
        refusals = []
        for roll in (2, 9):
            with pytest.raises(Refused) as refused:
                await service.bundle(TABLE, seat, roll)
            refusals.append(str(refused.value).replace(f"{roll}", "N"))
        assert refusals[0] == refusals[1]
    await service.submit(TABLE, "narrator", Reveal(2))
    assert len(await lines_of(service, "", 2)) > 3


@on_each_log
async def test_unknown_tables_and_seats_are_refused_before_the_first_line(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)
    for table, seat in (("nowhere1", ""), ("nowhere1", "p1"), (TABLE, "p9")):
        with pytest.raises(Refused) as refused:
            await service.bundle(table, seat)
        assert refused.value.code == "unknown"
    assert await log.heads(TABLE) == ()
    await service.close()
    with pytest.raises(Defect):
        await service.bundle(TABLE, "p1")


@on_each_log
async def test_a_bundle_is_made_in_slices_and_stays_what_was_signed(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)
    [noted, _] = await service.submit(TABLE, "p1", noting("a secret"))
    for number in range(20):
        await service.submit(TABLE, "narrator", mark(number))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("urim.engine.service.readers.SLICE", 3)
        lines = await service.bundle(TABLE, "p2")
        first = await anext(lines)
        await service.submit(TABLE, "narrator", Erase(noted.seq + 1))
        rest = [line async for line in lines]
        assert len(rest) == 27 + 1
        report = audit(BytesIO(b"".join([first, *rest])), key=key_of(secrets).vkey)
        assert not report.failed
        assert b"a secret" not in b"".join(await lines_of(service, "p2"))
    assert bundles.SLICE > 3
