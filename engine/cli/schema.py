"""The command `urim schema`: JSON Schemas of what a table takes and what its log holds."""

import json
import sys
from typing import get_args

import click

from ...errors import Refused
from ...rules import ruleset_named, ruleset_names
from ..core.schema import Part
from ..wire.schema import EVERY, WirePart, schema
from .frame import Known, command
from .shared import print_objects

PARTS: tuple[WirePart, ...] = (*get_args(Part), "frames", "bodies")


@command(
    click.Argument(
        ["system"],
        type=Known("system", lambda _: ruleset_names()),
        required=False,
        metavar="[SYSTEM]",
        help="That of one system.",
    ),
    *(click.Option([f"--{part}"], is_flag=True, help=f"Of the {part} alone.") for part in PARTS),
    name="schema",
)
def schema_of(
    system: str | None,
    *,
    commands: bool,
    events: bool,
    request: bool,
    answers: bool,
    declaration: bool,
    reaction: bool,
    options: bool,
    frames: bool,
    bodies: bool,
    as_json: bool,
) -> None:
    """Print the JSON Schema of commands and events, of a system where one is named.

    It is draft 2020-12. Of a system it says what a declaration, a reaction and the options hold;
    without one they are any objects. A request holds a command; answers are what a server sends
    beside entries. Frames are what goes over its socket, bodies what goes over HTTP, problems
    included. With --json it is one object a line: `schema` in an envelope.
    """
    wanted = (commands, events, request, answers, declaration, reaction, options, frames, bodies)
    named: list[WirePart] = [part for part, of_it in zip(PARTS, wanted, strict=True) if of_it]
    if len(named) > 1:
        raise Refused("malformed", f"{' and '.join(named)} at once", allowed=["one of them"])
    part = named[0] if named else None
    if system is None and part not in (None, *EVERY):
        raise Refused("malformed", f"whose {part}: no system is named", allowed=ruleset_names())
    found = schema(None if system is None else ruleset_named(system), part)
    if as_json:
        print_objects([{"type": "schema", "system": system, "part": part, "schema": found}])
        return
    plain = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    sys.stdout.write(json.dumps(found, ensure_ascii=plain, indent=2) + "\n")
