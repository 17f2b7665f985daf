"""A command as the shortest step of a scenario that stands for it: the inverse of `steps`."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import NODEFAULT, to_builtins
from msgspec.structs import fields

from ...errors import Refused
from ...projections.tables import TableState
from ..core.commands import Adjust, AnyCommand, Declare, Freeze, React
from .steps import OWN, WORDS, command_of

SPARED = ("by", "as", "of", "hand", "means")
"""Keys that a step can often do without, in the order in which that is tried."""

Step = dict[str, Any]


def step_of(state: TableState, seat: str, command: AnyCommand) -> Step:
    """The shortest step that this table reads as the seat's command.

    Raises Refused("malformed") for a command that no step can say: one with a null in it, or with
    fields called like a step's own.
    """
    wanted = (seat, command)
    for whole in _spellings(state, seat, command):
        if _read(state, whole) == wanted:
            step = whole
            break
    else:
        do = type(command).__struct_config__.tag
        raise Refused("malformed", f"no step of a scenario can say this {do}: {command}")
    for key in SPARED:
        less = {name: value for name, value in step.items() if name != key}
        if key in step and _read(state, less) == wanted:
            step = less
    return step


def _read(state: TableState, step: Mapping[str, Any]) -> tuple[str, AnyCommand] | None:
    try:
        return command_of(state, step)
    except Refused:
        return None


def _spellings(state: TableState, seat: str, command: AnyCommand) -> Iterator[Step]:
    """Whole steps that may say it, the most readable first; those that TOML can carry."""
    plain = _whole(seat, command)
    if isinstance(command, Freeze):
        plain_stand = {key: value for key, value in plain.items() if key != "dice"}
        yield {**plain_stand, "do": "stand"}
    if not _has_null(plain):
        yield _in_names(state, plain)
        yield plain


def _whole(seat: str, command: AnyCommand) -> Step:
    """The command with everything said: what is not left at its default."""
    given: Step = {
        field.encode_name: to_builtins(getattr(command, field.name))
        for field in fields(command)
        if field.default is NODEFAULT or getattr(command, field.name) != field.default
    }
    step: Step = {"do": str(type(command).__struct_config__.tag)}
    if "roll" in given:
        step["of"] = given.pop("roll")
    if isinstance(command, React):
        step["as"] = given.pop("character")
        reaction = given.pop("reaction", None)
        given = reaction or {}
        if reaction is None:
            step["do"] = "decline"
    elif isinstance(command, Declare):
        step["as"] = given.pop("character")
        declaration = given.pop("declaration")
        given = {**_apart(declaration), **given}
    elif step["do"] == "amend":
        step["as"] = given.pop("character")
    elif isinstance(command, Adjust):
        given["dice"] = {laid.die: laid.face for laid in command.dice}
    return {**step, **_apart(given), "by": seat}


def _apart(given: Step) -> Step:
    """Fields without those that a step would take for its own; it is compared what is lost."""
    return {key: value for key, value in given.items() if key not in OWN}


def _in_names(state: TableState, value: Any) -> Any:
    """The same with characters' names for their ids."""
    if isinstance(value, dict):
        return {
            key: item if key in WORDS else _in_names(state, item) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_in_names(state, item) for item in value]
    known = isinstance(value, str) and value in state.characters
    return state.name_of(value) if known else value


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    if isinstance(value, list):
        return any(map(_has_null, value))
    return value is None
