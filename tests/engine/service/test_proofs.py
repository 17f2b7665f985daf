"""What a service proves of a table by its signed heads, checked as a client would check it."""

import pytest

from tests.engine.helpers.stages.heads import key_of, service_on, signed_at
from tests.engine.helpers.stages.service import TABLE, declare, on_each_log
from urim.engine.service.secrets import Secrets
from urim.errors import Damaged, Refused
from urim.events.checkpoint import read
from urim.events.log.protocol import EventLog
from urim.events.merkle import EMPTY_ROOT, verify_consistency, verify_inclusion


@on_each_log
async def test_every_entry_is_proved_to_be_under_the_latest_signed_head(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await signed_at(service, 9)
    rows = await log.read(TABLE)
    for entry in rows:
        proved = await service.inclusion(TABLE, entry.seq)
        head = read(proved.note, [key_of(secrets)])
        assert head.size == 9
        verify_inclusion(entry.leaf, entry.seq, head.size, proved.proof, head.root)
        with pytest.raises(Damaged):
            verify_inclusion(bytes(32), entry.seq, head.size, proved.proof, head.root)
    for seq in (-1, 9, 2**70):
        with pytest.raises(Refused) as refused:
            await service.inclusion(TABLE, seq)
        assert refused.value.code == "out-of-range"
    assert len(await log.heads(TABLE)) == 1


@on_each_log
async def test_an_entry_that_is_not_signed_yet_is_signed_to_be_proved(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await signed_at(service, 5)
    [entry] = await service.submit(TABLE, "p1", declare())
    proved = await service.inclusion(TABLE, entry.seq)
    head = read(proved.note, [key_of(secrets)])
    verify_inclusion(entry.leaf, 5, 6, proved.proof, head.root)
    assert [head.size for head in await log.heads(TABLE)] == [5, 6]


@on_each_log
async def test_the_latest_head_is_proved_to_begin_with_every_earlier_one(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await signed_at(service, *range(5, 14))
    roots = {head.size: head.root for head in await log.heads(TABLE)} | {0: EMPTY_ROOT}
    for size, root in roots.items():
        proved = await service.consistency(TABLE, size)
        head = read(proved.note, [key_of(secrets)])
        verify_consistency(size, root, head.size, head.root, proved.proof)
        if size:
            with pytest.raises(Damaged):
                verify_consistency(size, bytes(32), head.size, head.root, proved.proof)
    with pytest.raises(Refused, match="13 entries, not 14"):
        await service.consistency(TABLE, 14)
