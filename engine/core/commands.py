"""What a seat may ask for: one frozen Struct a command, tagged with its name and version.

A command is what somebody wants; an event is what happened. Commands about a roll carry the
trigger they fire in the roll's state machine. A field that holds its default is not written. It
holds no text for people, but the hash of one (`text`), which comes with it: see `worded`.
"""

import secrets
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from ...events.asked import Text, checked_text
from ...events.base import JSON, AdjustedDie, Level, Role, Visibility
from ...events.ruling import Ruling
from .limits import (
    DICE,
    LABELLED,
    NAME,
    NEW_NAME,
    NOTE,
    REASON,
    Count,
    DieIds,
    Faces,
    Hex64,
    Id,
    Label,
    Number,
    Rating,
    RollNumber,
    SeatKey,
    Seats,
    Seq,
    TableId,
    TextRule,
    Word,
    Words,
)


class Command(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="do"):
    """Something a seat asks for; `text_rule` is None where no text comes with it."""

    text_rule: ClassVar[TextRule | None] = None


class OpenTable(Command, frozen=True, tag="open/2"):
    """Open a table: the seat that asks becomes its first narrator.

    At a table of `one_machine` one program plays every seat: no throw is at level `table`.
    """

    table: TableId
    ruleset: Label
    options: JSON = {}
    source: Label = "fair"
    level: Level = "player"
    one_machine: bool = False


class TakeSeat(Command, frozen=True, tag="take-seat/2"):
    """Let a person take a seat, a narrator's to ask; or take a key for one's own seat.

    With `key`, an Ed25519 public key in base64, `seat` is the one that asks, and it keeps its role.
    Every command of a seat with a key is signed with it; that which takes its first key is signed
    with that one, and that which takes another with the one before.
    """

    text_rule: ClassVar[TextRule | None] = NAME

    seat: Id
    role: Role = "player"
    key: SeatKey | None = None
    text: Hex64 | None = None


class NameSeat(Command, frozen=True, tag="name-seat/1"):
    """Name the person on a seat; the seat itself or a narrator."""

    text_rule: ClassVar[TextRule | None] = NEW_NAME

    seat: Id
    text: Hex64 | None = None


class NameTable(Command, frozen=True, tag="name-table/1"):
    """Name the table, as people call it beside its id; a narrator's."""

    text_rule: ClassVar[TextRule | None] = NEW_NAME

    text: Hex64 | None = None


class SetTable(Command, frozen=True, tag="set-table/1"):
    """Give the table a setting, or take it back with null; a narrator's. See `SETTINGS`."""

    name: Word
    value: Any


class LeaveSeat(Command, frozen=True, tag="leave-seat/1"):
    """Leave a seat; the seat itself or a narrator. The last narrator stays."""

    seat: Id


class AnchorShares(Command, frozen=True, tag="anchor-shares/1"):
    """Publish the anchor of one's chain of shares, x_0: throws at level `table` may ask for them.

    Once for a seat; again on another device, when a chain is used up, and after an epoch.
    """

    anchor: Hex64


class EnterCharacter(Command, frozen=True, tag="enter/1"):
    """Bring a character to the table, a player only one of its own; ratings may be halves (7.5)."""

    text_rule: ClassVar[TextRule | None] = NAME

    character: Id
    seat: Id
    attributes: Mapping[Word, Rating] = {}
    tracks: dict[Word, Number] = {}
    text: Hex64 | None = None


class NameCharacter(Command, frozen=True, tag="name/1"):
    """Name a character; its owner or a narrator."""

    text_rule: ClassVar[TextRule | None] = NEW_NAME

    character: Id
    text: Hex64 | None = None


class GiveCharacter(Command, frozen=True, tag="give/1"):
    """Hand a character to another seat; its owner or a narrator."""

    character: Id
    seat: Id


class RemoveCharacter(Command, frozen=True, tag="remove/1"):
    """Take away a character that acts in no roll; its owner or a narrator. Its id stays taken."""

    character: Id


class SetTrack(Command, frozen=True, tag="set-track/1"):
    """Set a track to a value; a narrator's."""

    character: Id
    track: Word
    value: Number


class SetAttribute(Command, frozen=True, tag="set-attribute/1"):
    """Set a rating of a character from here on; a narrator's."""

    character: Id
    attribute: Word
    value: Rating


class SetReading(Command, frozen=True, tag="set-reading/1"):
    """Give a reading another value for rolls declared from here on; a narrator's, with a reason."""

    text_rule: ClassVar[TextRule | None] = REASON

    name: Word
    value: Any
    text: Hex64 | None = None


class Note(Command, frozen=True, tag="note/1"):
    """Write a note about an entry of the log."""

    text_rule: ClassVar[TextRule | None] = NOTE

    about: Seq
    text: Hex64 | None = None


