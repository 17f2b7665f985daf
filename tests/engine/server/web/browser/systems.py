"""One roll of each system: ratings of two characters, what is declared, and how it is answered."""

from typing import Any

from msgspec import Struct


class Case(Struct, frozen=True):
    """Ruth's character c1 declares, Etgar's c2 answers where it is asked; None: it is not.

    `alone` replaces what is declared where nobody else plays.
    """

    ratings: dict[str, float]
    declared: dict[str, Any]
    others: dict[str, float] = {}
    answer: dict[str, Any] | None = None
    alone: dict[str, Any] | None = None


def alone(case: Case) -> dict[str, Any]:
    """What is declared where nobody answers."""
    return case.declared if case.alone is None else case.alone


CASES = {
    "age_of_magic": Case(
        {"Stealth": 5, "DX": 4},
        {"skill": "Stealth", "characteristic": "DX", "difficulty": "11"},
    ),
    "majesty": Case(
        {"Sight": 9},
        {"kind": "Check", "attribute": "Sight", "opponent": "c2"},
        {"Wits": 9},
        {"attribute": "Wits"},
        {"kind": "Check", "value": 4, "opposing": 4},
    ),
    "milhamah": Case(
        {"BLE": 3},
        {"root": "רוח", "rating": 2, "opponent": "c2"},
        {"GRA": 2},
        {"root": "חנן", "rating": 1},
        {"root": "רוח", "rating": 2},
    ),
    "sagatafl": Case({"Lockpicking": 5}, {"trait": "Lockpicking", "rd": "7"}),
    "scarterra": Case(
        {"Dexterity": 3, "Crossbow": 1},
        {"attribute": "Dexterity", "ability": "Crossbow"},
    ),
}
