"""Steps 6, 12 and 15 of an audit: every throw answers its commitment, in order and once.

It keeps its own books and takes nothing from the engine's: what a throw must answer follows from
the entries alone. A roll that was not disclosed is no failure; its open events are checked.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from ....errors import Refused
from ....events import roll as rolled
from ....events import table as tabled
from ....events.codec import RecordedEvent
from ....events.roll import Proof
from ....events.throw import NO_LEAF, fixture_seed, transcript
from ....projections.hidden import ALWAYS_OPEN
from ....projections.tables import Rulesets
from ...bundle.read import Header
from ..cache import PrivateFile
from ..line import Line
from ..report import Findings, Marks
from .chains import Chains
from .dice import Dice
from .levels import Counts, Levels
from .people import People
from .shares import Shares
from .throw_ledger import HASH, Book, Ledger, Waiting

THROWS, COMMITMENTS, DICE, REUSE, HIDDEN = 6, 7, 9, 12, 15

SEEDED = "seeded:"

VOIDS = 13

ABOUT_THROWS = (6, 7, 8, 9, 12, 13)
"""The steps that need the table's opening."""


class Throws:
    """Every throw of a log, checked as its entries pass by."""

    def __init__(
        self,
        findings: Findings,
        header: Header,
        marks: Marks,
        ledger: Ledger,
        people: People,
        file: PrivateFile,
        rulesets: Rulesets,
    ) -> None:
        self._findings = findings
        self._header = header
        self._marks = marks
        self._ledger = ledger
        self._people = people
        self._dice = Dice(findings, ledger, rulesets, header.origin.rpartition("/")[2])
        self._chains = Chains(findings, people, file)
        whole = header.scope == "table"
        self._levels = Levels(findings, people, whole=whole)
        sealed = self._levels.sealed
        self._shares = Shares(findings, ledger, marks, people, self._chains, sealed, whole=whole)
        self._voids = Voids(findings, people, self._dice)
        self._ended = {"voided": 0, "withdrawn": 0}
        self._epochs = 0
        self._line: Line | None = None
        self._last: Line | None = None

    @property
    def counts(self) -> Counts:
        """The throws so far, by level."""
        return self._levels.counts

    def take(self, line: Line) -> None:
        """Check one more entry, then follow what it does to the seats.

        Of a log whose opening is not there nothing is: it says what the dice are.
        """
        if not self._people.table and not _opens(line):
            self._missing()
            self._line = line
            return
        self._shares.stands(line)
        self._last, self._line = self._line, line
        if line.record is not None:
            self._take(line, line.record)
        self._people.take(line)

    def _missing(self) -> None:
        if self._line is None:
            for step in ABOUT_THROWS:
                self._findings.unchecked(step, "the table's opening is missing")

    def _take(self, line: Line, record: RecordedEvent) -> None:
        event: Any = record.event
        if isinstance(event, tabled.TableOpened):
            if not record.seq:
                self._dice.opened(event)
        elif isinstance(event, tabled.ReadingSet):
            self._dice.reads(event)
        elif isinstance(event, tabled.EpochBegun):
            self._began(record, event)
        elif isinstance(event, rolled.RollDeclared):
            self._declared(record, event)
        elif isinstance(event, tabled.ShareAnchored):
            self._chains.anchored(record, event)
        elif isinstance(event, rolled.RollEventBase):
            self._of_roll(record, event)

    def end(self) -> None:
        """Check what only the whole file shows: values used twice, entries not disclosed."""
        self._shares.end()
        self._levels.end()
        self._findings.checked(REUSE, self._ledger.uses)
        for kind, times, first, last in self._ledger.reused():
            why = f"a {kind} is used {times} times, first in entry {first}"
            # The dice stay fair as long as another part is fresh: that is no failure of the log's.
            if kind == "seed":
                self._findings.fail(REUSE, why, last)
            else:
                self._findings.finding(REUSE, "nonce", why, last)
        ended = [f"{count} {how}" for how, count in self._ended.items() if count]
        self._findings.summary(VOIDS, ", ".join(ended))
        hidden = self._marks.hidden()
        sealed = sum(1 for _ in self._marks.withheld(hidden=True))
        self._findings.checked(HIDDEN, hidden)
        if sealed:
            self._findings.summary(HIDDEN, f"{sealed:,} of {hidden:,} not disclosed")
            self._findings.unchecked(HIDDEN, f"{sealed:,} hidden entries are not disclosed")

    # --- rolls ------------------------------------------------------------------------------------

    def _declared(self, record: RecordedEvent, event: rolled.RollDeclared) -> None:
        before = self._ledger.get(event.roll)
        if before is not None and before.known:
            self._findings.fail(THROWS, f"roll {event.roll} is declared once more", record.seq)
        hidden = event.visibility != "public"
        book = Book(event.roll, event.by, event.level, known=True, hidden=hidden, entries=1)
        book.faces = self._dice.readings
        self._ledger.put(book)
        if self._people.fair:
            self._publish(record, book, 0, event.commit)
        elif self._people.source and event.commit is not None:
            why = f"dice that are {self._people.source} are committed to"
            self._findings.fail(THROWS, why, record.seq, "nothing", event.commit)

    def _of_roll(self, record: RecordedEvent, event: rolled.RollEventBase) -> None:
        book = self._ledger.get(event.roll)
        act = self.ACTS.get(type(event))
        if book is None and self._of_another(event.roll, changes=act is not None):
            return
        if (book is None or not book.known) and not isinstance(event, ALWAYS_OPEN):
            why = f"roll {event.roll} was never declared, or its declaration is withheld"
            self._findings.fail(THROWS, why, record.seq)
        book = book or self._ledger.put(Book(event.roll))
        if act is not None:
            act(self, record, book, event)
        book.entries += 1

    def _of_another(self, roll: int, *, changes: bool) -> bool:
        """Whether it is here for its commit alone: the file is of another roll.

        What `changes` a book begins no commit that is here for another roll.
        """
        line = self._line
        inside = line is not None and line.entry.seq != line.entry.commit
        other = self._header.scope == "roll" and roll != self._header.roll
        return other and (inside or not changes)

    def _began(self, record: RecordedEvent, event: tabled.EpochBegun) -> None:
        """A new epoch: a new commitment for every throw that is outstanding."""
        if event.epoch != self._epochs + 1:
            expected, found = str(self._epochs + 1), str(event.epoch)
            self._findings.fail(THROWS, "epochs count from 1", record.seq, expected, found)
        self._epochs = event.epoch
        why = f"epoch {event.epoch} begins: the host says that the log was restored"
        self._findings.look(THROWS, "epoch", why, record.seq)
        for fresh in event.commits:
            book = self._ledger.get(fresh.roll)
            if book is None and self._header.scope == "roll":
                continue
            book = book or self._ledger.put(Book(fresh.roll))
            behind = book.hidden and fresh.throw >= book.throws
            if not behind and (book.waiting is None or book.waiting.throw != fresh.throw):
                why = f"throw {fresh.throw} of roll {fresh.roll} is not outstanding"
                self._findings.fail(THROWS, why, record.seq)
            self._publish(record, book, fresh.throw, fresh.commit)
            book.throws = fresh.throw

    def _revealed(self, record: RecordedEvent, book: Book, event: rolled.RollRevealed) -> None:
        book.hidden = False
        if self._header.scope == "table" and book.entries < (event.entries or 0):
            why = f"roll {event.roll} was revealed, and entries of it are kept back"
            expected, found = f"{event.entries} entries", f"{book.entries} that can be read"
            self._findings.fail(HIDDEN, why, record.seq, expected, found)
        if not book.known:
            why = f"roll {event.roll} was revealed, but the file does not disclose it"
            self._findings.finding(HIDDEN, "not-shown", why, record.seq)
        elif book.gap is not None:
            why = f"roll {event.roll} was revealed, but not all of it is disclosed"
            self._findings.fail(THROWS, why, book.gap)

    def _asked(self, record: RecordedEvent, book: Book, event: rolled.ThrowAsked) -> None:
        if self._line is not None:
            self._shares.asked(self._line, self._last, book, event)

    def _opened(self, record: RecordedEvent, book: Book, event: rolled.ShareOpened) -> None:
        if self._line is not None:
            self._shares.opened(self._line, record, event)

    def _broken(self, record: RecordedEvent, book: Book, event: rolled.ThrowBroken) -> None:
        """A throw was broken off: its seed is opened, and the next one committed to."""
        if not self._shares.broken(record, book, event):
            return
        id = self._dice.id(THROWS, record.seq, event.roll, event.throw)
        if id is None:
            return
        self._dice.seed(COMMITMENTS, record.seq, id, book.waiting, event.seed)
        self._publish(record, book, event.throw + 1, event.next)

    def _voided(self, record: RecordedEvent, book: Book, event: rolled.RollVoided) -> None:
        back = event.by == book.seat and not book.throws
        self._ended["withdrawn" if back else "voided"] += 1
        what = f"roll {event.roll} is {'withdrawn' if back else 'voided'} by seat {event.by}"
        if self._people.fair:
            self._voids.fair(record, book, event, what)
        else:
            self._findings.note(VOIDS, what, record.seq)

    # --- throws -----------------------------------------------------------------------------------

    def _rolled(
        self, record: RecordedEvent, book: Book, event: rolled.DiceRolled | rolled.DiceRerolled
    ) -> None:
        seq, findings, proof = record.seq, self._findings, event.proof
        if proof is None:
            if event.dice and getattr(event, "taken", None) is None:
                findings.fail(THROWS, "there are dice without a proof of their throw", seq)
            return
        source = self._people.source.partition(":")[0]
        if source and proof.source != source:
            why = "the dice are not of the table's source"
            findings.fail(THROWS, why, seq, source, proof.source)
        if proof.throw != book.throws:
            why = "throws of a roll count 0, 1, 2"
            findings.fail(THROWS, why, seq, str(book.throws), str(proof.throw))
        book.throws = proof.throw + 1
        book.kinds = tuple(item.kind for item in event.dice)
        self._levels.counts.other += proof.source != "fair"
        id = self._dice.id(THROWS, seq, event.roll, proof.throw)
        if id is None:
            return
        if proof.source == "fair":
            self._fair_throw(record, book, proof, id)
        elif proof.source == "seeded":
            self._seeded_throw(record, book, proof, id)

    def _fair_throw(self, record: RecordedEvent, book: Book, proof: Proof, id: str) -> None:
        seq, findings = record.seq, self._findings
        event: Any = record.event
        findings.checked(THROWS)
        self._answers(seq, book, proof)
        ask = self._shares.thrown(record, event)
        self._levels.thrown(record, book, ask, id, proof.nonce)
        if ask is None and proof.nonce is not None:
            self._ledger.used("nonce", proof.nonce, seq)
        shares = {} if ask is None else {s: x for s, x in ask.opened.items() if s != event.by}
        seed = self._dice.seed(COMMITMENTS, seq, id, book.waiting, proof.seed)
        text = self._dice.transcript(seq, book, id, event.by, proof.nonce, shares)
        if seed is not None and text is not None:
            self._dice.check(seq, event.dice, seed, text, book.faces)
        elif book.waiting is not None:
            findings.unchecked(DICE, f"the dice of throw {id} follow from no seed, or no T", seq)
        self._publish(record, book, proof.throw + 1, proof.next)

    def _answers(self, seq: int, book: Book, proof: Proof) -> None:
        begins = seq if self._line is None else self._line.entry.commit
        epoch = self._people.epoch
        wrong = book.unanswered(proof.throw, proof.committed, begins=begins, epoch=epoch)
        if wrong is not None:
            why, expected, found = wrong
            self._findings.fail(THROWS, f"throw {proof.throw} {why}", seq, expected, found)

    def _publish(self, record: RecordedEvent, book: Book, throw: int, commit: str | None) -> None:
        """An entry commits to the seed of the throw that comes next."""
        book.waiting = None
        if commit is not None and HASH.fullmatch(commit):
            book.waiting = Waiting(throw, commit, record.seq, record.leaf)
        else:
            why = f"throw {throw} of roll {book.roll} is not committed to"
            self._findings.fail(THROWS, why, record.seq, "64 hex digits", commit)

    def _seeded_throw(self, record: RecordedEvent, book: Book, proof: Proof, id: str) -> None:
        """A fixture's throw: no commitment, no nonce, and a seed that everybody knows."""
        event: Any = record.event
        self._findings.checked(THROWS)
        if (proof.committed, proof.nonce, proof.next) != (None, None, None):
            self._findings.fail(THROWS, "a seeded throw has no commitment and no nonce", record.seq)
        try:
            seed = fixture_seed(self._people.source.removeprefix(SEEDED), id)
            text = transcript(id, 0, NO_LEAF, event.by, None)
        except Refused as error:
            self._findings.fail(DICE, error.why, record.seq)
            return
        if proof.seed != seed.hex():
            why = "the seed is not the fixture's"
            self._findings.fail(DICE, why, record.seq, seed.hex(), str(proof.seed))
        self._dice.check(record.seq, event.dice, seed, text, book.faces)

    ACTS: ClassVar[Mapping[type[Struct], Callable[..., None]]] = {
        rolled.ThrowAsked: _asked,
        rolled.ShareOpened: _opened,
        rolled.ThrowBroken: _broken,
        rolled.DiceRolled: _rolled,
        rolled.DiceRerolled: _rolled,
        rolled.RollVoided: _voided,
        rolled.RollRevealed: _revealed,
    }
    """The check of each event of a roll."""


