"""Steps 10, 11 and 14 of an audit: every command is decided again, on the table before it.

What was asked is in the log. It is decided by the engine itself, with the dice of the log, under
the rules that the table names, and must lead to exactly the entries of its commit. Step 10 checks
what was allowed: the state, the seat, its role and visibility, the class of the entry, and which
dice, how many and how often. Step 11 checks the numbers: declarations as settled, prices, dice
taken over, outcomes, places, damage, wounds. Step 14 lists what people decided, each with its
reason. The steps before check the proof of a throw.
"""

from collections.abc import Iterator
from typing import Any, cast

from msgspec.structs import replace

from ....errors import Refused, Unavailable
from ....events import roll as rolled
from ....events import table as tabled
from ....events.codec import EVENTS, Event, RecordedEvent
from ....events.entry import TEXTS, Entry
from ....projections.hidden import ALWAYS_OPEN
from ....projections.tables import Rulesets, TableState
from ...core import commands
from ...core.commands import AnyCommand
from ...core.decide import Draft
from ...core.decide_table import CORES
from ...core.rerun import Done, FallenAway, Logged, decided_again
from ..cache import PrivateFile
from ..line import Line
from ..report import Findings
from .commits import AuditedCommit
from .deferred import (
    LEGAL,
    NUMBERS,
    RULES,
    Deferred,
    DeferredFinding,
    Undisclosed,
    Wrong,
    difference,
    event_text,
    refused,
)
from .replay import Replay, Unfollowable, Watched, error_text
from .rulings import Decisions

LOOKING_BACK = (commands.Amend, commands.Replace, commands.Rule)
"""Commands decided on the tracks as they were when the roll was declared."""

RULED = frozenset(
    kind
    for kind in EVENTS.values()
    if NUMBERS.intersection(kind.__struct_fields__) and kind is not rolled.DiceRolled
)
"""Events in which the rules fill a field; in a throw they fill the dice taken over."""

GRAVE = ("malformed", "out-of-range", "too-long", "too-many")
"""Refusals of a declaration after which the rules do not compute its roll: it may have a million
dice."""

CLASSES = {True: "hidden", False: "open"}

UNPUBLISHED = "64 hex digits"
"""What is shown where a commitment or an opened seed must be, and none is."""


