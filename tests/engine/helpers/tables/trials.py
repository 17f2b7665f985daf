"""What the honest evenings are played with: characters and declarations of the kit's own tests."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tests.rules.age_of_magic import test_kit as age_of_magic
from tests.rules.majesty import test_kit as majesty
from tests.rules.milhamah import test_kit as milhamah
from tests.rules.sagatafl import test_kit as sagatafl
from tests.rules.scarterra import test_kit as scarterra
from urim.engine.testing.kit.trial import Trial, Who
from urim.rules import ruleset_named
from urim.rules.readings import readings_of
from urim.rules.ruleset import Ruleset


def _trial(ruleset: Ruleset, **given: Any) -> Trial:
    told: dict[str, Any] = {"followers": {}, "recount": None, **given}
    return Trial(ruleset=ruleset, readings=readings_of(ruleset.Options), **told)


STRIKERS = (
    Who({"Precision": 12, "Guard": 6, "Will": 53}),
    Who({"Precision": 7, "Guard": 9, "Will": 81}),
    Who({"Precision": 5, "Guard": 5, "Will": 67}),
)
THIEVES = (Who(sagatafl.ATTRIBUTES), Who({**sagatafl.ATTRIBUTES, "Body": 1}))

TRIALS: Mapping[str, Trial] = MappingProxyType(
    {
        "milhamah": _trial(
            ruleset_named("milhamah"),
            characters=milhamah.CHARACTERS,
            declarations=milhamah.DECLARATIONS,
            reactions=milhamah.REACTIONS,
            followers={"counter": [{"attribute": "BLE"}, {"rating": 2}]},
            amendments=[{"target": 2}, {"root": milhamah.ROOT}, {"combat": False}],
            options=milhamah.OPTIONS,
        ),
        "sagatafl": _trial(
            ruleset_named("sagatafl"),
            characters=THIEVES,
            declarations=sagatafl.DECLARATIONS,
            reactions=sagatafl.REACTIONS,
            amendments=[{"rd": 5}, {"rd": "routine"}, {"safe": True}],
            options=[{"sense_traits": ["Hearing"]}, {"opposed": "successes"}],
        ),
        "majesty": _trial(
            ruleset_named("majesty"),
            characters=STRIKERS,
            declarations=majesty.DECLARATIONS,
            reactions=majesty.REACTIONS,
            amendments=[{"value": 4}, {"value": 12}, {"opposing": 3}],
            options=[{}, {"wrap": True, "net_zero": "negative"}],
        ),
        "scarterra": _trial(
            ruleset_named("scarterra"),
            characters=scarterra.CHARACTERS,
            declarations=scarterra.DECLARATIONS,
            reactions=scarterra.REACTIONS,
            followers={
                "again": [{"dots": 2}, {"attribute": "Dexterity", "difficulty": 5}],
                "soak": [{}, {"modifiers": {"shield": 1}}],
            },
            amendments=[{"difficulty": 5}, {"weapon": 3}, {"binary": True}],
            options=scarterra.OPTIONS,
        ),
        "age_of_magic": _trial(
            ruleset_named("age_of_magic"),
            characters=age_of_magic.CHARACTERS,
            declarations=age_of_magic.DECLARATIONS,
            reactions=age_of_magic.REACTIONS,
            followers={
                "damage": [{}, {"modifiers": {"from behind": 4}, "push": True}],
                "soak": [age_of_magic.BASIC],
            },
            amendments=[{"difficulty": 3}, {"weapon": 11}, {"push": True}, {"modifier": 3}],
            options=age_of_magic.OPTIONS,
        ),
    }
)
"""What each system is tried with, by its name."""
