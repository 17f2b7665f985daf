"""Facts of a game that speak against nobody, and that a cheat would hide among: they are stated."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ...errors import Damaged, Refused
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...projections.tables import TableState
from ..core.offers import offers
from .report import Remark

Value = tuple[str, str, Any, Any]
"""A character, the name of a rating or track of it, its value before, and the one that it is set
to."""


def _track(state: TableState, event: tabled.TrackSet) -> Value:
    before = state.tracks[event.character].get(event.track, 0)
    return event.character, event.track, before, event.value


def _rating(state: TableState, event: tabled.AttributeSet) -> Value:
    before = state.characters[event.character].attributes.get(event.attribute)
    return event.character, event.attribute, before, event.value


SETS: Mapping[type, Callable[[TableState, Any], Value]] = MappingProxyType(
    {tabled.TrackSet: _track, tabled.AttributeSet: _rating}
)
"""The events that set a value, and which."""


class Stated:
    """What is stated so far."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self._were: dict[tuple[str, str], set[Any]] = {}

    def _say(self, kind: str, seq: int, why: str) -> None:
        self.remarks.append(Remark("stated", why, seq, kind=kind))

    def take(self, state: TableState, record: RecordedEvent) -> None:
        """One more entry, on the table before it, which follows it."""
        event, value = record.event, SETS.get(type(record.event))
        if value is not None:
            self._set(record.seq, *value(state, event))
        elif isinstance(event, tabled.CharacterEntered):
            for known in state.characters.values():
                if not known.here and known.attributes == event.attributes:
                    why = f"{event.character} is as {known.id} was, removed in {known.removed}"
                    self._say("brought-back", record.seq, why)

    def _set(self, seq: int, who: str, name: str, before: Any, now: Any) -> None:
        were = self._were.setdefault((who, name), set())
        if now in were and now != before:
            self._say("set-back", seq, f"{who}: {name} is {now} again, and was {before}")
        were.add(before)

    def end(self, state: TableState) -> Iterator[Remark]:
        """All that is stated, with what only the end shows."""
        for roll in state.open_rolls():
            try:
                waits = [each for each in offers(state, roll) if each.trigger == "apply_damage"]
            except (ValueError, TypeError, LookupError, ArithmeticError, Refused, Damaged):
                continue  # a forged roll may break a system's code
            if waits and roll.state == "resolved":
                why = f"the damage of roll {roll.number} is not applied"
                self._say("damage-left", roll.trail[-1].seq, why)
        yield from self.remarks
