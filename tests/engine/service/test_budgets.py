"""A seat's budgets: each refuses at its bound and not before, changes nothing, and others go on."""

import asyncio
import io
import json
import logging
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.engine.helpers.clocks import Seconds
from tests.engine.helpers.stages.service import (
    TABLE,
    at_a_table,
    declare,
    noting,
    on_each_log,
    seated,
    throw,
)
from urim.engine import logs
from urim.engine.core.commands import (
    Asking,
    Dispute,
    EnterCharacter,
    Erase,
    Freeze,
    GiveCharacter,
    NameSeat,
    OpenTable,
    RemoveCharacter,
    Resolve,
    Reveal,
    Rule,
    TakeSeat,
    Void,
    worded,
)
from urim.engine.service import Service, usage
from urim.engine.service.budgets import (
    AT_LEAST_ONE,
    CHARACTERS,
    KEPT,
    TEXTS,
    Alarm,
    Budgets,
    Spent,
)
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.engine.service.usage import HOUR, MINUTE
from urim.errors import Refused
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    """The clock by which hours are counted."""
    found = Seconds(10_000.0)
    monkeypatch.setattr(usage, "monotonic", found)
    return found


async def refusal(service: Service, seat: str, command: Asking, request: str = "") -> Refused:
    """What a command is refused with; the log must be what it was."""
    before = await service.log.read(TABLE)
    with pytest.raises(Refused) as caught:
        await service.submit(TABLE, seat, command, request or None)
    assert await service.log.read(TABLE) == before
    return caught.value


def bring(number: int, seat: str = "p1") -> EnterCharacter:
    """One more character of a seat."""
    return EnterCharacter(f"x{number}", seat)


# --- what a seat has at once ----------------------------------------------------------------------


@at_a_table(budgets=Budgets(characters=3, narrator_characters=5))
async def test_a_seat_brings_so_many_characters_and_others_bring_theirs(service: Service) -> None:
    for number in range(3):
        await service.submit(TABLE, "p1", bring(number))
    error = await refusal(service, "p1", bring(3))
    assert error.code == "over-budget"
    assert "'p1' has 3 characters brought; its budget `characters` is 3" in error.why
    assert error.allowed == ("remove", "a narrator's")
    assert await service.submit(TABLE, "p2", bring(4, "p2"))
    for number in range(5, 9):  # and Etgar, whom the narrator brought
        assert await service.submit(TABLE, "narrator", bring(number, "p1"))
    error = await refusal(service, "narrator", bring(9))
    assert "`narrator_characters` is 5" in error.why
    assert await service.submit(TABLE, "p1", RemoveCharacter("x0"))
    assert await service.submit(TABLE, "p1", bring(10))


@at_a_table(budgets=Budgets(characters=3))
async def test_characters_that_are_given_away_fill_nobody_elses_budget(service: Service) -> None:
    for number in range(3):
        await service.submit(TABLE, "p1", bring(number))
        await service.submit(TABLE, "p1", GiveCharacter(f"x{number}", "p2"))
    assert (await refusal(service, "p1", bring(3))).code == "over-budget"
    for number in range(4, 7):
        assert await service.submit(TABLE, "p2", bring(number, "p2"))


async def test_one_player_cannot_fill_the_table_with_characters() -> None:
    service = Service(MemoryLog(), MemorySecrets())
    await seated(service)
    brought = 0
    for number in range(998):
        try:
            await service.submit(TABLE, "p1", bring(number))
        except Refused:
            continue
        brought += 1
    assert brought == CHARACTERS
    assert await service.submit(TABLE, "p2", bring(998, "p2"))


@at_a_table(budgets=Budgets(open_rolls=3))
async def test_a_seat_has_so_many_open_rolls_hidden_ones_too(service: Service) -> None:
    await service.submit(TABLE, "narrator", bring(1, "p2"))
    for visibility in ("public", "gm", "blind"):
        await service.submit(TABLE, "p1", declare(visibility))
    error = await refusal(service, "p1", declare())
    assert error.code == "over-budget"
    assert "'p1' has 3 open rolls; its budget `open_rolls` is 3" in error.why
    # What state the blind one is in is not for its roller to know.
    assert error.allowed == ("resolve or void roll 1", "resolve or void roll 2")
    other = declare()
    await service.submit(TABLE, "narrator", GiveCharacter("c1", "p2"))
    assert await service.submit(TABLE, "p2", other)
    assert await service.submit(TABLE, "p1", noting("and everything else goes on"))


