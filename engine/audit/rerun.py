"""Every command of a log decided again by the engine itself, on the table before it.

What was asked is in the log. It is decided under the rules that the table names, with the dice of
the log, and must lead to exactly the entries of its commit: who may do what, with which dice, how
many and how often, and every number that follows. urimcheck has proved the throws before.

A command is decided on the table before its commit. The table then follows the entries as they are,
wrong ones too, as far as a table can: a later entry is judged by what the log says.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

from msgspec import to_builtins
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import Event, RecordedEvent
from ...events.entry import TEXTS
from ...projections.hidden import ALWAYS_OPEN
from ...projections.rollstate import Game, RollState, game
from ...projections.tables import Rulesets, TableState, pass_over
from ...rules.ruleset import Ruleset
from ...rules.versions import as_of
from ..core import commands
from ..core.commands import AnyCommand
from ..core.decide import Draft
from ..core.decide_table import CORES
from ..core.parse import read_as
from ..core.rerun import Done, FallenAway, Logged, decided_again
from ..verifier import urimcheck
from .commits import Commit, Line, commits_of
from .deferred import Finding, Undisclosed
from .difference import Wrong, difference, event_text, refused
from .replay import (
    Unfollowable,
    Watched,
    error_text,
    followed,
    opened,
    overheard,
    with_shares,
)
from .report import Remark, Rules, Verdict
from .stated import Stated

LOOKING_BACK = (commands.Amend, commands.Replace, commands.Rule)
"""Commands decided on the tracks as they were when the roll was declared."""

GRAVE = ("malformed", "out-of-range", "too-long", "too-many")
"""Refusals of a declaration after which the rules do not compute its roll: it may have a million
dice."""

RIGHT = -1
"""The entry that is wrong in a commit that was decided again and is right."""

NO_READINGS: Mapping[str, Any] = MappingProxyType({})
"""No reading has another value than the log says."""

CLASSES = {True: "hidden", False: "open"}

UNPUBLISHED = "64 hex digits"
"""What is shown where a commitment or an opened seed must be, and none is."""


def run(proof: urimcheck.Report, rulesets: Rulesets) -> Rules:
    """Whether a bundle that urimcheck has read was played by the rules of its table."""
    judge = Rerun(rulesets)
    for commit in commits_of(proof):
        judge.take(commit)
    return judge.end()


class Rerun:
    """The judgement of every commit by the rules, one after another.

    `readings` have these values from the opening on, whatever the log says of them: by others it
    can be asked what would come out otherwise. Raises Refused, when the table is opened, for one
    that its system does not know.
    """

    def __init__(self, rulesets: Rulesets, readings: Mapping[str, Any] = NO_READINGS) -> None:
        self._rulesets = rulesets
        self._readings = readings
        self._state: TableState | None = None
        self._system = ""
        self._why = "the log does not begin with the opening of a table"
        self._undisclosed = Undisclosed()
        self._findings: list[Finding] = []
        self._stated = Stated()
        self._commands: dict[int, AnyCommand] = {}
        self._next = 0
        self._room = 0  # rolls that may have been declared, undisclosed, since the last one
        self._broken: set[int] = set()
        self._decided = self._hidden = 0

    def take(self, commit: Commit) -> None:
        """Judge one more commit, then follow it."""
        first = commit.first
        missing = first.entry.seq - self._next
        if missing > 0:
            self._undisclosed.note("missing", self._next)
            self._room += missing
        self._next = commit.last + 1
        state = self._state
        event: Any = first.record.event if first.record is not None else None
        given = isinstance(event, tabled.ReadingSet) and event.name in self._readings
        if state is None and first.entry.seq == 0 and first.record is not None:
            self._open(commit, first.record)
        elif state is not None and given:
            self._state = pass_over(state, first.entry)
        elif state is not None:
            wrong_at = self._judge(commit, state)
            for line in commit.lines:
                self._follow(line, wrong_at)
        text = None if commit.text is first else commit.text
        if text is not None and self._state is not None:
            self._follow(text, RIGHT)

    @property
    def system(self) -> Ruleset | None:
        """The rules that the table goes by; None where they are not known here."""
        return None if self._state is None else self._state.game.ruleset

    @property
    def wrong(self) -> Iterator[tuple[Finding, Remark]]:
        """What seems wrong so far, each with what is to be said of it, as it came."""
        return zip(self._findings, self._undisclosed.decided(self._findings), strict=True)

    def end(self) -> Rules:
        """What was found, with what only the end shows."""
        remarks = [remark for _, remark in self.wrong]
        if self._state is not None:
            remarks += self._stated.end(self._state)
        elif not remarks:
            remarks.append(Remark("unchecked", self._why, 0))
        words = {each.word for each in remarks}
        verdict: Verdict = "sealed" if self._hidden else "pass"
        if "unchecked" in words:
            verdict = "unchecked"
        if "wrong" in words:
            verdict = "fail"
        remarks.sort(key=lambda each: each.seq or 0)
        state = self._state
        called = {} if state is None else {seat: state.name_of(seat) for seat in state.seats}
        names = {seat: name for seat, name in sorted(called.items()) if name != seat}
        return Rules(self._system, verdict, self._decided, self._hidden, tuple(remarks), names)

    def _find(
        self, seq: int, wrong: Wrong, roll: int | None = None, *, tracks: bool = False
    ) -> None:
        self._findings.append(Finding(seq, wrong, roll, tracks))

    # --- the opening ------------------------------------------------------------------------------

    def _open(self, commit: Commit, record: RecordedEvent) -> None:
        """The opening of the table: the rules are those that it names, if they are known here."""
        self._system, self._why = rules_of(record.event, self._rulesets)
        if self._why:
            return
        self._judge(commit, None)
        try:
            state = opened(record, self._rulesets)
        except Unfollowable as error:
            self._find(record.seq, Wrong(f"the table cannot be opened: {error}", firm=True))
            return
        for name, value in self._readings.items():
            state = replace(state, game=with_reading(state.game, name, value))
        self._state = state

    # --- what was asked, decided again ------------------------------------------------------------

    def _judge(self, commit: Commit, state: TableState | None) -> int | None:
        """Judge what a commit discloses; the entry that is wrong, RIGHT, or None: not decided."""
        first, command = commit.first, commit.command
        for line in (*commit.lines, *([commit.text] if commit.text else [])):
            if line.wrong is not None:
                self._find(line.entry.seq, line.wrong)
        if commit.wrong is not None:
            self._find(first.entry.seq, commit.wrong)
        if first.record is None or command is None:
            return None
        events = commit.events
        if state is not None and self._unjudgeable(state, events):
            return None
        self._decided += len(events)
        watched = None
        if state is not None and self._undisclosed.of_tracks is not None:
            watched = Watched(state.tracks)
        before = None if state is None else self._before(state, command, commit, watched)
        self._commands[first.entry.seq] = command
        wrong = self._wrong(commit, command, before, events)
        if wrong is None:
            return RIGHT
        line, why = wrong
        looked = isinstance(command, LOOKING_BACK) or (watched is not None and watched.read)
        # What an entry erases may be missing, where entries are.
        looked |= isinstance(command, commands.Erase) and "missing" in self._undisclosed.firsts
        self._report(line, state, why, tracks=looked and not why.firm)
        return line.entry.seq

    def _before(
        self, state: TableState, command: AnyCommand, commit: Commit, watched: Watched | None
    ) -> TableState:
        """The table that a command is decided on."""
        for event in commit.events:
            # What a ruling has declared again may not be disclosed.
            instead = event.instead if isinstance(event, ruling.RulingMade) else None
            number = event.roll if isinstance(event, rolled.RollDeclared) else instead
            if number is not None:
                # Rolls not disclosed have numbers too: as many as may have been declared meanwhile.
                if 0 < number - state.next_roll <= self._room:
                    state = self._state = replace(state, last_roll=number - 1)
                self._room = 0
        if "missing" in self._undisclosed.firsts:
            state = with_shares(state, commit.records)
        if watched is None or isinstance(command, LOOKING_BACK):
            return state
        return replace(state, tracks=cast(Any, watched))

    def _wrong(
        self,
        commit: Commit,
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
                command_at=self._commands.__getitem__,
            )  # fmt: skip
            if isinstance(ending, Done):
                return next(self._unlike(commit, ending.drafts), None)
        except Exception as error:  # noqa: BLE001 (a forged entry may break a system's code)
            why = f"the rules cannot follow it: {error_text(error)}"
            return first, Wrong(why, "an event that the rules lead to", event_text(event))
        if isinstance(ending, FallenAway):
            if isinstance(event, rolled.RollDeclared) and ending.refused.code in GRAVE:
                self._broken.add(event.roll)
            return first, refused(ending.refused, event)
        wanted = f"{ending.die} in throw {ending.throw} of roll {ending.roll}"
        return first, Wrong("other dice than were offered", wanted, event_text(event))

    def _unlike(self, commit: Commit, drafts: tuple[Draft, ...]) -> Iterator[tuple[Line, Wrong]]:
        """Where the lines of a commit are not what its command leads to."""
        left = list(drafts)
        partly = any(line.record is None for line in commit.lines)
        for line in commit.lines:
            draft = left[0] if left else None
            if line.record is None:  # hidden, and perhaps of a roll that is not known here
                del left[: draft is not None and draft.hidden]
                continue
            event, kind = line.record.event, line.entry.kind
            if draft is None:
                why = "what was asked does not lead to this"
                yield line, Wrong(why, "no entry", event_text(event))
                return
            del left[0]
            wanted = CLASSES[draft.hidden]
            found = difference(*self._comparable(draft.event, event))
            if found is None and wanted != kind:
                found = Wrong("the entry is sealed in the wrong class", wanted, kind, firm=True)
            if found is not None:
                yield line, found
        for draft in left:
            if not (partly and draft.hidden):
                why = "what was asked leads to one more entry"
                yield commit.lines[-1], Wrong(why, event_text(draft.event), "none")

    def _comparable(self, wanted: Event, found: Event) -> tuple[Event, Event]:
        """The two events; of epochs what can be known here, where there are hidden rolls."""
        epochs = isinstance(wanted, tabled.EpochBegun) and isinstance(found, tabled.EpochBegun)
        if not epochs or not self._undisclosed.firsts:
            return wanted, found
        return self._of_known_rolls(wanted), self._of_known_rolls(found)

    def _of_known_rolls(self, event: Any) -> Event:
        state = self._state
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
        if isinstance(event, rolled.ShareOpened) and event.roll in state.rolls:
            roll = state.rolls[event.roll]
            return bool(self._undisclosed.firsts) and _without_plan(roll, event.throw)
        return isinstance(event, ALWAYS_OPEN) and self._may_be_hidden(state, event.roll)

    def _may_be_hidden(self, state: TableState, number: int) -> bool:
        """Whether there may be a roll of that number that this file does not disclose."""
        within = 0 < number < state.next_roll + self._room
        return bool(self._undisclosed.firsts) and within and number not in state.rolls

    def _report(self, line: Line, state: TableState | None, wrong: Wrong, *, tracks: bool) -> None:
        number = None if state is None or line.record is None else self._rests_on(line.record)
        roll = None if number is None or state is None else state.rolls.get(number)
        unsure = (
            roll.hidden if roll else bool(number and state and self._may_be_hidden(state, number))
        )
        self._find(line.entry.seq, wrong, number if unsure else None, tracks=tracks)

    def _rests_on(self, record: RecordedEvent) -> int | None:
        """The roll whose earlier entries decide about an event."""
        event, state = record.event, self._state
        if isinstance(event, rolled.RollDeclared):
            return event.follows[0] if event.follows else None
        if isinstance(event, (tabled.Noted, tabled.EntryErased)) and state is not None:
            about = event.about if isinstance(event, tabled.Noted) else event.seq
            return state.entry_rolls.get(about)
        if isinstance(event, tabled.CharacterRemoved) and state is not None:
            # Who takes part in a blind roll is not told that it ended.
            open_ = (roll for roll in state.open_rolls() if roll.hidden)
            return next((roll.number for roll in open_ if roll.visibility == "blind"), None)
        return event.roll if isinstance(event, rolled.RollEventBase) else None

    # --- following --------------------------------------------------------------------------------

    def _follow(self, line: Line, wrong_at: int | None) -> None:
        entry, record, state = line.entry, line.record, self._state
        if state is None:
            return
        if record is None:
            if entry.kind not in TEXTS:  # a text changes nothing
                self._undisclosed.note("withheld", entry.seq)
                self._room += 1
                self._hidden += 1
            self._state = pass_over(state, entry)
            return
        event = record.event
        if self._is_undisclosed(state, event):
            after = overheard(state, entry, record)
            if isinstance(event, (rolled.RollDeclared, rolled.RollRevealed)):
                self._undisclosed.note("lost", entry.seq)  # what it costs counts now
        else:
            after = self._folded(line, state, record, wrong_at)
            if isinstance(event, rolled.RollRevealed):
                self._undisclosed.revealed.add(event.roll)
        if isinstance(event, rolled.RollDeclared):  # one more, whatever its own number
            after = replace(after, last_roll=state.next_roll)
        self._state = after

    def _folded(
        self, line: Line, state: TableState, record: RecordedEvent, wrong_at: int | None
    ) -> TableState:
        """The table after an entry, which is passed over where no table can follow it."""
        event = record.event
        try:
            after = followed(state, record, self._rulesets, decided=wrong_at == RIGHT)
        except Unfollowable as error:
            if wrong_at != record.seq:
                wrong = Wrong(f"nothing can follow it: {error}", "an event", event_text(event))
                self._report(line, state, wrong, tracks=False)
            declared = isinstance(event, rolled.RollDeclared) and event.roll in state.rolls
            if isinstance(event, rolled.RollEventBase) and not declared:
                self._broken.add(event.roll)
            self._undisclosed.note("lost", record.seq)
            return pass_over(state, line.entry)
        self._stated.take(state, record)
        return after


def _without_plan(roll: RollState, throw: int) -> bool:
    """Whether a throw has no plan here: who throws in a blind roll sees none, but opens a share."""
    plans = (each.event for each in roll.trail if isinstance(each.event, rolled.ThrowPlanned))
    return roll.visibility == "blind" and all(plan.throw != throw for plan in plans)


def with_reading(known: Game, name: str, value: Any) -> Game:
    """The rules with another value of a reading. Raises Refused, naming what is allowed."""
    options = {**to_builtins(known.options), name: value}
    return game(known.ruleset, read_as(options, known.ruleset.Options))


def rules_of(event: Event, rulesets: Rulesets) -> tuple[str, str]:
    """The rules that a table's opening names, and why they cannot be run here, if they cannot."""
    if not isinstance(event, tabled.TableOpened):
        return "", "the log does not begin with the opening of a table"
    system = f"{event.ruleset}, version {event.version}"
    try:
        as_of(rulesets(event.ruleset), event.version)
    except Refused as error:
        return system, f"the rules are not known here: {error.why}"
    if event.core not in CORES:
        known = f"here it is {' or '.join(map(str, CORES))}"
        return system, f"what commands lead to is of version {event.core}, {known}"
    return system, ""
