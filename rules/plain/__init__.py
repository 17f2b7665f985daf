"""Plain dice: an expression as everybody types it, `4d6kh3+2`, and nothing but the dice.

There is no book. The notation is what the programs that roll dice have in common; where they differ
there is a reading. A roll stands alone: nobody reacts, nothing is counted on a sheet, nothing does
damage. An exploding die is thrown again inside its throw; a die that is rerolled once is a reroll.

Its parts, in the order of a roll: `notation`, `dice`, `options`, `declare`, `hands`, `offers`,
`outcome`; and of what is announced `figures`, `words`.
"""

from ..ruleset import Ruleset
from .declare import Declaration, rollables, settle
from .dice import faces
from .figures import FIGURES, reason, sums
from .offers import offers
from .options import Options
from .outcome import counts, outcome, scored, tally
from .words import WORDS

__all__ = ["RULESET", "Declaration", "Options"]

RULESET = Ruleset(
    name="plain",
    version=1,
    title="Plain dice",
    aim="margin",
    source="The usual notation of dice",
    triggers=("roll", "reroll", "resolve"),
    Declaration=Declaration,
    Options=Options,
    faces=faces,
    settle=settle,
    rollables=rollables,
    offers=offers,
    outcome=outcome,
    score=scored,
    tally=tally,
    figures=FIGURES,
    sums=sums,
    counts=counts,
    reason=reason,
    words=WORDS,
)
"""Plain dice: their name and version, their Structs, their functions."""
