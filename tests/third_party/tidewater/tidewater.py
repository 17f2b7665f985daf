"""Tidewater, a game of eight-sided dice: who keeps more of them above the water line."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from urim import Refused
from urim.events.base import Effect
from urim.rules.figures import Figure, Sum, Term, Value
from urim.rules.forms import CHARACTER, empty, field
from urim.rules.readings import Consulted, reading
from urim.rules.ruleset import Hand, Offer, Outcome, Roll, Ruleset, Sheet, Sheets

Dice = Annotated[int, Meta(ge=1, le=20)]


class Options(Struct, frozen=True):
    tie: Annotated[
        Literal["roller", "reactor"],
        reading(
            "More dice above the line wins.", heading="Contests", assumed="A tie is the roller's."
        ),
    ] = "roller"


class Declaration(Struct, frozen=True, forbid_unknown_fields=True):
    """Dice against an opponent, or a target."""

    dice: Annotated[Dice, field("Dice", "How many are thrown, 1 to 20.")]
    opponent: Annotated[
        str | None, field("Opponent", "Who throws against them.", picks=CHARACTER)
    ] = None
    target: Annotated[
        Dice, field("Target", "Dice above the line that are needed.", when=empty("opponent"))
    ] = 1
    grit: Annotated[int, field("Grit", "As on the sheet: so many may be rerolled.")] = 0


class Reaction(Struct, frozen=True, forbid_unknown_fields=True):
    dice: Annotated[Dice, field("Dice", "How many are thrown, 1 to 20.")]


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    if declaration.opponent == sheet.character:
        raise Refused(
            "malformed", f"{sheet.character} cannot oppose itself", allowed=["another character"]
        )
    return replace(declaration, grit=sheet.whole("grit")), ()


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The opponent's answer, the roller's dice, one reroll, the opponent's dice, the outcome."""
    declared: Declaration = roll.declaration
    me, other = roll.character, declared.opponent
    if roll.outcome is not None:
        return ()
    if other and not roll.reactions:
        return (Offer(trigger="react", character=other, due=True),)
    hand, reaction = roll.hand("roller"), dict(roll.reactions).get(other or "")
    if hand is None:
        return (throw("roller", me, declared.dice),)
    found = [Offer(trigger="resolve", character=me)]
    if other and reaction and roll.hand("reactor") is None:
        found.append(throw("reactor", other, reaction.dice))
        ids, most = tuple(die.id for die in hand.dice), min(declared.grit, len(hand.dice))
        if most > 0 and not hand.rerolls:
            reroll = Offer(trigger="reroll", character=me, hand="roller", dice=ids, most=most)
            found.append(reroll)
    return tuple(found)


def throw(hand: str, character: str, dice: int) -> Offer:
    return Offer(trigger="roll", character=character, due=True, hand=hand, dice=("d8",) * dice)


def above(hand: Hand | None) -> tuple[str, ...]:
    return tuple(die.id for die in hand.dice if int(die.face) >= 6) if hand else ()


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Any], left: int) -> int:
    return sum(int(face) >= 6 for face in faces.values())


def outcome(roll: Roll) -> Outcome:
    opts: Any = Consulted(roll.options)
    own, other = len(above(roll.hand("roller"))), len(above(roll.hand("reactor")))
    contested = roll.hand("reactor") is not None
    margin = own - (other if contested else roll.declaration.target)
    won = margin > 0 or (margin == 0 and (not contested or opts.tie == "roller"))
    figures: dict[str, Value] = {"above": own, "against": own - margin}
    return Outcome("won" if won else "lost", margin, figures, opts.names)


FIGURES = {
    "above": Figure(unit="die", heading="Contests", dice="count"),
    "against": Figure(unit="die", heading="Contests"),
    "margin": Figure(readings=("tie",)),
}
SUMS = (Sum(total="margin", terms=(Term("above"), Term("against", -1))),)
WORDS = {
    "figure.above": "dice above the line",
    "unit.die": "die|dice",
    "reason.won": "Dice above the line: {above}, against {against}.",
    "reason.lost": "Dice above the line: {above}, and {against} were against it.",
    "reading.tie.roller": "a tie is the roller's",
    "reading.tie.reactor": "a tie is the reactor's",
}


RULESET = Ruleset(
    name="tidewater",
    version=1,
    title="Tidewater",
    source="Contests",
    triggers=("react", "roll", "reroll", "resolve"),
    Declaration=Declaration,
    Reaction=Reaction,
    Options=Options,
    faces=lambda options: {"d8": (1, 2, 3, 4, 5, 6, 7, 8)},
    involves=lambda declaration: (declaration.opponent,) if declaration.opponent else (),
    settle=settle,
    offers=offers,
    outcome=outcome,
    tally=tally,
    settled=("grit",),
    figures=FIGURES,
    sums=lambda outcome: SUMS,
    counts=lambda roll: {"above": above(roll.hand("roller"))},
    words={"en": WORDS},
)
