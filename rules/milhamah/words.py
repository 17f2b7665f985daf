"""The words of Milhamah for people, by language and key."""

from collections.abc import Mapping

from ..words import Words
from .terms import RULES, TERMS

FIGURES: Words = {
    "figure.rating": "attribute and skill",
    "figure.r": "R of {0}",
    "figure.xr_used": "XR of an opponent's botch",
    "figure.x_gained": "X from statuses and XR",
    "figure.modifier": "{0}",
    "figure.modifier_step": "each step of a modifier counts",
    "figure.x_modifiers": "X from advantages and disadvantages",
    "figure.total": "attribute, skill and what adds to them",
    "figure.x_advantage": "advantage in totals",
    "figure.circumstance": "{0}",
    "figure.circumstance_step": "each circumstance counts",
    "figure.x_circumstances": "X from the circumstances of the attack",
    "figure.x": "X, dice that may be rerolled",
    "figure.rerolls": "times that dice were thrown again",
    "figure.letters": "letter of the root|letters of the root",
    "figure.wilds": "Wild|Wilds",
    "figure.pocketed": "pocketed success|pocketed successes",
    "figure.advantage": "advantage in totals, as successes",
    "figure.before_bonus": "success before any bonus|successes before any bonus",
    "figure.successes": "success|successes",
    "figure.natural": "natural root",
    "figure.bonus": "bonus of the natural root",
    "figure.letters_of_the_root": "one for each letter of the root",
    "figure.opposed_natural": "a natural root in an opposed roll",
    "figure.first_roll_bonus": "bonus for a natural root on the first roll",
    "figure.modifiers": "advantages and disadvantages",
    "figure.circumstances": "circumstances of the attack",
    "figure.opponent_root": "root of {opponent}",
    "figure.opponent_rating": "attribute and skill of {opponent}",
    "figure.opponent_r": "R of {0}, for {opponent}",
    "figure.opponent_modifier": "{0}, for {opponent}",
    "figure.opponent_modifier_step": "each step of a modifier of {opponent} counts",
    "figure.opponent_x_modifiers": "X of {opponent} from advantages and disadvantages",
    "figure.opponent_total": "attribute, skill and R of {opponent}",
    "figure.opponent_x_advantage": "advantage in totals of {opponent}",
    "figure.opponent_x": "X of {opponent}, dice that may be rerolled",
    "figure.opponent_letters": "letter of the root of {opponent}|letters of the root of {opponent}",
    "figure.opponent_bonus": "bonus of the natural root of {opponent}",
    "figure.opponent_advantage": "advantage in totals of {opponent}, as successes",
    "figure.prevented": "reaction prevented",
    "figure.compared": "total that is compared",
    "figure.opponent_compared": "total of {opponent} that is compared",
    "figure.counted_already": "X gained, which counts once only",
    "figure.declined": "did not react",
    "figure.no_reaction": "no reaction",
    "figure.target": "success to beat|successes to beat",
    "figure.botched": "a botch has no successes",
    "figure.natural_choice": "choice after the natural root",
    "figure.severity": "severity of the botch",
    "figure.xr": "successes that the opponent may use",
    "figure.reward": "of XR and pocket the opponent takes",
    "figure.opponent_severity": "severity of the botch of {opponent}",
    "figure.opponent_xr": "successes that the roller may use",
    "figure.gain": "of XR and pocket the roller takes",
    "figure.letter": "letter thrown for the part of the body",
    "figure.location": "part of the body hit",
    "figure.lapsed": "pocketed successes that are lost",
    "figure.raw": "point of the blow|points of the blow",
    "figure.armour": "armour of that part of the body",
    "figure.armour_spent": "armour spent",
    "figure.soak": "VIG soak points left",
    "figure.soak_spent": "VIG soak points spent",
    "figure.through": "point beyond armour and soak|points beyond armour and soak",
    "figure.room": "{0} wounds that can still be taken",
    "figure.wounds": "{0} wound|{0} wounds",
    "figure.overflow": "point left when every wound is taken|points left when every wound is taken",
    "figure.fatal": "a blow that may be fatal",
}

UNITS: Words = {
    "unit.success": "success|successes",
    "unit.die": "die|dice",
    "unit.reroll": "reroll|rerolls",
    "unit.wild": "Wild|Wilds",
    "unit.point": "point|points",
    "unit.wound": "wound|wounds",
}

SCORED = "{successes} success against {target}|{successes} successes against {target}"

RESULTS: Words = {
    "result.botch": "severity {severity}",
    "result.failure": SCORED,
    "result.success at a cost": SCORED,
    "result.success": SCORED,
    "result.natural success": SCORED,
    "result.critical success": "{margin} point|{margin} points",
}

