"""A system's folder opens with its identity card, and the card is true."""

from importlib import import_module
from types import ModuleType

import pytest

from urim.rules import ruleset_named
from urim.rules.readings import readings_of
from urim.rules.ruleset import Ruleset


@pytest.mark.parametrize("system", ["sagatafl", "scarterra"])
def test_a_folder_opens_with_its_identity_card(system: str) -> None:
    ruleset = ruleset_named(system)
    card = shown(import_module(f"urim.rules.{system}"))
    assert card.pop("source").startswith(ruleset.source)
    assert list(card.items()) == list(expected(ruleset).items())


def shown(module: ModuleType) -> dict[str, str]:
    """The card's lines of a system's docstring, by their first word."""
    lines = (module.__doc__ or "").split("\n\n")[1].splitlines()
    card: dict[str, str] = {}
    last = ""
    for line in lines:
        word, _, rest = line.partition("  ")
        last = word or last  # a line that begins with blanks goes on with the one before
        card[last] = f"{card.get(last, '')} {rest.strip()}".strip()
    return card


def expected(ruleset: Ruleset) -> dict[str, str]:
    """The card as the record gives it, without the source: a page's name may say more."""
    options = ruleset.Options
    dice = sorted({f"d{len(faces)}" for faces in ruleset.faces(options()).values()})
    return {
        "name": f"{ruleset.name}, version {ruleset.version}",
        "dice": ", ".join(dice),
        "triggers": ", ".join(ruleset.triggers),
        "readings": ", ".join(reading.name for reading in readings_of(options)),
    }
