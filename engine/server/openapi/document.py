"""The server's OpenAPI 3.1 document: the operations, the schemas of what goes over them, examples.

The schemas are those of `urim schema`, in one namespace; a status says which codes it may have.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec.json import decode, encode

from .... import __version__
from ....errors import CODES
from ....events.strict import MOST
from ....events.throw import FORMS
from ....projections.aims import SAID
from ...access.rights import RIGHTS
from ...core.schema import DIALECT
from ...wire.problems import MEDIA_TYPE, OURS, STATUS
from ...wire.schema import WirePart, plain_name, schema
from ..http.incoming import LANGUAGE, ROLLS
from .answers import GIVEN, SENT
from .examples import OPENING, examples
from .operations import ANY_JSON, NDJSON, OPERATIONS, Operation, Tag

Json: TypeAlias = dict[str, Any]

PARTS: tuple[WirePart, ...] = ("commands", "request", "answers", "bodies", "frames")

PARAMETERS: Mapping[str, Json] = MappingProxyType(
    {
        "table": {"schema": {"type": "string", "pattern": f"^{FORMS['table id'][0]}$"}},
        "seat": {"schema": {"type": "string"}},
        "name": {"schema": {"type": "string"}, "description": "A system's name."},
        "system": {"schema": {"type": "string"}, "description": "A system's name; without: any."},
        "id": {"schema": {"type": "string"}, "description": "An id out of a list."},
        "roll": {"schema": {"type": "integer", "minimum": 1, "maximum": ROLLS}},
        "seq": {"schema": {"type": "integer", "minimum": 0, "maximum": MOST}},
        "size": {"schema": {"type": "integer", "minimum": 0, "maximum": MOST}},
        "language": {
            "schema": {"type": "string", "pattern": f"^{LANGUAGE.pattern}$", "default": "en"},
            "description": "The language of words; English where there are no others.",
        },
        "after": {
            "schema": {"type": "integer", "minimum": -1, "maximum": MOST, "default": -1},
            "description": "The last entry that is known; -1 for none.",
        },
        "after_roll": {
            "name": "after",
            "schema": {"type": "integer", "minimum": 0, "maximum": ROLLS, "default": 0},
            "description": "Only rolls after this one.",
        },
        "most": {"schema": {"type": "integer", "minimum": 1, "maximum": 50, "default": 50}},
        "roll_only": {
            "name": "roll",
            "schema": {"type": "integer", "minimum": 1, "maximum": ROLLS},
            "description": "Of this roll alone.",
        },
        "character": {"schema": {"type": "string", "minLength": 1}},
        "field": {
            "schema": {"type": "string", "minLength": 1},
            "description": "A field of the system's form; one within another is `status.colours`.",
        },
        "reacts_to": {
            "schema": {"type": "integer", "minimum": 1, "maximum": ROLLS},
            "description": "The roll that the form is a reaction to.",
        },
        "follows": {
            "schema": {"type": "integer", "minimum": 1, "maximum": ROLLS},
            "description": "The roll that the new one follows; with `link`.",
        },
        "link": {"schema": {"type": "string"}, "description": "How it follows; with `follows`."},
        "aim": {
            "schema": {"type": "string", "minLength": 1},
            "description": f"What is wanted: {', '.join(SAID)}; without it, as the system has it.",
        },
        "so_far": {
            "schema": {"type": "string", "contentMediaType": "application/json"},
            "description": "What is filled in already: a JSON object.",
        },
    }
)
"""Every parameter; `name` where that is another than the key."""

TAGS: Mapping[Tag, str] = MappingProxyType(
    {
        "server": "What runs here.",
        "access": "Who comes in.",
        "tables": "Tables of the server, for its host.",
        "reading": "A table as a seat sees it.",
        "requests": "What a seat wants done, disputes and rulings too.",
        "log": "The table's log, signed heads, proofs, bundles.",
    }
)

DESCRIPTION = """\
Commands in, commits out, hidden things hidden.

