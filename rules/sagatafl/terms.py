"""The words of Sagatafl explained, and what its rules ask, for somebody who never played it."""

from ..words import Words

TERMS: Words = {
    "term.trait": "what a character can do, as a number of dice: a skill, an attribute",
    "term.RD": "Roll Difficulty: what a die has to show at least to be a Success",
    "term.Success": "a die that shows the RD or more; without any, the roll fails or is a Fumble",
    "term.f-1": "a failure: the highest die is 1 below the RD",
    "term.Fumble": "worse than a failure: the highest die is 2 or more below the RD",
    "term.F-2": "the mildest Fumble; the worst is F-6",
    "term.specialisation": "a part of a skill that gives a die more",
    "term.Edge": "a part of a trait that gives a die more",
    "term.Safe Roll": "a roll that cannot be a Fumble",
    "term.Saving Throw": "a roll to escape something: 2 Successes save, 1 in part",
    "term.scale": "one row for both sides: Successes above 0, f-1 at 0, Fumbles below",
    "term.opponent": "the character that rolls against this one",
    "term.margin": "how far one side is before the other on the scale, else the result",
}

RULES: Words = {
    "rule.roll": (
        "Rolling|as many dice as the trait, and one more for a specialisation or an Edge: {count}"
    ),
}
