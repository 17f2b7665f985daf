"""Receipts: who gets one, under which roots, what is in it, and that it passes the audit."""

from io import BytesIO
from typing import Any

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
from urim.engine.core.commands import AnyCommand, Erase, Reveal, SetTable
from urim.engine.service import Service
from urim.engine.service.receipts import Receipt, link_to, pin
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
async def test_a_receipt_is_a_bundle_under_the_root_that_its_link_pins(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    found = await service.receipt(TABLE, OPEN)
    assert await service.link(TABLE, OPEN) == link_to(TABLE, OPEN, found.pin)
    assert len(found.pin) == 22
    assert found.pin == found.newest == pin((await service.aggregate(TABLE)).tree.root(found.size))
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
    assert (old.bundle, old.newest, old.account) == (found.bundle, later.pin, None)
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


@on_each_log
async def test_nothing_hidden_is_in_a_receipt_and_a_revealed_roll_has_none_of_before(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    before = pin((await service.aggregate(TABLE)).tree.root(9))
    found = await service.receipt(TABLE, OPEN)
    assert b"GM" not in found.bundle
    assert found.bundle.count(b'"class":"hidden"') == 0
    await service.submit(TABLE, NARRATOR, Reveal(HIDDEN))
    shown = await service.receipt(TABLE, HIDDEN)
    passes(shown, secrets)
    for size in range(shown.size):
        root = pin((await service.aggregate(TABLE)).tree.root(size))
        assert (await refused(service, HIDDEN, root)).code == "not-offered"
    assert (await refused(service, HIDDEN, before)).allowed == (shown.pin,)


@on_each_log
async def test_an_old_root_whose_text_was_erased_is_refused_with_the_newest_one(
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
async def test_a_root_that_is_none_of_the_rolls_is_refused_with_the_newest_one(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await played(service)
    newest = (await service.receipt(TABLE, OPEN)).pin
    roots = [pin((await service.aggregate(TABLE)).tree.root(size)) for size in (1, 5)]
    strange: list[Any] = [*roots, "A" * 22, "", "é", newest[:-1]]
    for pinned in strange:
        error = await refused(service, OPEN, pinned)
        assert (error.code, error.allowed) == ("not-offered", (newest,))
