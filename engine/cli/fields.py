"""Words of a command line become JSON values, by the type of the field that they are for.

    rd=8   opponent=Dan   modifiers.poor light=2   helpers=Dan,Ruth   status={"stunned": {"R": -1}}

A part of a field is named behind a dot. A list is written with commas, or its field is named again
for each item; lists and maps may be JSON too. A field that may be empty is emptied by `FIELD=`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec import DecodeError, Struct, inspect
from msgspec.json import decode

from ...errors import Refused
from ..core.parse import shown

Value: TypeAlias = Any
"""What JSON can carry."""

WHOLE = re.compile(r"[+-]?\d{1,18}\Z", re.ASCII)
NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?\Z", re.ASCII)
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}

LISTS = (inspect.VarTupleType, inspect.ListType, inspect.SetType, inspect.FrozenSetType)
NESTED = (*LISTS, inspect.TupleType, inspect.DictType, inspect.StructType)
"""Types of values that have parts."""


def read_fields(
    words: Iterable[str], kind: type[Struct], besides: Sequence[str] = ()
) -> dict[str, Value]:
    """The fields that words like `NAME=VALUE` give a Struct.

    Raises Refused: "malformed" for a word that is none or a value not of the field's type,
    "unknown" for a field that the Struct does not have; it then lists them without those `besides`.
    """
    known = inspect.type_info(kind)
    found: dict[str, Value] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name:
            allowed = [f"{each}=…" for each in field_names(kind, besides)]
            raise Refused("malformed", f"{shown(word)} is not FIELD=VALUE", allowed=allowed)
        try:
            found = put(found, known, name, text)
        except Refused as error:
            if error.code != "unknown" or "." in name:
                raise
            raise Refused("unknown", error.why, allowed=field_names(kind, besides)) from error
    return found


def read_map(words: Iterable[str], kind: inspect.Type, place: str) -> dict[str, Value]:
    """A map, or the pairs of a list, from words like `KEY=VALUE`; `kind` is that of a value."""
    found: dict[str, Value] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name:
            why = f"{place}: {shown(word)} is not NAME=VALUE"
            raise Refused("malformed", why, allowed=[f"NAME={expected(kind)}"])
        found[name] = read(text, kind, name)
    return found


def struct_fields(kind: type[Struct]) -> tuple[inspect.Field, ...]:
    """The fields of a Struct, with their types."""
    found = inspect.type_info(kind)
    return found.fields if isinstance(found, inspect.StructType) else ()


def field_names(kind: type[Struct], besides: Sequence[str] = ()) -> list[str]:
    """The names of a Struct's fields, without those `besides`."""
    return [name for name in kind.__struct_encode_fields__ if name not in besides]


def put(held: Value, kind: inspect.Type, path: str, text: str, place: str = "") -> Value:
    """The value that is held, with the text at a path within it."""
    if not path:
        value = read(text, kind, place)
        again = isinstance(held, list) and isinstance(value, list)
        return [*held, *value] if again else value
    part = inside(kind, path, place)
    inner = held if isinstance(held, dict) else {}
    return {
        **inner,
        part.name: put(inner.get(part.name), part.kind, part.rest, text, part.place),
    }


class Part(NamedTuple):
    """A part of a value: its name, its type, where it is, and the path within it.

    `keyed`: it is under a key of an object, and no field of a Struct.
    """

    name: str
    kind: inspect.Type
    place: str
    rest: str
    keyed: bool


