"""What a file leaves out, and what seemed wrong after it: wrong, or not to be told from this file.

Hidden entries may be undisclosed, and of a roll's bundle most entries are missing. What they did to
tracks and rolls is not known, so a verdict that rests on it waits for the end: by then a roll may
have been revealed, and what was withheld may have been no more than an erased note.
"""

from msgspec import Struct

from .differ import Wrong
from .report import SHOWN, Findings


class Doubt(Struct, frozen=True):
    """What seemed wrong at entry `seq`, and why it may not be.

    `roll` is the hidden roll that it rests on, None for none; `tracks` says that it rests on them.
    """

    seq: int
    wrong: Wrong
    roll: int | None
    tracks: bool


class Unseen:
    """The entries that could not be looked at: a bit each for those withheld, and where others are.

    An open entry that is withheld was a name or a note, and did nothing: it is remembered for
    whoever erased it, and no verdict waits for it.
    """

    def __init__(self) -> None:
        self._texts = Bits()
        self._hidden = Bits()
        self._gap: int | None = None
        self._lost: int | None = None
        self.any = False
        """Whether anything that matters was out of sight so far."""

    @property
    def gaps(self) -> bool:
        """Whether entries are missing."""
        return self._gap is not None

    def withheld(self, seq: int, *, hidden: bool) -> None:
        """Entry `seq` is there without its payload."""
        (self._hidden if hidden else self._texts).add(seq)
        self.any |= hidden

    def missing(self, first: int) -> None:
        """Entries from `first` on are not in the file."""
        self._gap = first if self._gap is None else self._gap
        self.any = True

    def lost(self, seq: int) -> None:
        """Entry `seq` could not be followed: what it did is as unknown as if it were withheld."""
        self._lost = seq if self._lost is None else self._lost
        self.any = True

    def erased(self, seq: int) -> None:
        """Entry `seq`, if it was withheld, was a text and no more."""
        self._hidden.discard(seq)
        self._texts.discard(seq)

    def is_withheld(self, seq: int) -> bool:
        """Whether entry `seq` is there without its payload, and nothing said that it was erased."""
        return seq in self._hidden or seq in self._texts

    def first(self) -> int | None:
        """The first entry that is out of sight for good."""
        found = (self._hidden.least, self._gap, self._lost)
        return min((seq for seq in found if seq is not None), default=None)


class Bits:
    """A set of numbers that takes a bit for each number up to the largest."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, number: int) -> None:
        """Put a number in."""
        place, bit = divmod(number, 8)
        if place >= len(self._bytes):
            self._bytes.extend(bytes(place + 1 - len(self._bytes)))
        self._bytes[place] |= 1 << bit

    def discard(self, number: int) -> None:
        """Take a number out, if it is there."""
        if number in self:
            self._bytes[number // 8] &= ~(1 << number % 8)

    def __contains__(self, number: int) -> bool:
        place, bit = divmod(number, 8)
        return 0 <= place < len(self._bytes) and bool(self._bytes[place] >> bit & 1)

    @property
    def least(self) -> int | None:
        """The smallest of them; None where there are none."""
        places = (place for place, byte in enumerate(self._bytes) if byte)
        place = next(places, None)
        if place is None:
            return None
        byte = self._bytes[place]
        return place * 8 + (byte & -byte).bit_length() - 1


class Doubts:
    """Everything that waits for the end."""

    def __init__(self, findings: Findings, unseen: Unseen) -> None:
        self._findings = findings
        self._unseen = unseen
        self._waiting: list[Doubt] = []

    def report(self, doubt: Doubt) -> None:
        """A failure, at once if it rests on nothing unseen."""
        if (doubt.roll is None and not doubt.tracks) or not self._unseen.any:
            self._fail(doubt)
        elif len(self._waiting) < SHOWN:
            # What rests on something unseen rests on it later too: the first ones say it all.
            self._waiting.append(doubt)

    def revealed(self, roll: int) -> None:
        """All of a roll's entries are in sight, those that seemed hidden too."""
        self._waiting = [
            Doubt(each.seq, each.wrong, None, each.tracks) if each.roll == roll else each
            for each in self._waiting
        ]

    def end(self) -> None:
        """Say what became of every doubt."""
        first = self._unseen.first()
        for doubt in self._waiting:
            rests = doubt.tracks or doubt.roll is not None
            if rests and first is not None and first < doubt.seq:
                wrong = doubt.wrong
                why = f"cannot be told without what is not in the file: {wrong.why}"
                self._findings.unchecked(wrong.step, why, doubt.seq)
            else:
                self._fail(doubt)

    def _fail(self, doubt: Doubt) -> None:
        wrong = doubt.wrong
        self._findings.fail(wrong.step, wrong.why, doubt.seq, wrong.expected, wrong.found)
