"""The words of Allies of Majesty explained, and what its rules ask, for a reader from outside."""

from ..words import Words
from .options import HEADING

TERMS: Words = {
    "term.strike": "an attack: Precision of the one who strikes against Guard of the other",
    "term.Precision": "the value with which a character strikes",
    "term.Guard": "the value with which a character is defended",
    "term.Resist Check": "a roll of the one who is under a Spiritual Effect or a Song",
    "term.positive": "a die that shows 9 to 12, or the result when more of those are left",
    "term.neutral": "a die that shows 4 to 8: it counts for nothing",
    "term.negative": "a die that shows 1 to 3: it cancels a positive one",
    "term.Epic": "of a 12 or a 1: a 12 counts as two positives, a 1 cancels that of one 12",
    "term.Epic Roll": "two Epic dice of a kind that nothing cancels; those are not adjusted",
    "term.Adjustment": "one die is moved up or down by one",
    "term.Hit": "a positive result of a strike",
    "term.Miss": "a neutral result of a strike",
    "term.Stop": "a negative result of a strike: it cancels a Hit",
    "term.Pass": "a positive result of a check",
    "term.Effects of the weapon": "what a weapon does more for each 12",
    "term.margin": "how many results are left uncancelled",
}

RULES: Words = {
    "rule.roll": f"{HEADING}|every roll is of seven twelve-sided dice",
    "rule.adjust.adjustment": (
        f"{HEADING}|the side with the higher value may move dice by one for each Adjustment;"
        " {value} against {opposing_value}, a difference of {difference}, gives {adjustments} of"
        " them"
    ),
}
