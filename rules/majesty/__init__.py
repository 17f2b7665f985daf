"""Allies of Majesty: seven twelve-sided dice, and Adjustments by the side with the greater value.

- name: `majesty`; source: the author's Tutorial #5, "Rolls"
- dice: 7d12; 1 to 3 negative, 4 to 8 neutral, 9 to 12 positive, 1 and 12 Epic
- triggers: react (the opposing value), roll, adjust, resolve
- readings: `epic_lock`, `fewer_adjustments`, `wrap`, `net_zero`, `declined`

The book's page has one heading. Where these modules name a rule's source (Results, Adjustments,
Epic Rolls, Strike, Resist), it is what the passage is about. From other pages of the author's are
what a Strike calls its results, its Defensive Hits and 12 Effects, and the values of a Resist
Check. What Hits do to a character is not part of these rules: a roll stands alone, changes no track
and does no damage.

Its parts, in the order of a roll: `options`, `declare`, `offers`, `score`, `outcome`. For people:
`figures`, `words`.
"""

from ..ruleset import Ruleset, opponent_of
from .declare import (
    CHARTS,
    DEFENDER,
    STRIKER,
    Declaration,
    Reaction,
    answer,
    decline,
    rollables,
    settle,
)
from .figures import FIGURES, counts, reason, sums
from .offers import offers
from .options import Options
from .outcome import outcome, reach, scored, tally
from .score import faces
from .words import WORDS

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

RULESET = Ruleset(
    name="majesty",
    version=1,
    title="Allies of Majesty",
    aim="above 0",
    source="Tutorial #5: Rolls",
    triggers=("react", "roll", "adjust", "resolve"),
    Declaration=Declaration,
    Reaction=Reaction,
    Options=Options,
    faces=faces,
    involves=opponent_of,
    settle=settle,
    answer=answer,
    decline=decline,
    ratings=(STRIKER, DEFENDER),
    rollables=rollables,
    offers=offers,
    outcome=outcome,
    score=scored,
    tally=tally,
    reach=reach,
    settled=("sheet_rating", "declined"),
    charts=CHARTS,
    figures=FIGURES,
    sums=sums,
    counts=counts,
    reason=reason,
    words=WORDS,
)
"""Allies of Majesty: its name and version, its Structs, its functions."""
