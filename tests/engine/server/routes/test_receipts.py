"""Links to one roll over HTTP: who is told one, what its page may do, and what nobody learns."""

import re
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.http_table import HIDDEN, LIVE, MISSING, OPEN, TABLE, Site
from tests.engine.server.routes.test_reading import refused
from urim.engine.core import commands as c

NAME = '<script>alert(1)</script> & "Friday" </title>'
"""A name of a table that would do something, if it could."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table with an open roll, a hidden one, and one that waits, whose links are allowed."""
    with Served(tmp_path_factory.mktemp("site"), rate=1e5, burst=100_000) as served:
        found = Site(served)
        served.run(served.service.submit(TABLE, NARRATOR, c.worded(c.NameTable(), NAME)))
        found.does(NARRATOR, c.SetTable("links", value=True))
        yield found
        found.close()


def page(site: Site, path: str) -> httpx.Response:
    """A page as anybody gets it."""
    return httpx.get(f"{site.served.url}{path}", timeout=60)


def test_a_seat_is_told_the_link_of_a_roll_that_it_sees(site: Site) -> None:
    for who in ("p1", "p2", NARRATOR):
        answer = site.get(who, f"/rolls/{OPEN}/link")
        assert answer.status_code == 200, answer.text
        link = answer.json()["link"]
        assert re.fullmatch(rf"{site.served.url}/r/{TABLE}/{OPEN}#[\w-]{{22}}", link)
        assert httpx.get(link).status_code == 200
    assert site.get("p2", f"/rolls/{HIDDEN}/link").json() == {"roll": HIDDEN, "link": None}
    for who in ("auditor", "host"):
        refused(site.get(who, f"/rolls/{OPEN}/link"), 403, "no-right")


def test_its_page_may_do_nothing_but_check_itself(site: Site) -> None:
    answer = page(site, f"/r/{TABLE}/{OPEN}")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src" not in policy
    assert policy.endswith("frame-ancestors 'none'")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-robots-tag"] == "noindex"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in answer.headers


def test_what_people_write_ends_no_element_of_the_page(site: Site) -> None:
    text = page(site, f"/r/{TABLE}/{OPEN}").text
    assert "<script>alert" not in text
    assert text.count("</title>") == 1
    assert text.count("</script>") == text.count("<script") == 3
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Friday&quot;" in text


def test_hidden_missing_and_forbidden_rolls_and_tables_are_told_alike(site: Site) -> None:
    site.does(NARRATOR, c.SetTable(f"links/{LIVE}", value=False))
    paths = (
        *(f"/r/{TABLE}/{roll}" for roll in (HIDDEN, LIVE, MISSING, "x", 0, "9" * 30)),
        *("/r/nothere1/1", f"/r/{TABLE}/{HIDDEN}/{'A' * 22}", "/r/%00/1"),
    )
    answers = [page(site, path) for path in paths]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert "og:" not in answers[0].text


def test_a_narrator_takes_a_link_back(site: Site) -> None:
    link = site.get("p1", f"/rolls/{OPEN}/link").json()["link"]
    site.does(NARRATOR, c.SetTable(f"links/{OPEN}", value=False))
    assert httpx.get(link).status_code == 404
    assert site.get("p1", f"/rolls/{OPEN}/link").json()["link"] is None
    site.does(NARRATOR, c.SetTable(f"links/{OPEN}", value=None))
    assert httpx.get(link).status_code == 200


def test_a_pin_that_the_roll_never_had_leads_to_the_newest(site: Site) -> None:
    answer = page(site, f"/r/{TABLE}/{OPEN}/{'%3Cb%3E' * 3}")
    assert answer.status_code == 404
    assert "<b>" not in answer.text
    [newest] = re.findall(r'href="(/r/[^"]+)"', answer.text)
    assert page(site, newest).status_code == 200


def test_who_has_no_seat_asks_no_faster_than_anybody(tmp_path: Path) -> None:
    with Served(tmp_path, rate=0.01, burst=3) as served:
        answers = [httpx.get(f"{served.url}/r/nothere1/1") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [404, 404, 404, 429]
        refused(answers[-1], 429, "too-fast")
