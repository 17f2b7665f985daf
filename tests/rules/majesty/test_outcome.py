"""Allies of Majesty: the course of a roll, what it comes to, and every value of every reading."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from urim.errors import Refused
from urim.rules.majesty import RULESET, Declaration, Options, Reaction
from urim.rules.majesty.declare import compared
from urim.rules.readings import readings_of
from urim.rules.ruleset import Die, Hand, Offer, Outcome, Roll, Sheet

STRIKER = Sheet("striker", {"Precision": 12, "Will": 81, "Mind": 67, "Nerve": 53, "Doubt": -5}, {})
DEFENDER = Sheet("defender", {"Guard": 6, "Wits": 9}, {})
THIRD = (1, 4, 8, 9, 11, 12, 5)
"""The book's third throw, the one that is adjusted."""


def hand(thrown: Iterable[int], shown: Iterable[int] | None = None) -> Hand:
    fell = tuple(thrown)
    pairs = enumerate(zip(fell, fell if shown is None else shown, strict=True), 1)
    return Hand(
        "initiator", "striker", tuple(Die(f"d{i}", "d12", (a,), a, b) for i, (a, b) in pairs)
    )


def roll(
    thrown: Iterable[int] | None = None,
    shown: Iterable[int] | None = None,
    *,
    reaction: Mapping[str, Any] | None = None,
    declined: bool = False,
    options: Mapping[str, Any] | None = None,
    **declared: Any,
) -> Roll:
    """The striker's roll; the defender reacts, or declines, or the declaration says it all."""
    readings = Options(**options or {})
    reacts = reaction is not None or declined
    both: dict[str, Any] = {} if reacts else {"value": 0, "opposing": 0}
    fields: dict[str, Any] = {"kind": "check", "opponent": "defender", **both, **declared}
    wish, _ = RULESET.settle(readings, Declaration(**fields), STRIKER, None)
    begun = Roll(options=readings, character="striker", declaration=wish)
    if reacts:
        answered = RULESET.decline(begun, DEFENDER)
        if reaction is not None:
            answered, _ = RULESET.answer(begun, Reaction(**reaction), DEFENDER)
        begun = replace(begun, reactions=(("defender", answered),))
    return begun if thrown is None else replace(begun, hands=(hand(thrown, shown),))


def outcome(*args: Any, **kwargs: Any) -> Outcome:
    return RULESET.outcome(roll(*args, **kwargs))


def offers(of: Roll) -> tuple[Offer, ...]:
    return RULESET.offers(of, lambda who: STRIKER)


def comparison(**kwargs: Any) -> tuple[int, int | None, int, str]:
    of = roll(**kwargs)
    found = compared(of, of.options)
    return found.value, found.opposing, found.adjustments, found.side


@pytest.mark.parametrize(
    ("kwargs", "values", "adjustments", "side"),
    [
        ({"kind": "strike", "reaction": {}}, (12, 6), 3, "striker"),
        ({"kind": "strike", "value": 4, "reaction": {}}, (4, 6), 1, "defender"),
        ({"kind": "strike", "value": 6, "reaction": {"value": 6}}, (6, 6), 0, "striker"),
        ({"attribute": "Doubt", "reaction": {"attribute": "Wits"}}, (-5, 9), 4, "defender"),
        ({"value": 10, "opposing": 3}, (10, 3), 3, "striker"),
        ({"value": 3, "opposing": 10}, (3, 10), 3, "defender"),
        ({"value": 2, "opposing": 2, "opponent": None}, (2, 2), 0, "striker"),
        ({"value": 3, "opposing": 2, "opponent": None}, (3, 2), 1, "striker"),
        ({"kind": "resist", "attribute": "Will", "reaction": {"value": 8}}, (8, 8), 0, "striker"),
        ({"kind": "resist", "attribute": "Nerve", "reaction": {"cost": 40}}, (5, 4), 1, "striker"),
        ({"kind": "resist", "attribute": "Mind", "reaction": {"spp": 3}}, (6, 6), 0, "striker"),
        ({"kind": "resist", "value": 8, "opposing": None, "cost": 49}, (8, 4), 2, "striker"),
        ({"kind": "resist", "value": 2, "opposing": None, "spp": 4}, (2, 8), 3, "defender"),
    ],
)  # fmt: skip
def test_the_greater_value_gets_the_adjustments(
    kwargs: dict[str, Any], values: tuple[int, int], adjustments: int, side: str
) -> None:
    if "reaction" in kwargs:
        kwargs = {"value": None} | kwargs
    assert comparison(**kwargs) == (*values, adjustments, side)


