"""From a system's Structs to JSON that they take: every choice a draw, the smallest first.

Texts come from a vocabulary (characters, names on their sheets, words the dice can spell): what
they mean, only the system knows. Where a text has a form of its own, the system's annotation gives
`examples` of it, and one of these is drawn.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import NODEFAULT, Struct, inspect

from ..kit.luck import Luck

SPAN = 12
"""How far numbers go from 0, or from their least, where their bounds allow more."""

ITEMS = 2
"""Items of a list or an object, at most."""

GIVEN = 4
"""One in so many fields that may be left out is given."""


class Words(Struct, frozen=True):
    """What texts are made of: whole `names`, and `letters` that words of two to four have."""

    names: Sequence[str] = ()
    letters: Sequence[str] = ()

    def text(self, luck: Luck) -> str:
        """One of the names, or a word."""
        if not self.letters or (self.names and not luck.one_in(2)):
            return luck.one_of(self.names or ("a", "b"))
        return "".join(luck.one_of(self.letters) for _ in range(2 + luck.below(3)))


def json_of(
    kind: type[Struct], words: Words, luck: Luck, without: Sequence[str] = ()
) -> dict[str, Any]:
    """A JSON object that the Struct may take, but for the fields `without`; `luck` draws it.

    An optional field is left out, unless a draw includes it.
    """
    found = inspect.type_info(kind)
    if not isinstance(found, inspect.StructType):
        return {}
    return _object(found, words, luck, without)


def _object(
    kind: inspect.StructType, words: Words, luck: Luck, without: Sequence[str] = ()
) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for field in kind.fields:
        if field.name in without:
            continue
        needed = field.default is NODEFAULT and field.default_factory is NODEFAULT
        if needed or luck.below(GIVEN) == GIVEN // 2:
            made[field.encode_name] = _value(field.type, words, luck)
    return made


def _value(kind: inspect.Type, words: Words, luck: Luck) -> Any:
    if isinstance(kind, inspect.Metadata):
        examples = (kind.extra_json_schema or {}).get("examples")
        return luck.one_of(examples) if examples else _value(kind.type, words, luck)
    make = MAKERS.get(type(kind))
    return make(kind, words, luck) if make else None


def _bounds(kind: Any) -> tuple[int, int]:
    """Least and most, close to 0 where there is a choice."""
    low = -SPAN if kind.ge is None else int(kind.ge)
    low = low if kind.gt is None else int(kind.gt) + 1
    high = low + 2 * SPAN if kind.le is None else int(kind.le)
    high = high if kind.lt is None else int(kind.lt) - 1
    if low < -SPAN < high:
        low = -SPAN
    return low, min(high, max(low, 0) + SPAN)


def _near_zero(low: int, high: int, luck: Luck) -> int:
    """A number within bounds: the least above 0 first, those below it last."""
    start = min(max(low, 0), high)
    count = luck.below(high - low + 1)
    return start + count if count <= high - start else high - count


def _whole(kind: Any, words: Words, luck: Luck) -> int:
    return _near_zero(*_bounds(kind), luck)


def _halves(kind: Any, words: Words, luck: Luck) -> float:
    low, high = _bounds(kind)
    return _near_zero(2 * low, 2 * high, luck) / 2


def _text(kind: Any, words: Words, luck: Luck) -> str:
    text = words.text(luck)[: kind.max_length]
    return text * (kind.min_length or 1) if len(text) < (kind.min_length or 0) else text


def _either(kind: Any, words: Words, luck: Luck) -> Any:
    # None is what a field has that is left out: where it is given, it is given a value.
    kinds = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
    return _value(luck.one_of(kinds), words, luck)


def _count(kind: Any, luck: Luck) -> int:
    least = kind.min_length or 0
    most = ITEMS if kind.max_length is None else min(ITEMS, kind.max_length)
    return least + luck.below(max(1, most - least + 1))


def _items(kind: Any, words: Words, luck: Luck) -> list[Any]:
    drawn = [_value(kind.item_type, words, luck) for _ in range(_count(kind, luck))]
    return list({repr(item): item for item in drawn}.values())


def _each(kind: Any, words: Words, luck: Luck) -> list[Any]:
    return [_value(each, words, luck) for each in kind.item_types]


def _mapping(kind: Any, words: Words, luck: Luck) -> dict[Any, Any]:
    return {
        _value(kind.key_type, words, luck): _value(kind.value_type, words, luck)
        for _ in range(_count(kind, luck))
    }


Maker = Callable[[Any, Words, Luck], Any]

MAKERS: Mapping[type[inspect.Type], Maker] = {
    inspect.BoolType: lambda kind, words, luck: luck.below(2) == 0,
    inspect.IntType: _whole,
    inspect.FloatType: _halves,
    inspect.StrType: _text,
    inspect.LiteralType: lambda kind, words, luck: luck.one_of(kind.values),
    inspect.EnumType: lambda kind, words, luck: luck.one_of([each.value for each in kind.cls]),
    inspect.UnionType: _either,
    inspect.ListType: _items,
    inspect.VarTupleType: _items,
    inspect.SetType: _items,
    inspect.FrozenSetType: _items,
    inspect.TupleType: _each,
    inspect.DictType: _mapping,
    inspect.StructType: _object,
}
"""How a value of each kind is made; of any other there is only None."""
