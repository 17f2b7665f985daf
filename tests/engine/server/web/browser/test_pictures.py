"""The page's pictures in the documentation are there, small, and drawn by one command."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.engine.server.web.browser.pictures import DRAWN, MOST, drawn
from tests.tree import ROOT

pytestmark = pytest.mark.slow

PNG = b"\x89PNG\r\n\x1a\n"


def test_each_picture_is_kept_and_small() -> None:
    folder = ROOT / "docs/pictures"
    kept = {path.stem: path.read_bytes() for path in folder.glob("*.png") if path.stem in DRAWN}
    assert set(kept) == set(DRAWN), "run `make pictures`"
    for name, picture in kept.items():
        assert picture.startswith(PNG), name
        assert len(picture) <= MOST, f"{name} has {len(picture)} bytes"


def test_a_picture_is_the_same_each_time(browser: Browser, tmp_path: Path) -> None:
    first, second = (drawn("page-freeze", browser, tmp_path / each) for each in ("1", "2"))
    assert first.startswith(PNG)
    assert first == second
