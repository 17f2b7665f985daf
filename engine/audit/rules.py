"""Steps 10, 11 and 14 of an audit: every entry is decided again, on the table before it.

An event is turned back into the command that may have led to it. That command is decided under the
rules that the table names, and must lead to exactly these entries. Step 10 checks what was allowed:
the state, the seat, its role and visibility, the class of the entry, and which dice, how many and
how often. Step 11 checks the numbers: declarations as settled, prices, dice taken over, outcomes,
places, damage, wounds. The steps before check the proof of a throw.
"""

from typing import Any, cast

from msgspec.structs import replace

from ...errors import Refused, Unavailable
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import EVENTS, Event, RecordedEvent
from ...events.entry import Entry
from ...projections.tables import Rulesets, TableState
from ..core.visibility import ALWAYS_OPEN
from .cache import PrivateFile
from .commits import Commit
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
from .redecide import GRAVE, led_to
from .replay import Replay, Unfollowable, Watched, error_text
from .report import REMARKS, Findings
from .rulings import Rulings
from .text_checks import epoch, erasure, misclassed, note, rules_of, sealed

LOOKING_BACK = (ruling.RollAmended, ruling.DeclarationReplaced)
"""Events decided on the tracks as they were when the roll was declared."""

UNTRACKED = (rolled.RollVoided, tabled.Noted)
"""Events whose commands need no tracks."""

RULED = frozenset(
    kind
    for kind in EVENTS.values()
    if NUMBERS.intersection(kind.__struct_fields__) and kind is not rolled.DiceRolled
)
"""Events in which the rules fill a field; in a throw they fill the dice taken over."""


