"""A number in words: followed by its noun in the right form (`1 roll`, `2 rolls`), or a rating."""


def counted(count: int, one: str, more: str = "") -> str:
    """How many of something, in words; `more` is the plural where an s does not make it."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def rating_text(rating: float) -> str:
    """A number on a sheet: `7`, `7½`, `-½`."""
    if rating == int(rating):
        return f"{int(rating)}"
    whole = int(abs(rating))
    return f"{'-' if rating < 0 else ''}{whole or ''}½"
