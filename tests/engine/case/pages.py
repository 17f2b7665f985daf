"""A case's page taken apart again: its texts, its tags, and where each of them comes from."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from msgspec import to_builtins

from tests.tree import ROOT
from urim.engine.case.facts import Case

VOID = ("meta", "br")
"""Tags that have no end."""

TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "h2",
        "h3",
        "p",
        "div",
        "section",
        "b",
        "blockquote",
        "em",
        "ol",
        "ul",
        "li",
        "span",
        "time",
        "i",
        "del",
        "ins",
        "bdi",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "pre",
        "footer",
        "code",
        "br",
    ]
)
"""Every tag that the page has a use for."""

ATTRIBUTES = frozenset(
    ["lang", "charset", "http-equiv", "content", "name", "class", "id", "dir", "colspan", "data-is"]
)
"""And every attribute: none that runs anything or fetches anything."""


class Page(HTMLParser):
    """A page read strictly: every tag is one of ours, and is closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.texts: list[str] = []
        self.runs: list[tuple[str, dict[str, str | None]]] = []
        self.faults: list[str] = []
        self._dirs: list[dict[str, str | None]] = []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"not closed: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        if tag not in TAGS:
            self.faults.append(f"<{tag}>")
        self.faults += [f"<{tag} {name}>" for name, _ in attrs if name not in ATTRIBUTES]
        if tag not in VOID:
            self.open.append(tag)
            self._dirs.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")
            return
        self._dirs.pop()

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self.open and self.open[-1] == "style":
            return
        self.texts.append(data)
        self.runs.append((data, self._dirs[-1] if self._dirs else {}))

    def handle_comment(self, data: str) -> None:
        """No page has a comment."""
        self.faults.append(f"<!--{data}-->")


def strings(value: Any) -> Iterator[str]:
    """Every text and number of the facts."""
    if isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, str):
        yield value


WORD = re.compile(r"[^\W_]+")


def words(text: str) -> set[str]:
    """The words and numbers in a text."""
    return set(WORD.findall(text.lower()))


def own_words() -> set[str]:
    """The words that the writer itself has: those in the page's module, and in what it calls."""
    files = ("case/page.py", "case/legend.py", "case/proofs.py", "case/inline.py")
    found = "\n".join((ROOT / "engine" / each).read_text("utf-8") for each in files)
    found += (ROOT / "projections" / "result.py").read_text("utf-8")
    return words(found.replace("\\n", " "))


def unfounded(case: Case, page: Page) -> set[str]:
    """Words and numbers on the page that are neither in the facts nor the writer's own.

    Clocks and days are made from the numbers of the facts, and so are numbers with their thousands
    apart.
    """
    facts = to_builtins(case)
    known = {word for text in strings(facts) for word in words(text)} | own_words()
    shown = {word for text in page.texts for word in words(undated(text))}
    return shown - known


def undated(text: str) -> str:
    """The page without clocks, days, words that are cut, and numbers with their thousands apart."""
    text = re.sub(r"\w+… \(", " (", text)
    text = re.sub(r"\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d", " ", text.replace("\\n", " "))
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
