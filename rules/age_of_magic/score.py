"""From points to a result in Age of Magic: basic value, risk, luck, and the throw that counts."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from ...events.base import Face
from ..ruleset import Hand, Roll, Tally
from .declare import SCORES, Declaration, Fate, further, halves, penalty
from .options import Options

PER_DIE = 6  # "Dice rolls": three points for one D, in half points
FIRST, SECOND = "first", "second"


class Part(Struct, frozen=True):
    """One part of the basic value: the key of its figure, and how many half points it adds."""

    figure: str
    halves: int


class Result(Struct, frozen=True):
    """The result of one throw, in half points: as the dice fell, and under the ceiling."""

    hand: Hand
    fell: int
    counts: int


class Standing(Struct, frozen=True):
    """The throws that were made, and the place of the one that counts, or *stands*.

    `chosen`: which of two results that differ is wanted.
    """

    throws: tuple[Result, ...]
    stands: int
    chosen: Literal["", "higher", "lower"] = ""

    @property
    def result(self) -> int:
        """The result that counts, in half points."""
        return self.throws[self.stands].counts


def parts(roll: Roll) -> tuple[Part, ...]:
    """What the basic value is made of, in the order in which it is explained.

    Scores are always there, everything else only where it changes the value.
    """
    declared: Declaration = roll.declaration
    tired, off = penalty(declared.tired)
    scores = [
        Part(f"{field}:{name}", getattr(declared, f"{field}_halves"))
        for field in SCORES
        if (name := getattr(declared, field))
    ]
    more = zip(further(declared), declared.specialisms_halves or (), strict=True)
    scores[2:2] = [Part(f"specialism:{name}", points) for name, points in more]
    others = [
        *_of_the_hit(declared),
        *(
            Part(f"modifiers:{name}", halves(name, value))
            for name, value in declared.modifiers.items()
        ),
        Part("talent", 4 * declared.talent),
        Part("limitation", -4 * declared.limitation),
        Part("push", 6 * declared.push),
        Part("no_knowledge", -6 * declared.no_knowledge),
        Part(f"tiredness:{tired}", off),
        *(
            Part(fate if who == roll.character else f"{fate}_of_others:{who}", 2 * modifier)
            for who, fate, modifier in fates(roll)
        ),
    ]
    return (*scores, *(part for part in others if part.halves))


def _of_the_hit(declared: Declaration) -> tuple[Part, ...]:
    """What an attack adds to its damage: the weapon, and ½ for every whole point of its margin."""
    if declared.kind != "damage":
        return ()
    points = declared.margin_halves // 2
    return Part("weapon", halves("weapon", declared.weapon)), Part("margin_of_the_hit", points)


def fates(roll: Roll) -> tuple[tuple[str, Fate, int], ...]:
    """All luck and unluck on the roll: by character, which, and the points that it adds.

    Luck that was declined adds nothing.
    """
    own = roll.declaration.luck
    found: list[tuple[str, Fate, int]] = [(roll.character, "luck", own)] if own else []
    found += [(who, each.fate, each.modifier) for who, each in roll.reactions if each is not None]
    return tuple(found)


def basic(roll: Roll) -> int:
    """The basic value in half points; it may be negative."""
    return sum(part.halves for part in parts(roll))


def most_risk(roll: Roll) -> int:
    """How many dice of risk may be chosen."""
    options: Options = roll.options
    return paid_for(roll) + options.overdraw_dice


def paid_for(roll: Roll) -> int:
    """How many dice of risk the basic value pays for."""
    return max(basic(roll), 0) // PER_DIE


def wish(roll: Roll, opts: Any) -> int:
    """Which of two results counts: the higher (1), the lower (-1), no second throw (0)."""
    wishes = [_wished(roll, opts, *fate) for fate in fates(roll)]
    total = sum(wishes)
    if total and len(set(wishes)) > 1 and opts.luck_v_unluck == "cancel":
        return 0
    return (total > 0) - (total < 0)


def _wished(roll: Roll, opts: Any, who: str, fate: Fate, modifier: int) -> int:
    """The result that one piece of luck or unluck is for: the higher (1) or the lower (-1)."""
    by_role = 1 if (who == roll.character) == (fate == "luck") else -1
    by_modifier = 1 if modifier > 0 else -1
    if by_role != by_modifier and opts.best_result == "by_modifier":
        return by_modifier
    return by_role


def second_risk(roll: Roll, opts: Any) -> tuple[int, ...]:
    """The numbers of dice of a second throw; empty where there is none.

    Without dice the result of both throws would be the basic value, so there is no second one.
    """
    first = roll.hand(FIRST)
    if first is None or not most_risk(roll) or not _twice(roll, opts):
        return ()
    if opts.same_n_twice:
        return (len(first.dice),) if first.dice else ()
    return tuple(range(most_risk(roll) + 1))


def _twice(roll: Roll, opts: Any) -> bool:
    return len(fates(roll)) == 1 or wish(roll, opts) != 0


def standing(roll: Roll, opts: Any) -> Standing:
    """The results of the throws, and the one that counts; at least one has been made."""
    value = basic(roll)
    throws = tuple(_result(value, hand, opts) for hand in roll.hands)
    counts = [throw.counts for throw in throws]
    if len(set(counts)) == 1:
        return Standing(throws, 0)
    if wish(roll, opts) < 0:
        return Standing(throws, counts.index(min(counts)), "lower")
    return Standing(throws, counts.index(max(counts)), "higher")


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """The sum of the dice of risk ("Dice rolls")."""
    return sum(map(int, faces.values()))


def _result(value: int, hand: Hand, opts: Any) -> Result:
    """(basic − 3n) + the sum of n dice; the ceiling is looked up only where it cuts."""
    fell = value - PER_DIE * len(hand.dice) + 2 * sum(int(die.face) for die in hand.dice)
    cut = fell > value and opts.ceiling == "basic"
    return Result(hand, fell, value if cut else fell)
