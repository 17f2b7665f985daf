"""The outcome of a Milhamah roll, with a figure for every step that led to it."""

from collections.abc import Mapping
from typing import Any

from ...events.base import Effect
from ..readings import Consulted
from ..ruleset import Outcome, Roll, declined
from .acted import acted
from .damage import LOCATIONS, location
from .pool import INITIATOR, REACTOR, pool, reaction_of, root_of
from .score import Reply, Score, Target, prevented, score

REWARDS: Mapping[str, tuple[str, ...]] = {
    "both": ("xr", "pocket"),
    "xr": ("xr",),
    "pocket": ("pocket",),
    "none": (),
}
"""The tracks that an opponent lets grow by his successes after a botch, by what he chooses."""


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before the first throw.

    Figures, all in dice or successes, in the order in which they explain the roll:

    - always: `root`, `rating`, `x_gained` (+XR, the R of statuses), `x_modifiers`, `total` (the sum
      of these three), `x_advantage`, `x_circumstances`, `x`, `rerolls`, `letters`, `wilds`,
      `pocketed`, `advantage`, `before_bonus`, `natural`, `bonus`, `first_roll_bonus`, `successes`
    - unopposed: `difficulty`, `modifiers`, `circumstances`; `target` is their sum, at least 1
    - opposed: `opponent` and, of his side, `opponent_root`, `opponent_total`, `opponent_x`,
      `opponent_letters`, `opponent_bonus`, `opponent_advantage`, `prevented`; `target` is their sum
    - the opponent declined: `declined` (the characters that did); of his side then `opponent` alone
    - a natural root: `natural_choice`, None before it is made
    - a botch: `severity` (Wilds); opposed: `xr` (what the opponent may gain), `reward` (his choice)
    - a hit location: `letter`, `location`
    - a turn that is no attack, of one with successes in his pocket: `lapsed` (those that are lost)
    """
    opts = Consulted(roll.options)
    result = score(roll, opts)
    figures = _own(roll, result, opts)
    if isinstance(result.against, Reply):
        figures |= _replied(roll, result.against, opts)
    else:
        figures |= _needed(result.against)
    if away := declined(roll):
        figures["declined"] = list(away)
    figures["target"] = result.target
    if result.natural:
        figures["natural_choice"] = roll.choices.get("natural")
    if result.degree == "botch":
        figures |= _botched(roll, result)
    letter = location(roll, opts)
    if letter is not None:
        figures |= {"letter": letter, "location": LOCATIONS[letter]}
    if roll.declaration.idle:
        figures["lapsed"] = roll.declaration.idle if opts.pocket_lapses else 0
    effects = _effects(roll, result, opts)
    acted(roll, result, opts)
    return Outcome(result.degree, result.margin, figures, opts.names, effects)


def _own(roll: Roll, result: Score, opts: Any) -> dict[str, Any]:
    hand = roll.hand(INITIATOR)
    own = pool(roll, INITIATOR, opts)
    return {
        "root": root_of(roll, INITIATOR),
        "rating": own.rating,
        "x_gained": own.gained,
        "x_modifiers": own.modifiers,
        "total": own.total,
        "x_advantage": own.advantage,
        "x_circumstances": own.circumstances,
        "x": own.x,
        "rerolls": hand.rerolls if hand else 0,
        "letters": result.letters,
        "wilds": result.wilds,
        "pocketed": result.pocketed,
        "advantage": result.advantage,
        "before_bonus": result.before_bonus,
        "natural": result.natural,
        "bonus": result.bonus,
        "first_roll_bonus": result.first_roll_bonus,
        "successes": result.successes,
    }


def _needed(target: Target) -> dict[str, Any]:
    return {
        "difficulty": target.difficulty,
        "modifiers": target.modifiers,
        "circumstances": target.circumstances,
    }


def _replied(roll: Roll, reply: Reply, opts: Any) -> dict[str, Any]:
    if reaction_of(roll) is None:
        return {"opponent": roll.declaration.opponent, "prevented": prevented(roll)}
    theirs = pool(roll, REACTOR, opts)
    return {
        "opponent": roll.declaration.opponent,
        "opponent_root": root_of(roll, REACTOR),
        "opponent_total": theirs.total,
        "opponent_x": theirs.x,
        "opponent_letters": reply.letters,
        "opponent_bonus": reply.bonus,
        "opponent_advantage": reply.advantage,
        "prevented": prevented(roll),
    }


def _botched(roll: Roll, result: Score) -> dict[str, Any]:
    """The severity and, opposed, what the opponent may gain by it (The final results)."""
    figures: dict[str, Any] = {"severity": result.wilds}
    if isinstance(result.against, Reply):
        figures |= {"xr": result.target, "reward": roll.choices.get("reward")}
    return figures


def _effects(roll: Roll, result: Score, opts: Any) -> tuple[Effect, ...]:
    """A natural root's Merit Point (The Natural Shoresh), or what a botch gives the opponent."""
    against = isinstance(result.against, Reply)
    if result.natural and not against and roll.choices.get("natural") == "merit":
        return (Effect(roll.character, "merit", 1),)
    if result.degree != "botch" or not against or not result.target:
        return ()
    rewards = REWARDS[roll.choices.get("reward", "none")]
    if len(rewards) > 1 and opts.botch_rewards == "one":
        rewards = rewards[:1]  # both cannot have been chosen under this reading; one is left
    return tuple(Effect(roll.declaration.opponent, track, result.target) for track in rewards)