class Rules:
    """The check of every commit by the rules, one after another."""

    def __init__(self, findings: Findings, rulesets: Rulesets, file: PrivateFile) -> None:
        self._findings = findings
        self._rulesets = rulesets
        self._undisclosed = Undisclosed()
        self._deferred = Deferred(findings, self._undisclosed)
        self._replay = Replay(rulesets, file)
        self._system = ""
        self._next = 0
        self._room = 0  # rolls that may have been declared, undisclosed, since the last one
        self._broken: set[int] = set()
        self._judged_so_far = 0
        self._decisions = Decisions(findings)

    def take(self, commit: AuditedCommit) -> None:
        """Judge one more commit, then follow it."""
        first = commit.first
        missing = first.entry.seq - self._next
        if missing > 0:
            self._undisclosed.note("missing", self._next)
            self._room += missing
        self._next = (commit.text or commit.lines[-1]).entry.seq + 1
        self._decisions.take(commit)
        state = self._replay.opened
        if state is None and first.entry.seq == 0 and first.record is not None:
            self._open(commit, first.record)
        elif state is not None:
            wrong_at = self._judge(commit, state)
            for line in commit.lines:
                self._follow(line, failed=wrong_at == line.entry.seq)
        text = None if commit.text is first else commit.text
        if text is not None and self._replay.opened is not None:
            self._follow(text, failed=False)

    def end(self) -> None:
        """Check what only the end shows."""
        self._deferred.end()
        self._decisions.end()
        if self._replay.opened is not None:
            count = self._judged_so_far
            self._findings.summary(LEGAL, f"{count} entries, what was asked decided again")
            self._findings.summary(RULES, f"the rules of {self._system}, run again")

    # --- the opening ------------------------------------------------------------------------------

    def _open(self, commit: AuditedCommit, record: RecordedEvent) -> None:
        """The opening of the table: the rules are those that it names, if they are known here."""
        self._system, why = rules_of(record.event, self._rulesets)
        if not why:
            self._judge(commit, None)
            try:
                self._replay.open(record)
            except Unfollowable as error:
                self._findings.fail(RULES, f"the table cannot be opened: {error}", record.seq)
                why = "the table cannot be opened"
        if why:
            for step in (LEGAL, RULES):
                if not self._findings.failed(step):
                    self._findings.unchecked(step, why, record.seq)

    # --- what was asked, decided again ------------------------------------------------------------

    def _judge(self, commit: AuditedCommit, state: TableState | None) -> int | None:
        """Judge what a commit has disclosed; the entry that is wrong, if one is."""
        first, command = commit.first, commit.command
        if first.record is None or command is None or first.asked is None:
            return None
        events = [line.record.event for line in commit.lines if line.record is not None]
        if state is not None and self._unjudgeable(state, events):
            return None
        for event in events:
            self._count(event)
        watched = None
        if state is not None and self._undisclosed.of_tracks is not None:
            watched = Watched(state.tracks)
        before = None if state is None else self._before(state, command, events, watched)
        self._replay.store.put_command(first.entry.seq, first.asked.body)
        wrong = self._wrong(commit, command, before, events)
        if wrong is None:
            return None
        line, why = wrong
        looked = isinstance(command, LOOKING_BACK) or (watched is not None and watched.read)
        # What an entry erases may be missing, where entries are.
        looked |= isinstance(command, commands.Erase) and self._undisclosed.gaps
        self._report(line, state, why, tracks=looked and not why.firm)
        return line.entry.seq

    def _before(
        self,
        state: TableState,
        command: AnyCommand,
        events: list[Event],
        watched: Watched | None,
    ) -> TableState:
        """The table that a command is decided on."""
        for declared in events:
            if isinstance(declared, rolled.RollDeclared):
                # Rolls not disclosed have numbers too: as many as may have been declared meanwhile.
                if 0 < declared.roll - 1 - len(state.rolls) <= self._room:
                    state = self._replay.set_highest_roll(declared.roll - 1) or state
                self._room = 0
        if self._undisclosed.gaps:
            state = with_shares(state, events[0], events)
        if isinstance(command, LOOKING_BACK):
            return state
        return state if watched is None else replace(state, tracks=cast(Any, watched))

    def _wrong(
        self,
        commit: AuditedCommit,
        command: AnyCommand,
        before: TableState | None,
        events: list[Event],
    ) -> tuple[Line, Wrong] | None:
        """What is wrong with a commit, and at which line, if anything is."""
        first, event = commit.first, events[0]
        name = before.source if before else getattr(event, "source", "")
        try:
            ending = decided_again(
                before, event.by, command, Logged(name, events, UNPUBLISHED),
                now=first.entry.at, rulesets=self._rulesets,
                command_at=self._replay.store.command_at,
            )  # fmt: skip
            if isinstance(ending, Done):
                return next(self._unlike(commit, ending.drafts), None)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 (a forged entry may break a system's code)
            why = f"the rules cannot follow it: {error_text(error)}"
            return first, Wrong(LEGAL, why, "an event that the rules lead to", event_text(event))
        if isinstance(ending, FallenAway):
            if isinstance(event, rolled.RollDeclared) and ending.refused.code in GRAVE:
                self._broken.add(event.roll)
            return first, refused(ending.refused, event)
        wanted = f"{ending.die} in throw {ending.throw} of roll {ending.roll}"
        return first, Wrong(LEGAL, "other dice than were offered", wanted, event_text(event))

    def _unlike(
        self, commit: AuditedCommit, drafts: tuple[Draft, ...]
    ) -> Iterator[tuple[Line, Wrong]]:
        """Where the lines of a commit are not what its command leads to."""
        left = list(drafts)
        partly = any(line.record is None for line in commit.lines)
        for line in commit.lines:
            draft = left[0] if left else None
            if line.record is None:  # hidden, and perhaps of a roll that is not known here
                del left[: draft is not None and draft.hidden]
                continue
            event, entry = line.record.event, line.entry
            if draft is None:
                why = "what was asked does not lead to this"
                yield line, Wrong(LEGAL, why, "no entry", event_text(event))
                return
            del left[0]
            found = difference(*self._comparable(draft.event, event))
            if found is None and CLASSES[draft.hidden] != entry.kind:
                found = misclassed(CLASSES[draft.hidden], entry.kind)
            if found is not None:
                yield line, found
        for draft in left:
            if not (partly and draft.hidden):
                why = "what was asked leads to one more entry"
                yield commit.lines[-1], Wrong(LEGAL, why, event_text(draft.event), "none")

    def _comparable(self, wanted: Event, found: Event) -> tuple[Event, Event]:
        """The two events; of epochs what can be known here, where there are hidden rolls."""
        epochs = isinstance(wanted, tabled.EpochBegun) and isinstance(found, tabled.EpochBegun)
        if not epochs or not self._undisclosed.any:
            return wanted, found
        return self._of_known_rolls(wanted), self._of_known_rolls(found)

    def _of_known_rolls(self, event: Any) -> Event:
        state = self._replay.opened
        known = tuple(
            each
            for each in event.commits
            if state is not None
            and (roll := state.rolls.get(each.roll)) is not None
            and not roll.hidden
        )
        epoch: Event = replace(event, commits=known)
        return epoch

    # --- what is not disclosed --------------------------------------------------------------------

    def _unjudgeable(self, state: TableState, events: list[Event]) -> bool:
        """Whether a commit cannot be judged: what it is about, or a broken roll that it touches."""
        broken = any(getattr(event, "roll", None) in self._broken for event in events)
        return broken or self._is_undisclosed(state, events[0])

    def _is_undisclosed(self, state: TableState, event: Event) -> bool:
        """Whether an event cannot be judged: its roll is broken, or hidden in this file."""
        if not isinstance(event, rolled.RollEventBase):
            return False
        if event.roll in self._broken:
            return True
        return isinstance(event, ALWAYS_OPEN) and self._may_be_hidden(state, event.roll)

    def _may_be_hidden(self, state: TableState, number: int) -> bool:
        """Whether there may be a roll of that number that this file does not disclose."""
        within = 0 < number <= len(state.rolls) + self._room
        return self._undisclosed.any and within and number not in state.rolls

    def _report(self, line: Line, state: TableState | None, wrong: Wrong, *, tracks: bool) -> None:
        number = None if state is None or line.record is None else self._rests_on(line.record)
        roll = None if number is None or state is None else state.rolls.get(number)
        unsure = (
            roll.hidden if roll else bool(number and state and self._may_be_hidden(state, number))
        )
        finding = DeferredFinding(line.entry.seq, wrong, number if unsure else None, tracks)
        self._deferred.report(finding)

    def _rests_on(self, record: RecordedEvent) -> int | None:
        """The roll whose earlier entries decide about an event."""
        event, state = record.event, self._replay.opened
        if isinstance(event, rolled.RollDeclared):
            return event.follows[0] if event.follows else None
        if isinstance(event, (tabled.Noted, tabled.EntryErased)) and state is not None:
            about = event.about if isinstance(event, tabled.Noted) else event.seq
            return state.entry_rolls.get(about)
        return event.roll if isinstance(event, rolled.RollEventBase) else None

    # --- following --------------------------------------------------------------------------------

    def _follow(self, line: Line, *, failed: bool) -> None:
        entry, record, state = line.entry, line.record, self._replay.opened
        if record is None:
            if entry.kind not in TEXTS:  # a text changes nothing
                self._undisclosed.note("withheld", entry.seq)
                self._room += 1
            self._replay.pass_over(entry)
            return
        event, highest = record.event, self._replay.highest_roll
        if state is not None and self._is_undisclosed(state, event):
            self._lose(entry, record)
            return
        try:
            self._replay.follow(entry, record)
        except Unfollowable as error:
            if not failed:
                wrong = Wrong(
                    LEGAL, f"nothing can follow it: {error}", "an event", event_text(event)
                )
                self._report(line, state, wrong, tracks=False)
            if (
                isinstance(event, rolled.RollEventBase)
                and state is not None
                and not (isinstance(event, rolled.RollDeclared) and event.roll in state.rolls)
            ):
                self._broken.add(event.roll)
            self._undisclosed.note("lost", entry.seq)
            self._replay.pass_over(entry)
        if isinstance(event, rolled.RollDeclared):
            self._replay.set_highest_roll(highest + 1)  # one more, whatever its own number
        if isinstance(event, rolled.RollRevealed):
            self._deferred.revealed(event.roll)

    def _lose(self, entry: Entry, record: RecordedEvent) -> None:
        """Pass over an entry about a roll that cannot be followed; its number is taken."""
        event, highest = record.event, self._replay.highest_roll
        self._replay.overhear(entry, record)
        if isinstance(event, (rolled.RollDeclared, rolled.RollRevealed)):
            self._undisclosed.note("lost", entry.seq)  # what it costs counts now
        if isinstance(event, rolled.RollDeclared):
            self._replay.set_highest_roll(highest + 1)

    def _count(self, event: Event) -> None:
        self._judged_so_far += 1
        self._findings.checked(LEGAL)
        taken = isinstance(event, rolled.DiceRolled) and event.taken is not None
        if taken or type(event) in RULED:
            self._findings.checked(RULES)


def with_shares(state: TableState, first: Event, events: list[Event]) -> TableState:
    """The table as a commit has it about shares, where other rolls' entries are missing.

    They may have asked for shares, and show who kept one back.
    """
    seats = state.seats
    for event in events:
        for seat, i in event.asked if isinstance(event, rolled.ThrowAsked) else ():
            known = seats.get(seat)
            if known is not None and known.anchor is not None and i > known.anchor.asks:
                anchor = replace(known.anchor, asks=i - 1)
                seats = seats.set(seat, replace(known, anchor=anchor))
    at_once = isinstance(first, (rolled.DiceRolled, rolled.DiceRerolled))
    return replace(state, seats=seats, kept_back=frozenset(seats if at_once else ()))


def rules_of(event: Event, rulesets: Rulesets) -> tuple[str, str]:
    """The rules that a table's opening names, and why they cannot be run here, if they cannot."""
    if not isinstance(event, tabled.TableOpened):
        return "", "the log does not begin with the opening of a table"
    system = f"{event.ruleset}, version {event.version}"
    try:
        version = rulesets(event.ruleset).version
    except Refused as error:
        return system, f"the rules are not known here: {error.why}"
    if version != event.version:
        return system, f"the rules known here are not {system}, but version {version}"
    if event.core not in CORES:
        known = f"here it is {' or '.join(map(str, CORES))}"
        return system, f"what commands lead to is of version {event.core}, {known}"
    return system, ""


def misclassed(wanted: str, kind: str) -> Wrong:
    """The wrong of an entry of this class."""
    return Wrong(LEGAL, "the entry is sealed in the wrong class", wanted, kind, firm=True)
