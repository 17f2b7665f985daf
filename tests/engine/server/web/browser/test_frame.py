"""The page in a frame: pages of one origin may hold it and are told; no other gets in, or hears."""

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, expect

from tests.engine.helpers.stages.server import Served
from tests.engine.server.web.browser.conftest import FREE
from tests.engine.server.web.browser.page import leave
from tests.engine.server.web.browser.tables import Evening
from tests.tree import ROOT
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "frame.html"

SAYS = """<script>
window.heard = [];
addEventListener("message", ({ data }) => heard.push(data));
setInterval(() => {
  const page = parent.frames["urim"];
  page.postMessage({ urim: "hello" }, "*");
  page.postMessage({ urim: "roll", id: "x", declaration: { expression: "99d6" } }, "*");
}, 100);
</script>"""
"""A page of somewhere else, in a frame beside ours, that says what the page around may say."""


@contextmanager
def pages(found: Mapping[str, str]) -> Iterator[str]:
    """An origin that has these pages, by path."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = found.get(self.path)
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  http.server's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def holding(url: str, besides: str = "") -> str:
    """The example page around this address."""
    example = EXAMPLE.read_text("utf-8")
    assert "http://127.0.0.1:8000/" in example
    return (
        example.replace("http://127.0.0.1:8000/", url)
        .replace('id="urim"', 'id="urim" name="urim"')
        .replace("</html>", f"{besides}</html>")
    )


@pytest.fixture
def held(browser: Browser, tmp_path: Path) -> Iterator[tuple[Evening, str, str]]:
    """An evening, and two origins whose example pages hold it: ours, which may, and another."""
    own: dict[str, str] = {}
    strange: dict[str, str] = {"/says": SAYS}
    with (
        pages(own) as ours,
        pages(strange) as theirs,
        Served(tmp_path, frames=(ours,), **FREE) as served,
    ):
        evening = Evening(browser, served, "framed001")
        evening.opens("plain", level="server")
        evening.enters("p1", "Asta", {})
        own["/"] = holding(evening.link("p1"), f'<iframe src="{theirs}/says"></iframe>')
        strange["/"] = holding(f"{served.url}/")
        yield evening, ours, theirs
        leave(evening.people)


def test_a_page_of_a_named_origin_holds_it_and_is_told(held: tuple[Evening, str, str]) -> None:
    evening, ours, theirs = held
    ruth = evening.person("Ruth")
    with ruth.page.expect_response("**/access/invitation"):  # as `Person.comes`
        ruth.opens(ours)
    inside = ruth.page.frame_locator("#urim")
    inside.locator("input[name=name]").fill("Ruth")
    inside.locator("form button.main").click()
    inside.locator(".part-rolls").wait_for()
    results = ruth.page.locator("#results li")

    ruth.page.locator("#roll").click()
    expect(results).to_have_text([re.compile(r"^Asta: .*\d")])
    evening.plays("p1", c.Declare("c1", {"expression": "2d6"}, "self"))
    evening.plays("p1", c.Declare("c1", {"expression": "1d6"}))
    expect(results).to_have_text([re.compile("^Asta: ")] * 2)
    asked = [each.roll.declaration.expression for each in evening.state.rolls.values()]
    assert asked == ["4d6kh3", "2d6", "1d6"]
    ruth.allows += ["422"]
    ruth.page.evaluate("tell({ urim: 'roll', id: 'b', declaration: { expression: '2q6' } })")
    expect(results.last).to_contain_text("2q6")

    # It is as high as what is in it, also where that becomes less.
    page = ruth.page.frame(name="urim")
    assert page is not None
    frame, body = ruth.page.locator("#urim"), "document.body.offsetHeight"
    expect(frame).to_have_attribute("height", str(page.evaluate(body)))
    page.evaluate("document.querySelector('main').style.display = 'none'")
    expect(frame).to_have_attribute("height", re.compile(r"^\d{2,3}$"))
    assert page.evaluate(body) < 1000

    # A page beside it, of another origin, is neither heard nor told.
    [beside] = (each for each in ruth.page.frames if each.url == f"{theirs}/says")
    assert beside.evaluate("heard") == []


def test_a_page_of_another_origin_gets_nothing_into_its_frame(
    held: tuple[Evening, str, str],
) -> None:
    evening, _, theirs = held
    moe = evening.person("Moe")
    moe.allows += ["frame-ancestors", "ERR_BLOCKED_BY_RESPONSE", "target origin provided"]
    moe.opens(theirs)
    moe.page.locator("#urim").wait_for(state="attached")
    page = moe.page.frame(name="urim")
    assert page is not None
    with pytest.raises(Error):
        page.wait_for_selector("#root", timeout=1000)
