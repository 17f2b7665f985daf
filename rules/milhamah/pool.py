"""How many dice a side of a Milhamah roll may reroll and flip, and what gave them to it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, structs

from ..ruleset import Hand, Roll, declined, reaction_of
from .declare import CIRCUMSTANCES, Circumstance, Declaration, Reaction

INITIATOR, REACTOR, LOCATION = "initiator", "reactor", "location"
FIRST_THROW = 8  # "The basic roll mechanic": normally eight dice
COUNTER = "counter"
"""How a counter follows the roll that failed."""


class Pool(Struct, frozen=True, kw_only=True):
    """The book's X of one side, in dice, by what makes it up.

    `gained`: +XR and the R of statuses. `modifiers`: advantages less disadvantages, when opposed;
    `circumstances`: those of an attack, when opposed.
    """

    rating: int
    gained: int = 0
    modifiers: int = 0
    advantage: int = 0
    circumstances: int = 0

    @property
    def total(self) -> int:
        """Attribute + skill + modifiers (Reroll chance)."""
        return self.rating + self.gained + self.modifiers

    @property
    def added(self) -> tuple[int, int, int]:
        """What adds to the rating, or takes from it."""
        return self.gained, self.modifiers, self.circumstances

    @property
    def x(self) -> int:
        """Dice that may be rerolled, at least 0; a hand may have fewer unfrozen."""
        return max(0, self.total + self.advantage + self.circumstances)


def opposed(roll: Roll, opts: Any) -> bool:
    """Whether the roll is measured against an opponent's successes, not against a target.

    It is where he reacts. Where he declined it depends: in combat he may count as one who reacted
    and scored nothing (Opposed Rolls, step 2).
    """
    if reaction_of(roll) is not None:
        return True
    declaration: Declaration = roll.declaration
    if not declaration.combat or declaration.opponent not in declined(roll):
        return False
    return bool(opts.declined == "nothing")


def side_of(roll: Roll, hand: str) -> Declaration | Reaction:
    """What was declared for a hand, initiator's or reactor's: a settled record."""
    declared: Declaration = roll.declaration
    return declared if hand != REACTOR else reaction_of(roll) or Reaction(root="")


def root_of(roll: Roll, hand: str) -> str:
    """The folded root that a hand tries to spell."""
    return side_of(roll, hand).root or ""


def pool(roll: Roll, hand: str, opts: Any) -> Pool:
    """The X of a hand (Reroll chance).

    In an opposed roll the higher total adds its advantage, and what makes an attack harder takes
    from the attacker's dice what it would add to a target.
    """
    if reaction_of(roll) is None:
        return _alone(roll, hand, opts)
    own, other = _sides(roll, hand, opts)
    lead, already = _ahead(own, other, opts)
    adds = lead > already and opts.advantage_adds_to == "reroll"
    return structs.replace(own, advantage=lead - already) if adds else own


def advantage(roll: Roll, hand: str, opts: Any) -> int:
    """By how much what the hand compares is above the other side's; 0 if below, or nobody reacts.

    What adds to its X already may not count a second time.
    """
    lead, already = ahead(roll, hand, opts)
    return max(0, lead - already)


def ahead(roll: Roll, hand: str, opts: Any) -> tuple[int, int]:
    """By how much the hand compares more, and what of that counts in its X already."""
    if reaction_of(roll) is None:
        return 0, 0
    return _ahead(*_sides(roll, hand, opts), opts)


def compared(roll: Roll, hand: str, opts: Any) -> tuple[int, int]:
    """What a hand compares of its total, and what the other side does (Opposed Rolls, step 3)."""
    return _compared(*_sides(roll, hand, opts), opts)


def _ahead(own: Pool, other: Pool, opts: Any) -> tuple[int, int]:
    ours, theirs = _compared(own, other, opts)
    if ours <= theirs:
        return 0, 0
    return ours - theirs, max(0, _once(own, opts)) if any(own.added) else 0


def _compared(own: Pool, other: Pool, opts: Any) -> tuple[int, int]:
    way = opts.adds_once if any(own.added) or any(other.added) else "total"
    return COMPARED[way](own), COMPARED[way](other)


def _sides(roll: Roll, hand: str, opts: Any) -> tuple[Pool, Pool]:
    """What makes up the totals of a hand and of the other one."""
    other = REACTOR if hand == INITIATOR else INITIATOR
    return _alone(roll, hand, opts), _alone(roll, other, opts)


COMPARED: Mapping[str, Callable[[Pool], int]] = {
    "total": lambda side: side.total + side.circumstances,
    "both": lambda side: side.total + side.circumstances,
    "x": lambda side: side.rating,
    "each": lambda side: side.total,
}
"""What is compared, by the reading of what adds dice."""


def _once(own: Pool, opts: Any) -> int:
    """What adds to a side's X already, and may not make its advantage greater as well."""
    if opts.adds_once == "each":
        return own.gained if own.gained > 0 and opts.xr_in == "reroll" else 0
    return sum(own.added) if opts.adds_once == "total" else 0


