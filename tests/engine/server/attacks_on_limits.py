"""Attacks by how much: too fast, too many, too slow, on a disk that is full, beyond the log."""

import asyncio
import json
import socket as network
import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import httpx

from tests.engine.helpers.stages.server import NARRATOR, bearer
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import Client, entered, opened, run, stalled
from tests.engine.server.attacking import Scene, attack, written
from tests.engine.server.http_table import TABLE
from tests.engine.server.routes.test_reading import refused
from urim.engine.access.secret import draw
from urim.engine.server.socket import transport
from urim.engine.wire import numbers

# --- 6: too fast, too many, silent ----------------------------------------------------------------


@attack(6, burst=numbers.BURST)
def a_hundred_commands_at_once(scene: Scene) -> None:
    answers = [scene.post(b"{}") for _ in range(100)]
    late = [answer for answer in answers if answer.status_code == 429]
    assert late
    for answer in late:
        problem = refused(answer, 429, "too-fast")
        assert int(answer.headers["retry-after"]) >= problem["retry_after"] > 0
    for answer in set(answers) - set(late):
        refused(answer, 422, "malformed")
    # Another seat is not kept waiting.
    refused(scene.post(b"{}", NARRATOR), 422, "malformed")


@attack(6, burst=numbers.BURST)
def a_hundred_frames_at_once(scene: Scene) -> None:
    async def act(client: Client) -> None:
        for _ in range(100):
            await client.connection.send(b"{}")
        for _ in range(100):
            await client.until("refused")
        for _ in range(100):
            await client.send(type="prove", size=1)
        answers = [await client.until("proof", "later") for _ in range(100)]
        late = [answer for answer in answers if answer["type"] == "later"]
        assert late
        assert all(0 < answer["seconds"] <= numbers.BURST / numbers.RATE for answer in late)

    scene.entered(act)


@attack(6)
def a_seventeenth_socket_of_a_seat(scene: Scene) -> None:
    async def scene_of() -> None:
        async with AsyncExitStack() as stack:
            held = [
                await stack.enter_async_context(entered(scene.served, TABLE, scene.tokens["p1"]))
                for _ in range(numbers.SEAT_SOCKETS)
            ]
            async with opened(scene.served, TABLE) as client:
                await client.send(type="enter", token=scene.tokens["p1"])
                assert await client.closed() == numbers.MANY
                assert client.frames == []
            assert all(each.connection.close_code is None for each in held)
            await held[0].send(type="prove", size=1)
            assert (await held[0].until("proof"))["size"] == 1

    run(scene_of())


@attack(6, seat_sockets=3, table_sockets=4)
def a_socket_too_many_of_a_table(scene: Scene) -> None:
    async def scene_of() -> None:
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            for who in ("p1", "p1", "p1", "p2"):
                await enter(entered(scene.served, TABLE, scene.tokens[who]))
            async with opened(scene.served, TABLE) as client:
                await client.send(type="enter", token=scene.tokens[NARRATOR])
                assert await client.closed() == numbers.MANY
                assert client.frames == []

    run(scene_of())


@attack(6, silence=0.3)
def a_socket_that_says_nothing(scene: Scene) -> None:
    async def act(client: Client) -> None:
        assert await client.closed() == numbers.SILENT
        assert client.frames == []

    scene.opened(act)


@attack(6, silence=0.3)
def a_socket_that_never_ends_its_first_frame(scene: Scene) -> None:
    async def act(client: Client) -> None:
        async def drips() -> AsyncGenerator[str]:
            while True:
                yield " "
                await asyncio.sleep(0.05)

        sending = asyncio.create_task(client.connection.send(drips()))
        assert await client.closed() == numbers.SILENT
        sending.cancel()
        await asyncio.wait([sending])

    scene.opened(act)


@attack(6, burst=numbers.BURST)
def a_hundred_guesses_of_one_address(scene: Scene) -> None:
    url = scene.served.url
    with httpx.Client(base_url=url) as client:
        answers = [client.get("/access", headers=bearer(draw("t").reveal())) for _ in range(50)]
        body = {"secret": draw("i").reveal(), "client": "client-0000000000000001"}
        answers += [client.post("/access/exchange", json=body) for _ in range(50)]
    assert {answer.status_code for answer in answers} == {401, 429}
    for answer in answers:
        if answer.status_code == 429:
            refused(answer, 429, "too-fast")
            assert answer.headers["retry-after"] == "1"
    # Who is in already is not kept waiting.
    assert scene.site.get("p1", "").status_code == 200


