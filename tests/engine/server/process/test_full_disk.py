"""A server that can write nothing: reading goes on, under heads that are signed and kept later."""

import sys
from contextlib import closing
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.server import bearer
from tests.engine.helpers.stages.serving import Serving, serving
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.service.heads import read_unverified

resource: Any = pytest.importorskip("resource")

TABLE = "evening7"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")


def narrator_of(running: Serving) -> httpx.Client:
    """A client of the narrator of a new table."""
    client = httpx.Client(base_url=running.url, timeout=60)

    def enter(secret: str) -> None:
        found = client.post(
            "/access/exchange", json={"secret": secret, "client": token_urlsafe(24)}
        )
        client.headers.update(bearer(found.json()["token"]))

    assert running.host_link is not None
    enter(running.host_link.partition("#h=")[2])
    wish = {"table": TABLE, "ruleset": "plain", "request": "open-1"}
    enter(client.post("/tables", json=wish).json()["invitation"])
    return client


@pytest.mark.slow
def test_reading_goes_on_where_nothing_can_be_written(tmp_path: Path) -> None:
    with serving(tmp_path / "night.db") as running, closing(narrator_of(running)) as client:

        def ask(command: c.Command, request: str) -> httpx.Response:
            data = WireRequest(body_of(command).decode(), request).written()
            json = {"Content-Type": "application/json"}
            return client.post(f"/tables/{TABLE}/requests", content=data, headers=json)

        def get(path: str) -> httpx.Response:
            found = client.get(f"/tables/{TABLE}/{path}")
            assert found.status_code == 200, (path, found.text)
            return found

        size = ask(c.TakeSeat("p1", "player"), "ask-1").json()["size"]
        limit = resource.RLIMIT_FSIZE
        _, most = resource.prlimit(running.process.pid, limit)
        resource.prlimit(running.process.pid, limit, (0, most))
        assert ask(c.TakeSeat("p2", "player"), "ask-2").status_code == 503

        for _ in range(2):
            head = read_unverified(get("checkpoint").content)
            assert head.size == size
            assert get("proofs/inclusion/1").json()["size"] <= size
            assert get(f"proofs/consistency/{size}").json()["size"] == size
            assert get("bundle").content.count(b"\n") > size
            assert get("moves").content

        resource.prlimit(running.process.pid, limit, (most, most))
        assert ask(c.TakeSeat("p2", "player"), "ask-2").json()["size"] == size + 1
        assert read_unverified(get("checkpoint").content).size == size + 1
