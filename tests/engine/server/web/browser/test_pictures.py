"""The page's pictures in the documentation are there, small, and drawn by one command."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.engine.server.web.browser.pictures import DRAWN, MOST, drawn
from tests.tree import ROOT

pytestmark = pytest.mark.slow

MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<svg"}


def test_each_picture_is_kept_and_small() -> None:
    folder = ROOT / "docs/pictures"
    kept = [path for path in folder.iterdir() if path.stem in DRAWN]
    assert sorted(path.stem for path in kept) == sorted(DRAWN), "run `make pictures`"
    for path in kept:
        picture, kind = path.read_bytes(), path.suffix[1:]
        assert picture.startswith(MAGIC[kind]), path.name
        assert len(picture) <= MOST[kind], f"{path.name} has {len(picture)} bytes"


@pytest.mark.sampled(0, rest=0)
def test_a_picture_is_the_same_each_time(browser: Browser, tmp_path: Path) -> None:
    first, second = (drawn("page-freeze", browser, tmp_path / each) for each in ("1", "2"))
    assert first.startswith(MAGIC["png"])
    assert first == second
