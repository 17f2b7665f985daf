"""A headless Chromium that opens the built page from its file, and verifies bundles with it."""

from base64 import b64encode
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from playwright.sync_api import Browser, Page, sync_playwright

from urim.engine.verifier.build import PAGE

NOBODY: Mapping[str, bytes] = MappingProxyType({})
"""No seat whose key is known."""

VERIFY = """async ([text, options]) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return await urim.verify(new Blob([bytes]), options);
}"""


class Outcome(Struct, frozen=True):
    """What the page's `verify` gave: exit code, steps by number, throws, why it is no bundle.

    `looks` are the kinds of what people should look at, `unchecked` the steps that could not check
    something that they had.
    """

    exit: int
    problem: str | None
    steps: Mapping[int, Mapping[str, Any]]
    throws: Sequence[Mapping[str, Any]]
    signer: str | None
    looks: frozenset[str]
    unchecked: Sequence[int]

    def verdict(self, step: int) -> str:
        """A step's verdict."""
        return str(self.steps[step]["verdict"])

    @property
    def red(self) -> list[int]:
        """The steps that fail or find something."""
        return [n for n, step in self.steps.items() if step["verdict"] in ("fail", "finding")]


@contextmanager
def browser(path: Path) -> Generator[Browser, None, None]:
    """A running Chromium."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path)
        try:
            yield running
        finally:
            running.close()


def opened(page: Page, path: Path = PAGE) -> Page:
    """The page with the verifier, from its file."""
    page.goto(path.as_uri())
    return page


def verified(
    page: Page,
    bundle: bytes,
    *,
    key: str | None = None,
    seen: Sequence[bytes] = (),
    seats: Mapping[str, bytes] = NOBODY,
) -> Outcome:
    """The verdict of the page's own code on a bundle."""
    named = {seat: b64encode(each).decode("ascii") for seat, each in seats.items()}
    options = {"key": key, "seen": [note.decode() for note in seen], "seats": named}
    found: dict[str, Any] = page.evaluate(VERIFY, [b64encode(bundle).decode("ascii"), options])
    steps = {int(step["step"]): step for step in found["results"]}
    facts = {name: found[name] for name in ("exit", "problem", "throws", "signer")}
    looks = frozenset(each["kind"] for each in found["seen"] if each["word"] == "look")
    unchecked = [each["step"] for each in found["unchecked"]]
    return Outcome(steps=steps, looks=looks, unchecked=unchecked, **facts)
