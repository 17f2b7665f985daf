"""A result in words: the changes that count now, sums that go on, labels and units."""

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import NATURAL, fight, hit, pray, strike
from urim.engine.table import Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.projections.corrections.changes import Change
from urim.projections.isolates import FSI, PDI
from urim.projections.lexicon import Lexicon, filled
from urim.projections.result import Item, Line, damage_result, outcome_result, written
from urim.projections.same import Same
from urim.rules.age_of_magic.damage import NAMES
from urim.rules.age_of_magic.figures import PER_WOUND
from urim.rules.figures import Form, Term
from urim.rules.ruleset import Damage

ETGAR, TOAD = f"{FSI}Etgar{PDI}", f"{FSI}Toad{PDI}"


# --- tracks ---------------------------------------------------------------------------------------


def changes_of(table: Table, number: int, *, damage: bool = False) -> tuple[Change, ...]:
    """What a roll's outcome, or its damage, changes as it counts now."""
    made = damage_result if damage else outcome_result
    found = made(table.state, table.state.rolls[number])
    assert found is not None
    return found.changes


def test_damage_changes_each_track_of_its_target_from_what_it_was() -> None:
    table, etgar, toad = fight()
    roll = strike(table, etgar, toad)
    assert changes_of(table, 1) == ()
    assert damage_result(table.state, roll.state) is None
    roll.apply_damage()
    found = damage_result(table.state, roll.state)
    assert found is not None
    assert (found.head, found.number, found.text) == (TOAD, 5, "5 points")
    assert found.changes == (
        Change(TOAD, "armour, belly", 2, 0, None),
        Change(TOAD, "VIG soak points", 2, 0, None),
        Change(TOAD, "light wounds", 0, 1, 3),
    )
    assert found.now == ""
    assert f"{TOAD}: light wounds 0 → 1" in found.notes
    assert changes_of(table, 1) == ()  # the outcome itself changed no track


def test_of_two_blows_the_second_begins_where_the_first_ended() -> None:
    table, etgar, toad = fight()
    for _ in range(2):
        hit(table, etgar, toad)
    assert changes_of(table, 1, damage=True)[-1] == Change(TOAD, "light wounds", 0, 1, 3)
    second = {each.track: (each.before, each.after) for each in changes_of(table, 2, damage=True)}
    assert second["light wounds"] == (1, 3)


def test_a_blow_counts_otherwise_once_an_earlier_one_is_void() -> None:
    table, etgar, toad = fight()
    first, second = hit(table, etgar, toad), hit(table, etgar, toad)
    first.void("a slip")
    assert changes_of(table, 1, damage=True) == ()
    found = damage_result(table.state, second.state)
    assert found is not None
    assert found.notes[0] == found.now
    assert found.now.startswith("This is what was announced. Another roll was voided or amended")
    assert found.changes == (
        Change(TOAD, "armour, belly", 2, 0, None),
        Change(TOAD, "VIG soak points", 2, 0, None),
        Change(TOAD, "light wounds", 0, 1, 3),
    )


def test_an_outcome_changes_tracks_once_however_often_it_is_amended() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, NATURAL)
    roll.stand()
    roll.choose("natural", "merit")
    assert roll.resolve().effects
    merit = (Change(ETGAR, "Merit Points", 0, 1, None),)
    assert changes_of(table, 1) == merit
    roll.amend("it was near", modifiers={"near": -1})
    assert changes_of(table, 1) == merit
    assert damage_result(table.state, roll.state) is None
    roll.void("a slip")
    assert changes_of(table, 1) == ()


# --- sums -----------------------------------------------------------------------------------------


def line(key: str, number: int) -> Line:
    """A figure."""
    return Line(key=key, label=key, text=str(number), number=number)


@pytest.mark.parametrize(
    ("key", "number", "goes_on"),
    [("b", 7, True), ("a", 7, False), ("c", 7, False), ("b", 6, False), ("b", 8, False)],
)
def test_a_sum_goes_on_from_the_very_total_above_it(key: str, number: int, goes_on: bool) -> None:
    above = Item(line(key, number), (line("x", 3), line("y", 4)))
    fact = Item(line("fact", 1))
    below = Item(line("t", 9), (line("b", 7), line("z", 2)))
    shown = [[value for value, _ in terms] for _, terms in written((above, fact, below))]
    assert shown == [["3", "+ 4"], [], ["+ 2"] if goes_on else ["7", "+ 2"]]


def test_a_sum_of_one_term_repeats_the_total_above_it() -> None:
    above, below = Item(line("b", 7), (line("x", 7),)), Item(line("t", 7), (line("b", 7),))
    assert [len(terms) for _, terms in written((above, below))] == [1, 1]


