"""Age of Magic: points converted to dice, three to a die, as many as the player dares.

- name: `age_of_magic`; source: the book's pages "Dice rolls"
- dice: d6, as many as the player dares, three points each
- triggers: react (luck, unluck), roll, resolve, apply_damage, declare (damage, soak)
- readings: `ceiling`, `overdraw_dice`, `push_floor`, `best_result`, `luck_v_unluck`, `same_n_twice`

From other pages of the author's are halves, the d6, the penalties for tiredness, damage and soak.

A roll: declared (pushed, lucky), bent by others' luck or the referee's unluck, thrown with a chosen
number of dice of risk, thrown a second time where somebody was lucky or unlucky, resolved. The
damage of an attack, and the soak, follow as rolls of their own.

Its parts, in the order of a roll: `options`, `declare`, `settle`, `offers`, `score`, `outcome`,
`damage`; beside them `figures` and `words`.
"""

from ..ruleset import Ruleset
from .damage import damage, tracks
from .declare import CHARTS, NO_SKILLS, SETTLED, Declaration, Reaction, involves, rollables
from .figures import FIGURES, counts, damage_sums, reason, sums
from .offers import offers
from .options import Options, faces
from .outcome import outcome, scored
from .score import tally
from .settle import answer, follow, settle
from .words import WORDS

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

RULESET = Ruleset(
    name="age_of_magic",
    version=1,
    title="Age of Magic",
    source="Dice rolls",
    unit="half points",
    halves=True,
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
    ratings=("Trance", *NO_SKILLS),
    rollables=rollables,
    offers=offers,
    outcome=outcome,
    score=scored,
    tally=tally,
    damage=damage,
    narrators=("no_knowledge",),
    settled=SETTLED,
    charts=CHARTS,
    figures=FIGURES,
    sums=sums,
    damage_sums=damage_sums,
    counts=counts,
    reason=reason,
    words=WORDS,
)
"""Age of Magic: its name and version, its Structs, its functions, its figures and words."""
