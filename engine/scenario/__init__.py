"""A scenario is a whole table in a TOML file: characters, steps, dice, and what is expected.

Scenarios are the fixtures, the demonstration and the documentation of every system. A step is a
command: `do` names it, `as` names the character that acts (or `by` the seat), `of` the roll's
number (by default the latest), `wait` the seconds that pass before; the other keys are the
command's own. A step may hold what it expects (`expect`) and the code that it is refused with
(`refused`); the table `[expect]` at the end checks characters by name.

What a step expects is about its roll as it is then: `state`, `throws`, the `faces` and the `frozen`
dice of its hand, and whatever was announced: `degree`, `margin`, `amount`, `readings`, the figures.
A step that is refused leaves its roll as it was, and may expect that.

Before a throw at level `table` every seat's nonce is given, unless earlier steps bind the nonce, or
the throw names one or expects to be refused.
"""

import tomllib
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from ...errors import Refused
from ...events.base import JSON, Level, Role
from ...events.entry import Entry
from ...events.log.protocol import Appended, EventLog
from ...events.table import EntryErased
from ...projections.automaton import state_named
from ...projections.outcomes import so_far
from ...projections.tables import Rulesets, TableState
from ...rules import ruleset_named
from ..core.aggregate import Aggregate, environment, table_id
from ..core.commands import (
    Command,
    EnterCharacter,
    OpenTable,
    Reroll,
    RollDice,
    TakeSeat,
    apart,
)
from ..core.limits import NARRATOR, TEXT, Id, Label, Number, Rating, TableId, Word
from ..core.parse import read_as
from ..table.shares import Shares, turns
from .steps import step_command

SIZE = 1_000_000
"""Bytes of a scenario file, at most."""

DEPTH = 32
"""Tables within tables in a scenario, at most; short keys with many dots would nest thousands."""


# --- the file -------------------------------------------------------------------------------------


STORIES = resources.files(__name__) / "stories"
"""What comes with Urim: a story for each system."""


class SeatLine(Struct, frozen=True, forbid_unknown_fields=True):
    """`[[seat]]`: a seat beside the narrator's, with the name of who sits there."""

    id: Id
    name: Label | None = None
    role: Role = "player"


class CharacterLine(Struct, frozen=True, forbid_unknown_fields=True):
    """`[[character]]`: a character on a seat of its own (p1, p2 …) unless one is named."""

    name: Label
    attributes: dict[Word, Rating] = {}
    tracks: dict[Word, Number] = {}
    seat: Id | None = None


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario as its file has it; `steps` and `expect` are parsed when they are played."""

    title: Label
    system: Label
    dice: Label = "scripted"
    about: Annotated[str, Meta(min_length=1, max_length=TEXT)] | None = None
    table: TableId | None = None
    level: Level = "player"
    options: JSON = {}
    seats: tuple[SeatLine, ...] = field(default=(), name="seat")
    characters: tuple[CharacterLine, ...] = field(default=(), name="character")
    steps: tuple[dict[str, Any], ...] = field(default=(), name="step")
    expect: dict[str, dict[str, Any]] = {}


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file. Raises Refused for a file that cannot be read or is no scenario."""
    try:
        with path.open("rb") as file:
            data = file.read(SIZE + 1)  # never more: it may be a device that does not end
        if len(data) > SIZE:
            raise Refused(
                "too-long", f"{path} has more than {SIZE} bytes", allowed=[f"{SIZE} bytes"]
            )
        text = data.decode("utf-8")
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Refused("unreadable", f"{path} is not a text in UTF-8: {error}") from error
    return parse_scenario(text, str(path))


def parse_scenario(text: str, name: str = "the scenario") -> Scenario:
    """The scenario in a text. Raises Refused naming what is wrong with it."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused("unreadable", f"{name} is not TOML: {error}") from error
    _as_json(found, name)
    return read_as(found, Scenario)


def _as_json(found: dict[str, Any], name: str) -> None:
    """Refuse what commands, which are JSON, cannot carry: infinite numbers, deep nesting."""
    level: list[Any] = [found]
    for _ in range(DEPTH):
        level = [item for each in level for item in _inside(each)]
        infinite = [each for each in level if isinstance(each, float) and not isfinite(each)]
        if infinite:
            raise Refused("malformed", f"{name} holds {infinite[0]}", allowed=["finite numbers"])
    if level:
        raise Refused("malformed", f"{name} is nested too deep", allowed=[f"{DEPTH} levels"])


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of steps that are done, and that of all steps."""


