"""Commands that take up an offer, and commands that go one step beyond it."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from ....events.base import AdjustedDie, Face
from ....projections.rollstate import RollState
from ....rules.ruleset import Offer, declinable
from ...core import commands
from ...core.commands import AnyRollCommand
from .luck import Luck
from .trial import Trial

NO_DIE = "no-such-die"
NO_FACE: Face = "no such face"


def attempts(
    trial: Trial, roll: RollState, offer: Offer, luck: Luck, *, last: bool = False
) -> Iterator[AnyRollCommand]:
    """Commands that take up the offer, in the order to try them: several for a reaction, else one.

    With `last` those that bring the roll nearer to its end: stand, decline.
    """
    if offer.trigger == "react":
        if not declinable(offer) or not (last or luck.one_in(5)):
            for given in luck.shuffled(trial.reactions):
                chosen = {offer.choice: luck.one_of(offer.options)} if offer.choice else {}
                yield commands.React(roll.number, offer.character, {**given, **chosen})
        if declinable(offer):
            yield commands.React(roll.number, offer.character, None)
    elif offer.trigger == "freeze" and last:
        yield commands.Freeze(roll.number, offer.hand, offer.dice)
    else:
        yield DRAWN[offer.trigger](roll.number, offer, luck)


def _roll(number: int, offer: Offer, luck: Luck) -> AnyRollCommand:
    numbers = _numbers(offer)
    option = luck.one_of(numbers) if numbers else None
    return commands.RollDice(number, offer.hand, option=option)


def _numbers(offer: Offer) -> tuple[int, ...]:
    """The options of a throw, which are numbers of its dice: `check_offers` looks for others."""
    return tuple(option for option in offer.options if isinstance(option, int))


def _freeze(number: int, offer: Offer, luck: Luck) -> AnyRollCommand:
    every = len(offer.dice)
    count = every if luck.one_in(4) else luck.below(every + 1)
    return commands.Freeze(number, offer.hand, luck.some_of(offer.dice, count))


def _reroll(number: int, offer: Offer, luck: Luck) -> AnyRollCommand:
    least = max(1, offer.least)
    most = max(least, min(len(offer.dice), offer.most + offer.extra))
    dice = luck.some_of(offer.dice, least + luck.below(most - least + 1))
    return commands.Reroll(number, offer.hand, dice=dice)


def _adjust(number: int, offer: Offer, luck: Luck) -> AnyRollCommand:
    """A choice, or some dice adjusted to other faces, as many as their cost allows."""
    if offer.choice:
        return commands.Choose(number, offer.choice, str(luck.one_of(offer.options)))
    left = offer.most
    adjusted: list[AdjustedDie] = []
    for die in luck.shuffled(offer.dice):
        faces = {face: cost for face, cost in offer.to[die].items() if cost <= left}
        if faces and not luck.one_in(4):
            face = luck.one_of(list(faces))
            left -= faces[face]
            adjusted.append(AdjustedDie(die, face))
    return commands.Adjust(number, offer.hand, offer.means, tuple(adjusted))


def _flavour(number: int, offer: Offer, luck: Luck) -> AnyRollCommand:
    word = "".join(map(str, luck.some_of(offer.options, 1 + luck.below(3))))
    return commands.Flavour(number, offer.hand, (word,), offer.choice)


DRAWN: Mapping[str, Callable[[int, Offer, Luck], AnyRollCommand]] = {
    "roll": _roll,
    "freeze": _freeze,
    "reroll": _reroll,
    "adjust": _adjust,
    "flavour": _flavour,
    "resolve": lambda number, offer, luck: commands.Resolve(number),
    "apply_damage": lambda number, offer, luck: commands.ApplyDamage(number),
}
"""A command that takes up an offer, drawn from all that would."""

Corners: TypeAlias = Callable[[RollState, Offer], Iterator[AnyRollCommand]]


def _rolls_within(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    for option in _numbers(offer) or (None,):
        yield commands.RollDice(roll.number, offer.hand, option=option)


def _rolls_beyond(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    yield commands.RollDice(roll.number, offer.hand, option=max(_numbers(offer), default=0) + 1)


def _freezes_within(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    yield commands.Freeze(roll.number, offer.hand, ())
    yield commands.Freeze(roll.number, offer.hand, offer.dice)


def _freezes_beyond(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    yield commands.Freeze(roll.number, offer.hand, (NO_DIE,))


def _rerolls_within(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    for count in {offer.least, min(len(offer.dice), offer.most + offer.extra)}:
        yield commands.Reroll(roll.number, offer.hand, dice=offer.dice[:count])


def _rerolls_beyond(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    most = offer.most + offer.extra
    sets: list[tuple[str, ...]] = [(), (NO_DIE,), *((die,) for die in _frozen(roll, offer))]
    if most < len(offer.dice):
        sets.append(offer.dice[: most + 1])
    if offer.least > 1:
        sets.append(offer.dice[: offer.least - 1])
    for dice in sets:
        yield commands.Reroll(roll.number, offer.hand, dice=dice)


def _adjusts_within(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    if offer.choice:
        for option in offer.options:
            yield commands.Choose(roll.number, offer.choice, str(option))
        return
    for die in offer.dice:
        for face, cost in offer.to[die].items():
            if cost <= offer.most:
                adjusted = (AdjustedDie(die, face),)
                yield commands.Adjust(roll.number, offer.hand, offer.means, adjusted)


def _adjusts_beyond(roll: RollState, offer: Offer) -> Iterator[AnyRollCommand]:
    if offer.choice:
        yield commands.Choose(roll.number, offer.choice, "no such option")
        return
    for die in (NO_DIE, *offer.dice[:1], *_frozen(roll, offer)):
        adjusted = (AdjustedDie(die, NO_FACE),)
        yield commands.Adjust(roll.number, offer.hand, offer.means, adjusted)
    dearest = {
        die: max(offer.to[die].items(), key=lambda item: item[1])
        for die in offer.dice
        if offer.to[die]
    }
    if sum(cost for _, cost in dearest.values()) > offer.most:
        every = tuple(AdjustedDie(die, face) for die, (face, _) in dearest.items())
        yield commands.Adjust(roll.number, offer.hand, offer.means, every)


def _frozen(roll: RollState, offer: Offer) -> tuple[str, ...]:
    hand = roll.roll.hand(offer.hand)
    return tuple(die.id for die in hand.dice if die.frozen) if hand else ()


WITHIN: Mapping[str, Corners] = {
    "roll": _rolls_within,
    "freeze": _freezes_within,
    "reroll": _rerolls_within,
    "adjust": _adjusts_within,
}
"""The corners of what an offer allows: the least, the most, each option, each face."""

BEYOND: Mapping[str, Corners] = {
    "roll": _rolls_beyond,
    "freeze": _freezes_beyond,
    "reroll": _rerolls_beyond,
    "adjust": _adjusts_beyond,
}
"""One step beyond it: a die too many, one that is not there, a frozen one."""
