"""Bytes and JSON are parsed to commands; at the door every bound is checked.

What the log holds passed the door once: `read_logged` asks for its form and knows no bound, so that
a bound can be lowered later. A refusal names what it found.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum, StrEnum
from functools import cache
from math import isfinite
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, ValidationError, convert, defstruct
from msgspec import field as struct_field
from msgspec.json import Decoder, Encoder
from msgspec.structs import fields as fields_of

from ...errors import Refused
from ...events.asked import BODY
from ...events.codec import Upcast, upcast
from ...events.strict import DEPTH, ODD, Malformed, plain_body, strict_body
from .commands import AnyCommand, Command
from .limits import FORM_OF, WORD

T = TypeVar("T")

QUOTED = 80
"""Characters of a value that a refusal shows, at most."""


def name_of(command: type[Command]) -> str:
    """What a command is called wherever its version does not matter: `roll` for tag `roll/1`."""
    return str(command.__struct_config__.tag).partition("/")[0]


COMMANDS: Mapping[str, type[Command]] = {
    str(command.__struct_config__.tag): command for command in get_args(AnyCommand)
}
"""Every command by its tag, the value of `do`: `name/version`."""

KINDS = frozenset(COMMANDS.values())
"""Every command."""

TAGS: Mapping[str, str] = {name_of(command): tag for tag, command in COMMANDS.items()}
"""The tag of every command by its name."""


def _without(new: tuple[str, ...]) -> Upcast:
    """An upcast to the next version, which added these fields and needs none of them."""

    def next_version(old: dict[str, Any]) -> dict[str, Any]:
        tag = str(old["do"])
        kind, _, version = tag.partition("/")
        for name in new:
            if name in old:
                raise Refused("unknown", f"{tag} has no field {name!r}", allowed=[TAGS[kind]])
        return {**old, "do": f"{kind}/{int(version) + 1}"}

    return next_version


def _without_nonce(old: dict[str, Any]) -> dict[str, Any]:
    """An upcast to the next version, in which no nonce is bound before its throw, nor opened."""
    tag = str(old["do"])
    kind, _, version = tag.partition("/")
    if "nonce" in old:
        why = f"a nonce of {tag}, which no throw of this version binds"
        raise Refused("unknown", why, allowed=[TAGS[kind]])
    return {**old, "do": f"{kind}/{int(version) + 1}"}


UPCASTS: Mapping[str, Upcast] = {
    "open/1": _without(("one_machine",)),
    "take-seat/1": _without(("key",)),
    "amend/1": _without(("against",)),
    "void/1": _without(("against",)),
    "void/2": _without_nonce,
    "rule/1": _without(("character", "fields", "nonce", "against")),
    "rule/2": _without_nonce,
}
"""Old tag -> what turns its JSON object into the next version's, the new tag included."""

CODES_OF: Mapping[str, str] = {
    r"length <=": "too-long",
    r"`(int|float)` [<>]|out of range": "out-of-range",
    r"unknown field": "unknown",
}
"""Our codes for what msgspec writes; anything else is malformed."""

FORMS_REFUSED: Mapping[str, str] = {
    f"Expected `str` matching regex {pattern!r}": words for pattern, words in FORM_OF.items()
}
"""What msgspec writes of a text that is not of its form -> the form in words."""

BOUND = re.compile(r"Expected `(\w+)` (?:of length )?(<=|>=|<|>|==) (\S+)")
"""What msgspec writes of a number, or of a length, that is out of its bounds."""

SIGNS: Mapping[str, str] = {
    "<=": "at most",
    ">=": "at least",
    "<": "less than",
    ">": "more than",
    "==": "exactly",
}
"""How a bound is said, by its sign."""

OF_KEY = "key` in `"
"""How msgspec begins a place that is wrong by one of its keys."""

UNLISTED = "Invalid enum value"
"""How msgspec begins where a value is none of a fixed list."""

SORT = re.compile(r"Expected `([\w| ]+)`, got `\w+`")
"""What msgspec writes of a value of another type."""

