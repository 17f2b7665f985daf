r"""The frames of a socket: JSON texts, each one object with a `type`.

The first frame of a client is `enter`. It gets `entered`, the table's history as commits,
`caught-up`, then what happens. It may ask at any time from `entered` on; the answer is `done`,
`refused` or `later`.

    -> {"type":"enter","token":"urim-t1-…","after":-1}
    <- {"type":"entered","table":"mytable1","seat":"p1","role":"player","expires":1767225600000}
    <- {"type":"commit","size":4,"entries":[{…},{…}]}
    <- {"type":"caught-up","size":4,"head":"urim.local/…"}
    -> {"type":"ask","request":"dana-1","body":"{\"do\":\"roll/1\",…}"}
    <- {"type":"commit","size":6,"entries":[{…},{…}],"head":"…"}
    <- {"type":"done","request":"dana-1","seqs":[4,5],"size":6,"head":"…"}
"""

from typing import Annotated, TypeAlias

from msgspec import Meta, Raw, Struct
from msgspec.json import Decoder, Encoder

from ...events.asked import Seen, Text
from ..access.rights import AccessRole
from ..core.moves import Awaited, Awaiting, Move
from ..core.request import FORM
from .problems import Code

Note: TypeAlias = Annotated[
    str, Meta(description="A signed head of the table: a note, see docs/bundle.md.")
]
"""A signed head as text: the note of `urim.events.checkpoint`."""


Line: TypeAlias = Annotated[Raw, Meta(extra_json_schema={"$ref": "#/$defs/bodies.EntryLine"})]
"""An entry's JSON as it was encoded: `urim.engine.wire.bodies.EntryLine`."""


class Frame(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type"):
    """What goes over a socket."""


class FromClient(Frame, frozen=True, forbid_unknown_fields=True):
    """What a client sends."""


class Enter(FromClient, frozen=True, tag="enter"):
    """The first frame: who comes, and from which entry on they want the table (-1: from the first).

    With `waiting` the socket is also sent who is awaited, whenever that changes.
    """

    token: str
    after: Annotated[int, Meta(ge=-1)] = -1
    waiting: bool = False


class Ask(FromClient, frozen=True, tag="ask"):
    """A request, with the fields of `urim.engine.core.request.WireRequest`; its id is needed."""

    request: Annotated[str, Meta(extra_json_schema={"pattern": FORM})]
    body: Annotated[str, Meta(extra_json_schema={"contentMediaType": "application/json"})]
    text: Text | None = None
    seen: Seen | None = None
    sig: str | None = None


class Prove(FromClient, frozen=True, tag="prove"):
    """Ask for the latest signed head with a proof that its log begins with that of `size`."""

    size: int


class Entered(Frame, frozen=True, tag="entered"):
    """The token is good: who came, until when in milliseconds since 1970."""

    table: str
    seat: str
    role: AccessRole
    expires: int


class CommitFrame(Frame, frozen=True, tag="commit"):
    """One commit, whole, as the seat may have it; see `urim.engine.service.feed.Commit`.

    `head` covers it; of a history it is left out.
    """

    size: int
    entries: tuple[Line, ...]
    changed: tuple[Line, ...] = ()
    head: Note | None = None


class CaughtUpFrame(Frame, frozen=True, tag="caught-up"):
    """The history ends here, at `size` entries. `head` covers them."""

    size: int
    head: Note | None = None


class PresentFrame(Frame, frozen=True, tag="present"):
    """The seats that have a socket now, sorted: a hint that nothing depends on."""

    seats: tuple[str, ...]


class WaitingFrame(Frame, frozen=True, tag="waiting"):
    """What the table waits for after `size` entries: what this seat may do, and whom else for."""

    size: int
    mine: tuple[Awaiting, ...] = ()
    others: tuple[Awaited, ...] = ()


class DoneFrame(Frame, frozen=True, tag="done"):
    """A request was done, by entries `seqs` (none where it changed nothing); `head` covers them."""

    request: str
    seqs: tuple[int, ...]
    size: int
    head: Note | None = None


class RefusedFrame(Frame, frozen=True, tag="refused"):
    """A frame was refused; nothing was changed. See `urim.engine.core.refusal.Refusal`.

    `request` is None where the frame was no request. `moves` are the legal ones of the roll.
    """

    request: str | None
    code: Code
    why: str
    allowed: tuple[str, ...] = ()
    left_out: int = 0
    moves: tuple[Move, ...] = ()


class LaterFrame(Frame, frozen=True, tag="later"):
    """A request could not be done now, and nothing is known of it: send it again, with the same id.

    `seconds` is after how long. `request` is None where the frame was no request (`prove`).
    """

    request: str | None
    seconds: float
    why: str


class ProofFrame(Frame, frozen=True, tag="proof"):
    """A signed head, and what proves that its log begins with the first `size` entries: hex."""

    size: int
    head: Note
    hashes: tuple[str, ...]


class ForkedFrame(Frame, frozen=True, tag="forked"):
    """`after` is beyond the log, which has this head; the socket is closed."""

    size: int
    head: Note | None = None


class LeftFrame(Frame, frozen=True, tag="left"):
    """The last frame: the seat left the table, in the commit before."""

    size: int


class BehindFrame(Frame, frozen=True, tag="behind"):
    """The last frame: too much waits for this socket. Enter again with `after` = `size` - 1."""

    size: int


Incoming: TypeAlias = Enter | Ask | Prove
"""What a client may send."""

Outgoing: TypeAlias = (
    Entered
    | CommitFrame
    | CaughtUpFrame
    | PresentFrame
    | WaitingFrame
    | DoneFrame
    | RefusedFrame
    | LaterFrame
    | ProofFrame
    | ForkedFrame
    | LeftFrame
    | BehindFrame
)
"""What a server sends."""

incoming: Decoder[Incoming] = Decoder(Incoming)
outgoing: Decoder[Outgoing] = Decoder(Outgoing)
encoder = Encoder()
