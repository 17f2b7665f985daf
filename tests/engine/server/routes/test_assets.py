"""The files of the page: which are served and how, and that those of others are theirs."""

import gzip
import json
import os
import re
import tomllib
from collections.abc import Generator
from contextlib import closing
from functools import cache
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.engine.helpers.stages.server import Served
from tests.tree import ROOT
from urim.engine.server.routes.assets import CHECKS, FILE, MEDIA, VERIFIER, WEB
from urim.engine.verifier.build import spare

NOT_SERVED = {"README.md", "index.html", "no-receipt.html", "problems.html", "urim.d.ts"}
"""Files at the top of web/ that are for its makers, are served elsewhere, or filled in first."""

VENDOR = WEB / "vendor"
VENDORED: list[dict[str, str]] = tomllib.loads((VENDOR / "vendored.toml").read_text("utf-8"))[
    "file"
]
PACKAGES = ROOT / ".venv" / "typescript" / "node_modules"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server on a new log, for all tests here: they change nothing."""
    with Served(tmp_path_factory.mktemp("served")) as running:
        yield running


def served_paths() -> list[str]:
    """The paths of all files of the page."""
    found = (path for path in WEB.rglob("*") if path.suffix.removeprefix(".") in MEDIA)
    own = [f"/web/{path.relative_to(WEB).as_posix()}" for path in found]
    return sorted([*own, *(f"/web/verifier/{name}" for name in CHECKS)])


@cache
def client() -> httpx.Client:
    """One for all: to make one costs more than to ask."""
    return httpx.Client()


def got(served: Served, path: str, **headers: str) -> httpx.Response:
    """A file, as the bytes that were sent."""
    headers = {"Accept-Encoding": "identity", **headers}
    return client().get(f"{served.url}{path}", headers=headers)


def file_of(path: str) -> Path:
    """Where what is served at a path is."""
    name = path.removeprefix("/web/")
    inside = name.removeprefix("verifier/")
    if inside == name:
        return WEB / name
    return VERIFIER / inside


def ours(path: str) -> bool:
    """Whether a file is sent without its comments."""
    return path.endswith((".css", ".js"))


def test_every_file_of_the_page_is_served(served: Served) -> None:
    for path in served_paths():
        answer = got(served, path)
        assert answer.status_code == 200, path
        data = file_of(path).read_bytes()
        assert answer.content == (spare(data) if ours(path) else data)
        media, _, charset = answer.headers["content-type"].partition("; ")
        assert media == MEDIA[path.rpartition(".")[2]]
        assert charset == ("charset=utf-8" if media.startswith("text/") else "")
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_there_is_no_other_file_in_the_folder_of_the_page() -> None:
    others = {
        path.relative_to(WEB).as_posix()
        for path in WEB.rglob("*")
        if path.is_file() and not (FILE.fullmatch(path.name) and path.suffix[1:] in MEDIA)
    }
    licences = {f"vendor/{Path(each['name']).stem}.LICENSE" for each in VENDORED if licensed(each)}
    assert others == {*NOT_SERVED, *licences, "vendor/vendored.toml"}


@pytest.mark.parametrize(
    "path",
    [
        "/web",
        "/web/",
        "/web/vendor",
        "/web/vendor/",
        "/web/none.js",
        "/web/index.html",
        "/web/urim.d.ts",
        "/web/vendor/vendored.toml",
        "/web/vendor/preact.LICENSE",
        "/web/./vendor/preact.mjs",
        "/web/vendor/../vendor/preact.mjs",
        "/web/%2e%2e/web/page.css",
        "/web/vendor%2f..%2fpage.css",
        "/web/..%2fweb/page.css",
        "/web/..%5cweb%5cpage.css",
        "/web/page.css%00",
        "/web/page.css%00.js",
        "/web/page.css.",
        f"/web/{'a/' * 200}x.js",
        "/web/verifier/none.js",
        "/web/verifier/page.css",
        "/web/verifier/page.js",
        "/web/verifier/page.html",
        "/web/verifier/urimcheck.py",
        "/web/verifier/../page.html",
        "/web/verifier/%2e%2e%2fpage.css",
        "/web/verifier/",
        "/web/verifier",
    ],
)
def test_nothing_else_is_served(served: Served, path: str) -> None:
    connection = HTTPConnection(urlsplit(served.url).netloc)  # it sends a path as it stands
    with closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["code"]) == (404, "no-route")


def test_a_file_is_sent_once_and_small(served: Served) -> None:
    path = "/web/vendor/preact.mjs"
    whole, small = got(served, path), got(served, path, **{"Accept-Encoding": "br, gzip"})
    assert small.headers["content-encoding"] == "gzip"
    assert small.content == whole.content
    assert "content-encoding" not in whole.headers
    assert whole.headers["vary"] == small.headers["vary"] == "Accept-Encoding"
    assert int(small.headers["content-length"]) < int(whole.headers["content-length"]) / 2
    tag = whole.headers["etag"]
    assert tag == small.headers["etag"]
    for known in (tag, f'"other", {tag}'):
        again = got(served, path, **{"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert got(served, path, **{"If-None-Match": 'W/"other"'}).status_code == 200
    assert whole.headers["cache-control"] == "no-cache"


def test_a_file_that_changes_is_read_again(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urim.engine.server.routes.assets.WEB", tmp_path)
    file = tmp_path / "view.js"
    for time, text in enumerate(("export const a = 1;\n", "export const a = 2;\n")):
        file.write_text(text, "utf-8")
        os.utime(file, (time, time))
        assert got(served, "/web/view.js").text == text


def test_a_service_worker_may_stand_before_all_paths(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urim.engine.server.routes.assets.WEB", tmp_path)
    for name in ("sw.js", "other.js"):
        (tmp_path / name).write_text("export {};\n", "utf-8")
    headers = got(served, "/web/sw.js").headers
    assert headers["service-worker-allowed"] == "/"
    assert "; connect-src 'self'; " in headers["content-security-policy"]
    assert "service-worker-allowed" not in got(served, "/web/other.js").headers


def test_the_import_map_leads_to_files(served: Served) -> None:
    page = httpx.get(f"{served.url}/").text
    [text] = re.findall(r'<script type="importmap">(.*?)</script>', page, re.DOTALL)
    imports: dict[str, str] = json.loads(text)["imports"]
    assert imports.pop("verifier/") == "/web/verifier/"
    assert set(imports.values()) == {f"/web/vendor/{each['name']}" for each in VENDORED}
    for path in imports.values():
        assert got(served, path).status_code == 200


# --- the files of others --------------------------------------------------------------------------


def licensed(file: dict[str, Any]) -> bool:
    """Whether the licence of a file's package stands under the file's name: that of its first."""
    first = next(each for each in VENDORED if each["package"] == file["package"])
    return file is first


@pytest.mark.parametrize("file", VENDORED, ids=lambda file: file["name"])
def test_a_file_of_others_is_as_the_table_says(file: dict[str, str]) -> None:
    assert sha256((VENDOR / file["name"]).read_bytes()).hexdigest() == file["sha256"]


def test_the_table_has_every_file_of_others() -> None:
    assert {path.name for path in VENDOR.glob("*.mjs")} == {each["name"] for each in VENDORED}


def test_they_are_small() -> None:
    sizes = [len(gzip.compress((VENDOR / each["name"]).read_bytes())) for each in VENDORED]
    assert sum(sizes) <= 10 * 1024


def test_make_fetches_the_packages_that_they_are_from() -> None:
    known = json.loads(
        (ROOT / "tests/engine/wire/typescript/package.json").read_text(encoding="utf-8")
    )
    assert {each["package"]: each["version"] for each in VENDORED}.items() <= (
        known["devDependencies"].items()
    )


@pytest.mark.skipif(not PACKAGES.exists(), reason="make dev has not fetched npm's packages")
@pytest.mark.parametrize("file", VENDORED, ids=lambda file: file["name"])
def test_a_file_of_others_is_their_packages(file: dict[str, str]) -> None:
    package = PACKAGES / file["package"]
    known = json.loads((package / "package.json").read_text("utf-8"))
    assert (known["version"], known["license"]) == (file["version"], file["licence"])
    assert (package / file["path"]).read_bytes() == (VENDOR / file["name"]).read_bytes()
    if licensed(file):
        licence = VENDOR / f"{Path(file['name']).stem}.LICENSE"
        assert (package / "LICENSE").read_bytes() == licence.read_bytes()


def test_the_notice_names_them() -> None:
    notice = (ROOT / "NOTICE.md").read_text("utf-8")
    for file in VENDORED:
        line = rf"\| `{file['package']}` \| {file['version']} \| {file['licence']} \|"
        assert re.search(line, notice), file["package"]
