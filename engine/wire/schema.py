"""JSON Schemas of what goes between a server and its clients: frames and bodies beside the rest.

A frame's or an answer's schema has the fields of today: a newer server may send more, which a
client passes over.
"""

from collections.abc import Mapping
from types import MappingProxyType
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


NAMES: Mapping[str, str] = MappingProxyType(
    {
        "commands": "Command",
        "events": "TableEvent",
        "answers": "Answer",
        "frames": "Frame",
        "bodies": "Body",
        "request": "Request",
        "words": "Words",
        "word": "Word",
        "commands.Ask": "AskShares",
    }
)
"""The names of definitions in one namespace, where that is not the last part of their own."""


def plain_name(definition: str) -> str:
    """The name of a definition where all parts are one namespace: `Offer` for `answers.Offer`."""
    return NAMES.get(definition) or definition.rpartition(".")[2]


def schema(ruleset: Ruleset | None = None, part: WirePart | None = None) -> Schema:
    """See `urim.engine.core.schema.schema`, which does not know frames and bodies."""
    return schema_among(EVERY, ruleset, part)
