"""Malformed frames and bodies: made at random, and by breaking good ones."""

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NoReturn, TypeAlias

Data: TypeAlias = str | bytes
"""A frame of text, or of bytes."""

ODD: Sequence[Any] = (
    None, True, -1, 0, 1.5, 2**63, 2**64, 10**30, 1e308, "", "\0", "\u202e", "x" * 3_000, [], {},
    [[]], {"": {}}, ["a"] * 200, "NaN", "\ud800",
)  # fmt: skip
"""Values of wrong types and sizes."""

RAW = (
    "1e999", "-0", "NaN", "Infinity", "9" * 5_000, "0x10", "01", "1.", "'x'", '"\\ud800"',
    '"\\udc00\\ud800"', '"\\u0000"', '"\\x41"', '"\n"', "//", "/**/", "undefined",
)  # fmt: skip
"""What is no JSON, or JSON that no strict reader takes."""

TYPES = ("enter", "ask", "prove", "Ask", "done", "commit", "__class__", "", "ask ", "\u0430sk")

Change: TypeAlias = Callable[[Random, str], Data]

# --- changes of the text --------------------------------------------------------------------------


def flipped(random: Random, text: str) -> Data:
    """Some bytes are others; as text where that is one."""
    data = bytearray(text.encode())
    for _ in range(random.randint(1, 4)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return bytes(data)


def cut(random: Random, text: str) -> Data:
    """The end or the begin is missing, or a piece of it."""
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return random.choice((text[:first], text[last:], text[:first] + text[last:]))


def doubled(random: Random, text: str) -> Data:
    """It comes twice, or goes on."""
    more = random.choice((text, "\0", "x", "}", ",", "{}", "\ufeff", "[]", "null"))
    return random.choice((text + more, more + text))


def nested(random: Random, text: str) -> Data:
    """It is deep within something."""
    depth = random.choice((1, 2, 63, 64, 65, 500, 5_000, 20_000))
    opened, closed = random.choice((("[", "]"), ('{"a":', "}"), ('{"type":', "}")))
    room = min(depth, (60_000 - len(text)) // len(opened + closed))
    return opened * room + text + closed * random.choice((0, room, room - 1))


def keyed_twice(random: Random, text: str) -> Data:
    """A key is there twice."""
    fields = list(json.loads(text).items())
    name, value = random.choice(fields)
    other = random.choice((value, *ODD[:10]))
    return text[:-1] + f",{json.dumps(name)}:{json.dumps(other)}}}"


def as_bytes(random: Random, text: str) -> Data:
    """A binary frame, in one of some encodings."""
    return text.encode(random.choice(("utf-8", "utf-16", "utf-32", "utf-8-sig")))


def spliced(random: Random, text: str) -> Data:
    """A value is one that is no JSON."""
    values = r':\s*("(?:[^"\\]|\\.)*"|-?\d+|true|\{|\[)'
    places = [found.span(1) for found in re.finditer(values, text)]
    first, last = random.choice(places)
    return text[:first] + random.choice(RAW) + text[last:]


def noise(random: Random, text: str) -> Data:
    """Nothing of it."""
    data = random.randbytes(random.choice((0, 1, 10, 300)))
    return random.choice((data, data.decode("latin-1"), data.hex(), json.dumps([data.hex()])))


def huge(random: Random, text: str) -> Data:
    """It is at the bound of a frame, or beyond it."""
    size = 65_536 + random.choice((-1, 0, 1, 2, 1_000))
    return text + random.choice((" ", "x")) * (size - len(text.encode()))


# --- changes of the value -------------------------------------------------------------------------


def changed(random: Random, text: str) -> Data:
    """A field is of another type, missing, or one too many; of the body within it too."""
    found = json.loads(text)
    if isinstance(found.get("body"), str) and random.random() < 0.6:
        inner = json.loads(found["body"])
        _change(random, inner)
        found["body"] = json.dumps(inner, ensure_ascii=random.random() < 0.8)
    else:
        _change(random, found)
    return sendable(json.dumps(found, ensure_ascii=random.random() < 0.8))


def _change(random: Random, found: dict[str, Any]) -> None:
    name = random.choice(list(found))
    match random.randrange(5):
        case 0:
            del found[name]
        case 1:
            found[random.choice(("x", "", "type", "do", "by", "seat", "\ud800"))] = random.choice(
                ODD
            )
        case 2:
            found["type" if "type" in found else "do"] = random.choice(TYPES)
        case _:
            found[name] = random.choice(ODD)


def within(random: Random, text: str) -> Data:
    """What a request holds is broken as a frame is."""
    found = json.loads(text)
    if not isinstance(found.get("body"), str):
        return changed(random, text)
    broken = random.choice((flipped, cut, doubled, keyed_twice, spliced, nested))(
        random, found["body"]
    )
    found["body"] = broken if isinstance(broken, str) else broken.decode("latin-1")
    return sendable(json.dumps(found))


def sendable(text: str) -> Data:
    """A text, or its bytes where no text can be sent so."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


CHANGES: Sequence[Change] = (
    flipped, flipped, cut, doubled, nested, keyed_twice, as_bytes, spliced, noise, huge, changed,
    changed, within, within,
)  # fmt: skip


def mutant(random: Random, good: Sequence[str]) -> Data:
    """A good text, broken in one way."""
    return random.choice(CHANGES)(random, random.choice(good))


# --- what is still good ---------------------------------------------------------------------------


def strict(text: Data) -> Any:
    """JSON, with no key twice. Raises ValueError."""
    if isinstance(text, bytes):
        text = text.decode()

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            raise ValueError("a key twice")
        return dict(found)

    def constant(name: str) -> NoReturn:
        raise ValueError(name)

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except RecursionError as error:
        raise ValueError("deep") from error


def is_request(data: Data, form: str = r"[A-Za-z0-9._-]{1,64}") -> bool:
    """Whether it is a request still, as far as JSON goes, if perhaps another one."""
    try:
        found = strict(data)
        inner = strict(found["body"])
        known = set(found) <= {"type", "request", "body", "text"}
        id = found["request"]
        return known and isinstance(inner, dict) and re.fullmatch(form, id) is not None
    except (ValueError, KeyError, TypeError):
        return False