class Rules:
    """The check of every entry by the rules, entry by entry.

    `complete` says that no entry is missing in between.
    """

    def __init__(
        self, findings: Findings, rulesets: Rulesets, file: PrivateFile, *, complete: bool
    ) -> None:
        self._findings = findings
        self._rulesets = rulesets
        self._complete = complete
        self._undisclosed = Undisclosed()
        self._deferred = Deferred(findings, self._undisclosed)
        self._rulings = Rulings(findings, complete=complete)
        self._replay = Replay(rulesets, file)
        self._commit = Commit()
        self._system = ""
        self._next = 0
        self._room = 0  # rolls that may have been declared, undisclosed, since the last one
        self._broken: set[int] = set()
        self._judged_so_far = 0
        self._failures = 0

    def take(self, entry: Entry, record: RecordedEvent | None) -> None:
        """Judge one more entry; `record` is None where its payload is not in the file."""
        missing = entry.seq - self._next
        if missing > 0:
            self._undisclosed.missing(self._next)
            self._room += missing
        self._next = entry.seq + 1
        led: bool | None = None
        state = self._replay.opened
        if record is None:
            self._withheld(entry, state)
        elif state is not None:
            led = self._judged(entry, record, state)
        elif entry.seq == 0:
            self._opened(entry, record)
        self._rulings.take(entry, record, led=led)

    def end(self) -> None:
        """Check what only the end shows."""
        if self._commit.expected and self._complete:
            wrong = self._commit.broken_off(None)
            self._deferred.report(DeferredFinding(self._next - 1, wrong, None, tracks=False))
        self._deferred.end()
        self._rulings.end()
        if self._replay.opened is not None:
            count = self._judged_so_far
            self._findings.summary(LEGAL, f"{count} entries, each held against a command")
            self._findings.summary(RULES, f"the rules of {self._system}, run again")

    # --- the first entry, and those that cannot be read -------------------------------------------

    def _opened(self, entry: Entry, record: RecordedEvent) -> None:
        """The opening of the table: the rules are those that it names, if they are known here."""
        self._system, why = rules_of(record.event, self._rulesets)
        if not why:
            try:
                self._replay.open(record)
            except Unfollowable as error:
                self._findings.fail(RULES, f"the table cannot be opened: {error}", record.seq)
                why = "the table cannot be opened"
        if why:
            for step in (LEGAL, RULES):
                if not self._findings.failed(step):
                    self._findings.unchecked(step, why, record.seq)
            return
        self._count(record.event)
        if entry.kind != "open":
            self._deferred.report(
                DeferredFinding(record.seq, misclassed("open", entry.kind), None, tracks=False)
            )

    def _withheld(self, entry: Entry, state: TableState | None) -> None:
        """An erased text, or an event that this file does not disclose."""
        hidden = entry.kind == "hidden"
        self._undisclosed.withheld(entry.seq, hidden=hidden)
        self._room += hidden
        expected, store = self._commit.expected, self._replay.store
        if expected is None:
            self._commit.finish()
        elif state and not sealed(state, expected, entry.kind, store, self._undisclosed):
            self._commit.advance()
        self._replay.pass_over(entry)

    # --- entries that are judged ------------------------------------------------------------------

    def _judged(self, entry: Entry, record: RecordedEvent, state: TableState) -> bool | None:
        """Judge an entry and follow it; whether it belongs to the commit before, if it is known."""
        event = record.event
        if self._is_undisclosed(state, event):
            self._replay.pass_over(entry)
            return None
        led = self._commit.goes_on(event)
        if self._commit.expected and not led:
            self._report(record, state, self._commit.broken_off(event), tracks=False)
        if not isinstance(event, UNTRACKED):
            state = self._replay.current() or state
        watched = Watched(state.tracks) if self._undisclosed.any else None
        wrong = self._wrong(entry, record, self._before(state, record, watched), led=led)
        if wrong is not None:
            looked = isinstance(event, LOOKING_BACK) or (watched is not None and watched.read)
            self._report(record, state, wrong, tracks=looked and not wrong.firm)
        self._count(event)
        self._follow(entry, record, state, failed=wrong is not None)
        return led

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

    def _before(
        self, state: TableState, record: RecordedEvent, watched: Watched | None
    ) -> TableState:
        """The table that an event's command is decided on."""
        event = record.event
        if isinstance(event, LOOKING_BACK):
            return self._replay.looking_back(state, event.roll)
        if isinstance(event, rolled.RollDeclared):
            # Rolls not disclosed have numbers too: as many as may have been declared meanwhile.
            if 0 < event.roll - 1 - len(state.rolls) <= self._room:
                state = self._replay.set_highest_roll(event.roll - 1) or state
            self._room = 0
        return state if watched is None else replace(state, tracks=cast(Any, watched))

    def _wrong(
        self, entry: Entry, record: RecordedEvent, before: TableState, *, led: bool
    ) -> Wrong | None:
        """What is wrong with an entry, if anything is."""
        try:
            self._check(entry, record, before, led=led)
        except Wrong as wrong:
            return wrong
        except Refused as error:
            if isinstance(record.event, rolled.RollDeclared) and error.code in GRAVE:
                self._broken.add(record.event.roll)
            return refused(error, record.event)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 (a forged entry may break a system's code)
            why = f"the rules cannot follow it: {error_text(error)}"
            return Wrong(LEGAL, why, "an event that the rules lead to", event_text(record.event))
        return None

    def _check(self, entry: Entry, record: RecordedEvent, before: TableState, *, led: bool) -> None:
        """Raises Refused for what was not allowed, Wrong for what should be another event."""
        expected = self._commit.expected
        if led and expected is not None:
            self._commit.advance()
            wrong = difference(expected, record.event)
            if wrong is not None:
                raise wrong
        else:
            first = self._commit.is_text(record.event)
            self._commit.finish()
            rest = () if first else self._rest(entry, record, before)
            self._commit.begin(record, rest)
        wrong = sealed(before, record.event, entry.kind, self._replay.store, self._undisclosed)
        if wrong is not None:
            raise wrong

    def _rest(self, entry: Entry, record: RecordedEvent, before: TableState) -> tuple[Event, ...]:
        """Check the first event of a commit; returns those that must follow."""
        event, store = record.event, self._replay.store
        if isinstance(event, tabled.Noted):
            note(before, entry.seq, event, store)
        elif isinstance(event, tabled.EntryErased):
            erasure(before, event, store, self._undisclosed)
        elif isinstance(event, tabled.EpochBegun):
            epoch(before, event, self._replay.live, certain=not self._undisclosed.any)
        else:
            return led_to(before, record, thoroughly=self._failures < REMARKS)
        return ()

    def _report(
        self, record: RecordedEvent, state: TableState, wrong: Wrong, *, tracks: bool
    ) -> None:
        self._failures += 1
        number = self._rests_on(record)
        roll = None if number is None else state.rolls.get(number)
        unsure = roll.hidden if roll else number and self._may_be_hidden(state, number)
        self._deferred.report(
            DeferredFinding(record.seq, wrong, number if unsure else None, tracks)
        )

    def _rests_on(self, record: RecordedEvent) -> int | None:
        """The roll whose earlier entries decide about an event."""
        event = record.event
        if isinstance(event, rolled.RollDeclared):
            return event.follows[0] if event.follows else None
        if isinstance(event, tabled.Noted):
            place = self._replay.store.place(event.about)
            return None if place is None else place.roll
        return event.roll if isinstance(event, rolled.RollEventBase) else None

    def _follow(
        self, entry: Entry, record: RecordedEvent, state: TableState, *, failed: bool
    ) -> None:
        event = record.event
        highest = self._replay.highest_roll
        try:
            if isinstance(event, rolled.RollEventBase) and event.roll in self._broken:
                raise Unfollowable("its declaration is none")
            self._replay.follow(entry, record)
        except Unfollowable as error:
            if not failed:
                why = f"nothing can follow it: {error}"
                wrong = Wrong(LEGAL, why, "an event", event_text(event))
                self._report(record, state, wrong, tracks=False)
            if isinstance(event, rolled.RollEventBase) and not (
                isinstance(event, rolled.RollDeclared) and event.roll in state.rolls
            ):
                self._broken.add(event.roll)
            self._undisclosed.lost(entry.seq)
            self._replay.pass_over(entry)
        if isinstance(event, rolled.RollDeclared):
            self._replay.set_highest_roll(highest + 1)  # one more, whatever its own number
        if isinstance(event, tabled.EntryErased):
            self._undisclosed.erased(event.seq)
        if isinstance(event, rolled.RollRevealed):
            self._deferred.revealed(event.roll)

    def _count(self, event: Event) -> None:
        self._judged_so_far += 1
        self._findings.checked(LEGAL)
        taken = isinstance(event, rolled.DiceRolled) and event.taken is not None
        if taken or type(event) in RULED:
            self._findings.checked(RULES)