@pytest.mark.parametrize(
    ("rating", "value"), [(81, 8), (89, 8), (80, 8), (79, 7), (9, 0), (-5, -1)]
)
def test_a_resist_check_compares_a_tenth_of_an_attribute(rating: int, value: int) -> None:
    sheet = Sheet("striker", {"Will": rating}, {})
    wish = Declaration(kind="resist", attribute="Will", cost=0, opponent="defender")
    settled, _ = RULESET.settle(Options(), wish, sheet, None)
    begun = Roll(options=Options(), character="striker", declaration=settled)
    assert compared(begun, begun.options).value == value


@pytest.mark.parametrize(
    ("kwargs", "opposing", "attribute"),
    [
        ({"kind": "strike"}, 6, "Guard"),
        ({"kind": "strike", "opposing_attribute": "Wits"}, 9, "Wits"),
        ({"value": 3, "opposing_attribute": "Wits"}, 9, "Wits"),
        ({"value": 3, "opposing_attribute": "Song"}, 0, "Song"),
        ({"value": 3}, 0, None),
        ({"kind": "resist", "value": 3}, 0, None),
    ],
)
def test_a_side_that_declines_has_what_is_on_its_sheet(
    kwargs: dict[str, Any], opposing: int, attribute: str | None
) -> None:
    figures = outcome(THIRD, declined=True, **kwargs).figures
    assert figures["declined"] == ["defender"]
    assert (figures["opposing_value"], figures.get("opponent_attribute")) == (opposing, attribute)


def test_a_reaction_may_leave_the_attribute_to_the_declaration() -> None:
    assert comparison(value=3, opposing_attribute="Wits", reaction={})[1] == 9
    assert comparison(value=3, opposing_attribute="Wits", reaction={"value": 2})[1] == 2


@pytest.mark.parametrize("name", ["cost", "spp"])
@pytest.mark.parametrize(
    ("declared", "reacted", "shown"), [(4, None, 4), (None, 6, 6), (4, 6, 6), (4, 0, 0)]
)
def test_what_an_effect_cost_is_what_the_reaction_names_else_the_declaration(
    name: str, declared: int | None, reacted: int | None, shown: int
) -> None:
    said: dict[str, Any] = {} if declared is None else {name: declared}
    answered = None if reacted is None else {name: reacted}
    said |= {"value": 3, "opposing": None}
    figures = outcome(THIRD, kind="resist", **said, reaction=answered).figures
    assert figures[name] == shown
    assert ({"cost", "spp"} - {name}).isdisjoint(figures)


def test_the_opponent_reacts_and_then_seven_dice_are_thrown() -> None:
    begun = roll(value=1, opposing=None)
    (react,) = offers(begun)
    assert (react.trigger, react.character, react.due) == ("react", "defender", True)
    (throw,) = offers(roll(value=1, reaction={"value": 3}))
    assert (throw.trigger, throw.hand, throw.dice) == ("roll", "initiator", ("d12",) * 7)
    (throw,) = offers(roll(value=1, opposing=3))  # both values are declared: nobody has to react
    assert throw.trigger == "roll"


def test_an_adjustment_moves_a_die_by_one() -> None:
    adjust, resolve = offers(roll(THIRD, value=6, opposing=0))
    assert (adjust.most, adjust.means, adjust.due) == (3, "adjustment", False)
    assert adjust.dice == tuple(f"d{n}" for n in range(1, 8))
    assert adjust.to["d1"] == {2: 1, 3: 2, 4: 3}
    assert adjust.to["d3"] == {5: 3, 6: 2, 7: 1, 9: 1, 10: 2, 11: 3}
    assert adjust.to["d6"] == {11: 1, 10: 2, 9: 3}
    assert (resolve.trigger, resolve.character) == ("resolve", "striker")


def test_what_was_adjusted_is_spent_but_may_be_taken_back() -> None:
    adjust, _ = offers(roll(THIRD, (1, 4, 8, 9, 11, 12, 6), value=6, opposing=0))
    assert adjust.most == 3
    assert adjust.to["d7"] == {2: 3, 3: 2, 4: 1, 6: 1, 7: 2, 8: 3}  # from where it fell


