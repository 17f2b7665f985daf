"""For every event the commands that may have led to it, likeliest first.

An event holds what was settled; a command, what was wished. Several wishes may be settled alike, so
these are candidates: a caller decides each and compares the events.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, takewhile
from typing import Any, TypeAlias, cast

from msgspec import NODEFAULT, Struct
from msgspec.json import decode, encode
from msgspec.structs import fields

from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.base import JSON, AdjustedDie, Face
from ...events.codec import RecordedEvent
from ...projections.rollstate import Game
from ...projections.tables import TableState
from . import commands
from .commands import AnyCommand
from .declare import json_of
from .visibility import OF_NONCES

LEFT_OUT = 3
"""Fields of a settled declaration that are left out of a wish at once, at most."""

Found: TypeAlias = Iterator[AnyCommand]

ERASED = "(erased)"
"""The text in an export where one was erased."""


WITHOUT_ASKING = (*OF_NONCES, tabled.EpochBegun)
"""Events about proofs alone: an export has scripted dice, which nobody proves."""


class Gone(Struct, frozen=True):
    """An entry whose text was erased, and the seat that erased it."""

    seq: int
    by: str

    @property
    def event(self) -> None:
        """What it was is not known."""
        return


Legible: TypeAlias = RecordedEvent | Gone
"""An entry, or a placeholder for one whose text was erased."""


class Happened(Struct, frozen=True):
    """Entries from the first that a command led to, and the table before it.

    `by` is the seat that asked; `seqs` and `rolls` give the numbers that entries and rolls have in
    the export.
    """

    before: TableState
    by: str
    records: Sequence[Legible]
    seqs: Mapping[int, int]
    rolls: Mapping[int, int]

    @property
    def event(self) -> Any:
        """The first entry's event, where it was not erased."""
        return self.records[0].event

    def roll(self, number: int) -> int:
        """A roll's number in the export."""
        return self.rolls.get(number, number)

    def seq(self, seq: int) -> int:
        """An entry's sequence in the export; that of the one before, where it is left out."""
        return max((new for old, new in self.seqs.items() if old <= seq), default=0)

    def text(self, place: int, kind: type[Struct] = tabled.Noted) -> str | None:
        """The name or note at a place from here; ERASED if one may have been erased there."""
        if place >= len(self.records):
            return None
        record = self.records[place]
        if isinstance(record, Gone):
            seat = self.before.seats.get(record.by)
            narrates = seat is not None and seat.role == "narrator"
            return ERASED if narrates or record.by == self.by else None
        if not isinstance(record.event, kind):
            return None
        return cast(str, getattr(record.event, "text", None) or getattr(record.event, "name", None))


def asked(happened: Happened) -> Found:
    """The commands that may have led to the first of these entries and some of the next."""
    yield from ASKED[type(happened.event)](happened)


def wishes(settled: JSON, kind: type[Struct], reserved: Sequence[str]) -> Iterator[JSON]:
    """The declarations or reactions that may be settled like that, the shortest first."""
    given = {
        key: value for key, value in settled.items() if value is not None and key not in reserved
    }
    usual = _usual(kind)
    short = {key: value for key, value in given.items() if value != usual.get(key, NODEFAULT)}
    yield short
    yield given
    for count in range(1, LEFT_OUT + 1):
        for left_out in combinations(short, count):
            yield {key: value for key, value in short.items() if key not in left_out}


@cache
def _usual(kind: type[Struct]) -> Mapping[str, Any]:
    """The defaults of a system's fields."""
    return {field.encode_name: _default(field) for field in fields(kind)}


def _default(field: Any) -> Any:
    """A field's default as a log has it: lists where it holds tuples."""
    made = field.default_factory
    value = field.default if made is NODEFAULT else made()
    return value if value is NODEFAULT else decode(encode(value))


def _declared(happened: Happened) -> Found:
    event: rolled.RollDeclared = happened.event
    ruleset = happened.before.game.ruleset
    follows = (happened.roll(event.follows[0]), event.follows[1]) if event.follows else None
    level = None if event.level == happened.before.level else event.level
    labels = [happened.text(1), None] if _is_label(happened) else [None]
    for wish in wishes(event.declaration, ruleset.Declaration, ruleset.settled):
        for label in labels:
            yield commands.Declare(event.character, wish, event.visibility, level, follows, label)


