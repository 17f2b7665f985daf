"""What a system's faces count for: a tally that forgets one number is caught by the kit."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from msgspec.structs import replace

from urim.engine.testing.kit import LawBroken, check, story
from urim.rules import ruleset_named
from urim.rules.ruleset import Ruleset

Coarser = Callable[[Any], Any]


def without_epic(tally: Any) -> Any:
    """Majesty's net, with nothing of 12s and 1s."""
    return tally if isinstance(tally[0], tuple) else tally[:1]


def nines_like_tens(tally: Any) -> Any:
    """Majesty's dice that may be adjusted, where a 9 is a 10."""
    if not isinstance(tally[0], tuple):
        return tally
    return [face + (face == 9) for face in tally[0]], tally[1]


def is_of_dice(tally: Any) -> bool:
    """Whether Milhamah's tally lists dice: others may be thrown or turned, or these."""
    dice = tally if isinstance(tally, tuple) else (True,)
    return all(isinstance(die, tuple) and isinstance(die[0], str) for die in dice)


def letters_alike(tally: Any) -> Any:
    """Milhamah's dice where any letter of the root is as good as another."""
    return sorted("".join(die) > "*" for die in tally) if is_of_dice(tally) else tally


def turned_alike(tally: Any) -> Any:
    """Milhamah's dice where what is under an adjusted one is forgotten."""
    if not is_of_dice(tally):
        return tally
    return [die[: die.index("turned")] if "turned" in die else die for die in tally]


def frozen_alike(tally: Any) -> Any:
    """Milhamah's dice where a frozen one may be thrown again like any other."""
    return [(*die[:2], *die[3:]) for die in tally] if is_of_dice(tally) else tally


def wilds_like_duds(tally: Any) -> Any:
    """Milhamah's dice where a Wild is nothing."""
    return [die for die in tally if die[0] not in ("", "*")] if is_of_dice(tally) else tally


def unspelled(tally: Any) -> Any:
    """Milhamah's hand that lies for good, where nobody looks whether it spells its root."""
    return tally if isinstance(tally, bool) or is_of_dice(tally) else tally[:-2]


def scored_alike(tally: Any) -> Any:
    """Milhamah's hand that lies for good, where two successes are one."""
    if isinstance(tally, bool) or is_of_dice(tally) or not isinstance(tally[0], tuple):
        return tally
    return (tally[0][0] - (tally[0][0] == 2), *tally[1:])


COARSE: dict[str, tuple[str, Coarser]] = {
    "sagatafl, a Fumble of 6 is one of 5": ("sagatafl", lambda tally: max(tally, -5)),
    "sagatafl, three successes are two": ("sagatafl", lambda tally: min(tally, 2)),
    "majesty, no epic dice": ("majesty", without_epic),
    "majesty, a 9 is a 10": ("majesty", nines_like_tens),
    "scarterra, ones without a success": ("scarterra", lambda tally: tally and tally[0]),
    "scarterra, two net successes are one": (
        "scarterra",
        lambda tally: tally and (tally[0] - (tally[0] == 2), tally[1]),
    ),
    "age of magic, a sum of 7 is one of 6": ("age_of_magic", lambda tally: tally - (tally == 7)),
    "milhamah, any letter": ("milhamah", letters_alike),
    "milhamah, what is under an adjusted die": ("milhamah", turned_alike),
    "milhamah, frozen dice": ("milhamah", frozen_alike),
    "milhamah, no Wilds": ("milhamah", wilds_like_duds),
    "milhamah, no root spelled": ("milhamah", unspelled),
    "milhamah, two successes are one": ("milhamah", scored_alike),
    "plain, a sum of 7 is one of 6": (
        "plain",
        lambda tally: (tally[0] - (tally[0] == 7), *tally[1:]),
    ),
    "plain, what may be dropped": ("plain", lambda tally: tally[0]),
}
"""Systems with a tally that forgets one thing."""


def coarse(system: str, coarser: Coarser) -> Ruleset:
    """The system with what its tallies are made of them."""
    known = ruleset_named(system)

    def tally(*given: Any) -> Any:
        return repr(coarser(known.tally(*given)))

    return replace(known, tally=tally)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("system", "coarser"), COARSE.values(), ids=COARSE)
def test_a_tally_that_is_too_coarse_is_caught(
    system: str, coarser: Coarser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story, "SECONDS", -1.0)
    trial = import_module(f"tests.rules.{system}.test_kit").TRIAL
    with pytest.raises(LawBroken) as failure:
        check(coarse(system, coarser), **trial, count=40, seed="coarse")
    assert failure.value.law == "tally"


def test_a_tally_that_counts_the_dice_to_come_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "SECONDS", -1.0)
    known = ruleset_named("age_of_magic")

    def tally(roll: Any, hand: Any, faces: Any, left: int) -> Any:
        return repr(known.tally(roll, hand, faces, left) * (left + 1))  # type: ignore[operator]

    trial = import_module("tests.rules.age_of_magic.test_kit").TRIAL
    with pytest.raises(LawBroken, match=r"count alike as \d+, and differ") as failure:
        check(replace(known, tally=tally), **trial, count=40, seed="coarse")
    assert failure.value.law == "tally"
