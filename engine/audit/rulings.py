"""Step 14 of an audit: everything that people decided about rolls is listed with its reason.

A reason is a note about the decision. It follows it in the same commit, or is added later. Where it
was erased, the remark says so.
"""

from collections.abc import Mapping

from msgspec import Struct

from ...events import ruling
from ...events.codec import RecordedEvent
from ...events.entry import Entry, EntryClass
from ...events.roll import RollVoided
from ...events.table import Noted
from .deferred import cut
from .report import Findings

RULINGS = 14

NAMES: Mapping[type, str] = {
    ruling.DisputeRaised: "dispute",
    ruling.RulingMade: "ruling",
    ruling.RollAmended: "amendment",
    ruling.DeclarationVetoed: "veto",
    ruling.DeclarationReplaced: "replacement",
}
"""The decisions that need a reason, and what to call them."""


class Decision(Struct):
    """A decision that waits for its reason; `gone`: a reason may have been erased.

    `kind` is the class of its entry, and so of its reason's.
    """

    words: str
    kind: EntryClass
    gone: bool = False


class Rulings:
    """The decisions of a log, entry by entry."""

    def __init__(self, findings: Findings, *, complete: bool) -> None:
        self._findings = findings
        self._complete = complete
        self._waiting: dict[int, Decision] = {}
        self._last: tuple[int, str] | None = None
        self._count = 0

    def take(self, entry: Entry, record: RecordedEvent | None, *, led: bool | None) -> None:
        """One more entry; `led` says that it belongs to the commit before it, if that is known."""
        if record is None:
            self._withheld(entry)
            return
        event = record.event
        if isinstance(event, Noted):
            self._noted(event)
            self._last = None
        elif isinstance(event, ruling.RollAmended) and self._goes_on(event.by, led=led):
            return
        elif type(event) in NAMES:
            self._findings.checked(RULINGS)
            self._count += 1
            self._waiting[entry.seq] = Decision(_words(event), entry.kind)
            self._last = (entry.seq, event.by)
        elif not isinstance(event, RollVoided):  # a void may belong to the amendment before it
            self._last = None

    def end(self) -> None:
        """Report the decisions that never got a reason."""
        missing = 0
        for seq, decision in self._waiting.items():
            if decision.gone:
                self._findings.note(RULINGS, f"{decision.words}: reason erased or hidden", seq)
            elif self._complete:
                missing += 1
                self._findings.finding(RULINGS, f"{decision.words}: no reason", seq)
            else:
                why = f"{decision.words}: its reason is not in the file"
                self._findings.unchecked(RULINGS, why, seq)
        without = f", {missing} without a reason" if missing else ""
        self._findings.summary(RULINGS, f"{self._count} decisions{without}")

    def _goes_on(self, seat: str, *, led: bool | None) -> bool:
        """Whether this amendment follows from the one before: a commit ends with its reason."""
        if led is not None:
            return led
        return self._last is not None and self._last[1] == seat

    def _withheld(self, entry: Entry) -> None:
        decision = self._waiting.get(self._last[0]) if self._last is not None else None
        if decision is not None and decision.kind == entry.kind:
            decision.gone = True
        if entry.kind == "open":
            self._last = None

    def _noted(self, event: Noted) -> None:
        decision = self._waiting.pop(event.about, None)
        if decision is not None:
            self._findings.note(RULINGS, f"{decision.words}: {cut(event.text)}", event.about)


def _words(event: object) -> str:
    """A decision in a few words."""
    verdict = str(getattr(event, "ruling", ""))
    words = f"{NAMES[type(event)]}{f' ({verdict})' if verdict else ''}"
    return f"{words} of roll {getattr(event, 'roll', '?')} by {getattr(event, 'by', '?')}"
