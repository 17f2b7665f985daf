"""The one door to a roll: the automaton's rows as a machine, and `fire`, which moves an attempt.

Commands, legal moves and an audit fire it. Replay never does: it takes a roll's state from the same
rows by event (`urim.projections.automaton.after`).
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from transitions import Machine

from ...errors import Defect, Refused
from ...events.codec import Event
from ...events.roll import RollEventBase
from ...projections.automaton import (
    AFTER,
    ON_TABLE,
    ROWS,
    STATES,
    TRIGGERS,
    Row,
    State,
    Trigger,
    target,
)
from .attempt import Attempt
from .commands import RollCommand
from .guards import GUARDS, must_not_wait
from .visibility import OPEN, must_see

Guard = Callable[[Attempt], bool | None]

KNOWN: Mapping[str, State] = {state: state for state in STATES}
"""The states by name: what a machine says becomes a State again."""


class Door(NamedTuple):
    """What a machine knows of one trigger in one state: the guard, and the state behind it."""

    guard: Guard
    to: State


def build(rows: Iterable[Row] = ROWS, guards: Mapping[str, Guard] = GUARDS) -> Machine:
    """The machine of the rows, without a model: it is fired on attempts that it never registers.

    Two commands may share a trigger; then they share guard and target too. Raises Defect for a
    guard that does not exist, and where two rows of one trigger disagree.
    """
    ways: dict[tuple[State, Trigger], tuple[State, str]] = {}
    for row in rows:
        if row.guard not in guards:
            raise Defect(f"row {row.trigger} {row.command}: no guard {row.guard!r}")
        for state in row.sources:
            way = (target(row, state), row.guard)
            if ways.setdefault((state, row.trigger), way) != way:
                raise Defect(f"{row.trigger} leads from {state} two ways")
    machine = Machine(model=None, states=list(STATES), initial=None, auto_transitions=False)
    for (state, trigger), (to, guard) in ways.items():
        machine.add_transition(trigger, state, to, conditions=[guards[guard]])
    return machine


def doors(machine: Machine) -> Mapping[tuple[str, str], Door]:
    """Guard and target of every state and trigger, read off the machine once: firing is hot."""
    found: dict[tuple[str, str], Door] = {}
    for trigger, event in machine.events.items():
        for way in (way for ways in event.transitions.values() for way in ways):
            guard, to = way.conditions[0].func, KNOWN.get(str(way.dest))
            if to is None or not callable(guard):
                raise Defect(f"{trigger} leads from {way.source} to no state, or has no guard")
            found[way.source, trigger] = Door(guard, to)
    return MappingProxyType(found)


MACHINE = build()
DOORS = doors(MACHINE)


def triggers_of(state: str) -> tuple[Trigger, ...]:
    """The triggers that a state knows, in the order of the table."""
    return tuple(trigger for trigger in TRIGGERS if (state, trigger) in DOORS)


def ask(attempt: Attempt, legal: Iterable[str] | None = None) -> None:
    """Find out whether the seat may fire the attempt's trigger; refuses as `fire` does.

    A declaration is asked of the roll that it would follow, which offers it.
    """
    if attempt.trigger == "declare" and attempt.roll is not None:
        must_not_wait(attempt.table, attempt.trigger, attempt.now)
        GUARDS["offered"](attempt)
    else:
        fire(attempt, legal)


def legal_triggers(attempt: Attempt) -> tuple[str, ...]:
    """What the attempt's seat may fire in the roll now: what the rules offer to it comes first."""
    roll = attempt.roll
    if roll is None:
        return triggers_of(attempt.state)
    found: list[Attempt] = []
    for trigger in ("declare", *triggers_of(roll.state)):
        bare = RollCommand(roll.number)
        asking = Attempt(attempt.table, attempt.seat, bare, roll, trigger, now=attempt.now)
        with suppress(Refused):
            ask(asking)
            found.append(asking)
    return tuple(asking.trigger for asking in sorted(found, key=lambda each: not each.offers))


def fire(attempt: Attempt, legal: Iterable[str] | None = None) -> None:
    """Move the attempt's state, or refuse.

    Raises Refused("wrong-state") where the state does not know the trigger, "not-seen" where the
    seat may not know that, and whatever the guard refuses with. `legal` is what the seat may fire
    instead, where the caller knows. Raises "due" while a throw waits for shares.
    """
    if attempt.trigger not in OPEN:
        must_not_wait(attempt.table, attempt.trigger, attempt.now)
    door = DOORS.get((attempt.state, attempt.trigger))
    if door is None:
        if attempt.roll is not None:
            must_see(attempt.table, attempt.seat, attempt.roll)  # it names the state
        instead = tuple(legal_triggers(attempt) if legal is None else legal)
        if attempt.state == "voided" and not instead:
            instead = ("declare",)
        raise Refused(
            "wrong-state",
            f"{attempt.trigger} is not possible for {attempt.named} in state {attempt.state}",
            allowed=instead,
        )
    if not door.guard(attempt):
        raise Defect(f"the guard of {attempt.trigger} neither passes nor refuses")
    attempt.state = door.to


def hold(attempt: Attempt, events: Iterable[Event]) -> None:
    """Hold what a fired attempt led to against the rows. Raises Defect where they disagree.

    The first event of its own roll takes that roll where the machine went; every other event of a
    roll has a row from the state in which that roll is by then. No events have moved nothing.
    """
    states: dict[int, State] = {}
    own = None if attempt.roll is None else attempt.roll.number
    fired = False
    for event in events:
        if not isinstance(event, RollEventBase):
            continue
        known = attempt.table.rolls.get(event.roll)
        before = states.get(event.roll) or (known.state if known else "new")
        to = AFTER.get((type(event), before))
        if to is None:
            raise Defect(f"{type(event).__name__} has no row from {before}, roll {event.roll}")
        states[event.roll] = to
        if not fired and own in (None, event.roll):
            fired = True
            if to != attempt.state:
                why = f"{type(event).__name__} leaves roll {event.roll} {to}"
                raise Defect(f"{why}, and {attempt.trigger} leads to {attempt.state}")


def markdown() -> str:
    """The rows as a Markdown table, for the documents."""
    lines = ["| trigger | command | events | from | to | guard |", "|---|---|---|---|---|---|"]
    for row in ROWS:
        sources, events = " ".join(row.sources), ", ".join(event.__name__ for event in row.events)
        what = f"`{row.trigger}` | `{row.command}` | {events} | {sources} | {row.to}"
        lines.append(f"| {what} | {row.guard}: {row.needs} |")
    return "\n".join(lines) + "\n"


def mermaid() -> str:
    """The rows as a Mermaid diagram, for the documents, without triggers that keep the state.

    The states with dice on the table are one box: what leads out of all of them leads out of it.
    """
    edges: dict[tuple[str, str], dict[str, None]] = {}
    for row in ROWS:
        boxed = set(ON_TABLE) <= set(row.sources)
        sources = [state for state in row.sources if not (boxed and state in ON_TABLE)]
        for source in [*sources, *(["on_table"] if boxed else [])]:
            if row.to != "=":
                edges.setdefault((source, row.to), {})[row.trigger] = None
    lines = [
        "stateDiagram-v2",
        "    state on_table {",
        *(f"        {s}" for s in ON_TABLE),
        "    }",
    ]
    for (source, to), triggers in edges.items():
        start = "[*]" if source == "new" else source
        lines.append(f"    {start} --> {to}: {', '.join(triggers)}")
    return "\n".join(lines) + "\n"
