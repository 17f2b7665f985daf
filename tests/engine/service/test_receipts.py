"""Receipts: who gets one, under which roots, what is in it, and that it passes the audit."""

from io import BytesIO

import pytest
from msgspec.structs import replace

from tests import plays
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
from urim.engine.bundle.about import chain_of, shown_to
from urim.engine.core.commands import AnyCommand, Erase, Reveal, SetTable
from urim.engine.service import Service
from urim.engine.service.receipts import Receipt, link_to, permitted, pin
from urim.engine.service.secrets import Secrets
from urim.errors import Refused
from urim.events.log.protocol import EventLog

NARRATOR = "narrator"
OPEN, HIDDEN, MISSING = 1, 2, 9


async def played(service: Service, *, links: bool = True) -> None:
    """A roll in the open, 1, and a hidden one, 2, with dice, both thrown."""
    await seated(service)
    for command in (declare(), throw(), declare("gm"), throw(HIDDEN)):
        await service.submit(TABLE, "p1", command)
    if links:
        await service.submit(TABLE, NARRATOR, SetTable("links", value=True))


async def refused(service: Service, roll: int, pinned: str | None = None) -> Refused:
    """Why there is no such receipt."""
    with pytest.raises(Refused) as found:
        await service.receipt(TABLE, roll, pinned)
    return found.value


def passes(found: Receipt, secrets: Secrets) -> None:
    """That the receipt's bundle proves what it says, under its own root."""
    report = audit(BytesIO(found.bundle), key=key_of(secrets).vkey)
    assert not report.failed, report.says


@on_each_log
async def test_a_receipt_is_a_bundle_and_its_link_pins_root_and_entries(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    found = await service.receipt(TABLE, OPEN)
    assert await service.link(TABLE, OPEN) == link_to(TABLE, OPEN, found.pin)
    assert len(found.pin) == 22
    aggregate = await service.aggregate(TABLE)
    assert found.pin == pin(shown_to(aggregate, ""), OPEN, found.size)
    assert found.account is not None
    assert found.account.roll == OPEN
    passes(found, secrets)
    # Later entries are not in it, and it is found again by its root.
    await service.submit(TABLE, NARRATOR, mark())
    assert await service.receipt(TABLE, OPEN) == found
    note = noting("A note.", found.size - 1)
    await service.submit(TABLE, "p1", note)
    later = await service.receipt(TABLE, OPEN)
    old = await service.receipt(TABLE, OPEN, found.pin)
    assert (old.bundle, old.pin, old.account) == (found.bundle, found.pin, None)
    assert later.pin != old.pin
    assert later.size > found.size
    passes(old, secrets)
    passes(later, secrets)


@on_each_log
async def test_a_roll_that_no_link_may_show_is_as_one_that_is_not_there(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service, links=False)

    async def said(roll: int) -> str:
        return str(await refused(service, roll)).replace(f"roll {roll}", "roll N")

    nothing = {await said(roll) for roll in (OPEN, HIDDEN, MISSING)}
    steps: list[tuple[AnyCommand, bool]] = [
        (SetTable("links", value=True), True),
        (SetTable("links/1", value=False), False),
        (SetTable("links/1", value=None), True),
        (SetTable("links", value=None), False),
        (SetTable("links/1", value=True), True),
    ]
    for command, shown in steps:
        await service.submit(TABLE, NARRATOR, command)
        assert (await service.link(TABLE, OPEN) is not None) == shown
        nothing |= {await said(roll) for roll in (HIDDEN, MISSING)}
        if shown:
            assert (await service.receipt(TABLE, OPEN)).roll == OPEN
        else:
            nothing.add(await said(OPEN))
    assert len(nothing) == 1
    assert await service.link(TABLE, HIDDEN) is await service.link(TABLE, MISSING) is None


def test_who_forbids_one_roll_of_a_chain_forbids_the_others() -> None:
    path, *_ = sorted(plays.SCENARIOS.rglob("amend-attack.toml"))
    aggregate = plays.kept_of(path).play.aggregate
    log, table = shown_to(aggregate, ""), aggregate.opened
    chain = chain_of(log, 1)
    assert len(chain) > 1
    all_open = replace(table, settings=table.settings.set("links", True))
    assert all(permitted(all_open, log, roll) for roll in chain)
    for shut in chain:
        settings = all_open.settings.set(f"links/{shut}", False)
        assert not any(permitted(replace(table, settings=settings), log, roll) for roll in chain)


@on_each_log
async def test_a_roll_of_before_an_epoch_has_a_receipt_beyond_it(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    old = await service.receipt(TABLE, OPEN)
    # Heads up to a larger size were signed, of entries that are lost.
    known = await service.begin_epoch(TABLE, restored=True)
    assert known
    found = await service.receipt(TABLE, OPEN)
    assert await service.link(TABLE, OPEN) == link_to(TABLE, OPEN, found.pin)
    assert found.size > old.size
    passes(found, secrets)
    error = await refused(service, OPEN, old.pin)
    assert (error.code, error.allowed) == ("not-offered", (found.pin,))


@on_each_log
async def test_nothing_hidden_is_in_a_receipt_and_a_revealed_roll_has_none_of_before(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    found = await service.receipt(TABLE, OPEN)
    assert not any(b'{"seq":%d,' % seq in found.bundle for seq in (7, 8))
    assert b'{"seq":6,' in found.bundle
    assert found.bundle.count(b'"class":"hidden"') == 0
    await service.submit(TABLE, NARRATOR, Reveal(HIDDEN))
    shown = await service.receipt(TABLE, HIDDEN)
    passes(shown, secrets)
    now = shown_to(await service.aggregate(TABLE), "")
    for size in range(8, shown.size):  # it was declared, and not revealed yet
        error = await refused(service, HIDDEN, pin(now, HIDDEN, size))
        assert (error.code, error.allowed) == ("not-offered", (shown.pin,))


@on_each_log
async def test_an_old_pin_whose_text_was_erased_is_refused_with_the_newest_one(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    entries = await service.submit(TABLE, "p1", noting("Too much.", 5))
    old = await service.receipt(TABLE, OPEN)
    await service.submit(TABLE, "p1", Erase(entries[-1].seq))
    newest = await service.receipt(TABLE, OPEN)
    assert b"Too much." in old.bundle
    assert b"Too much." not in newest.bundle
    passes(newest, secrets)
    error = await refused(service, OPEN, old.pin)
    assert (error.code, error.allowed) == ("not-offered", (newest.pin,))


@on_each_log
async def test_a_pin_that_is_none_of_the_rolls_is_refused_with_the_newest_one(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    newest = (await service.receipt(TABLE, OPEN)).pin
    for pinned in ("A" * 22, "", "é", newest[:-1], f"{newest}A"):
        error = await refused(service, OPEN, pinned)
        assert (error.code, error.allowed) == ("not-offered", (newest,))
