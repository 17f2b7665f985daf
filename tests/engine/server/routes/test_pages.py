"""The pages for people, and what says whether a server is ready."""

import asyncio
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.server import Served
from urim import __version__
from urim.engine.wire.numbers import CLOSES
from urim.engine.wire.problems import OURS, STATUS
from urim.errors import CODES, Damaged, Unavailable
from urim.rules import ruleset_names

PAGES = ("/", "/problems", "/verifier")


class Page(HTMLParser):
    """What a page has: its tags with their attributes, its ids and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.attributes += attrs

    def all_of(self, name: str) -> list[str]:
        """The values of an attribute."""
        return [value or "" for key, value in self.attributes if key == name]


def got(served: Served, path: str) -> httpx.Response:
    """A page as anybody gets it."""
    answer = httpx.get(f"{served.url}{path}")
    assert answer.status_code == 200, path
    return answer


@pytest.mark.parametrize("path", PAGES)
def test_a_page_may_do_little(served: Served, path: str) -> None:
    headers = got(served, path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-cache"
    assert "server" not in headers
    assert "set-cookie" not in headers


def directives(policy: str) -> dict[str, set[str]]:
    """What a policy allows, by directive."""
    parts = (each.split() for each in policy.split(";"))
    return {name: set(values) for name, *values in parts}


def test_the_page_of_the_table_runs_modules_of_its_server_and_no_other_script(
    served: Served,
) -> None:
    answer = got(served, "/")
    [imports] = re.findall(r'<script type="importmap">(.*?)</script>', answer.text, re.DOTALL)
    digest = b64encode(sha256(imports.encode()).digest()).decode()
    assert directives(answer.headers["content-security-policy"]) == {
        "default-src": {"'none'"},
        "script-src": {"'self'", f"'sha256-{digest}'"},
        "style-src": {"'self'"},
        "img-src": {"'self'", "data:"},
        "connect-src": {"'self'"},
        "manifest-src": {"'self'"},
        "worker-src": {"'self'"},
        "base-uri": {"'none'"},
        "form-action": {"'none'"},
        "frame-ancestors": {"'none'"},
    }


@pytest.mark.parametrize(("path", "scripts"), [("/", 2), ("/problems", 0)])
def test_our_pages_have_no_script_and_no_style_inside(
    served: Served, path: str, scripts: int
) -> None:
    text = got(served, path).text
    page = Page(text)
    assert not {"style", "iframe", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name == "style" or name.startswith("on")]
    assert page.tags.count("script") == scripts
    inside = re.findall(r"<script([^>]*)>([^<]*)", text)
    assert [known for known, script in inside if script] == [' type="importmap"'][:scripts]


def test_a_page_without_a_script_fetches_nothing(served: Served) -> None:
    policy = directives(got(served, "/problems").headers["content-security-policy"])
    assert not {"script-src", "connect-src"} & set(policy)


def test_the_first_page_says_what_runs_here_and_leads_on(served: Served) -> None:
    text = got(served, "/").text
    assert f'<meta name="urim-version" content="{__version__}">' in text
    for name in ruleset_names():
        assert f"<code>{name}</code>" in text
    links = {link for link in Page(text).all_of("href") if link.startswith("/")}
    documents = {"/openapi.json", "/schema.json", "/systems", "/urim.d.ts"}
    looks = {link for link in links if link.startswith("/web/look/")}
    modules = {link for link in links if link.endswith(("js", "mjs"))}
    assert "/web/main.js" in modules
    assert links - looks - modules == {"/problems", "/verifier", *documents}
    for link in (*links, *Page(text).all_of("src")):
        got(served, link)


def test_every_code_is_explained_where_its_problem_leads(served: Served) -> None:
    text = got(served, "/problems").text
    ids = Page(text).all_of("id")
    assert sorted(ids) == sorted([*CODES, *OURS, *map(str, CLOSES)])
    for code, status in {**STATUS, **{code: status for code, (status, _) in OURS.items()}}.items():
        row = re.search(rf'<tr id="{code}">(.*?)</tr>', text, re.DOTALL)
        assert row is not None
        assert f"<td>{status}</td>" in row[1]


def test_the_verifier_runs_what_is_in_it_and_nothing_else(served: Served) -> None:
    answer = got(served, "/verifier")
    inside = re.search(r'Content-Security-Policy" content="([^"]+)"', answer.text)
    assert inside is not None
    assert answer.headers["content-security-policy"] == f"{inside[1]}; frame-ancestors 'none'"
    assert "script-src 'sha256-" in inside[1]


# --- health ---------------------------------------------------------------------------------------


def ready(served: Served) -> tuple[int, Any]:
    """What /ready answers."""
    answer = httpx.get(f"{served.url}/ready")
    return answer.status_code, answer.json()


@pytest.mark.parametrize("error", [Unavailable("locked at /place"), Damaged("no log at /place")])
def test_a_server_whose_log_cannot_be_read_is_not_ready(
    served: Served, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def fails() -> None:
        raise error

    monkeypatch.setattr("urim.engine.server.routes.health.FRESH", 0.0)
    assert ready(served) == (200, {"status": "ok"})
    with monkeypatch.context() as during:
        during.setattr(served.service, "tables", fails)
        assert ready(served) == (503, {"status": "unreadable"})
        assert httpx.get(f"{served.url}/health").json()["status"] == "ok"
    assert ready(served) == (200, {"status": "ok"})


def test_the_log_is_not_read_for_everybody_who_asks(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    async def tables() -> tuple[str, ...]:
        asked.append(1)
        return ()

    monkeypatch.setattr("urim.engine.server.routes.health.FRESH", 3600.0)
    monkeypatch.setattr(served.service, "tables", tables)

    async def many() -> set[int]:
        async with httpx.AsyncClient() as client:
            found = await asyncio.gather(*(client.get(f"{served.url}/ready") for _ in range(20)))
            return {answer.status_code for answer in found}

    assert asyncio.run(many()) == {200}
    assert len(asked) == 1


def test_while_it_stops_it_is_not_ready(served: Served) -> None:
    served.here.ending.set()
    assert ready(served) == (503, {"status": "stopping"})