# --- 7: a slow reader -----------------------------------------------------------------------------


async def noted(scene: Scene, words: str, most: int) -> int:
    """Notes of the narrator's until the seat p1 has no socket; how many."""
    for number in range(most):
        if scene.served.here.sockets.at(TABLE, "p1") == 0:
            return number
        work = scene.served.service.submit(TABLE, NARRATOR, noting(words))
        await asyncio.to_thread(scene.served.run, work)
    return most


def slow(scene: Scene, words: str, most: int) -> None:
    """A reader that stalls is closed, in time, and later misses nothing; another one goes on."""

    async def scene_of() -> None:
        async with entered(scene.served, TABLE, scene.tokens["p2"]) as quick:
            size = quick.of("caught-up")[0]["size"]
            async with stalled(scene.served, TABLE, scene.tokens["p1"]) as client:
                count = await noted(scene, words, most)
                assert 0 < count < most
                assert await client.closed() == numbers.SLOW
            await quick.until_size(size + 2 * count)
            behind = client.frames[-1]
            commits = client.of("commit")
            assert (behind["type"], behind["size"]) == ("behind", commits[-1]["size"])
            after = behind["size"] - 1
            async with entered(scene.served, TABLE, scene.tokens["p1"], after) as again:
                commits += again.of("commit")
            seqs = [entry["seq"] for commit in commits for entry in commit["entries"]]
            assert seqs == list(range(size + 2 * count))
            # What was written meanwhile is what was asked for, and no more.
            assert scene.keep() == 2 * count

    run(scene_of())


@attack(7, burst=100_000)
def a_reader_with_too_many_commits_unread(scene: Scene) -> None:
    slow(scene, "short", 2_000)


@attack(7, burst=100_000)
def a_reader_with_too_many_bytes_unread(scene: Scene) -> None:
    slow(scene, "ש" * 3_900, 400)


MANY = 50_000
"""Refusals of more bytes than a system keeps for who reads nothing, some megabytes."""


@attack(7)
def a_reader_of_nothing_that_asks_on(scene: Scene) -> None:
    dance = '{"type":"dance"}' + " " * 4_000

    async def scene_of() -> None:
        async with stalled(scene.served, TABLE, scene.tokens["p1"]) as client:
            sent = 0
            with suppress(TimeoutError):
                while sent < MANY:
                    await asyncio.wait_for(client.connection.send(dance), 0.5)
                    sent += 1
            assert sent < MANY  # it is not read either
            assert scene.served.here.sockets.at(TABLE, "p1") == 1  # nor closed for that
            async with entered(scene.served, TABLE, scene.tokens["p2"]) as quick:
                await quick.send(type="prove", size=1)
                await quick.until("proof")
            for _ in range(sent):
                assert (await client.until("refused"))["code"] == "malformed"

    run(scene_of())


@attack(7)
def a_reader_of_nothing_that_pings_on(scene: Scene) -> None:
    async def scene_of() -> None:
        async with stalled(scene.served, TABLE, scene.tokens["p1"]) as client:
            data = b"".join([b"\x89\xfd" + bytes(4) + b"p" * 125] * 100)
            for _ in range(200):
                client.connection.transport.write(data)
                await asyncio.sleep(0.001)
            waiting = [each.transport.get_write_buffer_size() for each in scene.served.connections]
            # asyncio's mark for what waits, what was there before, a piece that was being read
            assert max(waiting) <= 64 * 1024 + 1_500 + transport.PIECE
            async with entered(scene.served, TABLE, scene.tokens["p2"]) as quick:
                await quick.send(type="prove", size=1)
                await quick.until("proof")

    run(scene_of())


@attack(7, burst=100_000)
def readers_of_a_log_who_stop_in_the_middle(scene: Scene) -> None:
    for _ in range(60):
        scene.served.run(scene.served.service.submit(TABLE, NARRATOR, noting("z" * 3_900)))
    assert scene.keep() == 120
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(unread(scene, f"/tables/{TABLE}/entries"))
        answers = [scene.site.get("p2", path) for path in ("", "/entries", "/bundle")]
        assert {answer.status_code for answer in answers} == {200}


