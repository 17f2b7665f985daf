"""What a player declares before the dice fall in Scarterra: a roll, or a reaction to one."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from ..forms import (
    CHARACTER,
    SHEET,
    Chart,
    Line,
    chart,
    empty,
    field,
    filled,
    outside,
)
from ..ruleset import Rollable, Sheet
from .options import DAMAGE_MOST, DIFFICULTIES, LEAST, MOST, Options, Soak

DOTS_MOST = 100  # far beyond any character; keeps a throw within what is accepted
ACTIONS_MOST = 20
HELPERS_MOST = 8
TARGET_MOST = 100
ROUNDS_MOST = 100
"""Rolls of an extended roll, at most; with the helpers it bounds the size of an outcome."""

Name = Annotated[str, Meta(min_length=1, max_length=100)]
Dots = Annotated[int, Meta(ge=-DOTS_MOST, le=DOTS_MOST)]
Count = Annotated[int, Meta(ge=0)]
Actions = Annotated[int, Meta(ge=1, le=ACTIONS_MOST)]
Difficulty = Annotated[int, Meta(ge=LEAST, le=MOST)]

SOAKS: Mapping[Soak, tuple[str, ...]] = {
    "Stamina": ("Stamina",),
    "Stamina + Armor": ("Stamina", "Armor"),
    "Armor": ("Armor",),
}
"""The traits that soak damage with their dots (Reflexive Dice Rolls)."""


SETTLED = ("attribute_dots", "ability_dots", "wounds", "blow", "retry")
"""The fields below that nobody declares: they are taken from a sheet, or from the roll before."""


CHARTS = (
    Chart(
        "difficulties",
        "Difficulty Chart",
        tuple(
            Line(line.name, f"{line.name}, like {line.example}", number)
            for number, line in DIFFICULTIES.items()
        ),
        unit="on a die",
    ),
)

POOL, TASK, TURN, FIGHT = "Dice pool", "Difficulty", "Turn", "Combat"
OTHERS, LONG, BEFORE = "Others", "Extended roll", "The roll before"
"""The headings of the form."""

NO_SOAK = outside("link", "soak")
"""What a soak is rolled with follows from the attack."""


class Blow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hit that is soaked."""

    attacker: Annotated[Name, field("Attacker", "Who struck it.", picks=CHARACTER)]
    attack: Annotated[Count, field("Attack", "Its net successes.")]
    weapon: Annotated[Count | None, field("Weapon", "The points that its weapon adds.")] = None
    soak: Annotated[Soak | None, field("Soak", "What it can be soaked with.")] = None


class Retry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A further try."""

    difficulty: Annotated[Difficulty, field("Difficulty", "That of the first try.")]
    times: Annotated[int, Meta(ge=1), field("Times", "How often it has failed.")]


class Side(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What anybody declares who throws dice in a roll."""

    attribute: Annotated[
        Name | None,
        field(
            "Attribute",
            "The trait on the sheet whose dots are rolled; one like Willpower is named here too.",
            group=POOL,
            when=NO_SOAK,
            picks=SHEET,
            said="+",
        ),
    ] = None
    ability: Annotated[
        Name | None,
        field(
            "Ability",
            "The trait whose dots are added.",
            group=POOL,
            when=(NO_SOAK, filled("attribute")),
            picks=SHEET,
            said="+",
        ),
    ] = None
    dots: Annotated[
        Annotated[int, Meta(ge=0, le=DOTS_MOST)] | None,
        field("Dots", "Their number, where no sheet has it.", group=POOL, when=NO_SOAK),
    ] = None
    modifiers: Annotated[
        dict[Name, Dots],
        Meta(max_length=20),
        field("Modifiers", "Dice more, or fewer, by name.", group=POOL),
    ] = {}
    difficulty: Annotated[
        Name | Difficulty | None,
        field(
            "Difficulty",
            "What a die must show, a number or its name in the chart. Left out: 6, for a helper"
            " that of the roll, in a further try as before.",
            group=TASK,
            picks=chart("difficulties"),
            said="vs",
        ),
    ] = None
    reflexive: Annotated[
        bool, field("Reflexive", "It is no action of the character's own.", group=TURN)
    ] = False
    actions: Annotated[
        Actions | None,
        field(
            "Actions",
            "How many the character takes in this turn; left out, this one.",
            group=TURN,
            when=(NO_SOAK, empty("reflexive")),
        ),
    ] = None
    action: Annotated[
        Actions | None,
        field("Action", "Which of them this is.", group=TURN, when=(NO_SOAK, filled("actions"))),
    ] = None
    attribute_dots: Annotated[
        Dots, field("Dots of the attribute", "Of a soak: of Stamina.", group=POOL)
    ] = 0
    ability_dots: Annotated[
        Dots, field("Dots of the ability", "Of a soak: of Armor.", group=POOL)
    ] = 0
    wounds: Annotated[Count, field("Wounds", "Health levels lost so far.", group=POOL)] = 0