# --- the play -------------------------------------------------------------------------------------


class Failure(Struct, frozen=True):
    """An expectation that did not hold; `step` counts from 1, and is 0 at the end."""

    step: int
    what: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where = f"step {self.step}" if self.step else "at the end"
        return f"{where}: {self.what} should be {self.expected!r}, is {self.found!r}"


class Played(Struct, frozen=True):
    """One step as it went: the entries it added, the table after it, the refusal it met."""

    number: int
    step: Mapping[str, Any]
    seat: str
    command: Command
    state: TableState
    entries: tuple[Entry, ...] = ()
    refused: Refused | None = None


class Play(Struct, frozen=True):
    """A scenario played to its end."""

    scenario: Scenario
    aggregate: Aggregate
    steps: tuple[Played, ...]
    failures: tuple[Failure, ...]


DAY = 86_400
"""Seconds that a step waits, at most."""


class Clock:
    """A clock that steps can move forward, in milliseconds, over another clock.

    The time that a step waited is kept even if the step is refused and leaves no entry.
    """

    def __init__(self, usual: Callable[[TableState | None], int]) -> None:
        self._usual = usual
        self._earliest = 0

    def __call__(self, state: TableState | None) -> int:
        return max(self._usual(state), state.at if state else 0, self._earliest)

    def wait(self, step: Mapping[str, Any], state: TableState) -> None:
        """Let the seconds pass that a step waits before its command. Raises Refused."""
        seconds = step.get("wait", 0)
        if type(seconds) is not int:
            raise Refused("malformed", f"`wait` is a number of seconds, not {seconds!r}")
        if not 0 <= seconds <= DAY:
            raise Refused("out-of-range", f"`wait` is {seconds}", allowed=[f"0 to {DAY} seconds"])
        if seconds:
            self._earliest = self(state) + seconds * 1_000


async def play(
    scenario: Scenario,
    log: EventLog,
    *,
    rulesets: Rulesets = ruleset_named,
    progress: Progress | None = None,
) -> Play:
    """Play a scenario on a log; a commit is appended there before the table keeps it.

    `rulesets` finds the system that the scenario names: by default one that is installed.
    `progress` is called after every step. Raises Refused where a step is refused that does not
    expect it, or is no command.
    """
    usual = environment(scenario.dice)
    clock, shares = Clock(usual.clock), Shares()
    aggregate = Aggregate(replace(usual, clock=clock, rulesets=rulesets))
    await _seat_everybody(scenario, aggregate, log)
    steps: list[Played] = []
    failures: list[Failure] = []
    for number, step in enumerate(scenario.steps, 1):
        with _located(number):
            clock.wait(step, aggregate.opened)
            played = await _step(number, step, aggregate, log, shares)
        steps.append(played)
        failures.extend(_failures(played, aggregate))
        if progress is not None:
            progress(number, len(scenario.steps))
    failures.extend(_final(scenario, aggregate.opened))
    return Play(scenario, aggregate, tuple(steps), tuple(failures))


async def _commit(
    aggregate: Aggregate, log: EventLog, seat: str, command: Command, words: str | None = None
) -> tuple[Entry, ...]:
    asked, text = apart(aggregate.worded(command, words))
    prepared = aggregate.prepare(seat, aggregate.body(asked), text=text)
    if prepared.entries:
        answer = await log.append(prepared.state.id, prepared.entries, len(aggregate.entries), None)
        if not isinstance(answer, Appended):
            raise Refused(
                "taken", f"table {prepared.state.id!r} is in use", allowed=["another log"]
            )
        aggregate.keep(prepared)
        for entry in prepared.entries:
            await _erase(aggregate, log, entry.seq)
    return prepared.entries


async def _erase(aggregate: Aggregate, log: EventLog, seq: int) -> None:
    """Erase from the log the text that an entry erases."""
    record = aggregate.records[seq]
    if record is not None and isinstance(record.event, EntryErased):
        await log.erase(aggregate.opened.id, record.event.seq)


