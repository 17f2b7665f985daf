"""Allies of Majesty once more, from the book's page alone: every figure of a roll, from its JSON.

Nothing here is the program's: values, Adjustments and results are reckoned from what was declared,
what is on the sheets, the faces that fell and the faces that are shown.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

JSON = dict[str, Any]

DEFAULTS: JSON = {
    "epic_lock": "all",
    "fewer_adjustments": True,
    "wrap": False,
    "net_zero": "no effect",
    "declined": "sheet",
}


def number(distance: int) -> int:
    """Adjustments for a difference: at 1, 3, 6, 10, 15, 20, 25 and so on one more each."""
    thresholds = [1, 3, 6, 10]
    while thresholds[-1] < abs(distance):
        thresholds.append(thresholds[-1] + 5)
    return len([least for least in thresholds if abs(distance) >= least])


def own_value(declared: JSON, sheet: Mapping[str, int]) -> tuple[str | None, int | None, int]:
    """The roller's attribute, its rating, and the value that is compared."""
    name = declared.get("attribute")
    if "value" in declared:
        return name, None, declared["value"]
    if name is None and declared["kind"] == "strike":
        name = "Precision"
    rating = sheet[str(name)]
    return name, rating, rating // 10 if declared["kind"] == "resist" else rating


def magic(side: JSON) -> int | None:
    """What a Spiritual Effect or a Song opposes a Resist Check with."""
    if "cost" in side:
        return int(side["cost"]) // 10
    return 2 * int(side["spp"]) if "spp" in side else None


def other_value(
    options: JSON, declared: JSON, reaction: JSON | None, sheet: Mapping[str, int]
) -> tuple[str | None, int | None]:
    """The other side's attribute, where one counts, and its value; None: nobody adjusts."""
    if "opposing" in declared:
        return None, declared["opposing"]
    if (found := magic(declared)) is not None:
        return None, found
    kind = declared["kind"]
    usual = declared.get("opposing_attribute") or ("Guard" if kind == "strike" else None)
    if reaction is None:
        if options["declined"] == "no adjustments":
            return None, None
        if options["declined"] == "zero":
            return None, 0
        return (None, 0) if kind == "resist" else (usual, sheet.get(usual, 0) if usual else 0)
    if "value" in reaction:
        return reaction.get("attribute"), reaction["value"]
    if (found := magic(reaction)) is not None:
        return reaction.get("attribute"), found
    name = reaction.get("attribute", usual)
    return name, sheet[str(name)]


def counted(faces: Sequence[int]) -> JSON:
    """The results on the dice."""
    positives = [face for face in faces if 9 <= face <= 12]
    negatives = [face for face in faces if 1 <= face <= 3]
    twelves, ones = list(faces).count(12), list(faces).count(1)
    extra = max(twelves - ones, 0)
    return {
        "positives": len(positives),
        "twelves": twelves,
        "ones": ones,
        "extra_positives": extra,
        "neutrals": len(faces) - len(positives) - len(negatives),
        "negatives": len(negatives),
        "net": len(positives) + extra - len(negatives),
    }


def way(start: int, end: int, *, wrap: bool) -> int:
    """Steps from face to face."""
    steps = abs(start - end)
    return min(steps, 12 - steps) if wrap else steps


def locked(options: JSON, fell: Sequence[int]) -> list[str]:
    """The Epic dice of an Epic Roll; none in any other roll."""
    epic = list(fell).count(12) - list(fell).count(1)
    if -2 < epic < 2:
        return []
    fixed = {1, 12} if options["epic_lock"] == "all" else {12 if epic > 0 else 1}
    return [f"d{at}" for at, face in enumerate(fell, 1) if face in fixed]


def words(kind: str, final: JSON) -> JSON:
    """What a kind of roll calls its results."""
    good = final["positives"] + final["extra_positives"]
    if kind != "strike":
        return {"passes": good, "uncancelled_passes": max(final["net"], 0)}
    stops = max(-final["net"], 0)
    return {
        "hits": good,
        "misses": final["neutrals"],
        "stops": final["negatives"],
        "uncancelled_hits": max(final["net"], 0),
        "uncancelled_stops": stops,
        "defensive_hits": stops // 2,
        "twelve_effects": max(final["twelves"] - final["ones"], 0),
    }


