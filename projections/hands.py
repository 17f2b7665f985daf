"""A hand of dice after each thing that can happen to it: thrown, thrown again, frozen, put by hand.

Nothing overwrites: every face a die ever fell on stays in `Die.thrown`.
"""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from ..events.base import Face, Laid, Thrown
from ..rules.ruleset import Die, Hand


def first_thrown(thrown: Iterable[Thrown]) -> tuple[Die, ...]:
    """The dice of a first throw; one thrown again inside it shows the last face it fell on."""
    dice: dict[str, Die] = {}
    for item in thrown:
        before = dice[item.die].thrown if item.die in dice else ()
        dice[item.die] = Die(item.die, item.kind, (*before, item.face), item.face, item.face)
    return tuple(dice.values())


def thrown_again(hand: Hand, thrown: Iterable[Thrown], means: str) -> Hand:
    """The hand after a reroll: dice put by hand so far, by `means`, stay as they lie for good."""
    fell: dict[str, tuple[Face, ...]] = {}
    for item in thrown:
        fell[item.die] = (*fell.get(item.die, ()), item.face)
    dice = tuple(
        replace(die, thrown=die.thrown + fell[die.id], lay=fell[die.id][-1], face=fell[die.id][-1])
        if die.id in fell
        else replace(die, lay=die.face)
        for die in hand.dice
    )
    settled = tuple(means for die in hand.dice if die.face != die.lay)
    return replace(hand, dice=dice, rerolls=hand.rerolls + 1, means=hand.means + settled)


def frozen(hand: Hand, ids: Collection[str]) -> Hand:
    """The hand with exactly the dice in `ids` frozen."""
    return replace(hand, dice=tuple(replace(die, frozen=die.id in ids) for die in hand.dice))


def adjusted(hand: Hand, laid: Iterable[Laid]) -> Hand:
    """The hand with exactly the dice in `laid` put otherwise than the last throw left them."""
    to = {item.die: item.face for item in laid}
    dice = tuple(
        die if die.frozen else replace(die, face=to.get(die.id, die.lay)) for die in hand.dice
    )
    return replace(hand, dice=dice)
