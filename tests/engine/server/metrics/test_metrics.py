"""Figures, and the lines that requests leave in the log: how much of everything, never whose."""

import asyncio
import io
import json
import logging
import re
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import entered, opened, run
from urim.engine.access.secret import draw
from urim.engine.core.commands import SetTrack
from urim.engine.core.request import WireRequest
from urim.engine.logs import configure
from urim.engine.server.metrics.counted import deed_of
from urim.engine.server.metrics.figures import Metrics
from urim.engine.server.metrics.middleware import TYPES, Observed
from urim.engine.wire import numbers
from urim.errors import Refused

TABLE = "table001"

Sample = tuple[str, tuple[tuple[str, str], ...]]


def figures(served: Served) -> dict[Sample, float]:
    """The figures as a host reads them, by name and labels."""
    answer = httpx.get(f"{served.url}/metrics", headers=bearer(served.host_token))
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def requests_of(found: dict[Sample, float], route: str) -> dict[tuple[str, str], float]:
    """How many requests of a route, by method and status."""
    return {
        (dict(labels)["method"], dict(labels)["status"]): value
        for (name, labels), value in found.items()
        if name == "urim_requests_total" and dict(labels)["route"] == route
    }


@pytest.fixture
def logged() -> Generator[io.StringIO]:
    """What is logged, as JSON lines."""
    logger = logging.getLogger("urim")
    before = (logger.handlers[:], logger.level, logger.propagate)
    out = io.StringIO()
    configure(level="INFO", json=True, stream=out)
    yield out
    logger.handlers[:], logger.level, logger.propagate = before


def lines(logged: io.StringIO, event: str) -> list[dict[str, Any]]:
    """The lines of an event."""
    found = [json.loads(line) for line in logged.getvalue().splitlines()]
    return [line for line in found if line["event"] == event]


# --- figures --------------------------------------------------------------------------------------


def test_requests_are_counted_by_route_method_and_status(served: Served) -> None:
    for path in ("/health", "/health?a=b", "/nowhere", "/tables/a/../../nowhere", "/verifier"):
        httpx.get(f"{served.url}{path}")
    httpx.post(f"{served.url}/health")
    httpx.request("BREW", f"{served.url}/health")
    found = figures(served)
    assert requests_of(found, "/health") == {("GET", "200"): 2}
    assert requests_of(found, "/verifier") == {("GET", "200"): 1}
    nowhere = requests_of(found, "none")
    assert nowhere["GET", "404"] == 2
    assert nowhere["POST", "405"] == 1
    assert {method for method, _ in nowhere} <= {"GET", "POST", "other"}
    assert found["urim_request_seconds_count", (("route", "/health"),)] == 2


def test_commands_are_counted_by_what_they_do_and_how_they_end(served: Served) -> None:
    served.open(TABLE)

    async def refused() -> None:
        with suppress(Refused):
            await served.service.submit(TABLE, "p1", SetTrack("c9", "xr", 1))
        with suppress(Refused):
            await served.service.submit_request(TABLE, "p1", b"{}")
        body = '{"do":"note/1","about":0,"text":"' + "0" * 64 + '"}'
        with suppress(Refused):
            await served.service.submit_request(TABLE, "p1", WireRequest(body).written())

    served.run(refused())
    found = figures(served)
    counted = {
        (dict(labels)["do"], dict(labels)["result"]): value
        for (name, labels), value in found.items()
        if name == "urim_commands_total"
    }
    assert counted["open/2", "done"] == 1
    assert counted["take-seat/2", "done"] == 2
    assert counted["other", "malformed"] == 1
    assert sum(n for (do, end), n in counted.items() if do == "set-track/1" and end != "done") == 1
    assert sum(n for (do, end), n in counted.items() if do == "note/1" and end != "done") == 1
    assert found["urim_tables_loaded", ()] == 1


