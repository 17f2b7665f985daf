"""Logs whose numbers are not those of the rules: step 11."""

from collections.abc import Mapping

from msgspec.structs import replace

from tests.engine.helpers.forged import Make, field, figure, key
from urim.events import roll as rolled
from urim.events import ruling
from urim.events.base import Effect

FORGERIES: Mapping[str, Make] = {
    "a margin": field(
        "milhamah/cliff", rolled.RollResolved, "outcome.margin", outcome=key("margin", 99)
    ),
    "a figure": field(
        "milhamah/cliff",
        rolled.RollResolved,
        "outcome.figures.letters",
        outcome=figure("letters", 40),
    ),
    "a wound too many": field("milhamah/critical-hit", rolled.DamageApplied, "effects", effects=()),
    "another place": field(
        "milhamah/critical-hit",
        rolled.DamageApplied,
        "damage.figures.location",
        damage=figure("location", "toe"),
    ),
    "another victim": field("milhamah/critical-hit", rolled.DamageApplied, "target", target="c1"),
    "a rating that no sheet has": field(
        "sagatafl/opposed",
        rolled.RollDeclared,
        "sheet_rating",
        alone="declaration.sheet_rating",
        declaration=key("sheet_rating", 40),
    ),
    "a push that costs nothing": field(
        "age_of_magic/push",
        rolled.RollDeclared,
        "effects",
        lambda event: bool(event.effects),
        effects=(),
    ),
    "dice thrown again for nothing": field(
        "milhamah/merit",
        rolled.DiceRerolled,
        "effects",
        lambda event: bool(event.effects),
        effects=(),
    ),
    "a gain that was none": field(
        "age_of_magic/trance",
        rolled.RollResolved,
        "effects",
        effects=(Effect("c1", "tiredness", -7),),
    ),
    "dice taken over otherwise": field(
        "milhamah/counter",
        rolled.DiceRolled,
        "dice",
        lambda event: event.taken is not None,
        dice=lambda dice: (*dice[:-1], replace(dice[-1], face="*")),
    ),
    "an amended outcome": field(
        "age_of_magic/amend-attack",
        ruling.RollAmended,
        "outcome.margin",
        outcome=key("margin", 99),
    ),
    "a degree": field(
        "milhamah/cliff",
        rolled.RollResolved,
        "outcome.degree",
        outcome=key("degree", "a wonder"),
    ),
}
"""Every forgery by what it is about."""
