"""Exact names of the server and of pages: what is foreign is refused before anything else."""

import socket
from pathlib import Path

import httpx
import pytest

from tests.engine.helpers.stages.server import Served, bearer
from urim.engine.server.admission.origins import origins
from urim.engine.server.process.config import Config

CHAT = "https://chat.example"


def raw(served: Served, head: bytes) -> bytes:
    """What is answered to these very bytes."""
    port = served.here.config.port
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(head.replace(b"PORT", str(port).encode()))
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    return answer


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\nHost: evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: evil.example:PORT\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:1\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT.evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT@evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost.:PORT\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost.evil.example:PORT\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.1:PORT\r\n",
        b"GET /health HTTP/1.1\r\nHost: 0.0.0.0:PORT\r\n",
        b"GET /health HTTP/1.1\r\nHost:\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT, evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n",
        b"GET /health HTTP/1.0\r\n",
        b"GET /nothing-is-here HTTP/1.1\r\nHost: evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: 127.0.0.1:PORT\r\n",
        b"GET http://127.0.0.1:PORT/health HTTP/1.1\r\nHost: evil.example\r\n",
    ],
)
def test_a_request_under_another_name_is_foreign(served: Served, head: bytes) -> None:
    answer = raw(served, head + b"Connection: close\r\n\r\n")
    assert answer.split(b"\r\n")[0].split()[1] in (b"403", b"400")
    assert b'"status":"ok"' not in answer


@pytest.mark.sampled(4)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LocalHost"])
def test_one_s_own_machine_has_three_names(served: Served, host: str) -> None:
    head = f"GET /health HTTP/1.1\r\nHost: {host}:PORT\r\nConnection: close\r\n\r\n"
    assert b'"status":"ok"' in raw(served, head.encode())


FOREIGN = (
    "null",
    "",
    "https://evil.example",
    "http://evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1:PORT.evil.example",
    "http://user@127.0.0.1:PORT",
    "HTTP://127.0.0.1:PORT",
    "http://localhost.evil.example:PORT",
    "https://chat.example.evil.example",
    "https://evilchat.example",
    "http://chat.example",
    "https://chat.example:8443",
    "https://chat.example, http://127.0.0.1:PORT",
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_somewhere_else_gets_nothing(tmp_path: Path, origin: str) -> None:
    with Served(tmp_path, origins=(CHAT,)) as served:
        came = origin.replace("PORT", str(served.here.config.port))
        token = bearer(served.host_token)
        answer = httpx.get(f"{served.url}/tables", headers=token | {"Origin": came})
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign")
        assert answer.headers["content-type"] == "application/problem+json"
        assert not any(name.startswith("access-control") for name in answer.headers)
        asked = {"Origin": came, "Access-Control-Request-Method": "POST"}
        assert httpx.options(f"{served.url}/tables", headers=asked).status_code == 403


def test_two_origins_are_foreign(served: Served) -> None:
    own = [("Origin", served.url), ("Origin", served.url)]
    assert httpx.get(f"{served.url}/health", headers=own).status_code == 403


def test_its_own_pages_and_those_of_its_settings_are_answered(tmp_path: Path) -> None:
    with Served(tmp_path, origins=(CHAT,)) as served:
        port = served.here.config.port
        token = bearer(served.host_token)
        for origin in (CHAT, served.url, f"http://localhost:{port}", f"http://[::1]:{port}"):
            answer = httpx.get(f"{served.url}/tables", headers=token | {"Origin": origin})
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == origin
            assert "access-control-allow-credentials" not in answer.headers
            assert "Origin" in answer.headers["vary"]
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            may = httpx.options(f"{served.url}/tables", headers=asked)
            assert may.status_code == 204
            assert "authorization" in may.headers["access-control-allow-headers"]


@pytest.mark.parametrize(
    ("config", "own"),
    [
        (Config(), {"http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"}),
        (Config(port=80), {"http://127.0.0.1", "http://localhost", "http://[::1]"}),
        (
            Config(host="192.0.2.7", behind_proxy=True, url="https://dice.example"),
            {"https://dice.example", "http://192.0.2.7:8000"},
        ),
        (
            Config(host="::", tls_cert="c", tls_key="k", url="https://dice.example"),
            {"https://dice.example"},
        ),
        (
            Config(host="dice.example", port=443, tls_cert="c", tls_key="k", origins=(CHAT,)),
            {"https://dice.example", CHAT},
        ),
    ],
)
def test_what_a_server_s_own_origins_are(config: Config, own: set[str]) -> None:
    assert set(origins(config)) == own
