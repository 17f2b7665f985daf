"""Frostline, a game of pools that are pushed: every die that is not locked, once, at a risk."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from urim import Refused
from urim.events.base import Effect
from urim.rules.figures import Figure, Sum, Term, Value
from urim.rules.forms import SHEET, field
from urim.rules.readings import Consulted, reading
from urim.rules.ruleset import Die, Hand, Offer, Outcome, Roll, Ruleset, Sheet, Sheets, Track

HAND = "pool"
SIDES = {"attribute": 6, "skill": 6, "gear": 6, "d8": 8, "d10": 10, "d12": 12}
"""Every kind of dice; the last three are artifacts'."""

ARTIFACTS = ("d8", "d10", "d12")
HURTS = {"attribute": "wounds", "gear": "wear"}
"""The track that a 1 of these dice raises after a push."""

Few = Annotated[int, Meta(ge=0, le=6)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    skill_ones: Annotated[
        Literal["locked", "free"],
        reading("Dice that show 1 are not pushed.", heading="Pushing", assumed="Nor skill dice."),
    ] = "locked"
    artifact_ones: Annotated[
        Literal["harmless", "wear"],
        reading("Ones on gear wear it.", heading="Artifacts", assumed="Artifacts do not wear."),
    ] = "harmless"


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pool of dice, and how many successes are needed."""

    attribute: Annotated[str, field("Attribute", "A die for each point of it.", picks=SHEET)]
    skill: Annotated[str | None, field("Skill", "A die for each point of it.", picks=SHEET)] = None
    gear: Annotated[Few, field("Gear", "Dice that it adds, 6 at most.")] = 0
    artifacts: Annotated[
        tuple[Literal["d8", "d10", "d12"], ...],
        Meta(max_length=3),
        field("Artifacts", "A die for each."),
    ] = ()
    needed: Annotated[int, Meta(ge=1, le=9), field("Needed", "Successes, 1 to 9.")] = 1
    attribute_dice: Annotated[int, field("Dice of the attribute", "As on the sheet.")] = 0
    skill_dice: Annotated[int, field("Dice of the skill", "As on the sheet.")] = 0


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    rated = sheet.attributes
    settled = replace(
        declaration,
        attribute_dice=max(0, int(rated.get(declaration.attribute, 0))),
        skill_dice=max(0, int(rated.get(declaration.skill or "", 0))),
    )
    if not kinds(settled):
        known = [*sorted(rated), "gear", "artifacts"]
        raise Refused("out-of-range", "a pool of no dice", allowed=known)
    return settled, ()


def kinds(declared: Declaration) -> tuple[str, ...]:
    """The dice of a declaration, in the order in which they are thrown."""
    dice = {"attribute": declared.attribute_dice, "skill": declared.skill_dice}
    plain = [kind for kind, count in {**dice, "gear": declared.gear}.items() for _ in range(count)]
    return (*plain, *declared.artifacts)


def successes(die: Die) -> int:
    """A 6 is one, and every two pips more another: a 12 of an artifact is four."""
    return max(0, int(die.face) // 2 - 2)


def locked(die: Die, options: Any) -> bool:
    """Whether a die stays as it is when the pool is pushed: a success, or a 1."""
    if die.face == 1:
        return die.kind != "skill" or options.skill_ones == "locked"
    return successes(die) > 0


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """One throw, one push of every die that is not locked, the end."""
    me, hand = roll.character, roll.hand(HAND)
    if roll.outcome is not None:
        return ()
    if hand is None:
        dice = kinds(roll.declaration)
        return (Offer(trigger="roll", character=me, due=True, hand=HAND, dice=dice),)
    found = [Offer(trigger="resolve", character=me)]
    free = tuple(die.id for die in hand.dice if not locked(die, roll.options))
    if free and not hand.rerolls:
        note = "Every 1 of an attribute or of gear will hurt."
        push = Offer(
            trigger="reroll", character=me, hand=HAND, dice=free,
            least=len(free), most=len(free), note=note,
        )  # fmt: skip
        found.append(push)
    return tuple(found)


def hurt(hand: Hand, opts: Any) -> dict[str, tuple[str, ...]]:
    """The dice for which each track rises after a push."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(HURTS.values(), ())
    for die in hand.dice if hand.rerolls else ():
        if die.face != 1:
            continue
        if die.kind in ARTIFACTS and opts.artifact_ones == "wear":
            found["wear"] += (die.id,)
        elif die.kind in HURTS:
            found[HURTS[die.kind]] += (die.id,)
    return found


def outcome(roll: Roll) -> Outcome:
    hand = roll.hand(HAND)
    if hand is None:
        raise Refused("due", "nothing was thrown yet", allowed=["roll"])
    opts: Any = Consulted(roll.options)
    if hand.rerolls:  # what was locked decided which dice were pushed
        _ = [locked(replace(die, face=die.thrown[0]), opts) for die in hand.dice]
    total, needed = sum(map(successes, hand.dice)), roll.declaration.needed
    hurts = {track: len(dice) for track, dice in hurt(hand, opts).items()}
    margin = total - needed
    effects = tuple(Effect(roll.character, track, by) for track, by in hurts.items() if by)
    pushed = hand.rerolls > 0
    figures: dict[str, Value] = {"successes": total, "needed": needed, "pushed": pushed, **hurts}
    return Outcome("success" if margin >= 0 else "failure", margin, figures, opts.names, effects)


FIGURES = {
    "successes": Figure(unit="success", heading="Pushing"),
    "needed": Figure(unit="success"),
    "pushed": Figure(form="flag", heading="Pushing", readings=("skill_ones",)),
    "wounds": Figure(heading="Pushing", dice="count"),
    "wear": Figure(heading="Pushing", readings=("artifact_ones",), dice="count"),
}
SUMS = (Sum(total="margin", terms=(Term("successes"), Term("needed", -1))),)
WORDS = {
    "unit.success": "success|successes",
    "reading.skill_ones": "skill dice that show 1, in a push: {0}",
    "reading.artifact_ones": "ones on artifacts: {0}",
    "reason.success": "Successes: {successes}, and {needed} needed.",
    "reason.failure": "Successes: {successes}, but {needed} needed.",
}


def counts(roll: Roll) -> dict[str, tuple[str, ...]]:
    """The dice with successes, and those that hurt."""
    hand = roll.hand(HAND)
    if hand is None:
        return {}
    good = tuple(die.id for die in hand.dice if successes(die))
    return {"successes": good, **hurt(hand, roll.options)}


RULESET = Ruleset(
    name="frostline",
    version=1,
    title="Frostline",
    source="Pushing",
    triggers=("roll", "reroll", "resolve"),
    Declaration=Declaration,
    Options=Options,
    faces=lambda options: {kind: tuple(range(1, most + 1)) for kind, most in SIDES.items()},
    tracks=lambda options: {"wounds": Track(most=6), "wear": Track(most=6)},
    settle=settle,
    offers=offers,
    outcome=outcome,
    settled=("attribute_dice", "skill_dice"),
    figures=FIGURES,
    sums=lambda outcome: SUMS,
    counts=counts,
    words={"en": WORDS},
)
