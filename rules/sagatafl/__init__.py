"""Sagatafl: a trait's dozen-sided dice against a Roll Difficulty, for Successes or a Fumble.

Its parts: `sagatafl_declare`, `sagatafl_outcome`.
"""

from ...errors import Refused
from ..ruleset import Damage, Dice, Face, Offer, Roll, Ruleset, Sheets, Track
from .declare import Declaration, Options, Reaction, Side, answer, pool, settle
from .outcome import FACES, INITIATOR, REACTOR, odds_note, outcome, reaction_of

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

KIND = "d12"


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The one kind of die."""
    return {KIND: FACES}


def tracks(options: Options) -> dict[str, Track]:
    """None: a roll changes no counter."""
    return {}


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The opponent's id, if the roll names one."""
    return () if declaration.opponent is None else (declaration.opponent,)


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """Raises Refused: no roll follows another."""
    raise Refused("unknown", f"no roll follows by {link!r}; each stands alone")


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The opponent's reaction, the initiator's throw, the opponent's; then the roll is resolved."""
    declaration: Declaration = roll.declaration
    opponent = declaration.opponent
    if roll.outcome is not None:
        return ()
    if roll.hand(INITIATOR) is None:
        if opponent is not None and opponent not in dict(roll.reactions):
            return (Offer(trigger="react", character=opponent, due=True),)
        return (_throw(roll, INITIATOR, roll.character, declaration),)
    reaction = reaction_of(roll)
    resolve = Offer(trigger="resolve", character=roll.character)
    if opponent is None or reaction is None or roll.hand(REACTOR) is not None:
        return (resolve,)
    return (_throw(roll, REACTOR, opponent, reaction), resolve)


def _throw(roll: Roll, hand: str, character: str, side: Side) -> Offer:
    return Offer(
        trigger="roll",
        character=character,
        due=True,
        hand=hand,
        dice=(KIND,) * pool(side, roll.options).dice,
        note=odds_note(side.difficulty),
    )


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """Raises Refused: no roll does damage by itself."""
    raise Refused("not-offered", "a roll does no damage by itself")


RULESET = Ruleset(
    name="sagatafl",
    version=1,
    title="Sagatafl",
    source="Roll mechanic",
    triggers=("react", "roll", "resolve"),
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
    narrators=("safe",),
    settled=("sheet_rating",),
)
"""Sagatafl: its name and version, its Structs, its functions."""
