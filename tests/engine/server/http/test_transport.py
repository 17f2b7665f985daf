"""Connections before they are sockets: how long, how slow and how many they may be."""

import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.json import decode

from tests.engine.helpers.stages.server import Served
from tests.engine.helpers.stages.sooner import PATIENCE
from urim.engine.server.http.transport import RAW
from urim.engine.wire.numbers import HEADING

MEGABYTE = 1_000_000


@contextmanager
def connected(served: Served) -> Generator[socket.socket]:
    """A connection on which nothing was sent yet."""
    with closing(socket.create_connection(("127.0.0.1", served.here.config.port))) as found:
        found.settimeout(PATIENCE)
        yield found


def head(served: Served, first: str, **headers: str) -> bytes:
    """A request's first line and headers, without their end."""
    named = {"Host": served.url.partition("//")[2], **headers}
    lines = [f"{first} HTTP/1.1", *(f"{k.replace('_', '-')}: {v}" for k, v in named.items())]
    return "".join(f"{line}\r\n" for line in lines).encode()


def half_body(served: Served) -> bytes:
    """A request of which one byte of the body came."""
    exchange = "POST /access/exchange"
    json = "application/json"
    return head(served, exchange, Content_Type=json, Content_Length="50") + b"\r\n{"


def until(holds: Callable[[], object]) -> None:
    """Wait for what the server does by itself."""
    for _ in range(100 * PATIENCE):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never held")


