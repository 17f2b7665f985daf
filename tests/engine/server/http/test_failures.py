"""What a client is answered when the log, the store or the server itself fails: its kind alone."""

import logging
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.server import Served
from tests.engine.server.http_table import OPEN, Site
from tests.engine.server.routes.test_reading import refused
from urim.engine.core import commands as c
from urim.engine.server.http.problems import as_problem
from urim.engine.service.feed import Commit
from urim.engine.wire.problems import OURS, STATUS
from urim.errors import CODES, Damaged, Defect, Refused, Unavailable

WORDS = "/home/dana/tables.db"

FAILURES = (
    (Unavailable(WORDS), 503, "unavailable"),
    (Refused("unreadable", WORDS), 503, "unavailable"),
    (Damaged(WORDS, seq=3), 500, "broken"),
    (Defect(WORDS), 500, "broken"),
    (RuntimeError(WORDS), 500, "broken"),
    (KeyError(WORDS), 500, "broken"),
    (RecursionError(WORDS), 500, "broken"),
)

EACH = pytest.mark.parametrize(
    ("error", "status", "code"), FAILURES, ids=[type(each[0]).__name__ for each in FAILURES]
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table of which one call fails at a time."""
    with Served(tmp_path_factory.mktemp("site")) as served:
        found = Site(served, hidden=False)
        yield found
        found.close()


@EACH
def test_a_failure_says_no_more_than_its_kind(
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    code: str,
) -> None:
    async def fails(*_: Any, **__: Any) -> Any:
        raise error

    caplog.set_level(logging.WARNING, "urim")
    asks: dict[str, Callable[[], httpx.Response]] = {
        "sight": lambda: site.get("p1", ""),
        "submit_request": lambda: site.ask("p1", c.Resolve(OPEN)),
        "checkpoint": lambda: site.get("p1", "/checkpoint"),
        "head": lambda: site.get("p1", "/entries"),
        "bundle": lambda: site.get("p1", "/bundle"),
    }
    for name, ask in asks.items():
        caplog.clear()
        with monkeypatch.context() as broken:
            broken.setattr(site.served.here.front, name, fails)
            answer = ask()
        problem = refused(answer, status, code)
        assert WORDS not in answer.text
        assert problem["why"] == OURS[code][1]
        assert answer.headers.get("retry-after") == ("1" if status == 503 else None)
        assert "request failed" in caplog.text
        assert type(error).__name__ in caplog.text


def test_a_refusal_is_not_logged(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "urim")
    site.get("p1", "/rolls/99")
    site.ask("p1", c.Resolve(OPEN + 98))
    assert not [each for each in caplog.records if "failed" in each.getMessage()]


def test_a_stream_that_fails_has_no_end(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(*_: Any) -> AsyncGenerator[Any, None]:
        yield Commit(1, (b"x" * 100_000,))
        yield Commit(2, (b"x" * 100_000,))
        raise Damaged(WORDS)

    with monkeypatch.context() as broken:
        broken.setattr(site.served.here.front, "subscribe", breaks)
        for encoding in ("gzip", "identity"):
            with pytest.raises(httpx.RemoteProtocolError):
                site.get("p1", "/entries", headers={"Accept-Encoding": encoding})
    assert site.get("p1", "/entries").status_code == 200


def test_a_stream_that_is_refused_is_a_problem(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuses(*_: Any) -> AsyncGenerator[Any, None]:
        for _each in range(1):
            raise Refused("over-budget", "64 subscriptions are enough", seconds=2.5)
        yield

    with monkeypatch.context() as broken:
        broken.setattr(site.served.here.front, "subscribe", refuses)
        answer = site.get("p1", "/entries")
    assert refused(answer, 429, "over-budget")["retry_after"] == 2.5
    assert answer.headers["retry-after"] == "3"


# --- every code -----------------------------------------------------------------------------------


def test_every_code_has_a_status() -> None:
    assert set(STATUS) == set(CODES)
    assert not set(STATUS) & set(OURS)


@pytest.mark.parametrize("code", [code for code in CODES if code != "unreadable"])
def test_a_refusal_is_the_problem_of_its_code(code: str) -> None:
    problem = as_problem(Refused(code, "why not", allowed=range(30)))
    assert (problem.code, problem.status, problem.why) == (code, STATUS[code], "why not")
    assert problem.type == f"/problems#{code}"
    assert problem.title == CODES[code]
    assert (len(problem.allowed), problem.left_out) == (20, 10)
    assert (problem.retry_after is not None) == (code == "over-budget")
