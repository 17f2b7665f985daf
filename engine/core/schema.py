"""JSON Schemas (draft 2020-12) of commands, events, declarations, reactions and options.

They are made of the Structs that decode them, so they accept what the decoders accept; put together
for one system, a declaration is that system's and no longer any object. What a bound allows, a
schema says; what depends on a table, a sheet or another field, only deciding knows.

Beside the standard words a field has `x-group`, `x-when` and `x-picks` (as in `rules.forms`), and
`x-set-by` where not everybody may set it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc
from typing import Any, Literal, TypeAlias

from msgspec import Struct, inspect
from msgspec.json import decode, encode, schema_components

from ...errors import Refused
from ...events.codec import EVENTS
from ...projections.account import Account
from ...rules.forms import structs_in
from ...rules.ruleset import Damage, Outcome, Rollable, Ruleset
from .choices import Choice
from .limits import WORD
from .moves import Awaiting, RollMoves
from .parse import COMMANDS
from .preview import Preview
from .refusal import Refusal
from .request import WireRequest
from .sight import Sight

Part: TypeAlias = Literal[
    "commands", "events", "request", "answers", "declaration", "reaction", "options"
]
"""What a schema can be of."""

Schema: TypeAlias = dict[str, Any]

Whole: TypeAlias = Mapping[str, tuple[type[Struct], ...]]
"""Parts that are there without a system too, and what each is one of."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

END = (r"\Z", r"$(?!\n)")
"""The end of a text, as Python writes it and as everybody reads it."""

ASKED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("OpenTable", "options"): ("Options",),
    ("Declare", "declaration"): ("Declaration",),
    ("React", "reaction"): ("Reaction",),
    ("Replace", "fields"): ("FieldsOfDeclaration",),
    ("Amend", "fields"): ("FieldsOfDeclaration", "FieldsOfReaction"),
    ("Rule", "fields"): ("FieldsOfDeclaration", "FieldsOfReaction"),
}
"""Fields of commands that a system reads, and which of its schemas they have."""

LOGGED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("TableOpened", "options"): ("Options",),
    ("RollDeclared", "declaration"): ("Declaration",),
    ("ReactionDeclared", "reaction"): ("Reaction",),
    ("DeclarationReplaced", "declared"): ("Declaration",),
    ("RollResolved", "outcome"): ("Outcome",),
    ("DamageApplied", "damage"): ("Damage",),
    ("RollAmended", "declared"): ("Declaration", "Reaction"),
    ("RollAmended", "outcome"): ("Outcome",),
}
"""Fields of events that a system has settled or announced, and their schemas."""


ANSWERS: tuple[type[Struct], ...] = (
    *(Sight, RollMoves, Awaiting, Preview, Choice, Rollable, Account, Refusal),
)
"""What a seat may be sent beside entries; each has a `type`."""

ANSWERED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("Sight", "options"): ("Options",),
    ("RollSight", "declaration"): ("Declaration",),
    ("ReactionSight", "reaction"): ("Reaction",),
}
"""Fields of answers that a system has settled, and their schemas."""

WHOLE: Whole = {
    "commands": tuple(COMMANDS.values()),
    "events": tuple(EVENTS.values()),
    "request": (WireRequest,),
    "answers": ANSWERS,
}
"""Those of a table: what it takes, what its log holds, what a seat may be sent beside entries."""


def schema(ruleset: Ruleset | None = None, part: Part | None = None) -> Schema:
    """The schema of a part, or of any command or event; for one system, or for any of them.

    Raises Refused("malformed") for a part that only a system has, where none is given.
    """
    return schema_among(WHOLE, ruleset, part)


