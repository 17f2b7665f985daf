"""The outcome of a Scarterra roll, with the figures that lead to it."""

from typing import Any, TypeAlias

from msgspec import Struct

from ...errors import Refused
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Outcome, Roll, Scored, declined
from .declare import Declaration, Side
from .options import DIFFICULTIES, HARDLY_WORTH_ROLLING, MOST, degree_of, example_of
from .score import (
    INITIATOR,
    REACTOR,
    Round,
    Standing,
    reactions,
    resisted,
    rounds,
    sides,
    standing,
)
from .settle import base_difficulty, difficulty_of, last_penalty, pays_wounds, pool

FAILED = ("failure", "botch", "standoff")
"""The degrees of a character that has not done what it wanted."""


Figures: TypeAlias = dict[str, Value]


class Result(Struct, frozen=True):
    """A degree and a margin; who won, where somebody did."""

    degree: str
    margin: int
    winner: str | None = None


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before the first throw.

    A hand that is still missing counts as no successes; its thrower is in `waiting_for`. The margin
    is the net successes; of a resisted roll the lead; of an extended one what is beyond its target.
    Figures, without the empty ones, in the order in which they explain the roll:

    - always: `kind`, `dots` by trait or `declared_dots`, `pool` (dice), `difficulty`; what else
      makes the pool: `modifiers` by name, `action` of `actions` and `action_penalty`, `wounds` and
      `wound_penalty`; `difficulty_called` or `hardly_worth_rolling`
    - of a `further_try` (which): `first_difficulty`, and how much `harder_each` makes it `harder`
    - of a soak: `attack` (net successes of the hit)
    - not extended: `successes`, `ones`, `net`, `botch`
    - resisted: `opponent` and the same of his with `opponent_` before, of one who declined only
      `opponent_net`; not extended: `winner`, `winner_successes`, `winner_degree`
    - cooperative: the same of each helper with `helper_` before and the helper's id as first part;
      not extended: `together` (the sum)
    - extended: `target`, `deadline` (rolls); by round and thrower `round_successes`, `round_ones`,
      `round_net` and `round_botch`, of several only the net, or that it is a botch; by round
      `round_lost` (by a botch) and `round_total`; `total`, `percent`; resisted: `gathered` and
      `opponent_gathered` (what either side has itself, where that counts), `leader` and `lead`;
      `ruined`, `deadline_missed`
    - `below_zero`: whether net successes below 0 count
    - `declined`: who did not react; `for_example`: the chart's example of the degree
    """
    opts = Consulted(roll.options)
    played = _played(roll, opts)
    figures: Figures = {"kind": kind(roll, opts), **side_figures(roll, INITIATOR, opts)}
    _turn_read(roll, opts)
    if roll.declaration.blow is not None:
        figures["attack"] = roll.declaration.blow.attack
    if roll.declaration.target is None:
        result = _at_once(roll, played[0], opts)
        figures |= _at_once_figures(roll, played[0], result, opts)
    else:
        found = standing(roll, played, opts)
        result = _by_and_by(roll, found, opts)
        figures |= _by_and_by_figures(roll, played, found, opts)
    if below_zero(opts):
        figures["below_zero"] = True
    if away := declined(roll):
        figures["declined"] = list(away)
    if played[-1].waiting:
        figures["waiting_for"] = waiting(roll, played[-1])
    return Outcome(result.degree, result.margin, figures, opts.names)


def scored(roll: Roll) -> Scored:
    """What `outcome` says without its figures; refused where it is."""
    opts = roll.options
    played = _played(roll, opts)
    if roll.declaration.target is None:
        result = _at_once(roll, played[0], opts)
    else:
        result = _by_and_by(roll, standing(roll, played, opts), opts)
    return Scored(result.degree, result.margin)


def _played(roll: Roll, opts: Any) -> tuple[Round, ...]:
    """Every round that has begun. Raises Refused before the first throw."""
    if roll.hand(INITIATOR) is None:
        raise Refused("due", "the initiator has not thrown yet", allowed=["roll"])
    return rounds(roll, opts)


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
            opts.used("actions_by")


# --- made once ------------------------------------------------------------------------------------


def _at_once(roll: Roll, only: Round, opts: Any) -> Result:
    """A roll that is made once (Simple Rolls)."""
    if resisted(roll, opts):
        return _resisted(roll, only, opts)
    if len(sides(roll)) == 1:
        return Result("botch", only.own.net) if only.own.botched else _by_chart(roll, only.own.net)
    together = only.gained(opts)
    return Result("botch", 0) if only.botched(opts) else _by_chart(roll, together)


def _by_chart(roll: Roll, net: int, winner: str | None = None) -> Result:
    """The chart's degree, or only success where the degree is no matter (Degrees of Success)."""
    if net < 1:
        return Result("failure", net)
    return Result("success" if roll.declaration.binary else degree_of(net), net, winner)


