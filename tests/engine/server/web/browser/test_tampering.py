"""A server that tampers, or what lies before it, is caught by the page, and play stops."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.engine.server.web.browser.between import Between
from tests.engine.server.web.browser.tables import Evening
from tests.engine.server.web.state.test_evening import altered
from urim.engine.service.secrets import FileSecrets
from urim.events.checkpoint import Checkpoint, origin_of, sign

pytestmark = pytest.mark.slow

Frame = dict[str, Any]


def two_heads(evening: Evening) -> Callable[[Frame], Frame]:
    """The table's own key signs another log of the same size."""
    private = FileSecrets.beside(evening.served.database).key.find()
    assert private is not None

    def forked(frame: Frame) -> Frame:
        other = Checkpoint(origin_of(evening.table), frame["size"], bytes(32))
        return {**frame, "head": sign(other, private).decode()}

    return forked


WAYS: dict[str, Callable[[Evening], Callable[[Frame], Frame]]] = {
    "one changed": lambda _: altered,
    "two heads": two_heads,
}
"""state/test_evening.py has further ways."""


@pytest.mark.parametrize("way", WAYS)
def test_it_is_caught_and_play_stops(evening: Evening, wire: Between, way: str) -> None:
    evening.opens("sagatafl", level="player")
    evening.url = wire.url
    ruth = evening.guest("Ruth", "p1")
    size = ruth.size
    tampers = WAYS[way](evening)

    def change(text: str) -> str:
        frame = json.loads(text)
        if frame["type"] != "commit" or frame["size"] != size + 2 or not frame["head"]:
            return text
        return json.dumps(tampers(frame), ensure_ascii=False)

    wire.wire.change = change
    try:
        ruth.do('void app.ask({do: "note/1", about: 0}, "a note")')
        broken = ruth.page.locator(".broken").first
        expect(broken).to_be_visible()
        expect(ruth.page.locator("button.seal")).to_have_class(re.compile("red"))
        number = ruth.do("return app.seal.value.wrong[0].seq")
        assert size <= number <= size + 2, number
        expect(broken).to_contain_text(ruth.say("seal.stopped-at", entry=number))
        refused = ruth.do('return app.ask({do: "note/1", about: 0}, "more")')
        assert (refused["type"], refused["code"]) == ("refused", "seal")
        with ruth.page.expect_download() as download:
            ruth.button("seal.save", broken).click()
        assert (
            Path(download.value.path()).read_text("utf-8").startswith('{"format":"urim-bundle/3"')
        )
        assert download.value.suggested_filename == f"{evening.table}.urim.jsonl"
    finally:
        wire.mend()