def _alone(roll: Roll, hand: str, opts: Any) -> Pool:
    """What makes up a hand's total, the other side left aside."""
    side = side_of(roll, hand)
    gained = sum(given_by(side).values())
    if isinstance(side, Reaction):
        return Pool(rating=side.rating or 0, gained=gained, modifiers=-modifiers(side, opts))
    against = opposed(roll, opts)
    return Pool(
        rating=side.rating or 0,
        gained=gained + side.xr,
        modifiers=-modifiers(side, opts) if against else 0,
        circumstances=-circumstances(side.circumstances, opts) if against else 0,
    )


def wanted(side: Declaration | Reaction) -> int:
    """Dice of a side's first throw, were there enough of them: eight, as the statuses change it."""
    return max(0, FIRST_THROW + sum(status.D for status in side.status.values()))


def given_by(side: Declaration | Reaction) -> dict[str, int]:
    """The dice to reroll that each status adds or takes, its R."""
    return {name: status.R for name, status in side.status.items() if status.R}


def modifiers(side: Declaration | Reaction, opts: Any) -> int:
    """How much harder (below 0: easier) the named advantages and disadvantages make it."""
    steps = sum((side.modifiers or {}).values())
    return steps * int(opts.difficulty_step) if steps else 0


def circumstances(names: Iterable[Circumstance], opts: Any) -> int:
    """How much harder (below 0: easier) an attack becomes (Combat modifiers)."""
    steps = sum(CIRCUMSTANCES[name] for name in names)
    return steps * opts.combat_step if steps else 0


def next_reroll(roll: Roll, hand: Hand, opts: Any) -> int | None:
    """The X of the hand's next reroll in dice; None where it has no more (Reroll chance).

    One reroll, and those that statuses grant, each with its own X. The ones without dice come last,
    so that they never come before one with dice.
    """
    statuses = side_of(roll, hand.name).status.values()
    if any(status.no_reroll for status in statuses):
        return None
    granted = [dice for status in statuses for dice in status.rerolls]
    if hand.rerolls > len(granted):
        return None
    first = pool(roll, hand.name, opts).x
    each = [first, *(dice if isinstance(dice, int) else first for dice in granted)]
    each.sort(key=lambda dice: dice == 0)
    return each[hand.rerolls]


def flips_left(roll: Roll, hand: Hand, opts: Any) -> int:
    """Dice of the hand that a cipher may flip, other than they were thrown (Reroll chance).

    Those that a later throw has settled are spent, and so are those frozen as they were flipped.
    """
    granted = sum(status.C for status in side_of(roll, hand.name).status.values())
    kept = [die for die in hand.dice if die.frozen and die.face != die.landed]
    return int(opts.cipher_dice) + granted - hand.means.count("cipher") - len(kept)