An invitation is exchanged for a bearer token, which stands for one seat of one table. A table is
followed over a WebSocket at `/tables/{table}/socket`: the schema `Frame` is what goes over it.
Refusals are problem details (RFC 9457); their `code` is stable, and `/problems` says what each
means. Of what a seat may not see, answers and refusals are as if it were not there."""


@cache
def document() -> bytes:
    """The document as JSON."""
    return encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "Urim", "version": __version__, "description": DESCRIPTION},
            "jsonSchemaDialect": DIALECT,
            "servers": [{"url": "/"}],
            "tags": [{"name": name, "description": words} for name, words in TAGS.items()],
            "paths": _paths(),
            "components": {
                "schemas": schemas(),
                "securitySchemes": {
                    "token": {
                        "type": "http",
                        "scheme": "bearer",
                        "description": "What an invitation was exchanged for: `urim-t1-…`.",
                    }
                },
            },
        }
    )


# --- operations -----------------------------------------------------------------------------------


def _paths() -> Json:
    found: Json = {}
    for each in OPERATIONS:
        found.setdefault(each.path, {})[each.method] = _operation(each)
    return found


def _operation(each: Operation) -> Json:
    found: Json = {
        "operationId": each.id,
        "tags": [each.tag],
        "summary": each.summary,
        "security": [] if each.needs is None else [{"token": []}],
        "responses": {str(each.status): _answer(each), **_problems(each)},
    }
    if each.needs is not None and each.needs != "token":
        found["description"] = f"Needs the right `{each.needs}`: {RIGHTS[each.needs]}."
    in_path = [name.partition("}")[0] for name in each.path.split("{")[1:]]
    given = [_parameter(name, "path", needed=True) for name in in_path]
    given += [_parameter(name, "query", needed=name in each.needed) for name in each.takes]
    if given:
        found["parameters"] = given
    if each.asks is not None:
        content: Json = {"schema": _ref(each.asks)}
        if shown := _examples(each):
            content["examples"] = shown
        found["requestBody"] = {"required": True, "content": {"application/json": content}}
    return found


def _parameter(name: str, place: str, *, needed: bool) -> Json:
    return {"name": name, "in": place, "required": needed, **PARAMETERS[name]}


def _examples(each: Operation) -> Json:
    """A request of every command, where one is sent; a preview has its body alone."""
    if each.id == "openTable":
        opening = decode(encode(OPENING))
        value = {name: opening[name] for name in opening if name != "do"}
        return {
            opening["do"]: {"value": value | {"narrator": "narrator", "request": "example-open"}}
        }
    if each.id not in ("request", "preview"):
        return {name: {"value": _plain(one)} for name, one in SENT.get(each.id, {}).items()}
    found = {tag: decode(request.written()) for tag, request in examples().items()}
    if each.id == "preview":
        found = {tag: {"body": value["body"]} for tag, value in found.items()}
    return {tag: {"value": value} for tag, value in found.items()}


def _plain(value: Any) -> Any:
    return decode(encode(value))


def _answer(each: Operation) -> Json:
    if each.gives == ANY_JSON:
        made: Json = {"type": "object"}
    elif each.media == NDJSON:
        words = f"Lines, each a `{each.gives}`." if each.gives else "Lines; see docs/bundle.md."
        made = {"type": "string", "description": words}
    elif not each.gives:
        made = {"type": "string"}
    else:
        made = {"type": "array", "items": _ref(each.gives)} if each.many else _ref(each.gives)
    if each.refusal:
        made = {"anyOf": [made, _ref(each.refusal)]}
    content: Json = {"schema": made}
    if each.id in GIVEN:
        content["example"] = _plain(GIVEN[each.id])
    found: Json = {"description": each.summary, "content": {each.media: content}}
    if each.id == "entries":
        words = "The table's size after these entries."
        found["headers"] = {"Urim-Size": {"schema": {"type": "integer"}, "description": words}}
    return found


def _problems(each: Operation) -> Json:
    """The problems by status, with the codes that each may have."""
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(_codes(each)):
        status = STATUS[code] if code in STATUS else OURS[code][0]
        by_status.setdefault(status, []).append(code)
    return {str(status): _problem(codes) for status, codes in sorted(by_status.items())}


def _codes(each: Operation) -> Iterable[str]:
    yield from ("foreign", "broken")
    if each.needs is not None:
        yield from ("no-token", "too-fast", "unavailable")
    if each.needs not in (None, "token"):
        yield "no-right"
    if "{table}" in each.path:
        yield "no-table"
    # Every address refuses parameters that it does not know.
    yield from ("malformed", "out-of-range")
    if each.asks is not None:
        yield from ("too-big", "not-json", "too-long", "unknown")
    yield from CODES if each.refuses == ("*",) else each.refuses


def _problem(codes: list[str]) -> Json:
    means = {code: CODES.get(code) or OURS[code][1] for code in codes}
    made: Json = {"schema": _ref("bodies.Problem")}
    found: Json = {
        "description": "; ".join(f"`{code}`: {words}" for code, words in means.items()),
        "content": {MEDIA_TYPE: made},
    }
    if any(code in ("over-budget", "too-fast", "unavailable", "unreadable") for code in codes):
        words = "Seconds after which to ask again."
        found["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": words}}
    return found


# --- schemas --------------------------------------------------------------------------------------


DEFS = "#/$defs/"


def schemas() -> Json:
    """Every schema of commands, requests, answers, bodies and frames: each once, in one namespace.

    They are those of `urim schema`, so written that generators of clients read them: a title is a
    name of its own, and no type holds itself.
    """
    found: Json = {}
    for part in PARTS:
        for name, each in schema(part=part)["$defs"].items():
            title = {"title": plain_name(name)} if "title" in each else {}
            one = _readable(each) | title
            if found.setdefault(plain_name(name), one) != one:
                raise ValueError(f"two schemas are called {plain_name(name)}")
    found["Word"] = {"description": "Any JSON that only the table's system reads."}
    for each in (found["WireRequest"], found["PreviewBody"]):
        each["properties"]["body"]["contentSchema"] = _ref("commands")
    return found


def _readable(value: Any) -> Any:
    """A schema with references into the document, and nothing that generators stumble over.

    They take a field with a default for one that is always sent, an object without fields for an
    empty one, and know no `items: false`.
    """
    if isinstance(value, list):
        return [_readable(each) for each in value]
    if isinstance(value, str) and value.startswith(DEFS):
        return _ref(value.removeprefix(DEFS))["$ref"]
    if not isinstance(value, dict):
        return value
    found = {k: _readable(each) for k, each in value.items() if (k, each) != ("items", False)}
    if found.get("type") == "object" and not found.keys() & {"properties", "additionalProperties"}:
        found["additionalProperties"] = True
    if isinstance(found.get("properties"), dict):
        found["properties"] = {k: _without_default(each) for k, each in found["properties"].items()}
    return found


def _without_default(field: Json) -> Json:
    """The schema of a field, with its default in words where it is a value."""
    left = {name: each for name, each in field.items() if name != "default"}
    if field.get("default") not in (None, [], {}, ""):
        said = f"By itself {encode(field['default']).decode()}."
        left["description"] = " ".join(filter(None, [field.get("description"), said]))
    return left


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{plain_name(name)}"}
