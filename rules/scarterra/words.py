"""What Scarterra's figures, degrees, reasons and readings are called, for people."""

from collections.abc import Mapping

from ..words import ENGLISH, Words
from .options import DEGREES, EXAMPLES, HARDLY_WORTH_ROLLING
from .terms import RULES, TERMS

SIDE: Mapping[str, str] = {
    "dots": "dot of {0}|dots of {0}",
    "declared_dots": "dots, as declared",
    "modifiers": "modifier: {0}",
    "action": "place of this action in the turn",
    "actions": "actions in this turn",
    "action_penalty": "penalty for several actions",
    "wounds": "health levels lost before this roll",
    "wound_penalty": "wound penalty on a pool",
    "pool": "dice pool",
    "difficulty": "difficulty",
    "difficulty_called": "difficulty on the chart",
    "hardly_worth_rolling": "warning about the difficulty",
    "successes": "die that reaches the difficulty|dice that reach the difficulty",
    "ones": "die that shows 1|dice that show 1",
    "net": "success|successes",
    "botch": "botch",
}
"""What everybody's figures are called."""


def _of(who: str, label: str) -> str:
    """The label of somebody's figure, for one and for many."""
    return "|".join(f"{who}'s {form}" for form in label.split("|"))


LABELS: Words = {
    "kind": "kind of roll",
    **SIDE,
    **{f"opponent_{name}": _of("{opponent}", label) for name, label in SIDE.items()},
    **{f"helper_{name}": _of("{0}", label.replace("{0}", "{1}")) for name, label in SIDE.items()},
    "attack": "net success of the attack|net successes of the attack",
    "further_try": "tries that failed before",
    "harder_each": "harder by each try",
    "harder": "harder by all tries",
    "first_difficulty": "difficulty of the first try",
    "winner_successes": "net success of the winner|net successes of the winner",
    "winner_degree": "degree of the winner",
    "for_example": "the chart's example",
    "together": "successes together",
    "below_zero": "who has more 1s than successes takes from the others",
    "declined": "did not react",
    "waiting_for": "has not thrown yet",
    "target": "successes needed",
    "deadline": "rolls allowed",
    "round_successes": "die that reaches the difficulty in round {0}|dice that reach the"
    " difficulty in round {0}",
    "round_ones": "die that shows 1 in round {0}|dice that show 1 in round {0}",
    "round_net": "{1}'s success in round {0}|{1}'s successes in round {0}",
    "round_botch": "{1} botched in round {0}",
    "round_lost": "successes lost by a botch in round {0}",
    "round_total": "successes after round {0}",
    "total": "successes of all rounds",
    "percent": "percent of the work that is done",
    "gathered": "successes that the roller gathered",
    "opponent_gathered": "successes that {opponent} gathered",
    "lead": "lead in net successes",
    "leader": "who leads",
    "ruined": "the work is ruined",
    "deadline_missed": "no more rolls",
    "weapon": "damage of the weapon",
    "damage": "damage of the hit",
    "soaked": "soaked, one for each success of the soak",
    "left": "damage that is left",
    "room": "health levels left to lose",
    "filled": "health level lost|health levels lost",
    "beyond": "damage without a health level to take",
    "out": "out of action",
    "amount": "damage that is done",
    "actions_before": "action before this one|actions before this one",
}
"""What figures are called, and the constant of a sum."""

UNITS: Words = {
    "die": "die|dice",
    "success": "success|successes",
    "point": "point|points",
    "level": "level|levels",
    "roll": "roll|rolls",
    "percent": "percent|percent",
}

NET = "{net} success|{net} successes"
GATHERED = "{total} of {target} successes"
LEADS = "{leader} leads by {lead}"
EACH = "{gathered} against {opponent_gathered}"

SCORED: Words = {
    "enough": NET,
    "unresisted": NET,
    "soaked": NET,
    "together": "{together} success|{together} successes",
    "won": "ahead by {margin}",
}
"""What came out, of one throw of each; those that the chart names are below."""