SORTS: Mapping[str, str] = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "names with values",
    "null": "nothing",
}
"""How the types of JSON are said."""

COUNTED: Mapping[str, str] = {"str": " characters", "array": " items", "object": " names"}
"""What the length of a value counts, by its type; a number has none."""

FREE = ("declaration", "reaction", "fields", "options")
"""Fields of commands that only a system reads."""

ATOMS = (str, int, bool, type(None))
"""Types of values that JSON carries as they are."""

JSON_TYPES = ("str", "int", "float that is finite", "bool", "None", "list", "tuple", "dict of str")
"""What JSON has a value for."""


def _unbounded(command: type[Command]) -> type[Struct]:
    """A Struct of the same form, of which no field has a bound."""
    hints = get_type_hints(command)  # without what is Annotated
    fields: list[Any] = []
    for each in fields_of(command):
        hint = hints[each.name]
        if each.default_factory is not NODEFAULT:
            fields.append((each.name, hint, struct_field(default_factory=each.default_factory)))
        elif each.default is not NODEFAULT:
            fields.append((each.name, hint, struct_field(default=each.default)))
        else:
            fields.append((each.name, hint))
    tag = command.__struct_config__.tag
    return defstruct(
        command.__name__, fields,
        tag=tag, tag_field="do", forbid_unknown_fields=True, omit_defaults=True, kw_only=True,
    )  # fmt: skip


@cache  # where a log is read: most programs decide commands and read none back
def _unbounded_commands() -> tuple[Mapping[type[Struct], Any], Any, Decoder[Any]]:
    """Each command without its bounds -> the command; any of them as a type; its decoder."""
    commands = {_unbounded(command): command for command in COMMANDS.values()}
    logged: Any = Union[tuple(commands)]  # noqa: UP007 (made of a tuple)
    return commands, logged, Decoder(logged)


_encoder = Encoder()
_decoder: Decoder[AnyCommand] = Decoder(AnyCommand)
_loose: Decoder[Any] = Decoder()

_MISSING = object()
"""No value: nothing is there, or it cannot be read."""


def body_of(command: Command) -> bytes:
    """The command as JSON, keys in the order given: what a request's HMAC is taken over.

    Raises Refused("malformed") for what is no command, and for a value that JSON cannot carry or
    would carry as another one; Refused("too-long") for a body beyond 16 KiB.
    """
    if type(command) not in KINDS:
        why = f"{shown(command)}, of type {type(command).__name__}, is no command"
        raise Refused("malformed", why, allowed=COMMANDS)
    try:
        body = written(command)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        _plain_fields(command)
        raise Refused("malformed", f"a command that JSON cannot carry: {error}") from error
    _no_longer(body)
    if not _is_read_as(command, body):
        _plain_fields(command)
    return body


def reread(command: Command) -> AnyCommand:
    """The command as its readers have it, every bound of its fields checked.

    Raises Refused as `body_of` and `read_command` do.
    """
    return read_command(body_of(command))


def _is_read_as(command: Command, body: bytes) -> bool:
    """Whether this body is surely read as this command; a value's own method may raise anything."""
    try:
        return bool(_decoder.decode(body) == command)
    except Exception:  # noqa: BLE001  (a value's own method may raise anything)
        return False


def _plain_fields(command: Command) -> None:
    """As `plain`, for every field of a command."""
    for name in command.__struct_fields__:
        plain(getattr(command, name), name)


def plain(value: Any, place: str) -> None:
    """Check that JSON carries a value as it is, with all that is in it; tuples are lists there.

    Raises Refused("malformed"), naming the place, for bytes, dates, sets, a number that is not
    finite, a key that is no text, and whatever else JSON has no value for.
    """
    waiting: list[tuple[str, Any, int]] = [(place, value, 0)]
    while waiting:
        at, found, depth = waiting.pop()
        if depth > DEPTH:
            raise Refused("malformed", f"{place} is nested more than {DEPTH} deep")
        if isinstance(found, Struct):
            found = {name: getattr(found, name) for name in found.__struct_fields__}
        if type(found) is dict:
            for key in found:
                if type(key) is not str:
                    raise _no_json(f"a key of {at[:QUOTED]}", key)
            inside = [(f"{at}.{key[:WORD]}", each, depth + 1) for key, each in found.items()]
        elif type(found) in (list, tuple):
            inside = [(f"{at}[{number}]", each, depth + 1) for number, each in enumerate(found)]
        elif _is_atom(found):
            continue
        else:
            raise _no_json(at[:QUOTED], found)
        waiting += reversed(inside)


