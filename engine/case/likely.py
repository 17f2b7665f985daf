"""How likely each throw of a case was, and what it changed: by exact odds, as they were then."""

from collections.abc import Iterator
from fractions import Fraction

from ...events.codec import RecordedEvent
from ...projections.aims import MARGIN
from ...projections.automaton import LIVE
from ..core.luck import THROWN, Moment, moment
from .source import Source

STEPS = 5_000
"""What a throw may cost, at most: see `projections.odds`. It is about a third of a second."""

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
    for found in moment(before, after, record, None, STEPS):
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
    if share <= RARE:
        return f"One such throw in {round(1 / share):,} is as good, or better."
    return f"{_percent(share)} of such throws are as good, or better."


def _changed(before: Fraction, after: Fraction, aim: str) -> str:
    if aim == MARGIN.words:
        return f"Before it {float(before):.1f} was to be expected, after it {float(after):.1f}."
    return f"Before it a success had a chance of {_percent(before)}, after it of {_percent(after)}."


def _percent(share: Fraction) -> str:
    return f"{100 * float(share):.1f} %"
