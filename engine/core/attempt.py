"""An attempt is one seat's command to one roll, as guards see it before anything is decided."""

from collections.abc import Callable
from typing import TypeAlias

from ...errors import Defect, Refused
from ...projections.rollstate import RollState
from ...projections.tables import Character, Seat, TableState
from ...rules.ruleset import Offer
from .commands import AnyCommand, Declare, RollCommand
from .parse import shown

CommandAt: TypeAlias = Callable[[int], AnyCommand]
"""The command behind the commit that begins with that entry, as the log has it."""


def unknown_command(seq: int) -> AnyCommand:
    """Where nobody says what a log holds. Raises Defect."""
    raise Defect(f"the command behind entry {seq} is not known here")


class Attempt:
    """One command about a roll, and what its guards look at.

    `trigger` is the command's unless another is given. `state` is the roll's, and the machine moves
    it; `roll` is None for a declaration. `now` is in milliseconds since 1970, by default the time
    of the table's latest entry. `offer` is the one that the command takes up, once a guard has
    found it. An attempt that `only_asks` has a bare RollCommand: its `offers` are then all that the
    seat could take up. `command_at` gives earlier commands, for an amendment.
    """

    __slots__ = (
        *("command", "command_at", "now", "offer", "offers"),
        *("roll", "seat", "state", "table", "trigger"),
    )

    def __init__(
        self,
        table: TableState,
        seat: str,
        command: RollCommand | Declare,
        roll: RollState | None,
        trigger: str = "",
        *,
        now: int | None = None,
        command_at: CommandAt = unknown_command,
    ) -> None:
        self.table = table
        self.seat = seat
        self.command = command
        self.trigger = trigger or command.trigger
        self.roll = roll
        self.now = table.at if now is None else now
        self.command_at = command_at
        self.offer: Offer | None = None
        self.offers: tuple[Offer, ...] = ()
        self.state = roll.state if roll else "new"

    @property
    def only_asks(self) -> bool:
        """Whether this asks what is possible, and nothing is to be decided."""
        return type(self.command) is RollCommand

    @property
    def named(self) -> str:
        """The roll's name in a refusal."""
        return f"roll {self.roll.number}" if self.roll else "a new roll"

    @property
    def number(self) -> int:
        """The roll's number; 0 for a new one."""
        return self.roll.number if self.roll else getattr(self.command, "roll", 0)

    @property
    def known_offer(self) -> Offer:
        """The offer that the command takes up. Raises Defect before a guard has found it."""
        if self.offer is None:
            raise Defect(f"{self.command.trigger} was decided before any offer was found for it")
        return self.offer

    @property
    def known_roll(self) -> RollState:
        """The roll. Raises Refused("unknown") where there is none."""
        if self.roll is None:
            raise Refused("unknown", "this command needs a declared roll")
        return self.roll


def roll_of(table: TableState, number: int, seat: str = "") -> RollState:
    """Roll `number` of the table, for a seat if one is given.

    Raises Refused: "unknown" where there is none, "not-seen" where this view of it has none.
    """
    roll = table.rolls.get(number)
    if roll is None:
        if table.withheld and number > 0:
            who = f"seat {seat!r} sees" if seat else "this view has"
            why = f"{who} no roll {number}: it is hidden, or not declared yet"
            raise Refused("not-seen", why, allowed=["after it is revealed"])
        last = table.next_roll - 1
        known = [f"1 to {last}" if last else "declare one first"]
        raise Refused("unknown", f"no roll {number} at this table", allowed=known)
    return roll


def seat_of(table: TableState, seat: str) -> Seat:
    """A seat with somebody on it. Raises Refused("unknown") where there is none."""
    known = table.seats.get(seat)
    if known is None or not known.here:
        here = [id for id, other in sorted(table.seats.items()) if other.here]
        raise Refused("unknown", f"no seat {shown(seat)} at this table", allowed=here)
    return known


def here(table: TableState, seat: str) -> bool:
    """Whether somebody sits there."""
    known = table.seats.get(seat)
    return known is not None and known.here


def seat_named(table: TableState, word: str) -> str:
    """The id of a seat, by its id or its name. Raises Refused for none, or more than one."""
    if word in table.seats:
        return word
    known = [id for id in sorted(table.seats) if here(table, id)]
    found = [id for id in known if table.name_of(id) == word]
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused("malformed", f"several seats are called {shown(word)}", allowed=found)
    raise Refused("unknown", f"no seat {shown(word)} at this table", allowed=known)


def sitting(table: TableState, word: str) -> str:
    """The id of a seat with somebody on it, by its id or its name. Raises Refused as both do."""
    return seat_of(table, seat_named(table, word)).id


def character_of(table: TableState, character: str) -> Character:
    """A character of the table. Raises Refused("unknown") where there is none."""
    known = table.characters.get(character)
    if known is None:
        raise Refused(
            "unknown",
            f"no character {shown(character)} at this table",
            allowed=who_is_here(table),
        )
    return known


def present(table: TableState, character: str) -> Character:
    """A character that is at the table. Raises Refused("unknown") for none, or one taken away."""
    known = character_of(table, character)
    if known.removed is not None:
        name = table.name_of(character)
        called = repr(character) if name == character else f"{character!r} ({name})"
        raise Refused(
            "unknown",
            f"character {called} was taken away by entry {known.removed}",
            allowed=who_is_here(table),
        )
    return known


def who_is_here(table: TableState) -> list[str]:
    """The ids of the characters at the table, sorted, without those that were taken away."""
    return sorted(id for id, known in table.characters.items() if known.here)


def acts_for(table: TableState, seat: str, character: str) -> bool:
    """Whether the seat acts for the character: its owner; for one taken away a narrator as well.

    Nobody has to wait for somebody whose character is gone to end what it began.
    """
    known = table.characters[character]
    return known.seat == seat or (not known.here and table.seats[seat].role == "narrator")


def must_own(table: TableState, seat: str, character: str) -> None:
    """Refuse with "not-yours" unless the seat acts for the character."""
    owner = character_of(table, character).seat
    if not acts_for(table, seat, character):
        name = table.name_of(character)
        raise Refused(
            "not-yours", f"seat {seat!r} does not act for {name}", allowed=[f"seat {owner!r}"]
        )


def must_narrate(table: TableState, seat: str, what: str) -> None:
    """Refuse with "not-yours" unless the seat is a narrator's."""
    if seat_of(table, seat).role != "narrator":
        narrators = [
            f"seat {other.id!r}"
            for _, other in sorted(table.seats.items())
            if other.role == "narrator" and other.here
        ]
        raise Refused("not-yours", f"{what} is a narrator's; {seat!r} is none", allowed=narrators)
