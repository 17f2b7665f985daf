"""Declarations, reactions and table data as forms: for people, group by group; and as JSON.

What settling fills in nobody is asked for: people see its names, programs all of it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct, inspect, to_builtins
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ...events.base import JSON
from ...rules.forms import Field, When, fields_of, structs_in
from ...rules.ruleset import Ruleset
from .text import Pen


def form_object(
    ruleset: Ruleset, part: Literal["declaration", "reaction", "options"], kind: type[Struct]
) -> JSON:
    """A form: its fields in order, and the JSON Schema of what is filled in."""
    from ..core.schema import schema  # noqa: PLC0415  people who list systems need no commands

    return {
        "doc": doc_of(kind),
        "fields": [
            to_builtins(each) | ({} if part == "options" else {"set_by": ruleset.set_by(each.name)})
            for each in fields_of(kind)
        ],
        "schema": schema(ruleset, part),
    }


def doc_of(kind: type[Struct]) -> str:
    """A docstring, its lines joined, its paragraphs kept."""
    paragraphs = (kind.__doc__ or "").split("\n\n")
    return "\n".join(" ".join(each.split()) for each in paragraphs)


# --- for people -----------------------------------------------------------------------------------


def form_lines(ruleset: Ruleset, kind: type[Struct], pen: Pen) -> Iterator[RenderableType]:
    """The fields of a form under their headings; at the end the names of those filled in."""
    settled = () if kind is ruleset.Options else ruleset.settled
    asked = [each for each in fields_of(kind) if each.name not in settled]
    for group in dict.fromkeys(each.group for each in asked):
        if group:
            yield pen.text(group, "bold")
        for each in asked:
            if each.group == group:
                yield from _lines(kind, each, ruleset, pen)
    filled = [each.name for each in fields_of(kind) if each.name in settled]
    if filled:
        yield pen.text(f"Filled in by the rules: {', '.join(filled)}.", "dim")


def _lines(
    kind: type[Struct], form: Field, ruleset: Ruleset, pen: Pen, indent: int = 2
) -> Iterator[RenderableType]:
    """A field: its name and what it takes; below its help, and where it applies."""
    [holding] = (each.type for each in fields(kind) if each.encode_name == form.name)
    taken = holds(holding, _picked(form, ruleset), none=form.default is not None)
    text = Text.assemble((pen.write(form.name), "bold cyan"), f"  {pen.write(taken)}")
    if form.required:
        text.append("; needed", "yellow")
    elif form.default not in (None, "", [], {}, False):
        text.append(f"; {shown(form.default, pen)} if left out", "dim")
    if form.name in ruleset.narrators and kind is not ruleset.Options:
        text.append("; a narrator's to set", "yellow")
    yield _indented(text, indent)
    yield _indented(pen.text(form.help), indent + 4)
    if form.when:
        where = " and ".join(map(condition, form.when))
        yield _indented(pen.text(f"Only where {where}.", "dim"), indent + 4)
    for inner in structs_in(holding):
        for each in fields_of(inner):
            yield from _lines(inner, each, ruleset, pen, indent + 4)


def _indented(text: Text, by: int) -> Padding:
    return Padding(text, (0, 0, 0, by), expand=False)


def fields(kind: type[Struct]) -> tuple[inspect.Field, ...]:
    """The fields of a Struct with their types."""
    described = inspect.type_info(kind)
    return described.fields if isinstance(described, inspect.StructType) else ()


def condition(when: When) -> str:
    """A condition in words."""
    if when.values:
        values = " or ".join(map(str, when.values))
        return f"{when.field} is {'not ' if when.unless else ''}{values}"
    return f"{when.field} is {'not given' if when.unless else 'given'}"


def _picked(form: Field, ruleset: Ruleset) -> Mapping[type, str]:
    """What a word in a field is, by what it is picked from."""
    picks = form.picks
    chart = ruleset.chart(picks.chart)
    if chart is not None:
        lines = (
            str(line.value) if line.number is None else f"{line.value} ({line.number})"
            for line in chart.lines
        )
        listed = ", ".join(lines)
        return {inspect.StrType: listed, inspect.LiteralType: listed}
    of_whom = f" of the {picks.whose}" if picks.whose else ""
    words = {
        "sheet": f"a name on the sheet{of_whom}",
        "character": "a character",
        "root": f"text, as a table has in {', '.join(picks.options)}",
    }
    return {inspect.StrType: words.get(picks.of, "text")}


# --- what a field takes ---------------------------------------------------------------------------


def holds(kind: inspect.Type, words: Mapping[type, str], *, none: bool = True) -> str:
    """What a field takes; `words` are what some types are called, `none` says null as well."""
    if isinstance(kind, inspect.Metadata):
        return holds(kind.type, words, none=none)
    if type(kind) in words:
        return words[type(kind)]
    if isinstance(kind, inspect.UnionType):
        types = (each for each in kind.types if none or not isinstance(each, inspect.NoneType))
        return " or ".join(holds(each, words) for each in types)
    if isinstance(kind, (inspect.IntType, inspect.FloatType)):
        return _number(kind)
    if isinstance(kind, inspect.LiteralType):
        return " or ".join(map(str, kind.values))
    if isinstance(kind, inspect.DictType):
        return f"{{{holds(kind.key_type, NAMED)}: {holds(kind.value_type, {})}, ...}}"
    if isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
        return f"[{holds(kind.item_type, words)}, ...]"
    if isinstance(kind, inspect.TupleType):
        return f"[{', '.join(holds(each, words) for each in kind.item_types)}]"
    if isinstance(kind, inspect.StructType):
        return f"{{{', '.join(each.encode_name for each in kind.fields)}}}"
    return WORDS.get(type(kind), type(kind).__name__.removesuffix("Type").lower())


NAMED: Mapping[type, str] = {inspect.StrType: "name"}
"""What a text is called that is the key of an object."""

WORDS: Mapping[type, str] = {
    inspect.StrType: "text",
    inspect.BoolType: "yes or no",
    inspect.NoneType: "nothing",
    inspect.AnyType: "anything",
}
"""What the other types are called."""


def _number(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is None and kind.le is None:
        return "number"
    if kind.le is None:
        return f"number from {kind.ge}"
    return f"number to {kind.le}" if kind.ge is None else f"number {kind.ge} to {kind.le}"


def shown(value: Any, pen: Pen) -> str:
    """A value in words; texts between isolates, for they may run from right to left."""
    if value is None or value in ("", [], {}, ()):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{pen.isolated(key)} {shown(item, pen)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(shown(item, pen) for item in value)
    return pen.isolated(value)
