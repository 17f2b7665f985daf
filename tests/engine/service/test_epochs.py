"""A table whose log was restored goes on under a new secret, and nothing of the old one is lost."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engine.helpers.stages.epochs import begins, fits, outstanding, thrown
from tests.engine.helpers.stages.heads import service_on
from tests.engine.helpers.stages.service import TABLE, declare, mark, noting, on_each_log, seated
from tests.engine.service.vaults import note
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import (
    BeginEpoch,
    Choose,
    Freeze,
    LeaveSeat,
    Resolve,
    RollDice,
    TakeSeat,
    Void,
    worded,
)
from urim.engine.core.offers import offers
from urim.engine.service import Service, epochs
from urim.engine.service.grounds import Filed
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.errors import Refused, Unavailable
from urim.events.asked import Asked
from urim.events.codec import asked_in, recorded
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog
from urim.events.roll import RollVoided

NONCE = "ab" * 32


# --- beginning one --------------------------------------------------------------------------------


@on_each_log
async def test_an_epoch_commits_anew_for_every_live_roll_and_throws_under_the_new_secret(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    for _ in range(3):
        await service.submit(TABLE, "p1", declare())
    await thrown(service, 2)
    await service.submit(TABLE, "narrator", worded(Void(3), "a mistake"))
    before = {roll: await outstanding(service, roll) for roll in (1, 2)}
    begun = begins(await service.begin_epoch(TABLE, restored=True))
    assert (begun.by, begun.epoch) == ("narrator", 1)
    assert [(each.roll, each.throw) for each in begun.commits] == [(1, 0), (2, 1)]
    for each in begun.commits:
        assert each.commit == await outstanding(service, each.roll) != before[each.roll]
    event = await thrown(service)
    assert event.proof is not None
    assert fits(begun.commits[0].commit, event.proof.seed)
    assert (await service_on(log, secrets).state(TABLE)).epoch == 1
    assert await service_on(log, secrets).view(TABLE, "p1") == await log.read(TABLE)


def test_a_programs_log_says_which_epoch_began_and_where(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        service = service_on(MemoryLog(), MemorySecrets())
        await seated(service)
        for _ in range(2):
            await service.begin_epoch(TABLE, restored=True)

    asyncio.run(run())
    said = [each.msg for each in caplog.records if isinstance(each.msg, dict)]
    begun = [(each["epoch"], each["size"]) for each in said if each["event"] == "epoch begun"]
    assert begun == [(1, 5), (2, 6)]


@pytest.mark.parametrize("dice", ["manual", "scripted", "seeded:7"])
async def test_a_table_whose_dice_commit_to_nothing_begins_an_epoch_too(dice: str) -> None:
    log, secrets = MemoryLog(), MemorySecrets()
    service = service_on(log, secrets)
    await seated(service, dice=dice)
    await service.submit(TABLE, "p1", declare(), "a")
    assert begins(await service.begin_epoch(TABLE, restored=True)).commits == ()
    assert await service.submit(TABLE, "p1", declare(), "a") == (await log.read(TABLE))[5:6]
    assert await service.submit(TABLE, "narrator", mark(), "b")
    again = service_on(log, secrets)
    assert await again.submit(TABLE, "narrator", mark(), "b") == (await log.read(TABLE))[7:]


@on_each_log
async def test_an_epoch_is_a_narrators_to_begin(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)
    with pytest.raises(Refused, match="a narrator's") as refused:
        await service.begin_epoch(TABLE, "p1", restored=True)
    assert refused.value.code == "not-yours"
    with pytest.raises(Refused, match="no seat 'ghost'"):
        await service.begin_epoch(TABLE, "ghost", restored=True)
    with pytest.raises(Refused, match="no table 'nowhere1'"):
        await service.begin_epoch("nowhere1", restored=True)
    assert len(await log.read(TABLE)) == 5
    await service.submit(TABLE, "narrator", TakeSeat("another", "narrator"))
    await service.submit(TABLE, "narrator", LeaveSeat("narrator"))
    assert begins(await service.begin_epoch(TABLE, restored=True)).by == "another"
    assert begins(await service.begin_epoch(TABLE, "another", restored=True)).epoch == 2


@on_each_log
async def test_an_epoch_is_no_seats_to_ask_for(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)
    for seat in ("narrator", "p1"):
        with pytest.raises(Refused, match="the keeper of the log") as refused:
            await service.submit(TABLE, seat, BeginEpoch(), "a")
        assert refused.value.code == "not-yours"
    with pytest.raises(Refused, match="the keeper of the log"):
        await service.submit(TABLE, "narrator", worded(BeginEpoch(), "words"))
    assert len(await log.read(TABLE)) == 5


@on_each_log
async def test_an_epoch_says_that_it_was_asked_for(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)
    [begun] = await service.begin_epoch(TABLE, restored=True)
    assert asked_in(begun) == Asked("~5", '{"do":"begin-epoch/1"}')


# --- what was before ------------------------------------------------------------------------------


@on_each_log
async def test_a_request_of_before_the_epoch_is_still_known(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    first = await service.submit(TABLE, "p1", declare(), "a")
    for epoch in (1, 2):
        await service.begin_epoch(TABLE, restored=True)
        for each in (service, service_on(log, secrets)):
            assert await each.submit(TABLE, "p1", declare(), "a") == first
            with pytest.raises(Refused) as refused:
                await each.submit(TABLE, "p1", noting("text"), "a")
            assert refused.value.code == "request-reused"
        asking = noting("text")
        later = await service.submit(TABLE, "p1", asking, f"{epoch}")
        assert await service.submit(TABLE, "p1", asking, f"{epoch}") == later


@on_each_log
async def test_a_void_opens_the_seed_of_before_the_epoch_where_nothing_replaced_it(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    await service.submit(TABLE, "p1", declare())
    dice = tuple(each.die for each in (await thrown(service)).dice)
    await service.submit(TABLE, "p1", Freeze(1, "initiator", dice))
    state = await service.state(TABLE)
    if any(offer.choice == "natural" for offer in offers(state, state.rolls[1])):
        await service.submit(TABLE, "p1", Choose(1, "natural", "merit"))  # fair dice may spell it
    await service.submit(TABLE, "p1", Resolve(1))
    commit = await outstanding(service)
    assert begins(await service.begin_epoch(TABLE, restored=True)).commits == ()
    assert await outstanding(service) == commit
    asking = worded(Void(1), "a mistake")
    [entry, _] = await service_on(log, secrets).submit(TABLE, "narrator", asking)
    event = recorded(entry).event
    assert isinstance(event, RollVoided)
    assert fits(commit, event.seed, 1)


@on_each_log
async def test_a_view_in_which_a_roll_is_hidden_loads_across_an_epoch(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    await service.submit(TABLE, "p1", declare("gm"))
    await service.submit(TABLE, "p1", declare())
    assert [
        each.roll for each in begins(await service.begin_epoch(TABLE, restored=True)).commits
    ] == [1, 2]
    for seat, known in (("p2", {2}), ("p1", {1, 2}), ("narrator", {1, 2})):
        view = Aggregate(environment("manual"))
        view.load(await service.view(TABLE, seat))
        assert {roll.number for roll in view.opened.rolls.values()} == known
        assert view.opened.epoch == 1


@on_each_log
async def test_another_service_goes_on_under_the_new_secret(
    log: EventLog, secrets: Secrets
) -> None:
    one, other = service_on(log, secrets), service_on(log, secrets)
    await seated(one, dice="fair")
    await one.submit(TABLE, "p1", declare())
    await other.view(TABLE, "p1")
    await one.begin_epoch(TABLE, restored=True)
    first = await asked_to_throw(other)  # all that it knows of is what was before the epoch
    assert [entry.seq for entry in first] == [7]
    for service in (other, one, service_on(log, secrets)):
        assert await asked_to_throw(service) == first


async def asked_to_throw(service: Service) -> tuple[Entry, ...]:
    """The throw that answers the epoch's commitment, entry 6, as request "a"."""
    return await service.submit(TABLE, "p1", RollDice(1, "initiator", 6, NONCE), "a")


