"""A declaration or reaction of Scarterra made concrete, once, before the dice fall.

Settled, it no longer depends on the sheet: dots and wounds are numbers, difficulties as well.
"""

from collections.abc import Callable
from typing import TypeVar

from msgspec import structs

from ...errors import Refused
from ..ruleset import Effect, Roll, Sheet
from .charts import STANDARD, difficulty_named
from .declare import DOTS_MOST, SETTLED, Declaration, Reaction, Side
from .options import Options
from .pool import must_have_dice

AnySide = TypeVar("AnySide", Declaration, Reaction)

CONFLICTS: tuple[tuple[Callable[[Declaration], object], str], ...] = (
    (
        lambda d: d.opponent and d.helpers,
        "a roll is resisted or cooperative, not both: {opponent}, {helpers}",
    ),
    (
        lambda d: d.reflexive and (d.opponent or d.helpers or d.target or d.combat),
        "a reflexive roll is simple and no attack, not with {opponent}, {helpers}, target {target}",
    ),
    (lambda d: d.combat and not d.opponent, "an attack needs an opponent, it has {opponent}"),
    (lambda d: d.combat and d.target, "an attack is a simple roll, without a target of {target}"),
    (
        lambda d: (d.weapon is not None or d.soak) and not d.combat,
        "only an attack in combat has weapon {weapon} or soak {soak}",
    ),
    (
        lambda d: d.deadline and not d.target,
        "a deadline of {deadline} rolls belongs to an extended roll, with a target",
    ),
)
"""What cannot be declared together, and the sentence that says so."""

OF_A_SOAK = ("modifiers", "difficulty", "reflexive", "binary")
"""What a soak may declare; the rest follows from the attack."""


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The declaration made concrete; it costs nothing. Raises Refused.

    A soak is left for `follow` to complete: the attack says what it is rolled with.
    """
    if link == "soak":
        return _soak(declaration, sheet), ()
    _check(declaration, sheet.character, link)
    settled = _concrete(declaration, sheet)
    if link != "again" and settled.difficulty is None:
        settled = structs.replace(settled, difficulty=STANDARD)
    must_have_dice(settled, options, sheet.character)
    return settled, ()


def answer(
    roll: Roll, reaction: Reaction | None, sheet: Sheet
) -> tuple[Reaction | None, tuple[Effect, ...]]:
    """The reaction made concrete; None (declined) stays None. It costs nothing. Raises Refused."""
    if reaction is None:
        return None, ()
    settled = _concrete(reaction, sheet)
    if sheet.character in roll.declaration.helpers:
        if reaction.reflexive:
            raise Refused("malformed", f"{sheet.character} cannot help reflexively")
    elif settled.difficulty is None:
        settled = structs.replace(settled, difficulty=STANDARD)
    must_have_dice(settled, roll.options, sheet.character)
    return settled, ()


def check_conflicts(declaration: Declaration) -> None:
    """Refuse with "malformed" what cannot be declared together."""
    for conflicting, sentence in CONFLICTS:
        if conflicting(declaration):
            raise Refused("malformed", sentence.format(**structs.asdict(declaration)))


def _check(declaration: Declaration, who: str, link: str | None) -> None:
    """What a declaration may never say, whatever the sheet."""
    check_conflicts(declaration)
    others = (*declaration.helpers, declaration.opponent)
    if who in others:
        raise Refused("malformed", f"{who} cannot help or resist itself")
    for helper in declaration.helpers:
        if declaration.helpers.count(helper) > 1:
            raise Refused("malformed", f"the helper {helper} is named twice")
    if link == "again" and declaration.combat:
        raise Refused("malformed", "an attack in combat is no further try, but another attack")


def _concrete(side: AnySide, sheet: Sheet) -> AnySide:
    _traits(side, sheet)
    side = _actions(side)
    difficulty = None if side.difficulty is None else difficulty_named(side.difficulty)
    given = side.dots is not None
    return structs.replace(
        side,
        difficulty=difficulty,
        attribute_dots=0 if given else _rating(side.attribute, sheet),
        ability_dots=0 if given else _rating(side.ability, sheet),
        wounds=max(0, sheet.tracks.get("wounds", 0)),
    )


def _traits(side: Side, sheet: Sheet) -> None:
    if side.ability is not None and side.attribute in (None, side.ability):
        raise Refused(
            "malformed",
            f"{side.ability!r} goes with an attribute, not with {side.attribute!r}",
            allowed=sheet.attributes,
        )
    if side.dots is None and side.attribute is None:
        raise Refused("malformed", "name an attribute, or the dots", allowed=sheet.attributes)


def _actions(side: AnySide) -> AnySide:
    """Which of how many actions; a reflexive roll is none of them (Taking Multiple Actions)."""
    action, actions = side.action or 1, side.actions or 1
    if action > actions:
        raise Refused("out-of-range", f"action {action} of {actions}", allowed=[f"1 to {actions}"])
    if actions == 1:
        return structs.replace(side, action=None, actions=None)
    if side.reflexive:
        raise Refused(
            "malformed",
            f"a reflexive roll is no action, least of all one of {actions}",
            allowed=["actions = 1"],
        )
    return structs.replace(side, action=action, actions=actions)


def _rating(trait: str | None, sheet: Sheet) -> int:
    if trait is None:
        return 0
    if trait not in sheet.attributes:
        raise Refused(
            "unknown", f"{sheet.character} has no {trait!r}", allowed=sorted(sheet.attributes)
        )
    return _bounded(trait, sheet.attributes[trait])


def _bounded(trait: str, dots: int) -> int:
    if abs(dots) > DOTS_MOST:
        raise Refused(
            "out-of-range", f"{trait} of {dots}", allowed=[f"−{DOTS_MOST} to {DOTS_MOST}"]
        )
    return dots


def _soak(declaration: Declaration, sheet: Sheet) -> Declaration:
    """A reflexive roll at 6 with what the sheet has of Stamina and Armor (Reflexive Dice Rolls)."""
    plain = Declaration()
    for name in Declaration.__struct_fields__:
        value = getattr(declaration, name)
        if name not in (*OF_A_SOAK, *SETTLED) and value != getattr(plain, name):
            raise Refused(
                "malformed",
                f"a soak follows from the attack and declares no {name}: {value!r}",
                allowed=OF_A_SOAK,
            )
    if declaration.difficulty is not None and difficulty_named(declaration.difficulty) != STANDARD:
        raise Refused(
            "out-of-range", f"a soak at difficulty {declaration.difficulty}", allowed=[STANDARD]
        )
    dots = {name: _bounded(name, sheet.attributes.get(name, 0)) for name in ("Stamina", "Armor")}
    return structs.replace(
        declaration,
        difficulty=STANDARD,
        reflexive=True,
        attribute_dots=dots["Stamina"],
        ability_dots=dots["Armor"],
        wounds=max(0, sheet.tracks.get("wounds", 0)),
    )