def test_the_side_that_has_the_adjustments_ends_the_roll() -> None:
    adjust, resolve = offers(roll(THIRD, value=0, opposing=3))
    assert (adjust.character, resolve.character, adjust.most) == ("defender", "defender", 2)
    assert [offer.character for offer in offers(roll(THIRD))] == ["striker"]
    locked = roll((12,) * 7, value=0, opposing=3)  # nothing can be moved
    assert [(offer.trigger, offer.character) for offer in offers(locked)] == [
        ("resolve", "striker")
    ]


def test_epic_dice_are_not_offered() -> None:
    adjust, _ = offers(roll((12, 12, 12, 1, 5, 5, 5), value=1))
    assert adjust.dice == ("d5", "d6", "d7")
    adjust, _ = offers(roll((12, 12, 1, 5, 5, 5, 5), value=1))
    assert len(adjust.dice) == 7


def test_the_books_examples() -> None:
    first, second = outcome((12, 1, 2, 9, 10, 11, 5)), outcome((12, 12, 1, 2, 3, 10, 6))
    assert (first.margin, second.margin) == (2, 1)
    assert "epic_roll" not in first.figures and "epic_roll" not in second.figures
    better = outcome(THIRD, (2, 4, 9, 9, 12, 12, 5), value=6)
    assert (better.margin, better.figures["adjustments_used"]) == (5, 3)
    moved = {key: steps for key, steps in better.figures.items() if key.startswith("moved:")}
    assert moved == {"moved:d1": 1, "moved:d3": 1, "moved:d5": 1}
    worse = outcome(THIRD, (1, 3, 8, 8, 11, 12, 5), value=0, opposing=3)
    assert (worse.margin, worse.degree) == (0, "no effect")
    assert worse.figures["adjusted_by"] == "defender"


def test_a_strike_counts_hits_misses_stops_and_what_follows_from_them() -> None:
    hit = outcome((12, 12, 12, 1, 9, 5, 2), kind="strike").figures
    assert (hit["hits"], hit["misses"], hit["stops"]) == (6, 1, 2)
    assert (hit["uncancelled_hits"], hit["uncancelled_stops"]) == (4, 0)
    assert (hit["defensive_hits"], hit["twelve_effects"]) == (0, 2)
    stopped = outcome((1, 1, 2, 3, 3, 9, 12), kind="strike")
    assert (stopped.degree, stopped.margin) == ("negative", -3)
    assert stopped.figures["uncancelled_stops"] == 3
    assert (stopped.figures["defensive_hits"], stopped.figures["twelve_effects"]) == (1, 0)


@pytest.mark.parametrize(("stops", "defensive"), [(1, 0), (2, 1), (3, 1), (4, 2), (7, 3)])
def test_two_uncancelled_stops_make_a_defensive_hit(stops: int, defensive: int) -> None:
    figures = outcome([2] * stops + [5] * (7 - stops), kind="strike").figures
    assert (figures["uncancelled_stops"], figures["defensive_hits"]) == (stops, defensive)


def test_a_strike_is_counted_on_the_final_dice() -> None:
    figures = outcome(
        (11, 11, 5, 5, 5, 5, 4), (12, 12, 5, 5, 5, 5, 3), value=6, kind="strike"
    ).figures
    assert (figures["hits"], figures["stops"], figures["twelve_effects"]) == (4, 1, 2)
    assert "epic_roll" not in figures


@pytest.mark.parametrize("kind", ["resist", "check"])
def test_in_a_check_positives_are_passes(kind: str) -> None:
    figures = outcome((12, 9, 2, 5, 5, 5, 5), kind=kind).figures
    assert (figures["passes"], figures["uncancelled_passes"]) == (3, 2)
    assert "hits" not in figures


def test_an_epic_roll_stays_one_whatever_is_adjusted() -> None:
    countered = outcome((12, 12, 2, 5, 5, 5, 5), (12, 12, 1, 5, 5, 5, 5), value=0, opposing=1)
    assert countered.figures["epic_roll"] == "positive"
    assert countered.figures["epic_dice"] == 2
    assert countered.figures["locked_dice"] == ["d1", "d2"]
    assert countered.figures["extra_positives"] == 1
    assert outcome((1, 1, 5, 5, 5, 5, 5)).figures["epic_roll"] == "negative"


