"""Allies of Majesty: seven twelve-sided dice, and Adjustments by the side with the greater value.

The book's page has one heading. Where these modules name a rule's source (Results, Adjustments,
Epic Rolls, Strike, Resist), it is what the passage is about.

Its parts: `majesty_options`, `majesty_declare`, `majesty_score`, `majesty_outcome`.
"""

from ...errors import Refused
from ..ruleset import Damage, Dice, Face, Hand, Offer, Roll, Ruleset, Sheets, Track
from .declare import Comparison, Declaration, Reaction, answer, compared, given, settle
from .options import Options
from .outcome import HAND, outcome
from .score import COSTS, DICE, FACES, free, prospect, spendable, spent

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

KIND = "d12"
MEANS = "adjustment"


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The one kind of die."""
    return {KIND: FACES}


def tracks(options: Options) -> dict[str, Track]:
    """None: what a roll does to a character is not part of these rules."""
    return {}


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The opponent's id, if the roll names one."""
    return () if declaration.opponent is None else (declaration.opponent,)


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """Raises Refused: no roll follows another."""
    raise Refused("unknown", f"no roll follows by {link!r}; each stands alone")


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The opposing value, the throw, the Adjustments; then whoever may make these resolves."""
    declaration: Declaration = roll.declaration
    opponent = declaration.opponent
    if roll.outcome is not None:
        return ()
    hand = roll.hand(HAND)
    if hand is None:
        waits = opponent is not None and opponent not in dict(roll.reactions)
        if opponent is not None and waits and given(declaration) is None:
            return (Offer(trigger="react", character=opponent, due=True),)
        dice = (KIND,) * DICE
        return (Offer(trigger="roll", character=roll.character, due=True, hand=HAND, dice=dice),)
    compare = compared(roll, roll.options)
    adjust = _adjust(hand, compare, roll.options)
    if adjust is None:
        return (Offer(trigger="resolve", character=roll.character),)
    # If the roller could end the roll first, the other side would lose its Adjustments.
    return (adjust, Offer(trigger="resolve", character=compare.side))


def _adjust(hand: Hand, compare: Comparison, options: Options) -> Offer | None:
    """Dice moved by one for each Adjustment, from where they fell; None where none can be moved."""
    dice = free(hand, options)
    most = compare.adjustments
    if not most or not dice:
        return None
    to: dict[str, dict[Face, int]] = {
        die.id: {
            face: price
            for face, price in COSTS[options.wrap][die.landed].items()
            if 0 < price <= most
        }
        for die in dice
    }
    unused = spent(hand, options) < spendable(hand, most, options)
    return Offer(
        trigger="adjust",
        character=compare.side,
        due=unused and not options.fewer_adjustments,
        hand=HAND,
        dice=tuple(to),
        most=most,
        means=MEANS,
        to=to,
        prospect=prospect(hand, most, options),
    )


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """Raises Refused: what Hits do is not part of these rules."""
    raise Refused("not-offered", "what Hits do to a character is not part of these rules")


RULESET = Ruleset(
    name="majesty",
    version=1,
    title="Allies of Majesty",
    source="Tutorial #5: Rolls",
    triggers=("react", "roll", "adjust", "resolve"),
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
    settled=("sheet_rating",),
)
"""Allies of Majesty: its name and version, its Structs, its functions."""
