"""What people did with rolls, characters and texts: nothing here fails, all of it is shown.

It is read from the disclosed events alone. Whether each of them is right, the other checks say.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256
from typing import Any, ClassVar

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.base import Level
from ...events.codec import RecordedEvent
from ..bundle.read import Scope
from .cache import PrivateFile
from .line import Line
from .proof.people import People
from .report import Findings

SEQUENCE, LEGAL, VOIDS, HIDDEN = 4, 10, 13, 15

DECLARED = """CREATE TABLE declared (
    roll INTEGER PRIMARY KEY, seat TEXT, character TEXT, wish BLOB, seq INTEGER, made INTEGER,
    hidden INTEGER, level TEXT, dice INTEGER, revealed INTEGER, thrown INTEGER DEFAULT 0,
    ended TEXT DEFAULT '', ended_in INTEGER
)"""
"""`dice` is the entry of the first throw, or of the first ask for one; `revealed` of the reveal.

`level` says who may know dice that were neither thrown nor asked for: at `table` nobody, at
`player` the host once it has the roller's nonce, at `server` the host from the start.
"""

WISHES = "CREATE INDEX wishes ON declared (wish, roll)"

LEFT = "UPDATE declared SET level = 'player' WHERE level = 'table' AND ended = '' AND seq <= ?"
"""What was declared when nobody else could be asked, or waited then, counts as at `player`."""

ENDED = """
    UPDATE declared SET ended = ?, ended_in = ?, level = CASE
        WHEN level = 'table' AND seq > ? THEN 'table' WHEN level = 'server' OR ? THEN 'server'
        ELSE 'player' END WHERE roll = ?
"""

NEVER_TRIED = """
    DELETE FROM declared WHERE ended IN ('', 'voided', 'withdrawn') AND dice IS NULL
    AND (level = 'table' OR (level = 'player' AND ended = 'withdrawn'))
"""
"""Rolls that came to nothing before anybody could know their dice: who drops them picks nothing.

At `player` host and roller together can choose the dice, and win nothing by dropping a roll; but a
host who has the nonce can drop it alone. What its own seat withdraws, its own client knows of.
"""

AGAIN = """
    SELECT DISTINCT other.roll, other.seq, other.character FROM declared AS first
    JOIN declared AS other ON other.roll = coalesce(
        (SELECT min(roll) FROM declared WHERE wish = first.wish AND roll > first.roll),
        (SELECT min(roll) FROM declared WHERE wish = first.wish AND roll < first.roll
         AND ended = 'resolved' AND ended_in > coalesce(first.dice, first.seq))
    )
    WHERE first.ended IN ('', 'voided', 'withdrawn') AND first.ended_in IS NOT other.made
    ORDER BY other.roll
"""
"""The next roll declared as one that came to nothing; what a ruling puts in its place is none.

Where none comes later: one of before that waited until these dice could be known.
"""

LATE = """
    SELECT ended_in, roll FROM declared WHERE ended = 'voided' AND thrown > 0
    GROUP BY ended_in ORDER BY ended_in
"""

SECRETS = """
    SELECT seat, count(revealed), sum(revealed IS NULL), min(seq), max(revealed),
        min(CASE WHEN revealed IS NULL THEN coalesce(dice, seq) END)
    FROM declared WHERE hidden GROUP BY seat ORDER BY seat
