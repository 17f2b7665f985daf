"""What a part of the output looks like on a page, and what is left of a text without its marks."""

from io import StringIO
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from urim.engine.render.text import UNMARKED, page


def printed(part: RenderableType, width: int = 80, **settings: Any) -> str:
    """What a part looks like on a page."""
    out = StringIO()
    page(out, width=width, _environ={}, **settings).print(part)
    return out.getvalue()


def plain(text: Text | str) -> str:
    """A text without marks of direction, its lines without the spaces at their ends."""
    bare = str(text).translate(UNMARKED)
    return "\n".join(line.rstrip() for line in bare.splitlines())
