"""Who may fire which trigger: named functions that return True or raise Refused."""

from collections.abc import Callable, Mapping
from typing import cast

from ..errors import Refused
from ..projections.rollstate import RollState
from ..projections.tables import TableState
from ..rules.ruleset import Offer
from .ask import Ask, must_narrate, must_own, roll_of
from .commands import Declare
from .offers import describe, fitting, following, offers
from .sight import must_see, sight

BEFORE_DICE = ("react", "roll")
"""Triggers that need no sight of the dice: a participant fires them in a blind roll too."""


def owned(ask: Ask) -> bool:
    """The seat acts for the character; a roll that follows another is offered by that one."""
    command = cast(Declare, ask.command)
    must_own(ask.table, ask.seat, command.character)
    if command.follows:
        parent = roll_of(ask.table, command.follows[0])
        must_see(ask.table, ask.seat, parent)
        ask.offer = following(ask.table, parent, command)
    return True


def offered(ask: Ask) -> bool:
    """The rules offer it to a character of the seat's; a narrator may resolve for anybody."""
    must_see(ask.table, ask.seat, ask.known_roll, dice=ask.trigger not in BEFORE_DICE)
    if isinstance(ask.command, Declare):
        raise Refused("not-offered", "a declaration takes up no offer of its own roll")
    seen = visible(ask.table, ask.seat, ask.known_roll)
    ask.offer = fitting(seen, ask.command, ask.known_roll)
    if ask.trigger == "resolve" and ask.table.seats[ask.seat].role == "narrator":
        return True
    if ask.offer.narrator:
        must_narrate(ask.table, ask.seat, f"{ask.trigger} {ask.offer.choice}")
    else:
        must_own(ask.table, ask.seat, ask.offer.character)
    return True


def visible(table: TableState, seat: str, roll: RollState) -> tuple[Offer, ...]:
    """What is offered, as far as the seat may know: who sees no dice must not infer them."""
    blind = sight(table, seat, roll) == "declaration"
    everything = offers(table, roll)
    return tuple(o for o in everything if not blind or o.trigger in BEFORE_DICE)


def narrates(ask: Ask) -> bool:
    """The seat is a narrator's and may see the roll."""
    must_see(ask.table, ask.seat, ask.known_roll)
    must_narrate(ask.table, ask.seat, ask.trigger)
    return True


def throws_next(ask: Ask) -> bool:
    """The level is `table`, and the seat is offered a throw that no nonce is bound for yet."""
    roll = ask.known_roll
    must_see(ask.table, ask.seat, roll, dice=False)
    if roll.level != "table" or roll.outstanding is None:
        raise Refused(
            "nonce",
            f"roll {roll.number} at level {roll.level} binds no nonces",
            allowed=["level table"],
        )
    if roll.binding is not None:
        raise Refused(
            "nonce", f"a nonce is bound already for throw {roll.throws}", allowed=["roll or reroll"]
        )
    throws = [offer for offer in offers(ask.table, roll) if offer.trigger in ("roll", "reroll")]
    if not any(ask.table.characters[offer.character].seat == ask.seat for offer in throws):
        raise Refused(
            "not-offered",
            f"seat {ask.seat!r} is offered no throw in roll {roll.number}",
            allowed=map(describe, throws),
        )
    return True


def asked(ask: Ask) -> bool:
    """The roller asked this seat for a nonce, and it has given none yet."""
    binding = ask.known_roll.binding
    if binding is None or ask.seat not in binding.asked:
        waiting = binding.asked if binding else ()
        raise Refused(
            "not-offered", f"seat {ask.seat!r} was not asked for a nonce", allowed=waiting
        )
    if any(seat == ask.seat for seat, _ in binding.given):
        raise Refused(
            "nonce", f"seat {ask.seat!r} gave its nonce already", allowed=["once a throw"]
        )
    return True


def reveals(ask: Ask) -> bool:
    """The roll is hidden; the seat a narrator who sees it, or the roller if nobody else does."""
    roll = ask.known_roll
    must_see(ask.table, ask.seat, roll)
    if not roll.hidden:
        raise Refused("not-offered", f"roll {roll.number} is open already", allowed=[])
    if roll.follows is not None and ask.table.rolls[roll.follows[0]].hidden:
        why = f"roll {roll.number} would tell of roll {roll.follows[0]}, which is hidden"
        raise Refused("not-offered", why, allowed=[f"reveal roll {roll.follows[0]} first"])
    if roll.visibility != "self":
        must_narrate(ask.table, ask.seat, "reveal")
    return True


def anyone(ask: Ask) -> bool:
    """Any seat that may see the roll."""
    must_see(ask.table, ask.seat, ask.known_roll)
    return True


GUARDS: Mapping[str, Callable[[Ask], bool]] = {
    guard.__name__: guard
    for guard in (owned, offered, narrates, throws_next, asked, reveals, anyone)
}
"""The guards by the names that the table of transitions uses."""
