"""The installed systems, for people and programs: identity, dice, tracks, declarations, readings.

All of it is read from the ruleset itself; no system is known here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, inspect, to_builtins
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ...rules.numbered import others, runs
from ...rules.readings import Reading, readings_of
from ...rules.ruleset import Ruleset, Track
from .text import Pen

Object = dict[str, Any]


class Key(Struct, frozen=True):
    """One key of a declaration, a reaction or the table data: what it holds, and its default.

    `required` keys have no default.
    """

    name: str
    holds: str
    required: bool
    default: Any


def keys_of(kind: type[Struct]) -> tuple[Key, ...]:
    """Every key of a system's Struct, in its own order."""
    described = inspect.type_info(kind)
    if not isinstance(described, inspect.StructType):
        return ()
    return tuple(
        Key(each.encode_name, holds(each.type), each.required, _default(each))
        for each in described.fields
    )


def _default(each: inspect.Field) -> Any:
    """A key's default as JSON, None where it has none or takes what JSON has not."""
    made = each.default_factory() if callable(each.default_factory) else each.default
    return None if made is UNSET or each.required else to_builtins(made, enc_hook=str)


def holds(kind: inspect.Type) -> str:
    """What a key may hold, in words."""
    inner = getattr(kind, "type", kind) if isinstance(kind, inspect.Metadata) else kind
    return WORDS.get(type(inner), lambda other: type(other).__name__.removesuffix("Type").lower())(
        inner
    )


def _bounded(word: str) -> Callable[[Any], str]:
    def say(kind: Any) -> str:
        least, most = kind.ge, kind.le
        if least is None and most is None:
            return word
        if most is None:
            return f"{word} from {least}"
        return f"{word} to {most}" if least is None else f"{word} {least} to {most}"

    return say


def _text(kind: Any) -> str:
    most = kind.max_length
    return f"text of at most {most}" if most else "text"


def _either(kind: Any) -> str:
    return " or ".join(map(holds, kind.types))


def _struct(kind: Any) -> str:
    return f"{{{', '.join(each.encode_name for each in kind.fields)}}}"


WORDS: Mapping[type, Callable[[Any], str]] = {
    inspect.IntType: _bounded("number"),
    inspect.FloatType: _bounded("number"),
    inspect.StrType: _text,
    inspect.BoolType: lambda kind: "true or false",
    inspect.NoneType: lambda kind: "nothing",
    inspect.AnyType: lambda kind: "anything",
    inspect.LiteralType: lambda kind: " or ".join(map(repr, kind.values)),
    inspect.UnionType: _either,
    inspect.DictType: lambda kind: f"{{{holds(kind.key_type)}: {holds(kind.value_type)}}}",
    inspect.ListType: lambda kind: f"[{holds(kind.item_type)}, ...]",
    inspect.VarTupleType: lambda kind: f"[{holds(kind.item_type)}, ...]",
    inspect.TupleType: lambda kind: f"[{', '.join(map(holds, kind.item_types))}]",
    inspect.StructType: _struct,
}
"""What each type that a key may have is called."""


def summary_object(ruleset: Ruleset) -> Object:
    """A system's identity."""
    return {
        "type": "system",
        "name": ruleset.name,
        "version": ruleset.version,
        "title": ruleset.title,
        "source": ruleset.source,
    }


def broken_object(name: str, why: str) -> Object:
    """A system that is installed and cannot be loaded."""
    return {"type": "system", "name": name, "broken": why}


def system_object(ruleset: Ruleset) -> Object:
    """All that `urim systems NAME` shows, as JSON."""
    options = ruleset.Options()
    every = ruleset.faces(options)
    return {
        **summary_object(ruleset),
        "triggers": list(ruleset.triggers),
        "dice": {kind: list(faces) for kind, faces in others(every).items()},
        "numbered": [list(run) for run in runs(every)],
        "tracks": {name: to_builtins(track) for name, track in ruleset.tracks(options).items()},
        "declaration": _described(ruleset, ruleset.Declaration),
        "reaction": _described(ruleset, ruleset.Reaction),
        "readings": [to_builtins(reading) for reading in readings_of(ruleset.Options)],
        "data": [to_builtins(key) for key in data_keys(ruleset)],
    }


def _described(ruleset: Ruleset, kind: type[Struct]) -> Object:
    return {
        "doc": _doc(kind),
        "keys": [
            {**to_builtins(key), "set_by": _set_by(ruleset, key.name)} for key in keys_of(kind)
        ],
    }


