"""The kit holds forms to their law: what a field says of itself is there."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import Struct, defstruct
from msgspec.structs import replace

from tests.engine.helpers.pips import PIPS
from urim.engine.testing.kit import LawBroken, Who, check
from urim.engine.testing.kit.forms import check_accepted, check_forms, check_rollables
from urim.rules.forms import (
    CHARACTER,
    FREE,
    Chart,
    Picks,
    When,
    among,
    chart,
    empty,
    field,
    filled,
    labels,
    numbers,
    outside,
    root,
    sheet_of,
)
from urim.rules.ruleset import Rollable, Ruleset, Sheet

HARD = numbers("hard", "How hard", {"easy": 1, "hard": 2})


def system(kind: type[Struct], *charts: Chart) -> Ruleset:
    """The tests' own system with another declaration."""
    return replace(PIPS, Declaration=kind, charts=charts)


def declaring(hint: Any, default: Any = None) -> type[Struct]:
    """The tests' own declaration with one field more."""
    return defstruct(
        "Declaration", [("more", hint, default)], bases=(PIPS.Declaration,),
        frozen=True, kw_only=True, forbid_unknown_fields=True,
    )  # fmt: skip


def one(
    picks: Picks = FREE, when: When | tuple[When, ...] = (), kind: Any = str | None
) -> type[Struct]:
    """The same, the field with these picks or conditions."""
    return declaring(Annotated[kind, field("More", "One more.", picks=picks, when=when)])


class Deep(Struct, frozen=True):
    depth: int = 0


LITERAL = Literal["easy", "hard"] | None

BROKEN: dict[str, tuple[type[Struct], tuple[Chart, ...], str]] = {
    "no annotation": (declaring(str | None), (), "Declaration.more declares no `field`"),
    "no help": (declaring(Annotated[str | None, field("More", "")]), (), "sentence of help"),
    "inside": (
        declaring(Annotated[Deep | None, field("Deep", "Deep.")]), (), "Deep.depth declares no",
    ),
    "inside a list": (
        declaring(Annotated[tuple[dict[str, Deep], ...], field("Deep", "Deep.")], ()),
        (),
        "Deep.depth declares no",
    ),
    "no such field": (one(when=filled("opponent")), (), "'opponent', which is no field"),
    "no such value": (one(when=among("rounds", 3)), (), "rounds = 3, which it never is"),
    "of another type": (one(when=outside("dice", "x")), (), "dice = 'x', which it never is"),
    "itself": (one(when=empty("more")), (), "applies by itself"),
    "of a declaration": (one(when=filled("declaration.dice")), (), "which is no field"),
    "no such chart": (one(chart("hard")), (), "picks from the chart 'hard', and there is none"),
    "a chart of others": (
        one(chart("hard"), kind=Literal["easy"] | None), (HARD,), "does not take 'hard' of chart",
    ),
    "a chart of nobody": (one(), (HARD,), "chart 'hard' is picked from by no field"),
    "two charts": (one(chart("hard"), kind=LITERAL), (HARD, HARD), "two charts are called 'hard'"),
    "an empty chart": (one(chart("e")), (labels("e", "E", {}),), "has no lines, or a value twice"),
    "no text": (one(CHARACTER, kind=int | None), (), "picks from 'character', and takes no text"),
    "no such option": (one(root("roots")), (), "'roots', which is none of the Options"),
    "no such person": (one(sheet_of("friend")), (), "'friend', which is no field"),
}  # fmt: skip
"""A declaration, the charts, and what the kit says."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_form_that_names_what_is_not_there_is_found(name: str) -> None:
    kind, charts, why = BROKEN[name]
    with pytest.raises(LawBroken) as broken:
        check(system(kind, *charts), declarations=[{}])
    assert broken.value.law == "forms"
    assert why in broken.value.why


def test_a_sound_form_passes() -> None:
    sound = one(chart("hard"), (among("rounds", 2), filled("helper"), filled("link")), LITERAL)
    check_forms(system(sound, HARD))
    check_forms(system(one(sheet_of("victim"), empty("victim"))))
    check_forms(system(one(chart("hard"), kind=tuple[str, ...]), HARD))
    check_forms(replace(PIPS, Reaction=one(when=among("declaration.dice", 3))))


def test_an_accepted_declaration_gives_only_what_applies() -> None:
    ruleset = system(one(when=filled("victim")))
    check_accepted(ruleset, [{"more": "x", "victim": "c2"}, {"more": None}])
    with pytest.raises(LawBroken, match="'more' does not apply"):
        check_accepted(ruleset, [{}, {"more": "x"}])


@pytest.mark.slow
def test_the_kit_asks_it_of_what_was_accepted() -> None:
    wishes: list[dict[str, Any]] = [
        {},
        {"victim": "c2", "target": 3},
        {"helper": "c2", "more": "x"},
    ]
    with pytest.raises(LawBroken) as broken:
        check(
            system(one(when=filled("victim"))),
            characters=[Who({"skill": 2}), Who({"skill": 1})],
            declarations=wishes,
            followers={"again": [{}]},
        )
    assert broken.value.law == "forms"


ROLLABLES: dict[str, tuple[tuple[Rollable, ...], str]] = {
    "no name": ((Rollable("", {}),), "rollable '' has no name"),
    "a name twice": ((Rollable("a", {}), Rollable("a", {})), "'a' has no name of its own"),
    "no field": ((Rollable("a", {"luck": 1}),), "names 'luck', which no player fills in"),
    "asks for no field": ((Rollable("a", {}, ("luck",)),), "names 'luck', which no player"),
    "refused": ((Rollable("a", {"dice": "x"}),), "asks nothing, and is refused"),
}
"""What a sheet begins, and what the kit says."""


@pytest.mark.parametrize("name", ROLLABLES)
def test_a_sheet_that_begins_what_is_no_declaration_is_found(name: str) -> None:
    found, why = ROLLABLES[name]
    with pytest.raises(LawBroken) as broken:
        check(replace(PIPS, rollables=lambda options, sheet: found), declarations=[{}])
    assert broken.value.law == "rollables"
    assert why in broken.value.why


def test_what_a_sheet_begins_may_ask_for_what_it_needs() -> None:
    def begun(options: Any, sheet: Sheet) -> tuple[Rollable, ...]:
        return (Rollable("roll", {"dice": 2}), Rollable("against", {}, ("victim",)))

    check_rollables(replace(PIPS, rollables=begun), PIPS.Options(), Sheet("c1", {}, {}))
