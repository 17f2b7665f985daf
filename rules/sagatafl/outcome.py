"""The outcome of a Sagatafl roll: nS, f-1 or F-n; how a saving throw ends; who wins if opposed."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...errors import Refused
from ...events.base import Face
from ..readings import Consulted
from ..ruleset import Hand, Outcome, Roll, declined
from .declare import Declaration, Reaction, Side, pool
from .options import Options

INITIATOR, REACTOR = "initiator", "reactor"

FUMBLE_MOST = 6
FUMBLES: Mapping[int, str] = {2: "Minor Fumble", FUMBLE_MOST: "Disastrous Fumble"}
"""The Fumbles that the book names (Fumble); those between are plain ones."""

KIND = "d12"
FACES = tuple(range(1, 13))


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The one kind of die."""
    return {KIND: FACES}


class Result(Struct, frozen=True):
    """One side's dice against its Roll Difficulty.

    `successes`: dice that reach it. `highest`: the highest die. `short`: how far that is below the
    difficulty, 0 with a success, at most 6. `safe`: a Fumble was kept to a failure.
    """

    successes: int
    highest: int
    short: int
    safe: bool = False

    @property
    def level(self) -> int:
        """How well it went: n for nS, -1 for f-1, -n for F-n."""
        return self.successes or (-1 if self.safe else -self.short)

    @property
    def written(self) -> str:
        """The book's shorthand."""
        if self.successes:
            return f"{self.successes}S"
        return f"{'f' if self.level == -1 else 'F'}{self.level}"

    @property
    def name(self) -> str:
        """The book's name for it."""
        if self.successes:
            return "success"
        return "failure" if self.level == -1 else FUMBLES.get(-self.level, "Fumble")


def reaction_of(roll: Roll) -> Reaction | None:
    """The reaction that makes the roll opposed; None where none is given, or it was declined."""
    opponent = roll.declaration.opponent
    return next((reaction for who, reaction in roll.reactions if who == opponent), None)


def odds_note(difficulty: int) -> str:
    """A note on the odds where the dice cannot decide; "" for an RD from 2 to 12."""
    if difficulty < 2:
        return f"Every die reaches RD {difficulty}: this roll cannot fail."
    if difficulty > 12:
        return f"No die reaches RD {difficulty}: this roll cannot succeed."
    return ""


def result(side: Side, hand: Hand, options: Options, opts: Any) -> Result:
    """The hand against its side's difficulty (Successes, No Successes, Safe Rolls).

    `opts` are the options Consulted: whether a roll is Safe is only asked about a Fumble.
    """
    faces = [int(die.face) for die in hand.dice]
    highest = max(faces, default=0)
    successes = sum(face >= side.difficulty for face in faces)
    short = 0 if successes else min(FUMBLE_MOST, side.difficulty - highest)
    safe = side.safe
    if safe is None and short > 1 and side.trait in options.sense_traits:
        safe = opts.sense_rolls == "safe"
    return Result(successes, highest, short, bool(safe) and short > 1)


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before every side has thrown.

    The margin is n for nS, -1 for f-1, -n for F-n; opposed, by how much the initiator is ahead on
    the scale. Figures, in the order in which they explain the roll:

    - `trait`, `rating`, `specialisation`, `edge`, `extra_dice`, `dice`
    - `stated_rd` and `modifiers` where there are any, `rd`, `odds_note` outside RD 2 to 12
    - `successes`, or `highest_die` and `below_rd` (above 6 as well); `safe_roll` where
      that made a failure of a Fumble; `senses` of a Fumble in a Sense roll; `written`; `result`
    - opposed: the same of the opponent, each with `opponent_` before it; `scale`, `opponent_scale`;
      `assumed`
    - `declined`: who did not react, and `unopposed` where that left the roll to itself
    """
    opts = Consulted(roll.options)
    declaration: Declaration = roll.declaration
    figures, own = _side(roll, declaration, INITIATOR, opts)
    reaction, away = reaction_of(roll), declined(roll)
    if away:
        figures["declined"] = list(away)
    if reaction is not None or (away and opts.declined == "zero"):
        return _opposed(roll, reaction, figures, own, opts)
    if away:
        figures["unopposed"] = True
    degree = _saved(own) if declaration.saving_throw else own.name.lower()
    return Outcome(degree, own.level, figures, opts.names)


def _saved(own: Result) -> str:
    """Success, partial success or failure (Saving Throws)."""
    if own.level >= 2:
        return "success"
    return "failure" if own.level <= -2 else "partial success"


def _opposed(
    roll: Roll, reaction: Reaction | None, figures: dict[str, Any], own: Result, opts: Any
) -> Outcome:
    """Who is ahead and by how much; the book has no rule for it (Opposed Rolls).

    Without a reaction the opponent declined, and counts 0.
    """
    figures |= {"opponent": roll.declaration.opponent}
    ours, other = _scale(own, opts), 0
    if reaction is not None:
        their_figures, theirs = _side(roll, reaction, REACTOR, opts)
        figures |= {f"opponent_{key}": value for key, value in their_figures.items()}
        other = _scale(theirs, opts)
    figures |= {
        "scale": ours,
        "opponent_scale": other,
        "assumed": "the book leaves opposed rolls unwritten",
    }
    margin = ours - other
    degree = "won" if margin > 0 else "lost" if margin < 0 else "nothing changes"
    return Outcome(degree, margin, figures, opts.names)


def _scale(side: Result, opts: Any) -> int:
    fumble = -(abs(side.level) - 1) if opts.opposed == "scale" else 0
    return side.successes or fumble


def _side(roll: Roll, side: Side, name: str, opts: Any) -> tuple[dict[str, Any], Result]:
    """One side's figures and result."""
    hand = roll.hand(name)
    if hand is None:
        raise Refused("due", f"the {name} has not thrown yet", allowed=("roll",))
    found = result(side, hand, roll.options, opts)
    own = pool(side, opts)
    figures: dict[str, Any] = {
        "trait": side.trait,
        "rating": own.rating,
        "specialisation": side.specialisation,
        "edge": side.edge,
        "extra_dice": own.extra or None,
        "dice": own.dice,
        "stated_rd": side.rd if side.modifiers else None,
        "modifiers": side.modifiers or None,
        "rd": side.difficulty,
        "odds_note": odds_note(side.difficulty) or None,
    }
    if found.successes:
        figures["successes"] = found.successes
    else:
        below = side.difficulty - found.highest
        figures |= {
            "highest_die": found.highest,
            "below_rd": below,
            "safe_roll": found.safe or None,
        }
    if found.level < -1 and side.trait in roll.options.sense_traits:
        figures["senses"] = "misread"
    figures |= {"written": found.written, "result": found.name}
    return {key: value for key, value in figures.items() if value is not None}, found
