"""What comes over the line until somebody can play, as it is sent: bounded, part by part."""

from typing import Any

import pytest

from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening

KB = 1024

ALL = 220_000
"""Bytes of everything that comes, with headers; of answers to one path the first."""

MOST = {"/web/vendor/": 10 * KB, "/web/verifier/": 40 * KB}
"""Bytes of bodies, compressed as they are sent, by the beginning of the path."""


@pytest.mark.slow
def test_little_is_loaded_until_the_first_play(evening: Evening) -> None:
    evening.opens("milhamah", level="player")
    ruth = evening.person("Ruth")
    session = ruth.context.new_cdp_session(ruth.page)
    sizes: dict[str, int] = {}
    whole: dict[str, int] = {}
    paths: dict[str, str] = {}
    session.send("Network.enable")

    def received(got: dict[str, Any]) -> None:
        response = got["response"]
        path = "/" + str(response["url"]).split("/", 3)[-1]
        headers = {name.lower(): value for name, value in response["headers"].items()}
        sizes[path] = int(headers.get("content-length", 0))
        paths[got["requestId"]] = path.partition("?")[0]

    def finished(got: dict[str, Any]) -> None:
        # How often the page asks for moves again depends on how fast this machine types.
        whole.setdefault(paths.get(got["requestId"], "/"), got["encodedDataLength"])

    session.on("Network.responseReceived", received)
    session.on("Network.loadingFinished", finished)
    ruth.comes(evening.link("p1"))
    ruth.brings("Asta", CASES["milhamah"].ratings)
    ruth.page.locator(".new .rollables button").first.wait_for()
    found = {path: sum(s for at, s in sizes.items() if at.startswith(path)) for path in MOST}
    print(found, f"{len(sizes)} files", f"all of it {sum(whole.values())}")
    assert len(sizes) > 50
    assert all(found.values())
    assert sum(whole.values()) <= ALL, whole
    assert all(size <= MOST[path] for path, size in found.items()), found
