"""What people fill in before the dice fall: each field of a system's Structs as a form shows it.

A field of a declaration or a reaction carries `field(...)` in its annotation; so does each field of
a Struct within them, and each option that is table data and no reading. Pages, bots, the shell,
`urim systems` and the JSON Schemas read it; the rules never do.

Which fields settling fills, and which only a narrator may set, the Ruleset says (`set_by`).
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, get_type_hints

from msgspec import UNSET, Meta, Struct, inspect, to_builtins

Value: TypeAlias = str | int | float | bool
"""What can be picked for a field: a word, a number, yes or no."""

# --- charts ---------------------------------------------------------------------------------------


class Line(Struct, frozen=True):
    """One line of a chart: the value that a field takes, what people call it, and its number."""

    value: Value
    label: str
    number: int | float | None = None


class Chart(Struct, frozen=True):
    """A list of a system's to pick from: difficulties with their numbers, kinds of rolls.

    `unit` says what the numbers count.
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    unit: str = ""


def numbers(name: str, title: str, lines: Mapping[Any, int], *, unit: str = "") -> Chart:
    """A chart of words that stand for numbers."""
    return Chart(name, title, tuple(Line(word, word, each) for word, each in lines.items()), unit)


def labels(name: str, title: str, lines: Mapping[Any, str]) -> Chart:
    """A chart of values, each with what people call it."""
    return Chart(name, title, tuple(Line(value, label) for value, label in lines.items()))


# --- where a value is picked ----------------------------------------------------------------------


