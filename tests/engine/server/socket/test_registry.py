"""All sockets of a server: how many, who must go, who is too slow, and how they end with it."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from websockets.protocol import State

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import entered, opened, run, stalled
from tests.engine.helpers.stages.sooner import PATIENCE
from urim.engine.access.protocol import DAY
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.server.running import milliseconds
from urim.engine.server.socket import transport
from urim.engine.wire import numbers
from urim.errors import Damaged, Defect, Unavailable

TABLE = "table001"

LONG = "x" * 3_900
"""A note that fills a connection soon."""


async def there(served: Served, work: Coroutine[Any, Any, Any]) -> Any:
    """Do something in the server's loop."""
    return await asyncio.to_thread(served.run, work)


async def comes(check: Callable[[], bool]) -> None:
    """Wait until that holds."""
    async with asyncio.timeout(PATIENCE):
        while not check():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def grant(served: Served, token: str) -> Any:
    return await there(served, served.access.lookup(token, served.here.now()))


# --- who must go ----------------------------------------------------------------------------------


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "by another process"])
async def test_a_revoked_token_closes_its_sockets_and_no_others(
    served: Served, elsewhere: bool
) -> None:
    tokens = served.open(TABLE)
    second = served.token(TABLE, "player", "p1")

    async def revoke() -> None:
        found = await grant(served, tokens["p1"])
        if elsewhere:
            access = await SqliteAccess.beside(served.database)
            assert await access.revoke_token(TABLE, found.id) == 1
            await access.close()
        else:
            assert await there(served, served.access.revoke_token(TABLE, found.id)) == 1

    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        gone = [await enter(entered(served, TABLE, tokens["p1"])) for _ in range(3)]
        stays = await enter(entered(served, TABLE, second))
        await revoke()
        for client in gone:
            assert await client.closed() == numbers.REFUSED
        assert (await stays.done("r1", noting("still here")))["type"] == "done"
        again = await enter(opened(served, TABLE))
        await again.send(type="enter", token=tokens["p1"])
        assert await again.closed() == numbers.REFUSED


@pytest.mark.slow
def test_a_token_that_expires_closes_its_socket(tmp_path: Path) -> None:
    ahead = [0]

    def now() -> int:
        return milliseconds() + ahead[0]

    with Served(tmp_path, now=now) as served:
        tokens = served.open(TABLE)

        async def scene() -> None:
            expires = (await grant(served, tokens["p1"])).expires
            assert expires > now() + DAY
            ahead[0] = expires - now() - 1_500
            async with entered(served, TABLE, tokens["p1"]) as client:
                assert client.frames[0]["expires"] == expires
                assert await client.closed() == numbers.REFUSED

        run(scene())


async def test_where_nobody_can_know_who_was_revoked_all_are_closed(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = served.open(TABLE)

    async with entered(served, TABLE, tokens["p1"]) as client:
        monkeypatch.setattr(served.here.sockets, "_by_grant", _Failing())
        assert await client.closed() == numbers.AGAIN
    monkeypatch.undo()


class _Failing(dict[str, Any]):
    """What is held cannot be read."""

    def __iter__(self) -> Any:
        raise Unavailable("the disk is gone")


# --- how many -------------------------------------------------------------------------------------


def test_a_seat_and_a_table_have_so_many_sockets(tmp_path: Path) -> None:
    with Served(tmp_path, seat_sockets=2, table_sockets=3) as served:
        tokens = served.open(TABLE)

        async def refused(token: str) -> None:
            async with opened(served, TABLE) as client:
                await client.send(type="enter", token=token)
                assert await client.closed() == numbers.MANY
                assert client.frames == []

        async def scene() -> None:
            async with AsyncExitStack() as stack:
                enter = stack.enter_async_context
                await enter(entered(served, TABLE, tokens["p1"]))
                async with entered(served, TABLE, tokens["p1"]):
                    await refused(tokens["p1"])
                    await enter(entered(served, TABLE, tokens["p2"]))
                    await refused(tokens["p2"])
                held = served.here.sockets
                await comes(lambda: held.at(TABLE) == 2)
                assert (held.at(TABLE, "p1"), held.at(TABLE, "p2"), len(held)) == (1, 1, 2)
                await enter(entered(served, TABLE, tokens["p2"]))
            await comes(lambda: not len(held))
            assert (held.at(TABLE), held.at(TABLE, "p1")) == (0, 0)

        run(scene())


# --- slow readers ---------------------------------------------------------------------------------


async def noted(served: Served, most: int, until: Callable[[], bool] = lambda: False) -> int:
    """Long notes until something holds; how many."""
    for number in range(most):
        if until():
            return number
        await there(served, served.service.submit(TABLE, NARRATOR, noting(LONG)))
    return most


async def test_who_never_reads_is_gone_soon_and_costs_others_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "QUEUED", 10)
    monkeypatch.setattr(transport, "LINGER", 0.2)
    tokens = served.open(TABLE)

    async with AsyncExitStack() as stack:
        for _ in range(8):
            await stack.enter_async_context(stalled(served, TABLE, tokens["p1"]))
        healthy = [
            await stack.enter_async_context(entered(served, TABLE, tokens["p2"])) for _ in range(8)
        ]
        held = served.here.sockets
        count = await noted(served, 200, lambda: held.at(TABLE, "p1") == 0)
        assert count < 200
        for client in healthy:
            await client.until_size(3 + 2 * count)
        connections = served.connections
        await comes(lambda: len(connections) == 8)


