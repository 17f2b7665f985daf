"""A declaration of Age of Magic made concrete: scores, the price of a push, what it follows."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from ...errors import Refused
from ...events.base import Effect
from ..ruleset import Dice, Roll, Sheet
from .declare import (
    FRESH,
    POINTS_MOST,
    SCORES,
    UNCONSCIOUS,
    Declaration,
    Reaction,
    further,
    halves,
    shown,
)
from .options import Options
from .score import basic

FOLLOWING = ("damage", "soak")
"""The kinds of rolls that follow another, by links of the same names."""

CONFLICTS: tuple[tuple[Callable[[Declaration], object], str, str], ...] = (
    (
        lambda d: d.kind != "damage" and not (d.skill and d.characteristic),
        "a roll with skill {skill} and characteristic {characteristic}",
        "exactly one of each",
    ),
    (
        lambda d: d.kind == "damage" and (d.skill or d.specialism or d.characteristic != "ST"),
        "damage with skill {skill} and characteristic {characteristic}",
        "characteristic ST alone",
    ),
    (
        lambda d: d.talent and d.limitation,
        "a talent and a limitation in {skill}",
        "one of them",
    ),
    (
        lambda d: (d.talent or d.limitation) and not d.skill,
        "a talent or limitation in skill {skill}",
        "a roll with a skill",
    ),
    (
        lambda d: d.kind == "attack" and len(d.targets) != 1,
        "an attack on the targets {targets}",
        "one target",
    ),
    (
        lambda d: len(set(d.targets)) != len(d.targets),
        "a target is named twice in {targets}",
        "each once",
    ),
    (
        lambda d: d.kind == "soak" and d.targets,
        "a soak aimed at {targets}",
        "no targets",
    ),
    (
        lambda d: d.kind in ("attack", "tiring") and d.difficulty is None,
        "a roll of kind {kind} with difficulty {difficulty}",
        "a difficulty, which the referee fixes beforehand",
    ),
    (
        lambda d: d.kind in FOLLOWING and d.difficulty is not None,
        "a roll of kind {kind} with difficulty {difficulty}",
        "no difficulty",
    ),
    (
        lambda d: d.weapon and d.kind not in ("attack", "damage"),
        "a weapon of {weapon} in a roll of kind {kind}",
        "kind attack",
    ),
    (
        lambda d: not {*d.points} <= {d.skill, d.specialism, d.characteristic, *further(d)},
        "points for {points}, not all of them scores of this roll",
        "its skill, specialisms and characteristic",
    ),
    (
        lambda d: further(d) and not d.specialism,
        "the further specialisms {specialisms} with the specialism {specialism}",
        "a specialism, then further ones",
    ),
    (
        lambda d: len({d.specialism, *further(d)}) != 1 + len(further(d)),
        "a specialism is named twice in {specialism}, {specialisms}",
        "each once",
    ),
)
"""What cannot be declared together, the sentence that refuses it, and what would be allowed."""


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The sheet's scores and tiredness written in; a push costs a level, and its penalty counts.

    Raises Refused for a score that is not known, for what cannot be declared together, for luck
    without the talent, for an Unconscious roller, and for a push that would make one so.
    """
    declaration = _of_kind(declaration, link)
    skill = declaration.skill
    declaration = replace(
        declaration,
        talent=declaration.talent or sheet.attributes.get(f"talent:{skill}", 0) > 0,
        limitation=declaration.limitation or sheet.attributes.get(f"limitation:{skill}", 0) > 0,
    )
    _check(declaration, sheet)
    tired, effects = _tired(options, declaration, sheet)
    known = sheet.attributes
    scores: dict[str, Any] = {
        f"{field}_halves": _score(declaration, known, field, getattr(declaration, field))
        for field in SCORES
    }
    if more := further(declaration):
        each = tuple(_score(declaration, known, "specialism", name) for name in more)
        scores["specialisms_halves"] = each
    settled = replace(declaration, tired=tired, **scores)
    value = basic(Roll(options=options, character=sheet.character, declaration=settled))
    if abs(value) > 2 * POINTS_MOST:
        raise Refused(
            "out-of-range",
            f"a basic value of {shown(value)}",
            allowed=[f"-{POINTS_MOST} to {POINTS_MOST}"],
        )
    return settled, effects