def unread(scene: Scene, path: str) -> network.socket:
    """A connection that asks for something and reads nothing of it."""
    host = scene.served.url.removeprefix("http://")
    name, _, port = host.partition(":")
    raw = network.socket()
    raw.setsockopt(network.SOL_SOCKET, network.SO_RCVBUF, 2_048)
    raw.connect((name, int(port)))
    token = scene.tokens["p1"]
    head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
    raw.sendall(head.encode())
    return raw


# --- 8: a full disk, a locked log -----------------------------------------------------------------


@contextmanager
def locked(scene: Scene) -> Generator[None]:
    """The log is locked by another process's connection; it is waited for only shortly."""
    writer: Any = scene.served.log._writer  # type: ignore[attr-defined]  # noqa: SLF001

    def wait(milliseconds: int) -> None:
        def within(connection: sqlite3.Connection) -> None:
            connection.execute(f"PRAGMA busy_timeout = {milliseconds}").fetchall()

        scene.served.run(settled(writer.submit, within))

    wait(100)
    with sqlite3.connect(scene.served.database, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
    other.close()
    wait(30_000)


async def settled(submit: Any, work: Any) -> Any:
    """What came of a job of the writer's."""
    return await submit(work)


@contextmanager
def full(scene: Scene) -> Generator[None]:
    """There is no room for another page of the log."""
    writer: Any = scene.served.log._writer  # type: ignore[attr-defined]  # noqa: SLF001

    def pages(most: int) -> None:
        def within(connection: sqlite3.Connection) -> None:
            connection.execute(f"PRAGMA max_page_count = {most}").fetchall()

        scene.served.run(settled(writer.submit, within))

    pages(1)
    try:
        yield
    finally:
        pages(1_073_741_823)


def not_now(answer: httpx.Response) -> None:
    """The answer to what cannot be done now."""
    refused(answer, 503, "unavailable")
    assert answer.headers["retry-after"] == "1"
    assert "table.db" not in answer.text


@attack(8)
def a_command_while_the_log_is_locked(scene: Scene) -> None:
    data = written(noting("later"), "locked-1")
    with locked(scene):
        not_now(scene.post(data))
        not_now(scene.post(data))
        assert scene.site.get("p1", "").status_code == 200
        scene.unchanged()
    assert [scene.post(data).status_code for _ in range(2)] == [200, 200]
    assert scene.keep() == 2


@attack(8)
def a_frame_while_the_log_is_locked(scene: Scene) -> None:
    note = noting("later")

    with socket_while(scene, locked(scene), note, "locked-2") as frames:
        assert [frame["type"] for frame in frames] == ["later", "done"]
        assert (frames[0]["request"], frames[0]["seconds"]) == ("locked-2", 1.0)
    assert scene.keep() == 2


@contextmanager
def socket_while(scene: Scene, fault: Any, note: Any, request: str) -> Generator[list[Any]]:
    """What a socket is answered to a request within a fault and after it."""
    frames: list[Any] = []

    async def act(client: Client) -> None:
        loop = asyncio.get_running_loop()
        went, gone = asyncio.Event(), asyncio.Event()

        def within() -> None:
            with fault:
                loop.call_soon_threadsafe(went.set)
                asyncio.run_coroutine_threadsafe(gone.wait(), loop).result(60)

        holding = asyncio.create_task(asyncio.to_thread(within))
        await went.wait()
        frames.append(await client.done(request, note))
        gone.set()
        await holding
        frames.append(await client.done(request, note))

    scene.entered(act)
    yield frames


@attack(8)
def a_command_on_a_full_disk(scene: Scene) -> None:
    long = noting("x" * 3_900)
    with full(scene):
        done, answer = 0, scene.post(written(long, "full-0"))
        while answer.status_code == 200:
            done += 1
            answer = scene.post(written(long, f"full-{done}"))
        not_now(answer)
        assert scene.keep() == 2 * done
        not_now(scene.post(written(long, f"full-{done}")))
        assert scene.site.get("p1", "/entries").status_code == 200
        scene.unchanged()
    assert scene.post(written(long, f"full-{done}")).status_code == 200
    assert scene.keep() == 2


@attack(8)
def a_frame_on_a_full_disk(scene: Scene) -> None:
    long = noting("y" * 3_900)

    async def fill(client: Client) -> None:
        answer = {"type": "done"}
        number = 0
        while answer["type"] == "done":
            number += 1
            answer = await client.done(f"filled-{number}", long)
        assert (answer["type"], answer["request"]) == ("later", f"filled-{number}")
        assert scene.keep() == 2 * (number - 1)
        assert (await client.done(f"filled-{number}", long))["type"] == "later"

    with full(scene):
        scene.entered(fill)
        scene.unchanged()


@attack(8)
def a_table_opened_while_the_log_is_locked(scene: Scene) -> None:
    host = scene.site.clients["host"]
    body = {"table": "table008", "ruleset": "milhamah", "source": "scripted", "request": "open-8"}
    with locked(scene):
        not_now(host.post("/tables", json=body))
        assert TABLE in host.get("/tables").json()["tables"]
        assert "table008" not in host.get("/tables").json()["tables"]
    scene.unchanged()
    assert host.post("/tables", json=body).status_code == 201
    assert scene.keep() > 0


@attack(8)
def a_link_exchanged_while_the_log_is_locked(scene: Scene) -> None:
    narrator = scene.site.clients[NARRATOR]
    link = narrator.post(f"/tables/{TABLE}/invitations", json={"role": "player", "seat": "late"})
    body = {"secret": link.json()["secret"], "client": "client-0000000000000002"}
    exchange = f"{scene.served.url}/access/exchange"
    with locked(scene):
        not_now(httpx.post(exchange, json=body, timeout=60))
        scene.unchanged()
    # The same client asks again, and has the seat.
    answer = httpx.post(exchange, json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["grant"]["seat"] == "late"
    assert scene.keep() == 1


# --- 9: after beyond the log ----------------------------------------------------------------------


def size_and_head(scene: Scene) -> tuple[int, str]:
    """How long the first table's log is, and its head as signed last."""
    answer = scene.site.get("p1", "/checkpoint")
    return int(answer.text.split("\n")[1]), answer.text


@attack(9)
def entries_after_the_end(scene: Scene) -> None:
    size, _ = size_and_head(scene)
    for after in (size, size + 1, 10**9, 2**53 - 1):
        found = refused(scene.site.get("p1", f"/entries?after={after}"), 409, "forked")
        assert found["head"].split("\n")[1] == str(size)
    assert scene.site.get("p1", f"/entries?after={size - 1}").content == b""


@attack(9)
def a_socket_after_the_end(scene: Scene) -> None:
    size, _ = size_and_head(scene)

    async def act(client: Client, after: int) -> None:
        await client.send(type="enter", token=scene.tokens["p1"], after=after)
        assert await client.closed() == numbers.FORKED
        found = client.frames[-1]
        assert (found["type"], found["size"]) == ("forked", size)
        assert found["head"].split("\n")[1] == str(size)
        assert client.of("commit") == []

    async def at_the_end(client: Client) -> None:
        await client.enter(scene.tokens["p1"], size - 1)
        assert client.of("commit") == []

    for after in (size, size + 1, 2**53 - 1):
        scene.opened(partial(act, after=after))
    scene.opened(at_the_end)


@attack(9)
def numbers_that_no_log_has(scene: Scene) -> None:
    for after in (2**53, 10**400, -2):
        refused(scene.site.get("p1", f"/entries?after={after}"), 422, "out-of-range")
    for text in ("1e3", "0x1", "", "1.0", "+1", "١", "NaN"):
        refused(scene.site.get("p1", f"/entries?after={text}"), 422, "malformed")


@attack(9)
def a_socket_after_a_number_that_no_log_has(scene: Scene) -> None:
    token = json.dumps(scene.tokens["p1"])

    async def act(client: Client, after: str) -> None:
        await client.connection.send(f'{{"type":"enter","token":{token},"after":{after}}}')
        assert await client.closed() == numbers.REFUSED
        assert client.frames == []

    for after in ("-2", "1e3", "2.0", "null", '"3"', "[3]", "NaN", "03", "9" * 10_000):
        scene.opened(partial(act, after=after))


@attack(9)
def proofs_beyond_the_log(scene: Scene) -> None:
    size, _ = size_and_head(scene)
    for path, code, status in (
        (f"/proofs/inclusion/{size}", "out-of-range", 422),
        (f"/proofs/consistency/{size + 1}", "out-of-range", 422),
        (f"/proofs/consistency/{2**53}", "out-of-range", 422),
    ):
        refused(scene.site.get("p1", path), status, code)

    async def act(client: Client) -> None:
        for each in (size + 1, 2**53 - 1, 2**63, 10**30, -1):
            await client.send(type="prove", size=each)
            answer = await client.until("refused", "proof")
            assert answer["code"] in ("out-of-range", "malformed")

    scene.entered(act)
