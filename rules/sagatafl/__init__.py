"""Sagatafl: a trait's dozen-sided dice against a Roll Difficulty, for Successes or a Fumble.

Its parts, in the order of a roll: `declare`, `offers`, `outcome`. A roll stands alone, changes no
track and does no damage.
"""

from ..ruleset import Ruleset, opponent_of
from .declare import Declaration, Reaction, answer, settle
from .offers import offers
from .options import Options
from .outcome import faces, outcome

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

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
    involves=opponent_of,
    settle=settle,
    answer=answer,
    offers=offers,
    outcome=outcome,
    narrators=("safe",),
    settled=("sheet_rating",),
)
"""Sagatafl: its name and version, its Structs, its functions."""
