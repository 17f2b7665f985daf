"""How likely each throw of a case was, and what it changed: by exact odds, as they were then."""

from collections.abc import Iterator
from fractions import Fraction

from ...events.codec import RecordedEvent
from ...projections.aims import MARGIN
from ...projections.automaton import LIVE
from ..core.luck import THROWN, Moment, moment
from .source import Source

RARE = Fraction(1, 5)
"""From here on what is as likely is told as one in so many."""


def likely(source: Source, record: RecordedEvent) -> Iterator[str]:
    """What a throw that decided something was worth, in a sentence; none for another event.

    Nor for a roll that goes on, of which it were advice, and where it is too much to count.
    """
    before = source.before.get(record.seq)
    if before is None or not isinstance(record.event, THROWN):
        return
    roll = source.state.rolls.get(record.event.roll)
    if roll is None or roll.state in LIVE or record.event.roll not in before.rolls:
        return
    after = source.before.get(record.seq + 1, source.state)
    for found in moment(before, after, record, {}):
        if len(found.chances) > 1 and found.expected is not None and found.after is not None:
            aim = source.state.game.ruleset.aim
            yield f"{_as_good(found)} {_changed(found.expected, found.after, aim)}"


def _as_good(found: Moment) -> str:
    """How many throws are as good or better, for who threw."""
    got = found.sign * (found.after or 0)
    share = sum(
        (chance for worth, chance in found.chances.items() if found.sign * worth >= got),
        Fraction(0),
    )
    often = f"one in {round(1 / share):,}" if share <= RARE else _percent(share)
    return f"Of throws of these dice {often} {'is' if share <= RARE else 'are'} as good or better."


def _changed(before: Fraction, after: Fraction, aim: str) -> str:
    if aim == MARGIN.words:
        went = f"average of what this roll comes to went from {float(before):.1f} to"
        return f"With it the {went} {float(after):.1f}."
    went = f"chance that this roll succeeds went from {_percent(before)} to {_percent(after)}"
    return f"With it the {went}."


def _percent(share: Fraction) -> str:
    return f"{100 * float(share):.1f} %"
