"""Sagatafl once more, from the book and the reference alone: a roll's outcome from plain JSON.

Shares nothing with the rules: `outcome` takes what was declared, answered and thrown, and gives
every figure. A side that cannot be rolled is None.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

Json = Mapping[str, Any]

DEFAULTS: Final[Json] = {
    "spec_and_edge": "one",
    "no_dice": "refused",
    "sense_rolls": "safe",
    "opposed": "scale",
    "declined": "unopposed",
    "sense_traits": [],
}
NAMED: Final = {"routine": 4, "default": 8, "very hard": 12}


def dice_of(options: Json, side: Json, sheet: Mapping[str, int]) -> int | None:
    """How many d12 a side throws; None where the rules refuse it."""
    rating = _rating(side, sheet)
    if rating is None or not 1 <= _rd(side) <= 30:
        return None
    dice = rating + _extra({**DEFAULTS, **options}, side)
    if dice > 0:
        return dice
    return 1 if options.get("no_dice") == "one" else None


def _rating(side: Json, sheet: Mapping[str, int]) -> int | None:
    if side.get("rating") is not None:
        return int(side["rating"])
    return sheet.get(side.get("trait", ""))


def _stated(side: Json) -> int:
    stated = side.get("rd", "default")
    return stated if isinstance(stated, int) else NAMED[stated]


def _rd(side: Json) -> int:
    changes: Mapping[str, int] = side.get("modifiers") or {}
    return _stated(side) + sum(changes.values())


def _extra(options: Json, side: Json) -> int:
    applying = ("specialisation" in side) + ("edge" in side)
    return min(applying, 1) if options["spec_and_edge"] == "one" else applying


def written(faces: Sequence[int], rd: int, *, safe: bool) -> str:
    """nS, f-1, or F-n with n from 2 to 6; a Safe Roll is no worse than f-1."""
    successes = len([face for face in faces if not face < rd])
    if successes > 0:
        return f"{successes}S"
    difference = rd - max(faces)
    if safe or difference == 1:
        return "f-1"
    return f"F-{min(difference, 6)}"


def level(shorthand: str) -> int:
    """N of nS; -1 of f-1; -n of F-n."""
    return int(shorthand[:-1]) if shorthand.endswith("S") else -int(shorthand.split("-")[1])


def shorthand(level: int) -> str:
    """The book's shorthand of a level."""
    if level > 0:
        return f"{level}S"
    return "f-1" if level == -1 else f"F{level}"


NAMES: Final = {-1: "failure", -2: "Minor Fumble", -6: "Disastrous Fumble"}


def _name(shorthand: str) -> str:
    return "success" if shorthand[-1] == "S" else NAMES.get(level(shorthand), "Fumble")


def outcome(
    options: Json,
    declared: Json,
    sheet: Mapping[str, int],
    faces: Sequence[int],
    *,
    reaction: Json | None = None,
    their_sheet: Mapping[str, int] | None = None,
    their_faces: Sequence[int] = (),
) -> dict[str, Any]:
    """Degree, margin, figures, and the readings that decided.

    `reaction` is None where the opponent, if there is one, declined.
    """
    opts = {**DEFAULTS, **options}
    read: set[str] = set()
    own, figures = _side(opts, declared, sheet, faces, read)
    opponent = declared.get("opponent")
    if opponent is None and declared.get("saving_throw"):
        return _done(_saving(own), level(own), figures | {"saving_throw": True}, read)
    if opponent is None:
        return _done(_name(own).lower(), level(own), figures, read)
    theirs: str | None = None
    if reaction is not None:
        theirs, shown = _side(opts, reaction, their_sheet or {}, their_faces, read)
        figures |= {f"opponent_{name}": value for name, value in shown.items()}
    else:
        read.add("declined")
        figures["declined"] = [opponent]
        if opts["declined"] == "unopposed":
            figures["unopposed"] = True
            return _done(_name(own).lower(), level(own), figures, read)
    read.add("opposed")
    ours = _on_scale(opts, own)
    other = 0 if theirs is None else _on_scale(opts, theirs)
    figures |= {"opponent": opponent, "scale": ours, "opponent_scale": other}
    figures["assumed"] = True
    if opts["opposed"] == "successes":
        figures["only_successes"] = True
    ahead = ours - other
    degree = ("nothing changes", "won", "lost")[(ahead > 0) - (ahead < 0)]
    return _done(degree, ahead, figures, read)


def _done(degree: str, margin: int, figures: Json, read: set[str]) -> dict[str, Any]:
    readings = tuple(sorted(read))
    return {"degree": degree, "margin": margin, "figures": figures, "readings": readings}


def _saving(shorthand: str) -> str:
    if shorthand in ("1S", "f-1"):
        return "partial success"
    return "success" if shorthand[-1] == "S" else "failure"


def _on_scale(options: Json, shorthand: str) -> int:
    if shorthand[-1] == "S":
        return level(shorthand)
    return level(shorthand) + 1 if options["opposed"] == "scale" else 0


def _certain(rd: int) -> dict[str, bool]:
    if rd > 12:
        return {"cannot_succeed": True}
    return {"cannot_fail": True} if rd < 2 else {}


def _side(
    opts: Json, side: Json, sheet: Mapping[str, int], faces: Sequence[int], read: set[str]
) -> tuple[str, dict[str, Any]]:
    rd, rating = _rd(side), _rating(side, sheet)
    assert rating is not None
    if "specialisation" in side and "edge" in side:
        read.add("spec_and_edge")
    if rating + _extra(opts, side) < 1:
        read.add("no_dice")
    sense = side.get("trait") in opts["sense_traits"]
    safe = side.get("safe")
    if safe is None and sense and written(faces, rd, safe=False)[0] == "F":
        read.add("sense_rolls")
        safe = opts["sense_rolls"] == "safe"
    result = written(faces, rd, safe=bool(safe))
    figures: dict[str, Any] = {"rating": rating, "dice": len(faces), "rd": rd}
    figures |= {name: side[name] for name in ("trait", "specialisation", "edge") if name in side}
    if extra := _extra(opts, side):
        figures["extra_dice"] = extra
    if side.get("modifiers"):
        figures["stated_rd"] = _stated(side)
        figures |= {f"modifiers:{name}": change for name, change in side["modifiers"].items()}
    figures |= _certain(rd)
    if result[-1] == "S":
        figures["successes"] = level(result)
    else:
        figures |= {"highest_die": max(faces), "below_rd": rd - max(faces)}
        if safe and rd - max(faces) > 1:
            figures["safe_roll"] = True
        if sense and result[0] == "F":
            figures["senses"] = "misread"
    return result, figures | {"level": level(result), "result": _name(result)}
