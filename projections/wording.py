"""A number is followed by its noun in the right form: `1 roll`, `2 rolls`."""


def counted(count: int, one: str, more: str = "") -> str:
    """How many of something, in words; `more` is the plural where an s does not make it."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"
