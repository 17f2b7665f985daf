"""JSON Schemas of what goes between a server and its clients: frames and bodies beside the rest.

A frame's or an answer's schema has the fields of today: a newer server may send more, which a
client passes over.
"""

from typing import Literal, TypeAlias, get_args

from ...rules.ruleset import Ruleset
from ..core.schema import WHOLE, Part, Schema, Whole, schema_among
from .bodies import Replied, Sent
from .frames import Incoming, Outgoing
from .problems import Problem

WirePart: TypeAlias = Part | Literal["frames", "bodies"]
"""What a schema can be of."""

EVERY: Whole = {
    **WHOLE,
    "frames": (*get_args(Incoming), *get_args(Outgoing)),
    "bodies": (*get_args(Sent), *get_args(Replied), Problem),
}
"""The parts that are there without a system too, and what each is one of."""


def schema(ruleset: Ruleset | None = None, part: WirePart | None = None) -> Schema:
    """See `urim.engine.core.schema.schema`, which does not know frames and bodies."""
    return schema_among(EVERY, ruleset, part)
