"""What a method wants of its arguments, by its annotations: what is given otherwise is refused."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict, Unpack

import pytest

from urim.engine.core.arguments import WHOLE, checked
from urim.errors import Refused


class Given(TypedDict, total=False):
    """Arguments by name, each of a type of its own."""

    whole: int
    text: str


@checked
class Door:
    """Methods of every kind, which give back what they were given."""

    def __init__(self, name: str = "door") -> None:
        self.name = name

    def whole(self, value: int) -> int:
        return value

    def perhaps(self, value: int | None = None) -> int | None:
        return value

    def number(self, value: float) -> float:
        return value

    def text(self, value: str) -> str:
        return value

    def colour(self, value: Literal["red", "blue"]) -> str:
        return value

    def table(self, value: Mapping[str, int]) -> Mapping[str, int]:
        return value

    def all_of(self, *values: int, text: str = "") -> tuple[int | str, ...]:
        return (*values, text) if text else values

    def noted(self, value: Annotated[int, "with a note"]) -> int:
        return value

    def named(self, **values: Any) -> dict[str, Any]:
        return values

    def given(self, **values: Unpack[Given]) -> Given:
        return values

    async def later(self, value: int) -> int:
        return value

    @classmethod
    def of(cls, name: str) -> "Door":
        return cls(name)

    def _inner(self, value: int) -> int:
        return value


@pytest.mark.parametrize("value", [0, 1, -1, 2**63 - 1, -(2**63) + 1])
def test_whole_numbers_of_64_bits_are_taken(value: int) -> None:
    for method in (Door().whole, Door().perhaps, Door().number):
        assert method(value) == value


@pytest.mark.parametrize("value", [2**63, -(2**63), 2**64, -(10**30)])
def test_whole_numbers_beyond_them_are_out_of_range(value: int) -> None:
    with pytest.raises(Refused, match="value is ") as refused:
        Door().whole(value)
    assert (refused.value.code, refused.value.allowed) == ("out-of-range", (WHOLE,))


@pytest.mark.parametrize(
    ("method", "value", "allowed"),
    [
        ("whole", "7", (WHOLE,)),
        ("whole", 7.0, (WHOLE,)),
        ("whole", True, (WHOLE,)),
        ("whole", None, (WHOLE,)),
        ("perhaps", "7", (WHOLE, "None")),
        ("number", float("inf"), ("float that is finite",)),
        ("number", 2**63, ("float that is finite",)),
        ("text", 7, ("str",)),
        ("text", 2**63, ("str",)),
        ("colour", "green", ("red", "blue")),
        ("noted", "7", (WHOLE,)),
        ("of", b"name", ("str",)),
    ],
)
def test_what_is_of_another_type_is_malformed(
    method: str, value: Any, allowed: tuple[str, ...]
) -> None:
    with pytest.raises(Refused, match=f"of type {type(value).__name__}") as refused:
        getattr(Door(), method)(value)
    assert refused.value.code == "malformed"
    assert sorted(refused.value.allowed) == sorted(allowed)


def test_of_a_mapping_every_key_and_every_value_is_checked() -> None:
    door: Any = Door()
    assert door.table({}) == {}
    assert door.table({"a": 1, "b": -2}) == {"a": 1, "b": -2}
    for wrong in ({"a": 1, 2: 3}, {"a": 1, "b": "2"}, [("a", 1)]):
        with pytest.raises(Refused, match=f"of type {type(wrong).__name__}") as refused:
            door.table(wrong)
        assert refused.value.allowed == (f"Mapping of str to {WHOLE}",)


def test_each_of_many_is_checked_and_the_wrong_one_is_named() -> None:
    door: Any = Door()
    assert door.all_of(1, 2, 3) == (1, 2, 3)
    assert door.all_of(1, 2, text="3") == (1, 2, "3")
    for wrong in (("1", 2, 3), (1, "2", 3), (1, 2, "3")):
        with pytest.raises(Refused, match=r"values is '[123]', of type str"):
            door.all_of(*wrong)
    assert door.named(free=[1, {"a": None}]) == {"free": [1, {"a": None}]}
    with pytest.raises(Refused, match="free"):
        door.named(free=b"bytes")
    assert door.given(whole=7, text="seven") == {"whole": 7, "text": "seven"}
    for given in ({"whole": "7", "text": "7"}, {"whole": 7, "text": 7}):
        with pytest.raises(Refused, match=r"whole is '7'|text is 7"):
            door.given(**given)
    assert asyncio.run(door.later(value=7)) == 7
    with pytest.raises(Refused, match="value is '7'"):
        asyncio.run(door.later(value="7"))
    with pytest.raises(Refused, match="name is 7"):
        Door(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert door._inner("not checked") == "not checked"  # noqa: SLF001
