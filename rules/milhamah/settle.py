"""A declaration or reaction of Milhamah made concrete, once, before the dice fall.

Settled, it no longer depends on the sheet: its root is folded, its rating and target are numbers,
its dice counted by colour.
"""

from collections.abc import Mapping
from typing import TypeVar, cast

from msgspec import structs

from ...errors import Refused
from ...events.base import Effect
from ..ruleset import Dice, Die, Roll, Sheet, must_name_another
from .declare import CIRCUMSTANCES, RATING_MOST, TARGETS, Declaration, Reaction, Status
from .letters import ALPHABET, COLOURS, Colour, spelling, unmarked
from .options import LETTERS_MOST, Options
from .pool import COUNTER, FIRST_THROW, INITIATOR, wanted

Side = TypeVar("Side", Declaration, Reaction)


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The declaration made concrete, and what is spent on it. Raises Refused.

    The next turn of a character spends what an opponent's botch gave him (Critical failure); a
    counter is no turn. The dice of a counter that takes them over are left for `follow`.
    """
    _check(options, declaration, sheet)
    counters = link == COUNTER
    taken = counters and options.counter == "dice"
    declaration = _concrete(options, declaration, sheet, leave=declaration.leave, taken=taken)
    declaration = structs.replace(declaration, target=_target(declaration.target))
    if counters:
        return declaration, ()
    attack = declaration.combat or declaration.opponent is not None
    xr, pocket = (max(0, sheet.tracks.get(track, 0)) for track in ("xr", "pocket"))
    lost = pocket if attack or options.pocket_lapses else 0
    spent = (Effect(sheet.character, "xr", -xr), Effect(sheet.character, "pocket", -lost))
    used, idle = (pocket, 0) if attack else (0, pocket)
    declaration = structs.replace(declaration, xr=xr, pocketed=used, idle=idle)
    return declaration, tuple(effect for effect in spent if effect.delta)


def answer(
    roll: Roll, reaction: Reaction | None, sheet: Sheet
) -> tuple[Reaction | None, tuple[Effect, ...]]:
    """The reaction made concrete; None (declined) stays None. It costs nothing. Raises Refused."""
    if reaction is None:
        return None, ()
    leave = cast(Declaration, roll.declaration).leave
    _check_counted(roll.options, reaction)
    return _concrete(roll.options, reaction, sheet, leave=leave, taken=False), ()


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """A counter turned against the parent's initiator, with his dice as they show (Opposed Rolls).

    No dice are taken over under the reading by which he throws fresh ones. Raises Refused for any
    other link or opponent, and where counters are read out of the game.
    """
    options: Options = parent.options
    if link != COUNTER:
        raise Refused("unknown", f"no roll follows by {link!r}", allowed=(COUNTER,))
    if options.counter == "none":
        raise Refused("not-offered", "this table plays without counters")
    if declaration.opponent not in (None, parent.character):
        raise Refused(
            "malformed",
            f"a counter is turned against {parent.character}, not {declaration.opponent}",
            allowed=(parent.character,),
        )
    declaration = structs.replace(declaration, opponent=parent.character)
    hand = parent.hand(INITIATOR)
    if options.counter == "fresh" or hand is None:
        return declaration, ()
    declaration = structs.replace(declaration, dice=parent.declaration.dice)
    return declaration, tuple(
        Die(die.id, die.kind, (die.face,), die.face, die.face) for die in hand.dice
    )


def _check(options: Options, declaration: Declaration, sheet: Sheet) -> None:
    """Refuse what no declaration may hold, whatever its numbers."""
    for field in ("xr", "pocketed", "idle"):
        value = getattr(declaration, field)
        if value:
            raise Refused(
                "malformed", f"{field} is taken from the sheet, not declared: {value}", allowed=(0,)
            )
    must_name_another(declaration, sheet)
    for name in declaration.circumstances:
        if name not in CIRCUMSTANCES:
            raise Refused("unknown", f"no such circumstance: {name!r}", allowed=CIRCUMSTANCES)
        if declaration.circumstances.count(name) > 1:
            raise Refused("malformed", f"the circumstance {name!r} is named twice")
    _check_counted(options, declaration)
    if {"partial cover", "complete cover"} <= set(declaration.circumstances):
        raise Refused("malformed", "cover is either partial or complete, not both")


def _check_counted(options: Options, side: Declaration | Reaction) -> None:
    """Refuse by name a modifier that would be in no figure, for this table gives it no size.

    Any other counts: on the target or, when opposed, in the total compared and in X.
    """
    named = [name for name, steps in (side.modifiers or {}).items() if steps]
    if named and options.difficulty_step == 0:
        raise Refused(
            "not-offered", f"the modifier {named[0]!r} counts nowhere: difficulty_step is 0 here"
        )


def _concrete(options: Options, side: Side, sheet: Sheet, *, leave: bool, taken: bool) -> Side:
    dice: dict[Colour, int] = {} if taken else _dice(options, side)
    return structs.replace(
        side, root=_root(options, side, leave=leave), rating=_rating(side, sheet), dice=dice
    )


def _target(target: str | int) -> int:
    if isinstance(target, str):
        if target.lower() not in TARGETS:
            raise Refused("unknown", f"no such difficulty: {target!r}", allowed=TARGETS)
        return TARGETS[target.lower()]
    if not 1 <= target <= RATING_MOST:
        raise Refused("out-of-range", f"a target of {target} is not from 1 to {RATING_MOST}")
    return target


def _root(options: Options, side: Declaration | Reaction, *, leave: bool) -> str:
    """The folded root, bare of points and marks: declared, else the skill's or the attribute's."""
    roots = {**options.attribute_roots, **options.skill_roots}
    declared = side.root
    if declared is None:
        declared = options.skill_roots.get(side.skill or "") or options.attribute_roots.get(
            side.attribute or ""
        )
    if declared is None:
        named = " or ".join(repr(name) for name in (side.skill, side.attribute) if name is not None)
        known = f", nor known for {named}" if named else ""
        written = "a root of two to four Hebrew letters"
        raise Refused("unknown", f"no root is declared{known}", allowed=(written, *roots))
    root = spelling(unmarked(declared))
    if not root or any(letter not in ALPHABET for letter in root):
        raise Refused("malformed", f"a root is written in Hebrew letters alone, not {declared!r}")
    if len(root) > LETTERS_MOST:
        raise Refused("out-of-range", f"{declared!r} has more than {LETTERS_MOST} letters")
    # A root of the table's own data has the narrator's leave already.
    if not (leave or 2 <= len(root) <= 4 or root in map(spelling, roots.values())):
        raise Refused(
            "needs-leave", f"a root has two to four letters; {declared!r} has {len(root)}"
        )
    return root


def _rating(side: Declaration | Reaction, sheet: Sheet) -> int:
    """Attribute + skill, or the number declared, in dice."""
    rating = side.rating
    if rating is None:
        named = [name for name in (side.attribute, side.skill) if name is not None]
        if not named:
            raise Refused(
                "malformed", "name an attribute, a skill or a rating", allowed=sheet.attributes
            )
        for name in named:
            if name not in sheet.attributes:
                raise Refused(
                    "unknown", f"{sheet.character} has no {name!r}", allowed=sheet.attributes
                )
        rating = sum(map(sheet.whole, named))
    if abs(rating) > RATING_MOST:
        raise Refused(
            "out-of-range", f"a rating of {rating} is not from −{RATING_MOST} to {RATING_MOST}"
        )
    return rating


def _dice(options: Options, side: Declaration | Reaction) -> dict[Colour, int]:
    """The first throw's dice by colour (The basic roll mechanic): eight, as the statuses change it.

    No more are thrown than there are dice of the colours allowed.
    """
    colours = _colours(side.status)
    count = min(wanted(side), options.supply * len(colours))
    if not count and options.no_dice == "refused":
        why = ", ".join(sorted(name for name, status in side.status.items() if status.D < 0))
        raise Refused("out-of-range", f"no dice are left to throw: {why}")
    if side.dice is None:
        return _split(count, colours, options.supply)
    for colour, dice in side.dice.items():
        if colour not in COLOURS:
            raise Refused("unknown", f"no such colour: {colour!r}", allowed=colours)
        if dice and colour not in colours:
            raise Refused("too-many", f"no {colour} dice may be thrown now", allowed=colours)
        if dice > options.supply:
            raise Refused("too-many", f"{dice} {colour} dice; there are {options.supply}")
    thrown: dict[Colour, int] = {colour: dice for colour, dice in side.dice.items() if dice}
    if len(thrown) > 2 and count <= FIRST_THROW:
        raise Refused("too-many", f"{len(thrown)} colours; {count} dice are of two at most")
    total = sum(thrown.values())
    if total != count:
        code = "too-many" if total > count else "out-of-range"
        raise Refused(
            code, f"{total} dice are declared; this roll throws {count}", allowed=(count,)
        )
    return thrown


def _colours(statuses: Mapping[str, Status]) -> tuple[Colour, ...]:
    """The colours that every status allows."""
    allowed: tuple[Colour, ...] = tuple(
        colour
        for colour in COLOURS
        if all(not status.colours or colour in status.colours for status in statuses.values())
    )
    if not allowed:
        named = " and ".join(map(repr, sorted(statuses)))
        raise Refused("malformed", f"together, {named} leave no colour to throw")
    return allowed


def _split(count: int, colours: tuple[Colour, ...], supply: int) -> dict[Colour, int]:
    """So many dice in halves of the first two colours; beyond their supply the third comes in."""
    half = min(supply, count - count // 2) if len(colours) > 1 else min(supply, count)
    dice: dict[Colour, int] = {}
    for colour in colours:
        dice[colour] = min(half, count - sum(dice.values()))
    return {colour: number for colour, number in dice.items() if number}
