"""The readings that decided a Milhamah roll apart from its score: when settled, in what follows."""

from typing import Any

from ..ruleset import Hand, Roll
from .damage import strikes
from .letters import spelling, spells
from .pool import COUNTER, INITIATOR, LOCATION, reaction_of, side_of, wanted
from .score import FAILED, Score

SUPPLY_LEAST = 4  # no table has fewer dice of a colour
COLOURS_USUAL = 2  # "The basic roll mechanic"


def acted(roll: Roll, result: Score, opts: Any) -> None:
    """Look up in `opts`, which are Consulted, every reading that acted before or after the score.

    How many dice there are; a flip; a throw without dice; which die was thrown for the place; what
    a counter starts from; whether a failure may be countered; whether a success wounds.
    """
    for hand in roll.hands:
        if hand.name == LOCATION:
            _ = opts.location_die  # another one falls on other letters
            continue
        if _flipped(hand):
            _ = opts.cipher_dice
        if not hand.dice:
            _ = opts.no_dice
        if not hand.taken and _supplied(roll, hand.name):
            _ = opts.supply
    if roll.link == COUNTER or _countered(roll, result, opts):
        _ = opts.counter
    _ = strikes(roll, result.degree, opts)


def _flipped(hand: Hand) -> bool:
    """Whether a die of the hand was turned by a cipher, now or before a later throw."""
    return "cipher" in hand.means or any(die.face != die.landed for die in hand.dice)


def _supplied(roll: Roll, hand: str) -> bool:
    """Whether the number of dice that there are of a colour decided what was thrown.

    It did where there were fewer than wanted, where a third colour came in, and where one colour
    has more than the least supply.
    """
    side = side_of(roll, hand)
    dice = side.dice or {}
    fewer = sum(dice.values()) < wanted(side)
    return fewer or len(dice) > COLOURS_USUAL or max(dice.values(), default=0) > SUPPLY_LEAST


def _countered(roll: Roll, result: Score, opts: Any) -> bool:
    """Whether the dice of a failure spell the root of a skill: one that may know it may counter.

    A root that they spell but for repeats is one only by a reading, which decides then too.
    """
    hand = roll.hand(INITIATOR)
    if hand is None or reaction_of(roll) is None:
        return False
    if result.degree not in FAILED or result.natural:
        return False
    shown = tuple(die.face for die in hand.dice)
    found = {spells(shown, spelling(root)) for root in roll.options.skill_roots.values()}
    if "wholly" in found:
        return True
    return "but for repeats" in found and opts.counter_match == "letters"
