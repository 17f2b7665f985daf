"""The words of Age of Magic, for people."""

from collections.abc import Mapping

from ..words import Words
from .terms import RULES, TERMS

WORDS: Mapping[str, Words] = {
    "en": {
        **TERMS,
        **RULES,
        "figure.hit_by": "points by which the attack hit",
        "figure.skill": "skill {0}",
        "figure.specialism": "specialism {0}",
        "figure.characteristic": "characteristic {0}",
        "figure.margin_of_the_hit": "½ for each whole point by which the attack hit",
        "figure.nothing_of_the_hit": "½ for each whole point by which the attack hit",
        "figure.modifiers": "{0}",
        "figure.no_knowledge": "no knowledge of the area",
        "figure.tiredness": "tiredness ({0})",
        "figure.luck_of_others": "luck of {0}",
        "figure.unluck_of_others": "unluck of {0}",
        "figure.damage": "damage before ST and armour",
        "figure.declined": "luck not used by",
        "figure.basic": "basic value",
        "figure.ceiling": "ceiling",
        "figure.no_ceiling": "no ceiling",
        "figure.risk": "points for the dice of the {0} throw, 3 each",
        "figure.dice": "what the dice of the {0} throw show",
        "figure.throw": "result of the {0} throw",
        "figure.chosen": "the result that counts",
        "figure.stands": "the throw that counts",
        "figure.paid_for": "dice that the basic value pays for",
        "figure.overdrawn": "dice beyond those",
        "figure.first_level": "the first level",
        "figure.more_levels": "levels for each 5 points beyond the difficulty",
        "figure.levels_regained": "tiredness levels regained",
        "figure.levels_lost": "tiredness levels lost",
        "figure.ST": "ST of the target",
        "figure.armour": "armour of the target",
        "figure.through": "damage that gets through",
        "figure.amount": "size of the wound",
        "figure.size": "size of the wound before the Soak",
        "figure.before_the_soak": "wound before the Soak",
        "figure.steps_down": "taken off by the Soak",
        "name.higher": "the higher one",
        "name.lower": "the lower one",
        "unit.die": "die|dice",
        "unit.level": "level|levels",
        "unit.point": "point|points",
        "unit.step": "step|steps",
        "unit.wound_step": "wound step|wound steps",
        "degree.result": "",  # its points are what came out
        "degree.damage": "damage",
        "degree.soak": "soaked",
        "result.reached": "{result} against {difficulty}",
        "result.just_reached": "{result} against {difficulty}",
        "result.not_reached": "{result} against {difficulty}",
        "result.trance": "{levels_regained} level of tiredness regained"
        "|{levels_regained} levels of tiredness regained",
        "result.no_trance": "{result} against {difficulty}",
        "result.not_tired": "{result} against {difficulty}",
        "result.tired": "{levels_lost} level of tiredness lost|{levels_lost} levels of tiredness"
        " lost",
        "result.damage": "{result} point|{result} points",
        "result.soak": "{steps_down} step lighter|{steps_down} steps lighter",
        "reason.reached": "The result {result} is more than the difficulty {difficulty}.",
        "reason.just_reached": "The result {result} equals the difficulty, and that is enough.",
        "reason.not_reached": "The result {result} is less than the difficulty {difficulty}.",
        "reason.result": "The result is {result}. No difficulty was set.",
        "reason.trance": "The result {result} reaches the difficulty {difficulty}, which regains"
        " one level of tiredness. Each 5 points more regain another: {levels_regained} in all.",
        "reason.no_trance": "The result {result} is less than the difficulty {difficulty}, so no"
        " level of tiredness is regained.",
        "reason.not_tired": "The result {result} reaches the difficulty {difficulty}, so no level"
        " of tiredness is lost.",
        "reason.tired": "The result {result} is less than the difficulty {difficulty}. Each 5"
        " points that are missing, or a part of them, cost a level of tiredness: {levels_lost} in"
        " all.",
        "reason.damage": "The result {result} is the damage, from which the ST and the armour of"
        " the target are still taken.",
        "reason.soak": "The wound is one step lighter for each 5 points of the result {result},"
        " or a part of them: {steps_down} in all, and never more than 6.",
        "reason.no_steps": "The result {result} is not above 0, so the wound gets no lighter.",
        "hand.first": "the first throw",
        "hand.second": "the second throw",
        "choice.fate": "luck or unluck",
        "reading.ceiling.basic": "a result is never more than the basic value",
        "reading.ceiling.none": "a result may be more than the basic value",
        "reading.overdraw_dice": "up to {0} dice of risk more than the basic value pays for",
        "reading.push_floor.refuse": "nobody may push when it would make him Unconscious",
        "reading.push_floor.allow": "who drops Unconscious by a push still rolls once",
        "reading.best_result.by_role": "of two results the one counts that is better for the lucky"
        " character, or worse for the unlucky one",
        "reading.best_result.by_modifier": "who is lucky or unlucky at +3 gets the higher of two"
        " results, at −3 the lower",
        "reading.luck_v_unluck.cancel": "where some want the higher and some the lower result,"
        " there is no second throw",
        "reading.luck_v_unluck.majority": "where some want the higher and some the lower result,"
        " the greater number decides",
        "reading.same_n_twice.true": "both throws are of the same number of dice of risk",
        "reading.same_n_twice.false": "a new number of dice of risk is chosen for the second throw",
    }
}
"""English."""
