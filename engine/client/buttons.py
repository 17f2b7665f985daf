"""Every legal move as a button: what stands on it, what a form asks for, and what pressing it does.

    for button in buttons(client): ...              # draw them
    await press(client, button, {"dice": "3"})      # with the values of its form, where it has one

Nothing here knows a game system: its offers and its Structs say all of it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from ...errors import Refused
from ...events.base import AdjustedDie, Face
from ...projections.automaton import Trigger
from ...rules.forms import fields_of
from ...rules.ruleset import Offer, Ruleset, declinable
from ...rules.words import ENGLISH, spaced
from ..core import commands
from ..core.labels import Labels
from ..core.step import PLAIN as OFFERED
from ..seat.happened import Done
from .client import Client

Values: TypeAlias = Mapping[str, str]
"""What was filled in: by the name of what was asked for."""

PLAIN: Mapping[Trigger, Callable[[int], commands.AnyCommand]] = MappingProxyType(
    {
        **OFFERED,
        "reveal": commands.Reveal,
        "withdraw": commands.Withdraw,
        "break_throw": commands.BreakThrow,
    }
)
"""Triggers that need nothing but the roll."""

WORDED: Mapping[Trigger, Callable[[int], commands.AnyCommand]] = MappingProxyType(
    {"dispute": commands.Dispute, "veto": commands.Veto, "void": commands.Void}
)
"""Triggers that need a reason beside it."""

REASON, DICE, WORDS = "reason", "dice", "words"
"""What is asked for beside fields of declarations: a sentence; ids of dice, with a space between
them, or where they are put to faces `a1=6 a2=12`; words that dice spell."""


class Button(Struct, frozen=True, kw_only=True):
    """A way to do one legal move in a roll.

    `label` is in the words of the moves' language. `asks` are the names of what is to be filled in;
    `choice` and `option` what this button chooses among the offer's options; `declines` that it is
    the answer of who does not react. Two are equal where they do the same.
    """

    roll: int
    trigger: Trigger
    label: str
    asks: tuple[str, ...] = ()
    offer: Offer | None = None
    option: Face | None = None
    declines: bool = False


def buttons(client: Client, language: str = ENGLISH) -> tuple[Button, ...]:
    """The buttons of a seat, roll by roll: what it may do now in rolls that are there.

    Left out are new rolls, which follow nothing, shares, which a client opens by itself, and what a
    narrator corrects and rules on, which is more than a button.
    """
    game = client.state.game.ruleset
    return tuple(
        button
        for of in client.legal_moves(language)
        if of.roll is not None
        for move in of.moves
        for button in (
            *_without_offer(of.roll, move.trigger),
            *(
                each
                for offer, words, called in zip(move.offers, move.words, move.labels, strict=True)
                for each in _of_offer(game, of.roll, offer, words, called)
            ),
        )
    )


async def press(client: Client, button: Button, values: Values | None = None) -> Done:
    """Do what a button says, with what was filled in.

    A value is read as JSON where it is JSON, else as text; an empty one is as if it were not there.
    Raises Refused("malformed") where something is missing or is no such value, and else as
    `Client.do` and `Client.throw` do.
    """
    given = {name: text.strip() for name, text in (values or {}).items() if text.strip()}
    number, offer = button.roll, button.offer
    if button.trigger in WORDED:
        return await client.say(WORDED[button.trigger](number), _needed(given, REASON))
    if offer is None or button.trigger in PLAIN:
        return await client.do(PLAIN[button.trigger](number))
    if button.trigger == "roll":
        option = button.option if isinstance(button.option, int) else None
        return await client.throw(number, offer.hand, option=option)
    if button.trigger == "reroll":
        dice = _needed(given, DICE).split() if DICE in button.asks else offer.dice
        return await client.throw(number, offer.hand, dice=dice)
    return await client.do(COMMANDS[button.trigger](button, offer, given))


# --- what stands on them --------------------------------------------------------------------------


def _without_offer(number: int, trigger: Trigger) -> Iterator[Button]:
    if trigger in WORDED:
        yield Button(roll=number, trigger=trigger, label=spaced(trigger), asks=(REASON,))
    elif trigger in PLAIN and trigger not in OFFERED:
        yield Button(roll=number, trigger=trigger, label=spaced(trigger))


def _of_offer(
    game: Ruleset, number: int, offer: Offer, words: str, called: Labels
) -> Iterator[Button]:
    """The buttons of an offer: one an option, or one alone; and one to decline."""
    asks = _asks(game, offer)
    if asks is None:
        return
    whole = Button(roll=number, trigger=offer.trigger, label=words, asks=asks, offer=offer)
    if offer.options and offer.trigger != "flavour":
        for option, label in zip(offer.options, called.options, strict=True):
            yield Button(
                roll=number,
                trigger=offer.trigger,
                label=f"{words}: {label}",
                asks=asks,
                offer=offer,
                option=option,
            )
    else:
        yield whole
    if offer.trigger == "react" and declinable(offer):
        yield Button(
            roll=number, trigger="react", label="decline to react", offer=offer, declines=True
        )


def _asks(game: Ruleset, offer: Offer) -> tuple[str, ...] | None:
    """What is to be filled in to take up an offer; None where no button does."""
    if offer.trigger in ("react", "declare"):
        if offer.trigger == "declare" and not offer.link:
            return None
        kind = game.Reaction if offer.trigger == "react" else game.Declaration
        names = (field.name for field in fields_of(kind))
        return tuple(n for n in names if n != offer.choice and game.set_by(n) == "player")
    if offer.trigger == "reroll":
        return () if offer.least >= len(offer.dice) else (DICE,)
    asked = {"freeze": (DICE,), "flavour": (WORDS,), "adjust": () if offer.choice else (DICE,)}
    return asked.get(offer.trigger, ())


# --- what they do ---------------------------------------------------------------------------------


def _react(button: Button, offer: Offer, given: dict[str, str]) -> commands.AnyCommand:
    reaction = None if button.declines else _filled(button, offer, given)
    return commands.React(button.roll, offer.character, reaction)


def _declare(button: Button, offer: Offer, given: dict[str, str]) -> commands.AnyCommand:
    follows = button.roll, offer.link
    return commands.Declare(offer.character, _filled(button, offer, given), follows=follows)


def _freeze(button: Button, offer: Offer, given: dict[str, str]) -> commands.AnyCommand:
    return commands.Freeze(button.roll, offer.hand, tuple(given.get(DICE, "").split()))


def _adjust(button: Button, offer: Offer, given: dict[str, str]) -> commands.AnyCommand:
    if offer.choice:
        return commands.Choose(button.roll, offer.choice, str(button.option))
    dice = tuple(_put(offer, each) for each in _needed(given, DICE).split())
    return commands.Adjust(button.roll, offer.hand, offer.means, dice)


def _flavour(button: Button, offer: Offer, given: dict[str, str]) -> commands.AnyCommand:
    words = tuple(_needed(given, WORDS).split())
    return commands.Flavour(button.roll, offer.hand, words, offer.choice)


COMMANDS: Mapping[Trigger, Callable[[Button, Offer, dict[str, str]], commands.AnyCommand]] = (
    MappingProxyType(
        {
            "react": _react,
            "declare": _declare,
            "freeze": _freeze,
            "adjust": _adjust,
            "flavour": _flavour,
        }
    )
)
"""What takes up an offer of each trigger, other than a throw."""


def filled_in(given: Values) -> dict[str, Any]:
    """The fields of a declaration as they were filled in; see `press`."""
    return {name: _value(text) for name, text in given.items()}


def _filled(button: Button, offer: Offer, given: Values) -> dict[str, Any]:
    fixed = {offer.choice: button.option} if offer.choice else {}
    return {**filled_in(given), **fixed}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _needed(given: Values, name: str) -> str:
    if name not in given:
        raise Refused("malformed", f"`{name}` is missing", allowed=[name])
    return given[name]


def _put(offer: Offer, text: str) -> AdjustedDie:
    """`a1=6` as a die and its face."""
    die, _, face = text.partition("=")
    for each in offer.to.get(die, {}):
        if str(each) == face:
            return AdjustedDie(die, each)
    some = (f"{die}={face}" for die, faces in offer.to.items() for face in faces)
    raise Refused("malformed", f"{text[:40]!r} puts no die to a face that is offered", allowed=some)
