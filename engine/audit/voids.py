"""Step 13 of an audit: a void opens what would have come, so that everybody can look at it."""

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import Recorded
from ...events.throw import throw_id
from .books import Book, Books
from .dice import Dice
from .nonces import fits
from .report import Findings

VOIDS = 13


def voided(event: rolled.RollVoided) -> str:
    """A void in words."""
    return f"roll {event.roll} is voided by seat {event.by}"


class Voids:
    """The voids of fair rolls."""

    def __init__(self, findings: Findings, books: Books, dice: Dice) -> None:
        self._findings = findings
        self._books = books
        self._dice = dice

    def fair(self, record: Recorded, book: Book, event: rolled.RollVoided, table: str) -> None:
        """Hold a void against the commitment that was outstanding, and tell what was forgone."""
        seq, findings, waiting, what = record.seq, self._findings, book.waiting, voided(event)
        if waiting is None:
            findings.note(VOIDS, what, seq)
            return
        if event.throw != waiting.throw:
            why = f"{what}, but the outstanding throw is not opened"
            findings.fail(VOIDS, why, seq, str(waiting.throw), str(event.throw))
        try:
            id = throw_id(table, event.roll, waiting.throw)
        except Refused as error:
            findings.fail(VOIDS, error.why, seq)
            return
        seed = self._dice.seed(VOIDS, seq, id, waiting, event.seed)
        findings.note(VOIDS, f"{what}{self._forgone(seq, book, id, seed, event.nonce)}", seq)
        book.waiting = book.bound = None

    def _forgone(self, seq: int, book: Book, id: str, seed: bytes | None, nonce: str | None) -> str:
        """What would have come, as far as anybody can know it."""
        bound = book.bound
        if nonce is not None:
            self._books.used("nonce", nonce, seq)
            if bound is not None and not fits(id, nonce, bound.nonce_commit):
                why = f"nonce {nonce} of throw {id} is not the one that was bound"
                self._findings.fail(VOIDS, why, seq, bound.nonce_commit)
        if seed is None or (nonce is None and book.level != "server"):
            return ""
        text = self._dice.transcript(seq, book, id, bound.seat if bound else book.seat, nonce)
        if text is None:
            return ""
        return f"; throw {id} would have brought {self._dice.forgone(book.kinds, seed, text)}"
