"""The same steps on the library `eventsourcing`: an aggregate for each roll, one event a step.

It is spared what Urim does besides: no rules, no dice, no hashes, no request ids. An aggregate of
one roll is the least that it can load for a command.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID, uuid5

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from msgspec import Struct, to_builtins

from urim.events.codec import Event

NAMES = UUID(int=0)

Work: TypeAlias = Callable[[], object]


class Rolled(Aggregate):
    """A roll, or a whole table, as the events that happened to it."""

    @event("Begun")
    def __init__(self, id: UUID, kind: str, fields: dict[str, Any]) -> None:
        self._id = id
        self.kind = kind
        self.fields = fields
        self.steps = 0

    @event("Went")
    def go(self, kind: str, fields: dict[str, Any]) -> None:
        """Take one step."""
        self.kind = kind
        self.fields = fields
        self.steps += 1


def on_disk(path: Path) -> Application[UUID]:
    """The library on an SQLite file, with the settings that it comes with."""
    return Application(
        env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
    )


class Step(Struct, frozen=True):
    """One event in the rival's words: its roll, whether it begins it, its name and fields."""

    roll: UUID
    begins: bool
    kind: str
    fields: dict[str, Any]


def step_of(table: str, fact: Event) -> Step:
    """A roll's event, its fields as plain values."""
    kind = type(fact).__name__
    roll = uuid5(NAMES, f"{table}/{getattr(fact, 'roll', 0)}")
    return Step(roll, kind == "RollDeclared", kind, to_builtins(fact))


def command(application: Application[UUID], step: Step) -> None:
    """One command: load the aggregate, let it take the step, save it."""
    if step.begins:
        application.save(Rolled(step.roll, step.kind, step.fields))
        return
    aggregate: Rolled = application.repository.get(step.roll)
    aggregate.go(step.kind, step.fields)
    application.save(aggregate)


def save_all(application: Application[UUID], table: str, facts: Iterable[Event]) -> list[UUID]:
    """Save the same events, an aggregate for every roll; their ids."""
    found: dict[UUID, Rolled] = {}
    for step in (step_of(table, fact) for fact in facts):
        if step.roll in found:
            found[step.roll].go(step.kind, step.fields)
        else:
            found[step.roll] = Rolled(step.roll, step.kind, step.fields)
    application.save(*found.values())
    return list(found)


def replay_of(table: str, facts: Iterable[Event]) -> tuple[Work, Work]:
    """Ways to load the same events: all of one aggregate, and an aggregate for every roll."""
    known = list(facts)
    whole, parts = Application[UUID](), Application[UUID]()
    one = Rolled(NAMES, "", {})
    for step in (step_of(table, fact) for fact in known[1:]):
        one.go(step.kind, step.fields)
    whole.save(one)
    ids = save_all(parts, table, known)
    return (
        lambda: whole.repository.get(NAMES),
        lambda: [parts.repository.get(id) for id in ids],
    )
