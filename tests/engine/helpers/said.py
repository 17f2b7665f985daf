"""Rolls as people type them, in a shell and in the page's line, and what each declares."""

from collections.abc import Mapping
from typing import Any

RATINGS = {"BLE": 3, "wind": 2, "Night vision+fog": 2, "Hidden": 1}
"""What Asta's sheet has; her opponent is Old Bo, c2."""

SAID: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "milhamah": {
        "BLE+wind vs 2": {"attribute": "BLE", "skill": "wind", "target": 2},
        "BLE + wind vs heroic": {"attribute": "BLE", "skill": "wind", "target": "heroic"},
        "BLE vs Old Bo": {"attribute": "BLE", "opponent": "c2"},
        "BLE vs Old Bo vs 4": {"attribute": "BLE", "opponent": "c2", "target": 4},
        "attribute=BLE vs 4": {"attribute": "BLE", "target": 4},
        "BLE+win expert": {"attribute": "BLE", "skill": "wind", "target": "expert"},
    },
    "sagatafl": {
        "BLE+chests 7": {"trait": "BLE", "specialisation": "chests", "rd": 7},
        "BLE +7": {"trait": "BLE", "rd": 7},
        "ble VS very hard": {"trait": "BLE", "rd": "very hard"},
        "night vision+fog vs 7": {"trait": "Night vision+fog", "rd": 7},
        "Hidden vs Old Bo": {"trait": "Hidden", "opponent": "c2"},
    },
    "majesty": {
        "BLE check vs 12": {"kind": "check", "attribute": "BLE", "opposing": 12},
        "BLE check vs Old Bo": {"kind": "check", "attribute": "BLE", "opponent": "c2"},
    },
    "scarterra": {
        "BLE+wind vs 7": {"attribute": "BLE", "ability": "wind", "difficulty": 7},
        "attack+BLE+wind vs Old Bo": {
            "combat": True, "attribute": "BLE", "ability": "wind", "opponent": "c2"
        },
    },
    "age_of_magic": {
        "BLE+wind vs 12.5": {"skill": "BLE", "characteristic": "wind", "difficulty": 12.5},
        "ble WIND vs 11": {"skill": "BLE", "characteristic": "wind", "difficulty": 11},
    },
}  # fmt: skip
"""By system: what is typed, and what it declares."""
