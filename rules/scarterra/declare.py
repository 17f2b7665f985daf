"""What a player declares before the dice fall in Scarterra: a roll, or a reaction to one."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from .options import DAMAGE_MOST, LEAST, MOST, Soak

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


class Blow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hit that is soaked: net successes, and the attack's weapon and soak."""

    attacker: Name
    attack: Count
    weapon: Count | None = None
    soak: Soak | None = None


class Retry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A further try: the first one's difficulty, and how often it has failed."""

    difficulty: Difficulty
    times: Annotated[int, Meta(ge=1)]


class Side(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What anybody declares who throws dice in a roll.

    `attribute`, with `ability` or alone: traits on the sheet whose dots are rolled; a trait like
    Willpower is named as attribute. `dots`: their number, 0 to 100, where no sheet has it.
    `modifiers`: dice more or less, by name. `difficulty`: 2 to 10, or its name in the chart.
    `reflexive`: no action of the character's own. `action` of `actions`: which of how many in this
    turn, 1 to 20; the only one where none is named.

    Filled in when it is settled: `attribute_dots` and `ability_dots` (of a soak: Stamina and
    Armor), and `wounds`, health levels lost so far.
    """

    attribute: Name | None = None
    ability: Name | None = None
    dots: Annotated[int, Meta(ge=0, le=DOTS_MOST)] | None = None
    modifiers: Annotated[dict[Name, Dots], Meta(max_length=20)] = {}
    difficulty: Name | Difficulty | None = None
    reflexive: bool = False
    actions: Actions | None = None
    action: Actions | None = None
    attribute_dots: Dots = 0
    ability_dots: Dots = 0
    wounds: Count = 0


class Reaction(Side, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The resistance of an opponent, or what a helper contributes.

    Without a difficulty an opponent rolls at 6, a helper at that of the roll.
    """


class Declaration(Side, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a character sets out to do; without a difficulty at 6, or as before in a further try.

    `opponent`: the id of anybody who resists. `helpers`: the ids of those who cooperate, 8 at most.
    `target`: successes that an extended roll needs, 1 to 100; of a resisted one a side's lead, or
    its own sum, as `resisted_extended` is read. `deadline`: rolls in which it must be reached, 1 to
    100. `binary`: the degree is no matter. `combat`: an attack, whose net successes wound;
    `weapon`: points of damage that its weapon adds, 0 to 100; `soak`: what it can be soaked with.

    `blow` and `retry` are filled in where the roll follows another.
    """

    opponent: Name | None = None
    helpers: Annotated[tuple[Name, ...], Meta(max_length=HELPERS_MOST)] = ()
    target: Annotated[int, Meta(ge=1, le=TARGET_MOST)] | None = None
    deadline: Annotated[int, Meta(ge=1, le=ROUNDS_MOST)] | None = None
    binary: bool = False
    combat: bool = False
    weapon: Annotated[int, Meta(ge=0, le=DAMAGE_MOST)] | None = None
    soak: Soak | None = None
    blow: Blow | None = None
    retry: Retry | None = None


def asked(declaration: Declaration) -> tuple[str, ...]:
    """Who may react, by id: anybody who resists, or the helpers."""
    opponent = () if declaration.opponent is None else (declaration.opponent,)
    return (*opponent, *declaration.helpers)


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The ids of those who resist or help, and of anybody who struck the blow that is soaked."""
    attacker = () if declaration.blow is None else (declaration.blow.attacker,)
    return (*asked(declaration), *attacker)