@pytest.mark.parametrize(
    ("data", "deed"),
    [
        (WireRequest('{"do":"declare/1","x":1}').written(), "declare/1"),
        (WireRequest('{"do":"table001"}').written(), "other"),
        (WireRequest("[" * 100_000).written(), "other"),
        (WireRequest("{}").written(), "other"),
        (b"[" * 100_000, "other"),
        (b"\xff", "other"),
        (b'{"body":1}', "other"),
        (b"", "other"),
    ],
)
def test_of_what_is_no_command_nothing_becomes_a_label(data: bytes, deed: str) -> None:
    assert deed_of(data) == deed


def test_the_figures_are_the_host_s_alone(served: Served) -> None:
    tokens = served.open(TABLE, {"p1": "player", "w1": "witness"})
    tokens["auditor"] = served.token(TABLE, "auditor")
    for header in ({}, *map(bearer, (*tokens.values(), "urim-t1-wrong"))):
        answer = httpx.get(f"{served.url}/metrics", headers=header)
        assert not answer.is_success
        assert "urim_" not in answer.text
    assert figures(served)


def test_no_label_names_a_table_a_seat_or_a_roll(served: Served) -> None:
    tokens = served.open(TABLE, {"p1": "player"})
    for path in (f"/tables/{TABLE}", f"/tables/{TABLE}/rolls/1", f"/tables/{TABLE}/x", f"/{TABLE}"):
        for header in (bearer(tokens["p1"]), {}):
            httpx.get(f"{served.url}{path}", headers=header)
    text = httpx.get(f"{served.url}/metrics", headers=bearer(served.host_token)).text
    assert TABLE not in text
    assert NARRATOR not in text
    assert not re.search(r'"p1"|urim-[thi]1', text)
    allowed = {"route", "method", "status", "do", "result", "code", "type", "le"}
    named = {name for _, labels in figures(served) for name, _ in labels}
    assert named <= allowed


def test_two_servers_have_figures_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with Served(tmp_path / "one") as one, Served(tmp_path / "two") as two:
        httpx.get(f"{one.url}/health")
        assert requests_of(figures(one), "/health")
        assert not requests_of(figures(two), "/health")


# --- what stands around any application -----------------------------------------------------------


def seen(app: Any, scope: dict[str, Any], heard: list[dict[str, Any]]) -> Metrics:
    """The figures after one connection to an application."""
    metrics = Metrics()

    async def receive() -> Any:
        return heard.pop(0)

    async def send(_: Any) -> None:
        return

    async def run() -> None:
        with suppress(RuntimeError):
            await Observed(app, metrics)({"headers": [], **scope}, receive, send)

    asyncio.run(run())
    return metrics


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """One figure."""
    return metrics.registry.get_sample_value(name, labels)