async def _seat_everybody(scenario: Scenario, aggregate: Aggregate, log: EventLog) -> None:
    id = scenario.table or table_id(scenario.dice)
    source = aggregate.environment.source.name
    opening = OpenTable(
        id,
        *(scenario.system, scenario.options, source, scenario.level),
        one_machine=source == "fair" and not _at_level_table(scenario),
    )
    await _commit(aggregate, log, NARRATOR, opening)
    for seat in scenario.seats:
        await _commit(aggregate, log, NARRATOR, TakeSeat(seat.id, seat.role), seat.name)
    for number, who in enumerate(scenario.characters, 1):
        owner = who.seat or f"p{number}"
        if owner not in aggregate.opened.seats:
            await _commit(aggregate, log, NARRATOR, TakeSeat(owner))
        entering = EnterCharacter(f"c{number}", owner, who.attributes, who.tracks)
        await _commit(aggregate, log, NARRATOR, entering, who.name)


def _at_level_table(scenario: Scenario) -> bool:
    """Whether some throw is to be at level `table`, as if others played the seats."""
    levels = (scenario.level, *(step.get("level") for step in scenario.steps))
    return "table" in levels


async def _step(
    number: int, step: Mapping[str, Any], aggregate: Aggregate, log: EventLog, shares: Shares
) -> Played:
    seat, command, words = step_command(aggregate.opened, step, shares)
    entries: tuple[Entry, ...] = ()
    try:
        if isinstance(command, (RollDice, Reroll)) and not step.keys() & {"nonce", "refused"}:
            for other, turn in turns(lambda: aggregate.opened, seat, command, shares):
                entries += await _commit(aggregate, log, other, turn)
        else:
            entries = await _commit(aggregate, log, seat, command, words)
    except Refused as error:
        if "refused" not in step:
            raise
        return Played(number, step, seat, command, aggregate.opened, refused=error)
    return Played(number, step, seat, command, aggregate.opened, entries)


@contextmanager
def _located(number: int) -> Generator[None]:
    """Put the number of its step into a refusal."""
    try:
        yield
    except Refused as error:
        raise error.reworded(f"step {number}: {error.why}") from error


# --- what was expected ----------------------------------------------------------------------------


def _failures(played: Played, aggregate: Aggregate) -> list[Failure]:
    wanted = played.step.get("refused")
    code = played.refused.code if played.refused else None
    failures = [Failure(played.number, "refused", wanted, code)] if wanted != code else []
    facts = _facts(played, aggregate)
    expected = played.step.get("expect", {})
    if not isinstance(expected, dict):
        raise Refused("malformed", f"step {played.number}: `expect` is a table, not {expected!r}")
    if "state" in expected:
        with _located(played.number):
            state_named(expected["state"])
    failures += [
        Failure(played.number, name, value, facts.get(name))
        for name, value in expected.items()
        if facts.get(name) != value
    ]
    return failures


def _facts(played: Played, aggregate: Aggregate) -> dict[str, Any]:
    """The facts that a step may expect: outcome so far, then damage, figures, faces, the state."""
    number = getattr(played.command, "roll", len(aggregate.opened.rolls))
    roll = aggregate.opened.rolls.get(number)
    if roll is None:
        return {}
    facts: dict[str, Any] = {"throws": roll.throws}
    hand = roll.roll.hand(getattr(played.command, "hand", ""))
    if hand:
        facts["faces"] = [die.face for die in hand.dice]
        facts["frozen"] = [die.id for die in hand.dice if die.frozen]
    for announced in (so_far(aggregate.opened.game, roll), roll.damage):
        for name in ("figures", "degree", "margin", "amount", "readings"):
            value = getattr(announced, name, None)
            if value is not None:
                facts |= value if isinstance(value, dict) else {name: _plain(value)}
    return {**facts, "state": roll.state}  # no figure of a system can hide it


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _final(scenario: Scenario, state: TableState) -> list[Failure]:
    failures: list[Failure] = []
    for name, expected in scenario.expect.items():
        named = (who for who in state.characters if name in (who, state.name_of(who)))
        # Of several with one name the one that is there.
        id = min(named, key=lambda who: (not state.characters[who].here, who), default=None)
        if id is None:
            known = sorted(state.name_of(who) for who in state.characters)
            raise Refused("unknown", f"[expect] names {name!r}", allowed=known)
        found = {**state.characters[id].attributes, **state.tracks[id]}
        failures += [
            Failure(0, f"{name}: {track}", value, found.get(track, 0))
            for track, value in expected.items()
            if found.get(track, 0) != value
        ]
    return failures
