"""What every event shares: frozen, tagged with name and schema version, no unknown fields.

A tag is `name/version`. A change of an event's fields is a new version under a new tag; the old tag
then gets an entry in `codec.UPCASTS`, and its golden sample stays in the tests for ever.

What is frozen when it is made can be part of no cycle: `gc=False` spares Python's collector from
looking at it again and again, which took a third of the time of opening a large table.
"""

from typing import Any, Literal, TypeAlias

from msgspec import Struct

Face: TypeAlias = int | str
"""What a die shows: a number of pips, or a letter."""

JSON: TypeAlias = dict[str, Any]
"""A JSON object; the ruleset alone knows its shape."""

Level: TypeAlias = Literal["server", "player", "table"]
"""Who adds entropy to a fair throw; the meaning of each is in `urim.engine.core.sources`."""

Visibility: TypeAlias = Literal["public", "gm", "blind", "self"]
"""Who may see a roll: everybody; participants and narrators; participants up to the dice and
narrators all; the roller alone."""

Role: TypeAlias = Literal["narrator", "player", "witness"]
"""What a seat may do: a narrator also amends, voids and rules; a witness owns no character."""


class EventBase(
    Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"
):
    """A fact that happened at a table. `by` is the seat that caused it."""

    by: str


class Effect(Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """A change of one character's track: `delta` as really spent (below 0) or gained (above 0).

    With `to` the track is set to that value, whatever it was, and `delta` is 0. The log holds `to`
    only where a track is set (`codec.encode`).
    """

    character: str
    track: str
    delta: int
    to: int | None = None


class Thrown(Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """One die as it fell: its id for the whole roll, its kind, its face.

    A die thrown again inside the same throw is listed again under the same id.
    """

    die: str
    kind: str
    face: Face


class AdjustedDie(Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """One die of an adjusted hand, and the face that it was put to."""

    die: str
    face: Face
