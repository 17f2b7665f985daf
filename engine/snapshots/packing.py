"""Objects of a table's fold as bytes, and back."""

from immutables import Map
from msgspec import Struct, json
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from ...errors import Defect
from ...events.codec import RecordedEvent
from ...events.entry import Entry, EntryClass
from ...projections.corrections.dependencies import Taking
from ...projections.corrections.timeline import Moment
from ...projections.rolls import evolve
from ...projections.rollstate import Game, Outstanding, RollState
from ...projections.tables import Writing


class StoredMoment(Struct, frozen=True, array_like=True):
    """A moment as a row, as JSON: forged prices may add up to more than 64 bits."""

    seq: int
    before: dict[str, int]
    roll: int | None
    sheet: RecordedEvent | None


class StoredRoll(Struct, frozen=True, array_like=True):
    """A roll as a row: its entries, and what entries of no roll change."""

    trail: tuple[RecordedEvent, ...]
    outstanding: Outstanding | None


class StoredEntry(Struct, frozen=True, array_like=True):
    """An entry as a row; its sequence is the row's number."""

    at: int
    kind: EntryClass
    digest: bytes
    leaf: bytes
    commit: int
    salt: bytes | None
    payload: bytes | None


pack = Encoder().encode
"""The bytes of anything that has no forged numbers in it."""

unpack_numbers = Decoder(tuple[int, ...]).decode
unpack_number = Decoder(int | None).decode
unpack_writing = Decoder(Writing | None).decode
unpack_taking = Decoder(Taking).decode
_moment = json.Decoder(StoredMoment)
_roll = Decoder(StoredRoll)
_entry = Decoder(StoredEntry)


def pack_moment(moment: Moment | None) -> bytes:
    """The bytes of a moment."""
    if moment is None:
        raise Defect("a moment is never taken out")
    return json.encode(StoredMoment(moment.seq, dict(moment.before), moment.roll, moment.sheet))


def unpack_moment(body: bytes) -> Moment:
    """The moment of these bytes."""
    found = _moment.decode(body)
    return Moment(found.seq, Map(found.before), found.roll, found.sheet)


def stored_roll(roll: RollState) -> StoredRoll:
    """What is kept of a roll."""
    return StoredRoll(roll.trail, roll.outstanding)


def pack_roll(roll: RollState) -> bytes:
    """The bytes of a roll."""
    return pack(stored_roll(roll))


def unpack_roll(game: Game, body: bytes) -> RollState:
    """The roll of these bytes, folded again: its entries could be followed once."""
    return folded_roll(game, _roll.decode(body))


def folded_roll(game: Game, stored: StoredRoll) -> RollState:
    """The roll of which this was kept."""
    roll: RollState | None = None
    for entry in stored.trail:
        roll = evolve(roll, entry, game)
    if roll is None:
        raise Defect("a roll was stored without an entry")
    return replace(roll, outstanding=stored.outstanding)


def pack_entry(entry: Entry) -> bytes:
    """The bytes of an entry."""
    return pack(
        StoredEntry(
            entry.at, entry.kind, entry.digest, entry.leaf, entry.commit, entry.salt, entry.payload
        )
    )


def unpack_entry(seq: int, body: bytes) -> Entry:
    """The entry of these bytes."""
    found = _entry.decode(body)
    return Entry(
        seq, found.at, found.kind, found.digest, found.leaf, found.commit, found.salt, found.payload
    )