def _is_label(happened: Happened) -> bool:
    """Whether a note about the declaration follows it at once."""
    if len(happened.records) == 1:
        return False
    first, after = happened.records[0], happened.records[1].event
    return isinstance(after, tabled.Noted) and (after.about, after.by) == (first.seq, happened.by)


def _reacted(happened: Happened) -> Found:
    event: rolled.ReactionDeclared = happened.event
    number, who = happened.roll(event.roll), event.character
    if event.reaction is None:
        yield commands.React(number, who)
        return
    ruleset = happened.before.game.ruleset
    for wish in wishes(event.reaction, ruleset.Reaction, ruleset.settled):
        yield commands.React(number, who, wish)


def _rolled(happened: Happened) -> Found:
    event: rolled.DiceRolled = happened.event
    faces = None if event.proof is None else _faces(event.dice)
    number = happened.roll(event.roll)
    yield commands.RollDice(number, event.hand, faces=faces, option=event.option)


def _rerolled(happened: Happened) -> Found:
    event: rolled.DiceRerolled = happened.event
    number, dice = happened.roll(event.roll), tuple(dict.fromkeys(each.die for each in event.dice))
    yield commands.Reroll(number, event.hand, faces=_faces(event.dice), dice=dice)


def _faces(dice: Sequence[Any]) -> tuple[Face, ...]:
    return tuple(thrown.face for thrown in dice)


def _adjusted(happened: Happened) -> Found:
    event: rolled.DiceAdjusted = happened.event
    dice = tuple(AdjustedDie(each.die, each.face) for each in event.dice)
    yield commands.Adjust(happened.roll(event.roll), event.hand, event.means, dice)


def _voided(happened: Happened) -> Found:
    """A void; the voids of what follows its roll stand behind it, then its reason."""
    events = (record.event for record in happened.records)
    voids = sum(1 for _ in takewhile(lambda event: isinstance(event, rolled.RollVoided), events))
    reason = happened.text(voids) if voids < len(happened.records) else None
    if reason is not None:
        yield commands.Void(happened.roll(happened.event.roll), reason)


def _amended(happened: Happened) -> Found:
    yield from _amendments(happened, 0)


def _amendments(happened: Happened, place: int) -> Found:
    """The amendment at a place: the fields that it changed, or all that may be named."""
    event = cast(ruling.RollAmended, happened.records[place].event)
    reasons = (happened.text(at) for at in range(place, len(happened.records)))
    reason = next((text for text in reasons if text is not None), ERASED)
    roll, who = happened.before.rolls[event.roll].roll, event.character
    declared = roll.declaration if who == roll.character else dict(roll.reactions)[who]
    for changed in _changes(happened, json_of(declared), event.declared):
        yield commands.Amend(happened.roll(event.roll), who, changed, reason)


def _replaced(happened: Happened) -> Found:
    event: ruling.DeclarationReplaced = happened.event
    roll, reason = happened.before.rolls[event.roll].roll, happened.text(1)
    changes = list(_changes(happened, json_of(roll.declaration), event.declared))
    for changed in changes:
        yield commands.Replace(happened.roll(event.roll), changed, reason or ERASED)
    for count in range(1, LEFT_OUT + 1):
        for left_out in combinations(changes[0], count):
            fewer = {key: value for key, value in changes[0].items() if key not in left_out}
            yield commands.Replace(happened.roll(event.roll), fewer, reason or ERASED)


def _changes(happened: Happened, before: JSON, after: JSON) -> Iterator[JSON]:
    reserved = happened.before.game.ruleset.settled
    named = {key: value for key, value in after.items() if key not in reserved}
    changed = {key: value for key, value in named.items() if value != before.get(key)}
    yield changed
    yield {key: value for key, value in changed.items() if value is not None}
    yield named


def _with_reason(kind: Callable[..., AnyCommand], *words: str) -> Callable[[Happened], Found]:
    """A command about a roll with fields of the event, and for its reason the note after it."""

    def found(happened: Happened) -> Found:
        values = [getattr(happened.event, word) for word in words]
        yield kind(happened.roll(happened.event.roll), *values, happened.text(1) or ERASED)

    return found


