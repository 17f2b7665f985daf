"""How a system's text is understood: each reading an option, and which of them decided.

A reading is a field of a system's Options whose annotation carries `reading(...)`. Fields without
one are table data (roots, faces), not readings.
"""

from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct
from msgspec.structs import fields

from ..errors import Defect

T = TypeVar("T")


class Reading(Struct, frozen=True):
    """One reading: its option's name and default, and the other values it knows.

    `says` is what the book says, in our words, under `heading`; `assumed` what was assumed where
    the book is silent or contradicts itself. A reading that is a number takes any other number
    within its field's bounds; `others` then holds one or more that show the difference.

    `since` is the version of the system that brought it, or where `default_only` its default alone;
    a table of an earlier one goes by `before`. That is one of its values; where it is another one
    than the default, it is an older way, and not `offered`.
    """

    name: str
    default: Any
    others: tuple[Any, ...]
    says: str
    heading: str
    assumed: str
    since: int = 1
    before: Any = None
    default_only: bool = False

    @property
    def values(self) -> tuple[Any, ...]:
        """The default, and the others."""
        return (self.default, *self.others)

    @property
    def offered(self) -> tuple[Any, ...]:
        """Its values but for the older way, if there is one: what a new table may choose."""
        corrected = self.since > 1 and not self.default_only and self.before in self.others
        return tuple(value for value in self.values if not (corrected and value == self.before))


def reading(
    says: str,
    *,
    heading: str,
    assumed: str,
    others: tuple[Any, ...] = (),
    since: int = 1,
    before: Any = None,
    default_only: bool = False,
    **bounds: int,
) -> Meta:
    """The annotation that makes an option a reading; `bounds` are msgspec's (`ge`, `le` …).

    One that corrects a rule came `since` a version, and what the rule gave `before` is a value;
    where a default alone is corrected, `before` was the default.
    """
    words = {"says": says, "heading": heading, "assumed": assumed}
    extra = {**words, "others": others, "since": since, "before": before}
    extra["default_only"] = default_only
    return Meta(description=says, extra=extra, **cast(Any, bounds))


def readings_of(options: type[Struct]) -> tuple[Reading, ...]:
    """Every reading of a system, in the order of its Options."""
    hints = get_type_hints(options, include_extras=True)
    found: list[Reading] = []
    for field in fields(options):
        meta = next(
            (
                item
                for item in getattr(hints[field.name], "__metadata__", ())
                if isinstance(item, Meta)
            ),
            None,
        )
        if meta is None or not meta.extra or "heading" not in meta.extra:
            continue
        values = meta.extra["others"] or _values(get_args(hints[field.name])[0])
        others = tuple(value for value in values if value != field.default)
        if not others:
            raise Defect(f"reading {field.name} has one value only; it decides nothing")
        if meta.extra["since"] > 1 and meta.extra["before"] not in (field.default, *others):
            raise Defect(f"what reading {field.name} was before it came is no value of it")
        known = {key: value for key, value in meta.extra.items() if key != "others"}
        found.append(Reading(field.name, field.default, others, **known))
    return tuple(found)


def _values(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return (True, False) if kind is bool else ()


class Consulted:
    """A system's Options that remember which readings were looked up.

    The rules look one up only where it makes a difference, so `names` are the readings that
    decided.
    """

    def __init__(self, options: Struct) -> None:
        self._options = options
        self._names: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._options, name)
        self._names.add(name)
        return value

    def used(self, name: str) -> None:
        """Say that a reading decided where its value is not looked up any more.

        It did when the roll was settled, or in what was offered. Raises AttributeError for no name
        of an option.
        """
        getattr(self, name)

    @property
    def names(self) -> tuple[str, ...]:
        """The readings that decided so far, in alphabetical order."""
        return tuple(sorted(self._names))
