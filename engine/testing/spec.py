"""What a command leads to, as a sentence: given what happened, when a seat asks, then these events.

    given(table).when("p1", Resolve(1)).then(like(RollResolved, outcome={"degree": "failure"}))
    given(table, ("p1", declare)).when("p2", React(1, "c2", {})).then(refused("not-offered"))
    given(TableOpened(...), SeatTaken(...), ...).when(...).then(SeatLeft("p1", "p1"))
    given(table, ("p1", declare)).when("p1", throw).then(DiceRolled, state="rolled")

The table goes on: after `then` another `when` may follow. A refused command must have changed
nothing. Under pytest a `when` without its `then` fails the test.
"""

from typing import TypeAlias

from msgspec import Struct

from ...errors import CODES, Refused
from ...events import table as tabled
from ...events.base import EventBase
from ...events.codec import Event
from ...projections.automaton import State, state_named
from ..core.commands import Asking, apart
from ..table import Table
from .differences import Expected, Like, differences, like, summary
from .plugin.tables import FixtureTable
from .plugin.watch import note_debt

__all__ = ["Given", "Refusal", "When", "given", "like", "refused"]

Past: TypeAlias = Table | Event | tuple[str, Asking]
"""What was before: a table, an event as a fact, or a seat and its command."""


class Refusal(Struct, frozen=True):
    """A refusal that is expected: its code, and words that its reason holds."""

    code: str
    words: str = ""


def refused(code: str, words: str = "") -> Refusal:
    """The command is refused by this code, for a reason that holds these words.

    Raises Refused("unknown") for a code that there is not.
    """
    if code not in CODES:
        raise Refused("unknown", f"no refusal has the code {code!r}", allowed=CODES)
    return Refusal(code, words)


def given(*past: Past) -> "Given":
    """A table as these facts leave it.

    The first is a table, or the event that opens one; the others are events, taken as facts
    whatever the rules say, or commands. Raises Refused for a command that is refused, Damaged for
    an event that cannot follow.
    """
    first = past[0] if past else None
    if isinstance(first, Table):
        table = first
    elif isinstance(first, tabled.TableOpened):
        table = FixtureTable(
            first.ruleset, dice=first.source, id=first.table, level=first.level, opened=first
        )
    else:
        why = f"it begins with {first!r}"
        raise Refused("malformed", why, allowed=["a table", "the event that opens one"])
    found = Given(table)
    for each in past[1:]:
        found.also(each)
    return found


class Given:
    """A table at a point of its history."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def also(self, past: Past) -> None:
        """Let one more thing have happened."""
        if isinstance(past, tuple):
            self.table.submit(*past)
        elif isinstance(past, EventBase) and isinstance(self.table, FixtureTable):
            self.table.append(past)
        else:
            kinds = ["an event, of a FixtureTable", "a seat and its command"]
            raise Refused("malformed", f"{past!r} cannot have happened here", allowed=kinds)

    def when(self, seat: str, command: Asking) -> "When":
        """Let a seat ask for something."""
        return When(self, seat, command)


class When:
    """The result of a command: events, or a refusal. Check it with `then`."""

    def __init__(self, before: Given, seat: str, command: Asking) -> None:
        self._before = before
        self._question = f"when {seat} asks {command}"
        self._command, _ = apart(command)
        self._unchecked = True
        self.refusal: Refused | None = None
        aggregate = before.table.aggregate
        size = len(aggregate.records)
        try:
            before.table.submit(seat, command)
        except Refused as error:
            self.refusal = error
        records = aggregate.records[size:]
        self.events: tuple[Event, ...] = tuple(r.event for r in records if r is not None)
        note_debt(self)

    def owed(self) -> str:
        """That nothing was checked, as long as nothing was."""
        return (
            f"{self._question}: `then` is missing, nothing was checked" if self._unchecked else ""
        )

    def then(self, *expected: Expected | Refusal, state: State | None = None) -> Given:
        """Check that just these events came, in order, or that the command was refused.

        Events are compared whole, but for those that `like` describes, and classes, of which any
        event is as expected. Nothing expected: nothing came. `state` is the one in which the
        command's roll is then. Raises AssertionError with what differs, event by event;
        Refused("unknown") for a state that there is not.
        """
        __tracebackhide__ = True
        self._unchecked = False
        note_debt(self)
        codes = [each for each in expected if isinstance(each, Refusal)]
        events = [each for each in expected if not isinstance(each, Refusal)]
        if codes and (events or len(codes) > 1):
            raise Refused(
                "malformed",
                "a refusal is expected together with something else",
                allowed=["events", "a refusal"],
            )
        wrong = self._unlike_refusal(codes[0]) if codes else self._unlike(events)
        if state is not None:
            wrong += self._in_another(state_named(state))
        if wrong:
            raise AssertionError("\n".join([self._question, *wrong]))
        return self._before

    def _unlike(self, expected: list[Event | Like | type[EventBase] | None]) -> list[str]:
        if self.refusal is None:
            return differences(expected, self.events)
        lines = [f"  it was refused by {self.refusal.code!r}: {self.refusal}", "  expected:"]
        return [*lines, *(f"    {summary(each)}" for each in expected)]

    def _unlike_refusal(self, expected: Refusal) -> list[str]:
        words = f" for {expected.words!r}" if expected.words else ""
        wanted = f"  expected a refusal by {expected.code!r}{words}"
        if self.refusal is None:
            return [wanted, "  but this came:", *(f"    {summary(each)}" for each in self.events)]
        if self.refusal.code == expected.code and expected.words in str(self.refusal):
            return []
        return [wanted, f"  but it was refused by {self.refusal.code!r}: {self.refusal}"]

    def _in_another(self, state: State) -> list[str]:
        """What differs if the command's roll is in another state; a new roll is the latest."""
        rolls = self._before.table.state.rolls
        number = getattr(self._command, "roll", len(rolls))
        found = rolls[number].state if number in rolls else None
        return [] if found == state else [f"  state: expected {state!r}, found {found!r}"]
