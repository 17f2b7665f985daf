"""JSON that every reader reads alike: no key twice, no number or text on which readers differ.

`strict_object` reads the lines and payloads of a bundle, `strict_body` a command's body, in which a
number can be written in one way alone. Both are slow: a text that is surely strict need not be read
by them (`plain_body`).
"""

import json
import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from .base import JSON

Path: TypeAlias = tuple[str | int, ...]

MOST = (1 << 53) - 1
"""The largest whole number, either way: what every reader of JSON holds exactly."""

DIGITS = len(f"-{MOST}")
"""Characters of a whole number, at most."""

LONG = re.compile(rb"[:,\[-][0-9]{16}")
"""Where JSON without blanks may have a number that is beyond the strict bounds."""

ODD = re.compile(rb"[:,\[-](?:[0-9]{16}|[0-9]+[.eE])")
"""Where JSON without blanks may have a number beyond the bounds, with a point or an exponent."""

DEPTH = 64
"""Objects and lists inside one another, at most, the outermost counted."""

SHOWN = 40
"""Characters of a number or a key that a message shows, at most."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a surrogate pair, perhaps: which half, and whether alone, only encoding it shows."""

BOM = b"\xef\xbb\xbf"


class Malformed(ValueError):
    """A text that is not of its form; the message is why."""


class Fault(NamedTuple):
    """What stands in a parsed body in the place of a value that is not strict."""

    why: str


# --- what is read ---------------------------------------------------------------------------------


def strict_object(text: bytes) -> JSON:
    """A JSON object in UTF-8, in which no object has a key twice.

    Raises Malformed for anything else, for whole numbers beyond MOST either way, for half of a
    surrogate pair, and for what is nested more than DEPTH deep: readers of JSON read those in
    different ways.
    """
    found = _parsed(text, _decoder)
    if brackets(text) > DEPTH and any(_too_deep(each, len(path)) for path, each in _inside(found)):
        raise Malformed(f"nested more than {DEPTH} deep")
    if b"\\u" in text and _SURROGATE.search(text.decode("utf-8")):
        try:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            raise Malformed("half of a surrogate pair") from error
        except RecursionError as error:
            raise Malformed("nested too deeply") from error
    return _object(found)


def strict_body(text: bytes) -> JSON:
    """A command's body: as `strict_object`, numbers written in one way, nested at most DEPTH deep.

    A whole number has no fraction, no exponent, and is not -0; any other, as 9.5, no exponent.
    Raises Malformed for anything else and for a byte order mark; it says where in the body that is.
    """
    if text.startswith(BOM):
        raise Malformed("a byte order mark, before the body")
    found = _parsed(text, _marking)
    for path, value in _inside(found):
        if why := _fault(value, len(path)):
            raise Malformed(f"{_place(path)}: {why}")
    return _object(found)


def plain_body(text: bytes, again: bytes) -> bool:
    """Whether a body is surely strict, by what its reader writes for what it has read.

    Equal to the byte, it has no key twice, no `-0`, no half of a surrogate pair, and no blanks. So
    only its numbers and its depth are left, which are judged as text. False decides nothing.
    """
    return text == again and brackets(text) <= DEPTH and not ODD.search(text)


def brackets(text: bytes) -> int:
    """How many there are that open: no more than these are inside one another."""
    return text.count(b"{") + text.count(b"[")


def _object(found: Any) -> JSON:
    if not isinstance(found, dict):
        raise Malformed("not a JSON object")
    return found


def _parsed(text: bytes, decoder: json.JSONDecoder) -> Any:
    try:
        return decoder.decode(text.decode("utf-8"))
    except RecursionError as error:
        raise Malformed("nested too deeply") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Malformed(f"not JSON in UTF-8: {error}") from error


# --- what the parser asks -------------------------------------------------------------------------


def _once(pairs: list[tuple[str, Any]]) -> JSON:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"the key {twice[:SHOWN]!r} is twice in one object")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise Malformed(f"the number {text[:SHOWN]} is beyond all bounds")
    return value


def _whole(text: str) -> int:
    # As text first: reading digits takes time that grows with the square of their number.
    if len(text) > DIGITS or not -MOST <= (value := int(text)) <= MOST:
        raise Malformed(f"the number {text[:SHOWN]} is beyond {MOST} either way")
    return value


def _unsigned_zero(text: str) -> int:
    if text == "-0":
        raise Malformed("the number -0 is a zero with a sign")
    return _whole(text)


def _fraction(text: str) -> float:
    if "e" in text.lower():
        raise Malformed(f"the number {text[:SHOWN]} has an exponent")
    value = _finite(text)
    if value.is_integer():
        raise Malformed(f"the number {text[:SHOWN]} is whole, and has a fraction")
    return value


def _no_constant(text: str) -> float:
    raise Malformed(f"{text} is no JSON")


def _marked(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same, but a Fault is given where it raises: the parser does not know where it is."""

    def mark(found: Any) -> Any:
        try:
            return read(found)
        except Malformed as error:
            return Fault(str(error))

    return mark


_decoder = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=_whole, parse_float=_finite, parse_constant=_no_constant
)
_marking = json.JSONDecoder(
    object_pairs_hook=_marked(_once),
    parse_int=_marked(_unsigned_zero),
    parse_float=_marked(_fraction),
    parse_constant=_marked(_no_constant),
)


# --- where a fault is -----------------------------------------------------------------------------


def _inside(found: Any) -> Iterator[tuple[Path, Any]]:
    """The value and everything in it, each with its path, in the order of the text."""
    waiting: list[tuple[Path, Any]] = [((), found)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if isinstance(value, dict):
            waiting += [((*path, key), each) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [((*path, at), value[at]) for at in reversed(range(len(value)))]


def _fault(value: Any, depth: int) -> str | None:
    """What is wrong with a value that has so many objects and lists around it, if anything."""
    if isinstance(value, Fault):
        return value.why
    if isinstance(value, str):
        return "half of a surrogate pair" if _halved(value) else None
    if _too_deep(value, depth):
        return f"nested more than {DEPTH} deep"
    if isinstance(value, dict) and any(map(_halved, value)):
        return "half of a surrogate pair in a key"
    return None


def _too_deep(value: Any, depth: int) -> bool:
    return depth >= DEPTH and isinstance(value, (dict, list))


def _halved(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _place(path: Path) -> str:
    """`declaration.dice[2]`, cut off where it is long; of the whole, `the body`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    text = "".join(parts).lstrip(".").encode("utf-8", "backslashreplace").decode() or "the body"
    return text if len(text) <= 2 * SHOWN else f"{text[: 2 * SHOWN]}..."
