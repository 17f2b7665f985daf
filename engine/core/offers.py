"""What may happen next in a roll: the one list behind guards, refusals, legal moves and buttons."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct

from ...errors import Refused
from ...events.base import Effect
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.ruleset import Hand, Offer, Sheets
from .attempt import character_of
from .commands import (
    Adjust,
    Choose,
    Declare,
    Flavour,
    Freeze,
    React,
    Reroll,
    Resolve,
    RollCommand,
    RollDice,
)


class Memo(Struct):
    """The offers of one table's rolls, for as long as nobody asks about another state."""

    table: TableState | None = None
    found: dict[int, tuple[RollState, tuple[Offer, ...]]] = {}


_memo = Memo()
"""States are immutable, so the same objects have the same offers: guards, refusals, legal moves of
every seat and what is decided ask about one state in turn."""


def offers(table: TableState, roll: RollState) -> tuple[Offer, ...]:
    """Everything the rules allow next in this roll, less what the table's other rolls rule out.

    A vetoed declaration is offered nothing. `resolve` is kept back while something is due, damage
    while a live roll follows or the roll is hidden, a following roll once a live one has that link.
    Once a nonce is bound for the next throw, that throw comes before anything else with the dice.
    Raises Refused("unknown") where the declaration names a character that is not there.
    """
    if _memo.table is not table:
        _memo.table, _memo.found = table, {}
    known = _memo.found.get(roll.number)
    if known is not None and known[0] is roll:
        return known[1]
    offered = _offered(table, roll)
    _memo.found[roll.number] = (roll, offered)
    return offered


def _offered(table: TableState, roll: RollState) -> tuple[Offer, ...]:
    if roll.vetoed or roll.state == "voided":
        return ()
    found = table.game.ruleset.offers(roll.roll, sheets(table))
    followed = {child.roll.link for child in table.followers(roll.number)}
    due = any(offer.due for offer in found)
    held_back = set[str]()
    if roll.binding is not None:  # or its throw could be no longer offered, and nobody's
        held_back |= {"react", "freeze", "adjust", "resolve"}
    if due:
        held_back.add("resolve")
    if followed or roll.hidden:
        held_back.add("apply_damage")
    return tuple(
        offer
        for offer in found
        if offer.trigger not in held_back
        and not (offer.trigger == "declare" and offer.link in followed)
    )


def sheets(table: TableState) -> Sheets:
    """The sheets of the table's characters. The function raises Refused for an unknown one."""
    return lambda who: table.sheet(character_of(table, who).id)


def due(offered: Iterable[Offer]) -> tuple[Offer, ...]:
    """The offers that must be taken before the roll can be resolved."""
    return tuple(offer for offer in offered if offer.due)


def describe(offer: Offer) -> str:
    """An offer in a few words, for refusals and for people."""
    if offer.choice and offer.trigger == "adjust":
        return f"choose {offer.choice}: {' or '.join(map(str, offer.options))}"
    parts = [offer.trigger, offer.link, offer.hand, offer.means]
    if offer.trigger in ("freeze", "reroll", "adjust"):
        parts.append(f"{' '.join(offer.dice)}")
    if offer.trigger in ("reroll", "adjust"):
        parts.append(f"(at most {offer.most}{f' + {offer.extra}' if offer.extra else ''})")
    if offer.trigger == "roll":
        parts.append(f"({len(offer.dice)} dice)")
    return " ".join(part for part in parts if part)


def fitting(offered: Iterable[Offer], command: RollCommand, roll: RollState) -> Offer:
    """The offer that the command takes up.

    Raises Refused: "not-offered" where there is none of its kind, "due" for a resolution while
    something is due, and whatever the details are refused with.
    """
    everything = tuple(offered)
    kind = type(command)
    same = [offer for offer in everything if offer.trigger == command.trigger]
    found = [offer for offer in same if NAMES.get(kind, _always)(offer, command)]
    if not found:
        missing = due(everything)
        if isinstance(command, Resolve) and missing:
            waits = ", ".join(describe(offer) for offer in missing)
            raise Refused(
                "due", f"roll {roll.number} waits for: {waits}", allowed=map(describe, missing)
            )
        wanted = _wanted(command)
        raise Refused(
            "not-offered",
            f"the rules do not offer {wanted} in roll {roll.number} now",
            allowed=[describe(offer) for offer in same or everything],
        )
    refused: Refused | None = None
    for offer in found:
        try:
            DETAILS.get(kind, _nothing)(offer, command, roll)
        except Refused as error:
            refused = refused or error
        else:
            return offer
    raise refused or Refused("not-offered", "nothing fits")


def _wanted(command: RollCommand) -> str:
    fields = ("hand", "means", "choice", "character", "tone")
    named = [str(getattr(command, name)) for name in fields if hasattr(command, name)]
    return " ".join([command.trigger, *named])


def _always(offer: Offer, command: Struct) -> bool:
    return True


def _same_hand(offer: Offer, command: Struct) -> bool:
    return offer.hand == cast(RollDice, command).hand


def _same_means(offer: Offer, command: Struct) -> bool:
    attempt = cast(Adjust, command)
    return not offer.choice and (offer.hand, offer.means) == (attempt.hand, attempt.means)


def _same_tone(offer: Offer, command: Struct) -> bool:
    attempt = cast(Flavour, command)
    return (offer.hand, offer.choice) == (attempt.hand, attempt.tone)


