"""What a service shows one seat: its sight, its moves, previews and accounts, all from its view."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from threading import Event
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from msgspec.json import encode

from tests.engine.helpers.stages.service import (
    TABLE,
    at_a_table,
    declare,
    mark,
    on_each_log,
    seated,
    throw,
)
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import (
    Declare,
    Dispute,
    LeaveSeat,
    Note,
    Resolve,
    Reveal,
    RollDice,
    SetTable,
    worded,
)
from urim.engine.core.moves import awaited, awaiting, legal_moves
from urim.engine.core.odds import advised
from urim.engine.core.preview import preview
from urim.engine.core.refusal import as_refusal
from urim.engine.core.schema import schema
from urim.engine.core.sight import sight
from urim.engine.service import Service, tables
from urim.engine.service.pace import Leave, no_turn
from urim.engine.service.readers import Readers
from urim.engine.service.reading import Waiting
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.errors import Defect, Refused
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog
from urim.rules import ruleset_named

SEATS = ("narrator", "p1", "p2")

Read = Callable[[Service, str, str], Coroutine[Any, Any, Any]]

READS: tuple[Read, ...] = (
    lambda service, table, seat: service.sight(table, seat),
    lambda service, table, seat: service.legal_moves(table, seat),
    lambda service, table, seat: service.moves(table, seat, 1),
    lambda service, table, seat: service.waiting(table, seat),
    lambda service, table, seat: service.preview(table, seat, Note(0)),
    lambda service, table, seat: service.choices(table, seat, "c1", "root"),
    lambda service, table, seat: service.rollables(table, seat, "c1"),
    lambda service, table, seat: service.account(table, seat, 1),
    lambda service, table, seat: service.question(table, seat, 1),
)
"""Everything that a seat may read."""


async def played(service: Service) -> None:
    """A public roll that is resolved and disputed, and a hidden one with dice and a note."""
    await seated(service)
    await service.submit(TABLE, "narrator", SetTable("advice", value=True))
    for command in (declare(), throw(), Resolve(1), declare("gm"), throw(2)):
        await service.submit(TABLE, "p1", command)
    await service.submit(TABLE, "p2", worded(Dispute(1), "Why?"))
    last = (await service.state(TABLE)).rolls[2].trail[-1].seq
    await service.submit(TABLE, "narrator", worded(Note(last), "THE NOTE"))


async def unknown(service: Service, seat: str, roll: int) -> Refused:
    """What a seat is refused with that reads a roll that is not there."""
    with pytest.raises(Refused) as refused:
        await service.account(TABLE, seat, roll)
    return refused.value


async def folded(service: Service, seat: str) -> Aggregate:
    """The table as the seat folds it from the entries that it has."""
    own = Aggregate(environment("scripted"))
    own.load(await service.view(TABLE, seat))
    return own


@on_each_log
async def test_a_seat_reads_what_follows_from_its_own_entries(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await played(service)
    for seat in SEATS:
        own = (await folded(service, seat)).opened
        assert await service.sight(TABLE, seat) == sight(own, seat)
        now = own.at + 1_000
        assert await service.question(TABLE, seat, 1) == advised(own, seat, 1)
        both = await service.waiting(TABLE, seat)
        assert both == Waiting(own.size, awaiting(own, seat, now=now), awaited(own, seat))
        found = await service.legal_moves(TABLE, seat)
        bare = legal_moves(own, seat, now=now)
        assert [each.roll for each in found] == [each.roll for each in bare]
        for one, other in zip(found, bare, strict=True):
            assert [(m.trigger, m.offers) for m in one.moves] == [
                (m.trigger, m.offers) for m in other.moves
            ]
            assert all(len(m.words) == len(m.labels) == len(m.offers) for m in one.moves)
        fresh = Declare("c1", {"root": "רוח", "rating": 2})
        if seat == "p1":
            expected = preview(own, seat, fresh, now=now)
            assert await service.preview(TABLE, seat, fresh) == expected


@on_each_log
async def test_a_hidden_roll_is_in_nothing_that_another_seat_reads(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await played(service)
    found = await service.sight(TABLE, "p2")
    assert [roll.roll for roll in found.rolls] == [1]
    assert [each.roll for each in await service.legal_moves(TABLE, "p2")] == [1]
    assert "THE NOTE" not in encode(found).decode()
    with pytest.raises(Refused) as refused:
        await service.account(TABLE, "p2", 2)
    assert refused.value.code == (await unknown(service, "p2", 3)).code, "as one that is not there"
    assert not any(move.legal for move in await service.moves(TABLE, "p2", 2))
    await service.submit(TABLE, "narrator", Reveal(2))
    assert [roll.roll for roll in (await service.sight(TABLE, "p2")).rolls] == [1, 2]
    assert "THE NOTE" in encode(await service.sight(TABLE, "p2")).decode()
    steps = (await service.account(TABLE, "p2", 2)).steps
    assert any(step.hand is not None for step in steps)


@at_a_table()
async def test_an_account_is_of_the_entries_that_the_seat_may_see(service: Service) -> None:
    await service.submit(TABLE, "p1", declare("blind"))
    before = await service.account(TABLE, "p1", 1)
    declared = (await service.state(TABLE)).rolls[1].trail[0].seq
    await service.submit(TABLE, "narrator", worded(Note(declared), "A secret"))
    assert await service.account(TABLE, "p1", 1) == before
    assert len((await service.account(TABLE, "narrator", 1)).steps) == len(before.steps) + 2
    assert (await service.sight(TABLE, "p1")).rolls[0].seen == "declaration"


@on_each_log
async def test_what_is_read_is_as_the_log_is_now(log: EventLog, secrets: Secrets) -> None:
    one, other = Service(log, secrets), Service(log, secrets)
    await seated(one)
    assert (await other.sight(TABLE, "p2")).size == 5
    await one.submit(TABLE, "narrator", mark(3))
    found = await other.sight(TABLE, "p2")
    assert (found.size, found.characters[0].tracks["xr"]) == (6, 3)


@on_each_log
async def test_answers_and_refusals_are_valid_by_the_schema(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await played(service)
    for book in (None, ruleset_named("milhamah")):
        validator = Draft202012Validator(schema(book, "answers"))
        for seat in SEATS:
            answers: list[Any] = [await service.sight(TABLE, seat)]
            answers += await service.legal_moves(TABLE, seat)
            answers += (await service.waiting(TABLE, seat)).mine
            answers += [await service.preview(TABLE, seat, Note(0))]
            answers += await service.choices(TABLE, seat, "c1", "opponent")
            answers += await service.rollables(TABLE, seat, "c1")
            answers += [await service.account(TABLE, seat, 1)]
            with pytest.raises(Refused) as refused:
                await service.submit(TABLE, seat, RollDice(1, "initiator"))
            answers += [as_refusal(refused.value)]
            for each in answers:
                validator.validate(json.loads(encode(each)))
    assert json.loads(encode(as_refusal(Refused("due", "not yet", allowed=["later"])))) == {
        "type": "refusal", "code": "due", "why": "not yet", "allowed": ["later"],
    }  # fmt: skip


@at_a_table()
async def test_who_is_not_there_reads_nothing(service: Service) -> None:
    await service.submit(TABLE, "narrator", SetTable("advice", value=True))
    await service.submit(TABLE, "p1", declare())
    await service.submit(TABLE, "p2", LeaveSeat("p2"))
    for read in READS:
        await read(service, TABLE, "p1")
        for table, seat in ((TABLE, "ghost"), (TABLE, "p2"), ("nowhere1", "p1")):
            with pytest.raises(Refused) as refused:
                await read(service, table, seat)
            assert refused.value.code == "unknown"
    await service.close()
    for read in READS:
        with pytest.raises(Defect):
            await read(service, TABLE, "p1")


async def test_no_command_waits_for_what_a_seat_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = Event(), Event()

    def slow(*args: Any, **given: Any) -> Any:
        begun.set()
        assert done.wait(60)
        return sight(*args, **given)

    service = Service(MemoryLog(), MemorySecrets())
    await seated(service)
    monkeypatch.setattr("urim.engine.service.reading.sight", slow)
    reads = asyncio.create_task(service.sight(TABLE, "p1"))
    assert await asyncio.to_thread(begun.wait, 60)
    await service.submit(TABLE, "narrator", mark(2))
    assert not reads.done()
    done.set()
    assert (await reads).size == 5, "of the size at which it was asked for"
    await service.close()


@on_each_log
async def test_who_was_sent_all_of_a_table_is_told_what_waits_without_a_turn(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await played(service)
    long = {seat: await service.waiting(TABLE, seat) for seat in SEATS}
    turns: list[str] = []

    async def turn(_: Readers, table: str, seat: str) -> Leave:
        turns.append(seat)
        return no_turn

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Readers, "turn", turn)
        size = long["p1"].size
        assert {seat: await service.waiting(TABLE, seat, size=size) for seat in SEATS} == long
        with pytest.raises(Refused, match="no seat 'p9'"):
            await service.waiting(TABLE, "p9", size=size)
        assert turns == []
        # What is not here yet, and what takes long, is read in turn.
        assert await service.waiting(TABLE, "p1", size=size + 1) == long["p1"]
        patch.setattr(tables, "FEW", 0)
        assert await service.waiting(TABLE, "p2", size=size) == long["p2"]
    assert turns == ["p1", "p2"]
    await service.close()
