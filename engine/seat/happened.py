"""What a seat makes of what came in: its events, in the order in which they happened."""

from typing import TypeAlias

from msgspec import Struct

from ...events.log.protocol import CaughtUp
from ..core.refusal import Refusal
from ..service.feed import Behind, Left, Present


class Taken(Struct, frozen=True):
    """Entries `start` up to `stop` were checked and folded; older ones may show more or less."""

    start: int
    stop: int


class HeadSeen(Struct, frozen=True):
    """A signed head of `size` entries is the newest that is known to be of this log."""

    size: int


class Done(Struct, frozen=True):
    """A request was done; the log has it from entry `seq` on, None where it changed nothing."""

    request: str
    seq: int | None


class NotDone(Struct, frozen=True):
    """A request was refused, and nothing was changed."""

    request: str
    refusal: Refusal


class Contradicted(Struct, frozen=True):
    """Entry `seq` does a request of which the host has answered that it led to nothing.

    The request itself is the one that was made. It is no fault, for an honest host can come to it:
    after a cut a request is sent a second time, the second is refused, and the first, which was
    held up on its way, comes when it can be done. Show it to the player.
    """

    seq: int
    request: str


class ShareAsked(Struct, frozen=True):
    """Seat `by` asks this seat for a share of throw `throw` of roll `roll`: see `open_share`."""

    roll: int
    throw: int
    by: str


class NotMine(Struct, frozen=True):
    """Entry `seq` was asked for in this seat's name, and not by this client.

    It throws, anchors, opens a share, asks for shares, declares, voids, disputes, leaves, takes a
    key, or gives a character away. Another client of the seat's player did it; or its host. The
    seat opens no share from there on, until it anchors again (`anchor`): show it to the player. A
    client that was begun again tells the last one again, while that is so.
    """

    seq: int


class Undone(Struct, frozen=True):
    """Entry `seq`, another seat's, ends or replaces a roll that this seat drew a nonce for.

    Or one for which it opened a share. From there on the host may have known the dice. It is
    allowed, and counted as a drop: show it to the player.
    """

    seq: int
    roll: int


class EpochSeen(Struct, frozen=True):
    """Entry `seq` begins an epoch: the host says that its log is from a backup.

    `throws` (roll, throw) have another commitment now, and this seat had drawn a nonce for the one
    before: it draws another only after `accept_epoch`. `unneeded`: this client was at the table
    before, and nothing that it was shown is gone: what was under way can have been begun again for
    its dice alone. As text it is a sentence for the player.
    """

    seq: int
    epoch: int
    throws: tuple[tuple[int, int], ...]
    unneeded: bool = False

    def __str__(self) -> str:
        """What a player is to be shown of it."""
        first = f"entry {self.seq} begins epoch {self.epoch}, as after a restore"
        gone = "" if not self.unneeded else ", but nothing that you had seen is gone"
        throws = ", ".join(f"throw {throw} of roll {roll}" for roll, throw in self.throws)
        again = f"; it commits again to {throws}, which you had answered" if throws else ""
        return f"{first}{gone}{again}. Ask your host why, before you go on."


Happened: TypeAlias = (
    Taken
    | HeadSeen
    | Done
    | NotDone
    | Contradicted
    | ShareAsked
    | NotMine
    | Undone
    | EpochSeen
    | CaughtUp
    | Present
    | Left
    | Behind
)
"""What a seat makes of what came in. The feed's own messages are handed on."""
