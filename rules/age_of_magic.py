"""Age of Magic: points converted to dice, three to a die, as much as the player dares.

A roll: declared (pushed, lucky), bent by others' luck or the referee's unluck, thrown with a chosen
number of dice of risk, thrown a second time where somebody was lucky or unlucky, resolved.
"""

from msgspec.structs import replace

from ..errors import Refused
from .age_of_magic_declare import (
    NORMAL,
    SETTLED,
    UNCONSCIOUS,
    Declaration,
    Options,
    Reaction,
    halves,
    points_of,
    shown,
)
from .age_of_magic_score import (
    FIRST,
    NAMES,
    SECOND,
    basic,
    damage,
    most_risk,
    outcome,
    wish,
)
from .ruleset import Dice, Effect, Face, Hand, Offer, Roll, Ruleset, Sheet, Sheets, Track

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """One kind of die, the ordinary d6."""
    return {"d6": (1, 2, 3, 4, 5, 6)}


def tracks(options: Options) -> dict[str, Track]:
    """Tiredness from Fresh (0) to Unconscious (8), starting at Normal; wounds counted by name."""
    wounds = {name.lower(): Track() for name in NAMES[1:]}
    return {"tiredness": Track(0, UNCONSCIOUS, NORMAL), **wounds}


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The characters whom the roll is aimed at."""
    return declaration.targets


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The sheet's scores and tiredness written in; a push costs a level, whose penalty counts.

    Raises Refused for a roll without exactly one skill and one characteristic, for a talent and a
    limitation in the same skill, for luck without the talent, and for a push beyond what is left.
    """
    _check(declaration, sheet, link)
    named = (declaration.skill, declaration.specialism)
    skill = sum(points_of(declaration, sheet.attributes, name) for name in named if name)
    other = declaration.characteristic
    tired = sheet.tracks.get("tiredness", NORMAL)
    if tired >= UNCONSCIOUS:
        raise Refused("not-offered", f"{sheet.character} is Unconscious and rolls nothing")
    effects: tuple[Effect, ...] = ()
    if declaration.push:
        tired += 1
        effects = (Effect(sheet.character, "tiredness", 1),)
        if tired >= UNCONSCIOUS and options.push_floor == "refuse":
            raise Refused(
                "not-offered",
                f"a push would leave {sheet.character} Unconscious",
                allowed=["no push"],
            )
    settled = replace(
        declaration,
        skill_halves=skill,
        characteristic_halves=points_of(declaration, sheet.attributes, other) if other else 0,
        tired=tired,
    )
    for name in ("difficulty", "weapon"):
        halves(name, getattr(settled, name) or 0)
    for name, points in settled.modifiers.items():
        halves(name, points)
    return settled, effects


def _check(declaration: Declaration, sheet: Sheet, link: str | None) -> None:
    kind = declaration.kind
    if (kind in ("damage", "soak")) != (link is not None) or link not in (None, kind):
        raise Refused(
            "malformed",
            f"a roll of kind {kind!r} by the link {link!r}",
            allowed=[f"link {kind!r}" if link is None else f"kind {link!r}"],
        )
    if kind != "damage" and not (declaration.skill and declaration.characteristic):
        raise Refused(
            "malformed",
            f"skill is {declaration.skill!r} and characteristic {declaration.characteristic!r}",
            allowed=["exactly one of each"],
        )
    if kind == "damage" and (declaration.skill or declaration.characteristic != "ST"):
        raise Refused(
            "malformed",
            f"damage by {declaration.skill or declaration.characteristic!r}",
            allowed=["characteristic ST, no skill"],
        )
    if declaration.talent and declaration.limitation:
        raise Refused(
            "malformed",
            f"a talent and a limitation in {declaration.skill!r}",
            allowed=["one of them"],
        )
    if declaration.luck is not None:
        _must_have(sheet, "luck")
    if kind == "attack" and len(declaration.targets) != 1:
        raise Refused(
            "malformed", f"an attack on {len(declaration.targets)} targets", allowed=["one target"]
        )
    if sheet.character in declaration.targets:
        raise Refused(
            "malformed",
            f"{sheet.character} cannot be its own target",
            allowed=["another character"],
        )


