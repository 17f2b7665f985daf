"""The numbers of a declaration, and of readings: the last that is taken, the first that is not."""

from typing import Any

import msgspec
import pytest

from urim.rules import BUILT_IN, ruleset_named

BOUNDS: tuple[tuple[str, str, int, int], ...] = (
    ("scarterra", "dots", 0, 100),
    ("scarterra", "ability_dots", -100, 100),
    ("scarterra", "actions", 1, 20),
    ("scarterra", "target", 1, 100),
    ("scarterra", "deadline", 1, 100),
    ("scarterra", "weapon", 0, 100),
    ("milhamah", "rating", -100, 100),
    ("milhamah", "target", 1, 100),
    ("sagatafl", "rating", 0, 100),
    ("sagatafl", "rd", 1, 30),
    ("age_of_magic", "difficulty", -200, 200),
    ("age_of_magic", "weapon", -200, 200),
    ("majesty", "value", -1_000, 1_000),
    ("majesty", "opposing", -1_000, 1_000),
    ("majesty", "cost", 0, 10_000),
    ("majesty", "spp", 0, 500),
)
"""By system and field: the least and the most."""


READINGS: tuple[tuple[str, str, int, int], ...] = (
    ("milhamah", "supply", 4, 12),
    ("milhamah", "cipher_dice", 0, 12),
    ("milhamah", "difficulty_step", 0, 10),
    ("milhamah", "first_roll_natural_bonus", 0, 12),
    ("milhamah", "combat_step", 0, 10),
    ("scarterra", "retry_step", 0, 8),
    ("scarterra", "soak_difficulty", 2, 10),
    ("scarterra", "weapon_damage", 0, 100),
    ("age_of_magic", "overdraw_dice", 0, 20),
)
"""By system and reading: the least and the most."""

REQUIRED = {"majesty": {"kind": "check"}}
"""Fields that every declaration has."""


def taken(kind: type, found: dict[str, Any]) -> bool:
    """Whether a declaration, or a table's readings, may hold this."""
    try:
        msgspec.convert(found, kind)
    except msgspec.ValidationError:
        return False
    return True


def check_bounds(kind: type, field: str, least: int, most: int, others: dict[str, str]) -> None:
    """Fails unless a field takes numbers from the least to the most, and no others."""
    for value in (least, least + 1, most - 1, most):
        assert taken(kind, {**others, field: value})
    for value in (least - 1, most + 1):
        assert not taken(kind, {**others, field: value})


@pytest.mark.parametrize(("system", "field", "least", "most"), BOUNDS)
def test_a_declared_number_is_taken_up_to_its_bounds(
    system: str, field: str, least: int, most: int
) -> None:
    kind = ruleset_named(system).Declaration
    check_bounds(kind, field, least, most, REQUIRED.get(system, {}))


@pytest.mark.parametrize(("system", "field", "least", "most"), READINGS)
def test_a_reading_is_taken_up_to_its_bounds(
    system: str, field: str, least: int, most: int
) -> None:
    check_bounds(ruleset_named(system).Options, field, least, most, {})


@pytest.mark.parametrize("system", BUILT_IN)
def test_no_track_of_ours_goes_below_0(system: str) -> None:
    rules = ruleset_named(system)
    tracks = rules.tracks(rules.Options())
    assert {name: track.least for name, track in tracks.items()} == dict.fromkeys(tracks, 0)
