"""Attacks by how it is sent, and by whom: its form, its token, its page."""

import asyncio
import gzip
import json
import socket as network
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection
from select import select
from typing import Any

import httpx
import pytest
import websockets
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.engine.helpers.clocks import Ahead
from tests.engine.helpers.stages.server import bearer
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import Client
from tests.engine.server.admission.test_intruders import CLIENT, exchange, same
from tests.engine.server.admission.test_origins import raw
from tests.engine.server.attacking import Scene, ask_frame, attack, written
from tests.engine.server.http_table import TABLE
from tests.engine.server.routes.test_reading import refused
from urim.engine.access.protocol import DAY
from urim.engine.access.secret import draw
from urim.engine.wire import numbers

GOOD = written(noting("a note"), "of-an-attack")
"""A request that would be done."""

JSON = {"Content-Type": "application/json"}


# --- 1: too long, too deep, no JSON ---------------------------------------------------------------


@attack(1)
def a_body_that_is_a_byte_too_long(scene: Scene) -> None:
    data = GOOD + b" " * (numbers.FRAME + 1 - len(GOOD))
    refused(scene.post(data), 413, "too-big")
    for path in ("/requests", "/preview"):
        refused(scene.post(b"x" * numbers.FRAME, path=path), 422, "malformed")
        refused(scene.post(b"x" * (numbers.FRAME + 1), path=path), 413, "too-big")


@attack(1)
def a_length_of_a_terabyte_and_no_body(scene: Scene) -> None:
    connection = HTTPConnection(scene.served.url.removeprefix("http://"), timeout=60)
    connection.putrequest("POST", f"/tables/{TABLE}/requests")
    for name, value in (bearer(scene.tokens["p1"]) | JSON | {"Content-Length": 10**12}).items():
        connection.putheader(name, str(value))
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "too-big")
    connection.close()