def figures(
    given: JSON,
    declared: JSON,
    sheets: Sequence[Mapping[str, int]],
    reaction: tuple[JSON | None] | None,
    fell: Sequence[int],
    shown: Sequence[int],
) -> JSON:
    """Every figure of a roll of c1's, with its degree and margin.

    `sheets` are c1's and c2's ratings; `reaction` is c2's, (None,) where it declined.
    """
    options = {**DEFAULTS, **given}
    attribute, rating, value = own_value(declared, sheets[0])
    answered = reaction[0] if reaction else None
    name, opposing = other_value(options, declared, answered, sheets[1])
    made = 0 if opposing is None else number(value - opposing)
    nobody = "" if "opponent" not in declared else "c2"
    side = "c1" if opposing is None or value >= opposing else nobody
    said = {**declared, **(answered or {})}
    found: JSON = {
        "kind": declared["kind"],
        "attribute": attribute,
        "rating": rating if declared["kind"] == "resist" else None,
        "value": value,
        "opponent": declared.get("opponent"),
        "declined": ["c2"] if reaction == (None,) else None,
        "opponent_attribute": name,
        "cost": said.get("cost"),
        "spp": said.get("spp"),
        "opposing_value": opposing,
        "difference": None if opposing is None else value - opposing,
        "adjustments": made,
    }
    if made:
        found |= adjusted(options, made, side, fell, shown)
    epic = list(fell).count(12) - list(fell).count(1)
    if abs(epic) >= 2:
        found |= {"epic_roll": "positive" if epic > 0 else "negative", "epic_dice": abs(epic)}
        found |= {"thrown_twelves": list(fell).count(12), "thrown_ones": list(fell).count(1)}
        found["locked_dice"] = locked(options, fell) if made else None
    final = counted(shown)
    net = final["net"]
    degree = options["net_zero"] if net == 0 else "positive" if net > 0 else "negative"
    found |= final | words(declared["kind"], final)
    found = {key: each for key, each in found.items() if each is not None}
    return {"degree": degree, "margin": net, "figures": found}


def adjusted(
    options: JSON, made: int, side: str, fell: Sequence[int], shown: Sequence[int]
) -> JSON:
    """Who adjusts, what was used and could still be, and which dice were moved."""
    wrap, fixed = options["wrap"], locked(options, fell)
    used = sum(way(a, b, wrap=wrap) for a, b in zip(fell, shown, strict=True))
    far = [
        max(way(face, end, wrap=wrap) for end in range(1, 13))
        for at, face in enumerate(fell, 1)
        if f"d{at}" not in fixed
    ]
    left = min(made, sum(far)) - used
    moved = {
        f"moved:d{at}": way(a, b, wrap=wrap)
        for at, (a, b) in enumerate(zip(fell, shown, strict=True), 1)
        if a != b
    }
    return {
        "adjusted_by": side or None,
        "narrator_adjusts": None if side else True,
        "adjustments_used": used,
        "adjustments_left": left if left > 0 and options["fewer_adjustments"] else None,
        "dice_can_take": sum(far) if sum(far) < made else None,
        **moved,
    }


def odds(dice: int) -> dict[int, Fraction]:
    """The exact odds of every net of so many dice, die by die: signs, 12s and 1s added up."""
    one = [(0, 0, 5), (1, 0, 3), (1, 1, 1), (-1, 0, 2), (-1, -1, 1)]
    sums = {(0, 0): 1}
    for _ in range(dice):
        after: dict[tuple[int, int], int] = {}
        for (signs, epics), count in sums.items():
            for sign, epic, faces in one:
                key = signs + sign, epics + epic
                after[key] = after.get(key, 0) + count * faces
        sums = after
    found: dict[int, Fraction] = {}
    for (signs, epics), count in sums.items():
        net = signs + max(0, epics)
        found[net] = found.get(net, Fraction(0)) + Fraction(count, 12**dice)
    return found