REASONS: Words = {
    "reason.no_letter": "No die shows a letter of the root, nor a Wild: a botch.",
    "reason.wilds_alone": (
        "No die shows a letter of the root, and Wilds alone do not prevent a botch."
    ),
    "reason.pocket_alone": (
        "No die shows a letter of the root, and pocketed successes do not prevent a botch."
    ),
    "reason.not_answered": (
        "The dice show the whole root, the reaction was allowed,"
        " and no die of the opponent shows a letter of his root."
    ),
    "reason.not_resisted": "The dice show the whole root, and the opponent did not react.",
    "reason.prevented": (
        "The dice show the whole root, and it prevented the opponent from reacting."
    ),
    "reason.natural": (
        "The dice show the whole root, and the successes ({successes}) are more than the target"
        " ({target})."
    ),
    "reason.natural_by_its_bonus": (
        "The dice show the whole root, and with its bonus the successes ({successes}) are more"
        " than the target ({target})."
    ),
    "reason.no_reaction": "The opponent did not react: every success ({successes}) counts.",
    "reason.more_than_the_target": (
        "The successes ({successes}) are more than the target ({target})."
    ),
    "reason.more_than_the_opponent": (
        "The successes ({successes}) are more than those of the opponent ({target})."
    ),
    "reason.as_many_as_the_target": (
        "The successes ({successes}) are as many as the target ({target}), and no more."
    ),
    "reason.as_many_as_the_opponent": (
        "The successes ({successes}) are as many as those of the opponent ({target}), and no more."
    ),
    "reason.as_many_without_its_bonus": (
        "The dice show the whole root, but without its bonus the successes ({successes}) are as"
        " many as the target ({target}), and no more."
    ),
    "reason.fewer_than_the_target": (
        "The successes ({successes}) are fewer than the target ({target})."
    ),
    "reason.fewer_than_the_opponent": (
        "The successes ({successes}) are fewer than those of the opponent ({target})."
    ),
    "reason.fewer_without_its_bonus": (
        "The dice show the whole root, but without its bonus the successes ({successes}) are fewer"
        " than the target ({target})."
    ),
}

READINGS: Words = {
    "reading.supply": "there are {0} dice of each colour",
    "reading.cipher_dice": "dice of a hand that a cipher may turn: {0}",
    "reading.difficulty_step": (
        "successes on the target, or dice when opposed, for each advantage or disadvantage: {0}"
    ),
    "reading.natural_counts_repeats.true": (
        "a letter that the root holds twice must show twice for a natural root"
    ),
    "reading.natural_counts_repeats.false": (
        "a letter that the root holds twice need show only once for a natural root"
    ),
    "reading.reactor_natural.false": "a natural root gives the one who reacts no bonus",
    "reading.reactor_natural.true": "a natural root gives the one who reacts a bonus as well",
    "reading.wild_only_botch.true": "Wilds without a letter of the root are a botch",
    "reading.wild_only_botch.false": "Wilds without a letter of the root are no botch",
    "reading.natural_bonus_before_compare.true": (
        "the bonus of a natural root is added before successes are compared"
    ),
    "reading.natural_bonus_before_compare.false": (
        "the bonus of a natural root is added only where the target is beaten without it"
    ),
    "reading.natural_bonus_opposed.1": "a natural root in an opposed roll adds one success",
    "reading.natural_bonus_opposed.len": (
        "a natural root in an opposed roll adds a success for each of its letters"
    ),
    "reading.first_roll_natural_bonus": (
        "further successes for a natural root on the first roll: {0}"
    ),
    "reading.first_roll_natural.both": (
        "a natural root on the first roll earns its further bonus in every roll"
    ),
    "reading.first_roll_natural.opposed": (
        "a natural root on the first roll earns its further bonus in opposed rolls alone"
    ),
    "reading.advantage_adds_to.reroll": "an advantage in totals gives rerolls",
    "reading.advantage_adds_to.successes": "an advantage in totals gives successes",
    "reading.advantage_adds_to.none": "an advantage in totals gives nothing",
    "reading.adds_once.total": (
        "what adds dice is in X and in the total compared, but does not make the advantage greater"
        " as well"
    ),
    "reading.adds_once.both": (
        "what adds dice is in X and in the total compared, and makes the advantage greater as well"
    ),
    "reading.adds_once.x": "what adds dice is in X alone, and not in the total compared",
    "reading.adds_once.each": (
        "modifiers count in X and in the total compared, the circumstances of an attack in X alone"
    ),
    "reading.xr_in.reroll": (
        "XR and the R of statuses add to X and to the total compared, but do not make the"
        " advantage greater as well"
    ),
    "reading.xr_in.both": (
        "XR and the R of statuses add to X and to the total compared, and make the advantage"
        " greater as well"
    ),
    "reading.declined.nothing": (
        "one who does not react in combat counts as one who reacted and scored nothing"
    ),
    "reading.declined.unopposed": "a roll to which nobody reacts is unopposed, in combat too",
    "reading.combat_step": (
        "successes on the target, or dice when opposed, for each circumstance of an attack: {0}"
    ),
    "reading.reactor_botch.true": "a reaction without a letter of its root is a botch",
    "reading.reactor_botch.false": "a reaction is never a botch",
    "reading.botch_rewards.both": (
        "after a botch the opponent may have XR and pocket his successes as well"
    ),
    "reading.botch_rewards.one": "after a botch the opponent may have XR or pocket his successes",
    "reading.pocket_lapses.true": ("pocketed successes are lost if the next turn is not an attack"),
    "reading.pocket_lapses.false": "pocketed successes wait for the next attack",
    "reading.pocket_saves.false": "pocketed successes do not prevent a botch",
    "reading.pocket_saves.true": "pocketed successes prevent a botch",
    "reading.no_dice.refused": "nobody may roll without dice",
    "reading.no_dice.botch": "a roll without dice has no successes",
    "reading.counter_match.repeats": (
        "for a counter, a letter that the root holds twice must show twice"
    ),
    "reading.counter_match.letters": (
        "for a counter, a letter that the root holds twice need show only once"
    ),
    "reading.counter.dice": "a counter takes over the dice of the failed roll",
    "reading.counter.fresh": "a counter is thrown with fresh dice",
    "reading.counter.none": "there are no counters",
    "reading.counter_first_roll.false": "a counter earns no bonus for its first roll",
    "reading.counter_first_roll.true": (
        "the dice that a counter starts from are its first roll, and may earn the bonus"
    ),
    "reading.players_know_hebrew.false": (
        "the players do not know Hebrew well: other roots may not harm them"
    ),
    "reading.players_know_hebrew.true": "the players know Hebrew: other roots may harm them",
    "reading.location_die.wilds": "the die for the part of the body has two Wilds",
    "reading.location_die.letters": "the die for the part of the body has letters alone",
    "reading.location_wild.rethrow": "a Wild for the part of the body is thrown again",
    "reading.location_wild.initiator": "with a Wild the attacker chooses the part of the body",
    "reading.damage_by.critical": "only a critical success wounds",
    "reading.damage_by.success": "every success in opposed combat wounds",
    "reading.soak_start.VIG": "a character starts with as many soak points as its VIG",
    "reading.soak_start.none": "a character starts without soak points",
    "reading.wound_track": "light, serious and critical wounds that a character can take: {0}",
}

