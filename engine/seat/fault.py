"""What was wrong with a host, so that it can be kept: a fault is not over with a restart."""

from msgspec import Struct

from ...errors import Damaged
from ...events.codec import UNKNOWN
from .heads import Forked


class Fault(Struct, frozen=True, forbid_unknown_fields=True):
    """What ended a seat: `why`, and the entry `seq` where it is one's; of a fork also its evidence.

    The others are those of `Forked`; both notes together show it to whom `Forked.proved` says.
    """

    why: str
    seq: int | None = None
    forked: bool = False
    earlier: bytes | None = None
    later: bytes | None = None
    root: bytes = b""
    proof: tuple[bytes, ...] | None = None

    @property
    def error(self) -> Damaged | None:
        """What is to be raised again; None where a newer version may judge otherwise."""
        if self.why.startswith(UNKNOWN):
            return None
        if self.forked:
            found = Forked(self.why, self.earlier, self.later, self.root, self.proof)
            found.seq = self.seq
            return found
        return Damaged(self.why, seq=self.seq)


def fault_of(error: Damaged | None) -> Fault | None:
    """A fault as it is kept; None for none."""
    if isinstance(error, Forked):
        return Fault(
            error.why,
            error.seq,
            forked=True,
            earlier=error.earlier,
            later=error.later,
            root=error.root,
            proof=error.proof,
        )
    return None if error is None else Fault(error.why, error.seq)