def _resisted(roll: Roll, only: Round, opts: Any) -> Result:
    """The higher side wins by the difference (Resisted Rolls)."""
    opponent = roll.declaration.opponent
    lead = only.gained(opts)
    if lead > 0:
        return _by_chart(roll, lead, roll.character)
    if lead < 0:
        return Result("botch" if only.own.botched else "failure", lead, opponent)
    if only.own.botched:
        return Result("botch", 0)
    if only.own.net <= 0 and (REACTOR not in only.scores or opts.tie_at_zero == "failure"):
        return Result("failure", 0)
    if opts.resisted_tie == "neither":
        return Result("standoff", 0)
    if opts.resisted_tie == "defender":
        return Result("failure", 0, opponent)
    return Result("success" if roll.declaration.binary else degree_of(1), 0, roll.character)


def _at_once_figures(roll: Roll, only: Round, result: Result, opts: Any) -> Figures:
    """Everybody's dice, the sum of several or who won by what, and the chart's example."""
    figures = scored_figures(only, INITIATOR, roll) | company(roll, opts, only)
    if len(sides(roll)) > 1 and not resisted(roll, opts):
        figures["together"] = only.gained(opts)
    if result.winner is not None:
        lead = abs(result.margin)
        figures |= {"winner": result.winner, "winner_successes": lead}
        if lead and not roll.declaration.binary:
            figures["winner_degree"] = degree_of(lead)
    charted = result.margin > 0 and not roll.declaration.binary
    if charted and roll.declaration.blow is None:  # of a soak only the number counts
        figures["for_example"] = example_of(result.margin)
    return figures


# --- in rounds ------------------------------------------------------------------------------------


def _by_and_by(roll: Roll, found: Standing, opts: Any) -> Result:
    """A roll of several rounds (Extended Rolls)."""
    return _contest(found) if resisted(roll, opts) else _work(roll, found)


def _work(roll: Roll, found: Standing) -> Result:
    """A long project: done, given up with a part of it done, or ruined."""
    margin = found.total - roll.declaration.target
    if found.end == "ruined":
        return Result("botch", margin)
    if found.end == "reached":
        return Result("success", margin)
    return Result("partial success" if found.total else "failure", margin)


def _contest(found: Standing) -> Result:
    """A running total that either side may win by (Resisted Rolls)."""
    degrees = {"reached": "success", "lost": "failure"}
    return Result(degrees.get(found.end, "undecided"), found.total)


def _by_and_by_figures(
    roll: Roll, played: tuple[Round, ...], found: Standing, opts: Consulted
) -> Figures:
    """The target, every round with its total, and how far all of them are."""
    figures = company(roll, opts) | {"target": roll.declaration.target}
    if roll.declaration.deadline:
        figures["deadline"] = roll.declaration.deadline
    before = 0
    for each, total in zip(played, found.totals, strict=False):
        counts = below_zero(opts) and each.number not in found.spoilt
        figures |= round_figures(roll, each, below=counts)
        if each.number in found.spoilt:
            figures[f"round_lost:{each.number}"] = before
        figures[f"round_total:{each.number}"] = total
        before = total
    figures["total"] = found.total
    if found.end == "late":
        figures["deadline_missed"] = True
    if found.sums:
        figures["gathered"], figures["opponent_gathered"] = found.sums[-1]
    return figures | (_ahead if resisted(roll, opts) else _done)(roll, found)