PLAY: Words = {
    "name.prevent": "prevent the reaction",
    "name.allow": "allow the reaction",
    "name.merit": "a Merit Point",
    "name.bonus": "a success for each letter of the root",
    "hand.initiator": "the action",
    "hand.reactor": "the reaction",
    "hand.location": "the part of the body",
    "means.cipher": "a cipher",
    "kind.red-a": "red (Atbash), first kind",
    "kind.red-b": "red (Atbash), second kind",
    "kind.blue-a": "blue (Albam), first kind",
    "kind.blue-b": "blue (Albam), second kind",
    "kind.green-a": "green (Akhbi), first kind",
    "kind.green-b": "green (Akhbi), second kind",
    "kind.location": "part of the body",
    "choice.natural": "what the natural root does",
    "choice.natural.bonus": "add a success for each letter of the root",
    "choice.natural.merit": "gain a Merit Point",
    "choice.natural.prevent": "prevent the reaction",
    "choice.natural.allow": "allow the reaction",
    "choice.reward": "what the botch gives the opponent",
    "choice.reward.both": "XR next turn, and the successes pocketed",
    "choice.reward.xr": "XR next turn",
    "choice.reward.pocket": "the successes pocketed",
    "choice.reward.none": "nothing",
    "choice.gain": "what the opponent's botch gives",
    "choice.gain.both": "XR next turn, and the successes pocketed",
    "choice.gain.xr": "XR next turn",
    "choice.gain.pocket": "the successes pocketed",
    "choice.gain.none": "nothing",
    "choice.location": "part of the body that is hit",
    "choice.root": "root of the counter",
    "choice.harmless": "another root that the dice spell, which harms nobody",
    "choice.harmful": "another root that the dice spell, which may harm",
    "link.counter": "counter to a failed roll",
    "track.merit": "Merit Points",
    "track.xr": "XR next turn",
    "track.pocket": "pocketed successes",
    "track.soak": "VIG soak points",
    "track.light": "light wounds",
    "track.serious": "serious wounds",
    "track.critical": "critical wounds",
}

WORDS: Mapping[str, Words] = {
    "en": {**FIGURES, **UNITS, **RESULTS, **REASONS, **READINGS, **PLAY, **TERMS, **RULES},
}
"""Every word that Milhamah's names do not give."""
