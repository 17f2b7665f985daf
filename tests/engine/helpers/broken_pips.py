"""The tests' own system with one thing wrong in it at a time, and the law that this breaks."""

from collections.abc import Callable
from itertools import count as counting
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from tests.engine.helpers import pips
from tests.engine.helpers.pips import PIPS
from urim.errors import Refused
from urim.events.base import Effect
from urim.rules.readings import reading
from urim.rules.ruleset import Offer, Outcome, Roll, Ruleset, Sheets


def offering(change: Callable[[Roll, Offer], Offer | None], **where: Any) -> Ruleset:
    """The system with the offers that match `where` changed, or (None) left out."""

    def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
        found: list[Offer] = []
        for offer in pips.offers(roll, sheet):
            matches = all(getattr(offer, name) == value for name, value in where.items())
            changed = change(roll, offer) if matches else offer
            found += [changed] if changed else []
        return tuple(found)

    return replace(PIPS, offers=offers)


def putting(**changes: Any) -> Callable[[Roll, Offer], Offer]:
    """Other values in an offer's fields."""
    return lambda roll, offer: replace(offer, **changes)


def with_outcome(change: Callable[[Outcome], Outcome]) -> Ruleset:
    """The system with its outcomes changed."""
    return replace(PIPS, outcome=lambda roll: change(pips.outcome(roll)))


calls = counting()


def moody(outcome: Outcome) -> Outcome:
    """Another margin every time."""
    return replace(outcome, margin=next(calls))


def failing(roll: Roll) -> Outcome:
    """A figure that is not there."""
    raise KeyError(roll.character)


def refusing(*given: object) -> Any:
    """A refusal, whatever is asked."""
    raise Refused("not-offered", "no")


def remembering() -> Ruleset:
    """Damage that depends on how often anything was declared: on what is in no log."""
    declared: list[object] = []

    def settle(*given: Any) -> Any:
        declared.append(given)
        return pips.settle(*given)

    def damage(roll: Roll, sheet: Sheets) -> Any:
        done = pips.damage(roll, sheet)
        gone = (*done.effects, *done.effects) if len(declared) % 2 else done.effects
        return replace(done, effects=gone)

    return replace(PIPS, settle=settle, damage=damage)


class Touchy(pips.Declaration, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A declaration that cannot be read once it is settled."""

    skill: Annotated[int, Meta(le=0)] = 0


class Unbounded(pips.Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reading with a value beyond its own bounds."""

    size: Annotated[int, reading("x", heading="x", assumed="", others=(9,), le=3)] = 1


class Idle(pips.Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reading that decides nothing."""

    colour: Annotated[bool, reading("x", heading="x", assumed="")] = True


def frozen_too(roll: Roll, offer: Offer) -> Offer:
    """A reroll of every die, frozen or not."""
    hand = roll.hand(offer.hand)
    return replace(offer, dice=tuple(die.id for die in hand.dice) if hand else ())


def due_for_ever(roll: Roll, offer: Offer) -> Offer:
    """A choice in the place of the end, again and again."""
    name = f"choice {len(roll.choices)}"
    return Offer(trigger="adjust", character=offer.character, due=True, choice=name, options=("a",))


BROKEN: dict[str, tuple[str, Ruleset]] = {
    "a reading beyond its own bounds": ("options", replace(PIPS, Options=Unbounded)),
    "an outcome that fails": ("raises", replace(PIPS, outcome=failing)),
    "an outcome by mood": ("pure", with_outcome(moody)),
    "dice of no kind": ("offers", offering(putting(dice=("d7",)), trigger="roll", options=())),
    "a throw that never ends": ("offers", offering(putting(again=range(1, 7)), trigger="roll")),
    "a hand thrown twice": ("offers", offering(putting(hand="main"), trigger="roll", hand="help")),
    "more dice than there are": (
        "offers",
        offering(putting(options=(9,)), link="", hand="main", trigger="roll"),
    ),
    "a reroll of frozen dice": ("offers", offering(frozen_too, trigger="reroll")),
    "a reroll of no die": ("offers", offering(putting(most=0, extra=0), trigger="reroll")),
    "a price beyond the purse": ("offers", offering(putting(extra_cost=("breath", 99)), extra=1)),
    "a price on no track": ("offers", offering(putting(extra_cost=("gold", 0)), extra=1)),
    "a die of another hand": ("offers", offering(putting(dice=("d99",)), trigger="freeze")),
    "a hand that is not there": ("offers", offering(putting(hand="left"), trigger="freeze")),
    "an adjustment of nothing": ("offers", offering(putting(most=0), means="nudge")),
    "a nameless adjustment": ("offers", offering(putting(means=""), means="nudge")),
    "a face that no die has": (
        "offers",
        offering(lambda r, o: replace(o, to={die: {7: 1} for die in o.dice}), means="nudge"),
    ),
    "nothing to choose": ("offers", offering(putting(options=()), choice="luck")),
    "a number to choose": ("offers", offering(putting(options=(1, 2)), choice="luck")),
    "a stranger": ("offers", offering(putting(character="c9"), trigger="resolve")),
    "a state that cannot": (
        "offers",
        offering(
            putting(trigger="freeze", hand="main", dice=("d1",)),
            trigger="roll",
            link="",
            hand="main",
        ),
    ),
    "a choice too long to make": ("fits", offering(putting(options=("x" * 201,)), choice="luck")),
    "damage that is refused": ("fits", replace(PIPS, damage=refusing)),
    "an outcome that is refused": ("fits", replace(PIPS, outcome=refusing)),
    "a die named twice": ("offers", offering(putting(dice=("d1", "d1")), trigger="reroll")),
    "no end": ("goes-on", offering(lambda roll, offer: None, trigger="resolve")),
    "an end that recedes": ("goes-on", offering(due_for_ever, trigger="resolve")),
    "due when all is over": ("goes-on", offering(putting(due=True), trigger="apply_damage")),
    "offers refused": ("goes-on", offering(refusing, trigger="resolve")),
    "a memory of its own": ("replays", remembering()),
    "a declaration not to be read again": ("evolves", replace(PIPS, Declaration=Touchy)),
    "an effect on no track": (
        "raises",
        with_outcome(lambda o: replace(o, effects=(Effect("c1", "gold", 1),))),
    ),
    "a reading that decides nothing": ("readings", replace(PIPS, Options=Idle)),
    "a reading kept back": ("listed", with_outcome(lambda o: replace(o, readings=()))),
    "a reading made up": (
        "listed",
        with_outcome(lambda o: replace(o, readings=(*o.readings, "mood"))),
    ),
}
"""What is wrong -> the law that the kit should name, and the system."""