class Erase(Command, frozen=True, tag="erase/1"):
    """Erase a text, which is entry `seq`: its writer, or a narrator."""

    seq: Seq


class BeginEpoch(Command, frozen=True, tag="begin-epoch/1"):
    """Go on with a restored log under a new secret; a narrator's, and the host's to carry out."""


class RollCommand(Command, frozen=True):
    """A command about roll number `roll`."""

    trigger: ClassVar[str] = ""

    roll: RollNumber


class Declare(Command, frozen=True, tag="declare/1"):
    """Declare a roll of one's own character; `follows` is (roll, link) of one that offers it.

    `level` is the table's or a higher one, and holds for every throw of the roll. Where it is left
    out, a fair throw is at level `table` while another seat has an anchor, but at a table of level
    `server`; else at the table's.
    """

    trigger: ClassVar[str] = "declare"
    text_rule: ClassVar[TextRule | None] = LABELLED

    character: Id
    declaration: JSON
    visibility: Visibility = "public"
    level: Level | None = None
    follows: tuple[RollNumber, Word] | None = None
    text: Hex64 | None = None


class React(RollCommand, frozen=True, tag="react/1"):
    """Answer a declaration; without a reaction the character declines."""

    trigger: ClassVar[str] = "react"

    character: Id
    reaction: JSON | None = None


class Throw(RollCommand, frozen=True):
    """What every throw needs.

    `committed` is the sequence of the commitment it answers and `nonce` the roller's part, 64 hex
    digits; both where dice are fair and the level asks for them. `faces` are typed for scripted and
    physical dice, one for each die, one more for each that is thrown again at once.
    """

    hand: Word
    committed: Seq | None = None
    nonce: Hex64 | None = None
    faces: Faces | None = None


class RollDice(Throw, frozen=True, tag="roll/1"):
    """Throw a hand for the first time; `option`: how many dice, where the offer leaves it open."""

    trigger: ClassVar[str] = "roll"

    option: Count | None = None


class Freeze(RollCommand, frozen=True, tag="freeze/1"):
    """Freeze exactly these dice of a hand and no others."""

    trigger: ClassVar[str] = "freeze"

    hand: Word
    dice: DieIds


class Reroll(Throw, frozen=True, kw_only=True, tag="reroll/1"):
    """Throw some unfrozen dice of a hand again."""

    trigger: ClassVar[str] = "reroll"

    dice: DieIds


class Adjust(RollCommand, frozen=True, tag="adjust/1"):
    """Adjust dice: `dice` is the complete set that shows another face than after the last throw."""

    trigger: ClassVar[str] = "adjust"

    hand: Word
    means: Word
    dice: Annotated[tuple[AdjustedDie, ...], Meta(max_length=DICE)]


class Choose(RollCommand, frozen=True, tag="choose/1"):
    """Take one of the options offered under the name `choice`; final."""

    trigger: ClassVar[str] = "adjust"

    choice: Word
    option: Word


class Resolve(RollCommand, frozen=True, tag="resolve/1"):
    """Announce the outcome."""

    trigger: ClassVar[str] = "resolve"


class ApplyDamage(RollCommand, frozen=True, tag="apply_damage/1"):
    """Apply the damage of a resolved roll."""

    trigger: ClassVar[str] = "apply_damage"


class Reveal(RollCommand, frozen=True, tag="reveal/1"):
    """Reveal a hidden roll to everybody."""

    trigger: ClassVar[str] = "reveal"


class Confirm(RollCommand, frozen=True, tag="confirm/1"):
    """Confirm the typed faces of a throw of physical dice, as another seat than typed them."""

    trigger: ClassVar[str] = "confirm"

    throw: Seq


class Ask(RollCommand, frozen=True, tag="ask/1"):
    """Throw at level `table`: ask for one share of each of these seats, one's own among them.

    `hand`, `option` and `committed` are those of the throw; `dice` are those that are thrown again,
    None for the first throw of a hand. The dice fall once every seat asked has opened its share.
    """

    trigger: ClassVar[str] = "ask"

    hand: Word
    committed: Seq
    asked: Seats
    option: Count | None = None
    dice: DieIds | None = None


class OpenShare(RollCommand, frozen=True, tag="open_share/1"):
    """Open one's share of the throw that the table waits for: the link that the ask names."""

    trigger: ClassVar[str] = "open_share"

    share: Hex64


class BreakThrow(RollCommand, frozen=True, tag="break_throw/1"):
    """Break off the throw that the table waits for, 10 seconds (by post hours) after it asked."""

    trigger: ClassVar[str] = "break_throw"


class Veto(RollCommand, frozen=True, tag="veto/1"):
    """Refuse a declaration before the first throw; a narrator's, with a reason."""

    trigger: ClassVar[str] = "veto"
    text_rule: ClassVar[TextRule | None] = REASON

    text: Hex64 | None = None


