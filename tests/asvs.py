"""What of OWASP ASVS 5.0, levels 1 and 2, a server keeps: tests/asvs.toml, read and printed.

`python -m tests.engine.server.asvs` tries a running server against it.
"""

import tomllib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests import reference
from tests.tree import ROOT

DATA = tomllib.loads((ROOT / "tests" / "asvs.toml").read_text("utf-8"))


class Kept(NamedTuple):
    """A requirement that is kept: the file that keeps it, how, and tries that must find it so."""

    where: str
    how: str
    tries: tuple[str, ...]


def numbers(text: str) -> Iterator[str]:
    """The requirements of a text: `1.2.6-8, 3.3.1` are four."""
    for part in text.split(", "):
        section, _, own = part.rpartition(".")
        first, _, last = own.partition("-")
        yield from (f"{section}.{each}" for each in range(int(first), int(last or first) + 1))


def _all(texts: Iterable[str]) -> list[str]:
    return [number for text in texts for number in numbers(text)]


STANDARD = _all(DATA["standard"])
"""Every requirement, in the standard's order."""

KEPT = {
    number: Kept(where, how, tuple(tries))
    for text, where, how, *tries in DATA["kept"]
    for number in numbers(text)
}

NOT_KEPT = {number: what for text, what, _ in DATA["not_kept"] for number in numbers(text)}
"""What each of these asks for."""

WITHOUT = {number: what for what, *texts in DATA["without"] for number in _all(texts)}
"""Of each that does not apply: what a server has not."""

STATED = _all(row[0] for name in ("kept", "not_kept") for row in DATA[name]) + _all(
    text for _, *texts in DATA["without"] for text in texts
)
"""Every number that the file says something of, as often as it does."""


# --- as docs/security.md prints it ----------------------------------------------------------------


def chapters() -> str:
    """Of each chapter how many apply, are kept, are tried, are not kept, do not apply."""
    tried = {number for number, each in KEPT.items() if each.tries}
    groups = ({*KEPT, *NOT_KEPT}, {*KEPT}, tried, {*NOT_KEPT}, {*WITHOUT})

    def row(words: str, own: list[str]) -> tuple[str, ...]:
        return words, *(str(len(group.intersection(own)) or "") for group in groups)

    rows = [
        row(f"V{place} {words}", [each for each in STANDARD if each.startswith(f"{place}.")])
        for place, words in enumerate(DATA["chapters"], 1)
    ]
    heads = ("chapter", "apply", "kept", "of these tried", "not kept", "do not apply")
    return reference.table(heads, [*rows, row("all", STANDARD)])


def not_kept() -> str:
    """What is not kept: number, what, and why."""
    return reference.table(("number", "not kept", "why, and what you can do"), DATA["not_kept"])


def without() -> str:
    """What does not apply: what a server has not, and the numbers about it."""
    rows = ((what, ", ".join(texts)) for what, *texts in DATA["without"])
    return reference.table(("there is no", "so these do not apply"), rows)
