"""The isolates of Unicode: marks around a text that keep its direction apart from the rest.

A module of its own, because all that prints needs them and little of it needs the history.
"""

FSI, PDI = "\u2068", "\u2069"


def isolated(text: object) -> str:
    """The text between isolates, so that its direction is its own."""
    return f"{FSI}{text}{PDI}"


def apart(word: str) -> str:
    """The word, isolated where it may be written from right to left."""
    return word if word.isascii() else isolated(word)
