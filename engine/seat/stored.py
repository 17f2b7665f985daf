"""What a seat keeps between two runs, as bytes: a secret of its player's, with all its shares."""

from typing import Final

from msgspec import Struct, ValidationError
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from ...errors import Refused
from ..core.request import WireRequest
from .fault import Fault
from .heads import Shown
from .nonces import Held, Used
from .requests import Made
from .shares import Chain

GONE: Final = 16
"""Logs of before a restore that are remembered, at most."""

MOST: Final = 16 << 20
"""Bytes of a stored state, at most."""


class Stored(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="seat/2",
    tag_field="type",
):
    """The state of one client of a seat: what it was shown, and what it has yet to do.

    `note` is the newest signed head that it verified; `size` and `root` (hex) are of the entries
    that it was sent. `accepted` is the entry of the last epoch that its player accepted, -1 for
    none; `held` are the nonces not used yet, `pending` the requests not answered yet. `made`
    are the latest requests that it made, and `used` the latest nonces that were used. `chains` are
    its chains of shares, and which of them it opened for which ask. `fault` is what ended it.
    `epochs` are those that it was shown; `gone` is what it was shown of before each restore.
    `distrust` is the last entry in the seat's name that was not this client's doing, -1 for none:
    version 0.2, which does not know it, can read a state without.
    """

    table: str
    seat: str
    device: str
    note: bytes | None = None
    size: int = 0
    root: str = ""
    accepted: int = -1
    held: tuple[Held, ...] = ()
    pending: tuple[WireRequest, ...] = ()
    made: tuple[Made, ...] = ()
    used: tuple[Used, ...] = ()
    chains: tuple[Chain, ...] = ()
    fault: Fault | None = None
    epochs: tuple[tuple[int, bytes], ...] = ()
    gone: tuple[Shown, ...] = ()
    distrust: int = -1

    @property
    def shown(self) -> Shown:
        """What the client was shown of the log."""
        return Shown(self.note, self.size, bytes.fromhex(self.root), self.epochs)

    def written(self) -> bytes:
        """The state as bytes."""
        return _encoder.encode(self)

    def after_restore(self) -> "Stored":
        """The state behind a restore, and without a fault that came of it.

        For a player who knows, from elsewhere than the host's log, of a restored backup. What the
        client was shown is not asked of the log any more, and is kept: the log must have left it at
        an epoch.
        """
        made = tuple(replace(each, seq=None, logged=False) for each in self.made)
        gone = (*self.gone, *((self.shown,) if self.size else ()))[-GONE:]
        fresh = replace(self, note=None, size=0, root="", made=made, fault=None, distrust=-1)
        return replace(fresh, epochs=(), gone=gone)


_encoder = Encoder()
_decoder: Decoder[Stored] = Decoder(Stored)


def read_stored(data: bytes) -> Stored:
    """The state in these bytes. Raises Refused("unreadable") for others."""
    try:
        found = _decoder.decode(data) if len(data) <= MOST else None
        root = bytes.fromhex(found.root) if found else b""
    except (ValidationError, ValueError, RecursionError) as error:
        raise Refused("unreadable", f"no state of a seat: {error}") from error
    if found is None or found.size < 0 or (found.size > 0 and len(root) != len(bytes(32))):
        raise Refused("unreadable", "no state of a seat: too long, or without a root")
    return found
