"""A declaration or reaction of Scarterra made concrete, once, before the dice fall.

Settled, it no longer depends on the sheet: dots and wounds are numbers, difficulties as well.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct, structs

from ...errors import Refused
from ...events.base import Effect
from ..ruleset import Roll, Sheet
from .declare import DOTS_MOST, SETTLED, SOAKS, Declaration, Reaction, Retry, Side
from .options import MOST, STANDARD, Options, difficulty_named

AnySide = TypeVar("AnySide", Declaration, Reaction)

KINDS: Mapping[str, tuple[str, str]] = {
    "resisted": ("opponent", "resisted (by {opponent})"),
    "cooperative": ("helpers", "cooperative (with {helpers})"),
    "reflexive": ("reflexive", "reflexive"),
    "extended": ("target", "extended (target {target})"),
    "attack": ("combat", "an attack in combat"),
}
"""Each kind of roll: the field that makes a roll one, and how a refusal names it."""

APART: tuple[tuple[str, str], ...] = (
    ("attack", "extended"),
    ("reflexive", "attack"),
    ("reflexive", "resisted"),
    ("reflexive", "cooperative"),
    ("reflexive", "extended"),
    ("resisted", "cooperative"),
)
"""The kinds that no roll is at once: the book combines none of these."""

TOGETHER = ("resisted and extended", "cooperative and extended")
"""The kinds that a roll can be at once (Resisted Rolls, Cooperative Rolls)."""

CONFLICTS: tuple[tuple[Callable[[Declaration], object], str], ...] = (
    (lambda d: d.combat and not d.opponent, "an attack needs an opponent, it has {opponent}"),
    (
        lambda d: (d.weapon is not None or d.soak) and not d.combat,
        "only an attack in combat has weapon {weapon} or soak {soak}",
    ),
    (
        lambda d: d.deadline and not d.target,
        "a deadline of {deadline} rolls belongs to an extended roll, with a target",
    ),
)
"""What else cannot be declared together, and the sentence that refuses it."""

OF_A_SOAK = ("modifiers", "difficulty", "reflexive", "binary")
"""What a soak may declare; the rest follows from the attack."""


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The declaration made concrete; it costs nothing. Raises Refused.

    A soak is left for `follow` to complete: the attack decides what it is rolled with.
    """
    if link == "soak":
        return _soak(options, declaration, sheet), ()
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
    """Refuse with "malformed" what cannot be declared together; kinds of rolls by their names."""
    named = structs.asdict(declaration) | {"helpers": ", ".join(declaration.helpers)}
    for one, other in APART:
        (field, words), (second, more) = KINDS[one], KINDS[other]
        if getattr(declaration, field) and getattr(declaration, second):
            sentence = f"no roll is {words} and {more} at once".format(**named)
            raise Refused("malformed", sentence, allowed=TOGETHER)
    for conflicting, sentence in CONFLICTS:
        if conflicting(declaration):
            raise Refused("malformed", sentence.format(**named))


def _check(declaration: Declaration, who: str, link: str | None) -> None:
    """Refuse what no declaration may hold, whatever the sheet."""
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
            f"a reflexive roll is no action, so it cannot be one of {actions}",
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
    return _bounded(trait, sheet.whole(trait))


def _bounded(trait: str, dots: int) -> int:
    if abs(dots) > DOTS_MOST:
        raise Refused(
            "out-of-range", f"{trait} of {dots}", allowed=[f"−{DOTS_MOST} to {DOTS_MOST}"]
        )
    return dots


def _soak(options: Options, declaration: Declaration, sheet: Sheet) -> Declaration:
    """A reflexive roll with what the sheet has of Stamina and Armor (Reflexive Dice Rolls)."""
    plain = Declaration()
    for name in Declaration.__struct_fields__:
        value = getattr(declaration, name)
        if name not in (*OF_A_SOAK, *SETTLED) and value != getattr(plain, name):
            raise Refused(
                "malformed",
                f"a soak follows from the attack and declares no {name}: {value!r}",
                allowed=OF_A_SOAK,
            )
    only, named = options.soak_difficulty, declaration.difficulty
    if named is not None and difficulty_named(named) != only:
        raise Refused("out-of-range", f"a soak at difficulty {named}", allowed=[only])
    dots = {name: _bounded(name, sheet.whole(name)) for name in ("Stamina", "Armor")}
    return structs.replace(
        declaration,
        difficulty=only,
        reflexive=True,
        attribute_dots=dots["Stamina"],
        ability_dots=dots["Armor"],
        wounds=max(0, sheet.tracks.get("wounds", 0)),
    )