def schema_among(whole: Whole, ruleset: Ruleset | None = None, part: str | None = None) -> Schema:
    """The same among these parts; `WHOLE` must be among them."""
    every = _definitions(whole, ruleset)
    name = "any system" if ruleset is None else ruleset.title
    root: Schema = {"$schema": DIALECT, "title": f"{part or 'commands and events'} of {name}"}
    if ruleset is not None:
        root["x-system"] = {"name": ruleset.name, "version": ruleset.version}
        root["x-charts"] = ruleset.charts
    if part is None:
        root["anyOf"] = [_ref("commands"), _ref("events")]
    elif part in whole:
        root["$ref"] = _ref(part)["$ref"]
    elif ruleset is None:
        why = f"every system has a schema of its own for {part}; none is named"
        raise Refused("malformed", why, allowed=[*whole, "a system"])
    else:
        root["$ref"] = _ref(f"{ruleset.name}.{part.capitalize()}")["$ref"]
    root["$defs"] = _reached(root, every)
    found: Schema = decode(encode(root))
    return found


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _definitions(whole: Whole, ruleset: Ruleset | None) -> dict[str, Schema]:
    """Every schema by its name: `commands.Declare`, `events.RollDeclared`, `plain.Declaration`."""
    made = {part: _made(known, part) for part, known in whole.items()}
    unions = {
        part: {"anyOf": [_ref(f"{part}.{each.__name__}") for each in known]}
        for part, known in whole.items()
    }
    every: dict[str, Schema] = unions | {k: v for each in made.values() for k, v in each.items()}
    if ruleset is None:
        for name, field in ASKED:
            properties = every[f"commands.{name}"]["properties"]
            properties[field] = _one_of(properties[field], ["words"])
        return {**every, "words": WORDS, "word": ANY}
    asked, logged = ruleset.name, f"{ruleset.name}.logged"
    of_system = (
        ("commands", ASKED, asked),
        ("events", LOGGED, logged),
        ("answers", ANSWERED, logged),
    )
    for part, fields, system in of_system:
        for (name, field), parts in fields.items():
            properties = every[f"{part}.{name}"]["properties"]
            properties[field] = _one_of(properties[field], [f"{system}.{each}" for each in parts])
    for name in ("commands.OpenTable", "events.TableOpened"):
        every[name]["properties"]["ruleset"] = {"const": ruleset.name}
    every["answers.Sight"]["properties"]["system"] = {"const": ruleset.name}
    return {**every, **_asked(ruleset), **_logged(ruleset)}


def _one_of(before: Schema, names: list[str]) -> Schema:
    """The schemas of these names, and null where the field could be."""
    found = [_ref(name) for name in names]
    if {"type": "null"} in before.get("anyOf", ()):
        found.append({"type": "null"})
    return found[0] if len(found) == 1 else {"anyOf": found}


# --- a system's -----------------------------------------------------------------------------------


def _asked(ruleset: Ruleset) -> dict[str, Schema]:
    """What a seat declares: without what settling fills; words are bounded as at the door."""
    made = _system(ruleset, ruleset.name)
    _bound(made)
    for kind in ("Declaration", "Reaction"):
        whole = made[f"{ruleset.name}.{kind}"]
        kept = {k: v for k, v in whole["properties"].items() if k not in ruleset.settled}
        needed = [name for name in whole["required"] if name in kept]
        closed = whole.get("additionalProperties") is False
        left = {} if closed else {name: False for name in whole["properties"] if name not in kept}
        made[f"{ruleset.name}.{kind}"] = {
            **whole, "properties": {**kept, **left}, "required": needed,
        }  # fmt: skip
        made[f"{ruleset.name}.FieldsOf{kind}"] = {
            "title": f"Fields of a {kind.lower()}",
            "type": "object",
            "properties": kept,
            "additionalProperties": False,
        }
    return made


def _logged(ruleset: Ruleset) -> dict[str, Schema]:
    """What the log holds: declarations as they were settled, what was announced."""
    prefix = f"{ruleset.name}.logged"
    announced = _made((Outcome, Damage), prefix)
    for each in (announced[f"{prefix}.Outcome"], announced[f"{prefix}.Damage"]):
        for name in ("effects", "target"):  # fields of the event itself
            each["properties"].pop(name, None)
        each["required"] = [name for name in each["required"] if name in each["properties"]]
    return {**announced, **_system(ruleset, prefix)}


