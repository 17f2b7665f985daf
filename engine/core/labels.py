"""What people call the things in an offer: hands, means, kinds of dice, choices, links."""

from collections import Counter
from collections.abc import Callable, Mapping

from msgspec import Struct

from ...events.base import Face
from ...projections.lexicon import Lexicon
from ...projections.tables import TableState
from ...projections.wording import counted
from ...rules.ruleset import Offer, Trigger
from ...rules.words import ENGLISH, spaced
from .offers import dice_named


class Labels(Struct, frozen=True):
    """What people call what an offer names; "" where it names none.

    `kinds` are the dice of a throw, one item a die; `options` are those of a choice, in the order
    of the offer's; `track` is what more dice are paid from. A command takes the offer's own names,
    never these.
    """

    hand: str = ""
    means: str = ""
    link: str = ""
    choice: str = ""
    options: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    track: str = ""


def labels(table: TableState, offer: Offer, *, language: str = ENGLISH) -> Labels:
    """What people call what this offer names, in a language or else in English."""
    lexicon = Lexicon(table, language)

    def called(sort: str, name: str) -> str:
        return lexicon.of(sort, name) if name else ""

    def option(value: Face) -> str:
        return lexicon.option(offer.choice, value)

    spelled = offer.trigger in ("flavour", "roll")  # letters, or a number of dice: no names
    return Labels(
        hand=lexicon.hand(offer.hand),
        means=called("means", offer.means),
        link=called("link", offer.link),
        choice=called("choice", offer.choice),
        options=tuple(map(str if spelled else option, offer.options)),
        kinds=tuple(called("kind", kind) for kind in offer.dice if offer.trigger == "roll"),
        track=called("track", offer.extra_cost[0]),
    )


def in_words(table: TableState, offer: Offer, *, language: str = ENGLISH) -> str:
    """An offer as people would say it: what may be done, with which dice, for how much."""
    return SAID[offer.trigger](offer, labels(table, offer, language=language))


# --- a trigger each -------------------------------------------------------------------------------


def _roll(offer: Offer, called: Labels) -> str:
    if offer.link:
        return f"take over the dice of {called.hand}"
    dice = ", ".join(f"{count} {kind}" for kind, count in Counter(called.kinds).items())
    some = f", {called.options[0]} to {called.options[-1]} of them" if offer.options else ""
    return f"throw {called.hand}: {dice or 'no dice'}{some}"


def _freeze(offer: Offer, called: Labels) -> str:
    return f"freeze dice of {called.hand}: {dice_named(offer.dice)}"


def _reroll(offer: Offer, called: Labels) -> str:
    price = f" at {offer.extra_cost[1]} {called.track} each" if offer.extra else ""
    most, more = offer.most, f", {offer.extra} more{price}" if offer.extra else ""
    if offer.least >= len(offer.dice):
        many = "all dice"
    elif offer.least > 1:
        many = f"{offer.least} to {counted(most, 'die', 'dice')}"
    elif most:
        many = f"at most {counted(most, 'die', 'dice')}"
    else:
        many, more = f"at most {counted(offer.extra, 'die', 'dice')}{price}", ""
    return f"reroll {many} of {called.hand}: {dice_named(offer.dice)}{more}"


def _adjust(offer: Offer, called: Labels) -> str:
    if offer.choice:
        return f"choose {called.choice}: {' or '.join(called.options)}"
    return f"adjust {called.hand} by {called.means}, at most {offer.most}: {dice_named(offer.dice)}"


def _declare(offer: Offer, called: Labels) -> str:
    some = f", {called.choice} {' or '.join(called.options)}" if offer.choice else ""
    return f"declare a roll that follows: {called.link}{some}" if offer.link else "declare a roll"


def _react(offer: Offer, called: Labels) -> str:
    return f"react: {called.choice} {' or '.join(called.options)}" if offer.choice else "react"


def _flavour(offer: Offer, called: Labels) -> str:
    return f"name {called.choice} words that the dice of {called.hand} spell"


def _plain(offer: Offer, called: Labels) -> str:
    return spaced(offer.trigger)


SAID: Mapping[Trigger, Callable[[Offer, Labels], str]] = {
    "react": _react,
    "roll": _roll,
    "freeze": _freeze,
    "reroll": _reroll,
    "adjust": _adjust,
    "resolve": _plain,
    "apply_damage": _plain,
    "declare": _declare,
    "flavour": _flavour,
}
"""How an offer of each trigger is said."""