class Withdraw(RollCommand, frozen=True, tag="withdraw/1"):
    """Take one's own declaration back, before anybody reacted or threw."""

    trigger: ClassVar[str] = "withdraw"


class Replace(RollCommand, frozen=True, tag="replace/1"):
    """Replace fields of a declaration before the first throw; a narrator's, with a reason."""

    trigger: ClassVar[str] = "replace"
    text_rule: ClassVar[TextRule | None] = REASON

    fields: JSON
    text: Hex64 | None = None


class Amend(RollCommand, frozen=True, tag="amend/2"):
    """Correct fields of what `character` declared; a narrator's, with a reason.

    Where a ruling was made on the roll, `against` is the entry of the latest one.
    """

    trigger: ClassVar[str] = "amend"
    text_rule: ClassVar[TextRule | None] = REASON

    character: Id
    fields: JSON
    against: Seq | None = None
    text: Hex64 | None = None


class Void(RollCommand, frozen=True, tag="void/3"):
    """Void a roll, which then counts for nothing; a narrator's, with a reason.

    Where a ruling was made on the roll, `against` is the entry of the latest one. What follows the
    roll is voided with it, and its rulings need not be named.
    """

    trigger: ClassVar[str] = "void"
    text_rule: ClassVar[TextRule | None] = REASON

    against: Seq | None = None
    text: Hex64 | None = None


class Dispute(RollCommand, frozen=True, tag="dispute/1"):
    """Dispute a roll, with a reason.

    A participant of a blind roll may dispute it too, and sees of it no more than before: its
    narrators read why.
    """

    trigger: ClassVar[str] = "dispute"
    text_rule: ClassVar[TextRule | None] = REASON

    text: Hex64 | None = None


class Rule(RollCommand, frozen=True, tag="rule/3"):
    """Decide the dispute that entry `dispute` raised, and do it; a narrator's, with a reason.

    The roll stands. Or it is amended: `character` and `fields` are as `Amend` has them. Or voided.
    A `replay` is a void, and the same declaration again, settled on the sheet as it is then. All
    but `stands` need `against` where `Amend` and `Void` do.
    """

    trigger: ClassVar[str] = "rule"
    text_rule: ClassVar[TextRule | None] = REASON

    dispute: Seq
    ruling: Ruling
    character: Id | None = None
    fields: JSON | None = None
    against: Seq | None = None
    text: Hex64 | None = None


class Flavour(RollCommand, frozen=True, tag="flavour/1"):
    """Name words that the final dice of a hand spell, for the story."""

    trigger: ClassVar[str] = "flavour"

    hand: Word
    words: Words
    tone: Word = "harmless"


class DecideFate(RollCommand, frozen=True, tag="fate/1"):
    """Decide what applied damage did beyond its numbers; a narrator's."""

    trigger: ClassVar[str] = "fate"

    fate: Literal["killed", "destroyed", "spared"]
    part: Word | None = None


TableCommand: TypeAlias = (
    TakeSeat | NameSeat | NameTable | SetTable | LeaveSeat | EnterCharacter | NameCharacter
    | GiveCharacter | RemoveCharacter | SetTrack | SetAttribute | SetReading | AnchorShares | Note
    | Erase | BeginEpoch
)  # fmt: skip
"""Every command to an open table that is about no roll."""

AnyThrow: TypeAlias = RollDice | Reroll

AnyRollCommand: TypeAlias = (
    React | RollDice | Freeze | Reroll | Adjust | Choose | Resolve | ApplyDamage | Amend | Void
    | Ask | OpenShare | BreakThrow | Reveal | Dispute | Rule | Withdraw | Veto | Replace | Flavour
    | DecideFate | Confirm
)  # fmt: skip
"""Every command about a roll that was declared."""

AnyCommand: TypeAlias = OpenTable | TableCommand | Declare | AnyRollCommand
"""Every command. Refusals list them in this order."""


class Worded(Struct, frozen=True):
    """A command that holds the hash of a text, and the text, which comes with it."""

    command: AnyCommand
    text: Text


Asking: TypeAlias = AnyCommand | Worded
"""What a seat submits: a command, or one with its text."""


def worded(command: Any, words: str, salt: str | None = None) -> Worded:
    """The command with the hash of these words, and the words.

    A fresh salt is drawn unless one is given. To ask again under the same request id, send the same
    object: another salt makes another command. Raises Refused("malformed") for what is no UTF-8.
    """
    text = checked_text(Text(secrets.token_hex(16) if salt is None else salt, words))
    return Worded(replace(command, text=text.hash) if command.text_rule else command, text)


def apart(asking: Asking) -> tuple[AnyCommand, Text | None]:
    """The command, and the text that comes with it. Raises Refused("malformed") for no text."""
    if isinstance(asking, Worded):
        return asking.command, checked_text(asking.text)
    return asking, None
