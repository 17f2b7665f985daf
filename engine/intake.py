"""From bytes and JSON to commands: every bound checked, every refusal naming the value it found."""

import re
from typing import Any, TypeVar

from msgspec import ValidationError, convert
from msgspec.json import Decoder, Encoder

from ..errors import Refused
from .commands import AnyCommand
from .limits import PAYLOAD
from .table_commands import Command

T = TypeVar("T")

SHOWN = 80
"""Characters of a value that a refusal shows, at most."""

_encoder = Encoder()
_decoder: Decoder[AnyCommand] = Decoder(AnyCommand)
_loose: Decoder[Any] = Decoder()


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
    """The command that these bytes ask for, every bound of its fields checked.

    Raises Refused naming the field, its value and what would be allowed.
    """
    if len(body) > PAYLOAD:
        raise Refused("too-long", f"a command of {len(body)} bytes", allowed=[f"at most {PAYLOAD}"])
    try:
        return _decoder.decode(body)
    except ValidationError as error:
        raise refusal(error, _loose.decode(body)) from error
    except (ValueError, RecursionError) as error:
        raise Refused("malformed", f"not JSON: {error}") from error


def read_as(value: Any, kind: type[T]) -> T:
    """A JSON value as one of a system's Structs. Raises Refused naming the field and its value."""
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise refusal(error, value) from error


def refusal(error: ValidationError, value: Any) -> Refused:
    """What msgspec found wrong, as a refusal that names the value it found."""
    text, _, path = str(error).partition(" - at `")
    path = path.rstrip("`").removeprefix("$").removeprefix(".")
    found = _at(value, path)
    code = "malformed"
    if "length" in text:
        code = "too-long" if "<=" in text else "malformed"
    elif re.search(r"`(int|float)` [<>]", text):
        code = "out-of-range"
    elif "unknown field" in text:
        code = "unknown"
    shown = repr(found)
    shown = shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."
    where = f"{path or 'the value'} is {shown}" if found is not _MISSING else path or "the value"
    return Refused(code, f"{where}: {text[:1].lower()}{text[1:]}")


_MISSING = object()


def _at(value: Any, path: str) -> Any:
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+|\.\.\.)\]", path):
        try:
            value = value[int(index) if index.isdigit() else key]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value
