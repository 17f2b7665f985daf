"""Bytes and JSON are parsed to commands: every bound is checked, a refusal names what it found."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from msgspec import ValidationError, convert
from msgspec.json import Decoder, Encoder

from ...errors import Refused
from .commands import AnyCommand, Command
from .limits import PAYLOAD

T = TypeVar("T")

QUOTED = 80
"""Characters of a value that a refusal shows, at most."""

COMMANDS: Mapping[str, type[Command]] = {
    str(command.__struct_config__.tag): command for command in get_args(AnyCommand)
}
"""Every command by its tag, the value of `do`."""

CODES_OF: Mapping[str, str] = {
    r"length <=": "too-long",
    r"`(int|float)` [<>]|out of range": "out-of-range",
    r"unknown field": "unknown",
}
"""Our codes for what msgspec writes; anything else is malformed."""

_encoder = Encoder()
_decoder: Decoder[AnyCommand] = Decoder(AnyCommand)
_loose: Decoder[Any] = Decoder()

_MISSING = object()
"""No value: nothing is there, or it cannot be read."""


def body_of(command: Command) -> bytes:
    """The command as JSON, keys in the order given: what a request's HMAC is taken over.

    Raises Refused("malformed") for a value that JSON cannot carry, Refused("too-long") for a body
    beyond 64 KiB.
    """
    try:
        body = _encoder.encode(command)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Refused("malformed", f"a command that JSON cannot carry: {error}") from error
    if len(body) > PAYLOAD:
        raise Refused("too-long", f"a command of {len(body)} bytes", allowed=[f"at most {PAYLOAD}"])
    return body


def read_command(body: bytes) -> AnyCommand:
    """The command in these bytes, every bound of its fields checked.

    Raises Refused naming the field, its value and what would be allowed.
    """
    if len(body) > PAYLOAD:
        raise Refused("too-long", f"a command of {len(body)} bytes", allowed=[f"at most {PAYLOAD}"])
    try:
        return _decoder.decode(body)
    except ValidationError as error:
        raise _command_refused(error, _given(body)) from error
    except (ValueError, RecursionError) as error:
        raise Refused("malformed", f"not JSON: {error}") from error


def _given(body: bytes) -> Any:
    """The JSON as it is; _MISSING where it is too deep, or holds a number too large, to be read."""
    try:
        return _loose.decode(body)
    except (ValueError, RecursionError):
        return _MISSING


def _command_refused(error: ValidationError, value: Any) -> Refused:
    do = value.get("do") if isinstance(value, dict) else _MISSING
    kind = COMMANDS.get(do) if isinstance(do, str) else None
    if do is not _MISSING and kind is None:
        code = "unknown" if isinstance(do, str) else "malformed"
        return Refused(code, f"`do` names no command: {shown(do)}", allowed=COMMANDS)
    return refusal(error, value, kind.__struct_encode_fields__ if kind else ())


def read_as(value: Any, kind: type[T]) -> T:
    """A JSON value as one of a system's Structs. Raises Refused naming the field and its value."""
    try:
        return convert(value, kind)
    except ValidationError as error:
        fields = getattr(kind, "__struct_encode_fields__", ())
        raise refusal(error, value, fields) from error


def refusal(error: ValidationError, value: Any, fields: Iterable[str] = ()) -> Refused:
    """The error that msgspec found, as a refusal that names the value.

    `fields` are those that the value may have, in case it has another.
    """
    text, _, path = str(error).partition(" - at `")
    of_key = path.startswith("key` in `")
    path = path.removeprefix("key` in `").rstrip("`").removeprefix("$").removeprefix(".")
    code = next((code for words, code in CODES_OF.items() if re.search(words, text)), "malformed")
    allowed = fields if code == "unknown" and not path else ()
    if code == "unknown":
        path = ".".join(filter(None, (path, text.split("`")[1])))
        text = "no such field"
    found = _at(value, path)
    where = path[:QUOTED] or "the value"
    if found is not _MISSING:
        where = f"{where} is {shown(found)}"
    if of_key:
        where = f"a key of {where}"
    return Refused(code, f"{where}: {text[:1].lower()}{text[1:]}", allowed=allowed)


def shown(value: Any) -> str:
    """The value as Python writes it, cut off where it is long."""
    try:
        text = repr(value)
    except RecursionError:
        return "nested too deep to be shown"
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 3]}..."


def _at(value: Any, path: str) -> Any:
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":
            return value  # one of its items: msgspec does not name which
        try:
            value = value[int(index) if index.isdigit() else key]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value
