"""The laws of forms: every field says what it is, and what it names is there; as do rollables."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert, inspect, to_builtins

from ....errors import Refused
from ....events.base import JSON
from ....rules.forms import DECLARED, LINK, Chart, Field, When, applies, fields_of, structs_in
from ....rules.ruleset import Ruleset, Sheet
from .trial import LawBroken


def check_forms(ruleset: Ruleset) -> None:
    """Every field of a system's Structs is declared; conditions, charts, options are there."""
    for why in (*_of_charts(ruleset), *_of_fields(ruleset)):
        raise LawBroken("forms", why)


def check_accepted(ruleset: Ruleset, accepted: Iterable[JSON]) -> None:
    """A declaration that was accepted gives only fields that apply."""
    kind = ruleset.Declaration
    for wish in accepted:
        values = to_builtins(convert(wish, kind)) | {LINK: None}
        for each in fields_of(kind):
            given = each.name in wish and wish[each.name] != each.default
            if given and not applies(each, values):
                why = f"{each.name!r} does not apply in {wish}, which is accepted"
                raise LawBroken("forms", why)


def check_rollables(ruleset: Ruleset, options: Any, sheet: Sheet) -> None:
    """What a sheet begins has a name of its own, and names fields that a player fills in.

    One that asks nothing is a declaration that is accepted.
    """
    known = {form.name: form for form in fields_of(ruleset.Declaration)}
    names = list[str]()
    for each in ruleset.rollables(options, sheet):
        where = f"rollable {each.name!r}"
        if not each.name or each.name in names:
            raise LawBroken("rollables", f"{where} has no name of its own")
        names.append(each.name)
        for name in (*each.declaration, *each.asks):
            if name not in known or ruleset.set_by(name) != "player":
                raise LawBroken("rollables", f"{where} names {name!r}, which no player fills in")
        needed = {form.name for form in known.values() if form.required}
        if lacking := sorted(needed - {*each.declaration, *each.asks}):
            raise LawBroken("rollables", f"{where} does not ask for {lacking}")
        try:
            if not each.asks:
                begun = convert({**each.declaration}, ruleset.Declaration)
                ruleset.settle(options, begun, sheet, None)
        except (Refused, ValidationError) as error:
            raise LawBroken(
                "rollables", f"{where} asks nothing, and is refused: {error}"
            ) from error


# --- charts ---------------------------------------------------------------------------------------


def _of_charts(ruleset: Ruleset) -> Iterator[str]:
    names = [chart.name for chart in ruleset.charts]
    picked = {
        form.picks.chart
        for kind in _kinds(ruleset)
        for inner in _with_inner(kind)
        for form in fields_of(inner)
    }
    for chart in ruleset.charts:
        if names.count(chart.name) > 1:
            yield f"two charts are called {chart.name!r}"
        if chart.name not in picked:
            yield f"chart {chart.name!r} is picked from by no field"
        values = [line.value for line in chart.lines]
        if not values or len(set(values)) < len(values):
            yield f"chart {chart.name!r} has no lines, or a value twice"


def _kinds(ruleset: Ruleset) -> tuple[type[Struct], ...]:
    return (ruleset.Declaration, ruleset.Reaction, ruleset.Options)


def _with_inner(kind: type[Struct]) -> list[type[Struct]]:
    """The Struct, and every one within it."""
    waiting, found = [kind], list[type[Struct]]()
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.append(each)
            waiting += [inner for holds in _types(each).values() for inner in structs_in(holds)]
    return found


def _types(kind: type[Struct]) -> Mapping[str, inspect.Type]:
    described = inspect.type_info(kind)
    return {each.encode_name: each.type for each in getattr(described, "fields", ())}


# --- fields ---------------------------------------------------------------------------------------


def _of_fields(ruleset: Ruleset) -> Iterator[str]:
    for kind in _kinds(ruleset):
        answers = kind is ruleset.Reaction
        for inner in _with_inner(kind):
            types = dict(_types(inner))
            beside = dict(types)
            if answers:
                declared = _types(ruleset.Declaration).items()
                beside |= {f"{DECLARED}{name}": holds for name, holds in declared}
            for form in fields_of(inner):
                where = f"{inner.__name__}.{form.name}"
                if not form.title or not form.help:
                    yield f"{where} declares no `field`: a title, and a sentence of help"
                yield from _of_when(where, form, beside)
                yield from _of_picks(where, form, types, ruleset)


def _of_when(where: str, form: Field, beside: Mapping[str, inspect.Type]) -> Iterator[str]:
    for when in form.when:
        if when.field == LINK:
            continue
        if when.field not in beside:
            yield f"{where} applies by {when.field!r}, which is no field"
            continue
        if when.field == form.name:
            yield f"{where} applies by itself"
        yield from _of_values(where, when, beside[when.field])


def _of_values(where: str, when: When, holds: inspect.Type) -> Iterator[str]:
    for value in when.values:
        if not takes(holds, value):
            yield f"{where} applies by {when.field} = {value!r}, which it never is"


def _of_picks(
    where: str, form: Field, types: Mapping[str, inspect.Type], ruleset: Ruleset
) -> Iterator[str]:
    picks, holds = form.picks, types[form.name]
    if picks.of == "chart":
        chart = ruleset.chart(picks.chart)
        if chart is None:
            yield f"{where} picks from the chart {picks.chart!r}, and there is none"
        else:
            yield from _of_lines(where, chart, holds)
    elif picks.of != "free" and not takes(holds, "a"):
        yield f"{where} picks from {picks.of!r}, and takes no text"
    if picks.whose and picks.whose not in types:
        yield f"{where} picks from the sheet of {picks.whose!r}, which is no field"
    for option in picks.options:
        if option not in _types(ruleset.Options):
            yield f"{where} picks from {option!r}, which is none of the Options"


def _of_lines(where: str, chart: Chart, holds: inspect.Type) -> Iterator[str]:
    for line in chart.lines:
        if not takes(holds, line.value):
            yield f"{where} does not take {line.value!r} of chart {chart.name!r}"


def takes(holds: inspect.Type, value: Any) -> bool:
    """Whether a field of that type can have the value; of a list an item, of an object a key."""
    if isinstance(holds, inspect.LiteralType):
        return value in holds.values
    if isinstance(holds, inspect.BoolType):
        return isinstance(value, bool)
    if isinstance(holds, inspect.StrType):
        return isinstance(value, str)
    if isinstance(holds, (inspect.IntType, inspect.FloatType)):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        low = holds.ge is None or (number and value >= holds.ge)
        return number and low and (holds.le is None or value <= holds.le)
    inner = (getattr(holds, name, ()) for name in ("type", "types", "item_type", "key_type"))
    every = [each for some in inner for each in (some if isinstance(some, tuple) else (some,))]
    return any(takes(each, value) for each in every)
