"""The log over HTTP: after which entry, what changed since, compressed or not."""

import json
import zlib
from collections.abc import Generator
from typing import Any

import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.http_table import FACES, HIDDEN, Site
from tests.engine.server.openapi.test_document import validator
from tests.engine.server.routes.test_reading import refused
from urim.engine.core import commands as c
from urim.engine.server.http.replies import takes_gzip
from urim.engine.service.feed import SLICE
from urim.events.line import entry_line

MANY = 4 * SLICE
"""Commits that are not made at once."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table with a hidden roll that was thrown."""
    with Served(tmp_path_factory.mktemp("site")) as served:
        found = Site(served)
        found.does("p2", c.RollDice(HIDDEN, "initiator", faces=FACES))
        yield found
        found.close()


def lines(site: Site, who: str, after: int = -1) -> dict[int, dict[str, Any]]:
    """The entries after one, by number; a later line takes the place of one before."""
    answer = site.get(who, f"/entries?after={after}")
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in answer.text.splitlines()]
    for line in found:
        validator({"$ref": "#/components/schemas/EntryLine"}).validate(line)
    assert int(answer.headers["urim-size"]) == 1 + max([after, *(each["seq"] for each in found)])
    return {line["seq"]: line for line in found}


def held(site: Site, who: str) -> dict[int, dict[str, Any]]:
    """The entries as the service gives them."""
    entries = site.served.run(site.served.service.view(site_table(site), who))
    return {entry.seq: json.loads(entry_line(entry)) for entry in entries}


def site_table(_: Site) -> str:
    """The table's id."""
    return "table001"


def test_every_seat_gets_what_it_may_have(site: Site) -> None:
    for who in (NARRATOR, "p1", "p2"):
        assert lines(site, who) == held(site, who)
    assert lines(site, "p1") != lines(site, "p2")


@pytest.mark.parametrize("after", [-1, 0, 3, 8])
def test_only_later_entries_come(site: Site, after: int) -> None:
    every = held(site, "p1")
    assert lines(site, "p1", after) == {seq: each for seq, each in every.items() if seq > after}


def test_at_the_end_nothing_comes(site: Site) -> None:
    last = max(held(site, "p1"))
    answer = site.get("p1", f"/entries?after={last}")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["urim-size"] == str(last + 1)


def test_beyond_the_log_the_signed_head_comes(site: Site) -> None:
    size = len(held(site, "p1"))
    for after in (size, size + 1, 10**15):
        problem = refused(site.get("p1", f"/entries?after={after}"), 409, "forked")
        assert problem["head"].split("\n")[:2] == ["urim.local/t/table001", str(size)]


def test_what_was_revealed_since_comes_again(tmp_path: Any) -> None:
    with Served(tmp_path) as served:
        site = Site(served)
        known = lines(site, "p1")
        last = max(known)
        site.does("p2", c.Reveal(HIDDEN))
        newer = lines(site, "p1", last)
        assert min(newer) < last < max(newer)
        assert known | newer == held(site, "p1")
        site.close()


# --- compressed -----------------------------------------------------------------------------------


def test_it_is_compressed_where_the_client_takes_it(site: Site) -> None:
    plain = site.get("p1", "/entries", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    with site.clients["p1"].stream(
        "GET", "/tables/table001/entries", headers={"Accept-Encoding": "gzip"}
    ) as packed:
        raw = b"".join(packed.iter_raw())
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert zlib.decompress(raw, 31) == plain.content
    assert len(raw) < len(plain.content)


def test_nothing_else_is_compressed(site: Site) -> None:
    for path in ("", "/history", "/checkpoint", "/rolls/1/account", "/entries?after=x"):
        answer = site.get("p1", path, headers={"Accept-Encoding": "gzip"})
        assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        ("gzip", True), ("GZIP", True), ("deflate, gzip", True), ("gzip;q=0.5", True),
        ("gzip; q=1.0", True), ("*", True), ("*;q=0.1", True), ("", False), ("identity", False),
        ("gzip;q=0", False), ("gzip; q=0.000", False), ("*;q=0", False), ("*, gzip;q=0", False),
        ("x-gzip", False), ("br", False),
    ],
)  # fmt: skip
def test_who_takes_gzip(header: str, takes: bool) -> None:
    assert takes_gzip(header) == takes


# --- a long one -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_long_log_comes_whole(tmp_path: Any) -> None:
    with Served(tmp_path) as served:
        site = Site(served, hidden=False)
        served.run(grown(served, MANY))
        assert lines(site, "p1") == held(site, "p1")
        site.close()


async def grown(served: Served, entries: int) -> None:
    """Let a table grow."""
    for number in range(entries):
        await served.service.submit("table001", NARRATOR, c.SetTrack("c1", "soak", number % 9))
