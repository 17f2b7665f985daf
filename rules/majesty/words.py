"""The words of Allies of Majesty for people, by language and key."""

from collections.abc import Mapping

from ..words import Words

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
    "figure.adjustments": "Adjustments",
    "figure.at_least_1": "a difference of at least 1",
    "figure.at_least_3": "a difference of at least 3",
    "figure.at_least_6": "a difference of at least 6",
    "figure.at_least_10": "a difference of at least 10",
    "figure.each_further_5": "each 5 beyond 10",
    "figure.adjusted_by": "made by",
    "figure.moved": "steps of {0}",
    "figure.adjustments_used": "Adjustments made",
    "figure.dice_can_take": "Adjustments that the dice can take at all",
    "figure.adjustments_left": "Adjustments not made",
    "figure.thrown_twelves": "12s as they fell",
    "figure.thrown_ones": "1s as they fell",
    "figure.epic_roll": "Epic Roll",
    "figure.epic_dice": "Epic results that nothing cancels",
    "figure.locked_dice": "Epic dice that cannot be adjusted",
    "figure.positives": "positive results, 9 to 12",
    "figure.twelves": "12s",
    "figure.ones": "1s",
    "figure.extra_positives": "12s that no 1 cancels, each a further positive",
    "figure.neutrals": "neutral results, 4 to 8",
    "figure.negatives": "negative results, 1 to 3",
    "figure.net": "results left uncancelled",
    "figure.hits": "Hits",
    "figure.misses": "Misses",
    "figure.stops": "Stops",
    "figure.passes": "Passes",
    "figure.uncancelled_hits": "Hits left uncancelled",
    "figure.uncancelled_passes": "Passes left uncancelled",
    "figure.uncancelled_stops": "Stops left uncancelled",
    "figure.defensive_hits": "Defensive Hits, one for each 2 Stops",
    "figure.twelve_effects": "12 Effects of the weapon",
}

UNITS: Words = {
    "unit.adjustment": "Adjustment|Adjustments",
    "unit.die": "die|dice",
    "unit.result": "result|results",
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
    "hand.initiator": "the roll",
    "means.adjustment": "Adjustments",
    "kind.d12": "twelve-sided die",
}

WORDS: Mapping[str, Words] = {"en": {**FIGURES, **UNITS, **REASONS, **READINGS, **PLAY}}
"""Every word that the names of Allies of Majesty do not give."""
