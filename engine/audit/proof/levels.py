"""Step 8 of an audit: every throw is at the level that was due, and they are counted by level.

Which level is due follows from the audit's own book of seats.
"""

from collections.abc import Mapping

from msgspec import Struct

from ....errors import Refused
from ....events.base import Level
from ....events.codec import RecordedEvent
from ....events.throw import checked_nonce
from ..report import REMARKS, Findings
from .people import People
from .shares import OpenAsk
from .throw_ledger import Book

TRANSCRIPTS, REUSE = 8, 12


class LevelCount(Struct):
    """Throws at one level, of them those by a narrator's seat.

    `passed_over` left out a seat that has an anchor; `asked` and `left` count seats, of all throws.
    """

    throws: int = 0
    narrators: int = 0
    passed_over: int = 0
    asked: int = 0
    left: int = 0


class Counts(Struct):
    """Throws by level; `other` have no level, for their dice are not fair."""

    table: LevelCount
    player: LevelCount
    server: LevelCount
    other: int = 0


def no_throws() -> Counts:
    """Counts of a log without throws."""
    return Counts(LevelCount(), LevelCount(), LevelCount())


class Levels:
    """The levels of the throws so far."""

    def __init__(self, findings: Findings, people: People, *, whole: bool) -> None:
        self._findings = findings
        self._people = people
        self._whole = whole
        self.counts = no_throws()
        self._lowered: dict[int, int] = {}

    def thrown(
        self, record: RecordedEvent, book: Book, ask: OpenAsk | None, id: str, nonce: str | None
    ) -> None:
        """The seat of the record threw with this nonce, or with the shares of an ask."""
        self._findings.checked(TRANSCRIPTS)
        constant = nonce is not None and len(set(_bytes(nonce))) == 1
        if constant:
            why = f"throw {id}: nonce {nonce} is one byte over and over"
            self._findings.finding(REUSE, "nonce", why, record.seq)
        if ask is not None:
            self.sealed(ask)
            return
        self._alone(record, book, id, nonce)

    def _alone(self, record: RecordedEvent, book: Book, id: str, nonce: str | None) -> None:
        """A throw for which nobody was asked."""
        seat, people, seq = record.event.by, self._people, record.seq
        due = people.due(seat, book.level, hidden=book.hidden)
        fails = [*_wrong_nonce(due, nonce)]
        if due == "table" and people.awake(seat) and self._whole:
            # In the file of one roll other rolls may show who kept a share back.
            fails.append("level table is due, and no seat was asked for its share")
        for why in fails:
            self._findings.fail(TRANSCRIPTS, f"throw {id}: {why}", seq)
        if due == "table" and not fails:
            why = f"throw {id} was due at level table, and is at player: nobody else could be asked"
            self._findings.look(TRANSCRIPTS, "alone", why, seq)
        self._count("server" if due == "server" else "player", seat)
        if book.level in ("server", "player"):
            usual = people.due(seat, None, hidden=book.hidden)
            if usual == "table" and (book.roll in self._lowered or len(self._lowered) < REMARKS):
                self._lowered[book.roll] = self._lowered.get(book.roll, 0) + 1

    def sealed(self, ask: OpenAsk) -> None:
        """A throw with shares fell, and is not disclosed."""
        self._count("table", ask.seat, len(ask.asked), len(ask.left))

    def end(self) -> None:
        """Say how many throws there are by level, and which declarations named a lower one."""
        for roll, count in self._lowered.items():
            why = f"roll {roll} names a level below table, which was due for {count} of its throws"
            self._findings.look(TRANSCRIPTS, "lower-level", why)
        said = ", ".join(_counted(self.counts))
        if said:
            self._findings.summary(TRANSCRIPTS, said)

    def _count(self, level: Level, seat: str, asked: int = 0, left: int = 0) -> None:
        count: LevelCount = getattr(self.counts, level)
        count.throws += 1
        count.narrators += self._people.narrates(seat)
        count.passed_over += bool(left)
        count.asked += asked
        count.left += left


def _counted(counts: Counts) -> list[str]:
    """Throws by level, in words."""
    found: list[str] = []
    table, player, server = counts.table, counts.player, counts.server
    if table.throws:
        without = f" ({table.passed_over} without a seat that has an anchor)"
        found.append(f"{table.throws} at level table{without if table.passed_over else ''}")
    if player.throws:
        narrators = f" ({player.narrators} by a narrator)" if player.narrators else ""
        found.append(f"{player.throws} at level player{narrators}")
    if server.throws:
        found.append(f"{server.throws} at level server")
    return found


LEVELS: Mapping[Level, bool] = {"server": False, "player": True, "table": True}
"""Whether a throw at that level has a nonce."""


def _wrong_nonce(due: Level, nonce: str | None) -> list[str]:
    """What is wrong with a throw's nonce, by the level that is due."""
    if not LEVELS[due]:
        return [] if nonce is None else ["level server has a nonce"]
    if nonce is None:
        return ["the roller gave no nonce"]
    try:
        checked_nonce(nonce)
    except Refused as error:
        return [error.why]
    return []


def _bytes(nonce: str) -> bytes:
    try:
        return bytes.fromhex(nonce)
    except ValueError:
        return b""