def held_up(served: Served) -> tuple[asyncio.Event, asyncio.Event]:
    """Requests wait: set once one has begun, and what they wait for."""
    began, go = asyncio.Event(), asyncio.Event()
    submit = served.service.submit_request

    async def slow(*given: Any) -> Any:
        began.set()
        await go.wait()
        return await submit(*given)

    served.service.submit_request = slow  # type: ignore[method-assign, assignment]
    return began, go


@pytest.mark.slow
async def test_small_frames_wait_unread(served: Served) -> None:
    tokens = served.open(TABLE)
    _, go = held_up(served)

    async with entered(served, TABLE, tokens["p1"]) as client:
        await client.ask("r1", noting("one"))
        (found,) = served.connections
        frame = b"\x81\x82" + bytes(4) + b"{}"
        client.connection.transport.write(frame * 20_000)
        await comes(lambda: found.read_paused)
        assert found.queue.qsize() < 1_000
        served.soon(go.set)
        for _ in range(20_000):
            await client.until("refused")
        assert len(client.of("done")) == 1


# --- faults ---------------------------------------------------------------------------------------


def fail_once(served: Served, error: Exception) -> None:
    """Let the next request fail."""
    submit = served.service.submit_request

    async def fails(*given: Any) -> Any:
        served.service.submit_request = submit  # type: ignore[method-assign]
        raise error

    served.service.submit_request = fails  # type: ignore[method-assign, assignment]


async def test_what_cannot_be_done_now_is_for_later(served: Served) -> None:
    tokens = served.open(TABLE)
    note = noting("one")

    async with entered(served, TABLE, tokens["p1"]) as client:
        fail_once(served, Unavailable("no room in /somewhere/secret"))
        later = await client.done("r1", note)
        assert (later["type"], later["request"], later["seconds"]) == ("later", "r1", 1.0)
        assert "secret" not in later["why"]
        assert (await client.done("r1", note))["type"] == "done"


@pytest.mark.parametrize(
    "error", [Damaged("qqq of it"), Defect("qqq of it"), KeyError("qqq of it")]
)
def test_a_fault_closes_and_is_logged(
    served: Served, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = served.open(TABLE)

    async def scene() -> None:
        async with entered(served, TABLE, tokens["p1"]) as client:
            fail_once(served, error)
            await client.ask("r1", noting("one"))
            assert await client.closed() == numbers.BROKEN
            assert "qqq" not in json.dumps(client.frames)
            assert client.connection.close_reason == numbers.CLOSES[numbers.BROKEN]

    run(scene())
    text = caplog.text
    assert "socket failed" in text
    assert type(error).__name__ in text
    assert tokens["p1"] not in text
    assert ("qqq" in text) == (not isinstance(error, KeyError))


# --- the end --------------------------------------------------------------------------------------


async def test_a_server_that_stops_answers_what_began_and_closes_all(served: Served) -> None:
    tokens = served.open(TABLE)
    began, go = held_up(served)

    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        busy = await enter(entered(served, TABLE, tokens["p1"]))
        idle = await enter(entered(served, TABLE, tokens["p2"]))
        silent = await enter(opened(served, TABLE))
        await busy.ask("r1", noting("one"))
        await busy.ask("r2", noting("two"))
        await there(served, began.wait())
        ending = Thread(target=served.stop)
        ending.start()
        assert await idle.closed() == numbers.RESTART
        assert await silent.closed() == numbers.RESTART
        served.soon(go.set)
        assert await busy.closed() == numbers.RESTART
        assert [frame["request"] for frame in busy.of("done")] == ["r1"]
        await asyncio.to_thread(ending.join)


@pytest.mark.parametrize("way", ["cut", "cancelled"])
async def test_a_socket_that_ends_does_not_end_what_began(served: Served, way: str) -> None:
    tokens = served.open(TABLE)
    began, go = asyncio.Event(), asyncio.Event()
    commands = served.service._commands  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    submit = commands.submit

    async def slow(*given: Any) -> Any:
        began.set()
        await go.wait()
        return await submit(*given)

    commands.submit = slow  # type: ignore[method-assign, assignment]

    async def cancel() -> None:
        for task in served.tasks:
            task.cancel()

    async with entered(served, TABLE, tokens["p1"]) as client:
        await client.ask("r1", noting("one"))
        await there(served, began.wait())
        if way == "cut":
            client.connection.transport.abort()
        else:
            await there(served, cancel())
            await comes(lambda: not len(served.here.sockets))
    served.soon(go.set)
    async with entered(served, TABLE, tokens["p2"]) as other:
        if other.of("commit")[-1]["size"] < 5:
            await other.until_size(5)


async def test_a_server_stops_while_a_client_is_closing_its_socket(served: Served) -> None:
    """Uvicorn closes every connection as it stops, and one that is closing cannot be closed."""
    tokens = served.open(TABLE)

    async def stop() -> None:
        [link] = served.connections
        link.conn.receive_data(b"\x88\x82\x00\x00\x00\x00\x03\xe8")  # a client's close, unanswered
        assert link.conn.state is not State.OPEN
        link.on_shutdown = None  # as where the socket's session has ended by itself
        link.shutdown()
        assert link.transport.is_closing()

    async with entered(served, TABLE, tokens["p1"]):
        await there(served, stop())
