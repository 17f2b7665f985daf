"""A story is a history's commands with the faces that fell; the shortest that breaks a law.

Commands are dropped while the rest, replayed, still breaks the law: whole rolls first, then ever
fewer commands at once. A command that is refused where others are missing drops out by itself, and
rolls get the numbers that they have then. What is left is written as a scenario.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain
from time import process_time
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ....errors import Refused
from ....events import roll as rolled
from ....events.base import JSON, Face, Thrown
from ....projections.tables import TableState
from ...core import commands
from ...core.aggregate import Environment, environment
from ...core.commands import AnyCommand, Asking, apart
from ...core.fitting import fitting
from ...core.limits import LABEL, TEXT
from ...core.sources import TYPED, Seeded, ThrowRequest
from ...scenario.export import as_toml
from ...scenario.steps import step_of
from ...scenario.write import scenario_of
from .acting import Asked, note_acting
from .laws import hold
from .luck import Luck
from .play import History
from .readings import others
from .trial import Declared, LawBroken, Moment, Report, Trial, lawful

SECONDS = 8.0
"""Seconds of a processor for which a shorter story is looked for, at most."""

TRIED = 3
"""Other values of readings that are tried at each command of a history, drawn."""


class Line(Struct, frozen=True):
    """One command of a story: the seat, what it asks, and the number its roll had."""

    seat: str
    asking: Asking
    number: int = 0

    @property
    def command(self) -> AnyCommand:
        """The command without its text."""
        return apart(self.asking)[0]


class Recorded(History):
    """A history that remembers its commands, each throw with the faces that fell.

    `pending` is the command that was never answered, `refused` the last one that was. `end` is
    where the commands of a story end, once it was replayed to there.
    """

    def __init__(self, trial: Trial, seed: str, options: JSON, report: Report) -> None:
        self.seed = seed
        self.options = options
        self.lines: list[Line] = []
        self.pending: Line | None = None
        self.refused: Line | None = None
        self.end: int | None = None
        super().__init__(trial, seed, options, report)

    def _tried(self, before: TableState) -> Iterable[tuple[str, Any, Any]]:
        """The other values of readings to try at a command: some, for each takes a decision."""
        every = list(others(self, before.game.options))
        return Luck(f"{self.seed} {before.size}").some_of(every, TRIED)

    def submit(self, seat: str, command: Asking) -> None:
        """Do what a seat asks, and remember it unless it is refused. Raises Refused."""
        size, before = len(self.aggregate.entries), self.aggregate.state
        self.pending = Line(seat, command, self._number(before, command))
        try:
            super().submit(seat, command)
        except Refused:
            self.refused, self.pending = self.pending, None
            raise
        line, self.pending = self.pending, None
        records = self.aggregate.records[size:]
        thrown = [each.event for each in records if each and isinstance(each.event, THROWN)]
        if thrown and thrown[0].proof is not None:
            faces = tuple(die.face for die in thrown[0].dice)
            line = replace(line, asking=replace(line.command, faces=faces))
        self.lines.append(line)
        if before is not None and records and line.number:
            asked = Asked(before, seat, apart(command)[0])
            with lawful(self.story):
                note_acting(self, asked, line.number, self._tried(before))

    @staticmethod
    def _number(before: TableState | None, asking: Asking) -> int:
        """The number of the roll that a command is about, or declares."""
        command = apart(asking)[0]
        if isinstance(command, commands.Declare) and before is not None:
            return len(before.rolls) + 1
        return int(getattr(command, "roll", 0))


THROWN = (rolled.DiceRolled, rolled.DiceRerolled)


class Falling:
    """Dice named `scripted` that fall as a story says; where it says nothing, by its seed."""

    name = "scripted"

    def __init__(self, seed: str) -> None:
        self._seeded = Seeded(sha256(seed.encode()).hexdigest())

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """Nothing is committed to."""
        return None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """There is no seed."""
        return None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], rolled.Proof]:
        """The faces that were typed, or others."""
        if request.typed is None:
            dice, _ = self._seeded.throw(request)
            faces: tuple[Face, ...] = tuple(die.face for die in dice)
            request = replace(request, typed=faces)
        return TYPED[self.name].throw(request)


# --- a story replayed -----------------------------------------------------------------------------


class Replayed(Recorded):
    """A story played again, without what is refused; `unfinished` rolls are brought to an end."""

    def __init__(
        self, trial: Trial, seed: str, options: JSON, story: Sequence[Line], *, finish: bool
    ) -> None:
        self.given = story
        self.finish = finish
        super().__init__(trial, seed, options, Report())

    @staticmethod
    def _environment(seed: str) -> Environment:
        """Scripted dice, which fall as the story says."""
        return replace(environment("scripted"), source=Falling(seed))

    def _tried(self, before: TableState) -> Iterable[tuple[str, Any, Any]]:
        """Every other value of every reading: the story is short."""
        return others(self, before.game.options)

    def _seated(self) -> None:
        """Who sits down is in the story."""

    @property
    def kept(self) -> tuple[Line, ...]:
        """The commands of the story that are needed, with the one that was never answered."""
        made = self.lines[1 : self.end]  # behind the one that opens the table
        return (*made, self.pending) if self.pending is not None and self.end is None else (*made,)

    def play(self) -> Iterator[Moment]:
        """Every moment of the story."""
        numbers: dict[int, int] = {}
        for line in self.given:
            if self._one(line, numbers) and line.number:
                yield self._now(numbers[line.number])
        self.end = len(self.lines)
        for roll in self._rolls() if self.finish else ():
            # Not yielded: the other laws hold here, and to check them takes most of the time.
            deque(chain(self._finish(roll.number), self._go_on(roll.number)), maxlen=0)

    def _one(self, line: Line, numbers: dict[int, int]) -> bool:
        """Whether a command is accepted. A refusal of what is offered breaks a law."""
        asking, before = line.asking, self.state
        if isinstance(asking, commands.Declare):
            if asking.follows is not None:
                if asking.follows[0] not in numbers:
                    return False
                asking = replace(asking, follows=(numbers[asking.follows[0]], asking.follows[1]))
            numbers[line.number] = len(self.state.rolls) + 1
        elif line.number:
            if line.number not in numbers:
                return False
            asking = _numbered(asking, numbers[line.number])
        try:
            self.submit(line.seat, asking)
        except Refused as error:
            if isinstance(asking, commands.Declare):
                del numbers[line.number]
            else:
                self._must_not_be_offered(line, asking, error)
            return False
        if isinstance(asking, commands.Declare):
            self._note_declared(before, asking)
        return True

    def _note_declared(self, before: TableState, command: commands.Declare) -> None:
        self.declared.append(Declared(before, command.declaration, len(self.state.rolls)))

    def _must_not_be_offered(self, line: Line, asking: Asking, error: Refused) -> None:
        command = apart(asking)[0]
        if not isinstance(command, OFFERED):
            return
        roll = self.state.rolls[command.roll]
        try:
            fitting(self.offers(roll), command, roll)
        except Refused:
            return
        self.pending = replace(line, asking=asking)
        raise LawBroken("fits", f"{command} is offered, but {error}", self.story)


OFFERED = (
    commands.RollDice,
    commands.Freeze,
    commands.Reroll,
    commands.Adjust,
    commands.Choose,
    commands.Resolve,
    commands.ApplyDamage,
)


def _numbered(asking: Any, number: int) -> Any:
    if isinstance(asking, commands.Worded):
        return replace(asking, command=replace(asking.command, roll=number))
    return replace(asking, roll=number)


# --- the shortest story ---------------------------------------------------------------------------

AFTERWARDS = ("goes-on", "reaches")
"""Laws that are seen broken only when a story is brought to its end."""


def shortest(history: Recorded, broken: LawBroken) -> LawBroken:
    """The same law broken by the shortest story found, with a scenario of it.

    Where the story, replayed, breaks another law or none, it stays as it was.
    """
    search = Search(history, broken.law)
    last = history.pending or (history.refused if broken.law == "fits" else None)
    if not search.breaks((*history.lines[1:], *filter(None, [last])), history.options):
        scenario = written(history, broken)
        return LawBroken(broken.law, broken.why, broken.story, scenario)
    search.shorten()
    found, replayed = search.found, search.replayed
    story = found.story if replayed.end is None else replayed.story[: 1 + replayed.end]
    return LawBroken(found.law, found.why, story, written(replayed, found), len(broken.story))


class Search:
    """Ever shorter stories that break one law, until none is left to try or time is up."""

    def __init__(self, history: Recorded, law: str) -> None:
        self.trial = history.trial
        self.seed = history.seed
        self.law = law
        self.until = process_time() + SECONDS
        self.options: JSON = {}
        self.story: tuple[Line, ...] = ()
        self.replayed: Recorded = history
        self.found = LawBroken(law, "")

    def breaks(self, story: Sequence[Line], options: JSON) -> bool:
        """Whether the story breaks the law too; then it is the shortest so far."""
        if process_time() > self.until:
            return False
        finish = self.law in AFTERWARDS
        try:
            replayed = Replayed(self.trial, self.seed, options, story, finish=finish)
        except (LawBroken, Refused):
            return False  # the table could not be opened
        try:
            hold(replayed)
        except LawBroken as found:
            if found.law == self.law:
                self.story, self.options = replayed.kept, options
                self.replayed, self.found = replayed, found
                return True
        return False

    def shorten(self) -> None:
        """Without whole rolls, then commands, then keys of what is declared, then options."""
        self._without_rolls()
        self._without_commands()
        if self._without_keys():
            self._without_commands()
        for name in tuple(self.options):
            less = {key: value for key, value in self.options.items() if key != name}
            self.breaks(self.story, less)

    def _without_rolls(self) -> None:
        """The latest first: others may follow it."""
        for number in sorted({line.number for line in self.story if line.number}, reverse=True):
            self.breaks([line for line in self.story if line.number != number], self.options)

    def _without_commands(self) -> None:
        """Half of them at once, then ever fewer, the latest first."""
        size = max(1, len(self.story) // 2)
        while size:
            at = len(self.story)
            while at > 0:
                start = max(0, at - size)
                self.breaks((*self.story[:start], *self.story[at:]), self.options)
                at = min(start, len(self.story))
            size //= 2

    def _without_keys(self) -> bool:
        """Whether a declaration can do with fewer fields."""
        shorter = False
        for at, line in enumerate(self.story):
            command = line.command
            if not isinstance(command, commands.Declare):
                continue
            for name in command.declaration:
                kept = {k: v for k, v in command.declaration.items() if k != name}
                less = replace(command, declaration=kept)
                found = replace(line, asking=less)
                if self.breaks((*self.story[:at], found, *self.story[at + 1 :]), self.options):
                    command, shorter = less, True
        return shorter


# --- written as a scenario ------------------------------------------------------------------------


def written(history: Recorded, broken: LawBroken) -> str | None:
    """The story as a scenario that plays up to where the law is broken; None where none can be.

    A command that the system then refuses is its last step, and says so; one at which it fails
    otherwise is named in `about`.
    """
    aggregate = history.aggregate
    end = history.end
    entries = aggregate.entries
    if end is not None:
        commits = sorted({entry.commit for entry in entries})
        entries = [entry for entry in entries if entry.commit in commits[:end]]
    about = [f"{broken.law}: {broken.why}"]
    try:
        document = scenario_of(entries, rulesets=aggregate.environment.rulesets)
        if history.pending is not None and end is None:
            last = _step(history, history.pending)
            if last:
                document.setdefault("step", []).append(last)
            else:
                about.append(f"Then {history.pending.seat} asks: {history.pending.command}")
    except Exception:  # noqa: BLE001 - a broken system may fail in any way; its law is the message
        return None
    document["about"] = ". ".join(about)[:TEXT]
    document["title"] = f"{history.trial.ruleset.title} breaks a law: {broken.law}"[:LABEL]
    if "expect" in document:
        document["expect"] = document.pop("expect")  # the last of the tables, as TOML needs it
    return as_toml(document)


def _step(history: Recorded, line: Line) -> dict[str, Any] | None:
    """The step of a command that is refused, with its code; None for one that fails otherwise."""
    aggregate = history.aggregate
    command, text = apart(line.asking)
    step = step_of(history.state, line.seat, command, text.text if text else None)
    try:
        aggregate.prepare(line.seat, aggregate.body(command), text=text)
    except Refused as error:
        return {**step, "refused": error.code}
    except Exception:  # noqa: BLE001 - whatever it is: what was asked is named instead
        return None
    return step
