"""The words of a system, by language and key, beside what they name: for people, never for a log.

A key is a kind of word and a name, with a dot between: `figure.x_gained`, `hand.reactor`,
`choice.natural.prevent`. What has no word is read as its name, with spaces for underscores: a
system gives words only where its names do not do. A word may hold `{0}`, `{1}` … for the parts of a
figure's key, or `{key}` for a figure.
"""

from collections.abc import Mapping
from typing import TypeAlias

Words: TypeAlias = Mapping[str, str]
"""The words of one language, by key."""

ENGLISH = "en"
"""The language that every system has words in."""

SORTS: Mapping[str, str] = {
    "figure": "a figure, or a constant of a sum, by its name; {0}, {1} are the parts of its key",
    "unit": "what a number counts: one of them, and after a bar many: `success|successes`",
    "degree": "an outcome's degree",
    "result": "what came out, beside the degree, by the key of the reason or else by the degree;"
    " {key} is a figure, and a bar parts the form for one of the first from that for many",
    "reason": "why an outcome has its degree, a sentence; {key} is a figure",
    "reading": "what a table reads, a clause: `reading.NAME.VALUE`, or `reading.NAME` with {0}",
    "hand": "a hand, without the number of its round",
    "means": "how dice are adjusted",
    "kind": "a kind of dice",
    "choice": "a choice (`choice.NAME`), or one of its options (`choice.NAME.OPTION`)",
    "track": "a track",
    "link": "how a roll follows another",
    "name": "any other name that a figure holds",
    "term": "a word of the game, as people read it: what it means, a clause without a full stop",
    "rule": "the rule by which something is offered, `rule.TRIGGER` or `rule.TRIGGER.NAME` with a"
    " choice, means or hand: the book's heading, a bar, what it asks; {key} is a figure so far,"
    " {count} the dice offered",
}
"""What a word can be about: the first part of its key."""


def spaced(name: str) -> str:
    """A name as words: spaces for underscores, and no hyphen before a colon's part."""
    return name.replace("_", " ").replace(":", ", ")


def word(words: Mapping[str, Words], sort: str, name: str, *, language: str = ENGLISH) -> str:
    """The word for a name, in a language or else in English; without one the name, spaced."""
    key = f"{sort}.{name}"
    for each in (language, ENGLISH):
        found = words.get(each, {}).get(key)
        if found is not None:
            return found
    return spaced(name)


def known(words: Mapping[str, Words], sort: str, name: str, *, language: str = ENGLISH) -> bool:
    """Whether a name has a word of its own."""
    return any(f"{sort}.{name}" in words.get(each, {}) for each in (language, ENGLISH))
