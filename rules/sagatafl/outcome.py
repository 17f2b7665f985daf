"""The outcome of a Sagatafl roll: nS, f-1 or F-n; how a saving throw ends; who wins if opposed."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...errors import Refused
from ...events.base import Face
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Hand, Outcome, Roll, Scored, Tally, declined, reaction_of
from .declare import Declaration, Reaction, Side, pool
from .options import Options

INITIATOR, REACTOR = "initiator", "reactor"

THEIRS = "opponent_"
"""What the names of the opponent's figures begin with."""

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
        """The number of the book's shorthand: n for nS, -1 for f-1, -n for F-n."""
        return self.successes or (-1 if self.safe else -self.short)

    @property
    def name(self) -> str:
        """The book's name for it."""
        if self.successes:
            return "success"
        return "failure" if self.level == -1 else FUMBLES.get(-self.level, "Fumble")


def certain(difficulty: int) -> str:
    """What is certain before the dice fall; "" for an RD from 2 to 12."""
    if difficulty < FACES[1]:
        return "cannot_fail"
    return "cannot_succeed" if difficulty > FACES[-1] else ""


def odds_note(difficulty: int) -> str:
    """A note on the odds where the dice cannot decide; "" for an RD from 2 to 12."""
    notes = {
        "cannot_fail": f"Every die reaches RD {difficulty}: this roll cannot fail.",
        "cannot_succeed": f"No die reaches RD {difficulty}: this roll cannot succeed.",
    }
    return notes.get(certain(difficulty), "")


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
    the scale. What its figures are is in `figures`, in the order of the roll.
    """
    opts = Consulted(roll.options)
    ended = _ended(roll, opts)
    figures = _side(roll, roll.declaration, ended.own, opts)
    away = declined(roll)
    if away:
        figures["declined"] = list(away)
    if ended.opposed:
        figures |= _opposed(roll, ended, opts)
    elif away:
        figures["unopposed"] = True
    if not ended.opposed and roll.declaration.saving_throw:
        figures["saving_throw"] = True
    return Outcome(ended.degree, ended.margin, figures, opts.names)


def scored(roll: Roll) -> Scored:
    """What `outcome` says without its figures; refused where it is."""
    ended = _ended(roll, roll.options)
    return Scored(ended.degree, ended.margin)


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """The dice that reach the RD, or how far the highest is below it (Successes, No Successes)."""
    side: Side | None = roll.declaration if hand.name == INITIATOR else reaction_of(roll)
    if side is None:
        return 0
    shown = [int(face) for face in faces.values()]
    successes = sum(face >= side.difficulty for face in shown)
    return successes or -min(FUMBLE_MOST, side.difficulty - max(shown, default=0))


class Ended(Struct, frozen=True):
    """How a roll ends: each side's result, None where there is none, and the initiator's lead."""

    own: Result
    theirs: Result | None
    opposed: bool
    degree: str
    margin: int


def _ended(roll: Roll, opts: Any) -> Ended:
    """An opposed roll goes to who is ahead; the book has no rule for it (Opposed Rolls).

    Without a reaction the opponent declined, and counts 0.
    """
    declaration: Declaration = roll.declaration
    own = _result(roll, declaration, INITIATOR, opts)
    reaction: Reaction | None = reaction_of(roll)
    if reaction is None and not (declined(roll) and opts.declined == "zero"):
        degree = _saved(own) if declaration.saving_throw else own.name.lower()
        return Ended(own, None, opposed=False, degree=degree, margin=own.level)
    theirs = None if reaction is None else _result(roll, reaction, REACTOR, opts)
    margin = _scale(own, opts) - (0 if theirs is None else _scale(theirs, opts))
    degree = "won" if margin > 0 else "lost" if margin < 0 else "nothing changes"
    return Ended(own, theirs, opposed=True, degree=degree, margin=margin)


def _saved(own: Result) -> str:
    """Success, partial success or failure (Saving Throws)."""
    if own.level >= 2:
        return "success"
    return "failure" if own.level <= -2 else "partial success"


def _opposed(roll: Roll, ended: Ended, opts: Any) -> dict[str, Value]:
    """The opponent's figures, and both places on the scale."""
    figures: dict[str, Value] = {"opponent": roll.declaration.opponent}
    ours, other = _scale(ended.own, opts), 0
    if ended.theirs is not None:
        their_figures = _side(roll, reaction_of(roll), ended.theirs, opts)
        figures |= {f"{THEIRS}{key}": value for key, value in their_figures.items()}
        other = _scale(ended.theirs, opts)
    if opts.opposed == "successes":
        figures["only_successes"] = True
    return figures | {"scale": ours, f"{THEIRS}scale": other, "assumed": True}


def _scale(side: Result, opts: Any) -> int:
    fumble = -(abs(side.level) - 1) if opts.opposed == "scale" else 0
    return side.successes or fumble


def _result(roll: Roll, side: Side, name: str, opts: Any) -> Result:
    """One side's result. Raises Refused before it has thrown."""
    hand = roll.hand(name)
    if hand is None:
        raise Refused("due", f"the {name} has not thrown yet", allowed=("roll",))
    return result(side, hand, roll.options, opts)


def _side(roll: Roll, side: Side, found: Result, opts: Any) -> dict[str, Value]:
    """One side's figures."""
    figures = _thrown(side, opts)
    if found.successes:
        figures["successes"] = found.successes
    else:
        figures |= {
            "highest_die": found.highest,
            "below_rd": side.difficulty - found.highest,
        }
    if found.safe:
        figures["safe_roll"] = True
    figures["level"] = found.level
    if found.level < -1 and side.trait in roll.options.sense_traits:
        figures["senses"] = "misread"
    return figures | {"result": found.name}


def _thrown(side: Side, opts: Any) -> dict[str, Value]:
    """What one side throws, and against which RD."""
    own = pool(side, opts)
    figures: dict[str, Value | None] = {
        "trait": side.trait,
        "rating": own.rating,
        "specialisation": side.specialisation,
        "edge": side.edge,
        "extra_dice": own.extra or None,
        "dice": own.dice,
        "stated_rd": int(side.rd) if side.modifiers else None,
        **{f"modifiers:{name}": change for name, change in side.modifiers.items()},
        "rd": side.difficulty,
    }
    if flag := certain(side.difficulty):
        figures[flag] = True
    return {key: value for key, value in figures.items() if value is not None}