def test_a_request_that_breaks_is_counted() -> None:
    async def breaks(*_: Any) -> None:
        raise RuntimeError

    found = seen(breaks, {"type": "http", "method": "GET"}, [])
    assert value(found, "urim_requests_total", route="none", method="GET", status="500") == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"type":"/problems#not-yours","code":"not-yours"}', "not-yours"),
        (b'{"code":"no-token"}', "no-token"),
        (b'{"code":"table001"}', "other"),
        (b"{", "other"),
    ],
)
def test_refusals_are_counted_by_code(body: bytes, code: str) -> None:
    async def refuses(_: Any, __: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/problem+json")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    found = seen(refuses, {"type": "http", "method": "GET"}, [])
    assert value(found, "urim_refused_total", code=code) == 1


def test_sockets_and_frames_are_counted(logged: io.StringIO) -> None:
    frames: list[dict[str, Any]] = [
        {"text": '{"type":"commit","size":4,"entries":[]}'},
        {"bytes": b'{"type":"caught-up","size":4}', "text": None},
        {"text": '{"type":"table001"}'},
        {"text": "what"},
    ]

    async def talks(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        for frame in frames:
            await send({"type": "websocket.send", **frame})
        await send({"type": "websocket.close", "code": 4413})

    found = seen(
        talks, {"type": "websocket", "path_template": "/x"}, [{"type": "websocket.connect"}]
    )
    assert value(found, "urim_sockets_open") == 0
    assert value(found, "urim_frames_sent_total", type="commit") == 1
    assert value(found, "urim_frames_sent_total", type="caught-up") == 1
    assert value(found, "urim_frames_sent_total", type="other") == 2
    assert value(found, "urim_sockets_closed_total", code="4413") == 1
    [line] = lines(logged, "socket")
    assert (line["route"], line["code"], line["opened"]) == ("/x", 4413, True)


def test_frames_and_closes_of_real_sockets_are_counted(logged: io.StringIO, served: Served) -> None:
    tokens = served.open(TABLE)

    async def scene() -> None:
        async with entered(served, TABLE, tokens["p1"]) as client:
            await client.done("r1", noting("hello"))
            if len(client.of("commit")) < 4:
                await client.until("commit")
        async with opened(served, TABLE) as stranger:
            await stranger.send(type="enter", token=draw("t").reveal())
            assert await stranger.closed() == numbers.REFUSED
        async with entered(served, TABLE, tokens["p1"]) as client:
            await client.connection.send("x" * (numbers.FRAME + 1))
            assert await client.closed() == numbers.TOO_BIG
        async with opened(served, TABLE) as client:
            await client.send(type="enter", token=tokens["p1"], after=99)
            assert await client.closed() == numbers.FORKED

    run(scene())
    while served.connections:
        time.sleep(0.01)
    served.stop()  # a line is written after the end

    def counted(name: str, **labels: str) -> float:
        return served.here.metrics.registry.get_sample_value(name, labels) or 0.0

    sent = {each: counted("urim_frames_sent_total", type=each) for each in TYPES}
    # Three entries, then two in one commit; and those five as four commits to the second socket.
    assert sent["commit"] == 4 + 4
    assert (sent["caught-up"], sent["done"], sent["forked"]) == (2, 1, 1)
    assert counted("urim_frames_sent_total", type="other") == 0
    closes = {
        code: counted("urim_sockets_closed_total", code=str(code))
        for code in (1000, numbers.REFUSED, numbers.TOO_BIG, numbers.FORKED)
    }
    assert set(closes.values()) == {1.0}
    assert counted("urim_sockets_open") == 0
    codes = sorted(line["code"] for line in lines(logged, "socket"))
    assert codes == sorted(closes)


@pytest.mark.parametrize(("code", "label"), [(1001, "1001"), (4999, "other"), (None, "other")])
def test_a_client_that_goes_is_counted(code: int | None, label: str) -> None:
    async def listens(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    gone = {"type": "websocket.disconnect", "code": code}
    found = seen(listens, {"type": "websocket"}, [{"type": "websocket.connect"}, gone])
    assert value(found, "urim_sockets_open") == 0
    assert value(found, "urim_sockets_closed_total", code=label) == 1


# --- the log --------------------------------------------------------------------------------------


def test_a_request_leaves_one_line_without_what_is_private(
    logged: io.StringIO, served: Served
) -> None:
    token = served.open(TABLE)["p1"]
    logged.truncate(0)
    logged.seek(0)
    headers = {**bearer(token), "X-Request-ID": "dana-1", "Cookie": "biscuit"}
    url = f"{served.url}/health?secret=query"
    httpx.request("GET", url, headers=headers, content=b"private body")
    httpx.get(f"{served.url}/tables/{TABLE}", headers={"X-Request-ID": "no\tid of ours"})
    served.stop()  # a line is written after the answer
    first, second = lines(logged, "request")
    assert {key: first[key] for key in ("method", "route", "status", "request")} == {
        "method": "GET",
        "route": "/health",
        "status": 200,
        "request": "dana-1",
    }
    assert first["ms"] >= 0
    assert "request" not in second
    assert (first.get("code"), second["code"]) == (None, "no-token")
    text = json.dumps([first, second])
    for private in (token, "query", "private body", "biscuit", TABLE, "id of ours"):
        assert private not in text
