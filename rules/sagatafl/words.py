"""The words of Sagatafl, for people."""

from collections.abc import Mapping

from ..words import Words
from .outcome import THEIRS
from .terms import RULES, TERMS

SIDE: Mapping[str, str] = {
    "rating": "rating of the trait",
    "edge": "Edge",
    "extra_dice": "for a specialisation or an Edge",
    "dice": "dice thrown",
    "stated_rd": "stated RD",
    "modifiers": "{0}",
    "rd": "RD",
    "cannot_fail": "every die reaches the RD",
    "cannot_succeed": "no die can reach the RD",
    "successes": "die that reaches the RD|dice that reach the RD",
    "below_rd": "how far the highest die is below the RD",
    "safe_roll": "Safe Roll",
    "level": "result as a number (-1 is f-1, -2 is F-2)",
    "senses": "the senses",
    "scale": "place on the scale",
}
"""The figures of the one who rolls."""

OTHER: Mapping[str, str] = {
    "trait": "trait of {opponent}",
    "rating": "rating of the trait of {opponent}",
    "specialisation": "specialisation of {opponent}",
    "edge": "Edge of {opponent}",
    "extra_dice": "for a specialisation or an Edge of {opponent}",
    "dice": "dice thrown by {opponent}",
    "stated_rd": "stated RD of {opponent}",
    "modifiers": "{0}, for {opponent}",
    "rd": "RD of {opponent}",
    "cannot_fail": "every die of {opponent} reaches the RD",
    "cannot_succeed": "no die of {opponent} can reach the RD",
    "successes": "die of {opponent} that reaches the RD|dice of {opponent} that reach the RD",
    "highest_die": "highest die of {opponent}",
    "below_rd": "how far the highest die of {opponent} is below the RD",
    "safe_roll": "Safe Roll of {opponent}",
    "level": "result of {opponent} as a number (-1 is f-1, -2 is F-2)",
    "senses": "the senses of {opponent}",
    "result": "result of {opponent}",
    "scale": "place of {opponent} on the scale",
}
"""The figures of the opponent."""

WORDS: Mapping[str, Words] = {
    "en": {
        **TERMS,
        **RULES,
        **{f"figure.{name}": word for name, word in SIDE.items()},
        **{f"figure.{THEIRS}{name}": word for name, word in OTHER.items()},
        "figure.beyond_failure": "added, for f-1 counts as 0 on the scale",
        "figure.saving_throw": "Saving Throw",
        "figure.declined": "did not react",
        "figure.unopposed": "so the roll is unopposed",
        "figure.only_successes": "only Successes count",
        "figure.assumed": "The book does not say how an opposed roll ends: it ends as this"
        " table reads it.",
        "name.misread": "misread, for this is a Fumble",
        "hand.initiator": "the dice",
        "hand.reactor": "the dice",
        "unit.die": "die|dice",
        "unit.success": "Success|Successes",
        "result.success": "{level}S",
        "result.failure": "f-1",
        "result.safe": "f-1",
        "result.fumble": "F{level}",
        "result.worst_fumble": "F{level}",
        "result.saved": "{level}S",
        "result.partial_1S": "1S",
        "result.partial_f": "f-1",
        "result.not_saved": "F{level}",
        "result.won": "ahead by {margin}",
        "result.lost": "behind by {margin}",
        "reason.success": "Dice that reach RD {rd}: {successes} of {dice}. That is {level}S.",
        "reason.failure": "No die reaches RD {rd}. The highest, {highest_die}, is only 1 below it,"
        " and so the roll fails, but is no Fumble: f-1.",
        "reason.safe": "No die reaches RD {rd}, and the highest, {highest_die}, is {below_rd} below"
        " it. A Safe Roll cannot be a Fumble, and so it only fails: f-1.",
        "reason.fumble": "No die reaches RD {rd}, and the highest, {highest_die}, is {below_rd}"
        " below it. From 2 on that is a Fumble: F{level}.",
        "reason.worst_fumble": "No die reaches RD {rd}, and the highest, {highest_die}, is"
        " {below_rd} below it. No Fumble is worse than F-6.",
        "reason.saved": "A Saving Throw succeeds at 2S or better. This is {level}S.",
        "reason.partial_1S": "A Saving Throw succeeds in part at 1S or f-1. This is 1S.",
        "reason.partial_f": "A Saving Throw succeeds in part at 1S or f-1. This is f-1.",
        "reason.not_saved": "A Saving Throw fails at F-2 or worse. This is F{level}.",
        "reason.won": "On the scale it is {scale} against {opponent_scale}, which is ahead by"
        " {margin}.",
        "reason.lost": "On the scale it is {scale} against {opponent_scale}, which is behind by"
        " {margin}.",
        "reason.nothing_changes": "On the scale both sides are at {scale}.",
        "reason.away": "Who does not react counts as 0 on the scale. The roll is at {scale}.",
        "reading.spec_and_edge.one": "a specialisation and an Edge together give one extra die",
        "reading.spec_and_edge.two": "a specialisation and an Edge give an extra die each",
        "reading.no_dice.refused": "a roll of no dice is not made",
        "reading.no_dice.one": "who would roll no dice rolls one",
        "reading.sense_rolls.safe": "a Sense roll is Safe, unless the narrator decides otherwise",
        "reading.sense_rolls.as set": "a Sense roll is Safe only where the narrator says so",
        "reading.opposed.scale": "each side rolls against its own RD, and the higher result wins",
        "reading.opposed.successes": "each side rolls against its own RD, and more Successes win;"
        " failures and Fumbles are equal",
        "reading.declined.unopposed": "where the opponent does not react, the roll is unopposed",
        "reading.declined.zero": "where the opponent does not react, it counts as 0",
    }
}
"""English."""
