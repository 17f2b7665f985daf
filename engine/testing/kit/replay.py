"""The laws about logs: replayed from bytes in any split, without voided rolls, in any order."""

from itertools import pairwise

from msgspec.structs import replace

from ....errors import Damaged, Refused
from ....events.codec import RecordedEvent
from ....events.roll import RollEventBase
from ....projections.rolls import evolve
from ....projections.rollstate import RollState
from ....projections.tables import TableState, fold
from ...core.aggregate import Aggregate
from .play import History
from .trial import LawBroken, lawful

SPLITS = 3
"""Places, drawn for each history, at which its log is cut in two."""


def check_replay(history: History, seen: dict[int, TableState]) -> None:
    """The log, loaded from its bytes, gives the same table; `seen` are earlier tables by size."""
    live = history.aggregate
    cuts = sorted({history.luck.one_of(sorted(seen)) for _ in range(SPLITS)} | {len(live.entries)})
    loaded = Aggregate(live.environment)
    for start, end in pairwise([0, *cuts]):
        with lawful(history.story):
            loaded.load(live.entries[start:end])
        if loaded.opened != seen.get(end, live.opened):
            why = f"after entry {end - 1} the table replayed is not the table that was"
            raise LawBroken("replays", why, history.story)
    if loaded.frontier.root() != live.frontier.root():
        raise LawBroken("replays", "another root", history.story)


def check_voids(history: History) -> None:
    """The tracks are those of a log in which the voided rolls were never written."""
    state = history.state
    voided = {roll.number for roll in state.rolls.values() if roll.state == "voided"}
    without: TableState | None = None
    with lawful(history.story):
        for record in history.aggregate.records:
            if record is not None and _roll_of(record) not in voided:
                without = fold(without, record, history.aggregate.environment.rulesets)
    if without is None or without.tracks != state.tracks:
        why = f"rolls {sorted(voided)} still count: {state.tracks}"
        raise LawBroken("voids", why, history.story)


def _roll_of(record: RecordedEvent) -> int | None:
    return record.event.roll if isinstance(record.event, RollEventBase) else None


def check_evolve(history: History) -> None:
    """Every event of a roll, put after every other, is folded or refused as Damaged."""
    for roll in history.state.rolls.values():
        states: list[RollState] = []
        for entry in roll.trail:
            states.append(_evolved(history, states[-1] if states else None, entry))
        for state in states:
            for entry in roll.trail[1:]:
                _tried(history, state, entry)


def _evolved(history: History, state: RollState | None, entry: RecordedEvent) -> RollState:
    with lawful(history.story):
        return evolve(state, entry, history.state.game)


def _tried(history: History, state: RollState, entry: RecordedEvent) -> None:
    try:
        evolve(state, replace(entry, seq=entry.seq), history.state.game)
    except Damaged:
        return
    except (Refused, Exception) as error:
        why = f"{type(entry.event).__name__} in state {state.state}: {error!r}"
        raise LawBroken("evolves", why, history.story) from error
