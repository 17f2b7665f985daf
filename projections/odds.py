"""The exact distribution of what may still come of a roll, and the worth of each way to go on.

Who decides does what is best for an aim; the opponent, what is worst for it (`places`).
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Refused
from ..events.base import Thrown
from ..rules.ruleset import Offer, Roll, Ruleset, Sheets
from .aims import Aim
from .falling import falls
from .places import (
    THROWS,
    Way,
    endless,
    hands_of,
    is_plain,
    offered,
    order_of,
    place_key,
    search_of,
    thrown_hand,
    unseen,
    value,
    ways_on,
    worth_of,
)
from .rolls import showing, with_hand
from .spread import Spread


class Throw(Struct, frozen=True):
    """A throw before it falls, and what it is worth for an aim, all that follows being best.

    With `stands` dice are left as they fall. `ends`: each place that it may lead to, what that is
    worth, and how many of all throws, alike likely, lead there.
    """

    rules: Ruleset
    roll: Roll
    offer: Offer
    means: str
    stands: bool
    ends: Mapping[Hashable, tuple[Fraction, int]]

    @property
    def chances(self) -> dict[Fraction, Fraction]:
        """How likely it is worth what."""
        every = sum(many for _, many in self.ends.values())
        found: dict[Fraction, Fraction] = {}
        for worth, many in self.ends.values():
            found[worth] = found.get(worth, Fraction(0)) + Fraction(many, every)
        return found

    @property
    def expected(self) -> Fraction:
        """What it is worth before it falls."""
        return sum((worth * chance for worth, chance in self.chances.items()), Fraction(0))

    def fell(self, dice: Sequence[Thrown]) -> Fraction:
        """What it is worth once these dice have fallen.

        Raises Refused("not-offered") for dice that are none of it.
        """
        faces = self.rules.faces(self.roll.options)
        lying = thrown_hand(self.roll, self.offer, self.means, dice, stands=self.stands)
        found = self.ends.get(place_key(self.rules, with_hand(self.roll, lying)))
        if found is None or any(die.face not in faces.get(die.kind, ()) for die in dice):
            raise Refused("not-offered", f"no such dice fall in a throw of {self.offer.hand}")
        return found[0]


def odds(
    rules: Ruleset,
    roll: Roll,
    sheet: Sheets,
    aim: Aim,
    put: Mapping[str, str] = {},
    *,
    steps: int | None = None,
) -> Spread:
    """What may still come of a roll; `put`: by what means dice of a hand were put, by its name.

    With `steps` it is given up sooner: so many times a die more is added to others, at most.
    Raises Refused where a reaction is awaited, where dice are taken over from another roll, where
    they may explode for ever, and where there is too much to count; it says which number does it.
    """
    if roll.outcome is not None:
        return Spread({(roll.outcome.degree, roll.outcome.margin): 1}, 1)
    found = value(search_of(rules, roll, sheet, aim, put, steps), roll, ())
    if found is None:
        raise Refused("not-offered", "nothing is offered that leads to an end of the roll")
    return found


def ways(
    rules: Ruleset, roll: Roll, sheet: Sheets, aim: Aim, put: Mapping[str, str] = {}
) -> tuple[Way, ...]:
    """What may be decided now, the best first; empty where there is nothing to decide.

    Of what is worth as much for the aim the greater margin expected is better.
    """
    if roll.outcome is not None:
        return ()
    search = search_of(rules, roll, sheet, aim, put)
    asked = offered(rules, roll, sheet)
    found = [
        replace(way, plain=is_plain(search, roll, way)) for way in ways_on(search, roll, asked, ())
    ]
    alike = order_of(search, roll, asked)
    order = [(-worth_of(search, roll, asked, each.spread), alike(each.spread)) for each in found]
    return tuple(found[at] for at in sorted(range(len(found)), key=order.__getitem__))


def coming(
    rules: Ruleset,
    roll: Roll,
    sheet: Sheets,
    aim: Aim,
    hand: str,
    kinds: Mapping[str, str],
    put: Mapping[str, str] = {},
    *,
    steps: int | None = None,
    stands: bool = False,
) -> Throw:
    """A throw of a hand: the kinds of the dice to fall, by id; the roll is as it is before.

    `steps` as for `odds`. With `stands` this one and all that follow are left as they fall: nobody
    throws dice again or adjusts any but where some have to be, and the roll ends as soon as it may.
    Raises Refused as `odds`, and "not-offered" where the roll offers no throw of such dice.
    """
    search = search_of(rules, roll, sheet, aim, put, steps, stands=stands)
    asked = offered(rules, roll, sheet)
    throws = (each for each in asked if each.trigger in THROWS and each.hand == hand)
    offer = next(throws, None)
    lying = {die.id: die.kind for each in roll.hands if each.name == hand for die in each.dice}
    if (
        offer is None
        or offer.link
        or any(lying.get(die, kind) != kind for die, kind in kinds.items())
        or any(kind not in search.dice.faces for kind in kinds.values())
        or (offer.trigger == "reroll" and not kinds.keys() <= lying.keys())
    ):
        raise Refused("not-offered", f"the roll offers no throw of such dice of {hand}")
    if offer.trigger == "roll":
        endless(search, roll, offer)
    means = put.get(hand, "")
    before = thrown_hand(roll, offer, means, unseen(search, kinds), stands=stands)
    fold = hands_of(search, roll, before, offer.again, ()).fold
    ends: dict[Hashable, tuple[Fraction, int]] = {}
    for fallen, many in falls(
        search.dice, fold, before, [die for die in before.dice if die.id in kinds]
    ).items():
        place = with_hand(roll, showing(fallen.hand, fallen.shown))
        spread, key = value(search, place, ()), place_key(rules, place)
        if spread is None:
            raise Refused("not-offered", "nothing is offered that leads to an end of the roll")
        alike = ends[key][1] if key in ends else 0
        ends[key] = aim.worth(spread.ends, spread.of), many + alike
    return Throw(rules, roll, offer, means, stands, ends)
