"""A character's file, which takes it to the next table: the page writes and reads the same one."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.json import Decoder

from ...errors import Refused
from ...projections.tables import TableState

MOST: Final = 1_000_000
"""Bytes of such a file, at most."""


class Was(Struct, frozen=True):
    """Where a character was: the server's address if it was one's, the table, its entries then."""

    host: str = ""
    table: str = ""
    entries: int = 0


class Carried(Struct, frozen=True, tag="urim/character/1", tag_field="type"):
    """A character between two tables: its system and name, ratings and tracks, where it was."""

    system: str
    name: str
    attributes: Mapping[str, int | float]
    tracks: Mapping[str, int]
    was: Was = Was()


_decoder: Decoder[Carried] = Decoder(Carried)


def carried(view: TableState, character: str) -> Carried:
    """A character as a view of its table has it. Raises KeyError for one that is not there."""
    return Carried(
        view.game.ruleset.name,
        view.name_of(character),
        dict(view.characters[character].attributes),
        dict(sorted(view.tracks[character].items())),
        Was(table=view.id, entries=view.size),
    )


def read_carried(data: bytes, system: str) -> Carried:
    """The character in these bytes, for a table of a system.

    Raises Refused: "unreadable" for other bytes, "malformed" for a character of another system.
    """
    if len(data) > MOST:
        raise Refused("unreadable", f"no character's file: more than {MOST:,} bytes")
    try:
        found = _decoder.decode(data)
    except (ValueError, RecursionError) as error:
        raise Refused("unreadable", f"no character's file: {error}") from error
    if found.system != system:
        why = f"a character of {found.system[:80]!r}, and this table plays {system!r}"
        raise Refused("malformed", why, allowed=[f"a character of {system!r}"])
    return found
