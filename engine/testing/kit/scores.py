"""The law about scores: what a roll comes to, asked apart, is what the outcome tells."""

from ....errors import Refused
from ....rules.ruleset import Roll, Ruleset, Scored
from .play import History
from .trial import LawBroken, Moment


def check_score(history: History, moment: Moment) -> None:
    """The score of the moment's roll so far is its outcome without the figures, or its refusal."""
    rules, roll = history.trial.ruleset, moment.roll.roll
    apart, told = scored(rules, roll), outcome_of(rules, roll)
    if apart != told:
        raise LawBroken("score", f"the score is {apart}, and the outcome {told}", history.story)


def scored(rules: Ruleset, roll: Roll) -> Scored | str:
    """The score of a roll, or why it is refused."""
    try:
        return rules.scored(roll)
    except Refused as error:
        return error.why


def outcome_of(rules: Ruleset, roll: Roll) -> Scored | str:
    """An outcome without its figures, or why it is refused."""
    try:
        told = rules.outcome(roll)
    except Refused as error:
        return error.why
    return Scored(told.degree, told.margin, told.effects)
