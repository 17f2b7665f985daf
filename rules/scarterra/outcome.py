"""The outcome of a Scarterra roll, with a figure for every step that led to it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...errors import Refused
from ..readings import Consulted
from ..ruleset import Outcome, Roll, declined
from .declare import Declaration, Side
from .options import DIFFICULTIES, HARDLY_WORTH_ROLLING, degree_of
from .score import (
    INITIATOR,
    REACTOR,
    Round,
    Score,
    Standing,
    reactions,
    resisted,
    rounds,
    sides,
    standing,
)
from .settle import difficulty_of, last_penalty, pays_wounds, pool

FAILED = ("failure", "botch", "standoff")
"""The degrees of a character that has not done what it wanted."""


class Result(Struct, frozen=True):
    """A degree, a margin, and the figures that lead to them."""

    degree: str
    margin: int
    figures: Mapping[str, Any]


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before the first throw.

    A hand that is still missing counts as no successes and is named in `waiting_for`. The margin is
    the net successes; of a resisted roll the lead; of an extended one what is beyond its target.
    Figures, without the empty ones, in the order in which they explain the roll:

    - always: `kind`, `dots` by trait, `pool` (dice), `difficulty`; what else makes the pool:
      `modifiers`, `action` and `action_penalty`, `wounds` and `wound_penalty`; `difficulty_called`,
      `further_try` (which), `hardly_worth_rolling`
    - of a soak: `attack` (net successes of the hit)
    - not extended: `successes`, `ones`, `net`
    - resisted: `opponent` and the same of his with `opponent_` before, of one who declined only
      `opponent_net`; not extended: `winner`, `winner_successes`, `winner_degree`
    - cooperative: `helper_1` … with the same of each helper, `together` (the sum)
    - extended: `target`, `deadline` (rolls), `round_1` … with what each added and the total before
      and after it, `total`, `percent`; resisted: `leader`, and `sums` (what either side gathered
      itself) where these count; `ruined`, `deadline_missed`
    - `declined`: who did not react; `for_example`: the chart's example of the degree
    """
    opts = Consulted(roll.options)
    if roll.hand(INITIATOR) is None:
        raise Refused("due", "the initiator has not thrown yet", allowed=["roll"])
    played = rounds(roll, opts)
    figures: dict[str, Any] = {"kind": kind(roll, opts)}
    figures |= side_figures(roll, roll.declaration, opts)
    _turn_read(roll, opts)
    if roll.declaration.blow is not None:
        figures["attack"] = roll.declaration.blow.attack
    if roll.declaration.target is None:
        result = _at_once(roll, played[0], opts)
    else:
        result = _by_and_by(roll, played, opts)
    figures |= result.figures
    if away := declined(roll):
        figures["declined"] = list(away)
    if played[-1].waiting:
        figures["waiting_for"] = list(played[-1].waiting)
    return Outcome(result.degree, result.margin, figures, opts.names)


def kind(roll: Roll, opts: Any) -> str:
    """The book's name for the kind of roll."""
    declared: Declaration = roll.declaration
    if declared.reflexive:
        return "soak" if declared.blow else "reflexive"
    with_whom = "simple"
    if resisted(roll, opts):
        with_whom = "resisted"
    elif reactions(roll):
        with_whom = "cooperative"
    if declared.target is None:
        return with_whom
    return "extended" if with_whom == "simple" else f"{with_whom} and extended"


def _turn_read(roll: Roll, opts: Any) -> None:
    """Look up how a turn's pools are judged where the other reading would refuse this roll."""
    for _, side in sides(roll).values():
        found = pool(side, opts)
        if found.dice - found.action + last_penalty(side) < 1:
            _ = opts.actions_by


def _at_once(roll: Roll, only: Round, opts: Any) -> Result:
    """A roll that is made once (Simple Rolls)."""
    figures = scored(only.own) | company(roll, opts, only)
    if resisted(roll, opts):
        return _resisted(roll, only, figures, opts)
    if len(sides(roll)) == 1:
        if only.own.botched:
            return Result("botch", only.own.net, figures)
        return _by_chart(roll, only.own.net, figures)
    figures["together"] = only.gained
    if only.botched(opts):
        return Result("botch", 0, figures)
    return _by_chart(roll, only.gained, figures)