@at_a_table(budgets=Budgets(open_rolls=1))
async def test_a_budget_does_not_say_how_a_blind_roll_ended(service: Service) -> None:
    await service.submit(TABLE, "p1", declare("blind"))
    before = await refusal(service, "p1", declare())
    await service.submit(TABLE, "narrator", worded(Void(1), "a mistake"))
    after = await refusal(service, "p1", declare())
    assert (before.code, before.why, before.allowed) == (after.code, after.why, after.allowed)
    await service.submit(TABLE, "narrator", Reveal(1))
    assert await service.submit(TABLE, "p1", declare())


@at_a_table(budgets=Budgets(log_bytes=40000))
async def test_a_budget_does_not_say_how_long_a_blind_throw_was(service: Service) -> None:
    await service.submit(TABLE, "p1", declare("blind"))
    await service.submit(TABLE, "p1", throw())
    error: Refused | None = None
    while error is None:
        try:
            await service.submit(TABLE, "p1", declare())
        except Refused as refused:
            error = refused
    used = int(re.findall(r"has (\d+) bytes", error.why)[0])
    aggregate = await service.aggregate(TABLE)
    own = [entry for entry in aggregate.entries[5:] if entry.kind == "open"]
    hidden = used - sum(usage.ROW + len(entry.payload or b"") for entry in own)
    assert hidden == 2 * (usage.ROW + usage.SEALED)


@at_a_table(budgets=Budgets(open_disputes=1))
async def test_a_budget_does_not_say_that_a_dispute_was_ruled_on_unseen(service: Service) -> None:
    await service.submit(TABLE, "p1", declare("gm"))
    await service.submit(TABLE, "p1", declare())
    raised, _ = await service.submit(TABLE, "p1", worded(Dispute(1), "it was not so"))
    await service.submit(TABLE, "narrator", GiveCharacter("c1", "p2"))
    again = worded(Dispute(2), "nor this")
    before = await refusal(service, "p1", again)
    await service.submit(TABLE, "narrator", worded(Rule(1, raised.seq, "stands"), "it was"))
    after = await refusal(service, "p1", again)
    assert (before.code, before.why, before.allowed) == (after.code, after.why, after.allowed)
    await service.submit(TABLE, "narrator", Reveal(1))
    assert await service.submit(TABLE, "p1", again)


@pytest.mark.parametrize("ends", ["resolved", "voided"])
async def test_a_roll_that_is_over_makes_room(ends: str) -> None:
    service = Service(MemoryLog(), MemorySecrets(), budgets=Budgets(open_rolls=2))
    await seated(service)
    await service.submit(TABLE, "p1", declare("gm"))
    await service.submit(TABLE, "p1", declare())
    assert (await refusal(service, "p1", declare())).code == "over-budget"
    if ends == "voided":
        await service.submit(TABLE, "narrator", worded(Void(1), "a mistake"))
    else:
        await service.submit(TABLE, "narrator", Reveal(1))
        await service.submit(TABLE, "p1", throw())
        dice = tuple((await service.state(TABLE)).rolls[1].roll.hands[0].dice)
        await service.submit(TABLE, "p1", Freeze(1, "initiator", tuple(d.id for d in dice)))
        await service.submit(TABLE, "p1", Resolve(1))
    assert (await service.state(TABLE)).rolls[1].state == ends
    assert await service.submit(TABLE, "p1", declare())
    assert (await refusal(service, "p1", declare())).code == "over-budget"


@at_a_table(budgets=Budgets(open_disputes=2))
async def test_a_seat_has_so_many_open_disputes(service: Service) -> None:
    await service.submit(TABLE, "p1", declare())
    dispute = partial(worded, Dispute(1))
    first, _ = await service.submit(TABLE, "p2", dispute("it was not so"))
    second, _ = await service.submit(TABLE, "p2", dispute("nor so"))
    error = await refusal(service, "p2", dispute("nor so either"))
    assert error.code == "over-budget"
    assert "'p2' has 2 open disputes; its budget `open_disputes` is 2" in error.why
    assert error.allowed[0] == f"a ruling on entry {first.seq}, roll 1"
    assert await service.submit(TABLE, "p1", dispute("another seat may"))
    await service.submit(TABLE, "narrator", worded(Rule(1, second.seq, "stands"), "it was so"))
    assert await service.submit(TABLE, "p2", dispute("still not"))
    assert (await refusal(service, "p2", dispute("!"))).code == "over-budget"


