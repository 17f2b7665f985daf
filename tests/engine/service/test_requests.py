"""A request as bytes has the answers of the same command as a Struct."""

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.helpers.stages.service import (
    TABLE,
    declare,
    mark,
    noting,
    on_each_log,
    seated,
    throw,
)
from urim.engine.core.commands import (
    Asking,
    BeginEpoch,
    Declare,
    EnterCharacter,
    Note,
    OpenTable,
    Resolve,
    TakeSeat,
    Worded,
    apart,
    worded,
)
from urim.engine.core.limits import TEXT
from urim.engine.core.parse import body_of
from urim.engine.core.request import LONGEST, WireRequest
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.engine.wire.numbers import FRAME
from urim.errors import Refused
from urim.events.asked import BODY, Text
from urim.events.codec import asked_in
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import EventLog
from urim.events.strict import DEPTH

SEATED = (TakeSeat("p1"), TakeSeat("p2"), EnterCharacter("c1", "p1", {"BLE": 3}))
NOTED = noting("a note")
POOL: tuple[Asking, ...] = (
    declare(), declare("gm"), throw(), throw(2), Resolve(1), Resolve(9), mark(2), NOTED,
    NOTED.command, replace(NOTED, text=noting("other words").text), Worded(mark(), NOTED.text),
    TakeSeat("p3"), BeginEpoch(), Worded(BeginEpoch(), NOTED.text), OpenTable(TABLE, "milhamah"),
    Declare("c1", {"root": "x" * 61}), Resolve(-1),
)  # fmt: skip
"""Commands to ask for: most are refused at most times."""


DECLARATION = '{"do":"declare/1","character":"c1","declaration":{"root":NESTED}}'


def as_bytes(asking: Asking, request: str | None) -> bytes:
    """The request as a client would write it."""
    command, text = apart(asking)
    return WireRequest(body_of(command).decode(), request, text).written()


async def answer(work: Any) -> Any:
    """What came of it: the entries, or the refusal."""
    try:
        return await work
    except Refused as error:
        return (error.code, error.why, error.allowed)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("narrator", "p1", "p2", "ghost")),
            st.sampled_from(POOL),
            st.sampled_from((None, "a", "b", "not an id", "~3")),
        ),
        max_size=20,
    )
)
def test_bytes_and_structs_have_equal_answers(asked: list[tuple[str, Asking, str | None]]) -> None:
    async def run() -> None:
        one, other = (Service(MemoryLog(), MemorySecrets()) for _ in range(2))
        for service in (one, other):
            await service.open_table("narrator", OpenTable(TABLE, "milhamah", {}, "scripted"))
            for command in SEATED:
                await service.submit(TABLE, "narrator", command)
        for seat, asking, request in asked:
            expected = await answer(one.submit(TABLE, seat, asking, request))
            data = as_bytes(asking, request)
            assert await answer(other.submit_request(TABLE, seat, data)) == expected
        assert await one.log.read(TABLE) == await other.log.read(TABLE)
        for service in (one, other):
            await service.close()

    asyncio.run(run())


@on_each_log
async def test_the_log_keeps_the_bytes_of_a_body(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    body = ' {"text" : null, "about":0, "do":"note/1"} '
    refused = await answer(service.submit_request(TABLE, "p2", as_json(body=body)))
    assert refused[0] == "malformed"
    command, text = apart(NOTED)
    assert isinstance(command, Note)
    body = json.dumps({"text": command.text, "about": 0, "do": "note/1"}, indent=2)
    said = {"text": text.text, "salt": text.salt} if text else None
    data = as_json(text=said, body=body, request="x")
    first = await service.submit_request(TABLE, "p2", data)
    asked = asked_in(first[0])
    assert asked is not None and asked.body == body
    assert await service.submit_request(TABLE, "p2", data) == first
    other = await answer(service.submit(TABLE, "p2", NOTED, "x"))
    assert other[0] == "request-reused", "the same command in other bytes is another request"


@on_each_log
async def test_what_is_no_request_changes_nothing(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    for data in (b"", b"{}", as_json(body="{}"), as_json(body="[", request="a")):
        assert (await answer(service.submit_request(TABLE, "p1", data)))[0] == "malformed"
    assert len(await log.read(TABLE)) == 5
    await service.close()


@on_each_log
async def test_what_is_nested_too_deeply_is_malformed_wherever_it_is(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    for opens, closes in (("[", "]"), ('{"a":', "}")):
        for depth in (DEPTH + 1, 500, 2_500):
            nested = f"{opens * depth}1{closes * depth}"
            body = DECLARATION.replace("NESTED", nested)
            inside = WireRequest(body, "a").written()
            beside = b'{"request":"a","body":%b}' % nested.encode()
            below = b'{"request":"a","body":"{}","text":%b}' % nested.encode()
            for data in (inside, beside, below, nested.encode()):
                code, why, _ = await answer(service.submit_request(TABLE, "p1", data))
                assert code == "malformed", data
                assert len(why) < 1_000, why
    for left in (b"[" * LONGEST, b'{"a":' * (LONGEST // 5)):
        assert (await answer(service.submit_request(TABLE, "p1", left)))[0] == "malformed"
    assert len(await log.read(TABLE)) == 5


@on_each_log
async def test_as_deep_as_a_body_may_be_is_no_fault_of_its_form(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    codes = []
    for depth in (DEPTH - 2, DEPTH - 1):  # beside the body and the declaration
        nested = "[" * depth + "]" * depth
        body = DECLARATION.replace("NESTED", nested)
        data = WireRequest(body, "a").written()
        codes.append((await answer(service.submit_request(TABLE, "p1", data)))[1])
    assert "deep" not in codes[0]
    assert "deep" in codes[1]


@on_each_log
async def test_too_long_a_request_is_refused_and_every_command_fits_a_frame(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service)
    code, _, _ = await answer(service.submit_request(TABLE, "p1", b"x" * (LONGEST + 1)))
    assert code == "too-long"
    # The wire's bound is lower: what is escaped without need may not fit, and all else does.
    assert LONGEST > FRAME
    text = Text("ab" * 16, "\x01" * TEXT)
    longest = WireRequest('"' * BODY, "r" * 64, text).written()
    assert len(longest) <= FRAME
    assert (await answer(service.submit_request(TABLE, "p1", longest)))[0] == "malformed"
    asking = worded(Note(0), "\U0001f600" * TEXT)
    done = await service.submit_request(TABLE, "p1", as_bytes(asking, "r" * 64))
    assert len(done) == 2


def as_json(**fields: Any) -> bytes:
    """An object as JSON with blanks."""
    return json.dumps(fields).encode()
