"""Arguments of public methods are held against their annotations before anything is done.

    @checked
    class Table: ...

A caller's wrong type is refused with the argument's name, the value and what is allowed, before
anything is changed. Missing or surplus arguments stay Python's own TypeError. Numbers have 64 bits
and are finite; `True` is no number. The items of an iterator are not looked at: they are checked as
parts of the command that they become.
"""

import inspect
import types
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache, partial, wraps
from math import isfinite
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from ...errors import Refused
from .parse import plain, shown

T = TypeVar("T")

LARGEST = 2**63 - 1
"""The largest number that is taken, either way."""

WHOLE = "int of 64 bits"
"""What a whole number is, in words."""

BYTES = (bytes, bytearray, memoryview)
"""What holds numbers one after another, and is no list of them."""


class Wanted(NamedTuple):
    """What an argument may be: of exactly one of these types, or what one of these tests takes."""

    types: frozenset[type] = frozenset()
    tests: tuple[Callable[[Any], bool], ...] = ()
    words: tuple[str, ...] = ()

    def fits(self, value: Any) -> bool:
        """Whether the value may be given."""
        if type(value) in self.types:
            return True
        try:
            return any(test(value) for test in self.tests)
        except Exception:  # noqa: BLE001  (a value's own method may raise anything)
            return False


class Plan(NamedTuple):
    """What a method wants of its arguments: in their order, of all further ones, and by name."""

    places: tuple[tuple[str, Wanted], ...]
    more: tuple[str, Wanted] | None
    named: Mapping[str, Wanted]
    plain: bool


# --- the door -------------------------------------------------------------------------------------


def checked(kind: type[T]) -> type[T]:
    """Check what is given to `__init__` and every public method of a class."""
    for name, member in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, classmethod):
            setattr(kind, name, classmethod(_guarded(member.__func__)))
        elif isinstance(member, types.FunctionType):
            setattr(kind, name, _guarded(member))
    return kind


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The same method, behind the check of its arguments."""
    if inspect.iscoroutinefunction(method):
        awaited: Callable[..., Awaitable[Any]] = method

        @wraps(method)
        async def later(*given: Any, **named: Any) -> Any:
            _check(method, given, named)
            return await awaited(*given, **named)

        return later

    @wraps(method)
    def at_once(*given: Any, **named: Any) -> Any:
        _check(method, given, named)
        return method(*given, **named)

    return at_once


def _check(method: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Raises Refused("malformed") for the first argument that is not what the method wants."""
    plan = _plan(method)
    for (name, wanted), value in zip(plan.places, given, strict=False):
        if not wanted.fits(value):
            raise _refused(name, value, wanted)
    if plan.more is not None:
        for value in given[len(plan.places) :]:
            if not plan.more[1].fits(value):
                raise _refused(plan.more[0], value, plan.more[1])
    for name, value in named.items():
        known = plan.named.get(name)
        if known is None and plan.plain:
            plain(value, name)
        elif known is not None and not known.fits(value):
            raise _refused(name, value, known)


def _refused(name: str, value: Any, wanted: Wanted) -> Refused:
    why = f"{name} is {shown(value)}, of type {type(value).__name__}"
    code = "out-of-range" if type(value) is int and WHOLE in wanted.words else "malformed"
    return Refused(code, why, allowed=wanted.words)


# --- what a method wants --------------------------------------------------------------------------


@cache
def _plan(method: Callable[..., Any]) -> Plan:
    """What a method wants, by its annotations; the object itself, its first argument, is any."""
    hints = get_type_hints(method, include_extras=True)
    places: list[tuple[str, Wanted]] = []
    more: tuple[str, Wanted] | None = None
    named: dict[str, Wanted] = {}
    free = False
    for each in inspect.signature(method).parameters.values():
        hint = hints.get(each.name, Any)
        if each.kind is each.VAR_POSITIONAL:
            more = each.name, wanted_of(hint)
        elif each.kind is each.VAR_KEYWORD:
            free = hint is Any
            if get_origin(hint) is Unpack:
                fields = get_type_hints(*get_args(hint))
                named |= {name: wanted_of(each) for name, each in fields.items()}
        else:
            named[each.name] = wanted_of(hint)
            if each.kind is not each.KEYWORD_ONLY:
                places.append((each.name, named[each.name]))
    return Plan(tuple(places), more, named, free)