def _set_by(ruleset: Ruleset, name: str) -> str:
    """Who gives a key its value: the player, the narrator alone, or the rules when settling."""
    if name in ruleset.settled:
        return "rules"
    return "narrator" if name in ruleset.narrators else "player"


def _doc(kind: type[Struct]) -> str:
    """A docstring, its lines joined, its paragraphs kept."""
    paragraphs = (kind.__doc__ or "").split("\n\n")
    return "\n".join(" ".join(each.split()) for each in paragraphs)


def data_keys(ruleset: Ruleset) -> tuple[Key, ...]:
    """The options that are no readings: data that a table may bring itself."""
    readings = {reading.name for reading in readings_of(ruleset.Options)}
    return tuple(key for key in keys_of(ruleset.Options) if key.name not in readings)


def systems_table(rulesets: Iterable[Ruleset], pen: Pen) -> Table:
    """Every system on a line."""
    table = Table()
    for heading in ("name", "title", "source", "version", "readings"):
        table.add_column(heading)
    for each in rulesets:
        cells = (each.name, each.title, each.source, each.version, len(readings_of(each.Options)))
        table.add_row(*(pen.text(cell) for cell in cells))
    return table


def _bounds(track: Track) -> str:
    """What a track reaches, in brackets; nothing where it starts at 0 and has no end."""
    if track.least:
        return f" (from {track.least}{f' to {track.most}' if track.most else ''})"
    return f" (up to {track.most})" if track.most else ""


def system_parts(ruleset: Ruleset, pen: Pen) -> Iterator[RenderableType]:
    """One system at length: what it throws and counts, what players say, how its text is read."""
    options = ruleset.Options()
    yield pen.text(ruleset.title, "bold underline")
    yield pen.text(f"{ruleset.name}, version {ruleset.version}; after {ruleset.source}", "dim")
    yield from _headed("triggers", [pen.text(", ".join(ruleset.triggers))])
    yield from _headed("dice", _dice_lines(ruleset, pen))
    tracks = ruleset.tracks(options).items()
    names = ", ".join(name + _bounds(track) for name, track in tracks)
    yield from _headed("tracks", [pen.text(names or "none")])
    for heading, kind in (("declaration", ruleset.Declaration), ("reaction", ruleset.Reaction)):
        yield from _headed(
            heading, [pen.text(_doc(kind)), *_key_lines(ruleset, keys_of(kind), pen)]
        )
    yield from _headed("readings", (_reading(each, pen) for each in readings_of(ruleset.Options)))
    data = data_keys(ruleset)
    if data:
        yield from _headed("data a table may bring", _key_lines(ruleset, data, pen))


def _headed(heading: str, parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    yield Text()
    yield Rule(Text(heading, "bold"), align="left", style="dim")
    yield from parts


def _dice_lines(ruleset: Ruleset, pen: Pen) -> Iterator[Text]:
    every = ruleset.faces(ruleset.Options())
    for least, most in runs(every):
        yield Text.assemble((f"d{least} to d{most}", "bold"), "  each from 1 up")
    for kind, faces in others(every).items():
        shown = " ".join(pen.isolated(face) for face in faces)
        yield Text.assemble((pen.write(kind), "bold"), f"  {shown}")


def _key_lines(ruleset: Ruleset, keys: Iterable[Key], pen: Pen) -> Iterator[Text]:
    for key in keys:
        who = _set_by(ruleset, key.name)
        text = Text.assemble((pen.write(key.name), "bold cyan"), f"  {pen.write(key.holds)}")
        text.append("; needed" if key.required else f"; default {_shown(key.default, pen)}", "dim")
        if who != "player":
            text.append(f"; set by the {who}", "yellow")
        yield text


def _shown(value: Any, pen: Pen) -> str:
    """A default in words; texts between isolates, for they may run from right to left."""
    if value is None or value in ("", [], {}, ()):
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ", ".join(f"{pen.isolated(key)} {_shown(item, pen)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(_shown(item, pen) for item in value)
    return pen.isolated(value)


def _reading(each: Reading, pen: Pen) -> Group:
    others = ", ".join(_shown(other, pen) for other in each.others)
    text = Text.assemble((pen.write(each.name), "bold cyan"), f" = {_shown(each.default, pen)}")
    text.append(f"  not {others}", "dim")
    says = Text.assemble((f"{pen.write(each.heading)}: ", "italic"), pen.write(each.says))
    assumed = pen.text(f"Assumed: {each.assumed}", "dim")
    return Group(text, *(Padding(part, (0, 0, 0, 2)) for part in (says, assumed)))
