"""engine/server/web/urim.d.ts: the JSON Schemas of the wire as TypeScript, for clients.

It knows the words of JSON Schema that Urim's schemas use, and stops at any other one. What a type
cannot say (patterns, bounds) is left to the schemas. `python -m tests.generated` compares and
writes the file.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, get_args

from msgspec import Struct

from tests.tree import ROOT
from urim.engine.core.schema import Whole, schema_among
from urim.engine.wire import framed, frames, numbers
from urim.engine.wire.schema import EVERY, plain_name

PATH = ROOT / "engine" / "server" / "web" / "urim.d.ts"

Schema: TypeAlias = Mapping[str, Any]

UNIONS: Mapping[str, str] = {
    "Command": "What a seat may ask for, as a body: each known by its `do`.",
    "TableEvent": "What happened, as the log has it: each known by its `type`.",
    "Answer": "What a seat may be sent beside entries: each known by its `type`.",
    "Frame": "What goes over a socket, either way: each known by its `type`.",
    "Body": "The bodies of HTTP that are no request and no Answer.",
    "FrameMessage": "What the page and one around it tell each other: each known by its `urim`.",
    "Request": "What is posted to have a command done.",
    "Words": "An object that only the table's system reads.",
    "Word": "A value in it.",
}
"""Definitions that are no Struct, and what they are."""

HEAD = """\
// The types of Urim's wire: commands, events, answers, frames, bodies, problems.
// Written from the JSON Schemas (`python -m tests.generated --write`): do not edit.
// A newer server may send fields, codes and events that are not here: pass over them.
"""

SILENT = {"title", "description", "default", "pattern", "contentMediaType", "x-picks", "required"}
BOUNDS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
           "null": "null"}  # fmt: skip


class Unwritable(ValueError):
    """A schema with words that this does not know, or two types of one name."""


def typescript() -> str:
    """The whole file."""
    defs: Mapping[str, Schema] = {}
    messages = (*get_args(framed.ToFrame), *get_args(framed.FromFrame))
    every: Whole = {**EVERY, "FrameMessage": messages}
    for part in every:
        defs = {**defs, **schema_among(every, None, part)["$defs"]}
    named: dict[str, str] = {}
    for name, found in defs.items():
        _add(named, plain_name(name), _declared(plain_name(name), found))
    _add(named, "Code", _hoisted(defs))
    _add(named, "CloseCode", _union_of("CloseCode", map(str, sorted(numbers.CLOSES)), _CLOSES))
    for name, union, words in (
        ("FromClient", frames.Incoming, "What a client may send over a socket."),
        ("FromServer", frames.Outgoing, "What a server sends over a socket."),
        ("ToFrame", framed.ToFrame, "What a page may tell Urim's in a frame of it."),
        ("FromFrame", framed.FromFrame, "What Urim's page tells the one around it."),
    ):
        members: tuple[type[Struct], ...] = get_args(union)
        _add(named, name, _union_of(name, [kind.__name__ for kind in members], words))
    return "\n".join([HEAD, *(named[name] for name in named)])


_CLOSES = "Why a socket was closed:\n" + "\n".join(
    f"- {code}: {why}" for code, why in sorted(numbers.CLOSES.items())
)


def _add(named: dict[str, str], name: str, text: str) -> None:
    if named.setdefault(name, text) != text:
        raise Unwritable(f"two types are called {name}")


def _hoisted(defs: Mapping[str, Schema]) -> str:
    """The codes, which have a name of their own."""
    found: Schema = defs["bodies.Problem"]["properties"]["code"]
    words = "A stable code of a refusal; newer servers may have more."
    return _union_of("Code", [json.dumps(code) for code in found["enum"]], words)


def _declared(name: str, found: Schema) -> str:
    """One `export`, with its comment."""
    words: str = UNIONS.get(name) or found.get("description", "")
    if "properties" in found:
        return "".join([_comment(words), f"export interface {name} {{\n", *_fields(found), "}\n"])
    if name == "Words":  # an interface may refer to itself
        return f"{_comment(words)}export interface {name} {{\n  [key: string]: Word;\n}}\n"
    if "anyOf" in found:
        return _union_of(name, [type_of(each) for each in found["anyOf"]], words)
    return f"{_comment(words)}export type {name} = {type_of(found)};\n"


def _union_of(name: str, members: Iterable[str], words: str) -> str:
    lines = "".join(f"\n  | {each}" for each in dict.fromkeys(members))
    return f"{_comment(words)}export type {name} ={lines};\n"


def _fields(found: Schema) -> Iterator[str]:
    for name, each in found["properties"].items():
        mark = "" if name in found["required"] else "?"
        key = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
        yield _comment(each.get("description", ""), "  ")
        yield f"  {key}{mark}: {type_of(each)};\n"


def fields_of(found: Schema) -> list[tuple[str, str, Any]]:
    """The fields of a Struct's schema: name, type, and what stands for it where it is left out.

    That is `...` where it must be there.
    """
    return [
        (name, type_of(each), ... if name in found["required"] else each.get("default", {}))
        for name, each in found["properties"].items()
    ]


def _comment(words: str, indent: str = "") -> str:
    if not words:
        return ""
    lines = words.replace("*/", "*\\/").split("\n")
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return "".join(
        [
            f"{indent}/**\n",
            *(f"{indent} * {line}".rstrip() + "\n" for line in lines),
            f"{indent} */\n",
        ]
    )


# --- one type -------------------------------------------------------------------------------------


def type_of(found: Schema) -> str:
    """A schema as a type. Raises Unwritable for words that are not known here."""
    left = {key for key in found if key not in SILENT | BOUNDS and not key.startswith("x-")}
    if "$ref" in left:
        return plain_name(found["$ref"].removeprefix("#/$defs/"))
    if found.get("title") == "Code":
        return "Code"
    for key, of_it in (("enum", _enum), ("const", _const), ("anyOf", _any_of)):
        if key in left:
            return of_it(found)
    kind = found.get("type")
    if isinstance(kind, list):
        return " | ".join(SCALARS[each] for each in kind)
    if kind == "array" and left <= {"type", "items", "prefixItems"}:
        return _array(found)
    if kind == "object" and left <= {"type", "additionalProperties", "propertyNames"}:
        return _map(found)
    if kind in SCALARS and left == {"type"}:
        return SCALARS[kind]
    if not left:
        return "unknown"
    raise Unwritable(f"no type is known for {dict(found)}")


def _enum(found: Schema) -> str:
    return " | ".join(json.dumps(value) for value in found["enum"])


def _const(found: Schema) -> str:
    return json.dumps(found["const"])


def _any_of(found: Schema) -> str:
    return " | ".join(dict.fromkeys(type_of(each) for each in found["anyOf"]))


def _array(found: Schema) -> str:
    if "prefixItems" in found:
        each = [type_of(item) for item in found["prefixItems"]]
        least = found.get("minItems", 0)
        return f"[{', '.join(_or_not(item, at < least) for at, item in enumerate(each))}]"
    inner = type_of(found.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _or_not(inner: str, there: bool) -> str:
    return inner if there else f"({inner})?"


def _map(found: Schema) -> str:
    extra = found.get("additionalProperties", True)
    inner = "unknown" if extra is True else type_of(extra)
    keys = found.get("propertyNames", {}).get("enum")
    if keys:
        return f"{{ [key in {' | '.join(map(json.dumps, keys))}]?: {inner} }}"
    return f"{{ [key: string]: {inner} }}"
