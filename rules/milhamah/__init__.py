"""Milhamah: pools of twelve-sided dice with Hebrew letters, thrown for the letters of a root.

Its parts, in the order of a roll: `milhamah_options`, `milhamah_declare`, `milhamah_settle`,
`milhamah_offers`, `milhamah_score`, `milhamah_outcome`, `milhamah_damage`.
"""

from msgspec import structs

from ...errors import Refused
from ..ruleset import Dice, Die, Roll, Ruleset
from .damage import damage, tracks
from .declare import Declaration, Reaction
from .letters import spelling
from .offers import offers
from .options import Options, faces
from .outcome import outcome
from .pool import INITIATOR
from .settle import answer, settle

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The opponent's id, if the roll names one."""
    return () if declaration.opponent is None else (declaration.opponent,)


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """A counter turned against the parent's initiator, with his dice as they lie (Opposed Rolls).

    Under the reading that throws anew no dice are taken over. Raises Refused for any other link or
    opponent, and where counters are read out of the game.
    """
    options: Options = parent.options
    if link != "counter":
        raise Refused("unknown", f"no roll follows by {link!r}", allowed=("counter",))
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


RULESET = Ruleset(
    name="milhamah",
    version=1,
    title="Milhamah RPG",
    source="Roll Mechanics",
    triggers=(
        "react",
        "roll",
        "freeze",
        "reroll",
        "adjust",
        "resolve",
        "apply_damage",
        "declare",
        "flavour",
    ),
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
    spelling=spelling,
    narrators=("leave",),
    settled=("xr", "pocketed"),
)
"""Milhamah RPG: its name and version, its Structs, its functions."""
