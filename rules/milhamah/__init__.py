"""Milhamah RPG: pools of twelve-sided dice with Hebrew letters, thrown for the letters of a root.

Its parts, in the order of a roll: `options`, `declare`, `settle`, `offers`, `score`, `outcome`,
`damage`; `letters` and `pool` serve them all. `figures` and `words` are for people.
"""

from ..ruleset import Ruleset, opponent_of
from .damage import damage, tracks
from .declare import CHARTS, Declaration, Reaction, rollables
from .figures import FIGURES, counts, damage_sums, reason, sums, wants
from .letters import spelling
from .offers import offers
from .options import Options, faces
from .outcome import outcome, scored
from .score import tally
from .settle import answer, follow, settle
from .words import WORDS

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

RULESET = Ruleset(
    name="milhamah",
    version=3,
    title="Milhamah RPG",
    source="Roll Mechanics",
    faces=faces,
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
    Options=Options,
    Declaration=Declaration,
    Reaction=Reaction,
    tracks=tracks,
    involves=opponent_of,
    settle=settle,
    answer=answer,
    follow=follow,
    rollables=rollables,
    offers=offers,
    outcome=outcome,
    score=scored,
    tally=tally,
    damage=damage,
    spelling=spelling,
    narrators=("leave",),
    settled=("xr", "pocketed", "idle"),
    charts=CHARTS,
    figures=FIGURES,
    sums=sums,
    damage_sums=damage_sums,
    counts=counts,
    wants=wants,
    reason=reason,
    words=WORDS,
)
"""Milhamah RPG: who it is, its dice, triggers and readings, its Structs, its functions."""