def _by_chart(roll: Roll, net: int, figures: Mapping[str, Any]) -> Result:
    """The chart's degree, or only success where the degree is no matter (Degrees of Success)."""
    if net < 1:
        return Result("failure", net, figures)
    if roll.declaration.binary:
        return Result("success", net, figures)
    line = degree_of(net)
    if roll.declaration.blow is None:  # of a soak only the number counts
        figures = {**figures, "for_example": line.example}
    return Result(line.name, net, figures)


def _resisted(roll: Roll, only: Round, figures: Mapping[str, Any], opts: Any) -> Result:
    """The higher side wins by the difference (Resisted Rolls)."""
    opponent = roll.declaration.opponent
    lead = only.gained
    if lead > 0:
        return _by_chart(roll, lead, _won(roll, roll.character, lead, figures))
    if lead < 0:
        degree = "botch" if only.own.botched else "failure"
        return Result(degree, lead, _won(roll, opponent, -lead, figures))
    if only.own.counted == 0:
        return Result("botch" if only.own.botched else "failure", 0, figures)
    if opts.resisted_tie == "neither":
        return Result("standoff", 0, figures)
    if opts.resisted_tie == "defender":
        return Result("failure", 0, _won(roll, opponent, 0, figures))
    barely = "success" if roll.declaration.binary else degree_of(1).name
    return Result(barely, 0, _won(roll, roll.character, 0, figures))


def _won(roll: Roll, who: str, lead: int, figures: Mapping[str, Any]) -> dict[str, Any]:
    found = {**figures, "winner": who, "winner_successes": lead}
    if lead and not roll.declaration.binary:
        found["winner_degree"] = degree_of(lead).name
    return found


def _by_and_by(roll: Roll, played: tuple[Round, ...], opts: Any) -> Result:
    """A roll of several rounds (Extended Rolls)."""
    found = standing(roll, played, opts)
    figures = company(roll, opts) | {"target": roll.declaration.target}
    if roll.declaration.deadline:
        figures["deadline"] = roll.declaration.deadline
    before = 0
    for each, total in zip(played, found.totals, strict=False):
        figures[f"round_{each.number}"] = {**round_figures(roll, each), "total": [before, total]}
        before = total
    figures["total"] = found.total
    if found.end == "late":
        figures["deadline_missed"] = True
    if found.sums:
        figures["sums"] = list(found.sums[-1])
    return (_contest if resisted(roll, opts) else _work)(roll, found, figures)


def _work(roll: Roll, found: Standing, figures: dict[str, Any]) -> Result:
    """A long project: done, given up with a part of it done, or ruined."""
    target = roll.declaration.target
    figures["percent"] = min(100, 100 * found.total // target)
    margin = found.total - target
    if found.end == "ruined":
        return Result("botch", margin, {**figures, "ruined": True})
    if found.end == "reached":
        return Result("success", margin, figures)
    return Result("partial success" if found.total else "failure", margin, figures)


def _contest(roll: Roll, found: Standing, figures: dict[str, Any]) -> Result:
    """A running total that either side may win by (Resisted Rolls)."""
    degrees = {"reached": "success", "lost": "failure"}
    if found.total:
        leads = roll.character if found.total > 0 else roll.declaration.opponent
        figures["leader"] = leads
    return Result(degrees.get(found.end, "undecided"), found.total, figures)


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
    """A hand's score; `botch` only where it is one."""
    figures: dict[str, Any] = {"successes": score.successes, "ones": score.ones, "net": score.net}
    return figures | ({"botch": True} if score.botched else {})


def company(roll: Roll, opts: Any, only: Round | None = None) -> dict[str, Any]:
    """What the other sides throw, and in a roll that is made once what they scored."""
    figures: dict[str, Any] = {}
    opponent = roll.declaration.opponent
    if opponent in declined(roll) and resisted(roll, opts):
        figures |= {"opponent": opponent, "opponent_net": 0}
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


def round_figures(roll: Roll, each: Round) -> dict[str, Any]:
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