@attack(1)
def a_body_that_does_not_end(scene: Scene) -> None:
    host, _, port = scene.served.url.removeprefix("http://").partition(":")
    head = f"POST /tables/{TABLE}/requests HTTP/1.1\r\nHost: {host}:{port}\r\n" + "".join(
        f"{name}: {value}\r\n" for name, value in (bearer(scene.tokens["p1"]) | JSON).items()
    )
    with network.create_connection((host, int(port)), timeout=60) as raw_connection:
        raw_connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        sent = 0
        while not select([raw_connection], [], [], 0.01)[0]:
            raw_connection.sendall(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
            sent += 1
        # It is answered while it goes on.
        assert raw_connection.recv(100).startswith(b"HTTP/1.1 413 ")
        assert sent * 0x4000 < 100 * numbers.FRAME


@attack(1)
def a_small_body_that_unpacks_to_much(scene: Scene) -> None:
    url = f"/tables/{TABLE}/requests"
    packed = gzip.compress(b" " * 10_000_000 + GOOD)
    headers = JSON | {"Content-Encoding": "gzip"}
    answer = scene.site.clients["p1"].post(url, content=packed, headers=headers)
    refused(answer, 422, "malformed")


@attack(1)
def a_body_that_is_nested_without_end(scene: Scene) -> None:
    for opened in (b"[", b'{"a":', b'{"request":[', b'{"body":{"a":[{'):
        refused(scene.post(opened * (60_000 // len(opened))), 422, "malformed")
    inside = json.dumps({"request": "r", "body": "[" * 30_000}).encode()
    refused(scene.post(inside), 422, "too-long")
    inside = json.dumps({"request": "r", "body": "[" * 3_000}).encode()
    refused(scene.post(inside), 422, "malformed")


@attack(1)
def a_good_body_that_is_cut_or_goes_on(scene: Scene) -> None:
    for data in (GOOD[:-1], GOOD[1:], GOOD + GOOD, GOOD + b"\0", b"\xef\xbb\xbf" + GOOD):
        refused(scene.post(data), 422, "malformed")


@attack(1)
def one_key_twice_for_two_readers(scene: Scene) -> None:
    body = json.dumps(json.loads(GOOD)["body"]).encode()
    twice = GOOD[:-1] + b',"body":' + body + b"}"
    refused(scene.post(twice), 422, "malformed")
    again = GOOD.replace(b'\\"about\\":0', b'\\"about\\":0,\\"about\\":0')
    assert again != GOOD
    refused(scene.post(again), 422, "malformed")


@attack(1)
def a_form_of_another_page_that_is_no_json(scene: Scene) -> None:
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        url = f"/tables/{TABLE}/requests"
        headers = {"Content-Type": media}
        answer = scene.site.clients["p1"].post(url, content=GOOD, headers=headers)
        refused(answer, 415, "not-json")


@attack(1)
def a_frame_that_is_a_byte_too_long(scene: Scene) -> None:
    async def act(client: Client) -> None:
        await client.connection.send(" " * (numbers.FRAME + 1))
        assert await client.closed() == numbers.TOO_BIG

    async def just_not(client: Client) -> None:
        await client.connection.send("x" * numbers.FRAME)
        assert (await client.until("refused"))["code"] == "malformed"

    scene.entered(act)
    scene.opened(act)
    scene.entered(just_not)


@attack(1)
def a_frame_in_parts_that_do_not_end(scene: Scene) -> None:
    async def act(client: Client) -> None:
        with suppress(ConnectionClosed):
            await client.connection.send([" " * 30_000] * 3)
        assert await client.closed() == numbers.TOO_BIG

    async def empty(client: Client) -> None:
        with suppress(ConnectionClosed):
            await client.connection.send([""] * 5_000)
        assert await client.closed() == numbers.TOO_BIG

    for each in (act, empty):
        scene.entered(each)
        scene.opened(each)


@attack(1)
def frames_that_are_no_json(scene: Scene) -> None:
    async def act(client: Client) -> None:
        frame = ask_frame(noting("a note"), "r")
        nested = "[" * 32_000 + "]" * 32_000
        for each in (frame[:-1], frame + frame, frame.encode(), nested, "", "\0", '"\\ud800"'):
            await client.connection.send(each)
            assert (await client.until("refused", "done"))["code"] == "malformed"

    scene.entered(act)


@attack(1)
def a_frame_that_is_no_text(scene: Scene) -> None:
    async def act(client: Client) -> None:
        await client.connection.send(b"\xff\xfe{}", text=True)
        assert await client.closed() == numbers.NO_TEXT

    scene.entered(act)
    scene.opened(act)


# --- 2: no good token, a foreign page -------------------------------------------------------------


@attack(2)
def a_token_that_is_guessed(scene: Scene) -> None:
    good = scene.tokens["p1"]
    wrong = ("", "x", draw("t").reveal(), good[:-1], good + "x", good.upper(), f"{good} {good}")
    url = f"{scene.served.url}/tables/{TABLE}/requests"
    answers = [
        httpx.post(url, content=GOOD, headers=JSON | {"Authorization": f"Bearer {each}".strip()})
        for each in wrong
    ]
    answers.append(httpx.post(url, content=GOOD, headers=JSON))
    assert len({repr(same(answer)) for answer in answers}) == 1
    refused(answers[0], 401, "no-token")


@attack(2)
def a_token_where_none_belongs(scene: Scene) -> None:
    good = scene.tokens["p1"]
    url = f"{scene.served.url}/tables/{TABLE}/requests"
    for where, headers in (
        (f"{url}?token={good}", {}),
        (f"{url}?access_token={good}", {}),
        (url, {"Cookie": f"token={good}"}),
        (url, {"X-Auth-Token": good}),
        (url, {"Authorization": f"Basic {good}"}),
    ):
        refused(httpx.post(where, content=GOOD, headers=JSON | headers), 401, "no-token")


@attack(2)
def a_token_that_was_revoked(scene: Scene) -> None:
    token = scene.served.token(TABLE, "player", "p1")
    assert httpx.delete(f"{scene.served.url}/access", headers=bearer(token)).status_code == 200
    url = f"{scene.served.url}/tables/{TABLE}/requests"
    refused(httpx.post(url, content=GOOD, headers=bearer(token) | JSON), 401, "no-token")


CLOCK = Ahead()


@attack(2, now=CLOCK)
def a_token_that_expired(scene: Scene) -> None:
    url = f"{scene.served.url}/tables/{TABLE}/requests"
    CLOCK.more = 367 * DAY
    try:
        late = httpx.post(url, content=GOOD, headers=bearer(scene.tokens["p1"]) | JSON)

        async def act(client: Client) -> None:
            await client.send(type="enter", token=scene.tokens["p1"])
            assert await client.closed() == numbers.REFUSED

        scene.opened(act)
    finally:
        CLOCK.more = 0
    refused(late, 401, "no-token")


@attack(2)
def a_link_that_leaked_after_it_was_used(scene: Scene) -> None:
    secret = scene.served.invitation(TABLE, "auditor")
    token = exchange(scene.served, secret, CLIENT).json()["token"]
    url = scene.served.url
    assert httpx.get(f"{url}/access", headers=bearer(token)).status_code == 200
    for client in (CLIENT, "client-of-somebody-else-1"):  # who used it, and another
        refused(exchange(scene.served, secret, client), 401, "no-token")
    # Nor is a link a token.
    refused(httpx.get(f"{url}/access", headers=bearer(secret)), 401, "no-token")


@attack(2)
def a_socket_without_a_good_token(scene: Scene) -> None:
    good = scene.tokens["p1"]
    wrong = (
        *(json.dumps({"type": "enter", "token": each}) for each in ("", "x", draw("t").reveal())),
        json.dumps({"type": "enter", "token": good + "x"}),
        json.dumps({"type": "enter", "token": scene.tokens["auditor"]}),
        json.dumps({"type": "enter", "token": scene.tokens["host"]}),
        json.dumps({"type": "enter", "token": [good]}),
        json.dumps({"type": "Enter", "token": good}),
        ask_frame(noting("a note"), "r"),
        good,
    )
    found = set()

    async def act(client: Client, frame: str) -> None:
        await client.connection.send(frame)
        found.add((await client.closed(), client.connection.close_reason, len(client.frames)))

    for frame in wrong:
        scene.opened(partial(act, frame=frame))
    assert found == {(numbers.REFUSED, numbers.CLOSES[numbers.REFUSED], 0)}


@attack(2)
def a_socket_whose_token_is_revoked_goes_on_asking(scene: Scene) -> None:
    token = scene.served.token(TABLE, "player", "p1")

    async def act(client: Client) -> None:
        await client.enter(token)
        url = f"{scene.served.url}/access"
        await asyncio.to_thread(httpx.delete, url, headers=bearer(token))
        assert await client.closed() == numbers.REFUSED

    scene.opened(act)


@attack(2)
def a_page_of_somewhere_else(scene: Scene) -> None:
    headers = bearer(scene.tokens["p1"]) | JSON
    url = f"{scene.served.url}/tables/{TABLE}/requests"
    port = scene.served.here.config.port
    for origin in (
        "null",
        "https://evil.example",
        f"https://127.0.0.1:{port}",
        scene.served.url + "/",
    ):
        answer = httpx.post(url, content=GOOD, headers=headers | {"Origin": origin})
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign")
        assert not any(name.startswith("access-control") for name in answer.headers)


@attack(2)
def a_name_that_leads_here(scene: Scene) -> None:
    token = scene.tokens["p1"].encode()
    for host in (b"evil.example", b"evil.example:PORT", b"127.0.0.1:PORT.evil.example", b""):
        head = b"GET /tables/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
        answer = raw(
            scene.served, head % (TABLE.encode(), host, token) + b"Connection: close\r\n\r\n"
        )
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert b'"code":"foreign"' in answer


@attack(2)
def a_socket_of_a_foreign_page(scene: Scene) -> None:
    url = f"{scene.served.ws_url}/tables/{TABLE}/socket"

    async def act(**given: Any) -> None:
        with pytest.raises(websockets.InvalidStatus) as error:
            await connect(url, proxy=None, **given)
        assert error.value.response.status_code == 403
        assert b'"code":"foreign"' in (error.value.response.body or b"")

    asyncio.run(act(origin="https://evil.example"))
    asyncio.run(act(origin="null"))
    asyncio.run(act(additional_headers={"Host": "evil.example"}))