def test_every_value_of_every_reading_changes_something() -> None:
    epic = (12, 12, 12, 1, 5, 5, 5)
    all_locked = outcome(epic, value=1)
    own = outcome(epic, value=1, options={"epic_lock": "prevailing"})
    assert all_locked.figures["locked_dice"] == ["d1", "d2", "d3", "d4"]
    assert own.figures["locked_dice"] == ["d1", "d2", "d3"]
    assert {*all_locked.readings, *own.readings} == {"epic_lock", "fewer_adjustments"}
    assert "epic_lock" not in outcome((12, 12, 12, 5, 5, 5, 5), value=1).readings

    every = {"fewer_adjustments": False}
    assert offers(roll(THIRD, value=1, options=every))[0].due
    assert not offers(roll(THIRD, (1, 4, 8, 9, 11, 12, 6), value=1, options=every))[0].due
    left = outcome(THIRD, value=3)
    assert (left.figures["adjustments_left"], left.readings) == (2, ("fewer_adjustments",))
    few = roll((12,) * 6 + (5,), (12,) * 6 + (12,), value=1000, options=every)
    assert not offers(few)[0].due  # the one free die takes seven, and 202 are to be made

    round_it = roll((1, 5, 5, 5, 5, 5, 9), (12, 5, 5, 5, 5, 5, 9), value=1, options={"wrap": True})
    assert offers(round_it)[0].to["d1"] == {12: 1, 2: 1}
    assert RULESET.outcome(round_it).figures["adjustments_used"] == 1
    assert RULESET.outcome(round_it).readings == ("wrap",)

    nothing = outcome((5,) * 7, options={"net_zero": "negative"})
    assert (nothing.degree, nothing.margin, nothing.readings) == ("negative", 0, ("net_zero",))

    sheet = roll(THIRD, value=3, declined=True, opposing_attribute="Wits")
    assert RULESET.outcome(sheet).figures["difference"] == -6
    assert RULESET.outcome(sheet).readings == ("declined", "fewer_adjustments")
    none = {"declined": "no adjustments"}
    nobody = roll(THIRD, value=3, declined=True, options=none)
    assert [offer.trigger for offer in offers(nobody)] == ["resolve"]
    assert RULESET.outcome(nobody).readings == ("declined",)
    zero = roll(THIRD, value=3, declined=True, options={"declined": "zero"})
    assert offers(zero)[0].most == 2
    assert len(readings_of(Options)) == 5


def test_nothing_is_offered_after_the_end_and_nobody_is_hurt() -> None:
    done = replace(roll(THIRD), outcome=Outcome("positive", 2, {}))
    assert offers(done) == ()
    with pytest.raises(Refused, match="no roll of this system does damage"):
        RULESET.damage(done, lambda who: STRIKER)
    with pytest.raises(Refused, match="'again'"):
        RULESET.follow(Declaration(kind="check"), "again", done)
    with pytest.raises(Refused, match="not been thrown"):
        RULESET.outcome(roll())
    assert RULESET.involves(Declaration(kind="check")) == ()
    assert RULESET.tracks(Options()) == {}


@pytest.mark.parametrize(
    ("landed", "face", "asked"),
    [(1, 12, True), (1, 8, True), (12, 1, True), (1, 7, False), (7, 8, False), (3, 5, False),
     (9, 3, False), (4, 11, True), (5, 5, False)],
)  # fmt: skip
def test_going_round_is_a_reading_where_it_would_be_shorter_alone(
    landed: int, face: int, asked: bool
) -> None:
    others = (5, 5, 5, 5, 5, 5)
    found = outcome((landed, *others), (face, *others), value=100, options={"wrap": True})
    assert found.figures["adjustments_used"] == min((landed - face) % 12, (face - landed) % 12)
    assert ("wrap" in found.readings) is asked


@pytest.mark.parametrize(
    ("value", "adjustments", "able"),
    [(1, 1, None), (240, 50, None), (244, 50, None), (245, 51, 50), (1_000, 202, 50)],
)
def test_what_the_dice_can_take_is_a_figure_where_it_is_less(
    value: int, adjustments: int, able: int | None
) -> None:
    found = outcome((5, 5, 5, 5, 5, 5, 9), value=value)  # seven each, and eight
    assert found.figures["adjustments"] == adjustments
    assert found.figures.get("dice_can_take") == able
