"""Scarterra: pools of ten-sided dice; each die at the difficulty a success, each 1 one fewer.

name      scarterra, version 2
source    Basic Dice Rolls, a page of the Scarterra setting
dice      d10
triggers  react, roll, resolve, apply_damage, declare
readings  resisted_tie, tie_at_zero, below_zero, declined, resisted_extended, extended_botch,
          cooperative_botch, retry_step, actions_by, health_levels, soak_pays_wounds, soak_by,
          soak_difficulty, weapon_damage

Its parts, in the order of a roll: `options`, `declare`, `settle`, `follow`, `offers`, `score`,
`outcome`, `damage`; and of what is announced `figures`, `sums`, `reason`, `words`.
"""

from ..ruleset import Ruleset
from .damage import damage, tracks
from .declare import CHARTS, RATINGS, SETTLED, Declaration, Reaction, involves, rollables
from .figures import FIGURES
from .follow import follow
from .offers import offers
from .options import Options, faces
from .outcome import outcome, scored
from .reason import reason
from .score import tally
from .settle import answer, settle
from .sums import counts, damage_sums, sums, wants
from .words import WORDS

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

RULESET = Ruleset(
    name="scarterra",
    version=2,
    title="Scarterra",
    aim="above 0",
    source="Basic Dice Rolls",
    faces=faces,
    triggers=("react", "roll", "resolve", "apply_damage", "declare"),
    Options=Options,
    Declaration=Declaration,
    Reaction=Reaction,
    settled=SETTLED,
    charts=CHARTS,
    tracks=tracks,
    involves=involves,
    settle=settle,
    answer=answer,
    follow=follow,
    ratings=RATINGS,
    rollables=rollables,
    offers=offers,
    outcome=outcome,
    score=scored,
    tally=tally,
    damage=damage,
    figures=FIGURES,
    sums=sums,
    damage_sums=damage_sums,
    counts=counts,
    wants=wants,
    reason=reason,
    words=WORDS,
)
"""Scarterra: its identity, then its words, then its functions."""
