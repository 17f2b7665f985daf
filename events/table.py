"""What happened at a table outside its rolls: seats, characters, tracks, texts, erasures, epochs.

A text is an event of its own, the last of its commit, so that erasing it leaves all else as it was.
"""

from typing import Any, TypeAlias

from msgspec import Struct, field

from .base import JSON, EventBase, Face, Level, Role

COUNTED = 5
"""The `core` from which on an opening has the faces of its dice, a reveal counts its entries, and
level `table` is due for every fair throw while another seat can be asked."""

SPENT = 6
"""The `core` from which on an outcome is announced with what tracks really took of it, no more, and
an amendment takes from the sheet what that says of the fields that are amended."""


class TableOpened(EventBase, frozen=True, tag="table-opened/3"):
    """The first event of every table.

    `ruleset`, `version` and `options` say which rules hold: the system's name, the version of its
    code, and the value of every reading; `core` the version of the rules that are no system's, of
    what a command leads to. `source` is where faces come from (`fair`, `seeded:SEED`,
    `scripted`, `manual`); `level` is the least trust level of throws where a declaration names
    none. At a table of `one_machine` one program plays every seat: its throws are at level `player`
    at most, and nobody is protected from the owner of that machine. `faces` are those of every kind
    of die that does not show 1 to n, in the order in which draws number them: so no reader needs to
    know the system. A kind dN that is not among them shows 1 to N.
    """

    table: str
    ruleset: str
    version: int
    options: JSON
    source: str
    level: Level
    core: int
    one_machine: bool = False
    faces: dict[str, tuple[Face, ...]] = field(default_factory=dict)


class SeatTaken(EventBase, frozen=True, tag="seat-taken/2"):
    """A person took a seat. `by` is a narrator's seat; or the seat's own, which takes a key.

    `key` is an Ed25519 public key in base64: every command of the seat from this one on is signed
    with it, until another one takes its place by a command that the old one signed.
    """

    seat: str
    role: Role
    key: str | None = None


class SeatNamed(EventBase, frozen=True, tag="seat-named/1"):
    """The person on a seat was named; the name is the text behind this."""

    seat: str


class SeatLeft(EventBase, frozen=True, tag="seat-left/1"):
    """A person left; the seat's characters wait for another owner."""

    seat: str


class CharacterEntered(EventBase, frozen=True, tag="character-entered/1"):
    """A character came to the table, owned by `seat`.

    `attributes` are ratings by name (attributes and skills alike), halves as 7.5; `tracks` hold the
    value of every track that does not start at 0.
    """

    character: str
    seat: str
    attributes: dict[str, int | float]
    tracks: dict[str, int]


class CharacterNamed(EventBase, frozen=True, tag="character-named/1"):
    """A character was named; the name is the text behind this."""

    character: str


class CharacterGiven(EventBase, frozen=True, tag="character-given/1"):
    """A character was handed to another seat, which acts for it from here on."""

    character: str
    seat: str


class CharacterRemoved(EventBase, frozen=True, tag="character-removed/1"):
    """A character was taken away; its id is never used again.

    It goes on only in the rolls that it was part of, where a narrator may act for it as well.
    """

    character: str


class TrackSet(EventBase, frozen=True, tag="track-set/1"):
    """A narrator set a track: armour put on, a wound healed."""

    character: str
    track: str
    value: int


class AttributeSet(EventBase, frozen=True, tag="attribute-set/1"):
    """A narrator set a rating of a character: a skill learnt, an attribute drained.

    It holds from here on: what was settled, thrown or done before keeps the rating that it had.
    """

    character: str
    attribute: str
    value: int | float


class ReadingSet(EventBase, frozen=True, tag="reading-set/1"):
    """A narrator gave a reading of the rules another value; the reason is the text behind this.

    `faces` are those of the kinds of dice that it changes, or adds: they hold in rolls that are
    declared later, beside those of the opening.
    """

    name: str
    value: Any
    faces: dict[str, tuple[Face, ...]] = field(default_factory=dict)


class TableSet(EventBase, frozen=True, tag="table-set/1"):
    """A setting of the table was given a value, one that is no rule: its name, say."""

    name: str
    value: Any


class ShareAnchored(EventBase, frozen=True, tag="share-anchored/1"):
    """A seat published the anchor of a chain of shares, x_0, 64 hex digits.

    Throws at level `table` may ask it for the next link of this chain, and for none of an earlier
    one any more.
    """

    anchor: str


class Noted(EventBase, frozen=True, tag="noted/1"):
    """A note was written about the entry `about`; its words are the text behind this."""

    about: int


class TextSaid(EventBase, frozen=True, tag="text-said/1"):
    """The text of a commit, its last entry: a name, a label, a reason or a note.

    `salt` (32 hex digits) and `text` fit the hash in the command that the commit answers. Alone of
    all events it can be erased.
    """

    salt: str
    text: str


class EntryErased(EventBase, frozen=True, tag="entry-erased/1"):
    """Salt and payload of entry `seq`, a text, were removed. The tree still verifies."""

    seq: int


class Recommitted(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A fresh commitment for the outstanding throw of a live roll."""

    roll: int
    throw: int
    commit: str


class EpochBegun(EventBase, frozen=True, tag="epoch-begun/1"):
    """The log goes on from a backup under a new table secret; epochs count from 1.

    `commits` replaces the outstanding commitment of every live roll.
    """

    epoch: int
    commits: tuple[Recommitted, ...]


TableEvent: TypeAlias = (
    TableOpened
    | SeatTaken
    | SeatNamed
    | SeatLeft
    | CharacterEntered
    | CharacterNamed
    | CharacterGiven
    | CharacterRemoved
    | TrackSet
    | AttributeSet
    | ReadingSet
    | TableSet
    | ShareAnchored
    | Noted
    | TextSaid
    | EntryErased
    | EpochBegun
)
"""Every event that belongs to no roll."""
