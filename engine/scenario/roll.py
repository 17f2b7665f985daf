"""What an export of one roll needs of its table: the chain it belongs to, and who was there."""

from collections.abc import Sequence

from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...projections.tables import TableState
from ..core.attempt import roll_of
from ..core.commands import AnyCommand
from ..core.table_commands import EnterCharacter
from ..table import NARRATOR
from .head import Gone, Head, Line, Told, character_line, put

REASONED = (
    rolled.RollVoided,
    ruling.RollAmended,
    ruling.DeclarationVetoed,
    ruling.DeclarationReplaced,
    ruling.DisputeRaised,
    ruling.RulingMade,
)
"""Events with a reason behind them."""

OF_PEOPLE = (
    tabled.SeatTaken,
    tabled.SeatLeft,
    tabled.CharacterEntered,
    tabled.CharacterNamed,
    tabled.CharacterGiven,
)
"""Events outside the rolls that may decide who goes on with one; tracks are put where they were."""


def chain(table: TableState, number: int) -> tuple[int, ...]:
    """The rolls that roll `number` follows and is followed by, oldest first.

    Raises Refused("unknown") where there is no such roll.
    """
    first = roll_of(table, number)
    while first.follows:
        first = roll_of(table, first.follows[0])
    found, waiting = set[int](), [first.number]
    while waiting:
        found.add(waiting[0])
        waiting += table.following.get(waiting.pop(0), ())
    return tuple(sorted(found))


def about_roll(records: Sequence[Told], numbers: Sequence[int], first: int) -> list[int]:
    """The entries from `first` on that an export of these rolls is made of."""
    kept: list[int] = []
    for record in records[first:]:
        event, before = record.event, records[record.seq - 1]
        if isinstance(record, Gone):
            wanted = before.seq in kept and isinstance(before.event, REASONED)
        elif isinstance(event, tabled.Noted):
            wanted = event.about in kept
        elif isinstance(event, tabled.EntryErased):
            wanted = event.seq in kept
        else:
            wanted = isinstance(event, OF_PEOPLE) or getattr(event, "roll", 0) in numbers
        if wanted:
            kept.append(record.seq)
    return kept


def setting(table: TableState) -> Head:
    """Everybody as they stand at a table, as if they had just sat down."""
    entered = [e.event for e in table.sheets if isinstance(e.event, tabled.CharacterEntered)]
    lined = [event.character for event in entered] == [f"c{n}" for n in range(1, len(entered) + 1)]
    head = Head()
    own = {f"p{number}" for number in range(1, len(entered) + 1)} if lined else set[str]()
    for id in sorted(table.seats, key=lambda id: (len(id), id)):
        seat = table.seats[id]
        if id != NARRATOR and not (id in own and seat.role == "player"):
            line: Line = {"id": id, "role": seat.role}
            head.seats.append(line if seat.role != "player" else {"id": id})
    for number, event in enumerate(entered, 1):
        known = table.characters[event.character]
        now = tabled.CharacterEntered(
            NARRATOR, event.character, known.seat, event.attributes, dict(table.tracks[known.id])
        )
        if lined:
            name = table.name_of(known.id)
            head.characters.append(character_line(now, number, name, table.game))
        else:
            head.others.append(_entering(table, now))
    return head


def _entering(table: TableState, now: tabled.CharacterEntered) -> AnyCommand:
    """The command that brings a character whose id no line could give."""
    name = table.name_of(now.character)
    tracks = put(table.game, now.attributes, now.tracks)
    told = None if name == now.character else name
    return EnterCharacter(now.character, now.seat, now.attributes, tracks, told)
