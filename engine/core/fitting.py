"""Whether a command fits an offer, or why it is refused: which dice, how many, which faces."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...errors import Refused
from ...projections.handlers import on
from ...projections.rollstate import RollState
from ...rules.ruleset import Offer, declinable
from .commands import Adjust, Choose, Flavour, Freeze, React, Reroll, Resolve, RollCommand, RollDice
from .offers import describe, due, ways


def fitting(offered: Iterable[Offer], command: RollCommand, roll: RollState) -> Offer:
    """The offer that the command takes up.

    Raises Refused: "not-offered" where there is none of its kind, "due" for a resolution while
    something is due, and whatever the details are refused with.
    """
    everything = tuple(offered)
    same = [offer for offer in everything if offer.trigger == command.trigger]
    found = [offer for offer in same if _names(command, offer)]
    if not found:
        missing = due(everything)
        if isinstance(command, Resolve) and missing:
            waits = ", ".join(describe(offer) for offer in missing)
            raise Refused("due", f"roll {roll.number} waits for: {waits}", allowed=ways(missing))
        why = f"the rules do not offer {_wanted(command)} in roll {roll.number} now"
        if isinstance(command, Choose) and missing:  # a choice comes when its hand is closed
            why = f"{why}, which waits for: {', '.join(map(describe, missing))}"
            same = [*missing, *same]
        raise Refused("not-offered", why, allowed=ways(same or everything))
    details = DETAILS.get(type(command))
    refused: Refused | None = None
    for offer in found:
        try:
            if details is not None:
                details(command, offer, roll)
        except Refused as error:
            refused = refused or error
        else:
            return offer
    raise refused or Refused("not-offered", "nothing fits")


def _wanted(command: RollCommand) -> str:
    fields = ("hand", "means", "choice", "character", "tone")
    named = [str(getattr(command, name)) for name in fields if hasattr(command, name)]
    return " ".join([command.trigger, *named])


def _names(command: RollCommand, offer: Offer) -> bool:
    """Whether an offer is of the kind that a command asks for, whatever its details."""
    match command:
        case React():
            return offer.character == command.character
        case RollDice() | Freeze() | Reroll():
            return offer.hand == command.hand
        case Adjust():
            same = (offer.hand, offer.means) == (command.hand, command.means)
            return same and not offer.choice
        case Choose():
            return offer.choice == command.choice
        case Flavour():
            return (offer.hand, offer.choice) == (command.hand, command.tone)
        case _:
            return True


def _react_fits(command: React, offer: Offer, roll: RollState) -> None:
    """Where a reaction may be one of several, each can be left alone; one that is due, declined."""
    reaction = command.reaction
    value = None if reaction is None else reaction.get(offer.choice)
    if reaction is None and declinable(offer):
        return
    if offer.choice and value not in offer.options:
        raise Refused(
            "not-offered",
            f"a reaction with {offer.choice} {value!r}",
            allowed=map(str, offer.options),
        )


def _roll_fits(command: RollDice, offer: Offer, roll: RollState) -> None:
    option = command.option
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


def _freeze_fits(command: Freeze, offer: Offer, roll: RollState) -> None:
    _known_once(command.dice, offer.dice, offer.hand)


def _reroll_fits(command: Reroll, offer: Offer, roll: RollState) -> None:
    dice = command.dice
    hand = roll.roll.hand(offer.hand)
    kept = {die.id for die in hand.dice if die.frozen} if hand else set[str]()
    for id in dice:
        if id in kept:
            raise Refused("frozen", f"{id} is frozen and cannot be thrown", allowed=offer.dice)
    _known_once(dice, offer.dice, offer.hand)
    least, most = max(1, offer.least), offer.most + offer.extra
    if not least <= len(dice) <= most:
        raise Refused(
            "too-many" if len(dice) > most else "out-of-range",
            f"{len(dice)} dice to reroll",
            allowed=[f"{least} to {most}"],
        )


def _adjust_fits(command: Adjust, offer: Offer, roll: RollState) -> None:
    hand = roll.roll.hand(offer.hand)
    kept = {die.id for die in hand.dice if die.frozen} if hand else set[str]()
    cost = 0
    for item in command.dice:
        if item.die in kept:
            raise Refused("frozen", f"{item.die} is frozen and cannot be put", allowed=offer.dice)
        faces = offer.to.get(item.die)
        if faces is None:
            raise Refused(
                "unknown", f"{item.die!r} cannot be put to another face", allowed=offer.dice
            )
        if item.face not in faces:
            raise Refused("face", f"{item.die} to {item.face!r}", allowed=map(str, faces))
        cost += faces[item.face]
    _known_once([item.die for item in command.dice], offer.dice, offer.hand)
    if cost > offer.most:
        raise Refused(
            "too-many", f"{offer.means} at a cost of {cost}", allowed=[f"at most {offer.most}"]
        )


def _choice_fits(command: Choose, offer: Offer, roll: RollState) -> None:
    option = command.option
    if option not in offer.options:
        raise Refused(
            "unknown", f"{offer.choice} cannot be {option!r}", allowed=map(str, offer.options)
        )


def _flavour_fits(command: Flavour, offer: Offer, roll: RollState) -> None:
    faces = Counter(str(face) for face in offer.options)
    for word in command.words:
        missing = Counter(word) - faces
        if missing:
            raise Refused(
                "face",
                f"{word!r} needs {' '.join(missing.elements())} beyond the dice of {offer.hand}",
                allowed=[" ".join(map(str, offer.options))],
            )


def _known_once(ids: Sequence[str], known: tuple[str, ...], hand: str) -> None:
    for id in ids:
        if id not in known:
            raise Refused(
                "unknown", f"{id!r} is no die of {hand} that this could be done to", allowed=known
            )
        if ids.count(id) > 1:
            raise Refused("malformed", f"{id} is named {ids.count(id)} times", allowed=["once"])


DETAILS: Mapping[type, Callable[[Any, Offer, RollState], None]] = dict(
    [
        on(React, _react_fits),
        on(RollDice, _roll_fits),
        on(Freeze, _freeze_fits),
        on(Reroll, _reroll_fits),
        on(Adjust, _adjust_fits),
        on(Choose, _choice_fits),
        on(Flavour, _flavour_fits),
    ]
)
"""What an offer asks of a command that takes it up; of any other command it asks nothing."""
