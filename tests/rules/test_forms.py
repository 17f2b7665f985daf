"""Forms: what a field's annotation says of it, and where it applies."""

from typing import Annotated

import pytest
from msgspec import Meta, Struct, convert, to_builtins

from tests import plays
from urim.engine.core.commands import Declare
from urim.engine.core.parse import read_logged
from urim.events.codec import decode
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.forms import (
    CHARACTER,
    FREE,
    OPPOSED,
    SHEET,
    Field,
    among,
    applies,
    chart,
    empty,
    field,
    fields_of,
    filled,
    labels,
    numbers,
    outside,
)
from urim.rules.readings import reading


class Inner(Struct, frozen=True):
    depth: Annotated[int, field("Depth", "How deep.")] = 1


class Form(Struct, frozen=True):
    who: Annotated[str, Meta(max_length=5), field("Who", "A person.", picks=CHARACTER)]
    kind: Annotated[
        str, field("Kind", "Which one.", group="What", when=OPPOSED, picks=chart("kinds"))
    ] = "plain"
    inner: Annotated[dict[str, Inner], field("Inner", "More.")] = {}
    lost_words: int = 0
    read: Annotated[bool, reading("Read.", heading="Read", assumed="It is.")] = True


def test_a_form_has_the_fields_of_a_struct_in_order_and_no_readings() -> None:
    who, kind, inner, bare = fields_of(Form)
    assert who == Field("who", "Who", "A person.", picks=CHARACTER, required=True)
    assert kind == Field(
        "kind", "Kind", "Which one.", "What", (OPPOSED,), chart("kinds"), default="plain"
    )
    assert inner.fields == (Field("depth", "Depth", "How deep.", default=1),)
    assert (bare.title, bare.help, bare.picks) == ("lost words", "", FREE)


@pytest.mark.parametrize(
    ("when", "values", "expected"),
    [
        (filled("a"), {"a": 0}, True),
        (filled("a"), {"a": None}, False),
        (filled("a"), {"a": False}, False),
        (filled("a"), {"a": []}, False),
        (filled("a"), {}, False),
        (empty("a"), {}, True),
        (empty("a"), {"a": "x"}, False),
        (among("a", "x", "y"), {"a": "y"}, True),
        (among("a", "x"), {"a": None}, False),
        (outside("a", "x"), {"a": None}, True),
        (outside("a", "x", "y"), {"a": "x"}, False),
    ],
)
def test_a_field_applies_by_what_others_hold(
    when: object, values: dict[str, object], expected: bool
) -> None:
    form = Field("b", "B", "One.", when=(when,))  # type: ignore[arg-type]  # any condition
    assert applies(form, values) is expected


def test_every_condition_must_hold() -> None:
    form = Field("c", "C", "One.", when=(filled("a"), empty("b")))
    assert applies(form, {"a": 1})
    assert not applies(form, {"a": 1, "b": 1})
    assert not applies(form, {})


def test_charts_have_labels_and_numbers() -> None:
    [easy] = numbers("d", "Difficulties", {"easy": 3}).lines
    assert (easy.value, easy.label, easy.number) == ("easy", "easy", 3)
    [luck] = labels("w", "Wishes", {3: "Luck"}).lines
    assert (luck.value, luck.label, luck.number) == (3, "Luck", None)


@pytest.mark.parametrize("system", BUILT_IN)
def test_who_fills_a_field_in_is_read_from_the_ruleset(system: str) -> None:
    ruleset = ruleset_named(system)
    by = {each.name: ruleset.set_by(each.name) for each in fields_of(ruleset.Declaration)}
    assert {name for name, who in by.items() if who == "rules"} <= set(ruleset.settled)
    assert {name for name, who in by.items() if who == "narrator"} == set(ruleset.narrators)


@pytest.mark.parametrize("system", BUILT_IN)
def test_what_scenarios_declare_applies(system: str) -> None:
    ruleset = ruleset_named(system)
    forms = fields_of(ruleset.Declaration)
    seen = 0
    for path in plays.files():
        if system not in path.as_posix():
            continue
        for entry in plays.kept_of(path).log:
            asked = None if entry.payload is None else decode(entry.payload).asked
            command = None if asked is None else read_logged(asked.body)
            if not isinstance(command, Declare):
                continue
            wish = convert(command.declaration, ruleset.Declaration)
            link = None if command.follows is None else command.follows[1]
            values = to_builtins(wish) | {"link": link}
            given = [
                each
                for each in forms
                if command.declaration.get(each.name, each.default) != each.default
            ]
            assert [each.name for each in given if not applies(each, values)] == [], path
            seen += len(given)
    assert seen


def test_a_name_on_the_sheet_is_picked_from_it() -> None:
    [trait] = (
        each for each in fields_of(ruleset_named("sagatafl").Reaction) if each.name == "trait"
    )
    assert trait.picks == SHEET
