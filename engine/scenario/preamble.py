"""The head of an exported scenario: lines of seats and characters, and ids and names for them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor
from typing import Any, TypeAlias

from msgspec import Struct, to_builtins

from ...events import table as tabled
from ...projections.rollstate import Game
from ..core.commands import AnyCommand, EnterCharacter, NameCharacter, TakeSeat
from ..core.limits import LABEL, NARRATOR, TEXT_FIELDS
from ..core.rerun import Commit

Document: TypeAlias = dict[str, Any]

Names: TypeAlias = Mapping[tuple[str, str], str]
"""Other names for characters: by id and name in the log."""

ERASED = "(erased)"
"""The text in an export where one was erased."""


class Head(Struct):
    """The `[[seat]]` and `[[character]]` lines of a scenario."""

    seats: list[Document] = []
    characters: list[Document] = []

    def commands(self) -> Iterator[tuple[AnyCommand, str | None]]:
        """The commands of these lines, in order, each with its words."""
        seated = {NARRATOR}
        for seat in self.seats:
            seated.add(seat["id"])
            yield TakeSeat(seat["id"], seat.get("role", "player")), seat.get("name")
        for number, who in enumerate(self.characters, 1):
            owner = who.get("seat", f"p{number}")
            if owner not in seated:
                seated.add(owner)
                yield TakeSeat(owner), None
            given = (who.get("attributes", {}), who.get("tracks", {}))
            yield EnterCharacter(f"c{number}", owner, *given), who["name"]


def lines(commits: Sequence[Commit], opener: str, game: Game, names: Names) -> tuple[Head, int]:
    """The lines for those who sat down first, and how many commits they replace."""
    head, at = Head(), 0
    while at < len(commits):
        taken = _own_seat(commits[at], opener, len(head.characters) + 1)
        entered = commits[at + taken] if at + taken < len(commits) else None
        line = None if entered is None else _character(entered, opener, head, game, names)
        if line is not None:
            head.characters.append(line)
            at += taken + 1
            continue
        seat = _seat(commits[at], opener, names) if not head.characters else None
        if seat is None:
            break
        head.seats.append(seat)
        at += 1
    return head, at


def _own_seat(commit: Commit, opener: str, number: int) -> bool:
    """Whether the seat is taken here that a line gives character `number` by itself."""
    command = commit.command
    own = commit.seat == opener and isinstance(command, TakeSeat) and not commit.worded
    return own and command == TakeSeat(f"p{number}")


def _seat(commit: Commit, opener: str, names: Names) -> Document | None:
    """The line for the seat that is taken here, if a line can express it."""
    command = commit.command
    if commit.seat != opener or not isinstance(command, TakeSeat):
        return None
    seat = swapped(command.seat, opener)
    line = {"id": seat, "role": command.role, "name": words_of(commit, names)}
    usual = {"role": "player", "name": None}
    return {key: value for key, value in line.items() if value != usual.get(key, "")}


def _character(
    commit: Commit, opener: str, head: Head, game: Game, names: Names
) -> Document | None:
    """The line for the character that enters here, if a line can express it."""
    command, number = commit.command, len(head.characters) + 1
    words, event = words_of(commit, names), commit.records[0].event
    if commit.seat != opener or words is None or not isinstance(command, EnterCharacter):
        return None
    if command.character != f"c{number}" or not isinstance(event, tabled.CharacterEntered):
        return None
    tracks = put(game, event.attributes, event.tracks)
    owner = swapped(command.seat, opener)
    entering = EnterCharacter(command.character, owner, command.attributes, tracks)
    return character_line(entering, number, words)


def character_line(entering: EnterCharacter, number: int, name: str) -> Document:
    """The line of the character that enters as number `number`, counted from 1."""
    line: Document = {
        "name": name,
        "attributes": dict(entering.attributes),
        "tracks": dict(entering.tracks),
        "seat": "" if entering.seat == f"p{number}" else entering.seat,
    }
    return {key: value for key, value in line.items() if value}


def put(
    game: Game, attributes: Mapping[str, int | float], tracks: Mapping[str, int]
) -> dict[str, int]:
    """The tracks that were put to their value, not left where the system starts them."""
    found: dict[str, int] = {}
    for name, track in game.tracks.items():
        value = tracks.get(name, 0)
        named = attributes.get(track.start, 0) if isinstance(track.start, str) else track.start
        start = floor(named)
        most = start if track.most is None else min(track.most, start)
        if value != max(track.least, most):
            found[name] = value
    return found


# --- seats and names that a scenario can express --------------------------------------------------


def swapped(seat: str, opener: str) -> str:
    """A seat's id in the export: who opened the table is the narrator there."""
    return {opener: NARRATOR, NARRATOR: opener}.get(seat, seat)


def words_of(commit: Commit, names: Names) -> str | None:
    """The words of a commit in the export, ERASED where they were; None where there are none."""
    if not commit.worded:
        return None
    words = ERASED if commit.text is None else commit.text.text
    who = getattr(commit.command, "character", "")
    return names.get((who, words), words) if isinstance(commit.command, NAMING) else words


NAMING = (EnterCharacter, NameCharacter)
"""Commands that name a character, perhaps."""


def disguises(commits: Iterable[Commit]) -> Names:
    """Other names for characters, where a step would take their own for something else.

    A step's text that equals a character's name means that character, be it a root, a seat, or
    another character's name too.
    """
    every = tuple(commits)
    given = {
        (commit.command.character, commit.text.text if commit.text else ERASED)
        for commit in every
        if isinstance(commit.command, NAMING) and commit.worded
    }
    shared = Counter(name for _, name in given)
    texts = {text for commit in every for text in _texts(to_builtins(commit.command))}
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