class Reaction(Side, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The resistance of an opponent, or what a helper contributes."""


class Declaration(Side, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a character sets out to do."""

    opponent: Annotated[
        Name | None,
        field(
            "Opponent",
            "A character who resists.",
            group=OTHERS,
            when=(NO_SOAK, empty("reflexive"), empty("helpers")),
            picks=CHARACTER,
            said="vs",
        ),
    ] = None
    helpers: Annotated[
        tuple[Name, ...],
        Meta(max_length=HELPERS_MOST),
        field(
            "Helpers",
            "The characters who cooperate, 8 at most.",
            group=OTHERS,
            when=(NO_SOAK, empty("reflexive"), empty("opponent")),
            picks=CHARACTER,
        ),
    ] = ()
    target: Annotated[
        Annotated[int, Meta(ge=1, le=TARGET_MOST)] | None,
        field(
            "Target",
            "Successes that an extended roll needs; of a resisted one a side's lead, or its own"
            " sum, as `resisted_extended` is read.",
            group=LONG,
            when=(NO_SOAK, empty("reflexive"), empty("combat")),
        ),
    ] = None
    deadline: Annotated[
        Annotated[int, Meta(ge=1, le=ROUNDS_MOST)] | None,
        field(
            "Deadline",
            "Rolls in which it must be reached.",
            group=LONG,
            when=(NO_SOAK, filled("target")),
        ),
    ] = None
    binary: Annotated[bool, field("Binary", "The degree is no matter.", group=TASK)] = False
    combat: Annotated[
        bool,
        field(
            "Combat",
            "An attack, whose net successes wound.",
            group=FIGHT,
            when=(outside("link", "soak", "again"), filled("opponent"), empty("target")),
        ),
    ] = False
    weapon: Annotated[
        Annotated[int, Meta(ge=0, le=DAMAGE_MOST)] | None,
        field("Weapon", "Points of damage that it adds.", group=FIGHT, when=filled("combat")),
    ] = None
    soak: Annotated[
        Soak | None,
        field("Soak", "What the attack can be soaked with.", group=FIGHT, when=filled("combat")),
    ] = None
    blow: Annotated[Blow | None, field("Blow", "The hit that is soaked.", group=BEFORE)] = None
    retry: Annotated[Retry | None, field("Further try", "What was tried before.", group=BEFORE)] = (
        None
    )


def asked(declaration: Declaration) -> tuple[str, ...]:
    """Who may react, by id: anybody who resists, or the helpers."""
    opponent = () if declaration.opponent is None else (declaration.opponent,)
    return (*opponent, *declaration.helpers)


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The ids of those who resist or help, and of anybody who struck the blow that is soaked."""
    attacker = () if declaration.blow is None else (declaration.blow.attacker,)
    return (*asked(declaration), *attacker)


RATINGS = (
    *("Dexterity", "Manipulation", "Perception", "Stamina", "Wits"),
    *("Alertness", "Archery", "Commerce", "Dodge", "Ride", "Stealth"),
)
"""The attributes and abilities that the book names."""


def rollables(options: Options, sheet: Sheet) -> tuple[Rollable, ...]:
    """A roll for each trait, with an ability or alone, and an attack; an attack offers its soak."""
    asks = ("ability", "difficulty")
    found = [Rollable(name, {"attribute": name}, asks) for name in sheet.attributes]
    if found:
        named = "Attack" if "Attack" not in sheet.attributes else "Attack in combat"
        blow = ("attribute", "ability", "opponent", "weapon")
        found.append(Rollable(named, {"combat": True}, blow))
    return tuple(found)
