"""The words of Allies of Majesty for people, by language and key."""

from collections.abc import Mapping

from ..words import Words
from .terms import RULES, TERMS

FIGURES: Words = {
    "figure.kind": "kind of roll",
    "figure.value": "value of the one who rolls",
    "figure.rating": "rating",
    "figure.declined": "did not react",
    "figure.opponent_attribute": "attribute of the opponent",
    "figure.cost": "cost of the Spiritual Effect",
    "figure.spp": "Song points, each of which counts 2",
    "figure.opposing_value": "opposing value",
    "figure.difference": "difference of the values",
    "figure.adjustments": "Adjustment|Adjustments",
    "figure.at_least_1": "a difference of at least 1",
    "figure.at_least_3": "a difference of at least 3",
    "figure.at_least_6": "a difference of at least 6",
    "figure.at_least_10": "a difference of at least 10",
    "figure.each_further_5": "each 5 beyond 10",
    "figure.adjusted_by": "who may adjust",
    "figure.narrator_adjusts": "the Narrator adjusts, for a value of no character's",
    "figure.moved": "step on {0}|steps on {0}",
    "figure.adjustments_used": "Adjustment made|Adjustments made",
    "figure.dice_can_take": "Adjustments that the dice can take at all",
    "figure.adjustments_left": "Adjustment not made|Adjustments not made",
    "figure.thrown_twelves": "die thrown as a 12|dice thrown as a 12",
    "figure.thrown_ones": "die thrown as a 1|dice thrown as a 1",
    "figure.epic_roll": "Epic Roll",
    "figure.epic_dice": "Epic result that nothing cancels|Epic results that nothing cancels",
    "figure.locked_dice": "Epic dice that cannot be adjusted",
    "figure.positives": "positive result, 9 to 12|positive results, 9 to 12",
    "figure.twelves": "die that shows 12|dice that show 12",
    "figure.ones": "die that shows 1|dice that show 1",
    "figure.extra_positives": (
        "further positive, for a 12 that no 1 cancels"
        "|further positives, one for each 12 that no 1 cancels"
    ),
    "figure.neutrals": "neutral result, 4 to 8|neutral results, 4 to 8",
    "figure.negatives": "negative result, 1 to 3|negative results, 1 to 3",
    "figure.net": "result left uncancelled|results left uncancelled",
    "figure.hits": "Hit|Hits",
    "figure.misses": "Miss|Misses",
    "figure.stops": "Stop|Stops",
    "figure.passes": "Pass|Passes",
    "figure.uncancelled_hits": "Hit left uncancelled|Hits left uncancelled",
    "figure.uncancelled_passes": "Pass left uncancelled|Passes left uncancelled",
    "figure.uncancelled_stops": "Stop left uncancelled|Stops left uncancelled",
    "figure.defensive_hits": "Defensive Hit|Defensive Hits",
    "figure.twelve_effects": "Effect of the weapon for a 12|Effects of the weapon for each 12",
}

UNITS: Words = {
    "unit.adjustment": "Adjustment|Adjustments",
    "unit.die": "die|dice",
    "unit.result": "result|results",
}

RESULTS: Words = {
    "result.hits_left": "{uncancelled_hits} Hit left|{uncancelled_hits} Hits left",
    "result.passes_left": "{uncancelled_passes} Pass left|{uncancelled_passes} Passes left",
    "result.stops_left": "{uncancelled_stops} Stop left|{uncancelled_stops} Stops left",
    "result.negatives_left": "{margin} negative result left|{margin} negative results left",
}

REASONS: Words = {
    "reason.hits_left": "Each Stop cancels a Hit, and Hits are left: {uncancelled_hits}.",
    "reason.passes_left": (
        "Each negative result cancels a Pass, and Passes are left: {uncancelled_passes}."
    ),
    "reason.stops_left": "Each Stop cancels a Hit, and Stops are left: {uncancelled_stops}.",
    "reason.negatives_left": (
        "Each negative result cancels a Pass, and negative results are left: {margin}."
    ),
    "reason.nothing_left": (
        "Each negative result cancels a positive one, and nothing is left of either."
    ),
    "reason.nothing_left_and_against": (
        "Each negative result cancels a positive one, and nothing is left of either:"
        " at this table the roll went against the one who made it."
    ),
}

READINGS: Words = {
    "reading.epic_lock.all": "in an Epic Roll no 1 and no 12 that was thrown can be adjusted",
    "reading.epic_lock.prevailing": (
        "in an Epic Roll the Epic dice of its own sign cannot be adjusted, the others can"
    ),
    "reading.fewer_adjustments.true": "fewer Adjustments may be made, or none",
    "reading.fewer_adjustments.false": "all Adjustments that the dice allow must be made",
    "reading.wrap.true": "12 and 1 are next to each other",
    "reading.wrap.false": "a 12 goes no higher and a 1 no lower",
    "reading.net_zero.no effect": "without results left of either kind nothing happens",
    "reading.net_zero.negative": (
        "without results left of either kind the roll went against the one who made it"
    ),
    "reading.declined.sheet": (
        "one who does not react has the value on the sheet, 0 where there is none"
    ),
    "reading.declined.zero": "one who does not react has the value 0",
    "reading.declined.no adjustments": "where somebody does not react, nobody adjusts",
}

PLAY: Words = {
    "hand.initiator": "the dice",
    "means.adjustment": "Adjustments",
    "kind.d12": "twelve-sided die",
}

WORDS: Mapping[str, Words] = {
    "en": {**FIGURES, **UNITS, **RESULTS, **REASONS, **READINGS, **PLAY, **TERMS, **RULES}
}
"""Every word that the names of Allies of Majesty do not give."""
