"""What the figures of Scarterra's outcomes and damage are.

Everybody who throws has the same ones: the roller's are plain, those of who resists begin with
`opponent_`, those of who helps with `helper_`, and name the helper in their key.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from ..figures import Figure, Part, owned

DIE, SUCCESS, POINT, LEVEL, ROLL = "die", "success", "point", "level", "roll"

BASIC = "Basic Dice Rolls"
RULE_OF_1 = "The Rule of “1”"
BOTCH = "Botching a roll"
CHART = "Difficulty Chart"
DEGREES = "Degree of Success Chart"
ACTIONS = "Taking Multiple Actions"
AGAIN = "Trying it Again"
EXTENDED = "Extended Rolls"
RESISTED = "Resisted Rolls"
COOPERATIVE = "Cooperative Rolls"
REFLEXIVE = "Reflexive Dice Rolls"

SIDE: Mapping[str, Figure] = {
    "dots": Figure(heading=BASIC, parts=("name",), readings=("soak_by",)),
    "declared_dots": Figure(heading=BASIC),
    "modifiers": Figure(unit=DIE, heading=BASIC, parts=("name",)),
    "action": Figure(heading=ACTIONS, fact=True),
    "actions": Figure(heading=ACTIONS),
    "action_penalty": Figure(unit=DIE, heading=ACTIONS, readings=("actions_by",)),
    "wounds": Figure(unit=LEVEL, heading=REFLEXIVE, readings=("soak_pays_wounds",), fact=True),
    "wound_penalty": Figure(
        unit=DIE, heading=REFLEXIVE, readings=("health_levels", "soak_pays_wounds"), fact=True
    ),
    "pool": Figure(unit=DIE, heading=BASIC),
    "difficulty": Figure(heading=BASIC, readings=("retry_step", "soak_difficulty"), fact=True),
    "difficulty_called": Figure(form="name", heading=CHART),
    "hardly_worth_rolling": Figure(form="name", heading=CHART),
    "successes": Figure(heading=BASIC, dice="count"),
    "ones": Figure(heading=RULE_OF_1, dice="count", counts="against"),
    "net": Figure(heading=RULE_OF_1, readings=("declined",)),
    "botch": Figure(form="flag", heading=BOTCH, readings=("cooperative_botch",)),
}
"""What one side throws, at what difficulty, and what it scored."""

IN_POOL = ("dots", "declared_dots", "modifiers", "action_penalty", "wound_penalty")
"""What makes a side's pool."""

FURTHER_TRY: Mapping[str, Figure] = {
    "further_try": Figure(heading=AGAIN, fact=True),
    "harder_each": Figure(heading=AGAIN, readings=("retry_step",), fact=True),
    "harder": Figure(heading=AGAIN, readings=("retry_step",)),
    "first_difficulty": Figure(heading=BASIC),
}
"""The difficulty of a roll that is tried once more."""

TOGETHER: Mapping[str, Figure] = {
    "opponent": Figure(form="character", heading=RESISTED),
    "winner": Figure(form="character", heading=RESISTED, readings=("resisted_tie", "tie_at_zero")),
    "winner_successes": Figure(heading=RESISTED),
    "winner_degree": Figure(form="name", heading=DEGREES),
    "together": Figure(heading=COOPERATIVE, readings=("cooperative_botch",)),
    "below_zero": Figure(form="flag", heading=CHART, readings=("below_zero",)),
    "declined": Figure(form="characters", heading=RESISTED, readings=("declined",)),
    "waiting_for": Figure(form="characters"),
}
"""What comes of two sides or more."""

OF_ROUND: tuple[Part, ...] = ("number", "character")
BOTCHED = ("extended_botch", "cooperative_botch")

BY_AND_BY: Mapping[str, Figure] = {
    "target": Figure(heading=EXTENDED, fact=True),
    "deadline": Figure(unit=ROLL, heading=EXTENDED, fact=True),
    "round_successes": Figure(heading=BASIC, parts=OF_ROUND, dice="count"),
    "round_ones": Figure(heading=RULE_OF_1, parts=OF_ROUND, dice="count", counts="against"),
    "round_net": Figure(heading=RULE_OF_1, parts=OF_ROUND),
    "round_botch": Figure(form="flag", heading=BOTCH, parts=OF_ROUND, readings=BOTCHED),
    "round_lost": Figure(
        unit=SUCCESS,
        heading=EXTENDED,
        parts=("number",),
        readings=BOTCHED,
    ),
    "round_total": Figure(unit=SUCCESS, heading=EXTENDED, parts=("number",)),
    "total": Figure(unit=SUCCESS, heading=EXTENDED),
    "percent": Figure(unit="percent", heading=EXTENDED),
    "gathered": Figure(heading=RESISTED, readings=("resisted_extended",)),
    "opponent_gathered": Figure(heading=RESISTED, readings=("resisted_extended",)),
    "leader": Figure(form="character", heading=RESISTED),
    "lead": Figure(unit=SUCCESS, heading=RESISTED, readings=("resisted_extended",)),
    "ruined": Figure(form="flag", heading=EXTENDED, readings=BOTCHED),
    "deadline_missed": Figure(form="flag", heading=EXTENDED),
}
"""What an extended roll gathers, round by round."""

DAMAGE: Mapping[str, Figure] = {
    "weapon": Figure(unit=POINT, heading=RESISTED, readings=("weapon_damage",)),
    "damage": Figure(unit=POINT, heading=RESISTED),
    "soaked": Figure(heading=REFLEXIVE),
    "left": Figure(unit=POINT, heading=REFLEXIVE, readings=("soak_by",)),
    "room": Figure(unit=LEVEL, heading=REFLEXIVE, readings=("health_levels",), whose="target"),
    "filled": Figure(unit=LEVEL, heading=REFLEXIVE, whose="target"),
    "beyond": Figure(unit=POINT, heading=REFLEXIVE, readings=("health_levels",)),
    "out": Figure(form="flag", heading=REFLEXIVE, readings=("health_levels",)),
}
"""What a hit does; its `attack` and the `wound_penalty` from now on are among the others."""

FIGURES: Mapping[str, Figure] = {
    "margin": Figure(unit=SUCCESS),
    "amount": Figure(unit=POINT),
    "kind": Figure(form="name", readings=("declined",)),
    "attack": Figure(heading=RESISTED, fact=True),
    "for_example": Figure(form="name", heading=DEGREES),
    **owned(SIDE, "roller", "action", "actions", "wounds", "wound_penalty"),
    **FURTHER_TRY,
    **{f"opponent_{name}": figure for name, figure in SIDE.items()},
    **{
        f"helper_{name}": replace(figure, parts=("character", *figure.parts))
        for name, figure in SIDE.items()
    },
    **TOGETHER,
    **BY_AND_BY,
    **DAMAGE,
}
"""Every figure, by the name that its key begins with."""