def _of_kind(declaration: Declaration, link: str | None) -> Declaration:
    """The declaration with the kind and the characteristic that its link implies."""
    if declaration.kind == "simple" and link in FOLLOWING:
        declaration = replace(declaration, kind=link)
    if link != (declaration.kind if declaration.kind in FOLLOWING else None):
        raise Refused(
            "malformed",
            f"a roll of kind {declaration.kind!r} by the link {link!r}",
            allowed=["damage follows an attack, soak follows damage, nothing else follows"],
        )
    if declaration.kind == "damage" and declaration.characteristic is None:
        return replace(declaration, characteristic="ST")
    return declaration


def _check(declaration: Declaration, sheet: Sheet) -> None:
    for conflicting, sentence, allowed in CONFLICTS:
        if conflicting(declaration):
            fields = {name: getattr(declaration, name) for name in declaration.__struct_fields__}
            why = sentence.format(**{name: _text(value) for name, value in fields.items()})
            raise Refused("malformed", why, allowed=[allowed])
    if sheet.character in declaration.targets:
        raise Refused(
            "malformed",
            f"{sheet.character} cannot be its own target",
            allowed=["another character"],
        )
    if declaration.luck is not None:
        must_have(sheet, "luck")
    for name in ("difficulty", "weapon"):
        halves(name, getattr(declaration, name) or 0)
    for points in (declaration.points, declaration.modifiers):
        for name, value in points.items():
            halves(name, value)


def _text(value: object) -> str:
    if value is None or value == ():
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, (tuple, dict)) else str(value)


def must_have(sheet: Sheet, gift: str) -> None:
    """Refuse with "not-offered" a character without the luck talent or the unluck disadvantage."""
    if sheet.attributes.get(gift, 0) < 1:
        raise Refused(
            "not-offered", f"{sheet.character} has no {gift}", allowed=["a character with it"]
        )


def _tired(
    options: Options, declaration: Declaration, sheet: Sheet
) -> tuple[int, tuple[Effect, ...]]:
    """The tiredness level that sets the penalty, and the level that a push costs."""
    tired = sheet.tracks.get("tiredness", FRESH)  # a track at its least is not written down
    if tired >= UNCONSCIOUS:
        raise Refused(
            "not-offered",
            f"{sheet.character} is Unconscious and rolls nothing",
            allowed=["a character who is awake"],
        )
    if not declaration.push:
        return tired, ()
    if tired + 1 == UNCONSCIOUS and options.push_floor == "refuse":
        raise Refused(
            "not-offered",
            f"a push would leave {sheet.character} Unconscious",
            allowed=["no push"],
        )
    return tired + 1, (Effect(sheet.character, "tiredness", 1),)


def _score(
    declaration: Declaration, known: Mapping[str, int | float], field: str, name: str | None
) -> int:
    """A score in half points: as declared, else as on the sheet; 0 where none is named."""
    if name is None:
        return 0
    if name not in declaration.points and name not in known:
        raise Refused("unknown", f"no {field} {name!r} on the sheet", allowed=[*known, "points"])
    points = declaration.points.get(name, known.get(name, 0))
    if abs(points) > POINTS_MOST:
        raise Refused(
            "out-of-range",
            f"{name} is {points}",
            allowed=[f"-{POINTS_MOST} to {POINTS_MOST}"],
        )
    return halves(name, points)


def answer(roll: Roll, reaction: Reaction, sheet: Sheet) -> tuple[Reaction, tuple[Effect, ...]]:
    """Luck or unluck, which costs nothing. Raises Refused for a character without the gift."""
    must_have(sheet, reaction.fate)
    return reaction, ()


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """The damage of a hit, or the soak of damage, with the figures of the roll before it.

    Raises Refused where the parent is not resolved.
    """
    before: Declaration = parent.declaration
    if parent.outcome is None or link not in FOLLOWING:
        raise Refused("not-offered", f"no roll follows by {link!r}", allowed=FOLLOWING)
    margin = parent.outcome.margin
    if link == "soak":
        return replace(declaration, damage_halves=margin), ()
    of_hit = {"targets": before.targets, "weapon": before.weapon, "margin_halves": margin}
    return replace(declaration, **of_hit), ()
