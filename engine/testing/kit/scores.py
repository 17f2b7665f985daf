"""The laws about scores: asked apart, they are what the outcome tells, and all that dice reach."""

from collections.abc import Iterator

from ....errors import Refused
from ....events.base import AdjustedDie
from ....projections.automaton import LIVE
from ....projections.choosing import puts
from ....projections.rolls import adjusted, with_hand
from ....rules.ruleset import Offer, Roll, Ruleset, Scored, Sheets
from ...core.offers import sheets
from .play import History
from .trial import LawBroken, Moment

PUTS = 300
"""Sets of faces that a hand is adjusted to, at most: where there are more, it is not tried."""


def check_score(history: History, moment: Moment) -> None:
    """The score of the moment's roll so far is its outcome without the figures, or its refusal."""
    rules, roll = history.trial.ruleset, moment.roll.roll
    apart, told = scored(rules, roll), outcome_of(rules, roll)
    if apart != told:
        raise LawBroken("score", f"the score is {apart}, and the outcome {told}", history.story)


def check_reach(history: History, moment: Moment) -> None:
    """What adjusted dice may end the roll with is what comes of each set of faces."""
    rules, roll = history.trial.bare, moment.roll.roll
    if rules.reach is None or moment.roll.state not in LIVE:
        return
    sheet = sheets(moment.state, moment.roll)
    for offer in rules.offers(roll, sheet):
        hand = roll.hand(offer.hand)
        if offer.means and hand is not None:
            try:
                tried = set(_adjusted(rules, roll, offer, sheet))
            except Refused:
                continue  # too many
            if set(rules.reach(roll, hand)) != tried:
                why = f"dice of {hand.name} reach other scores than {rules.name} says"
                raise LawBroken("reach", why, history.story)


def _adjusted(rules: Ruleset, roll: Roll, offer: Offer, sheet: Sheets) -> Iterator[Scored]:
    """What a hand ends the roll with, by each set of faces that its dice may be put to."""
    hand = adjusted(next(hand for hand in roll.hands if hand.name == offer.hand), ())
    for to in ({}, *puts(hand, offer, PUTS)):
        after = with_hand(roll, adjusted(hand, [AdjustedDie(*item) for item in to.items()]))
        every = rules.offers(after, sheet)
        if any(each.trigger == "resolve" for each in every) and not any(each.due for each in every):
            yield rules.scored(after)


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