def inside(kind: inspect.Type, path: str, place: str) -> Part:
    """The part that a path names first. Raises Refused, "unknown" for a field that is not there."""
    for each in members(kind):
        if isinstance(each, inspect.StructType) and not each.array_like:
            name, _, rest = path.partition(".")
            fields = {field.encode_name: field.type for field in each.fields}
            if name not in fields:
                has = f"{place} has no field" if place else "no such field:"
                raise Refused("unknown", f"{has} {shown(name)}", allowed=fields)
            return Part(name, fields[name], f"{place}.{name}" if place else name, rest, keyed=False)
        if isinstance(each, inspect.DictType):
            deep = any(isinstance(part, NESTED) for part in members(each.value_type))
            name, _, rest = path.partition(".") if deep else (path, "", "")
            key = str(read(name, each.key_type, f"a name in {place}"))
            return Part(key, each.value_type, f"{place}.{key}", rest, keyed=True)
    raise Refused("malformed", f"{place} has no parts", allowed=[f"{place}={expected(kind)}"])


def read(text: str, kind: inspect.Type, place: str) -> Value:
    """The value that a text is. Raises Refused("malformed") naming the place and what would do."""
    for each in sorted(members(kind), key=_turn):
        found = _read_as(text, each, place)
        if found is not _NO_VALUE:
            return found
    why = f"{place} is {shown(text)}, not {expected(kind)}"
    raise Refused("malformed", why, allowed=literals(kind))


def members(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    """The types of a union; of any other the type itself."""
    if isinstance(kind, inspect.Metadata):
        return members(kind.type)
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)


def literals(kind: inspect.Type) -> list[str]:
    """The values of a field that has a few."""
    found = [each for each in members(kind) if isinstance(each, inspect.LiteralType)]
    return [str(value) for each in found for value in each.values]


def expected(kind: inspect.Type) -> str:
    """What a field takes, in a few words."""
    every = [_expected(each) for each in members(kind) if not isinstance(each, inspect.NoneType)]
    return " or ".join(dict.fromkeys(every))


_NO_VALUE = object()
"""The text is no value of that type."""


def _turn(kind: inspect.Type) -> int:
    """When a type of a union is tried: text last, for every word is one."""
    return 2 if isinstance(kind, inspect.StrType) else 1 if isinstance(kind, inspect.AnyType) else 0


def _read_as(text: str, kind: inspect.Type, place: str) -> Value:
    match kind:
        case inspect.StrType():
            return text
        case inspect.IntType():
            return int(text) if WHOLE.match(text) else _NO_VALUE
        case inspect.FloatType():
            return _number(text) if NUMBER.match(text) else _NO_VALUE
        case inspect.BoolType():
            return TRUTHS.get(text.lower(), _NO_VALUE)
        case inspect.LiteralType():
            return next((each for each in kind.values if str(each) == text), _NO_VALUE)
        case inspect.NoneType():
            return None if not text else _NO_VALUE
        case inspect.AnyType():
            return (
                _json(text) if text[:1] in '{["' or text == "null" else read(text, ANYTHING, place)
            )
        case _ if isinstance(kind, NESTED) and text[:1] in ("{", "["):
            return _json(text)
        case _ if isinstance(kind, LISTS):
            parts = re.split(r"\s*,\s*", text.strip()) if text.strip() else []
            return [read(part, kind.item_type, place) for part in parts]
        case _:
            return _NO_VALUE


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _json(text: str) -> Value:
    try:
        return decode(text)
    except DecodeError as error:
        raise Refused("malformed", f"{shown(text)} is no JSON: {error}") from error


def _expected(kind: inspect.Type) -> str:
    match kind:
        case inspect.IntType() | inspect.FloatType():
            what = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
            if kind.ge is not None and kind.le is not None:
                return f"{what} from {kind.ge:,} to {kind.le:,}"
            return f"{what} from {kind.ge:,}" if kind.ge is not None else what
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType():
            return " or ".join(map(str, kind.values))
        case inspect.StrType():
            return "a word"
        case inspect.StructType():
            return "its parts, each as FIELD.PART=VALUE"
        case inspect.DictType():
            return f"parts, each as FIELD.NAME={expected(kind.value_type)}"
        case _ if isinstance(kind, LISTS):
            return f"a list, with commas, of {expected(kind.item_type)}"
        case _:
            return "JSON"


ANYTHING = inspect.type_info(int | float | bool | str)
"""What a word is where its type says nothing."""
