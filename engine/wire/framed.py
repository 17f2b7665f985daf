"""Messages between the page in a frame and the page around it, by `postMessage`: each has `urim`.

The page around says `hello` and is then told. It must be of an origin that the server's settings
name (`frames`). It hears no result that is hidden from anybody at the table.

    -> {"urim": "hello"}
    <- {"urim": "ready", "table": "mytable1"}
    <- {"urim": "height", "height": 812}
    -> {"urim": "roll", "id": "sheet-1", "declaration": {"expression": "4d6kh3"}}
    <- {"urim": "taken", "id": "sheet-1", "outcome": "done", "why": "", "allowed": []}
    <- {"urim": "result", "table": "mytable1", "roll": 7, "character": "c1", "headline": "16", …}
"""

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ...events.base import Visibility
from ..core.limits import Id


class Message(Struct, frozen=True, kw_only=True, tag_field="urim"):
    """What one page tells the other."""


class FrameHello(Message, frozen=True, tag="hello"):
    """The page around is there: answered by `ready`, and told heights and results from then on."""


class FrameRoll(Message, frozen=True, omit_defaults=True, tag="roll"):
    """Declare a roll, as its seat does by a tap; what needs no decision in it happens by itself.

    `character` may be left out where the seat has one alone. `id` comes back in `taken`.
    """

    id: str
    declaration: dict[str, Any]
    character: Id | None = None
    visibility: Visibility = "public"


class FrameReady(Message, frozen=True, tag="ready"):
    """The page listens; `table` is the one it shows, "" for none yet. Told whenever it changes."""

    table: str


class FrameHeight(Message, frozen=True, tag="height"):
    """How high the page is, in CSS pixels, whenever that changes."""

    height: int


class FrameTaken(Message, frozen=True, tag="taken"):
    """What became of a roll that was asked for.

    It is declared (`done`), or `refused`: why, and what would be allowed, as the seat is told.
    `later`: it was not answered in time, is still sent, and may be declared yet; `lost`: the seat
    was left before an answer.
    """

    id: str
    outcome: Literal["done", "refused", "later", "lost"]
    why: str
    allowed: tuple[str, ...]


class FrameResult(Message, frozen=True, tag="result"):
    """A roll that everybody sees was resolved, after the hello: of whom, and what came out."""

    table: str
    roll: int
    character: str
    name: str
    headline: str


ToFrame: TypeAlias = FrameHello | FrameRoll
"""What the page around may tell the page in a frame."""

FromFrame: TypeAlias = FrameReady | FrameHeight | FrameTaken | FrameResult
"""What the page in a frame tells the page around it."""