class Pool(Struct, frozen=True):
    """A dice pool by what makes it up: dots by trait, then dice more (above 0) or less (below)."""

    dots: Mapping[str, int]
    modifiers: int
    action: int
    wounds: int

    @property
    def dice(self) -> int:
        """The dice thrown. Below 1 there is nothing to roll."""
        return sum(self.dots.values()) + self.modifiers + self.action + self.wounds


def pool(side: Side, opts: Any) -> Pool:
    """The dice pool of a settled declaration or reaction (Basic Dice Rolls)."""
    return Pool(
        dots=_dots(side, opts),
        modifiers=sum(side.modifiers.values()),
        action=action_penalty(side.action or 1, side.actions or 1),
        wounds=wound_penalty(side.wounds, opts) if side.wounds and pays_wounds(side, opts) else 0,
    )


def _dots(side: Side, opts: Any) -> dict[str, int]:
    if isinstance(side, Declaration) and side.blow is not None:
        known = {"Stamina": side.attribute_dots, "Armor": side.ability_dots}
        return {name: known[name] for name in SOAKS[side.blow.soak or opts.soak_by]}
    if side.dots is not None:
        return {"declared": side.dots}
    named = ((side.attribute, side.attribute_dots), (side.ability, side.ability_dots))
    return {name: dots for name, dots in named if name is not None}


def action_penalty(action: int, actions: int) -> int:
    """What one of several actions in a turn loses, 0 or below (Taking Multiple Actions)."""
    return 0 if actions == 1 else -(actions + action - 1)


def last_penalty(side: Side) -> int:
    """What the last of the turn's actions loses, 0 or below."""
    actions = side.actions or 1
    return action_penalty(actions, actions)


def pays_wounds(side: Side, opts: Any) -> bool:
    """Whether wounds take dice from this roll, as they do from all but reflexive ones.

    A reflexive roll pays only where it takes an attribute and an ability (Reflexive Dice Rolls).
    """
    if isinstance(side, Declaration) and side.blow is not None:
        both = len(_dots(side, opts)) > 1
        return both and bool(opts.soak_pays_wounds)
    return not side.reflexive or side.ability is not None


def wound_penalty(wounds: int, opts: Any) -> int:
    """What so many wounds take from a pool, 0 or below; beyond the levels as much as the last."""
    levels: tuple[int, ...] = opts.health_levels
    return levels[min(wounds, len(levels)) - 1] if wounds else 0


def out(wounds: int, opts: Any) -> bool:
    """Whether so many wounds put a character out of action."""
    return wounds > len(opts.health_levels)


def must_have_dice(side: Side, opts: Any, who: str) -> None:
    """Refuse a side that cannot be rolled: its character is out, or its pool below one die."""
    if side.wounds and out(side.wounds, opts) and pays_wounds(side, opts):
        raise Refused(
            "not-offered",
            f"{who} is out of action: {side.wounds} wounds",
            allowed=["a reflexive roll of one trait"],
        )
    found = pool(side, opts)
    whole = found.dice - found.action
    last = last_penalty(side)
    if found.dice >= 1 and whole + last < 1 and opts.actions_by == "turn":
        raise Refused(
            "out-of-range",
            f"{side.actions} actions leave no dice for the last: {whole} − {-last}",
            allowed=[f"{max(1, whole // 2)} actions"],
        )
    if found.dice < 1:
        raise Refused("out-of-range", f"a dice pool of {found.dice}", allowed=["1 or more"])
    if found.dice > DOTS_MOST:
        raise Refused(
            "out-of-range", f"a dice pool of {found.dice}", allowed=[f"at most {DOTS_MOST}"]
        )


def difficulty_of(roll: Roll, side: Side, opts: Any) -> int:
    """What a die must show to count for a side (Basic Dice Rolls).

    A helper rolls at the difficulty of the roll. Each further try is harder (Trying it Again).
    """
    if not isinstance(side, Declaration):
        if side.difficulty is not None:
            return int(side.difficulty)
        return difficulty_of(roll, roll.declaration, opts)
    if side.blow is not None:
        return int(opts.soak_difficulty)
    base = base_difficulty(side)
    if side.retry is None or base == MOST:
        return base
    return min(MOST, base + side.retry.times * int(opts.retry_step))


def base_difficulty(declaration: Declaration) -> int:
    """The difficulty of a declared roll before it became harder by being tried again."""
    if declaration.difficulty is not None:
        return int(declaration.difficulty)
    return STANDARD if declaration.retry is None else declaration.retry.difficulty


def again(failed: Declaration) -> Declaration:
    """The same roll tried once more (Trying it Again)."""
    times = 1 + (failed.retry.times if failed.retry else 0)
    retry = Retry(difficulty=base_difficulty(failed), times=times)
    return structs.replace(failed, retry=retry)
