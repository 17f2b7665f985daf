"""The words of Age of Magic explained, and what its rules ask, for somebody who never played it."""

from ..words import Words
from .figures import DICE, LUCK

TERMS: Words = {
    "term.skill": "what a character has learnt, in points",
    "term.characteristic": "what a character is by nature, in points",
    "term.ST": (
        "a characteristic: of who strikes it adds to the damage, of who is hit it takes from it"
    ),
    "term.basic value": "skill, characteristic and what is added or taken away",
    "term.result": "the basic value, with some points of it turned into dice and thrown",
    "term.risk": "points of the basic value that were turned into dice: 3 points for a die",
    "term.difficulty": "what the result has to be at least",
    "term.ceiling": "a result is never more than this, the basic value",
    "term.margin": "by how many points the result is above or below the difficulty",
    "term.weapon": "the points that it adds to the damage",
    "term.armour": "the points that it takes from a blow",
    "term.wound step": (
        "a size of wounds: 1 Scratch, 2 Light, 3 Medium, 4 Serious, 5 Critical, 6 Fatal"
    ),
    "term.Soak": "a roll of the one who is hurt, which makes a wound lighter",
    "term.push": "3 points more, for a level of tiredness",
    "term.luck": "3 points more or less, and a second throw",
    "term.tiredness": "levels from Fresh to Unconscious, which take points away",
    "term.talent": "2 points more with a skill",
    "term.limitation": "2 points less with a skill",
}

RULES: Words = {
    "rule.roll": (
        f"{DICE}|3 points of the basic value buy a die, and the player chooses how many; the basic"
        " value was {basic}"
    ),
    "rule.roll.second": f"{LUCK}|a roll with luck or unluck is made twice",
}
