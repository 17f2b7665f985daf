"""Tables of every system, as they were in the midst of a scenario: in memory and on a log."""

from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tests import plays
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import Asking, Worded
from urim.engine.scenario import Play
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets
from urim.engine.table import Table
from urim.engine.table.place import Memory
from urim.events.asked import Text
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.table import TextSaid

SYSTEMS = ("age_of_magic", "majesty", "milhamah", "sagatafl", "scarterra")


class Step(NamedTuple):
    """What a seat asked when the table had so many entries."""

    size: int
    seat: str
    asking: Asking


class Evening(NamedTuple):
    """A scenario that was played with dice that are typed, and what was asked in it."""

    play: Play
    log: tuple[Entry, ...]
    steps: tuple[Step, ...]


@cache
def evenings(system: str) -> tuple[Evening, ...]:
    """Evenings of a system, the longest ones of its scenarios with scripted dice."""
    files = [*sorted((plays.SCENARIOS / system).glob("*.toml"))]
    done = [evening(path) for path in files]
    scripted = [each for each in done if each.play.aggregate.opened.source == "scripted"]
    return tuple(sorted(scripted, key=lambda each: len(each.log))[-6:])


def evening(path: Path) -> Evening:
    """A scenario as it was played."""
    kept = plays.kept_of(path)
    table = kept.play.aggregate
    steps: list[Step] = []
    for _, commit in groupby(kept.log[1:], key=lambda entry: entry.commit):
        entries = list(commit)
        first, last = (table.records[entries[at].seq] for at in (0, -1))
        if first is None or last is None:
            continue  # erased
        asking: Any = table.command_at(first.seq)
        if isinstance(last.event, TextSaid):
            asking = Worded(asking, Text(last.event.salt, last.event.text))
        steps.append(Step(first.seq, first.event.by, asking))
    return Evening(kept.play, kept.log, tuple(steps))


def aggregate_at(of: Evening, size: int) -> Aggregate:
    """The table when it had so many entries."""
    return plays.loaded(of.play, of.log[:size])


def table_at(of: Evening, size: int) -> Table:
    """A `Table` that holds it."""
    state = of.play.aggregate.opened
    table = Table(state.game.ruleset.name, dice="scripted", id=state.id)
    place = Memory(of.play.aggregate.environment)
    place.aggregate = aggregate_at(of, size)
    table.place = place
    return table


async def service_at(of: Evening, size: int) -> tuple[Service, str]:
    """A `Service` on a log that holds it, and the table's id."""
    log, table = MemoryLog(), of.play.aggregate.opened.id
    for _, commit in groupby(of.log[:size], key=lambda entry: entry.commit):
        entries = list(commit)
        await log.append(table, entries, entries[0].seq)
    return Service(log, MemorySecrets(), sign_every=10_000), table
