"""Step 8 of an audit: every throw is at the level that was due, and they are counted by level.

Which level is due follows from the audit's own book of seats.
"""

from collections.abc import Mapping

from msgspec import Struct

from ...errors import Refused
from ...events.base import Level
from ...events.codec import RecordedEvent
from ...events.throw import checked_nonce
from .people import People
from .report import REMARKS, Findings
from .shares import OpenAsk, Sealed
from .throw_ledger import Book

TRANSCRIPTS, REUSE = 8, 12


class Counts(Struct):
    """Throws by level; of those at table that left a seat out, of those at player a narrator's."""

    server: int = 0
    player: int = 0
    narrators: int = 0
    table: int = 0
    without: int = 0


class Levels:
    """The levels of the throws so far."""

    def __init__(self, findings: Findings, people: People, *, whole: bool) -> None:
        self._findings = findings
        self._people = people
        self._whole = whole
        self._counts = Counts()
        self._lowered: dict[int, int] = {}

    def thrown(
        self, record: RecordedEvent, book: Book, ask: OpenAsk | None, id: str, nonce: str | None
    ) -> None:
        """The seat of the record threw with this nonce, or with the shares of an ask."""
        self._findings.checked(TRANSCRIPTS)
        constant = nonce is not None and len(set(_bytes(nonce))) == 1
        if constant:
            why = f"throw {id}: nonce {nonce} is one byte over and over"
            self._findings.finding(REUSE, why, record.seq)
        if ask is not None:
            self._counts.table += 1
            self._counts.without += bool(ask.left)
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
            self._findings.note(TRANSCRIPTS, why, seq)
        if due == "server":
            self._counts.server += 1
        else:
            self._counts.player += 1
            self._counts.narrators += people.narrates(seat)
        if book.level in ("server", "player"):
            usual = people.due(seat, None, hidden=book.hidden)
            if usual == "table" and (book.roll in self._lowered or len(self._lowered) < REMARKS):
                self._lowered[book.roll] = self._lowered.get(book.roll, 0) + 1

    def end(self, sealed: Sealed) -> None:
        """Count the throws by level, the sealed too, and declarations that named a lower one."""
        self._counts.table += sealed.throws
        self._counts.without += sealed.without
        for roll, count in self._lowered.items():
            why = f"roll {roll} names a level below table, which was due for {count} of its throws"
            self._findings.note(TRANSCRIPTS, why)
        said = ", ".join(_counted(self._counts))
        if said:
            self._findings.summary(TRANSCRIPTS, said)


def _counted(counts: Counts) -> list[str]:
    """Throws by level, in words."""
    found: list[str] = []
    if counts.table:
        without = f" ({counts.without} without a seat that has an anchor)" if counts.without else ""
        found.append(f"{counts.table} at level table{without}")
    if counts.player:
        narrators = f" ({counts.narrators} by a narrator)" if counts.narrators else ""
        found.append(f"{counts.player} at level player{narrators}")
    if counts.server:
        found.append(f"{counts.server} at level server")
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
