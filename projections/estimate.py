"""An estimate of what may still come of a roll in which nothing is decided: it is thrown often.

For what has too many ends to count, or none: dice that explode. The dice are drawn as those of a
table, from a seed that is always the same: so a question has one answer.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TypeAlias

from ..errors import Refused
from ..events.base import Face, Thrown
from ..events.throw import keyed
from ..rules.ruleset import Die, Hand, Offer, Roll, Ruleset, Sheets
from .places import offered
from .rolls import first_thrown, with_hand
from .spread import End, Spread

THROWS = 4_000
"""Times that a roll is thrown."""

LONGEST = 1_000
"""Times that a die is thrown again at once, at most."""


def estimate(rules: Ruleset, roll: Roll, sheet: Sheets) -> Spread:
    """How many of THROWS ended how. Raises Refused where somebody has to decide something."""
    draw, dice = keyed(bytes(32), b"urim odds\n"), count()

    def fall(faces: Sequence[Face]) -> Face:
        at, _ = draw(next(dice), len(faces))
        return faces[at]

    return Spread(Counter(_end(rules, roll, sheet, fall) for _ in range(THROWS)), THROWS)


Fall: TypeAlias = Callable[[Sequence[Face]], Face]
"""What a die of these faces shows next."""


def _end(rules: Ruleset, roll: Roll, sheet: Sheets, fall: Fall) -> End:
    while True:
        found = offered(rules, roll, sheet)
        if len(found) != 1 or found[0].options or found[0].link:
            raise Refused("out-of-range", "there is something to decide in the roll")
        (offer,) = found
        if offer.trigger == "resolve":
            scored = rules.scored(roll)
            return scored.degree, scored.margin
        if offer.trigger != "roll":
            raise Refused("out-of-range", "there is something to decide in the roll")
        roll = with_hand(roll, Hand(offer.hand, offer.character, _dice(rules, roll, offer, fall)))


def _dice(rules: Ruleset, roll: Roll, offer: Offer, fall: Fall) -> tuple[Die, ...]:
    known = rules.faces(roll.options)
    first = 1 + sum(len(hand.dice) for hand in roll.hands)

    def thrown() -> Iterator[Thrown]:
        for at, kind in enumerate(offer.dice, first):
            for _ in range(LONGEST):
                face = fall(known[kind])
                yield Thrown(f"d{at}", kind, face)
                if face not in offer.again:
                    break

    return first_thrown(thrown())
