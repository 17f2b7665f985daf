"""How likely each throw of a case was, and what it changed: by exact odds, as they were then."""

from collections.abc import Iterator
from fractions import Fraction

from ...events.codec import RecordedEvent
from ...projections.aims import MARGIN
from ...projections.automaton import LIVE
from ...projections.wording import percent_text
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
        if found.expected is None or found.after is None:
            continue
        points = source.state.game.ruleset.aim == MARGIN.words
        was, now = (
            f"{float(each):.1f}" if points else percent_text(each)
            for each in (found.expected, found.after)
        )
        if was != now:  # else it decided nothing
            what = (
                "average of what this roll comes to" if points else "chance that this roll succeeds"
            )
            lie = " as its dice lie" if found.stands else ""
            yield f"With it the {what}{lie} went from {was} to {now}{_as_good(found)}."


def _as_good(found: Moment) -> str:
    """How many throws leave it as good or better, for who threw; "" where every one does."""
    got = found.sign * (found.after or 0)
    share = sum(
        (chance for worth, chance in found.chances.items() if found.sign * worth >= got),
        Fraction(0),
    )
    if share == 1:
        return ""
    often = f"one in {round(1 / share):,}" if share <= RARE else f"{percent_text(share)} of the"
    there = "high, or higher" if found.sign > 0 else "low, or lower"
    return f"; {often} throws of these dice would have left it so {there}"
