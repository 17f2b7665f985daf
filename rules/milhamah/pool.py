"""How many dice a side of a Milhamah roll may reroll and flip, and what gave them to it."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from ..ruleset import Hand, Roll
from .declare import CIRCUMSTANCES, Circumstance, Declaration, Reaction

INITIATOR, REACTOR, LOCATION = "initiator", "reactor", "location"


class Pool(Struct, frozen=True):
    """The book's X of one side, in dice, by what makes it up."""

    total: int
    advantage: int = 0
    circumstances: int = 0

    @property
    def x(self) -> int:
        """Dice that may be rerolled, at least 0; a hand may have fewer unfrozen."""
        return max(0, self.total + self.advantage + self.circumstances)


def reaction_of(roll: Roll) -> Reaction | None:
    """The reaction that makes the roll opposed; None where none is given, or it was declined."""
    opponent = roll.declaration.opponent
    for who, reaction in roll.reactions:
        if who == opponent:
            given: Reaction | None = reaction
            return given
    return None


def side_of(roll: Roll, hand: str) -> Declaration | Reaction:
    """What was declared for a hand, initiator's or reactor's: a settled record."""
    declared: Declaration = roll.declaration
    return declared if hand != REACTOR else reaction_of(roll) or Reaction(root="")


def root_of(roll: Roll, hand: str) -> str:
    """The folded root that a hand tries to spell."""
    return side_of(roll, hand).root or ""


def total(side: Declaration | Reaction) -> int:
    """Attribute + skill + modifiers (Opposed Rolls, step 3), in dice."""
    gained = side.xr if isinstance(side, Declaration) else 0
    return (side.rating or 0) + sum(status.R for status in side.status.values()) + gained


def advantage(roll: Roll, hand: str) -> int:
    """By how much the hand's total is above the other side's; 0 if below, or unopposed."""
    reaction = reaction_of(roll)
    if reaction is None:
        return 0
    lead = total(roll.declaration) - total(reaction)
    return max(0, lead if hand == INITIATOR else -lead)


def pool(roll: Roll, hand: str, opts: Any) -> Pool:
    """The X of a hand (Reroll chance).

    In an opposed roll the higher total adds its advantage, and what makes an attack harder takes
    from the attacker's dice what it would add to a target.
    """
    lead = advantage(roll, hand)
    return Pool(
        total=total(side_of(roll, hand)),
        advantage=lead if lead and opts.advantage_adds_to == "reroll" else 0,
        circumstances=-circumstances(roll.declaration.circumstances, opts)
        if hand == INITIATOR and reaction_of(roll) is not None
        else 0,
    )


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
    first = pool(roll, hand.name, opts).x
    granted = (dice for status in statuses for dice in status.rerolls)
    each = [first, *(dice if isinstance(dice, int) else first for dice in granted)]
    each.sort(key=lambda dice: dice == 0)
    return each[hand.rerolls] if hand.rerolls < len(each) else None


def flips_left(roll: Roll, hand: Hand, opts: Any) -> int:
    """Dice of the hand that a cipher may flip, other than they were thrown (Reroll chance).

    Those that a later throw has settled are spent, and so are those frozen as they were flipped.
    """
    granted = sum(status.C for status in side_of(roll, hand.name).status.values())
    kept = [die for die in hand.dice if die.frozen and die.face != die.landed]
    return int(opts.cipher_dice) + granted - hand.means.count("cipher") - len(kept)