def _must_have(sheet: Sheet, gift: str) -> None:
    if sheet.attributes.get(gift, 0) < 1:
        raise Refused(
            "not-offered", f"{sheet.character} has no {gift}", allowed=["a character with it"]
        )


def answer(roll: Roll, reaction: Reaction, sheet: Sheet) -> tuple[Reaction, tuple[Effect, ...]]:
    """Luck or unluck as it is; it costs nothing. Raises Refused for a character without the gift."""
    _must_have(sheet, reaction.fate)
    return reaction, ()


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """The damage of a hit, or the soak of damage, with the figures before it. Raises Refused."""
    before: Declaration = parent.declaration
    if parent.outcome is None or link not in ("damage", "soak"):
        raise Refused("not-offered", f"no roll follows by {link!r}", allowed=["damage", "soak"])
    if link == "damage":
        margin = parent.outcome.margin // 2  # whole points: "½ per point of hit margin"
        return (
            replace(
                declaration, targets=before.targets, weapon=before.weapon, margin_halves=2 * margin
            ),
            (),
        )
    return replace(declaration, damage_halves=parent.outcome.margin), ()


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Luck and unluck before the dice; the throw with its risk, a second throw; then what follows."""
    first, second = roll.hand(FIRST), roll.hand(SECOND)
    if roll.outcome is not None:
        return _after(roll)
    if first is None:
        return (*_fates(roll, sheet), _throw(roll, FIRST))
    if (
        second is None
        and wish(roll, roll.options)
        and (first.dice or not roll.options.same_n_twice)
    ):
        return (_throw(roll, SECOND, first), _resolve(roll))
    return (_resolve(roll),)


def _resolve(roll: Roll) -> Offer:
    return Offer(trigger="resolve", character=roll.character)


def _throw(roll: Roll, hand: str, first: Hand | None = None) -> Offer:
    same = first is not None and roll.options.same_n_twice
    most = len(first.dice) if first is not None and same else most_risk(roll)
    ceiling = f"at most {shown(basic(roll))}" if roll.options.ceiling == "basic" else "no ceiling"
    return Offer(
        trigger="roll",
        character=roll.character,
        due=True,
        hand=hand,
        dice=("d6",) * most,
        options=() if same else tuple(range(most + 1)),
        note=f"basic {shown(basic(roll))}, 3 points a die of risk, {ceiling}",
    )


def _fates(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Others' luck, theirs to choose; anybody's unluck, the referee's ("Luck and unluck")."""
    answered = dict(roll.reactions)
    found: list[Offer] = []
    for who in (roll.character, *roll.declaration.targets):
        gifts = sheet(who).attributes
        if who in answered:
            continue
        if gifts.get("luck", 0) > 0 and who != roll.character:
            found.append(Offer(trigger="react", character=who, choice="fate", options=("luck",)))
        if gifts.get("unluck", 0) > 0:
            fate = Offer(
                trigger="react", character=who, choice="fate", options=("unluck",), narrator=True
            )
            found.append(fate)
    return tuple(found)


def _after(roll: Roll) -> tuple[Offer, ...]:
    """Damage of a hit by the attacker, soak by the target, and the wound that is left."""
    told: Declaration = roll.declaration
    if told.kind == "attack" and roll.outcome is not None and roll.outcome.degree == "success":
        return (Offer(trigger="declare", character=roll.character, link="damage"),)
    if roll.damaged or told.kind not in ("damage", "soak"):
        return ()
    blow = Offer(trigger="apply_damage", character=roll.character)
    if told.kind == "soak":
        return (blow,)
    return (Offer(trigger="declare", character=told.targets[0], link="soak"), blow)


RULESET = Ruleset(
    name="age_of_magic",
    version=1,
    title="Age of Magic",
    source="Dice rolls",
    triggers=("react", "roll", "resolve", "apply_damage", "declare"),
    Declaration=Declaration,
    Reaction=Reaction,
    Options=Options,
    faces=faces,
    tracks=tracks,
    involves=involves,
    settle=settle,
    answer=answer,
    follow=follow,
    offers=offers,
    outcome=outcome,
    damage=damage,
    narrators=("no_knowledge",),
    settled=SETTLED,
)