def _system(ruleset: Ruleset, prefix: str) -> dict[str, Schema]:
    """The schemas of a system's Structs, whatever they are called."""
    parts = {
        "Declaration": ruleset.Declaration, "Reaction": ruleset.Reaction, "Options": ruleset.Options
    }  # fmt: skip
    made: dict[str, Schema] = {}
    for part, kind in parts.items():
        own = f"{prefix}.{part}" if kind.__name__ != part else prefix
        found = _made((kind,), own)
        made |= found
        made[f"{prefix}.{part}"] = found[f"{own}.{kind.__name__}"]
        for name, shown in made[f"{prefix}.{part}"]["properties"].items():
            by = ruleset.set_by(name)
            if part != "Options" and by != "player":
                shown["x-set-by"] = by
    return made


WORDS: Schema = {
    "type": "object",
    "propertyNames": {"maxLength": WORD},
    "additionalProperties": {"$ref": "#/$defs/word"},
}
"""Any object of a command that only a system reads: words in it are bounded."""

ANY: Schema = {
    "anyOf": [
        {"type": ["null", "boolean", "number"]},
        {"type": "string", "maxLength": WORD},
        {"type": "array", "items": {"$ref": "#/$defs/word"}},
        {"$ref": "#/$defs/words"},
    ]
}


def _bound(value: Any) -> None:
    """Words are no longer than the door lets them be."""
    for each in _objects(value):
        if each.get("type") == "string":
            each["maxLength"] = min(WORD, each.get("maxLength", WORD))
        if "additionalProperties" in each and isinstance(each["additionalProperties"], dict):
            names = each.setdefault("propertyNames", {})
            if "enum" not in names:
                names["maxLength"] = min(WORD, names.get("maxLength", WORD))


# --- what msgspec makes of a Struct ---------------------------------------------------------------


def _made(kinds: Iterable[type[Struct]], prefix: str) -> dict[str, Schema]:
    """The schemas of these Structs and of those within them, by `prefix.NAME`."""
    every = tuple(kinds)
    _, made = schema_components(every, ref_template=f"#/$defs/{prefix}.{{name}}")
    for each in _objects(made):
        if isinstance(each.get("description"), str):
            each["description"] = cleandoc(each["description"])
        if isinstance(each.get("pattern"), str):
            each["pattern"] = each["pattern"].replace(*END)
    for kind in _with_inner(every):
        _name_keys(kind, made.get(kind.__name__, {}))
    return {f"{prefix}.{name}": each for name, each in made.items()}


def _with_inner(kinds: Iterable[type[Struct]]) -> list[type[Struct]]:
    """These Structs, and those within them."""
    waiting, found = list(kinds), list[type[Struct]]()
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.append(kind)
            for each in _fields(kind):
                waiting += structs_in(each.type)
    return found


def _fields(kind: type[Struct]) -> tuple[inspect.Field, ...]:
    described = inspect.type_info(kind)
    return described.fields if isinstance(described, inspect.StructType) else ()


def _name_keys(kind: type[Struct], made: Schema) -> None:
    """Write the keys of an object that has only some: msgspec's own schemas allow any."""
    for each in _fields(kind):
        keys = list(_literal_keys(each.type))
        shown = made.get("properties", {}).get(each.encode_name, {})
        for either in (shown, *shown.get("anyOf", ())) if keys else ():
            if either.get("type") == "object":
                either["propertyNames"] = {"enum": keys}


def _literal_keys(kind: inspect.Type) -> Iterator[Any]:
    if isinstance(kind, inspect.DictType) and isinstance(kind.key_type, inspect.LiteralType):
        yield from kind.key_type.values
    for inner in (getattr(kind, "type", None), *getattr(kind, "types", ())):
        if inner is not None:
            yield from _literal_keys(inner)


# --- walking through schemas ----------------------------------------------------------------------


def _objects(value: Any) -> Iterator[Schema]:
    """Every object within a schema, itself too."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _objects(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _objects(each)


def _reached(root: Schema, every: Mapping[str, Schema]) -> dict[str, Schema]:
    """The definitions that a schema refers to, and those that they refer to, by name."""
    waiting, found = [root], set[str]()
    while waiting:
        for each in _objects(waiting.pop()):
            ref = each.get("$ref")
            name = re.sub(r"^#/\$defs/", "", ref) if isinstance(ref, str) else ""
            if name and name not in found:
                found.add(name)
                waiting.append(every[name])
    return {name: every[name] for name in every if name in found}
