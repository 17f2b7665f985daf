"""Every bound of what a command may bring is here; all are checked before dice are thrown."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple, TypeAlias

from msgspec import Meta

from ...events.base import Face
from ...events.throw import FORMS

LABEL = 200
"""Characters in a name or label."""

WORD = 60
"""Characters in any other word of a command: a rating, a modifier, a hand. They belong to the game
and are never erased."""

TEXT = 4_000
"""Characters in a reason or a note."""

DICE = 1_000
"""Dice in one throw."""

PAYLOAD = 64 * 1024
"""Bytes of one event."""

NUMBER = 1_000_000
"""Size of any number in a command, either way."""

CHAIN = 100
"""Rolls that follow one another."""

SEATS = 100
"""Seats at a table."""

CHARACTERS = 1_000
"""Characters at a table, without those that were taken away."""

REMOVED = 1_000
"""Characters taken away that one seat brought. A table knows them for ever: where one seat brings
and takes away without end, it alone is stopped."""


class TextRule(NamedTuple):
    """What the text of a command is: what it is called, its characters at most, whether it must be.

    There are names, labels, reasons and notes.
    """

    name: str
    most: int
    needed: bool


NAME = TextRule("name", LABEL, needed=False)
NEW_NAME = TextRule("name", LABEL, needed=True)
LABELLED = TextRule("label", LABEL, needed=False)
REASON = TextRule("reason", TEXT, needed=True)
NOTE = TextRule("text", TEXT, needed=True)


def _whole(form: str) -> str:
    """The pattern of a text that is of this form from its start to its end."""
    pattern, _ = FORMS[form]
    return rf"^{pattern}\Z"


FORM_OF: Mapping[str, str] = {_whole(form): words for form, (_, words) in FORMS.items()}
"""Pattern of a field -> the form of its texts in words."""

Id: TypeAlias = Annotated[str, Meta(pattern=_whole("seat"))]
"""A seat's or a character's id."""

TableId: TypeAlias = Annotated[str, Meta(pattern=_whole("table id"))]
"""A table's id."""

Label: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LABEL)]
Word: TypeAlias = Annotated[str, Meta(min_length=1, max_length=WORD)]
Number: TypeAlias = Annotated[int, Meta(ge=-NUMBER, le=NUMBER)]
Rating: TypeAlias = Number | Annotated[float, Meta(ge=-NUMBER, le=NUMBER)]
"""A number on a sheet; what fractions it may have is the table's to say: halves, or none."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=NUMBER)]
Hex64: TypeAlias = Annotated[str, Meta(pattern=_whole("nonce"))]
"""32 bytes as lower-case hex."""

SeatKey: TypeAlias = Annotated[str, Meta(pattern=_whole("seat key"))]
"""A seat's public key, 32 bytes in base64; whether it may be one is for `events.keys`."""

DieIds: TypeAlias = Annotated[tuple[Word, ...], Meta(max_length=DICE)]

RollNumber: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000_000)]
"""A roll's number, counted from 1 in its table."""

Seq: TypeAlias = Annotated[int, Meta(ge=0)]
"""An entry's sequence number, counted from 0 in its table."""

Faces: TypeAlias = Annotated[tuple[Face, ...], Meta(max_length=DICE)]
Seats: TypeAlias = Annotated[tuple[Id, ...], Meta(max_length=SEATS)]
Words: TypeAlias = Annotated[tuple[Word, ...], Meta(min_length=1, max_length=20)]

NARRATOR = "narrator"
"""The seat that opens a table made here."""

TEXT_FIELDS = ("name", "label", "reason", "text")
"""Keys with texts for people: a character's name in them is never read as its id."""