"""

ENOUGH = 2
"""Seats with anchors, of which one is the roller's: then another one is asked for each throw."""

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

    def __init__(
        self, findings: Findings, people: People, file: PrivateFile, scope: Scope, now: int
    ) -> None:
        self._findings = findings
        self._people = people
        self._file = file
        self._whole = scope == "table"
        self._now = now
        self._ahead: int | None = None
        self._highest = 0
        self._owners: dict[str, str] = {}
        self._gifts: dict[str, Gift] = {}
        self._given_in: dict[str, int] = {}
        self._ask: rolled.ThrowAsked | None = None
        self._kept_back: set[str] = set()
        self._unwatched = -1
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
        self._file.run(LEFT, (self._unwatched,))
        self._file.run(NEVER_TRIED)
        for roll, seq, character in self._file.run(AGAIN):
            why = f"roll {roll}: {character} declares as before, where a roll came to nothing"
            self._findings.look(LEGAL, "again", why, seq)

    def _secrets(self) -> Iterator[tuple[str, int]]:
        """The seats that revealed a hidden roll when they had, and have, others under seal.

        What is thrown after the last reveal was not passed over for it.
        """
        self._sealed(self._unknown(self._highest))
        for seat, shown, kept, seq, last, first in self._file.run(SECRETS).fetchall():
            self._sealed(kept, seat)
            if shown and kept and first < last:
                yield f"seat {seat} revealed {shown} of its {shown + kept} hidden rolls", seq
            elif shown and (sealed := self._unknown_at(last)):
                why = f"seat {seat} revealed {shown} hidden, and others are not: {sealed}"
                yield f"{why}, whose is not shown here", seq

    def _unknown(self, highest: int) -> int:
        """How many rolls up to that number are not disclosed: rolls count without gaps."""
        sql = "SELECT count(*) FROM declared WHERE roll <= ?"
        known = self._file.run(sql, (highest,)).fetchone()[0]
        return max(0, highest - known) if self._whole else 0

    def _unknown_at(self, seq: int) -> int:
        """How many of them may be of before that entry: what counts behind a later one is not."""
        sql = "SELECT min(roll) FROM declared WHERE seq > ?"
        (later,) = self._file.run(sql, (seq,)).fetchone()
        return self._unknown(self._highest if later is None else later - 1)

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
        self._seated(record, event, commit)
        level = self._level(event)
        row = (event.roll, event.by, event.character, wish, record.seq, commit, hidden, level)
        sql = "INSERT OR REPLACE INTO declared (roll, seat, character, wish, seq, made, hidden"
        self._file.run(f"{sql}, level) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _level(self, event: rolled.RollDeclared) -> Level:
        """Who may know its dice before they fall; of what is not all in the file, anybody."""
        whole = self._whole and event.visibility == "public" and self._people.fair
        usual = self._people.level
        if usual == "player" and self._people.core >= tabled.COUNTED:
            usual = "table"  # while others have anchors
        return (event.level or usual) if whole else "server"

    def _seated(self, record: RecordedEvent, event: Any, commit: int) -> None:
        """Note where nobody else can be asked for a share; who kept one back is not counted."""
        others = self._people.anchored().keys() - self._kept_back
        if len(others) < ENOUGH or self._people.one_machine:
            self._unwatched = record.seq

    def _began(self, record: RecordedEvent, event: tabled.EpochBegun, commit: int) -> None:
        self._ask = None
        self._seated(record, event, commit)

    def _broken(self, record: RecordedEvent, event: rolled.ThrowBroken, commit: int) -> None:
        self._kept_back.update(event.kept)
        self._seated(record, event, commit)

    def _seen(self, record: RecordedEvent, event: rolled.RollEventBase, commit: int) -> None:
        """An open entry of a roll that may be sealed: it has that number."""
        self._highest = max(self._highest, event.roll)

    def _asked(self, record: RecordedEvent, event: rolled.ThrowAsked, commit: int) -> None:
        self._seen(record, event, commit)
        self._cast(record, event)
        self._ask = event

    def _asked_for(self, event: Any) -> Collection[str]:
        """The seats that were asked for the shares of a throw."""
        ask, proof = self._ask, event.proof
        if ask is None or proof is None or (ask.roll, ask.throw) != (event.roll, proof.throw):
            return ()
        return dict(ask.asked)

    def _cast(self, record: RecordedEvent, event: rolled.RollEventBase) -> None:
        """From here on its dice may be known: they are asked for, or lie."""
        sql = "UPDATE declared SET dice = coalesce(dice, ?) WHERE roll = ?"
        self._file.run(sql, (record.seq, event.roll))

    def _revealed(self, record: RecordedEvent, event: rolled.RollRevealed, commit: int) -> None:
        self._seen(record, event, commit)
        sql = "UPDATE declared SET revealed = coalesce(revealed, ?) WHERE roll = ?"
        self._file.run(sql, (record.seq, event.roll))

    def _thrown(self, record: RecordedEvent, event: Any, commit: int) -> None:
        self._cast(record, event)
        sql = "UPDATE declared SET thrown = thrown + 1 WHERE roll = ? RETURNING character, seq"
        for character, seq in self._file.run(sql, (event.roll,)).fetchall():
            gift = self._gifts.get(getattr(event, "character", character))
            evades = gift is not None and gift.of not in self._asked_for(event)
            if gift is not None and evades and gift.to == event.by and seq < gift.seq:
                gift.thrown = event.roll

    def _ended(self, record: RecordedEvent, event: Any, commit: int) -> None:
        how, given = ENDS[type(event)], False
        sql = "SELECT seat, character, seq, thrown FROM declared WHERE roll = ?"
        for seat, character, seq, thrown in self._file.run(sql, (event.roll,)).fetchall():
            if how == "voided" and seat == event.by and not thrown:
                how = "withdrawn"
            given = self._given_in.get(character, -1) > seq  # another seat may have sent a nonce
        self._file.run(ENDED, (how, commit, self._unwatched, given, event.roll))

    # --- characters and texts ---------------------------------------------------------------------

    def _entered(self, record: RecordedEvent, event: tabled.CharacterEntered, commit: int) -> None:
        self._owners[event.character] = event.seat

    def _given(self, record: RecordedEvent, event: tabled.CharacterGiven, commit: int) -> None:
        self._findings.count("given", record.seq)
        self._given_in[event.character] = record.seq
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
        rolled.ThrowAsked: _asked,
        rolled.ThrowBroken: _broken,
        rolled.DiceRolled: _thrown,
        rolled.DiceRerolled: _thrown,
        rolled.RollResolved: _ended,
        rolled.RollVoided: _ended,
        rolled.RollRevealed: _revealed,
        ruling.DeclarationVetoed: _ended,
        ruling.DeclarationReplaced: _ended,
        tabled.SeatTaken: _seated,
        tabled.SeatLeft: _seated,
        tabled.ShareAnchored: _seated,
        tabled.EpochBegun: _began,
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
