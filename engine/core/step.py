"""What needs no decision: the next step of a roll, where the rules leave nothing else to do."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from ...projections.automaton import Trigger
from ...projections.disputes import under_dispute
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from .commands import ApplyDamage, Resolve
from .guards import throws_dice, typed_throws, visible_offers
from .visibility import visible_part

STEPS: tuple[Trigger, ...] = ("roll", "reroll", "resolve", "apply_damage")
"""The triggers of such steps: `Move.trigger` of a throw that asks for shares is `ask` instead."""

PLAIN: Mapping[Trigger, Callable[[int], Resolve | ApplyDamage]] = MappingProxyType(
    {"resolve": Resolve, "apply_damage": ApplyDamage}
)
"""The commands of those that need nothing but the roll."""


def next_step(table: TableState, seat: str, roll: RollState) -> Offer | None:
    """The offer that this seat takes up next in a roll, where nobody has anything to decide there.

    `table` is the seat's own view. There is one where the rules offer one thing alone, to this
    seat, with nothing to choose in it: a throw, or to resolve, or to apply damage. There is none
    where somebody may react, follow, freeze, throw again, adjust or choose; where faces are typed,
    or typed and not yet confirmed; where the roll is under dispute, or a throw waits for shares.
    That a roll may be withdrawn, revealed, disputed, vetoed, replaced, amended or made void, and
    told with words that its dice spell, is no reason to stop: it may be at any time.
    """
    if table.ask is not None or roll.vetoed or under_dispute(table, roll):
        return None
    offered = [each for each in visible_offers(table, seat, roll) if each.trigger != "flavour"]
    if len(offered) != 1 or any(len(seats) == 1 for seats in typed_throws(roll).values()):
        return None
    [offer] = offered
    return offer if _is_plain(table, offer) and _takes(table, seat, offer) else None


def steps_from(
    view: Callable[[], TableState], seat: str, number: int, *, declared: bool
) -> Iterator[Offer]:
    """The steps of one roll, one after the other, as long as whoever takes them does each.

    `view` gives the seat's own view of the table as it is by then. A blind roll does not show who
    throws it whether that was done: it is thrown right behind its declaration (`declared`) alone.
    """
    while True:
        table = view()
        roll = table.rolls.get(number)
        step = None if roll is None else next_step(table, seat, roll)
        if roll is None or step is None:
            return
        blind = visible_part(table, seat, roll) != "everything"
        if blind and not declared:
            return
        declared = False
        yield step


def _is_plain(table: TableState, offer: Offer) -> bool:
    """Whether there is nothing to choose in it, nor to type."""
    if offer.trigger not in STEPS or offer.options:
        return False
    if offer.trigger == "reroll":
        all_of_them = offer.due and offer.least == offer.most == len(offer.dice) and not offer.extra
        return all_of_them and table.source != "manual"
    return offer.trigger != "roll" or table.source != "manual" or not throws_dice(offer)


def _takes(table: TableState, seat: str, offer: Offer) -> bool:
    """Whether it is this seat's: its character's, and not a narrator's to take up for it."""
    return not offer.narrator and table.characters[offer.character].seat == seat
