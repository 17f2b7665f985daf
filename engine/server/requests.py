"""What is done for a seat, whether it asks over HTTP or by its socket."""

from msgspec import Struct
from msgspec.json import Decoder

from ...errors import Refused, UrimError
from ...events.entry import Entry
from ..core.moves import Move
from ..core.request import WireRequest
from ..wire.problems import STATUS
from .asker import Asker
from .http.incoming import ROLLS
from .sizes import size_of

WITH_MOVES = frozenset({403, 404, 409, 422})
"""The statuses of what another request may do: the moves of its roll come with the refusal."""


class AboutRoll(Struct):
    """The roll that a command's body names, whatever else it holds."""

    roll: int = 0


_requests: Decoder[WireRequest] = Decoder(WireRequest)
_about: Decoder[AboutRoll] = Decoder(AboutRoll)


class Done(Struct, frozen=True):
    """A request that was done: the entries that came of it, and the table after them."""

    entries: tuple[Entry, ...]
    size: int
    head: bytes | None

    @property
    def seqs(self) -> tuple[int, ...]:
        """The entries' numbers."""
        return tuple(entry.seq for entry in self.entries)


async def do(asker: Asker, data: bytes) -> Done:
    """Do what a request asks. Raises as `Service.submit_request` does."""
    entries = await asker.front.submit_request(asker.table, asker.seat, data)
    head = await asker.front.head(asker.table)
    size = entries[-1].seq + 1 if entries else await size_of(asker, head)
    return Done(entries, size, head)


async def moves_instead(asker: Asker, refused: Refused, data: bytes) -> tuple[Move, ...]:
    """The seat's legal moves of the roll that a refused request names, if it names one.

    None for a roll that the seat does not see, whether it is there or not; and none where the same
    request may be done later.
    """
    if STATUS[refused.code] not in WITH_MOVES:
        return ()
    try:
        roll = _about.decode(_requests.decode(data).body).roll
        if not 0 < roll <= ROLLS:
            return ()
        found = await asker.front.moves(asker.table, asker.seat, roll)
    except (ValueError, RecursionError, UrimError):
        return ()  # the refusal is the answer, with moves or without
    return tuple(move for move in found if move.legal)
