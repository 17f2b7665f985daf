"""What one seat may have and write at a table of a service, so that no seat can stall another.

Budgets belong to the service: what decides, audits and runs again knows nothing of them. A table as
a whole is bounded by `urim.engine.core.limits`.
"""

from collections.abc import MutableMapping

from msgspec import Struct, field

from ...errors import Refused
from ..logs import logger

CHARACTERS = 30
"""A player has one character, with animals, servants and a rival some ten."""

NARRATOR_CHARACTERS = 500
"""A narrator brings all who are met. One narrator and twelve players fit in a table's 1,000."""

OPEN_ROLLS = 100
"""Two or three are open at a time. The rest is for a fight of forty, and for rolls that were given
up and never voided, over years."""

OPEN_DISPUTES = 20
"""An evening has one or two, and a narrator may rule on them the next time."""

TEXTS = 1_800
"""One every two seconds for an hour. A scribe of every sentence writes one in ten."""

LOG_BYTES = 32 * 1024 * 1024
"""An evening of twelve seats, six hours and 300 rolls is 1.5 MiB in all. This is two rolls a second
for an hour, which a program needs that plays fast."""

WAITING = 100
"""A table does some hundreds of commands a second: who waits behind these waits half a second."""

WAITING_SEAT = 25
"""A client sends its commands one after another. Four that do not cannot fill a line of 100 before
the others come."""

READING_SEAT = 100
"""A client reads some five things after each commit."""

SUBSCRIPTIONS = 20
"""A person has a page or two open on a few machines."""

PACE = 20
"""A client that asks for its sight and its moves after each of three commits a second makes nine
calls."""


AT_LEAST_ONE = ("waiting", "waiting_seat", "reading_seat", "pace")
"""Budgets that nobody can do without."""


class Budgets(Struct, frozen=True, kw_only=True):
    """What a seat may have and write at one table; each is a whole number.

    The defaults are such that no table of people meets them. Raises Refused("out-of-range") for a
    number below 0, a line in which nobody may wait or a pace of 0.
    """

    characters: int = CHARACTERS
    """Characters that a player's seat brought and that are still at the table, given away or not:
    nobody can fill the budget of another seat."""

    narrator_characters: int = NARRATOR_CHARACTERS
    """The same for a narrator's seat."""

    open_rolls: int = OPEN_ROLLS
    """Rolls that the seat declared, hidden ones too, and that are neither resolved nor voided nor
    vetoed."""

    open_disputes: int = OPEN_DISPUTES
    """Disputes that the seat raised and nobody ruled on."""

    texts: int = TEXTS
    """Notes, names, labels and reasons in an hour, to the minute."""

    log_bytes: int = LOG_BYTES
    """Bytes of the log in an hour, to the minute: the entries of the seat's commits, and what
    followed from them. It is spent once they are reached, so the last commit may go beyond."""

    waiting: int = WAITING
    """Commands that wait for one table; beyond them `Unavailable`."""

    waiting_seat: int = WAITING_SEAT
    """How many of them may be of one seat."""

    reading_seat: int = READING_SEAT
    """Reads of one seat that wait for one table, and subscriptions that begin; beyond them
    `Unavailable`."""

    subscriptions: int = SUBSCRIPTIONS
    """Live subscriptions of one seat to one table."""

    pace: int = PACE
    """Calls of one seat a second, commands and reads, refused ones too; one that takes long counts
    as several. Nobody is refused beyond it: all seats that ask more wait in one lane, behind all
    that ask less."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            least = 1 if name in AT_LEAST_ONE else 0
            if getattr(self, name) < least:
                why = f"the budget `{name}` is {getattr(self, name)}"
                raise Refused("out-of-range", why, allowed=[f"{least} or more"])


DEFAULT = Budgets()
"""The budgets of a service that is given no others."""


class Spent(Struct, frozen=True):
    """A budget of a seat that has no room: `used` of `most`, in units of `what`.

    `seconds` is when there is room again; None where somebody must make it: `room` says how, and
    `allowed` what would do.
    """

    budget: str
    used: int
    most: int
    what: str
    seconds: int | None = None
    room: str = ""
    allowed: tuple[str, ...] = ()

    def refused(self, seat: str) -> Refused:
        """The refusal of what would go beyond it."""
        room, allowed = self.room, self.allowed
        if self.seconds is not None:
            room = f"in {self.seconds} s"
            allowed = (f"again {room}", f"at most {self.most} an hour")
        why = (
            f"seat {seat!r} has {self.used} {self.what}; its budget `{self.budget}` is {self.most}"
        )
        why = f"{why}, with room again {room}"
        return Refused("over-budget", why, allowed=allowed, seconds=self.seconds)


MINUTE = 60
"""Seconds between two warnings about one budget of one seat."""

KEPT = 1_000
"""Warnings remembered, at most."""


class Alarm(Struct):
    """Logs every budget that was met: a warning once a minute and seat, else at INFO."""

    _warned: MutableMapping[tuple[str, str, str], int] = field(default_factory=dict)

    def log(self, table: str, seat: str, spent: Spent, now: float) -> None:
        """Log one refusal; `now` is in seconds."""
        key, minute = (table, seat, spent.budget), int(now // MINUTE)
        known = {"table": table, "seat": seat, "budget": spent.budget}
        numbers = {"used": spent.used, "most": spent.most, "seconds": spent.seconds}
        first = self._warned.get(key) != minute
        log = logger.warning if first else logger.info
        log("over budget", **known, **numbers)
        if len(self._warned) >= KEPT:
            self._warned.clear()
        self._warned[key] = minute