def test_of_a_forged_outcome_what_can_be_formed_is_shown() -> None:
    """A log may hold figures that no rules announce: a result leaves out what it cannot reckon."""
    table, etgar, _ = fight()
    roll = pray(table, etgar, NATURAL)
    roll.stand()
    roll.choose("natural", "bonus")
    honest = roll.resolve()
    for key in honest.figures:
        without = {name: value for name, value in honest.figures.items() if name != key}
        for figures in (without, {**without, key: "forged"}, {**without, key: None}):
            forged = replace(honest, figures=figures)
            found = outcome_result(table.state, roll.state, outcome=forged)
            assert found is not None
            assert found.number == honest.margin
            assert key in figures or key not in {
                item.total.key for item in found.items if item.fact
            }


B, C, NUMBER = Term("b"), Term("c"), Term("three", constant=3)


@pytest.mark.parametrize(
    ("equal", "term"),
    [
        ({}, None),
        ({"a": B}, B),
        ({"a": B, "b": C}, C),
        ({"a": B, "b": None}, B),
        ({"a": NUMBER}, NUMBER),
        ({"a": NUMBER, "three": C}, NUMBER),  # its key is no figure's
    ],
)
def test_a_total_is_what_the_last_of_a_chain_is(
    equal: dict[str, Term | None], term: Term | None
) -> None:
    assert Same(equal, (), lambda *_: True).of("a") == term


def test_a_difficulty_of_0_is_taken_away_in_the_margin() -> None:
    table = FixtureTable("age_of_magic", dice="scripted", options={"ceiling": "none"})
    archer = table.character("Archer", attributes={"Bow": 12, "DX": 5})
    roll = table.declare(archer, skill="Bow", characteristic="DX", difficulty=13)
    roll.roll(option=5, faces=[6, 5, 3, 3, 1])
    outcome = roll.resolve()
    easy = replace(outcome, figures={**outcome.figures, "difficulty": 0}, margin=40)
    found = outcome_result(table.state, roll.state, outcome=easy)
    assert found is not None
    [(_, terms)] = [pair for pair in written(found.items) if pair[0].total.key == "margin"]
    assert [(value, term.label) for value, term in terms][-1] == ("− 0", "difficulty")


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("halves", "text"),
    [(0, "0 points"), (1, "+½ points"), (2, "+1 point"), (3, "+1½ points"), (4, "+2 points"),
     (-1, "-½ points"), (-2, "-1 point"), (-3, "-1½ points"), (-4, "-2 points")],
)  # fmt: skip
def test_one_and_a_half_are_many(halves: int, text: str) -> None:
    assert Lexicon(FixtureTable("age_of_magic").state).margin(halves) == text


@pytest.mark.parametrize(
    ("count", "label"), [(0, "successes"), (1, "success"), (2, "successes"), (-1, "success")]
)
def test_one_of_a_figure_is_singular(count: int, label: str) -> None:
    assert Lexicon(FixtureTable("milhamah").state).figure("successes", count=count) == label


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("letters", ["ב", "ח"], "ב ח"),
        ("names", ["far", "near"], "far, near"),
        ("names", [], "none"),
    ],
)
def test_letters_stand_side_by_side_and_names_are_a_list(
    form: Form, value: list[str], text: str
) -> None:
    found = Lexicon(FixtureTable("milhamah").state).value(form, value)
    assert found.replace(FSI, "").replace(PDI, "") == text


def test_a_name_in_braces_that_has_no_value_is_spaced() -> None:
    assert filled("{who} and {some_one} of {a_b}", {"who": "Ruth"}) == "Ruth and some one of a b"


@pytest.mark.parametrize(
    ("ruleset", "key", "label"),
    [
        ("milhamah", "modifier:far", "far"),
        ("milhamah", "modifier:far:off", "far, off"),
        ("milhamah", "r:wind:east:north", "R of wind, east, north"),
        ("scarterra", "helper_modifiers:c1:far", "c1's modifier: far"),
        ("scarterra", "helper_modifiers:c1:far:off", "c1's modifier: far, off"),
    ],
)
def test_the_last_part_of_a_figures_key_keeps_its_colons(
    ruleset: str, key: str, label: str
) -> None:
    assert Lexicon(FixtureTable(ruleset).state).figure(key) == label


# --- what was done to a sum -----------------------------------------------------------------------


@pytest.mark.parametrize("through", [-13, -7, -6, -5, -1, 1, 2, 6, 7, 35, 36, 37, 200])
def test_what_was_done_to_a_sum_is_written_where_it_changed_it(through: int) -> None:
    table = FixtureTable("age_of_magic", dice="scripted")
    archer = table.character("Archer", attributes={"Bow": 12, "DX": 5})
    roll = table.declare(archer, skill="Bow", characteristic="DX", difficulty=13)
    sized = -(-through // PER_WOUND)
    amount = min(max(sized, 0), len(NAMES) - 1)
    figures = {"damage": through, "ST": 0, "armour": 0, "through": through}
    damage = Damage(archer.id, amount, figures)
    found = damage_result(table.state, roll.state, damage=damage)
    assert found is not None
    [then] = [item.then for item in found.items if item.total.key == "amount"]
    assert then[0] == "one for each 3, rounded up"
    bounds = {"but at least 0": sized < 0, "but at most 6": sized > len(NAMES) - 1}
    assert set(then[1:]) == {words for words, holds in bounds.items() if holds}
