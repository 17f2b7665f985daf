"""A headless Chromium, and the verifier's page in it, from a file of its own."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from urim.engine.verifier import build


@contextmanager
def browser(path: Path) -> Generator[Browser, None, None]:
    """A running Chromium."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path)
        try:
            yield running
        finally:
            running.close()


def opened(page: Page, folder: Path) -> Page:
    """The page with the verifier, from its file in a folder."""
    file = folder / "verifier.html"
    if not file.exists():
        file.write_text(build.page(), encoding="utf-8")
    page.goto(file.as_uri())
    return page