@on_each_log
async def test_of_services_that_begin_an_epoch_at_the_same_time_the_secret_is_the_right_one(
    log: EventLog, secrets: Secrets
) -> None:
    services = [service_on(log, secrets) for _ in range(4)]
    await seated(services[0], dice="fair")
    await services[0].submit(TABLE, "p1", declare())
    calls = (service.begin_epoch(TABLE, restored=True) for service in services)
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert any(isinstance(each, tuple) for each in results)
    assert all(isinstance(each, (tuple, Unavailable)) for each in results)
    event = await thrown(service_on(log, secrets))
    assert event.proof is not None
    assert fits(await _committed(log, event.proof.committed or 0), event.proof.seed)


async def _committed(log: EventLog, seq: int) -> str:
    """The one commitment that an epoch published."""
    return begins((await log.read(TABLE))[seq : seq + 1]).commits[0].commit


@pytest.mark.parametrize(
    ("file", "unkept", "lost", "kept", "left"),
    [
        (None, None, (), [], ()),
        (None, None, (7,), [7], ()),
        (5, None, (7, 9, 8), [9], (7, 8)),
        (9, None, (7, 8), [], (7, 8)),
        (5, 6, (7,), [7], (6,)),
        (5, 8, (7, 7), [8], (7,)),
        (5, None, (5,), [], ()),
    ],
)
def test_of_heads_that_are_lost_the_largest_is_kept_and_the_others_are_left(
    file: int | None,
    unkept: int | None,
    lost: tuple[int, ...],
    kept: list[int],
    left: tuple[int, ...],
) -> None:
    """Each head by its size; `file` is the one that is kept already."""
    written = list[bytes]()
    heads = SimpleNamespace(keep=lambda _table, head: written.append(head))
    loader: Any = SimpleNamespace(secrets=SimpleNamespace(heads=heads))
    signed = Filed(*(None if size is None else note(size) for size in (file, unkept)))
    found = asyncio.run(epochs._keep(loader, TABLE, signed, [*map(note, lost)]))  # noqa: SLF001
    assert written == [*map(note, kept)]
    assert found == (*map(note, left),)
