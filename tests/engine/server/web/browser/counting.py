"""Taps and fields, counted by the browser's own events."""

from tests.engine.server.web.browser.page import Person

COUNTING = """() => {
    if (!("taps" in globalThis)) addEventListener("click", (event) => {
        if (event.isTrusted && event.detail) taps += 1;
    }, true);
    if (!("fields" in globalThis)) {
        addEventListener("input", ({ target }) => fields.add(target), true);
    }
    globalThis.taps = 0;
    globalThis.fields = new Set();
}"""


def taps(person: Person) -> int:
    """How often somebody has tapped since the last time."""
    return int(person.page.evaluate("() => { const found = taps; taps = 0; return found; }"))