def wanted_of(hint: Any) -> Wanted:
    """What an annotation allows."""
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return Wanted(tests=(lambda _: True,), words=("anything",))
    if hint is None or hint is type(None):
        return Wanted(types=frozenset((type(None),)), words=("None",))
    origin, items = get_origin(hint) or hint, get_args(hint)
    if origin is Annotated:
        return wanted_of(items[0])
    if origin in (Union, types.UnionType):
        each = [wanted_of(item) for item in items]
        return Wanted(
            frozenset().union(*(one.types for one in each)),
            tuple(test for one in each for test in one.tests),
            tuple(dict.fromkeys(word for one in each for word in one.words)),
        )
    if origin is Literal:
        return Wanted(tests=(partial(_one_of, items),), words=tuple(map(str, items)))
    wanted: Callable[[tuple[Any, ...]], Wanted] = KINDS.get(origin, partial(_of_class, origin))
    return wanted(items)


def _of_class(kind: Any, _: Any) -> Wanted:
    """An object of this class, or one that has all that a protocol asks for."""
    if getattr(kind, "_is_protocol", False):
        names = [name for name in dir(kind) if not name.startswith("_")]
        return Wanted(tests=(partial(_has, names),), words=(f"an object with {', '.join(names)}",))
    return Wanted(frozenset((kind,)), (lambda value: isinstance(value, kind),), (kind.__name__,))


def _has(names: Iterable[str], value: Any) -> bool:
    return all(hasattr(type(value), name) or hasattr(value, name) for name in names)


def _one_of(values: tuple[Any, ...], value: Any) -> bool:
    return type(value) is str and value in values


def _exactly(kind: type, _: Any) -> Wanted:
    return Wanted(types=frozenset((kind,)), words=(kind.__name__,))


def _whole(_: Any) -> Wanted:
    return Wanted(tests=(_is_whole,), words=(WHOLE,))


def _number(_: Any) -> Wanted:
    finite: Callable[[Any], bool] = lambda value: type(value) is float and isfinite(value)  # noqa: E731
    return Wanted(tests=(_is_whole, finite), words=("float that is finite",))


def _is_whole(value: Any) -> bool:
    return type(value) is int and -LARGEST <= value <= LARGEST


def _mapping(kind: Any, items: tuple[Any, ...]) -> Wanted:
    keys, values = (wanted_of(item) for item in items or (Any, Any))

    def fits(value: Any) -> bool:
        return isinstance(value, kind) and all(
            keys.fits(key) and values.fits(each) for key, each in value.items()
        )

    held = f"of {' or '.join(keys.words)} to {' or '.join(values.words)}"
    return Wanted(tests=(fits,), words=(f"{kind.__name__} {held}",))


def _tuple(items: tuple[Any, ...]) -> Wanted:
    open_ended = Ellipsis in items
    each = [wanted_of(item) for item in items if item is not Ellipsis]

    def fits(value: Any) -> bool:
        if type(value) is not tuple or not (open_ended or len(value) == len(each)):
            return False
        parts = each * len(value) if open_ended else each
        return all(part.fits(one) for part, one in zip(parts, value, strict=True))

    words = ", ".join(" or ".join(part.words) for part in each)
    return Wanted(tests=(fits,), words=(f"tuple of {words}",))


def _iterable(kind: type, _: Any) -> Wanted:
    def fits(value: Any) -> bool:
        return isinstance(value, kind) and not isinstance(value, BYTES)

    return Wanted(tests=(fits,), words=(kind.__name__,))


def _callable(_: Any) -> Wanted:
    return Wanted(tests=(callable,), words=("a function",))


KINDS: Mapping[Any, Callable[[tuple[Any, ...]], Wanted]] = {
    str: partial(_exactly, str),
    bytes: partial(_exactly, bytes),
    bool: partial(_exactly, bool),
    int: _whole,
    float: _number,
    tuple: _tuple,
    dict: partial(_mapping, dict),
    Mapping: partial(_mapping, Mapping),
    Iterable: partial(_iterable, Iterable),
    Callable: _callable,
}
"""Annotation -> what it allows; every other class wants an object of it."""
