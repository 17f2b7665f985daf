"""What people did with rolls, characters and texts: nothing here fails, all of it is shown.

It is read from the disclosed events alone. Whether each of them is right, the other checks say.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, ClassVar

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ..bundle.read import Scope
from .cache import PrivateFile
from .line import Line
from .report import Findings

SEQUENCE, LEGAL, VOIDS, HIDDEN = 4, 10, 13, 15

DECLARED = """CREATE TABLE declared (
    roll INTEGER PRIMARY KEY, seat TEXT, character TEXT, wish BLOB, seq INTEGER, made INTEGER,
    hidden INTEGER, revealed INTEGER DEFAULT 0, thrown INTEGER DEFAULT 0,
    ended TEXT DEFAULT '', ended_in INTEGER
)"""

WISHES = "CREATE INDEX wishes ON declared (wish, ended, roll)"

AGAIN = """
    SELECT roll, seq, character FROM declared AS later WHERE EXISTS (
        SELECT 1 FROM declared AS first WHERE first.wish = later.wish
        AND first.ended IN ('', 'voided', 'withdrawn') AND first.roll < later.roll
        AND first.ended_in IS NOT later.made
    ) ORDER BY roll
"""
"""Rolls declared as one before that came to nothing; what a ruling puts in its place is none."""

LATE = """
    SELECT ended_in, roll FROM declared WHERE ended = 'voided' AND thrown > 0
    GROUP BY ended_in ORDER BY ended_in
"""

SECRETS = """
    SELECT seat, sum(revealed), sum(NOT revealed), min(seq) FROM declared WHERE hidden
    GROUP BY seat ORDER BY seat
