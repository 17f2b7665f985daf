"""Scarterra: pools of ten-sided dice, each that shows the difficulty a success, each 1 one fewer.

Its parts, in the order of a roll: `options`, `declare`, `settle`, `follow`, `offers`, `score`,
`outcome`, `damage`.
"""

from ..ruleset import Ruleset
from .damage import damage, tracks
from .declare import SETTLED, Declaration, Reaction, involves
from .follow import follow
from .offers import offers
from .options import Options, faces
from .outcome import outcome
from .settle import answer, settle

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

RULESET = Ruleset(
    name="scarterra",
    version=1,
    title="Scarterra",
    source="Basic Dice Rules",
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
    settled=SETTLED,
)
"""Scarterra: its name and version, its Structs, its functions."""
