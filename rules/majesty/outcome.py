"""The outcome of a roll of Allies of Majesty, with every step in the words of its kind."""

from collections.abc import Mapping
from typing import Any

from ...errors import Refused
from ..readings import Consulted
from ..ruleset import Hand, Outcome, Roll, declined
from .declare import Comparison, Declaration, Reaction, compared, reaction_of
from .score import Count, count, locked, spendable, spent, unadjusted

HAND = "initiator"

WORDS: Mapping[str, Mapping[str, str]] = {
    "strike": {"positives": "hits", "neutrals": "misses", "negatives": "stops"},
    "resist": {"positives": "passes"},
    "check": {"positives": "passes"},
}
"""What each kind of roll calls its results."""


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before the dice are thrown.

    The margin is the net. Figures, in the order in which they explain the roll:

    - `kind`; `attribute`, `rating` in a Resist Check, `value`; `opponent`, `declined` (who did not
      react), `opponent_attribute`, `cost`, `spp`, `opposing_value`; `difference`, `adjustments`
    - with Adjustments: `adjusted_by`, `adjustments_used`, `adjustments_left` if any could still
      have been made, `adjusted` (die -> from, to)
    - an Epic Roll: `epic_roll` (its sign), `epic_dice` left over, `locked_dice` with Adjustments
    - of the final dice: `positives`, `twelves`, `ones`, `extra_positives`, `neutrals`, `negatives`,
      `net`, then in the words of its kind: a Strike's `hits`, `misses`, `stops`, those not
      cancelled, `defensive_hits` and `twelve_effects` (these words, and a Resist Check's values,
      are from other pages of the author's); a Check's `passes`, those not cancelled
    """
    opts = Consulted(roll.options)
    hand = roll.hand(HAND)
    if hand is None:
        raise Refused("due", "the dice have not been thrown yet", allowed=("roll",))
    compare = compared(roll, opts)
    final = count(die.face for die in hand.dice)
    figures = {
        **_compared(roll, compare),
        **_adjusted(hand, compare, opts, forced=not roll.options.fewer_adjustments),
        **_epic(hand, compare, opts),
        **_results(roll.declaration.kind, final),
    }
    return Outcome(_degree(final.net, opts), final.net, figures, opts.names)


def _degree(net: int, opts: Any) -> str:
    """The side that has results left (Results)."""
    if net:
        return "positive" if net > 0 else "negative"
    return str(opts.net_zero)


def _compared(roll: Roll, compare: Comparison) -> dict[str, Any]:
    """The two values, where they come from, and what their difference gives (Adjustments)."""
    declaration: Declaration = roll.declaration
    reaction = reaction_of(roll) or Reaction()
    figures = {
        "kind": declaration.kind,
        "attribute": declaration.attribute,
        "rating": declaration.sheet_rating if declaration.kind == "resist" else None,
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


def _adjusted(hand: Hand, compare: Comparison, opts: Any, *, forced: bool) -> dict[str, Any]:
    """Who has the Adjustments, and what was made of them; `forced`: all of them had to be made."""
    if not compare.adjustments:
        return {}
    used = spent(hand, opts)
    figures: dict[str, Any] = {"adjusted_by": compare.side, "adjustments_used": used}
    left = spendable(hand, compare.adjustments, opts) - used
    if (left > 0 or (forced and used)) and opts.fewer_adjustments:
        figures["adjustments_left"] = left
    moved = {die.id: [die.landed, die.face] for die in hand.dice if die.face != die.landed}
    return figures | ({"adjusted": moved} if moved else {})


def _epic(hand: Hand, compare: Comparison, opts: Any) -> dict[str, Any]:
    """An Epic Roll of either sign, fixed on the dice as they were thrown (Epic Rolls)."""
    thrown = unadjusted(hand)
    if abs(thrown.epic) < 2:
        return {}
    sign = "positive" if thrown.epic > 0 else "negative"
    figures: dict[str, Any] = {"epic_roll": sign, "epic_dice": abs(thrown.epic)}
    if compare.adjustments:
        figures["locked_dice"] = list(locked(hand, opts))
    return figures


def _results(kind: str, final: Count) -> dict[str, Any]:
    """The final dice counted, then in the words of the kind of roll."""
    counted = {
        "positives": final.positives,
        "twelves": final.twelves,
        "ones": final.ones,
        "extra_positives": final.extra,
        "neutrals": final.neutrals,
        "negatives": final.negatives,
        "net": final.net,
    }
    sums = {**counted, "positives": final.positives + final.extra}
    words = {word: sums[name] for name, word in WORDS[kind].items()}
    won = WORDS[kind]["positives"]
    words[f"uncancelled_{won}"] = max(0, final.net)
    if kind == "strike":
        stops = max(0, -final.net)
        words |= {
            "uncancelled_stops": stops,
            "defensive_hits": stops // 2,
            "twelve_effects": final.extra,
        }
    return counted | words
