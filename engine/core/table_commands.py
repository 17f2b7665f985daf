"""What a seat may ask of a table outside its rolls: seats, characters, tracks, names, notes."""

from typing import TypeAlias

from msgspec import Struct

from ...events.base import JSON, Level, Role, Withheld
from .limits import Count, Id, Label, Number, Seconds, Seq, TableId, Text


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """Something a seat asks for."""


class OpenTable(Command, frozen=True, tag="open"):
    """Open a table: the seat that asks becomes its first narrator."""

    table: TableId
    ruleset: Label
    options: JSON = {}
    source: Label = "fair"
    level: Level = "player"


class TakeSeat(Command, frozen=True, tag="take-seat"):
    """Let a person take a seat; a narrator's to ask, or the first narrator's own."""

    seat: Id
    role: Role = "player"
    name: Label | None = None


class NameSeat(Command, frozen=True, tag="name-seat"):
    """Name the person on a seat; the seat itself or a narrator."""

    seat: Id
    name: Label


class LeaveSeat(Command, frozen=True, tag="leave-seat"):
    """Leave a seat; the seat itself or a narrator. The last narrator stays."""

    seat: Id


class EnterCharacter(Command, frozen=True, tag="enter"):
    """Bring a character to the table. A player brings only characters of its own."""

    character: Id
    seat: Id
    attributes: dict[Label, Number] = {}
    tracks: dict[Label, Count] = {}
    name: Label | None = None


class NameCharacter(Command, frozen=True, tag="name"):
    """Name a character; its owner or a narrator."""

    character: Id
    name: Label


class GiveCharacter(Command, frozen=True, tag="give"):
    """Hand a character to another seat; its owner or a narrator."""

    character: Id
    seat: Id


class SetTrack(Command, frozen=True, tag="set-track"):
    """Set a track by hand; a narrator's."""

    character: Id
    track: Label
    value: Count


class SetWitnessing(Command, frozen=True, tag="set-witnessing"):
    """Set how throws at level `table` are waited for; a narrator's.

    `seconds` is the time that the seats asked have, and then the roller; `withheld` says whether a
    roll whose roller does not throw is voided. A throw whose nonce is bound already is not touched.
    """

    seconds: Seconds
    withheld: Withheld = "void"


class Note(Command, frozen=True, tag="note"):
    """Write a note about an entry of the log."""

    about: Seq
    text: Text


class Erase(Command, frozen=True, tag="erase"):
    """Erase a name or a note: whoever wrote it, or a narrator."""

    seq: Seq


TableCommand: TypeAlias = (
    TakeSeat
    | NameSeat
    | LeaveSeat
    | EnterCharacter
    | NameCharacter
    | GiveCharacter
    | SetTrack
    | SetWitnessing
    | Note
    | Erase
)
"""Every command to an open table that is about no roll."""
