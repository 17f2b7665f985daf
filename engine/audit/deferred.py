"""What seems wrong, and rests on entries that are not disclosed, waits for the end of the file.

Hidden entries may be withheld, and in the bundle of one roll most entries are missing. What they
did to tracks and rolls is not known. By the end the roll may have been revealed; else it is not
checked.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from .difference import Wrong
from .report import Remark, Word

Kind: TypeAlias = Literal["withheld", "missing", "lost"]


class Finding(Struct, frozen=True):
    """What seems wrong at entry `seq`, and what it rests on.

    `roll` is the hidden roll that it rests on, None for none; `tracks`: it rests on tracks.
    """

    seq: int
    wrong: Wrong
    roll: int | None = None
    tracks: bool = False


class Undisclosed:
    """The first entry of each kind that could not be read; `revealed` are the rolls that were.

    One that is `withheld` is no text, and there without its payload: it changed no track, for a
    hidden roll costs and gains nothing before its reveal. From one that is `missing` on entries are
    not in the file. One that is `lost` could not be followed, and its effect is unknown.
    """

    def __init__(self) -> None:
        self.firsts: dict[Kind, int] = {}
        self.revealed: set[int] = set()

    def note(self, kind: Kind, seq: int) -> None:
        """Entry `seq` is of that kind."""
        self.firsts.setdefault(kind, seq)

    @property
    def of_tracks(self) -> int | None:
        """The first entry that may have changed a track and was not disclosed."""
        return min((seq for kind, seq in self.firsts.items() if kind != "withheld"), default=None)

    def decided(self, findings: list[Finding]) -> Iterator[Remark]:
        """Every finding at the end: it is wrong, or it cannot be checked."""
        first, of_tracks = min(self.firsts.values(), default=None), self.of_tracks
        for each in findings:
            rests = [first] if each.roll is not None and each.roll not in self.revealed else []
            rests += [of_tracks] if each.tracks else []
            word: Word = "wrong"
            why = each.wrong.why
            if any(seq is not None and seq < each.seq for seq in rests):
                word = "unchecked"
                why = f"cannot be decided without what is not in the file: {why}"
            shown = (each.wrong.expected, each.wrong.found) if word == "wrong" else (None, None)
            yield Remark(word, why, each.seq, *shown)