def _opens(line: Line) -> bool:
    """Whether an entry is the table's first, and opens it."""
    event = None if line.record is None else line.record.event
    return isinstance(event, tabled.TableOpened) and line.entry.seq == 0


class Voids:
    """The voids of fair rolls."""

    def __init__(self, findings: Findings, people: People, dice: Dice) -> None:
        self._findings = findings
        self._people = people
        self._dice = dice

    def fair(self, record: RecordedEvent, book: Book, event: rolled.RollVoided, what: str) -> None:
        """Compare a void with the commitment that was outstanding, and show what was forgone."""
        seq, findings, waiting = record.seq, self._findings, book.waiting
        if waiting is None:
            findings.note(VOIDS, what, seq)
            return
        if event.throw != waiting.throw:
            why = f"{what}, but the outstanding throw is not opened"
            findings.fail(VOIDS, why, seq, str(waiting.throw), str(event.throw))
        id = self._dice.id(VOIDS, seq, event.roll, waiting.throw)
        if id is None:
            return
        seed = self._dice.seed(VOIDS, seq, id, waiting, event.seed)
        findings.note(VOIDS, f"{what}{self._forgone(seq, book, id, seed)}", seq)
        book.waiting = None

    def _forgone(self, seq: int, book: Book, id: str, seed: bytes | None) -> str:
        """What would have been thrown, where nobody but the server adds to it."""
        due = self._people.due(book.seat, book.level, hidden=book.hidden)
        if seed is None or due != "server":
            return ""
        text = self._dice.transcript(seq, book, id, book.seat, None, {})
        if text is None:
            return ""
        faces = self._dice.forgone(book.kinds, seed, text, book.faces)
        return f"; throw {id} would have brought {faces}"