RESULTS: Words = {
    **SCORED,
    "lost": "behind by {margin}",
    "lost_botch": "behind by {margin}",
    "lost_botch_below": "behind by {margin}",
    **dict.fromkeys(("tie_attacker", "tie_defender", "contest_tie_attacker"), "a tie"),
    **dict.fromkeys(("tie_at_zero_attacker", "tie_at_zero_defender"), "a tie"),
    "contest_tie_defender": "a tie",
    **dict.fromkeys(("reached", "too_late", "too_long", "part_done"), GATHERED),
    **dict.fromkeys(("set_back", "nothing_done"), GATHERED),
    **dict.fromkeys(("leading", "leading_late", "lead_won", "lead_lost"), LEADS),
    **dict.fromkeys(("gathering", "gathering_late", "gathered_won", "gathered_lost"), EACH),
}
"""What came out, beside the degree."""

REASONS: Words = {
    "waiting": "Not everybody has thrown yet, so this can change.",
    "botch": "No die reached the difficulty, and at least one shows 1: that is a botch.",
    "nothing": "No die reached the difficulty, and none shows 1: a failure, but no botch.",
    "taken_away": "Each 1 takes a success away, and none is left: a failure. It is no"
    " botch, because at least one die reached the difficulty.",
    "soaked": "Each success ({net}) soaks one point of damage.",
    "enough": "One success is enough in this roll. Successes: {net}.",
    "won": "{winner} has more successes than {opponent} and wins by {margin}, which is enough.",
    "unresisted": "Who does not resist has no successes, and one is enough in this roll."
    " Successes of the roller: {net}.",
    "lost": "{opponent} has more successes and wins by {winner_successes}.",
    "lost_botch": "No die of the roller reached the difficulty, and at least one shows 1: that is a"
    " botch, which counts as 0 against {opponent}. {opponent} wins by {winner_successes}.",
    "lost_botch_below": "No die of the roller reached the difficulty, and at least one shows 1:"
    " that is a botch. Each 1 counts for {opponent}, who wins by {winner_successes}.",
    "neither": "Neither side has a success, so nothing is achieved.",
    "tie_neither": "Both sides have as many successes ({net}), and a tie is a standoff here.",
    "tie_defender": "Both sides have as many successes ({net}), and in a tie the defender holds.",
    "tie_attacker": "Both sides have as many successes ({net}), and in a tie the attacker just"
    " succeeds here.",
    "tie_at_zero_neither": "Neither side has a success. That is a tie here, and a standoff.",
    "tie_at_zero_defender": "Neither side has a success. That is a tie here, and the defender"
    " holds.",
    "tie_at_zero_attacker": "Neither side has a success. That is a tie here, and the attacker just"
    " succeeds.",
    "all_botched": "Everybody who took part botched, so it is a botch.",
    "one_botched": "One of those who took part botched, and one is enough here for a botch.",
    "together_nothing": "Nobody who took part has a success.",
    "together_taken": "Each 1 takes a success away, and together they have none left.",
    "together": "One success is enough in this roll. Successes together: {together}.",
    "reached": "The work needs {target} successes, and {total} are gathered.",
    "ruined": "A botch ruins the work, and nothing of it is left.",
    "too_late": "The work had to be done in {deadline} rolls. It needs {target} successes, and"
    " {total} are gathered.",
    "too_long": "No roll may go on for more rounds. The work needs {target} successes, and"
    " {total} are gathered.",
    "part_done": "The work needs {target} successes, and {total} are gathered: a part of it is"
    " done.",
    "set_back": "A botch took away what was gathered, and nothing is gathered since.",
    "nothing_done": "The work needs {target} successes, and none is gathered.",
    "leading": "A lead of {target} net successes is needed, and {leader} leads by {lead}.",
    "leading_late": "A lead of {target} net successes was needed. No more rolls are allowed, and"
    " {leader} leads by {lead}.",
    "level": "A lead of {target} net successes is needed, and neither side leads.",
    "level_late": "A lead of {target} net successes was needed. No more rolls are allowed, and"
    " neither side leads.",
    "gathering": "A side must gather {target} successes. The roller has {gathered},"
    " {opponent} {opponent_gathered}.",
    "gathering_late": "A side had to gather {target} successes, and no more rolls are allowed."
    " The roller has {gathered}, {opponent} {opponent_gathered}.",
    "lead_won": "A lead of {target} net successes is needed, and {leader} leads by {lead}.",
    "lead_lost": "A lead of {target} net successes is needed, and {leader} leads by {lead}.",
    "gathered_won": "A side must gather {target} successes. The roller has {gathered},"
    " {opponent} {opponent_gathered}.",
    "gathered_lost": "A side must gather {target} successes. The roller has {gathered},"
    " {opponent} {opponent_gathered}.",
    "contest_tie_attacker": "Both sides gathered the {target} successes at once, and in a tie"
    " the attacker wins here.",
    "contest_tie_defender": "Both sides gathered the {target} successes at once, and in a tie"
    " the defender wins.",
}
"""Why a degree is what it is; the successes that the chart names are below."""

