"""Step 14: what people decided, with its reason; a ruling and what was ruled are one commit."""

from collections.abc import Sequence
from typing import Any

from ....events import roll as rolled
from ....events import ruling
from ....events import table as tabled
from ....events.codec import Event
from ..report import Findings
from .commits import AuditedCommit
from .deferred import Wrong, cut, event_text

RULINGS = 14

DEEDS_SINCE = 3
"""The version of the core's rules from which on a ruling is done in its own commit."""

DECISIONS: dict[type, tuple[str, str]] = {
    ruling.DisputeRaised: ("dispute", "dispute"),
    ruling.RulingMade: ("ruling", "ruling"),
    ruling.RollAmended: ("amendment", "correction"),
    ruling.DeclarationVetoed: ("veto", "correction"),
    ruling.DeclarationReplaced: ("replacement", "correction"),
}
"""What people decide about a roll, by the first event of the commit: what to call it, its kind."""

DEEDS: dict[str, tuple[type, ...]] = {
    "stands": (),
    "amend": (ruling.RollAmended,),
    "void": (rolled.RollVoided,),
    "replay": (rolled.RollVoided, rolled.RollDeclared),
}
"""What a ruling leads to in its own roll, and in the one that comes instead."""


class Decisions:
    """Lists every decision, and holds each ruling against its deed."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._count = 0
        self._core = 0

    def take(self, commit: AuditedCommit) -> None:
        """One more commit."""
        record = commit.first.record
        opened = record.event if record is not None else None
        if isinstance(opened, tabled.TableOpened) and commit.first.entry.seq == 0:
            self._core = opened.core
        event: Any = opened
        name, kind = DECISIONS.get(type(event), ("", ""))
        if not kind:
            return
        self._count += 1
        self._findings.checked(RULINGS)
        verdict = str(getattr(event, "ruling", ""))
        what = f"{name}{f' ({verdict})' if verdict else ''} of roll {event.roll} by {event.by}"
        seq = commit.first.entry.seq
        said = commit.text.record.event if commit.text and commit.text.record else None
        reason = cut(said.text) if isinstance(said, tabled.TextSaid) else "its reason is erased"
        if commit.text is None:
            self._findings.count(kind, seq)
            self._findings.finding(RULINGS, "no-reason", f"{what}, without a reason", seq)
        else:
            self._findings.note(RULINGS, f"{what}: {reason}", seq, kind)
        if isinstance(event, ruling.RulingMade) and self._core >= DEEDS_SINCE:
            self._done(commit, event, seq)

    def _done(self, commit: AuditedCommit, event: ruling.RulingMade, seq: int) -> None:
        others = [line.record.event for line in commit.lines[1:] if line.record is not None]
        whole = len(others) == len(commit.lines) - 1
        wrong = undone(event, others, whole=whole)
        if wrong is not None:
            self._findings.fail(wrong.step, wrong.why, seq, wrong.expected, wrong.found)

    def end(self) -> None:
        """Say how many there were."""
        self._findings.summary(RULINGS, f"{self._count} decisions")


def undone(made: ruling.RulingMade, others: Sequence[Event], *, whole: bool) -> Wrong | None:
    """What is wrong with the events behind a ruling; `whole` says that all of them are known."""
    wanted = DEEDS[made.ruling]
    mine = ((made.roll, wanted[:1]), (made.instead, wanted[1:]))
    if (made.instead is not None) is not (made.ruling == "replay"):
        wants = "its number" if made.ruling == "replay" else "none"
        why = "a replay alone names the roll that comes instead"
        return Wrong(RULINGS, why, wants, str(made.instead))
    for number, kinds in mine:
        found = [each for each in others if getattr(each, "roll", None) == number]
        deeds = tuple(type(each) for each in found if type(each) in DONE)
        if deeds != kinds and (whole or any(kind not in kinds for kind in deeds)):
            said = ", ".join(map(event_text, found)) or "nothing"
            wants = " and ".join(WORDS[kind] for kind in kinds) or "nothing done to the roll"
            why = f"what was ruled, {made.ruling!r}, is not what its commit does to roll {number}"
            return Wrong(RULINGS, why, wants, cut(said))
    if made.ruling != "replay" and any(isinstance(each, rolled.RollDeclared) for each in others):
        why = "only a replay declares a roll"
        return Wrong(RULINGS, why, "no declaration", "a declaration")
    return None


WORDS: dict[type, str] = {
    ruling.RollAmended: "an amendment",
    rolled.RollVoided: "a void",
    rolled.RollDeclared: "a declaration",
}
"""The deeds in words."""

DONE = tuple(WORDS)
"""Events that are deeds; damage that is announced again follows from one."""
