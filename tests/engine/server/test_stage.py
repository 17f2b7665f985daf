"""The stage itself: a server that answers, with tables whose seats have tokens."""

import httpx

from tests.engine.helpers.stages.server import NARRATOR, Served


def test_a_server_answers(served: Served) -> None:
    assert httpx.get(f"{served.url}/health").json()["status"] == "ok"


def test_its_tables_have_seats_with_tokens(served: Served) -> None:
    tokens = served.open("table001", {"p1": "player", "w1": "witness"})
    found = {
        seat: served.run(served.access.lookup(token, served.here.now()))
        for seat, token in tokens.items()
    }
    assert {seat: grant and grant.role for seat, grant in found.items()} == {
        NARRATOR: "narrator",
        "p1": "player",
        "w1": "witness",
    }
    host = served.run(served.access.lookup(served.host_token, served.here.now()))
    assert host is not None
    assert (host.role, host.table) == ("host", None)
    assert len({*tokens.values(), served.token("table001", "auditor")}) == 4