def _is_atom(value: Any) -> bool:
    finite = type(value) is float and isfinite(value)
    return finite or type(value) in ATOMS or isinstance(value, (StrEnum, IntEnum))


def _no_json(place: str, value: Any) -> Refused:
    why = f"{_printable(place)} is {shown(value)}, of type {type(value).__name__}"
    return Refused("malformed", why, allowed=JSON_TYPES)


def _printable(text: str) -> str:
    """The text, with what UTF-8 cannot carry written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def written(value: Any) -> bytes:
    """The value as JSON, 12.0 as 12: in a body a whole number is written in one way.

    Raises TypeError, ValueError, OverflowError, RecursionError for what JSON cannot carry.
    """
    text = _encoder.encode(value)
    if b"." in text and ODD.search(text):
        text = _encoder.encode(_whole_numbers(_loose.decode(text)))
    return text


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read_command(body: bytes, upcasts: Mapping[str, Upcast] = UPCASTS) -> AnyCommand:
    """The command in these bytes, every bound of its fields checked; an old version is brought up.

    Raises Refused: "too-long" beyond 16 KiB, "malformed" where JSON is not strict, with the place;
    else naming the field, its value and what would be allowed.
    """
    _no_longer(body)
    command: AnyCommand = _read(body, _decoder, AnyCommand, upcasts)
    _short_words(command)
    return command


def read_logged(body: str, upcasts: Mapping[str, Upcast] = UPCASTS) -> AnyCommand:
    """The command of a body that the log holds; an old version is brought up.

    As `read_command`, but it knows no bounds.
    """
    commands, logged, decoder = _unbounded_commands()
    found = _read(body.encode("utf-8", "surrogatepass"), decoder, logged, upcasts)
    values = {name: getattr(found, name) for name in found.__struct_fields__}
    make: Callable[..., AnyCommand] = commands[type(found)]
    return make(**values)


def _read(body: bytes, decoder: Decoder[T], kind: Any, upcasts: Mapping[str, Upcast]) -> T:
    try:
        command = decoder.decode(body)
        if plain_body(body, _encoder.encode(command)):
            return command
    except (ValueError, RecursionError) as error:
        older: T = _brought_up(_strictly(body), error, kind, upcasts)
        return older
    _strictly(body)
    return command


def _short_words(command: AnyCommand) -> None:
    """Refuse with "too-long" a word beyond WORD characters, naming its place."""
    for name in FREE:
        for place, word in _words(getattr(command, name, None), name):
            if len(word) > WORD:
                why = f"{place} has a word of {len(word)} characters, {shown(word)}"
                raise Refused("too-long", why, allowed=[f"at most {WORD} characters"])


def _words(value: Any, place: str) -> Iterable[tuple[str, str]]:
    """Every text inside a JSON value, keys too, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield place, key
            yield from _words(item, f"{place}.{key[:WORD]}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _words(item, f"{place}[{at}]")


def _no_longer(body: bytes) -> None:
    if len(body) > BODY:
        raise Refused("too-long", f"a command of {len(body)} bytes", allowed=[f"at most {BODY}"])


def _strictly(body: bytes) -> dict[str, Any]:
    try:
        return strict_body(body)
    except Malformed as error:
        raise Refused("malformed", f"no strict JSON: {error}") from error


def _brought_up(
    old: dict[str, Any], error: Exception, kind: Any, upcasts: Mapping[str, Upcast]
) -> Any:
    """The command of an old version. Raises Refused for what is of none, as `error` says."""
    new = upcast(old, "do", upcasts)
    if new is None:
        raise _command_refused(error, old) from error
    try:
        return convert(new, kind)
    except ValidationError as newer:
        raise _command_refused(newer, new) from newer


def _command_refused(error: Exception, value: dict[str, Any]) -> Refused:
    do = value.get("do")
    kind = COMMANDS.get(do) if isinstance(do, str) else None
    return refusal(error, value, kind) if kind else _unknown(do)


def _unknown(do: Any) -> Refused:
    if not isinstance(do, str):
        return Refused("malformed", f"`do` names no command: {shown(do)}", allowed=COMMANDS)
    tag = TAGS.get(do.partition("/")[0])
    if tag is None:
        return Refused("unknown", f"`do` names no command: {shown(do)}", allowed=COMMANDS)
    return Refused("unknown", f"`do` names no version known here: {shown(do)}", allowed=[tag])


def read_as(value: Any, kind: type[T]) -> T:
    """A JSON value as one of a system's Structs. Raises Refused naming the field and its value."""
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise refusal(error, value, kind) from error


def refusal(error: Exception, value: Any, kind: Any) -> Refused:
    """The error that msgspec found, as a refusal that names the value, which should be a `kind`."""
    fields = getattr(kind, "__struct_encode_fields__", ())
    text, path, of_key = placed(error)
    code = next((code for words, code in CODES_OF.items() if re.search(words, text)), "malformed")
    allowed = fields if code == "unknown" and not path else ()
    if code == "unknown":
        path = ".".join(filter(None, (path, text.split("`")[1])))
        text = "no such field"
    if text in FORMS_REFUSED:
        text, allowed = "not of its form", [FORMS_REFUSED[text]]
    elif bound := BOUND.fullmatch(text):
        sort, sign, most = bound.groups()
        unit = COUNTED.get(sort, "").removesuffix("s" if most == "1" else "")
        text, allowed = "out of bounds", [f"{SIGNS[sign]} {most}{unit}"]
    elif text.startswith(UNLISTED):
        text, allowed = "not one of its values", _listed(kind, path)
    elif sorts := SORT.fullmatch(text):
        given = sorts[1].replace("int | float", "float").split(" | ")
        known = [SORTS.get(each, each) for each in given]
        text, allowed = "of another type", [" or ".join(known)]
    found = _at(value, path)
    where = path[:QUOTED] or "the value"
    if found is not _MISSING:
        where = f"{where} is {shown(found)}"
    if of_key:
        where = f"a key of {where}"
    return Refused(code, f"{where}: {text[:1].lower()}{text[1:]}", allowed=allowed)


def placed(error: Exception) -> tuple[str, str, bool]:
    """What msgspec finds wrong, at which place ("": the whole), and whether with a key there."""
    text, _, path = str(error).partition(" - at `")
    place = path.removeprefix(OF_KEY)
    return text, place.rstrip("`").removeprefix("$").removeprefix("."), place != path


def _listed(kind: Any, path: str) -> list[str]:
    """The values that a field may have, by a list of them in its type."""
    if not isinstance(kind, type(Struct)):
        return []
    name, _, rest = path.partition(".")
    hint = get_type_hints(kind).get(name.partition("[")[0])
    among = (hint, *get_args(hint))
    if rest:
        return next(filter(None, (_listed(each, rest) for each in among)), [])
    return [str(word) for each in among if get_origin(each) is Literal for word in get_args(each)]


def shown(value: Any) -> str:
    """The value as Python writes it, cut off where it is long; what cannot be written is named."""
    try:
        text = repr(value)
    except RecursionError:
        return "nested too deep to be shown"
    except Exception:  # noqa: BLE001  (a value's own method may raise anything)
        return "what cannot be shown"
    text = text if len(text) <= QUOTED else f"{text[: QUOTED - 3]}..."
    return _printable(text)


def _at(value: Any, path: str) -> Any:
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":
            return value  # one of its items: msgspec does not name which
        try:
            value = value[int(index) if index.isdigit() else key]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value
