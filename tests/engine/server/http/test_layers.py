"""HEAD, sockets where none is, and requests that are given up as the server stops."""

import asyncio
import logging
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.json import decode
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.engine.helpers.stages.server import Served, bearer
from tests.engine.server.admission.test_origins import raw
from tests.engine.server.http.test_transport import until
from tests.engine.server.http_table import TABLE, Site
from urim.engine.server.admission.origins import HEADERS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table that is looked at."""
    with Served(tmp_path_factory.mktemp("site")) as served:
        found = Site(served)
        yield found
        found.close()


@pytest.mark.parametrize(
    "path",
    ["/health", "/verifier", "/openapi.json", f"/tables/{TABLE}", f"/tables/{TABLE}/entries"],
)
def test_head_is_get_without_its_body(site: Site, path: str) -> None:
    client = site.clients["p1"]
    with_body, without = client.get(path), client.head(path)
    assert with_body.status_code == without.status_code == 200
    assert with_body.content
    assert not without.content
    changes = {"date", "transfer-encoding"}
    found, expected = dict(without.headers), dict(with_body.headers)
    for name in changes:
        found.pop(name, None)
        expected.pop(name, None)
    assert found == expected
    assert client.get("/health").is_success  # the connection goes on


def test_head_is_refused_as_get_is(site: Site) -> None:
    assert httpx.head(f"{site.served.url}/tables/{TABLE}").status_code == 401
    refused = httpx.head(f"{site.served.url}/access/exchange")
    assert refused.status_code == 405
    assert set(refused.headers["allow"].split(", ")) == {"OPTIONS", "POST"}


def test_head_is_counted_as_what_it_was(site: Site) -> None:
    assert site.clients["host"].head("/health").is_success
    figures = site.clients["host"].get("/metrics").text
    assert any('"HEAD"' in line and '"/health"' in line for line in figures.splitlines())


@pytest.mark.parametrize("path", ["/", "/nothing", "/health", "/tables/t/sockets"])
def test_a_socket_where_none_is_gets_a_problem(
    site: Site, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(f"{site.served.ws_url}{path}"):
        pass
    answer = refused.value.response
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert decode(answer.body or b"")["code"] == "no-route"
    until(lambda: not site.served.tasks)
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_what_is_refused_before_the_application_has_its_headers(site: Site) -> None:
    url = site.served.url
    with pytest.raises(InvalidStatus) as none, connect(f"{site.served.ws_url}/nothing"):
        pass
    evil = Origin("https://evil.example")
    with pytest.raises(InvalidStatus) as foreign, connect(f"{site.served.ws_url}/", origin=evil):
        pass
    lines = raw(site.served, b"nonsense\r\n\r\n").partition(b"\r\n\r\n")[0].decode().splitlines()
    for headers in (
        none.value.response.headers,
        foreign.value.response.headers,
        dict(line.lower().split(": ", 1) for line in lines[1:]),
        httpx.get(f"{url}/health", headers={"Origin": evil}).headers,
        httpx.options(f"{url}/tables", headers={"Origin": url}).headers,
    ):
        assert {name: headers[name.lower()] for name in HEADERS} == HEADERS


def test_a_request_that_is_given_up_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Served(tmp_path, grace=0) as served:
        tokens = served.open(TABLE)
        began = threading.Event()
        answers: list[httpx.Response] = []

        async def never(*_: Any, **__: Any) -> None:
            began.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(served.here.front, "sight", never)
        url, headers = f"{served.url}/tables/{TABLE}", bearer(tokens["p1"])
        asks = threading.Thread(target=lambda: answers.append(httpx.get(url, headers=headers)))
        asks.start()
        assert began.wait(60)
        served.stop()
        asks.join()
    [answer] = answers
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "1"
    assert not [each for each in caplog.records if each.exc_info]
