"""What honest evenings are played with: characters and declarations of the kit's own tests."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec import to_builtins

from tests.rules.age_of_magic import test_kit as age_of_magic
from tests.rules.majesty import test_kit as majesty
from tests.rules.milhamah import test_kit as milhamah
from tests.rules.plain import test_kit as plain
from tests.rules.sagatafl import test_kit as sagatafl
from tests.rules.scarterra import test_kit as scarterra
from urim.engine.core.commands import SetReading
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.trial import Trial
from urim.rules import ruleset_named
from urim.rules.readings import readings_of

GIVEN: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "milhamah": milhamah.TRIAL,
        "sagatafl": sagatafl.TRIAL,
        "majesty": majesty.TRIAL,
        "scarterra": scarterra.TRIAL,
        "age_of_magic": age_of_magic.TRIAL,
        "plain": plain.TRIAL,
    }
)
"""What the kit is given, by the name of the system."""


FEWER: Mapping[str, Any] = MappingProxyType(
    {
        "followers": {**age_of_magic.TRIAL["followers"], "soak": [age_of_magic.BASIC]},
        "amendments": [{"difficulty": 3}, {"weapon": 11}, {"push": True}, {"modifier": 3}],
    }
)
"""What evenings of Age of Magic are played with: tests of damage were chosen by what they hold."""


def trial_of(name: str, **other: Any) -> Trial:
    """What one system is tried with, some of it otherwise."""
    ruleset = ruleset_named(name)
    given: dict[str, Any] = {"reactions": [], "followers": {}, **GIVEN[name], "recount": None}
    return Trial(
        ruleset=ruleset, bare=ruleset, readings=readings_of(ruleset.Options), **{**given, **other}
    )


TRIALS: Mapping[str, Trial] = MappingProxyType(
    {name: trial_of(name) for name in GIVEN if name not in ("plain", "age_of_magic")}
    | {"age_of_magic": trial_of("age_of_magic", **FEWER)}
)
"""What each system of a book is tried with, by its name."""


def some_reading(trial: Trial, luck: Luck) -> SetReading:
    """From here on a table of the system reads something otherwise, or as before."""
    reading = luck.one_of(trial.readings)
    value = luck.one_of((reading.default, *reading.others))
    return SetReading(reading.name, to_builtins(value))