def read_all(connection: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


def problem(answer: bytes, status: int, code: str) -> dict[str, Any]:
    """The problem in an answer, which ends its connection."""
    top, _, body = answer.partition(b"\r\n\r\n")
    lines = top.decode().lower().split("\r\n")
    assert lines[0].startswith(f"http/1.1 {status} "), answer[:500]
    assert "content-type: application/problem+json" in lines
    assert "connection: close" in lines
    assert f"content-length: {len(body)}" in lines
    found: dict[str, Any] = decode(body)
    assert (found["status"], found["code"]) == (status, code)
    return found


# --- how long -------------------------------------------------------------------------------------


def flood(connection: socket.socket, piece: bytes, times: int) -> int:
    """Send this until the server takes no more; how often it was sent."""
    for count in range(times):
        try:
            connection.sendall(piece)
        except OSError:
            return count
    return times


@pytest.mark.parametrize(
    "piece", [b"a" * MEGABYTE, b"a: b\r\n" * (MEGABYTE // 6)], ids=["one", "many"]
)
def test_headers_that_do_not_end_are_refused_as_they_come(served: Served, piece: bytes) -> None:
    with connected(served) as connection:
        connection.sendall(head(served, "GET /health") + b"X: " + b"a" * 2 * HEADING)
        problem(read_all(connection), 431, "long-head")
    with connected(served) as connection:
        connection.sendall(head(served, "GET /health") + b"X: ")
        assert flood(connection, piece, 60) < 60 or read_all(connection)
    assert len(served.tasks) == 0


def test_headers_that_end_late_are_refused(served: Served) -> None:
    long = {"X": "a" * 2 * HEADING}
    answer = httpx.get(f"{served.url}/health", headers=long)
    assert (answer.status_code, answer.json()["code"]) == (431, "long-head")
    fit = {"X": "a" * (HEADING // 2)}
    with httpx.Client() as client:
        for _ in range(4):  # each request has its own bound
            assert client.get(f"{served.url}/health", headers=fit).is_success


def test_a_body_that_does_not_end_is_cut(served: Served) -> None:
    chunked = head(served, "POST /access/exchange", Transfer_Encoding="chunked") + b"\r\n"
    with connected(served) as connection:
        connection.sendall(chunked)
        extension = b"1;" + b"x" * RAW
        connection.sendall(extension)
        assert flood(connection, b"x" * MEGABYTE, 60) < 60 or read_all(connection)
    with connected(served) as connection:  # trailers
        connection.sendall(chunked + b"0\r\n" + b"a: b\r\n" * (RAW // 6))
        assert flood(connection, b"a: b\r\n" * 100_000, 60) < 60 or read_all(connection)


def test_what_is_no_request_is_a_problem(served: Served) -> None:
    for noise in (
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"GET /health HTTP/1.1\r\nno header\r\n\r\n",
    ):
        with connected(served) as connection:
            connection.sendall(noise)
            problem(read_all(connection), 400, "no-http")


def test_an_upgrade_that_is_none_is_a_problem(served: Served) -> None:
    upgrade = head(served, "GET /tables/t/socket", Upgrade="websocket", Connection="Upgrade")
    with connected(served) as connection:
        connection.sendall(upgrade + b"a: b\r\n" * 200 + b"\r\n")
        problem(read_all(connection), 400, "no-http")


# --- how slow -------------------------------------------------------------------------------------


def test_who_sends_nothing_is_gone(tmp_path: Path) -> None:
    with Served(tmp_path, patience=0.2) as served, connected(served) as connection:
        assert read_all(connection) == b""


def test_what_does_not_come_whole_in_time_is_refused(tmp_path: Path) -> None:
    with Served(tmp_path, patience=0.2) as served:
        for sent in (head(served, "GET /health"), half_body(served)):
            with connected(served) as connection:
                connection.sendall(sent)
                problem(read_all(connection), 408, "too-slow")


def test_who_was_refused_and_stays_does_not_trouble_a_server_that_stops(tmp_path: Path) -> None:
    # The connection is closed once the server has stopped, without an error.
    with ExitStack() as stack, Served(tmp_path, patience=0.2) as served:
        connection = stack.enter_context(connected(served))
        connection.sendall(half_body(served))
        problem(read_all(connection), 408, "too-slow")


def test_one_drop_after_the_other_is_no_excuse(tmp_path: Path) -> None:
    with Served(tmp_path, patience=0.4) as served, connected(served) as connection:
        connection.sendall(head(served, "GET /health"))
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.05):
                flood(connection, b"a: b\r\n", 1)

        dripping = threading.Thread(target=drip)
        dripping.start()
        problem(read_all(connection), 408, "too-slow")
        stop.set()
        dripping.join()


def test_a_later_request_has_its_own_time(tmp_path: Path) -> None:
    with Served(tmp_path, patience=0.3) as served, connected(served) as connection:
        whole = head(served, "GET /health") + b"\r\n"
        connection.sendall(whole)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(whole[:-2])
        rest = read_all(connection).partition(b"HTTP/1.1 408")
        problem(rest[1] + rest[2], 408, "too-slow")


def test_who_reads_nothing_is_gone(tmp_path: Path) -> None:
    with Served(tmp_path, patience=0.2) as served, connected(served) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        ask = head(served, "GET /openapi.json") + b"\r\n"
        flood(connection, ask * 50, 1)
        until(lambda: not served.connections)


# --- how many -------------------------------------------------------------------------------------


def test_connections_beyond_the_most_are_refused(tmp_path: Path) -> None:
    with Served(tmp_path, connections=3) as served:
        many(served, 3, 503, "unavailable")


def test_connections_of_an_address_beyond_its_most_are_refused(tmp_path: Path) -> None:
    with Served(tmp_path, address_connections=3) as served:
        many(served, 3, 429, "too-fast")


def test_a_proxy_has_the_connections_of_everybody(tmp_path: Path) -> None:
    with Served(tmp_path, address_connections=1, behind_proxy=True) as served, connected(served):
        assert httpx.get(f"{served.url}/health").is_success


def many(served: Served, most: int, status: int, code: str) -> None:
    """So many connections are taken, and one more when one of them is gone."""
    whole = head(served, "GET /health") + b"\r\n"
    open_ = [socket.create_connection(("127.0.0.1", served.here.config.port)) for _ in range(most)]
    for each in open_:
        each.sendall(whole)
        assert each.recv(65536).startswith(b"HTTP/1.1 200")
    with connected(served) as connection:
        assert problem(read_all(connection), status, code)["retry_after"] == 1.0
    for each in open_:
        each.close()
    until(lambda: not served.connections)
    assert httpx.get(f"{served.url}/health").is_success


# --- at the end -----------------------------------------------------------------------------------


def test_a_request_that_has_not_come_holds_no_stop(tmp_path: Path) -> None:
    with Served(tmp_path, grace=3600) as served, connected(served) as connection:
        connection.sendall(half_body(served))
        until(lambda: served.tasks)  # the handler waits for the rest
        served.stop()
        answer = problem(read_all(connection), 503, "unavailable")
        assert answer["retry_after"] == 1.0
