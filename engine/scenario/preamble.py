"""The head of an exported scenario: lines of seats and characters, and ids and names for them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ...events import table as tabled
from ...events.codec import Event
from ...projections.rollstate import Game
from ..core.causes import ERASED, Gone, Legible, put
from ..core.commands import AnyCommand, EnterCharacter, TakeSeat
from ..core.limits import LABEL, NARRATOR, TEXT_FIELDS

Document: TypeAlias = dict[str, Any]


class Head(Struct):
    """The `[[seat]]` and `[[character]]` lines of a scenario, and who else is there at the start.

    `others` are commands for characters whose ids a line could not give.
    """

    seats: list[Document] = []
    characters: list[Document] = []
    others: list[AnyCommand] = []

    def commands(self) -> Iterator[tuple[AnyCommand, int]]:
        """The commands of these lines, in order, and how many entries each adds."""
        seated = {NARRATOR}
        for seat in self.seats:
            seated.add(seat["id"])
            yield (
                TakeSeat(seat["id"], seat.get("role", "player"), seat.get("name")),
                (2 if "name" in seat else 1),
            )
        for number, who in enumerate(self.characters, 1):
            owner = who.get("seat", f"p{number}")
            if owner not in seated:
                seated.add(owner)
                yield TakeSeat(owner), 1
            given = (who.get("attributes", {}), who.get("tracks", {}), who["name"])
            yield EnterCharacter(f"c{number}", owner, *given), 2


def lines(records: Sequence[Legible], game: Game) -> tuple[Head, list[int]]:
    """The lines for those who sat down first, and the entries that they replace."""
    head, places = Head(), list[int]()
    while True:
        at = 1 + len(places)
        taken = _seat_taken(records, at, head)
        place = at + taken if taken is not None else at
        count = _character(records, place, head, game)
        if not count and taken is not None and not head.characters:
            taken, count = 0, _seat(records, at, head)
        if not count:
            return head, places
        places += range(at, at + (taken or 0) + count)


def _seat_taken(records: Sequence[Legible], at: int, head: Head) -> int | None:
    """1 where the next character's own seat is taken here, 0 for any other; None for no seat."""
    event = _narrators(records, at)
    if not isinstance(event, tabled.SeatTaken):
        return None
    own = event.seat == f"p{len(head.characters) + 1}" and event.role == "player"
    return 1 if own else 0


def _seat(records: Sequence[Legible], at: int, head: Head) -> int:
    """Add a line for the seat that is taken here; how many entries that are."""
    event = _narrators(records, at)
    if not isinstance(event, tabled.SeatTaken) or event.seat == NARRATOR:
        return 0
    name = _name(records, at + 1, tabled.SeatNamed)
    line = {"id": event.seat, "role": event.role, "name": name}
    usual = {"role": "player", "name": None}
    head.seats.append({key: value for key, value in line.items() if value != usual.get(key, "")})
    return 2 if name else 1


def _character(records: Sequence[Legible], at: int, head: Head, game: Game) -> int:
    """Add a line for the character that enters here, if a line can express it."""
    event, number = _narrators(records, at), len(head.characters) + 1
    if not isinstance(event, tabled.CharacterEntered) or event.character != f"c{number}":
        return 0
    name = _name(records, at + 1, tabled.CharacterNamed)
    if name is None:
        return 0
    head.characters.append(character_line(event, number, name, game))
    return 2


def character_line(
    entered: tabled.CharacterEntered, number: int, name: str, game: Game
) -> Document:  # fmt: skip
    """The line of the character that enters as number `number`, counted from 1."""
    line: Document = {
        "name": name,
        "attributes": dict(entered.attributes),
        "tracks": put(game, entered.attributes, entered.tracks),
        "seat": "" if entered.seat == f"p{number}" else entered.seat,
    }
    return {key: value for key, value in line.items() if value}


def _narrators(records: Sequence[Legible], at: int) -> Event | None:
    """The event at a place, where the narrator who opened the table caused it."""
    event = records[at].event if at < len(records) else None
    return event if event is not None and event.by == NARRATOR else None


def _name(records: Sequence[Legible], at: int, kind: type[Struct]) -> str | None:
    if at >= len(records):
        return None
    record = records[at]
    if isinstance(record, Gone):
        return ERASED if record.by == NARRATOR else None
    return str(getattr(record.event, "name", "")) if isinstance(record.event, kind) else None


# --- seats and names that a scenario can express --------------------------------------------------


def swapped(seat: str, opener: str) -> str:
    """A seat's id in the export: who opened the table is the narrator there."""
    return {opener: NARRATOR, NARRATOR: opener}.get(seat, seat)


def relabelled(event: Event, opener: str, names: Mapping[tuple[str, str], str]) -> Event:
    """The event with its seats and names as the export has them."""
    changes: dict[str, Any] = {
        key: swapped(value, opener)
        for key in ("by", "seat")
        if isinstance(value := getattr(event, key, None), str)
    }
    if isinstance(event, tabled.CharacterNamed):
        changes["name"] = names.get((event.character, event.name), event.name)
    return replace(event, **changes)


def disguises(events: Sequence[Event]) -> Mapping[tuple[str, str], str]:
    """Other names for characters, where a step would take their own for something else.

    A step's text that equals a character's name means that character, be it a root, a seat, or
    another character's name too.
    """
    given = {(e.character, e.name) for e in events if isinstance(e, tabled.CharacterNamed)}
    shared = Counter(name for _, name in given)
    texts = {text for event in events for text in _texts(to_builtins(event))}
    return {
        (character, name): f"{name[: LABEL - 40]} ({character})"
        for character, name in given
        if (name in texts and name != character) or shared[name] > 1
    }


def _texts(value: Any) -> Iterator[str]:
    """Every text in an event's JSON but those that are for people."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in TEXT_FIELDS:
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