CHARTED: Words = {
    "enough": "Successes: {net}.",
    "won": "{winner} has more successes than {opponent} and wins by {margin}.",
    "unresisted": "Who does not resist has no successes. Successes of the roller: {net}.",
    "together": "Successes together: {together}.",
}
"""What is before the line of the chart."""

READINGS: Words = {
    "resisted_tie.defender": "in a tie the defender holds",
    "resisted_tie.attacker": "in a tie the attacker just succeeds",
    "resisted_tie.neither": "a tie is a standoff",
    "tie_at_zero.failure": "where neither side has a success, nothing is achieved",
    "tie_at_zero.tie": "where neither side has a success, that is a tie",
    "below_zero.counts": "who has more 1s than successes takes from the others",
    "below_zero.stops": "who has more 1s than successes has no success, and takes none from others",
    "declined.zero": "who does not resist has no successes",
    "declined.simple": "where nobody resists, the roll is a simple one",
    "resisted_extended.lead": "a long contest is won by a lead in net successes",
    "resisted_extended.own": "a long contest is won by the successes that a side gathers",
    "extended_botch.ruin": "a botch ruins an extended roll",
    "extended_botch.setback": "a botch in an extended roll takes away what was gained, and the work"
    " goes on",
    "cooperative_botch.all": "those who work together botch only if all of them do",
    "cooperative_botch.any": "those who work together botch as soon as one of them does",
    "retry_step": "each further try is harder by {0}",
    "actions_by.turn": "each action of a turn must leave dice for the last one",
    "actions_by.each": "each action of a turn only needs dice of its own",
    "health_levels": "each lost level of health takes dice away: {0}",
    "soak_pays_wounds.true": "wounds take dice from a soak by Stamina + Armor",
    "soak_pays_wounds.false": "wounds take no dice from a soak by Stamina + Armor",
    "soak_by.Stamina": "damage is soaked with Stamina, where the attack names nothing else",
    "soak_by.Stamina + Armor": "damage is soaked with Stamina + Armor, where the attack names"
    " nothing else",
    "soak_by.Armor": "damage is soaked with Armor, where the attack names nothing else",
    "soak_difficulty": "every soak is rolled at difficulty {0}",
    "weapon_damage": "a weapon that is not declared adds {0} to the damage",
}

OTHERS: Words = {
    **{f"degree.{line.name}": f"{line.name} success" for line in DEGREES},
    **{
        f"name.{name}": line.example
        for name, line in (
            *zip(EXAMPLES, DEGREES, strict=True),
            *((line.name, line) for line in HARDLY_WORTH_ROLLING.values()),
        )
    },
    "hand.initiator": "the dice",
    "hand.reactor": "the resisting dice",
    "hand.helper": "the dice of",
    "kind.d10": "ten-sided die",
    "track.wounds": "health levels lost",
    "link.soak": "the soak of a hit",
    "link.again": "a further try",
}

WORDS: Mapping[str, Words] = {
    ENGLISH: {
        **{f"figure.{key}": word for key, word in LABELS.items()},
        **{f"unit.{key}": word for key, word in UNITS.items()},
        **{f"result.{key}": word for key, word in RESULTS.items()},
        **{
            f"result.{key}_{line.name}": word
            for key, word in SCORED.items()
            for line in DEGREES
            if key in CHARTED
        },
        **{f"reason.{key}": word for key, word in REASONS.items()},
        **{
            f"reason.{key}_{line.name}": f"{word} The chart calls {what} {line.name}."
            for key, word in CHARTED.items()
            for line, what in zip(DEGREES, ("that",) * 4 + ("5 or more",), strict=True)
        },
        **{f"reading.{key}": word for key, word in READINGS.items()},
        **OTHERS,
        **TERMS,
        **RULES,
    }
}
"""All of them, by language and key."""
