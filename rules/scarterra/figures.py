"""What each side of a Scarterra roll threw and scored, as figures of its outcome."""

from typing import Any

from ..ruleset import Roll
from .charts import DIFFICULTIES, HARDLY_WORTH_ROLLING
from .declare import Declaration, Side
from .pool import difficulty_of, pays_wounds, pool
from .score import INITIATOR, REACTOR, Round, Score, sides


def side_figures(roll: Roll, side: Side, opts: Any) -> dict[str, Any]:
    """What a side throws, and at what difficulty."""
    found = pool(side, opts)
    difficulty = difficulty_of(roll, side, opts)
    figures: dict[str, Any] = {"dots": dict(found.dots)}
    if side.modifiers:
        figures["modifiers"] = dict(side.modifiers)
    if found.action:
        figures["action"] = f"{side.action or 1} of {side.actions}"
        figures["action_penalty"] = found.action
    if side.wounds and pays_wounds(side, opts):
        figures |= {"wounds": side.wounds, "wound_penalty": found.wounds}
    figures |= {"pool": found.dice, "difficulty": difficulty}
    if difficulty in DIFFICULTIES:
        figures["difficulty_called"] = DIFFICULTIES[difficulty].name
    else:
        figures["hardly_worth_rolling"] = HARDLY_WORTH_ROLLING[difficulty]
    if isinstance(side, Declaration) and side.retry is not None:
        figures["further_try"] = side.retry.times
    return figures


def scored(score: Score) -> dict[str, Any]:
    """What a hand came to; `botch` only where it is one."""
    figures: dict[str, Any] = {"successes": score.successes, "ones": score.ones, "net": score.net}
    return figures | ({"botch": True} if score.botched else {})


def company(roll: Roll, opts: Any, only: Round | None = None) -> dict[str, Any]:
    """What the other sides throw, and in a roll that is made once what they scored."""
    figures: dict[str, Any] = {}
    for number, (hand, (who, side)) in enumerate(sides(roll).items()):
        if hand == INITIATOR:
            continue
        theirs = side_figures(roll, side, opts)
        if only is not None and hand in only.scores:
            theirs |= scored(only.scores[hand])
        if hand == REACTOR:
            figures["opponent"] = who
            figures |= {f"opponent_{key}": value for key, value in theirs.items()}
        else:
            figures[f"helper_{number}"] = {"helper": who, **theirs}
    return figures


def told(roll: Roll, each: Round) -> dict[str, Any]:
    """A round of one character in full; of several each one's net successes, or that it botched."""
    others = sides(roll)
    if len(others) == 1:
        return scored(each.own)
    return {
        "net": [
            [others[hand][0], "botch" if score.botched else score.net]
            for hand, score in each.scores.items()
        ]
    }
