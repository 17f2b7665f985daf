"""Step 8 of an audit: every nonce of a throw was asked for, given once, and used.

NonceCommitted and what follows it are open even in a roll that is not disclosed, and are checked
there too.
"""

from collections.abc import Callable, Mapping

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import RecordedEvent
from ...events.throw import checked_nonce, nonce_commitment
from .report import Findings, Marks
from .throw_ledger import Book, Bound, Ledger

THROWS, TRANSCRIPTS = 6, 8

MOST_ASKED = 100
"""Seats that a throw asks for nonces, at most: the form's own bound, whatever a table's is."""


class Nonces:
    """The nonces bound and given for the throws to come, and their use by the throws."""

    def __init__(self, findings: Findings, ledger: Ledger, marks: Marks) -> None:
        self._findings = findings
        self._ledger = ledger
        self._marks = marks

    def bound(self, record: RecordedEvent, book: Book, event: rolled.NonceCommitted) -> None:
        """A roller bound its nonce: after the commitment that it answers, once, asking others."""
        seq, findings, waiting = record.seq, self._findings, book.waiting
        answers = waiting is not None and (waiting.throw, waiting.seq) == (
            event.throw,
            event.committed,
        )
        if not answers and self._behind(book, event, seq):
            book.waiting, book.throws = None, event.throw
        elif not answers:
            why = f"a nonce for throw {event.throw} answers no outstanding commitment"
            expected = f"entry {waiting.seq}, throw {waiting.throw}" if waiting else "none"
            found = f"entry {event.committed}, throw {event.throw}"
            findings.fail(THROWS, why, seq, expected, found)
        if book.bound is not None and book.bound.throw == event.throw:
            findings.fail(TRANSCRIPTS, f"throw {event.throw} has a nonce bound already", seq)
        asked = set(event.asked)
        if event.by in asked or not len(asked) == len(event.asked) <= MOST_ASKED:
            findings.fail(TRANSCRIPTS, "the roller is asked, or a seat twice, or too many", seq)
        if book.known and book.level != "table":
            why = f"level {book.level} binds no nonce"
            findings.fail(TRANSCRIPTS, why, seq)
        book.bound = Bound(event.by, event.throw, event.nonce_commit, event.asked[:MOST_ASKED])

    def _behind(self, book: Book, event: rolled.NonceCommitted, seq: int) -> bool:
        """Whether the commitment may be in an earlier entry that was not disclosed."""
        if not book.hidden or event.throw < book.throws or event.committed >= seq:
            return False
        mark = self._marks.of(event.committed)
        return not mark.present or (mark.hidden and not mark.disclosed)

    def given(self, record: RecordedEvent, book: Book, event: rolled.WitnessGiven) -> None:
        """A seat gave its nonce: one that was asked, for this throw, once."""
        bound = self._asked(record, book, event.throw)
        self._ledger.used("nonce", event.nonce, record.seq)
        if bound is None:
            return
        if event.by not in bound.asked:
            why = f"seat {event.by} gives a nonce and was not asked"
            self._findings.fail(TRANSCRIPTS, why, record.seq)
            return
        if event.by in bound.given:
            why = f"seat {event.by} gives a second nonce for one throw"
            self._findings.fail(TRANSCRIPTS, why, record.seq)
        bound.given[event.by] = event.nonce

    def passed(self, record: RecordedEvent, book: Book, event: rolled.SeatsPassedOver) -> None:
        """Seats were passed over: ones that were asked, and had given nothing."""
        bound = self._asked(record, book, event.throw)
        seats = ", ".join(event.seats)
        if bound is None:
            return
        if not set(event.seats) <= set(bound.asked) - bound.given.keys():
            why = f"passed over, but not asked or not silent: {seats}"
            self._findings.fail(TRANSCRIPTS, why, record.seq)
        bound.passed.update(event.seats)
        why = f"throw {event.throw} of roll {event.roll} goes on without {seats}"
        self._findings.note(TRANSCRIPTS, why, record.seq)

    def withheld(self, record: RecordedEvent, book: Book, event: rolled.NonceWithheld) -> None:
        """A roller withheld its nonce: the one that had bound it, when all others were done."""
        bound = self._asked(record, book, event.throw)
        if bound is None:
            return
        missing = _missing(bound)
        if event.seat != bound.seat or missing:
            why = f"seat {event.seat} is reported for a throw that it could not make yet"
            self._findings.fail(TRANSCRIPTS, why, record.seq)
        why = f"seat {event.seat} withheld throw {event.throw} of roll {event.roll}"
        self._findings.note(TRANSCRIPTS, why, record.seq)

    def _asked(self, record: RecordedEvent, book: Book, throw: int) -> Bound | None:
        if book.bound is not None and book.bound.throw == throw:
            return book.bound
        why = f"nobody bound a nonce for throw {throw} of roll {book.roll}"
        self._findings.fail(TRANSCRIPTS, why, record.seq)
        return None

    def thrown(self, record: RecordedEvent, book: Book, id: str, nonce: str | None) -> None:
        """The seat of the record threw with this nonce: check it by the level of the roll."""
        self._findings.checked(TRANSCRIPTS)
        for why in LEVELS[book.level](book, record.event.by, id, nonce):
            self._findings.fail(TRANSCRIPTS, f"throw {id}: {why}", record.seq)


def _server(book: Book, roller: str, id: str, nonce: str | None) -> list[str]:
    return [] if nonce is None else ["level server has a nonce"]


def _player(book: Book, roller: str, id: str, nonce: str | None) -> list[str]:
    return _formed(nonce)


def _table(book: Book, roller: str, id: str, nonce: str | None) -> list[str]:
    bound = book.bound
    if bound is None:
        return ["level table, and no nonce was bound"]
    wrong = _formed(nonce)
    if nonce is not None and not wrong and not fits(id, nonce, bound.nonce_commit):
        wrong.append(f"nonce {nonce} is not the one bound by {bound.nonce_commit}")
    if bound.seat != roller:
        wrong.append(f"seat {roller} throws, seat {bound.seat} bound the nonce")
    if missing := _missing(bound):
        wrong.append(f"asked, neither heard nor passed over: {', '.join(missing)}")
    return wrong


LEVELS: Mapping[str, Callable[[Book, str, str, str | None], list[str]]] = {
    "server": _server,
    "player": _player,
    "table": _table,
}
"""What is wrong with a throw's nonces, by the level that its roll was declared at."""


def fits(id: str, nonce: str, nonce_commit: str) -> bool:
    """Whether N is the commitment to c."""
    try:
        return nonce_commitment(id, nonce).hex() == nonce_commit
    except Refused:
        return False


def _formed(nonce: str | None) -> list[str]:
    if nonce is None:
        return ["the roller gave no nonce"]
    try:
        checked_nonce(nonce)
    except Refused as error:
        return [error.why]
    return []


def _missing(bound: Bound) -> list[str]:
    return [seat for seat in bound.asked if seat not in bound.given and seat not in bound.passed]
