"""Who may see what of a roll, and an entry as a seat may have it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ...errors import Refused
from ...events.codec import Event
from ...events.entry import HIDDEN, Entry, withhold
from ...projections.hidden import ALWAYS_OPEN
from ...projections.rollstate import Outstanding, RollState
from ...projections.tables import TableState

VisiblePart: TypeAlias = Literal["nothing", "declaration", "everything"]
"""How much of a roll a seat may see."""

OPEN: tuple[str, ...] = ("open_share", "break_throw")
"""Triggers that need no sight of the roll: what they are about is open in every roll."""


def participants(table: TableState, roll: RollState) -> frozenset[str]:
    """The seats of the characters that a roll involves."""
    return frozenset(table.characters[id].seat for id in involved(table, roll))


def involved(table: TableState, roll: RollState) -> frozenset[str]:
    """The characters of a roll: its roller, named ones, those that react."""
    named = table.game.ruleset.involves(roll.roll.declaration)
    who = {roll.roll.character, *named, *(character for character, _ in roll.roll.reactions)}
    return frozenset(id for id in who if id in table.characters)


def visible_part(table: TableState, seat: str, roll: RollState) -> VisiblePart:
    """How much of the roll the seat may see now."""
    if not roll.hidden:
        return "everything"
    if seat not in table.seats or not table.seats[seat].here:
        return "nothing"
    narrates = table.seats[seat].role == "narrator"
    # Of a blind roll an amendment is hidden, and so is whom it names.
    takes_part = seat in participants(table, table.hidden.blind.get(roll.number, roll))
    found: Mapping[str, VisiblePart] = {
        "gm": "everything" if narrates or takes_part else "nothing",
        "blind": "everything" if narrates else "declaration" if takes_part else "nothing",
        "self": "everything" if seat == roll.seat else "nothing",
    }
    return found[roll.visibility]


def must_see(table: TableState, seat: str, roll: RollState, *, dice: bool = True) -> None:
    """Refuse with "not-seen" a seat that may not see the roll, or with `dice` not its dice."""
    seen = visible_part(table, seat, roll)
    if seen == "nothing" or (dice and seen == "declaration"):
        raise Refused(
            "not-seen",
            f"seat {seat!r} may not see roll {roll.number}, which is hidden",
            allowed=["after it is revealed"],
        )


def outstanding_for(table: TableState, seat: str, roll: RollState) -> Outstanding | None:
    """The commitment that a seat's next throw of the roll answers, as the seat may know it.

    Of a blind roll its thrower sees the first one alone, and names that one for every throw: later
    ones are in entries that are sealed to it.
    """
    blind = table.hidden.blind.get(roll.number)
    if blind is None or visible_part(table, seat, roll) != "declaration":
        return roll.outstanding
    return None if roll.outstanding is None else blind.outstanding


def must_know(table: TableState, seat: str, roll: RollState, trigger: str) -> None:
    """Refuse with "not-seen" a seat that may not even learn what state the roll is in.

    A seat that was asked for a share needs to see nothing of the roll; nor does anybody who breaks
    its throw off.
    """
    waits = table.ask is not None and table.ask.roll == roll.number
    if not (waits and trigger in OPEN):
        must_see(table, seat, roll, dice=False)


def hidden(table: TableState, event: Event, roll: RollState | None) -> bool:
    """Whether an event's entry is sealed as hidden; `roll` is its own, or the one it is about."""
    return roll is not None and roll.hidden and not isinstance(event, ALWAYS_OPEN)


def redacted(table: TableState, seat: str, entry: Entry) -> Entry:
    """The entry as the seat may have it: whole, or without salt and payload."""
    if entry.kind not in HIDDEN or may_have(table, seat, entry.seq):
        return entry
    return withhold(entry)


def may_have(table: TableState, seat: str, seq: int) -> bool:
    """Whether the seat may have the payload of a hidden entry; of one that is about no roll, no."""
    roll = roll_about(table, seq)
    if roll is None:
        return False
    entries = table.hidden.entries.get(roll.number)
    declared = entries is not None and seq in entries.declared
    return shows(visible_part(table, seat, roll), declared=declared)


def shows(part: VisiblePart, *, declared: bool) -> bool:
    """Whether who may see so much of a roll may have an entry of it, a `declared` one or not."""
    return part == "everything" or (part == "declaration" and declared)


def roll_about(table: TableState, seq: int) -> RollState | None:
    """The roll that entry `seq` belongs to, or is a text about, or a text on such a text."""
    number = table.entry_rolls.get(seq)
    return None if number is None else table.rolls.get(number)
