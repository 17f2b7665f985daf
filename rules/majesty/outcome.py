"""The outcome of a roll of Allies of Majesty, with every step in the words of its kind."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeAlias

from ...errors import Refused
from ...events.base import Face
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Hand, Outcome, Roll, Scored, Tally, declined, reaction_of
from .declare import Comparison, Declaration, Reaction, compared
from .score import COSTS, Count, count, free, locked, moved, spendable, unadjusted

HAND = "initiator"

Figures: TypeAlias = dict[str, Value]


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now, its figures as `figures.py` declares them.

    Their order is that in which they explain the roll; the margin is the net. Raises Refused before
    the dice are thrown.
    """
    opts = Consulted(roll.options)
    hand = _hand(roll)
    compare = compared(roll, opts)
    final = count(die.face for die in hand.dice)
    figures = {
        **_compared(roll, compare),
        **_adjusted(hand, compare, opts, forced=not roll.options.fewer_adjustments),
        **_epic(hand, compare, opts),
        **_results(roll.declaration.kind, final),
    }
    return Outcome(_degree(final.net, opts), final.net, figures, opts.names)


def scored(roll: Roll) -> Scored:
    """What `outcome` says without its figures; refused where it is."""
    net = count(die.face for die in _hand(roll).dice).net
    return Scored(_degree(net, roll.options), net)


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """Positives less negatives, 12s less 1s; every face where some may be adjusted (Results)."""
    if not hand.stands and compared(roll, roll.options).adjustments:
        adjusted = (die for die in hand.dice if die.landed != die.face == faces.get(die.id))
        pairs = sorted((int(die.face), int(die.landed)) for die in adjusted)
        return tuple(sorted(map(int, faces.values()))), tuple(pairs)
    shown = count(faces.values())
    return shown.positives - shown.negatives, shown.epic


def reach(roll: Roll, hand: Hand) -> tuple[Scored, ...]:
    """Every score that the Adjustments may end the roll with, the least net first (Adjustments)."""
    opts = roll.options
    most = compared(roll, opts).adjustments
    movable = {die.id for die in free(hand, opts)}
    dice = sorted(int(die.landed) for die in hand.dice if die.id in movable)
    rest = count(die.landed for die in hand.dice if die.id not in movable)
    least = 0 if opts.fewer_adjustments else spendable(hand, most, opts)
    nets = {
        rest.positives - rest.negatives + lead + max(0, rest.epic + epic)
        for lead, epic, spent in _moves(tuple(dice), most, wrap=opts.wrap)
        if spent >= least
    }
    return tuple(Scored(_degree(net, opts), net) for net in sorted(nets))


@lru_cache(maxsize=65_536)
def _moves(dice: tuple[int, ...], most: int, *, wrap: bool) -> frozenset[tuple[int, int, int]]:
    """Positives less negatives, 12s less 1s of dice that are adjusted, and what that takes."""
    if not dice:
        return frozenset({(0, 0, 0)})
    *others, face = dice
    return frozenset(
        (lead + more, epic + one, spent + price)
        for lead, epic, spent in _moves(tuple(others), most, wrap=wrap)
        for more, one, price in _steps(face, most - spent, wrap=wrap)
    )


@cache
def _steps(face: int, most: int, *, wrap: bool) -> frozenset[tuple[int, int, int]]:
    """The same of one die."""
    each = [(count((to,)), price) for to, price in COSTS[wrap][face].items() if price <= most]
    return frozenset((one.net - one.extra, one.epic, price) for one, price in each)


def _hand(roll: Roll) -> Hand:
    hand = roll.hand(HAND)
    if hand is None:
        raise Refused("due", "the dice have not been thrown yet", allowed=("roll",))
    return hand


def _degree(net: int, opts: Any) -> str:
    """The side that has results left (Results)."""
    if net:
        return "positive" if net > 0 else "negative"
    return str(opts.net_zero)


def _compared(roll: Roll, compare: Comparison) -> Figures:
    """The two values, where they come from, and what their difference gives (Adjustments)."""
    declaration: Declaration = roll.declaration
    reaction = reaction_of(roll) or Reaction()
    tenth = declaration.kind == "resist" and declaration.value is None
    figures: dict[str, Value | None] = {
        "kind": declaration.kind,
        "attribute": declaration.attribute,
        "rating": declaration.sheet_rating if tenth else None,
        "value": compare.value,
        "opponent": declaration.opponent,
        "declined": list(declined(roll)) or None,
        "opponent_attribute": reaction.attribute,
        "cost": declaration.cost if reaction.cost is None else reaction.cost,
        "spp": declaration.spp if reaction.spp is None else reaction.spp,
        "opposing_value": compare.opposing,
        "difference": None if compare.opposing is None else compare.difference,
        "adjustments": compare.adjustments,
    }
    return {key: value for key, value in figures.items() if value is not None}


def _adjusted(hand: Hand, compare: Comparison, opts: Any, *, forced: bool) -> Figures:
    """Who has the Adjustments, and what was made of them; `forced`: all of them had to be made."""
    if not compare.adjustments:
        return {}
    each = moved(hand, opts)
    used = sum(each.values())
    figures: Figures = {
        **({"adjusted_by": compare.side} if compare.side else {"narrator_adjusts": True}),
        **{f"moved:{die}": steps for die, steps in each.items()},
        "adjustments_used": used,
    }
    able = spendable(hand, compare.adjustments, opts)
    if able < compare.adjustments:
        figures["dice_can_take"] = able
    if (able > used or (forced and used)) and opts.fewer_adjustments:
        figures["adjustments_left"] = able - used
    return figures


def _epic(hand: Hand, compare: Comparison, opts: Any) -> Figures:
    """An Epic Roll of either sign, fixed on the dice as they were thrown (Epic Rolls)."""
    thrown = unadjusted(hand)
    if not thrown.is_epic:
        return {}
    figures: Figures = {
        "thrown_twelves": thrown.twelves,
        "thrown_ones": thrown.ones,
        "epic_roll": "positive" if thrown.epic > 0 else "negative",
        "epic_dice": abs(thrown.epic),
    }
    if compare.adjustments:
        figures["locked_dice"] = list(locked(hand, opts))
    return figures


def _results(kind: str, final: Count) -> Figures:
    """The final dice counted, then in the words of the kind of roll."""
    counted: Figures = {
        "positives": final.positives,
        "twelves": final.twelves,
        "ones": final.ones,
        "extra_positives": final.extra,
        "neutrals": final.neutrals,
        "negatives": final.negatives,
        "net": final.net,
    }
    good, left = final.positives + final.extra, max(0, final.net)
    if kind != "strike":
        return {**counted, "passes": good, "uncancelled_passes": left}
    stops = max(0, -final.net)
    return {
        **counted,
        "hits": good,
        "misses": final.neutrals,
        "stops": final.negatives,
        "uncancelled_hits": left,
        "uncancelled_stops": stops,
        "defensive_hits": stops // 2,
        "twelve_effects": final.extra,
    }
