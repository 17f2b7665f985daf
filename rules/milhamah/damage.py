"""Where a critical success of Milhamah hits, and what it does to armour, soak and wounds."""

from collections.abc import Mapping
from typing import Any, cast

from ...errors import Refused
from ...events.base import Effect
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Damage, Roll, Sheets, Track
from .letters import WILD
from .options import Options
from .pool import LOCATION, opposed

CRITICAL = "critical success"

LOCATIONS: Mapping[str, str] = {
    "א": "chest",
    "ב": "eye",
    "ג": "nose",
    "ד": "groin",
    "ה": "neck",
    "ו": "upper back",
    "ז": "foot",
    "ח": "shoulder",
    "ט": "lower leg",
    "י": "forearm",
    "כ": "ear",
    "ל": "hand",
    "מ": "belly",
    "נ": "nose",
    "ס": "side",
    "ע": "upper arm",
    "פ": "mouth",
    "צ": "thigh",
    "ק": "lower back",
    "ר": "rear",
    "ש": "head",
    "ת": "eye",
}
"""The place that each letter hits; eye and nose come twice (Critical success)."""

GRADES = ("light", "serious", "critical")
"""The grades of wounds, in the order in which they fill."""


def tracks(options: Options) -> dict[str, Track]:
    """Every counter of a character: merit, what a botch gave, soak, wounds, armour by location."""
    counters = {name: Track() for name in ("merit", "xr", "pocket")}
    soak = Track(start="VIG" if options.soak_start == "VIG" else 0)
    grades = zip(GRADES, options.wound_track, strict=True)
    wounds = {grade: Track(most=capacity) for grade, capacity in grades}
    armour = {f"armour:{place}": Track() for place in dict.fromkeys(LOCATIONS.values())}
    return {**counters, "soak": soak, **wounds, **armour}


def strikes(roll: Roll, degree: str, opts: Any) -> bool:
    """Whether a roll of that degree does damage, as a critical success in combat does."""
    if not roll.declaration.combat or not opposed(roll, opts):
        return False
    if degree in ("success", "natural success"):
        return bool(opts.damage_by == "success")
    return degree == CRITICAL


def location(roll: Roll, opts: Any) -> str | None:
    """The letter of the place that was hit; None before it is thrown, or chosen for a Wild."""
    hand = roll.hand(LOCATION)
    if hand is None:
        return None
    die = hand.dice[0]
    if WILD in die.thrown and opts.location_die == "wilds" and opts.location_wild == "initiator":
        return roll.choices.get("location")
    return None if die.face == WILD else str(die.face)


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """What the resolved roll does to its opponent as he is now (Critical success).

    The margin is spent in order: armour of the place, soak, wounds; figures are there for what it
    reaches. `room` is how many wounds a grade can still take. Raises Refused where the roll does no
    damage.
    """
    opts = Consulted(roll.options)
    letter = location(roll, opts)
    if roll.outcome is None or letter is None or not strikes(roll, roll.outcome.degree, opts):
        raise Refused("not-offered", "only a critical success in combat does damage")
    victim = sheet(roll.declaration.opponent)
    raw = left = max(0, roll.outcome.margin)
    figures: dict[str, Value] = {"location": LOCATIONS[letter], "letter": letter, "raw": raw}
    effects: list[Effect] = []
    for name, track in (("armour", f"armour:{LOCATIONS[letter]}"), ("soak", "soak")):
        if not left:
            break
        if name == "soak":
            opts.used("soak_start")  # decided how much soak there was to begin with
        there = max(0, victim.tracks.get(track, 0))  # one at its least need not be on the sheet
        spent = min(left, there)
        figures |= {name: there, f"{name}_spent": spent}
        effects.append(Effect(victim.character, track, -spent))
        left -= spent
    if left:
        figures["through"] = left
    for grade, capacity in zip(GRADES, _capacities(left, opts), strict=True):
        if not left:
            break
        room = max(0, capacity - victim.tracks.get(grade, 0))
        wounds = min(left, room)
        figures |= {f"room:{grade}": room, f"wounds:{grade}": wounds}
        effects.append(Effect(victim.character, grade, wounds))
        left -= wounds
    figures |= {"overflow": left, "fatal": left > 0}
    changed = tuple(effect for effect in effects if effect.delta)
    return Damage(victim.character, raw, figures, opts.names, changed)


def _capacities(left: int, opts: Any) -> tuple[int, ...]:
    """How many wounds each grade holds; no matter where none is left to place."""
    return cast(tuple[int, ...], opts.wound_track) if left else (0,) * len(GRADES)