class Picks(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What the value of a field is picked from; of a list its items, of an object its keys.

    - `sheet`: a rating of the roller's, or a track with `part`; with `whose` that of the character
      whom another field names.
    - `character`: another character of the table.
    - `chart`: a line of the system's chart of that name.
    - `root`: a word of the table's data, under its name in one of `options`.
    - `free`: whatever the type of the field allows.
    """

    of: Literal["free", "sheet", "character", "chart", "root"] = "free"
    part: Literal["attributes", "tracks"] = "attributes"
    whose: str = ""
    chart: str = ""
    options: tuple[str, ...] = ()


FREE = Picks()
"""Whatever the type of the field allows."""

SHEET = Picks(of="sheet")
"""A rating on the roller's sheet."""

TRACK = Picks(of="sheet", part="tracks")
"""A track of the roller's."""

CHARACTER = Picks(of="character")
"""Another character of the table."""


def sheet_of(whose: str) -> Picks:
    """A rating of the character whom the field `whose` names."""
    return Picks(of="sheet", whose=whose)


def chart(name: str) -> Picks:
    """A line of the chart of that name."""
    return Picks(of="chart", chart=name)


def root(*options: str) -> Picks:
    """A word of the table's data: the value of any name in these options."""
    return Picks(of="root", options=options)


Mark: TypeAlias = Literal["", "+", "vs"]
"""What stands before a value that is said in words: `BLE+wind vs 2`."""

# --- when a field applies -------------------------------------------------------------------------


class When(Struct, frozen=True, omit_defaults=True):
    """A condition for a field to apply: another field holds one of `values`.

    Without values it holds something: not null, false, nor an empty text, list or object. `unless`
    turns the condition round. `field` is a field beside this one; `link`, how the roll follows
    another (null: it does not); or, on a reaction, `declaration.NAME`.
    """

    field: str
    values: tuple[Value, ...] = ()
    unless: bool = False


def filled(name: str) -> When:
    """Where the other field holds something."""
    return When(name)


def empty(name: str) -> When:
    """Where the other field holds nothing."""
    return When(name, unless=True)


def among(name: str, *values: Value) -> When:
    """Where the other field holds one of these."""
    return When(name, values)


def outside(name: str, *values: Value) -> When:
    """Where the other field holds none of these."""
    return When(name, values, unless=True)


OPPOSED = filled("opponent")
"""The roll has an opponent."""

LINK, DECLARED = "link", "declaration."
"""What a condition can name beside the fields of its own Struct: see When."""


# --- fields ---------------------------------------------------------------------------------------


class Field(Struct, frozen=True):
    """One field of a form: its label, a sentence about it, the heading it stands under.

    It applies where all of `when` hold. `required`: there is no default. `fields` are those of the
    Struct within it, if there is one. `said`: behind which mark its value is read in a line of
    words; of several with one mark, the first that is free, and a character's name is one's.
    """

    name: str
    title: str
    help: str
    group: str = ""
    when: tuple[When, ...] = ()
    picks: Picks = FREE
    required: bool = False
    default: Any = None
    fields: tuple["Field", ...] = ()
    said: Mark = ""


def field(
    title: str,
    sentence: str,
    /,
    *,
    group: str = "",
    when: tuple[When, ...] | When = (),
    picks: Picks = FREE,
    said: Mark = "",
) -> Meta:
    """The annotation that puts a field on a form: a short label, and a sentence of help.

    `group` is the heading that fields share; the field applies where all of `when` hold.
    """
    conditions = (when,) if isinstance(when, When) else when
    form = Field("", title, sentence, group, conditions, picks, said=said)
    shown: dict[str, Any] = {"x-picks": to_builtins(picks)} if picks != FREE else {}
    if group:
        shown["x-group"] = group
    if conditions:
        shown["x-when"] = to_builtins(conditions)
    return Meta(title=title, description=sentence, extra={"form": form}, extra_json_schema=shown)


@cache
def fields_of(kind: type[Struct]) -> tuple[Field, ...]:
    """Every field of a declaration, a reaction or table data, in order; readings are none.

    One without an annotation is called by its name, and has no help.
    """
    hints = get_type_hints(kind, include_extras=True)
    described = inspect.type_info(kind)
    if not isinstance(described, inspect.StructType):  # pragma: no cover (a Struct is described so)
        return ()
    found: list[Field] = []
    for each in described.fields:
        extra = _extra(hints[each.name])
        if "heading" in extra:
            continue
        form = extra.get("form", Field("", each.name.replace("_", " "), ""))
        within = tuple(inner for kind in structs_in(each.type) for inner in fields_of(kind))
        found.append(
            Field(
                each.encode_name, form.title, form.help, form.group, form.when, form.picks,
                each.required, _default(each), within, form.said,
            )
        )  # fmt: skip
    return tuple(found)


def _extra(hint: Any) -> dict[str, Any]:
    """What the annotations of a field say beside its type."""
    metas = (item for item in getattr(hint, "__metadata__", ()) if isinstance(item, Meta))
    return {key: value for meta in metas for key, value in (meta.extra or {}).items()}


def _default(each: inspect.Field) -> Any:
    """A field's default as JSON, None where it has none or takes what JSON has not."""
    made = each.default_factory() if callable(each.default_factory) else each.default
    if made is UNSET or each.required:
        return None
    found = to_builtins(made, enc_hook=str)
    return list(found) if isinstance(found, tuple) else found


def structs_in(kind: inspect.Type) -> Iterator[type[Struct]]:
    """The Structs that a field holds, alone, in a list or as the values of an object."""
    if isinstance(kind, inspect.StructType):
        yield kind.cls
    for name in ("type", "types", "item_type", "item_types", "value_type"):
        inner = getattr(kind, name, ())
        for each in inner if isinstance(inner, tuple) else (inner,):
            yield from structs_in(each)


def applies(each: Field, values: Mapping[str, Any]) -> bool:
    """Whether a field applies where the others hold these values, defaults among them.

    `values` also holds what its conditions name beside the fields: `link`, `declaration.NAME`.
    """
    return all(_holds(when, values.get(when.field)) for when in each.when)


def _holds(when: When, value: Any) -> bool:
    nothing = value is None or value is False or value in ("", [], {}, ())
    return (value in when.values if when.values else not nothing) is not when.unless