def _done(roll: Roll, found: Standing) -> Figures:
    """How much of a long project is done."""
    figures: Figures = {"percent": min(100, 100 * found.total // roll.declaration.target)}
    return {**figures, "ruined": True} if found.end == "ruined" else figures


def _ahead(roll: Roll, found: Standing) -> Figures:
    """Who leads in a contest, and by how much."""
    if not found.total:
        return {}
    leads = roll.character if found.total > 0 else roll.declaration.opponent
    return {"leader": leads, "lead": abs(found.total)}


# --- figures --------------------------------------------------------------------------------------


def key_of(hand: str, who: str) -> tuple[str, str]:
    """What a side's keys begin with, and what is behind a figure's name, by its hand."""
    known = {INITIATOR: ("", ""), REACTOR: ("opponent_", "")}
    return known.get(hand, ("helper_", f":{who}"))


def side_figures(roll: Roll, hand: str, opts: Any) -> Figures:
    """What a side throws, and at what difficulty."""
    who, side = sides(roll)[hand]
    begins, ends = key_of(hand, who)
    found = pool(side, opts)
    difficulty = difficulty_of(roll, side, opts)
    figures: Figures = {f"dots{ends}:{trait}": dots for trait, dots in found.dots.items()}
    if side.dots is not None:
        figures = {f"declared_dots{ends}": side.dots}
    figures |= {f"modifiers{ends}:{name}": dice for name, dice in side.modifiers.items()}
    if found.action:
        figures[f"action{ends}"], figures[f"actions{ends}"] = side.action or 1, side.actions or 1
        figures[f"action_penalty{ends}"] = found.action
    if side.wounds and pays_wounds(side, opts):
        figures |= {f"wounds{ends}": side.wounds, f"wound_penalty{ends}": found.wounds}
    figures[f"pool{ends}"] = found.dice
    figures |= _further_try(side, opts)
    figures[f"difficulty{ends}"] = difficulty
    if difficulty in DIFFICULTIES:
        figures[f"difficulty_called{ends}"] = DIFFICULTIES[difficulty].name
    else:
        figures[f"hardly_worth_rolling{ends}"] = HARDLY_WORTH_ROLLING[difficulty].name
    return {f"{begins}{key}": value for key, value in figures.items()}


def _further_try(side: Side, opts: Any) -> Figures:
    """Which try a roll is, and what makes it harder (Trying it Again)."""
    if not isinstance(side, Declaration) or side.retry is None:
        return {}
    first, times = base_difficulty(side), side.retry.times
    figures: Figures = {"further_try": times, "first_difficulty": first}
    if first < MOST:
        step = int(opts.retry_step)
        figures |= {"harder_each": step, "harder": times * step}
    return figures


def scored_figures(only: Round, hand: str, roll: Roll) -> Figures:
    """A hand's score; `botch` only where it is one."""
    score = only.scores[hand]
    begins, ends = key_of(hand, sides(roll)[hand][0])
    figures: Figures = {"successes": score.successes, "ones": score.ones, "net": score.net}
    figures |= {"botch": True} if score.botched else {}
    return {f"{begins}{name}{ends}": value for name, value in figures.items()}


def company(roll: Roll, opts: Any, only: Round | None = None) -> Figures:
    """What the other sides throw, and in a roll that is made once what they scored."""
    figures: Figures = {}
    opponent = roll.declaration.opponent
    if opponent in declined(roll) and resisted(roll, opts):
        figures |= {"opponent": opponent, "opponent_net": 0}
    for hand, (who, _) in sides(roll).items():
        if hand == INITIATOR:
            continue
        if hand == REACTOR:
            figures["opponent"] = who
        figures |= side_figures(roll, hand, opts)
        if only is not None and hand in only.scores:
            figures |= scored_figures(only, hand, roll)
    return figures


def below_zero(opts: Consulted) -> bool:
    """Whether somebody's net successes below 0 have counted."""
    return "below_zero" in opts.names and opts.below_zero == "counts"


def round_figures(roll: Roll, each: Round, *, below: bool) -> Figures:
    """A round of one character in full; of several each one's net successes, or that it botched.

    Where those `below` 0 count, of one who botched too. So the longest roll of the most helpers is
    still one event (`limits.PAYLOAD`).
    """
    figures: Figures = {}
    throwing = sides(roll)
    for hand, score in each.scores.items():
        of = f"{each.number}:{throwing[hand][0]}"
        if len(throwing) == 1:
            figures |= {f"round_successes:{of}": score.successes, f"round_ones:{of}": score.ones}
        if len(throwing) == 1 or below or not score.botched:
            figures[f"round_net:{of}"] = score.net
        if score.botched and (len(throwing) == 1 or not below):
            figures[f"round_botch:{of}"] = True
    return figures


def waiting(roll: Roll, last: Round) -> list[str]:
    """Who still has to throw in the round."""
    return [who for hand, (who, _) in sides(roll).items() if hand not in last.scores]