@on_each_log
async def test_who_has_more_than_a_budget_that_was_lowered_is_refused_too(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    for _ in range(3):
        await service.submit(TABLE, "p1", declare())
        await service.submit(TABLE, "p2", worded(Dispute(1), "it was not so"))
    stricter = Service(log, secrets, budgets=Budgets(open_rolls=1, open_disputes=1))
    error = await refusal(stricter, "p1", declare())
    assert "'p1' has 3 open rolls; its budget `open_rolls` is 1" in error.why
    error = await refusal(stricter, "p2", worded(Dispute(1), "it was not so"))
    assert "'p2' has 3 open disputes; its budget `open_disputes` is 1" in error.why


@at_a_table(budgets=Budgets(open_disputes=1))
async def test_disputes_of_a_hidden_roll_that_were_ruled_on_are_open_no_more(
    service: Service,
) -> None:
    await service.submit(TABLE, "p1", declare("gm"))
    dispute = partial(worded, Dispute(1))
    for _ in range(2):
        first, _ = await service.submit(TABLE, "p1", dispute("it was not so"))
        assert (await refusal(service, "p1", dispute("nor so"))).code == "over-budget"
        await service.submit(TABLE, "narrator", worded(Rule(1, first.seq, "stands"), "it was so"))


# --- what a seat writes in an hour ----------------------------------------------------------------


async def test_a_seat_writes_so_many_texts_in_an_hour(clock: Seconds) -> None:
    service = Service(MemoryLog(), MemorySecrets(), budgets=Budgets(texts=3))
    await seated(service)
    await service.submit(TABLE, "p1", worded(NameSeat("p1"), "Ruth"))
    await service.submit(TABLE, "p1", noting("one"))
    clock.now += HOUR / 2
    await service.submit(TABLE, "p1", worded(declare(), "a label"))
    error = await refusal(service, "p1", noting("one more"))
    assert error.code == "over-budget"
    assert "'p1' has 3 texts written within an hour; its budget `texts` is 3" in error.why
    whole_minute = (int(clock.now - HOUR / 2) // MINUTE + 1) * MINUTE
    seconds = int(whole_minute + HOUR - clock.now)
    assert error.why.endswith(f"with room again in {seconds} s")
    assert error.allowed == (f"again in {seconds} s", "at most 3 an hour")
    assert await service.submit(TABLE, "p1", throw())  # without a text
    assert await service.submit(TABLE, "p2", noting("another seat's"))
    clock.now += seconds - 1
    assert (await refusal(service, "p1", noting("one more"))).allowed[0] == "again in 1 s"
    clock.now += 1
    for words in ("now", "there is room for two"):
        assert await service.submit(TABLE, "p1", noting(words))
    assert (await refusal(service, "p1", noting("but not three"))).code == "over-budget"


async def test_a_seat_writes_so_many_bytes_in_an_hour(clock: Seconds) -> None:
    service = Service(MemoryLog(), MemorySecrets(), budgets=Budgets(log_bytes=10_000))
    await seated(service)
    await service.submit(TABLE, "p1", noting("x" * 4_000))
    await service.submit(TABLE, "p1", noting("x" * 4_000))
    assert await service.submit(TABLE, "p1", noting("still below, and then beyond"))
    error = await refusal(service, "p1", declare())
    assert error.code == "over-budget"
    assert "bytes in the log within an hour; its budget `log_bytes` is 10000" in error.why
    assert error.allowed[0].startswith("again in 36")
    assert await service.submit(TABLE, "p2", noting("another seat's"))
    clock.now += HOUR + MINUTE
    assert await service.submit(TABLE, "p1", declare())


@pytest.mark.slow
async def test_a_loop_of_notes_and_erasures_ends() -> None:
    service = Service(MemoryLog(), MemorySecrets())
    await seated(service)
    for _ in range(TEXTS):
        _, text = await service.submit(TABLE, "p1", noting("x"))
        await service.submit(TABLE, "p1", Erase(text.seq))
    assert (await refusal(service, "p1", noting("x"))).code == "over-budget"
    assert await service.submit(TABLE, "p2", noting("another seat's"))


@at_a_table(budgets=Budgets(texts=2, characters=1))
async def test_a_repeated_request_is_answered_and_not_counted(service: Service) -> None:
    note = noting("mine")
    first = await service.submit(TABLE, "p1", note, "a")
    for _ in range(5):
        assert await service.submit(TABLE, "p1", note, "a") == first
    entered = await service.submit(TABLE, "p1", bring(1), "b")
    last = noting("the last")
    second = await service.submit(TABLE, "p1", last, "c")
    assert (await refusal(service, "p1", noting("beyond"), "d")).code == "over-budget"
    assert await service.submit(TABLE, "p1", note, "a") == first
    assert await service.submit(TABLE, "p1", bring(1), "b") == entered
    assert await service.submit(TABLE, "p1", last, "c") == second


@at_a_table(budgets=Budgets(texts=1, open_rolls=1, characters=1))
async def test_refused_commands_count_nothing(service: Service) -> None:
    for _ in range(3):
        assert (await refusal(service, "p1", noting("?", about=999))).code == "unknown"
        assert (await refusal(service, "p2", declare())).code == "not-yours"
        assert (await refusal(service, "p1", EnterCharacter("c1", "p1"))).code == "taken"
    assert await service.submit(TABLE, "p1", noting("one"))
    assert await service.submit(TABLE, "p1", declare())
    assert await service.submit(TABLE, "p1", bring(1))


@on_each_log
async def test_a_restart_gives_nobody_room(log: EventLog, secrets: Secrets) -> None:
    budgets = Budgets(texts=2, characters=1, open_rolls=1, open_disputes=1)
    service = Service(log, secrets, budgets=budgets)
    await seated(service, dice="fair")
    await service.submit(TABLE, "p1", bring(1))
    await service.submit(TABLE, "p1", declare())
    _, text = await service.submit(TABLE, "p1", noting("one"))
    await service.submit(TABLE, "p1", Erase(text.seq))
    await service.submit(TABLE, "p1", worded(Dispute(1), "two"))
    await service.close()
    again = Service(log, secrets, budgets=budgets)
    for command in (bring(2), declare(), noting("three")):
        assert (await refusal(again, "p1", command)).code == "over-budget"
    more = Service(log, secrets, budgets=Budgets(open_disputes=1))
    error = await refusal(more, "p1", worded(Dispute(1), "and another"))
    assert "`open_disputes` is 1" in error.why
    assert await more.submit(TABLE, "p1", declare())


async def test_two_services_on_one_log_count_together() -> None:
    log, secrets, budgets = MemoryLog(), MemorySecrets(), Budgets(texts=4, open_rolls=2)
    one, other = (Service(log, secrets, budgets=budgets) for _ in range(2))
    await seated(one, dice="fair")
    for service in (one, other, one, other):
        await service.submit(TABLE, "p1", noting("mine"))
    for service in (one, other):
        await service.submit(TABLE, "p1", declare())
    for service in (one, other):
        assert (await refusal(service, "p1", noting("?"))).code == "over-budget"
        assert (await refusal(service, "p1", declare())).code == "over-budget"


# --- what is logged, and what may be given --------------------------------------------------------


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Everything that Urim logs, as JSON lines."""
    standard = logging.getLogger("urim")
    handlers, level, propagate = standard.handlers[:], standard.level, standard.propagate
    out = io.StringIO()
    logs.configure(level="WARNING", json=True, stream=out)
    yield out
    standard.handlers[:], standard.propagate = handlers, propagate
    standard.setLevel(level)


def test_a_refusal_is_logged_once_a_minute_as_a_warning(
    stream: io.StringIO, clock: Seconds
) -> None:
    async def run() -> None:
        service = Service(MemoryLog(), MemorySecrets(), budgets=Budgets(texts=1))
        await seated(service)
        await service.submit(TABLE, "p1", noting("a secret text"))
        for _ in range(10):
            await refusal(service, "p1", noting("a secret text"))
        clock.now += MINUTE
        await refusal(service, "p1", noting("a secret text"))

    asyncio.run(run())
    lines: list[dict[str, Any]] = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["over budget"] * 2
    known = {"table": TABLE, "seat": "p1", "budget": "texts", "used": 1, "most": 1}
    assert {name: lines[0][name] for name in known} == known
    assert lines[0]["seconds"] - lines[1]["seconds"] == MINUTE
    assert "secret" not in stream.getvalue()


def test_so_many_warnings_are_remembered_and_then_each_is_given_again(stream: io.StringIO) -> None:
    alarm, spent = Alarm(), Spent("texts", 1, 1, "texts")
    seats = [f"p{number}" for number in range(KEPT + 1)]
    for seat in (*seats, seats[0], seats[-1]):
        alarm.log(TABLE, seat, spent, 0.0)
    warned = [json.loads(line)["seat"] for line in stream.getvalue().splitlines()]
    assert warned == [*seats, seats[0]]


@pytest.mark.parametrize(
    ("name", "number"),
    [("texts", -1), ("characters", -5), *((name, 0) for name in AT_LEAST_ONE)],
)
def test_a_budget_that_cannot_be_is_refused(name: str, number: int) -> None:
    with pytest.raises(Refused) as caught:
        Budgets(**{name: number})
    assert caught.value.code == "out-of-range"
    assert f"`{name}` is {number}" in caught.value.why


async def test_a_budget_of_nothing_refuses_the_first() -> None:
    service = Service(MemoryLog(), MemorySecrets(), budgets=Budgets(texts=0))
    await service.open_table("narrator", OpenTable(TABLE, "milhamah", {}, "scripted"))
    await service.submit(TABLE, "narrator", TakeSeat("p1"))
    error = await refusal(service, "p1", noting("none"))
    assert "`texts` is 0" in error.why
