"""Sagatafl: a trait's twelve-sided dice against a Roll Difficulty, for Successes or a Fumble.

name      sagatafl, version 1
source    Roll mechanic, a page of the Sagatafl wiki
dice      d12
triggers  react, roll, resolve
readings  spec_and_edge, no_dice, sense_rolls, opposed, declined

Its parts, in the order of a roll: `declare`, `offers`, `outcome`; beside them `figures`
and `words`. A roll stands alone, changes no track and does no damage.
"""

from ..ruleset import Ruleset, opponent_of
from .declare import CHARTS, Declaration, Reaction, answer, rollables, settle
from .figures import FIGURES, counts, reason, sums, wants
from .offers import offers
from .options import Options
from .outcome import faces, outcome, scored, tally
from .words import WORDS

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

RULESET = Ruleset(
    name="sagatafl",
    version=1,
    title="Sagatafl",
    aim="above 0",
    source="Roll mechanic",
    faces=faces,
    triggers=("react", "roll", "resolve"),
    Options=Options,
    Declaration=Declaration,
    Reaction=Reaction,
    narrators=("safe",),
    settled=("sheet_rating",),
    charts=CHARTS,
    involves=opponent_of,
    settle=settle,
    answer=answer,
    ratings=("Body", "Lockpicking"),
    rollables=rollables,
    offers=offers,
    outcome=outcome,
    score=scored,
    tally=tally,
    figures=FIGURES,
    sums=sums,
    counts=counts,
    wants=wants,
    reason=reason,
    words=WORDS,
)
"""Sagatafl: its identity, then its functions, then its figures and words."""
