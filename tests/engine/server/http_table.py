"""A table for tests of HTTP: an open roll that was thrown, and one of p2's hidden from p1."""

from collections.abc import Mapping
from typing import Any

import httpx

from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest

TABLE = "table001"
OTHER = "table002"

ROOT = "רוח"
FACES = tuple("שזגכלקבט")
WISH: Mapping[str, object] = {"root": ROOT, "rating": 2}

OPEN, HIDDEN, LIVE, MISSING = 1, 2, 3, 9


class Site:
    """A served table, and clients of its seats: `p1`, `p2`, `narrator`, `auditor`, `host`."""

    def __init__(self, served: Served, *, hidden: bool = True) -> None:
        self.served = served
        tokens = served.open(TABLE)
        tokens["auditor"] = served.token(TABLE, "auditor")
        tokens["host"] = served.host_token
        self.tokens = tokens
        self.clients = {
            who: httpx.Client(base_url=served.url, headers=bearer(token), timeout=60)
            for who, token in tokens.items()
        }
        self.count = 0
        self.does(NARRATOR, c.EnterCharacter("c1", "p1", {"BLE": 3}))
        self.does(NARRATOR, c.EnterCharacter("c2", "p2", {"GRA": 2}))
        self.does("p1", c.Declare("c1", dict(WISH)))
        self.does("p1", c.RollDice(OPEN, "initiator", faces=FACES))
        if hidden:
            self.does("p2", c.Declare("c2", dict(WISH), "self"))
            self.does("p1", c.Declare("c1", dict(WISH)))

    def get(self, who: str, path: str, **given: Any) -> httpx.Response:
        """GET something of the table."""
        return self.clients[who].get(f"/tables/{TABLE}{path}", **given)

    def ask(self, who: str, command: c.Command, request: str | None = None) -> httpx.Response:
        """POST a command, under a new id unless one is given."""
        self.count += 1
        body = body_of(command).decode()
        asked = WireRequest(body, request or f"request-{self.count}")
        return self.post(who, asked.written())

    def post(self, who: str, data: bytes, path: str = "/requests") -> httpx.Response:
        """POST these bytes as JSON."""
        json = {"Content-Type": "application/json"}
        return self.clients[who].post(f"/tables/{TABLE}{path}", content=data, headers=json)

    def does(self, who: str, command: c.Command) -> dict[str, Any]:
        """POST a command that is done."""
        answer = self.ask(who, command)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def close(self) -> None:
        """Close every client."""
        for client in self.clients.values():
            client.close()
