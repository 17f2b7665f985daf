"""The isolates of Unicode: marks around a text that keep its direction apart from the rest.

A module of its own, because all that prints needs them and little of it needs the history.
"""

from typing import Any

FSI, PDI = "\u2068", "\u2069"


def isolated(text: object) -> str:
    """The text between isolates, so that its direction is its own."""
    return f"{FSI}{text}{PDI}"


def bare(found: Any) -> Any:
    """A text without isolates, or all texts of a JSON value: for what reads, and draws nothing."""
    if isinstance(found, str):
        return found.replace(FSI, "").replace(PDI, "")
    if isinstance(found, dict):
        return {key: bare(each) for key, each in found.items()}
    return [bare(each) for each in found] if isinstance(found, (list, tuple)) else found


def apart(word: str) -> str:
    """The word, isolated where it may be written from right to left."""
    return word if word.isascii() else isolated(word)