NAMES: Mapping[type[Struct], Callable[[Offer, Struct], bool]] = {
    React: lambda offer, command: offer.character == cast(React, command).character,
    RollDice: _same_hand,
    Freeze: _same_hand,
    Reroll: _same_hand,
    Adjust: _same_means,
    Choose: lambda offer, command: offer.choice == cast(Choose, command).choice,
    Flavour: _same_tone,
}
"""Whether an offer is of the kind that a command asks for."""


def _nothing(offer: Offer, command: Struct, roll: RollState) -> None:
    return None


def _react_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    """Where a reaction may be one of several, each can be left alone, and none is declined."""
    reaction = cast(React, command).reaction
    value = None if reaction is None else reaction.get(offer.choice)
    if offer.choice and value not in offer.options:
        raise Refused(
            "not-offered",
            f"a reaction with {offer.choice} {value!r}",
            allowed=map(str, offer.options),
        )


def _roll_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    option = cast(RollDice, command).option
    if offer.options:
        if option not in offer.options:
            raise Refused(
                "out-of-range", f"{option} dice of {offer.hand}", allowed=map(str, offer.options)
            )
    elif option is not None:
        raise Refused(
            "not-offered",
            f"the number of dice is fixed, {option} cannot be chosen",
            allowed=[str(len(offer.dice))],
        )


def _freeze_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    _known_once(cast(Freeze, command).dice, offer.dice, offer.hand)


def _reroll_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    dice = cast(Reroll, command).dice
    hand = roll.roll.hand(offer.hand)
    kept = {die.id for die in hand.dice if die.frozen} if hand else set[str]()
    for id in dice:
        if id in kept:
            raise Refused("frozen", f"{id} is frozen and cannot be thrown", allowed=offer.dice)
    _known_once(dice, offer.dice, offer.hand)
    most = offer.most + offer.extra
    if not dice or len(dice) > most:
        raise Refused(
            "too-many" if dice else "out-of-range",
            f"{len(dice)} dice to reroll",
            allowed=[f"1 to {most}"],
        )


def _adjust_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    laid = cast(Adjust, command).dice
    hand = cast(Hand, roll.roll.hand(offer.hand))
    cost = 0
    for item in laid:
        die = next((die for die in hand.dice if die.id == item.die), None)
        if die is not None and die.frozen:
            raise Refused("frozen", f"{item.die} is frozen and cannot be put", allowed=offer.dice)
        faces = offer.to.get(item.die)
        if faces is None:
            raise Refused(
                "unknown", f"{item.die!r} cannot be put to another face", allowed=offer.dice
            )
        if item.face not in faces:
            raise Refused("face", f"{item.die} to {item.face!r}", allowed=map(str, faces))
        cost += faces[item.face]
    _known_once([item.die for item in laid], offer.dice, offer.hand)
    if cost > offer.most:
        raise Refused(
            "too-many", f"{offer.means} at a cost of {cost}", allowed=[f"at most {offer.most}"]
        )


def _choice_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    option = cast(Choose, command).option
    if option not in offer.options:
        raise Refused(
            "unknown", f"{offer.choice} cannot be {option!r}", allowed=map(str, offer.options)
        )


def _flavour_fits(offer: Offer, command: Struct, roll: RollState) -> None:
    faces = Counter(str(face) for face in offer.options)
    for word in cast(Flavour, command).words:
        missing = Counter(word) - faces
        if missing:
            raise Refused(
                "face",
                f"{word!r} needs {' '.join(missing.elements())} beyond the dice of {offer.hand}",
                allowed=[" ".join(map(str, offer.options))],
            )


DETAILS: Mapping[type[Struct], Callable[[Offer, Struct, RollState], None]] = {
    React: _react_fits,
    RollDice: _roll_fits,
    Freeze: _freeze_fits,
    Reroll: _reroll_fits,
    Adjust: _adjust_fits,
    Choose: _choice_fits,
    Flavour: _flavour_fits,
}
"""What an offer demands of a command that takes it up."""


def _known_once(ids: Sequence[str], known: tuple[str, ...], hand: str) -> None:
    for id in ids:
        if id not in known:
            raise Refused(
                "unknown", f"{id!r} is no die of {hand} that this could be done to", allowed=known
            )
        if ids.count(id) > 1:
            raise Refused("malformed", f"{id} is named {ids.count(id)} times", allowed=["once"])


def following(table: TableState, parent: RollState, command: Declare) -> Offer:
    """The offer by which `parent` lets the command's character roll on.

    Raises Refused("not-offered") where it does not.
    """
    link = command.follows[1] if command.follows else ""
    on = [offer for offer in offers(table, parent) if offer.trigger == "declare"]
    for offer in on:
        if (offer.character, offer.link) == (command.character, link):
            return offer
    ways = [f"{offer.link} by {table.name_of(offer.character)}" for offer in on]
    raise Refused(
        "not-offered",
        f"roll {parent.number} offers no {link!r} to {table.name_of(command.character)}",
        allowed=ways,
    )


def price_of(offer: Offer, dice: int) -> tuple[Effect, ...]:
    """What so many dice of an offered reroll cost: those beyond the free ones."""
    track, price = offer.extra_cost
    extra = max(0, dice - offer.most)
    return (Effect(offer.character, track, -price * extra),) if extra else ()
