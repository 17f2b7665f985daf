"""Age of Magic: points converted to dice, three to a die, as many as the player dares.

A roll: declared (pushed, lucky), bent by others' luck or the referee's unluck, thrown with a chosen
number of dice of risk, thrown a second time where somebody was lucky or unlucky, resolved. The
damage of an attack, and the soak, follow as rolls of their own.
"""

from ..ruleset import Face, Offer, Roll, Ruleset, Sheets, Track
from .damage import NAMES, damage
from .declare import NORMAL, SETTLED, UNCONSCIOUS, Declaration, Reaction, shown
from .options import Options
from .outcome import outcome
from .score import FIRST, SECOND, basic, most_risk, second_risk
from .settle import answer, follow, settle

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """One kind of die, the ordinary d6."""
    return {"d6": (1, 2, 3, 4, 5, 6)}


def tracks(options: Options) -> dict[str, Track]:
    """Tiredness from Fresh (0) to Unconscious (8), starting at Normal (1); wounds by their name."""
    wounds = {name.lower(): Track() for name in NAMES[1:]}
    return {"tiredness": Track(0, UNCONSCIOUS, NORMAL), **wounds}


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The characters whom the roll is aimed at."""
    return declaration.targets


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Luck and unluck before the dice; a throw with its risk, perhaps another; then what follows.

    What is offered does not depend on the sheets beyond who has luck or unluck.
    """
    if roll.outcome is not None:
        return _after(roll)
    if roll.hand(FIRST) is None:
        risks = tuple(range(most_risk(roll) + 1))
        return (*_fates(roll, sheet), _throw(roll, FIRST, risks))
    resolve = Offer(trigger="resolve", character=roll.character)
    risks = second_risk(roll, roll.options) if roll.hand(SECOND) is None else ()
    return (_throw(roll, SECOND, risks), resolve) if risks else (resolve,)


def _throw(roll: Roll, hand: str, risks: tuple[int, ...]) -> Offer:
    """A throw of one of so many dice; the ceiling in force is said wherever a risk is chosen."""
    value = shown(basic(roll))
    capped = roll.options.ceiling == "basic"
    ceiling = f"the result is never more than {value}" if capped else "the result has no ceiling"
    return Offer(
        trigger="roll",
        character=roll.character,
        due=True,
        hand=hand,
        dice=("d6",) * max(risks),
        options=risks if hand == FIRST or len(risks) > 1 else (),
        note=f"The basic value is {value}, a die of risk costs 3 points, and {ceiling}.",
    )


def _fates(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Others' luck, theirs to choose; anybody's unluck, the referee's ("Luck and unluck")."""
    said = {(who, reaction.fate) for who, reaction in roll.reactions}
    found: list[Offer] = []
    for who in (roll.character, *roll.declaration.targets):
        for gift in ("luck", "unluck"):
            own = who == roll.character and gift == "luck"  # that one is declared with the roll
            if own or (who, gift) in said or sheet(who).attributes.get(gift, 0) < 1:
                continue
            found.append(
                Offer(
                    trigger="react",
                    character=who,
                    choice="fate",
                    options=(gift,),
                    narrator=gift == "unluck",
                )
            )
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
    unit="half points",
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
"""Age of Magic: its name and version, its Structs, its functions."""
