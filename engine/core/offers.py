"""What may happen next in a roll: the one list behind guards, refusals, legal moves and buttons."""

from collections.abc import Iterable
from weakref import ref

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.base import Effect
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...projections.tracks import applied, pending
from ...rules.ruleset import Offer, Sheet, Sheets
from .attempt import character_of
from .commands import Declare


class Memo(Struct):
    """The offers of one table's rolls, for as long as it is there, and no other is asked about."""

    latest: tuple[ref[TableState], dict[int, tuple[RollState, tuple[Offer, ...]]]] | None = None

    def forget(self, gone: ref[TableState]) -> None:
        """Let go of the rolls of a state that is there no more."""
        if self.latest is not None and self.latest[0] is gone:
            self.latest = None


_memo = Memo()
"""States are immutable, so the same objects have the same offers: guards, refusals, legal moves of
every seat and what is decided ask about one state in turn. It is read and set as a whole: threads
that ask about different states at once only forget each other's answers."""


def offers(table: TableState, roll: RollState) -> tuple[Offer, ...]:
    """Everything the rules allow next in this roll, less what the table's other rolls rule out.

    A vetoed declaration is offered nothing. `resolve` is kept back while something is due, damage
    while a live roll follows or the roll is hidden, a following roll once a live one has that link,
    while this one is hidden, and where its character was taken away.
    Raises Refused("unknown") where the declaration names a character that is not there.
    """
    latest = _memo.latest
    if latest is None or latest[0]() is not table:
        latest = _memo.latest = (ref(table, _memo.forget), {})
    known = latest[1].get(roll.number)
    if known is not None and known[0] is roll:
        return known[1]
    offered = _offered(table, roll)
    latest[1][roll.number] = (roll, offered)
    return offered


def _offered(table: TableState, roll: RollState) -> tuple[Offer, ...]:
    if roll.vetoed or roll.state == "voided":
        return ()
    every = table.game.ruleset.offers(roll.roll, sheets(table, roll))
    found = tuple(offer for offer in every if not _for_one_gone(table, offer))
    followed = {child.roll.link for child in table.followers(roll.number)}
    due = any(offer.due for offer in found)
    held_back = set[str]()
    if due:
        held_back.add("resolve")
    if followed or roll.hidden:
        held_back.add("apply_damage")
    if roll.hidden:
        held_back.add("declare")
    return tuple(
        offer
        for offer in found
        if offer.trigger not in held_back
        and not (offer.trigger == "declare" and offer.link in followed)
    )


def _for_one_gone(table: TableState, offer: Offer) -> bool:
    """Whether it is a new roll of a character that was taken away."""
    known = table.characters.get(offer.character)
    return offer.trigger == "declare" and known is not None and not known.here


def sheets(table: TableState, roll: RollState | None = None) -> Sheets:
    """The sheets of the table's characters. The function raises Refused for an unknown one.

    For what happens in `roll` they are as it leaves them: what a hidden roll has spent counts for
    nobody else before its reveal, but within it.
    """
    spent = () if roll is None else tuple(pending(roll))

    def sheet(who: str) -> Sheet:
        known = table.sheet(character_of(table, who).id)
        if not spent:
            return known
        return replace(known, tracks=applied(table.game, table.tracks, spent)[known.character])

    return sheet


def due(offered: Iterable[Offer]) -> tuple[Offer, ...]:
    """The offers that must be taken before the roll can be resolved."""
    return tuple(offer for offer in offered if offer.due)


def describe(offer: Offer) -> str:
    """An offer in a few words, its names as commands take them. `labels.in_words` is for people."""
    if offer.choice and offer.trigger == "adjust":
        return f"choose {offer.choice}: {' or '.join(map(str, offer.options))}"
    parts = [offer.trigger, offer.link, offer.hand, offer.means]
    if offer.trigger in ("freeze", "reroll", "adjust"):
        parts.append(dice_named(offer.dice))
    if offer.trigger in ("reroll", "adjust"):
        least = f"at least {offer.least}, " if offer.least > 1 else ""
        parts.append(f"({least}at most {offer.most}{f' + {offer.extra}' if offer.extra else ''})")
    if offer.trigger == "roll":
        parts.append(f"({len(offer.dice)} dice)")
    return " ".join(part for part in parts if part)


SHOWN = 12
"""Dice that are named one by one; of more the first and the last."""


def dice_named(dice: tuple[str, ...]) -> str:
    """The ids of dice in a row."""
    if len(dice) <= SHOWN:
        return " ".join(dice)
    return f"{dice[0]} to {dice[-1]}, {len(dice)} dice"


def ways(offered: Iterable[Offer]) -> tuple[str, ...]:
    """What a refusal says is offered instead, each once."""
    return tuple(dict.fromkeys(map(describe, offered)))


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
