"""Step 16 of an audit: the fairness figures of the dice. It finds, and never fails."""

from ...errors import Damaged, Refused
from ...events.codec import RecordedEvent
from ...events.table import TableOpened
from ...projections.fairness import Tally
from ...projections.figures import in_words
from ...projections.tables import Rulesets
from .proof.dice import known_here
from .report import Findings

FAIRNESS = 16


class Fairness:
    """Step 16: the fairness figures of a log, counted entry by entry."""

    def __init__(self, findings: Findings, rulesets: Rulesets) -> None:
        self._findings = findings
        self._rulesets = rulesets
        self._tally = Tally(rulesets)
        self._why_not = ""

    def take(self, record: RecordedEvent | None) -> None:
        """Count the dice of one more entry, None where it is withheld or no event."""
        if record is None or self._why_not:
            return
        try:
            if isinstance(record.event, TableOpened):
                known_here(self._rulesets, record.event)
            self._tally.take(record)
        except (Damaged, Refused, LookupError, TypeError, ValueError) as error:
            self._why_not = str(error)

    def end(self) -> None:
        """Report the figures: the worst verdict is that people should look closer."""
        if self._why_not:
            self._findings.unchecked(FAIRNESS, f"the dice cannot be counted: {self._why_not}")
            return
        figures = self._tally.figures()
        words = in_words(figures)
        self._findings.checked(FAIRNESS, figures.dice)
        self._findings.summary(FAIRNESS, words)
        if figures.dice and figures.verdict != "fine":
            self._findings.finding(FAIRNESS, "dice", words)
