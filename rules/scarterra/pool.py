"""How many dice a side of a Scarterra roll throws, why so many, and at what difficulty."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from ...errors import Refused
from ..ruleset import Roll
from .charts import MOST, STANDARD
from .declare import DOTS_MOST, SOAKS, Declaration, Retry, Side


class Pool(Struct, frozen=True):
    """A dice pool by what makes it up: dots by trait, then dice more (above 0) or less (below)."""

    dots: Mapping[str, int]
    modifiers: int
    action: int
    wounds: int

    @property
    def dice(self) -> int:
        """The dice thrown. Below 1 there is nothing to roll."""
        return sum(self.dots.values()) + self.modifiers + self.action + self.wounds


def pool(side: Side, opts: Any) -> Pool:
    """The dice pool of a settled declaration or reaction (Basic Dice Rolls)."""
    return Pool(
        dots=_dots(side, opts),
        modifiers=sum(side.modifiers.values()),
        action=action_penalty(side.action or 1, side.actions or 1),
        wounds=wound_penalty(side.wounds, opts) if side.wounds and pays_wounds(side, opts) else 0,
    )


def _dots(side: Side, opts: Any) -> dict[str, int]:
    if isinstance(side, Declaration) and side.blow is not None:
        known = {"Stamina": side.attribute_dots, "Armor": side.ability_dots}
        return {name: known[name] for name in SOAKS[side.blow.soak or opts.soak_by]}
    if side.dots is not None:
        return {"declared": side.dots}
    named = ((side.attribute, side.attribute_dots), (side.ability, side.ability_dots))
    return {name: dots for name, dots in named if name is not None}


def action_penalty(action: int, actions: int) -> int:
    """What one of several actions in a turn loses, 0 or below (Taking Multiple Actions)."""
    return 0 if actions == 1 else -(actions + action - 1)


def last_penalty(side: Side) -> int:
    """What the last of the turn's actions loses, 0 or below."""
    actions = side.actions or 1
    return action_penalty(actions, actions)


def pays_wounds(side: Side, opts: Any) -> bool:
    """Whether wounds take dice from this roll, as they do from all but reflexive ones.

    A reflexive roll pays only where it takes an attribute and an ability (Reflexive Dice Rolls).
    """
    if isinstance(side, Declaration) and side.blow is not None:
        both = len(_dots(side, opts)) > 1
        return both and bool(opts.soak_pays_wounds)
    return not side.reflexive or side.ability is not None


def wound_penalty(wounds: int, opts: Any) -> int:
    """What so many wounds take from a pool, 0 or below; beyond the levels as much as the last."""
    levels: tuple[int, ...] = opts.health_levels
    return levels[min(wounds, len(levels)) - 1] if wounds else 0


def out(wounds: int, opts: Any) -> bool:
    """Whether so many wounds put a character out of action."""
    return wounds > len(opts.health_levels)


def must_have_dice(side: Side, opts: Any, who: str) -> None:
    """Refuse a side that cannot be rolled: its character is out, or its pool below one die."""
    if side.wounds and out(side.wounds, opts) and pays_wounds(side, opts):
        raise Refused(
            "not-offered",
            f"{who} is out of action: {side.wounds} wounds",
            allowed=["a reflexive roll of one trait"],
        )
    found = pool(side, opts)
    whole = found.dice - found.action
    last = last_penalty(side)
    if found.dice >= 1 and whole + last < 1 and opts.actions_by == "turn":
        raise Refused(
            "out-of-range",
            f"{side.actions} actions leave no dice for the last: {whole} − {-last}",
            allowed=[f"{max(1, whole // 2)} actions"],
        )
    if found.dice < 1:
        raise Refused("out-of-range", f"a dice pool of {found.dice}", allowed=["1 or more"])
    if found.dice > DOTS_MOST:
        raise Refused(
            "out-of-range", f"a dice pool of {found.dice}", allowed=[f"at most {DOTS_MOST}"]
        )


def difficulty_of(roll: Roll, side: Side, opts: Any) -> int:
    """What a die must show to count for a side (Basic Dice Rolls).

    A helper rolls at the difficulty of the roll. Each further try is harder (Trying it Again).
    """
    if not isinstance(side, Declaration):
        if side.difficulty is not None:
            return int(side.difficulty)
        return difficulty_of(roll, roll.declaration, opts)
    base = base_difficulty(side)
    if side.retry is None or base == MOST:
        return base
    return min(MOST, base + side.retry.times * int(opts.retry_step))


def base_difficulty(declaration: Declaration) -> int:
    """The difficulty of a declared roll before it became harder by being tried again."""
    if declaration.difficulty is not None:
        return int(declaration.difficulty)
    return STANDARD if declaration.retry is None else declaration.retry.difficulty


def again(failed: Declaration) -> Declaration:
    """The same roll tried once more (Trying it Again)."""
    times = 1 + (failed.retry.times if failed.retry else 0)
    retry = Retry(difficulty=base_difficulty(failed), times=times)
    return structs.replace(failed, retry=retry)
