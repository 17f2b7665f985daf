"""The words of Scarterra explained, and what its rules ask, for somebody who never played it."""

from ..words import Words
from .figures import BASIC, COOPERATIVE, RESISTED

TERMS: Words = {
    "term.dot": "what a trait is worth; each dot is one die",
    "term.attribute": "what a character is by nature, in dots",
    "term.ability": "what a character has learnt, in dots",
    "term.Dexterity": "an attribute, which with an ability makes the dice of an action",
    "term.Archery": "the ability to shoot with a bow",
    "term.Stamina": "the attribute that takes damage away in a soak",
    "term.Armor": "what a character wears, in dots; it takes damage away in a soak",
    "term.dice pool": "the dice that are thrown together",
    "term.difficulty": "what a die has to show at least to be a success",
    "term.success": "a die that reaches the difficulty; each die that shows 1 takes one away",
    "term.net success": (
        "a success left over in a resisted roll: one that the winner has more than the other; there"
        " degree and margin count these"
    ),
    "term.botch": "no success, and at least one die that shows 1",
    "term.resisted": "two characters roll against each other",
    "term.extended": "a long work: successes of several rolls are added",
    "term.reflexive": "of a roll that answers what happens, and is no action of its own",
    "term.soak": "a roll of the one who is hit: each success takes a point of damage away",
    "term.weapon": "the points that it adds to the damage",
    "term.health level": "what a character loses when hurt; a point of damage is one",
    "term.marginal": "the degree of 1 success",
    "term.moderate": "the degree of 2 successes",
    "term.complete": "the degree of 3 successes",
    "term.exceptional": "the degree of 4 successes",
    "term.phenomenal": "the degree of 5 successes or more",
    "term.margin": "successes, or in a resisted roll net successes",
}

RULES: Words = {
    "rule.roll": f"{BASIC}|a die for each dot of attribute and ability, and modifiers: {{count}}",
    "rule.roll.reactor": (
        f"{RESISTED}|who resists rolls too, a die for each dot of attribute and ability: {{count}}"
    ),
    "rule.roll.helper": f"{COOPERATIVE}|all who take part roll, and their successes are added",
}
