"""Words FIELD=VALUE become what the field's type says, or are refused by name."""

from typing import Any, Literal

import pytest
from msgspec import Struct, inspect

from urim import Refused
from urim.engine.cli.fields import read, read_fields, read_map


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a field."""

    dice: int = 0
    extra: tuple[int | Literal["X"], ...] = ()


class Said(Struct, forbid_unknown_fields=True):
    """A declaration with a field of every kind."""

    word: str = ""
    count: int = 0
    points: float = 0
    sure: bool = False
    level: int | str = 1
    other: str | None = None
    kind: Literal["strike", "check"] = "check"
    wish: Literal[3, -3] = 3
    modifiers: dict[str, int] = {}
    colours: dict[Literal["red", "blue"], int] | None = None
    helpers: tuple[str, ...] = ()
    parts: dict[str, Part] = {}
    part: Part = Part()
    free: Any = None
    filled: int = 0


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("word=3", {"word": "3"}),
        ("word=a=b", {"word": "a=b"}),
        ("word=", {"word": ""}),
        ("count=-3", {"count": -3}),
        ("points=7.5", {"points": 7.5}),
        ("points=7", {"points": 7}),
        ("sure=yes", {"sure": True}),
        ("sure=false", {"sure": False}),
        ("level=8", {"level": 8}),
        ("level=very hard", {"level": "very hard"}),
        ("other=", {"other": None}),
        ("kind=strike", {"kind": "strike"}),
        ("wish=-3", {"wish": -3}),
        ("modifiers.poor light=2|modifiers.v1.5=-1", {"modifiers": {"poor light": 2, "v1.5": -1}}),
        ('modifiers={"a": 1}|modifiers.b=2', {"modifiers": {"a": 1, "b": 2}}),
        ("colours.red=4", {"colours": {"red": 4}}),
        ("colours=", {"colours": None}),
        ("helpers=Dan, Ruth|helpers=Al", {"helpers": ["Dan", "Ruth", "Al"]}),
        ("helpers=", {"helpers": []}),
        ('helpers=["a, b"]', {"helpers": ["a, b"]}),
        ("parts.a.dice=2|parts.a.extra=1,X", {"parts": {"a": {"dice": 2, "extra": [1, "X"]}}}),
        ("part.dice=2", {"part": {"dice": 2}}),
        ("free=3|free=x", {"free": "x"}),
        ('free={"a": [1]}', {"free": {"a": [1]}}),
    ],
)
def test_words_are_read_by_the_type_of_their_field(words: str, found: dict[str, Any]) -> None:
    assert read_fields(words.split("|"), Said) == found


@pytest.mark.parametrize(
    ("word", "code", "why", "allowed"),
    [
        ("count=x", "malformed", "count is 'x', not a whole number", ()),
        ("count=1.5", "malformed", "count is '1.5', not a whole number", ()),
        ("count=" + "9" * 20, "malformed", f"count is '{'9' * 20}', not a whole number", ()),
        ("points=inf", "malformed", "points is 'inf', not a number", ()),
        ("sure=maybe", "malformed", "sure is 'maybe', not true or false", ()),
        ("kind=Strike", "malformed", "kind is 'Strike', not check or strike", ("check", "strike")),
        ("colours.green=1", "malformed", "a name in colours is 'green'", ("blue", "red")),
        ("modifiers=2", "malformed", "modifiers is '2', not parts, each as FIELD.NAME=", ()),
        ("count.x=2", "malformed", "count has no parts", ("count=a whole number",)),
        ("parts.a.size=2", "unknown", "parts.a has no field 'size'", ("dice", "extra")),
        ("part.size=2", "unknown", "part has no field 'size'", ("dice", "extra")),
        ("modifiers={", "malformed", "'{' is no JSON", ()),
    ],
)
def test_a_word_that_is_none_is_refused_by_name(
    word: str, code: str, why: str, allowed: tuple[str, ...]
) -> None:
    with pytest.raises(Refused) as refused:
        read_fields([word], Said)
    assert refused.value.code == code
    assert refused.value.why.startswith(why)
    assert sorted(refused.value.allowed) == sorted(allowed)


@pytest.mark.parametrize("word", ["size=2", "word", "=2"])
def test_other_fields_are_refused_with_those_that_one_may_give(word: str) -> None:
    with pytest.raises(Refused) as refused:
        read_fields([word], Said, ("filled",))
    names = [each.removesuffix("=…") for each in refused.value.allowed]
    assert names == [name for name in Said.__struct_fields__ if name != "filled"]


def test_a_map_needs_names_and_values() -> None:
    whole = inspect.type_info(int)
    assert read_map(["a=1", "b=2"], whole, "tracks") == {"a": 1, "b": 2}
    for word in ("a", "=1", "a=x"):
        with pytest.raises(Refused):
            read_map([word], whole, "tracks")


def test_nothing_is_read_as_none_where_a_field_may_be_empty() -> None:
    assert read("", inspect.type_info(int | None), "x") is None
    assert read("", inspect.type_info(str | None), "x") is None
    assert read("", inspect.type_info(str), "x") == ""