"""

AHEAD = 60_000
"""Milliseconds by which the clocks of a host and of a reader may differ."""


class Gift(Struct):
    """A character in the hands of `to`, from entry `seq` on; `thrown` in a roll of before that."""

    of: str
    to: str
    seq: int
    thrown: int | None = None


class Story:
    """What people did so far."""

    def __init__(self, findings: Findings, file: PrivateFile, scope: Scope, now: int) -> None:
        self._findings = findings
        self._file = file
        self._whole = scope == "table"
        self._now = now
        self._ahead: int | None = None
        self._highest = 0
        self._owners: dict[str, str] = {}
        self._gifts: dict[str, Gift] = {}
        file.run(DECLARED)
        file.run(WISHES)

    def take(self, line: Line) -> None:
        """One more entry."""
        if self._ahead is None and line.entry.at > self._now + AHEAD:
            self._ahead = line.entry.seq
            why = "it is later than the clock of this audit"
            self._findings.look(SEQUENCE, "clock", why, self._ahead)
        record = line.record
        event: Any = None if record is None else record.event
        act = self.ACTS.get(type(event))
        if record is not None and act is not None:
            act(self, record, event, line.entry.commit)

    def end(self) -> None:
        """Count what only the end shows."""
        for roll, seq, character in self._file.run(AGAIN):
            why = f"roll {roll}: {character} declares as before, where a roll came to nothing"
            self._findings.look(LEGAL, "again", why, seq)
        late = self._file.run(LATE).fetchall()
        for commit, roll in late:
            if len(late) == 1:
                self._findings.count("late-void", commit)
            else:
                why = f"roll {roll} is voided after its dice, one of {len(late)}"
                self._findings.look(VOIDS, "voids", why, commit)
        for kind, ended in (("withdrawn", "withdrawn"), ("early-void", "voided"), ("lying", "")):
            sql = "SELECT coalesce(ended_in, seq) FROM declared WHERE ended = ?"
            for (seq,) in self._file.run(f"{sql} AND (ended = '' OR thrown = 0)", (ended,)):
                self._findings.count(kind, seq)
        for why, seq in self._secrets():
            self._findings.look(HIDDEN, "some-hidden", why, seq)

    def _secrets(self) -> Iterator[tuple[str, int]]:
        """The seats of which some hidden rolls were revealed, and others not."""
        known = self._file.run("SELECT count(*) FROM declared").fetchone()[0]
        sealed = max(0, self._highest - known) if self._whole else 0
        self._sealed(sealed)
        for seat, shown, kept, seq in self._file.run(SECRETS).fetchall():
            self._sealed(kept, seat)
            if shown and kept:
                yield f"seat {seat} revealed {shown} of its {shown + kept} hidden rolls", seq
            elif shown and sealed:
                why = f"seat {seat} revealed {shown} hidden, and others are not: {sealed}"
                yield f"{why}, whose is not shown here", seq

    def _sealed(self, count: int, seat: str = "") -> None:
        if count:
            of = f"by seat {seat}" if seat else "by seats that are not shown here"
            self._findings.note(HIDDEN, f"hidden rolls {of} that are not revealed: {count}")
            self._findings.count("hidden", None, count)

    # --- rolls ------------------------------------------------------------------------------------

    def _declared(self, record: RecordedEvent, event: rolled.RollDeclared, commit: int) -> None:
        self._highest = max(self._highest, event.roll)
        said = [event.character, event.follows, event.declaration]
        wish = sha256(json.dumps(said, sort_keys=True).encode("utf-8", "replace")).digest()
        hidden = event.visibility != "public"
        row = (event.roll, event.by, event.character, wish, record.seq, commit, hidden)
        sql = "INSERT OR REPLACE INTO declared (roll, seat, character, wish, seq, made, hidden)"
        self._file.run(f"{sql} VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def _seen(self, record: RecordedEvent, event: rolled.RollEventBase, commit: int) -> None:
        """An open entry of a roll that may be sealed: it has that number."""
        self._highest = max(self._highest, event.roll)

    def _revealed(self, record: RecordedEvent, event: rolled.RollRevealed, commit: int) -> None:
        self._seen(record, event, commit)
        self._file.run("UPDATE declared SET revealed = 1 WHERE roll = ?", (event.roll,))

    def _thrown(self, record: RecordedEvent, event: Any, commit: int) -> None:
        sql = "UPDATE declared SET thrown = thrown + 1 WHERE roll = ? RETURNING character, seq"
        for character, seq in self._file.run(sql, (event.roll,)).fetchall():
            gift = self._gifts.get(getattr(event, "character", character))
            if gift is not None and gift.to == event.by and seq < gift.seq:
                gift.thrown = event.roll

    def _ended(self, record: RecordedEvent, event: Any, commit: int) -> None:
        how = ENDS[type(event)]
        if how == "voided":
            sql = "SELECT 1 FROM declared WHERE roll = ? AND seat = ? AND thrown = 0"
            mine = self._file.run(sql, (event.roll, event.by)).fetchone()
            how = "withdrawn" if mine else how
        sql = "UPDATE declared SET ended = ?, ended_in = ? WHERE roll = ?"
        self._file.run(sql, (how, commit, event.roll))

    # --- characters and texts ---------------------------------------------------------------------

    def _entered(self, record: RecordedEvent, event: tabled.CharacterEntered, commit: int) -> None:
        self._owners[event.character] = event.seat

    def _given(self, record: RecordedEvent, event: tabled.CharacterGiven, commit: int) -> None:
        self._findings.count("given", record.seq)
        who, owner = event.character, self._owners.get(event.character, "")
        gift = self._gifts.pop(who, None)
        if gift is None or gift.of != event.seat:  # what comes back is no gift
            self._gifts[who] = Gift(owner, event.seat, record.seq)
        elif gift.thrown is not None:
            why = f"{who} was given to seat {gift.to} in entry {gift.seq}, thrown for in roll"
            why = f"{why} {gift.thrown}, and is given back to seat {event.seat}"
            self._findings.look(LEGAL, "given-back", why, record.seq)
        self._owners[who] = event.seat

    def _erased(self, record: RecordedEvent, event: tabled.EntryErased, commit: int) -> None:
        self._findings.count("erased", record.seq)

    ACTS: ClassVar[Mapping[type[Struct], Callable[..., None]]] = {
        rolled.RollDeclared: _declared,
        rolled.ThrowAsked: _seen,
        rolled.DiceRolled: _thrown,
        rolled.DiceRerolled: _thrown,
        rolled.RollResolved: _ended,
        rolled.RollVoided: _ended,
        rolled.RollRevealed: _revealed,
        ruling.DeclarationVetoed: _ended,
        ruling.DeclarationReplaced: _ended,
        tabled.CharacterEntered: _entered,
        tabled.CharacterGiven: _given,
        tabled.EntryErased: _erased,
    }
    """What each event adds."""


ENDS: Mapping[type[Struct], str] = {
    rolled.RollResolved: "resolved",
    rolled.RollVoided: "voided",
    ruling.DeclarationVetoed: "vetoed",
    ruling.DeclarationReplaced: "",
}
"""How a roll stands after an event."""
