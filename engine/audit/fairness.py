"""Step 16 of an audit: the fairness figures of the dice, beside the proof and no part of it."""

from ...errors import Damaged, Refused
from ...events.codec import Recorded
from ...events.table import TableOpened
from ...projections.fairness import Tally
from ...projections.tables import Rulesets
from ..render.fairness import in_words
from .dice import known_here
from .report import Findings

FAIRNESS = 16


class Fairness:
    """The figures of a log as its entries pass by."""

    def __init__(self, findings: Findings, rulesets: Rulesets) -> None:
        self._findings = findings
        self._rulesets = rulesets
        self._tally = Tally(rulesets)
        self._lost = ""

    def take(self, record: Recorded | None) -> None:
        """Count the dice of one more entry, None where it is withheld or no event."""
        if record is None or self._lost:
            return
        try:
            if isinstance(record.event, TableOpened):
                known_here(self._rulesets, record.event)
            self._tally.take(record)
        except (Damaged, Refused, LookupError, TypeError, ValueError) as error:
            self._lost = str(error)

    def end(self) -> None:
        """Say what it came to: no more than that people should look closer."""
        if self._lost:
            self._findings.unchecked(FAIRNESS, f"the dice cannot be counted: {self._lost}")
            return
        figures = self._tally.figures()
        said = in_words(figures)
        self._findings.checked(FAIRNESS, figures.dice)
        self._findings.summary(FAIRNESS, said)
        if figures.dice and figures.verdict != "fine":
            self._findings.finding(FAIRNESS, said)