def _same_fields(kind: Callable[..., AnyCommand], *words: str) -> Callable[[Happened], Found]:
    """A command with the event's own fields, after the roll's number where it has one."""

    def found(happened: Happened) -> Found:
        number = getattr(happened.event, "roll", None)
        about = () if number is None else (happened.roll(number),)
        yield kind(*about, *(getattr(happened.event, word) for word in words))

    return found


def _ruled(happened: Happened) -> Found:
    event: ruling.RulingMade = happened.event
    dispute, reason = happened.seq(event.dispute), happened.text(1) or ERASED
    yield commands.Rule(happened.roll(event.roll), dispute, event.ruling, reason)


def _seated(happened: Happened) -> Found:
    event: tabled.SeatTaken = happened.event
    for name in (happened.text(1, tabled.SeatNamed), None):
        yield commands.TakeSeat(event.seat, event.role, name)


def _entered(happened: Happened) -> Found:
    event: tabled.CharacterEntered = happened.event
    tracks = put(happened.before.game, event.attributes, event.tracks)
    for name in (happened.text(1, tabled.CharacterNamed), None):
        who = (event.character, event.seat, event.attributes, tracks)
        yield commands.EnterCharacter(*who, name)


def _noted(happened: Happened) -> Found:
    yield commands.Note(happened.seq(happened.event.about), happened.event.text)


def _erased(happened: Happened) -> Found:
    yield commands.Erase(happened.seq(happened.event.seq))


def _unknown(happened: Happened) -> Found:
    """Something was written here and erased since; what it was about is not known."""
    yield commands.Note(0, ERASED)


ASKED: Mapping[type, Callable[[Happened], Found]] = {
    tabled.SeatTaken: _seated,
    tabled.SeatNamed: _same_fields(commands.NameSeat, "seat", "name"),
    tabled.SeatLeft: _same_fields(commands.LeaveSeat, "seat"),
    tabled.CharacterEntered: _entered,
    tabled.CharacterNamed: _same_fields(commands.NameCharacter, "character", "name"),
    tabled.CharacterGiven: _same_fields(commands.GiveCharacter, "character", "seat"),
    tabled.TrackSet: _same_fields(commands.SetTrack, "character", "track", "value"),
    tabled.WitnessingSet: _same_fields(commands.SetWitnessing, "seconds", "withheld"),
    tabled.Noted: _noted,
    tabled.EntryErased: _erased,
    rolled.RollDeclared: _declared,
    rolled.ReactionDeclared: _reacted,
    rolled.DiceRolled: _rolled,
    rolled.DiceRerolled: _rerolled,
    rolled.DiceAdjusted: _adjusted,
    rolled.DiceFrozen: _same_fields(commands.Freeze, "hand", "dice"),
    rolled.ChoiceMade: _same_fields(commands.Choose, "choice", "option"),
    rolled.RollResolved: _same_fields(commands.Resolve),
    rolled.DamageApplied: _same_fields(commands.ApplyDamage),
    rolled.RollVoided: _voided,
    rolled.RollRevealed: _same_fields(commands.Reveal),
    rolled.ThrowConfirmed: _same_fields(commands.Confirm, "throw"),
    ruling.RollAmended: _amended,
    ruling.DeclarationVetoed: _with_reason(commands.Veto),
    ruling.DeclarationReplaced: _replaced,
    ruling.FlavourNamed: _same_fields(commands.Flavour, "hand", "words", "tone"),
    ruling.FateDecided: _same_fields(commands.DecideFate, "fate", "part"),
    ruling.DisputeRaised: _with_reason(commands.Dispute),
    ruling.RulingMade: _ruled,
    type(None): _unknown,
}
"""What may have been asked, by what happened."""


def put(game: Game, attributes: Mapping[str, int], tracks: Mapping[str, int]) -> dict[str, int]:
    """The tracks that were put to their value, not left where the system starts them."""
    found: dict[str, int] = {}
    for name, track in game.tracks.items():
        value = tracks.get(name, track.least)
        start = attributes.get(track.start, 0) if isinstance(track.start, str) else track.start
        most = start if track.most is None else min(track.most, start)
        if value != max(track.least, most):
            found[name] = value
    return found
