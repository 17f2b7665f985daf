"""One socket: what is sent to it, what it may ask, and why it is closed."""

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.helpers.stages.service import declare, noting
from tests.engine.helpers.stages.sockets import entered, opened
from urim.engine.core.commands import EnterCharacter, LeaveSeat, SetTrack, worded
from urim.engine.wire import numbers
from urim.engine.wire.frames import CommitFrame, outgoing
from urim.events.line import entry_line

TABLE = "table001"


async def test_history_then_a_mark_then_what_happens(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        types = [frame["type"] for frame in client.frames]
        assert types == ["entered", "commit", "commit", "commit", "caught-up"]
        first = client.frames[0]
        assert (first["table"], first["seat"], first["role"]) == (TABLE, "p1", "player")
        size = client.frames[-1]["size"]
        assert client.frames[-2]["size"] == size
        assert client.frames[-1]["head"].split("\n")[1] == str(size)
        await client.done("r1", noting("hello"))
        if not client.of("commit")[-1]["size"] > size:
            await client.until_size(size + 2)
        commit = client.of("commit")[-1]
        assert commit["size"] == size + 2
        assert [entry["seq"] for entry in commit["entries"]] == [size, size + 1]
        assert commit["head"].split("\n")[1] == str(size + 2)
        done = client.of("done")[0]
        assert (done["request"], done["seqs"]) == ("r1", [size, size + 1])
        assert done["size"] == size + 2
        assert done["head"].split("\n")[1] == str(size + 2)
    for text in client.texts:
        outgoing.decode(text)


async def test_its_lines_are_those_of_the_table(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        await client.done("r1", noting("שלום"))
        size = client.of("done")[0]["size"]
        if client.of("commit")[-1]["size"] < size:
            await client.until_size(size)
    found = [outgoing.decode(text) for text in client.texts]
    lines = [
        bytes(line) for frame in found if isinstance(frame, CommitFrame) for line in frame.entries
    ]
    view = await asyncio.to_thread(served.run, served.service.view(TABLE, "p1"))
    assert not any("\n" in text for text in client.texts)
    assert [line + b"\n" for line in lines] == [entry_line(entry) for entry in view]


async def test_it_goes_on_after_the_last_commit(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        before = client.frames[-1]["size"]
        await client.done("r1", noting("one"))
    async with entered(served, TABLE, tokens["p1"], before - 1) as client:
        (commit,) = client.of("commit")
        assert [entry["seq"] for entry in commit["entries"]] == [before, before + 1]
        assert "head" not in commit


async def test_a_request_is_done_once_and_answered_again(served: Served) -> None:
    tokens = served.open(TABLE)
    note = noting("once")

    async with entered(served, TABLE, tokens["p1"]) as client:
        first = await client.done("r1", note)
        again = await client.done("r1", note)
        assert first == again
        other = await client.done("r1", noting("other"))
        assert (other["type"], other["code"]) == ("refused", "request-reused")


async def test_requests_are_done_in_order(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        for number in range(25):
            await client.ask(f"r{number}", noting(f"{number}"))
        found = [(await client.until("done", "later", "refused")) for _ in range(25)]
        assert [frame["request"] for frame in found] == [f"r{n}" for n in range(25)]
        seqs = [seq for frame in found for seq in frame["seqs"]]
        assert seqs == list(range(seqs[0], seqs[0] + 50))


async def test_a_refused_command_changes_nothing_and_the_socket_goes_on(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        refused = await client.done("r1", SetTrack("c1", "xr", 1))
        assert (refused["type"], refused["request"]) == ("refused", "r1")
        assert refused["code"] in ("unknown", "not-yours")
        assert (await client.done("r2", noting("fine")))["type"] == "done"


MALFORMED: dict[str, str | bytes] = {
    "no JSON": "{",
    "no object": "[]",
    "another type": '{"type":"dance"}',
    "no type": "{}",
    "entered twice": '{"type":"enter","token":"x"}',
    "a field too many": '{"type":"prove","size":1,"more":1}',
    "a key twice": '{"type":"prove","size":1,"size":2}',
    "of another kind": '{"type":"prove","size":"1"}',
    "nested": '{"type":"prove","size":' + "[" * 70 + "]" * 70 + "}",
    "nested far": "[" * 30_000 + "]" * 30_000,
    "half a character": '{"type":"ask","request":"r","body":"\\ud800"}',
    "bytes": b'{"type":"prove","size":1}',
    "an id of another form": '{"type":"ask","request":"r 1","body":"{}"}',
    "a body of no command": '{"type":"ask","request":"r1","body":"[]"}',
    "a body nested": '{"type":"ask","request":"r1","body":"' + "[" * 70 + "]" * 70 + '"}',
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", MALFORMED)
async def test_what_is_no_frame_is_refused_and_the_socket_goes_on(
    served: Served, kind: str
) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        await client.connection.send(MALFORMED[kind])
        refused = await client.until("refused")
        assert refused["code"] == "malformed"
        assert (await client.done("r2", noting("fine")))["type"] == "done"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [*MALFORMED, "no token", "wrong", "of another table", "an ask"])
async def test_what_does_not_enter_is_closed_in_the_same_words(served: Served, kind: str) -> None:
    served.open(TABLE)
    other = served.open("table002")
    frames = {
        **MALFORMED,
        "no token": '{"type":"enter","token":""}',
        "wrong": json.dumps({"type": "enter", "token": "urim-t1-" + "a" * 43}),
        "of another table": json.dumps({"type": "enter", "token": other["p1"]}),
        "an ask": '{"type":"ask","request":"r1","body":"{}"}',
    }

    async with opened(served, TABLE) as client:
        await client.connection.send(frames[kind])
        assert await client.closed() == numbers.REFUSED
        assert client.frames == []
        assert client.connection.close_reason == numbers.CLOSES[numbers.REFUSED]


@pytest.mark.parametrize("role", ["host", "auditor"])
async def test_who_has_no_seat_does_not_enter(served: Served, role: str) -> None:
    served.open(TABLE)
    token = served.host_token if role == "host" else served.token(TABLE, "auditor")

    async with opened(served, TABLE) as client:
        await client.send(type="enter", token=token)
        assert await client.closed() == numbers.REFUSED


async def test_a_seat_that_leaves_is_closed_after_its_last_commit(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        async with entered(served, TABLE, tokens[NARRATOR]) as narrator:
            assert (await narrator.done("r1", LeaveSeat("p1")))["type"] == "done"
        assert await client.closed() == numbers.LEFT
        assert [frame["type"] for frame in client.frames[-2:]] == ["commit", "left"]
        assert client.frames[-1]["size"] == client.frames[-2]["size"]
    async with opened(served, TABLE) as client:
        await client.send(type="enter", token=tokens["p1"])
        assert await client.closed() == numbers.LEFT


async def test_presence(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        assert (await client.until("present"))["seats"] == ["p1"]
        async with entered(served, TABLE, tokens["p2"]) as other:
            assert (await client.until("present"))["seats"] == ["p1", "p2"]
            assert (await other.until("present"))["seats"] == ["p1", "p2"]
        assert (await client.until("present"))["seats"] == ["p1"]


async def test_proofs(served: Served) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        await client.send(type="prove", size=1)
        proof = await client.until("proof")
        assert proof["size"] == 1
        assert all(len(each) == 64 for each in proof["hashes"])
        await client.send(type="prove", size=99)
        refused = await client.until("refused")
        assert (refused["code"], refused["request"]) == ("out-of-range", None)


async def test_too_fast_is_for_later_and_nothing_is_done(served: Served) -> None:
    tokens = served.open(TABLE)

    async with AsyncExitStack() as stack:
        two = [
            await stack.enter_async_context(entered(served, TABLE, tokens["p1"])) for _ in range(2)
        ]
        for number in range(60):
            await two[number % 2].ask(f"r{number}", noting(f"{number}"))
        found = [await two[n % 2].until("done", "later") for n in range(60)]
        later = [frame for frame in found if frame["type"] == "later"]
        assert len(later) >= 10
        assert all(0 < frame["seconds"] <= 4 for frame in later)
        view = await asyncio.to_thread(served.run, served.service.view(TABLE, "p1"))
        assert len(view) == 3 + 2 * (60 - len(later))
        other = await stack.enter_async_context(entered(served, TABLE, tokens["p2"]))
        assert (await other.done("r1", noting("p2")))["type"] == "done"


async def test_who_is_awaited_is_sent_where_it_was_asked_for(served: Served) -> None:
    tokens = served.open(TABLE)

    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        narrator = await enter(entered(served, TABLE, tokens[NARRATOR]))
        mine = await enter(entered(served, TABLE, tokens["p1"], waiting=True))
        other = await enter(entered(served, TABLE, tokens["p2"], waiting=True))
        for client in (mine, other):
            first = await client.until("waiting")
            assert (first["size"], set(first)) == (3, {"type", "size"})
        entering = worded(EnterCharacter("c1", "p1", {"BLE": 3}), "Etgar")
        await narrator.done("r1", entering)
        assert (await mine.done("r2", declare()))["type"] == "done"
        # It may come before the answer, and after.
        second = mine.of("waiting")[1:] or [await mine.until("waiting")]
        assert [each["roll"] for each in second[0]["mine"]] == [1]
        waits = await other.until("waiting")
        assert [(each["seat"], each["roll"]) for each in waits["others"]] == [("p1", 1)]
    assert not narrator.of("waiting")


async def test_who_is_awaited_is_looked_at_once_after_many_commits(served: Served) -> None:
    tokens = served.open(TABLE)
    looked = 0
    at_once = most = 0
    waiting = served.service.waiting

    async def counted(*given: Any, **known: Any) -> Any:
        nonlocal looked, at_once, most
        looked += 1
        at_once += 1
        most = max(most, at_once)
        try:
            while held.at(TABLE) and not enough.is_set():  # noqa: ASYNC110 - in another loop
                await asyncio.sleep(0.01)
            return await waiting(*given, **known)
        finally:
            at_once -= 1

    served.service.waiting = counted  # type: ignore[method-assign]
    held, enough = served.here.sockets, asyncio.Event()

    async with entered(served, TABLE, tokens["p1"], waiting=True) as client:
        for number in range(20):
            await client.done(f"r{number}", noting(f"{number}"))
        if client.of("commit")[-1]["size"] < 43:
            await client.until_size(43)
        served.soon(enough.set)
        await client.until("waiting")
    while held.at(TABLE):  # noqa: ASYNC110 - in another loop
        await asyncio.sleep(0.01)
    assert (looked, most) == (2, 1)
    assert len(client.of("waiting")) == 1
