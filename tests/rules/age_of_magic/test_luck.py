"""Luck and unluck in Age of Magic: whose they are, what they add, and which throw stands."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.rules.age_of_magic.table import Cast, done
from urim.engine.core.commands import React
from urim.engine.core.limits import NARRATOR
from urim.engine.table import RollHandle
from urim.errors import Refused
from urim.rules.age_of_magic.declare import Declaration, Reaction
from urim.rules.age_of_magic.options import Options
from urim.rules.age_of_magic.outcome import outcome
from urim.rules.age_of_magic.settle import answer
from urim.rules.ruleset import Die, Hand, Roll


def reactions(roll: RollHandle) -> list[tuple[str, str, bool]]:
    """Whose luck or unluck may still be declared, and whether it is the narrator's to do."""
    return [
        (offer.character, str(offer.options[0]), offer.narrator)
        for offer in roll.offers
        if offer.trigger == "react"
    ]


def test_everybody_whom_the_roll_affects_may_be_lucky_or_unlucky() -> None:
    cast = Cast()
    roll = cast.declare(cast.kay, targets=["c1", "c2", "c3"])
    assert reactions(roll) == [
        ("c1", "luck", False),
        ("c2", "luck", False),
        ("c4", "unluck", True),
        ("c3", "unluck", True),
    ]
    assert done(roll).figures["declined"] == ["c1", "c2"]
    assert reactions(roll) == []


def test_luck_is_chosen_before_the_dice_and_once() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c2"])
    roll.react(fate="luck", modifier=-3)
    assert reactions(roll) == []


def test_nobody_throws_before_a_targets_luck() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c2"])
    assert [(offer.trigger, offer.character, offer.due) for offer in roll.offers] == [
        ("react", "c2", True)
    ]
    with pytest.raises(Refused, match="roll first is not offered"):
        roll.roll(hand="first", option=0)
    roll.decline()
    assert [offer.trigger for offer in roll.offers] == ["roll"]
    with pytest.raises(Refused, match="not offer react"):
        cast.table.submit("p2", React(roll.number, "c2", {"fate": "luck", "modifier": -3}))
    ended = done(roll)
    assert (ended.figures["declined"], ended.figures["basic"]) == (["c2"], 18)


def test_unluck_of_the_one_who_may_be_lucky_does_not_answer_for_the_luck() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c4"])
    roll.react(cast.kay, fate="unluck", modifier=3)
    assert [(offer.trigger, offer.due) for offer in roll.offers] == [("react", True)]
    roll.decline()
    ended = done(roll)
    assert (ended.figures["declined"], ended.figures["basic"]) == (["c4"], 24)


def test_luck_declined_leaves_the_unluck() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c4"])
    roll.decline()
    assert reactions(roll) == [("c4", "unluck", True)]
    roll.react(cast.kay, fate="unluck", modifier=3)
    assert done(roll).figures["basic"] == 24


def test_a_target_without_the_talent_is_not_waited_for() -> None:
    roll = Cast().declare(targets=["c3"])
    assert [(offer.trigger, offer.due) for offer in roll.offers] == [
        ("react", False),
        ("roll", True),
    ]


def test_one_who_has_both_gifts_can_have_both() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c4"])
    roll.react(cast.kay, fate="unluck", modifier=3)
    assert reactions(roll) == [("c4", "luck", False)]
    roll.react(cast.kay, fate="luck", modifier=-3)
    outcome = done(roll, (4,))
    assert outcome.figures["luck_of_others:c4"] == -6
    assert outcome.figures["unluck_of_others:c4"] == 6
    assert outcome.figures["basic"] == 18
    assert [event.by for event in _reacted(roll)] == [NARRATOR, "p4"]


def _reacted(roll: RollHandle) -> list[Any]:
    events = [entry.event for entry in roll.state.trail]
    return [event for event in events if type(event).__name__ == "ReactionDeclared"]


def test_each_of_two_reactions_of_one_character_keeps_its_place_when_the_last_is_amended() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c4"])
    roll.react(cast.kay, fate="unluck", modifier=3)
    roll.react(cast.kay, fate="luck", modifier=-3)
    cast.amend(roll, cast.kay, modifier=3)
    assert roll.state.roll.reactions == (
        ("c4", Reaction(fate="unluck", modifier=3)),
        ("c4", Reaction(fate="luck", modifier=3)),
    )
    assert done(roll, (1,)).figures["basic"] == 30


def test_unluck_is_the_referees_and_luck_is_not() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c2", "c3"])
    with pytest.raises(Refused, match="narrator"):
        cast.table.submit("p3", React(1, "c3", {"fate": "unluck", "modifier": 3}))
    with pytest.raises(Refused, match="does not act for Mara"):
        cast.table.submit(NARRATOR, React(1, "c2", {"fate": "luck", "modifier": -3}))
    assert len(reactions(roll)) == 2


@pytest.mark.parametrize(
    ("modifier", "throws", "stands", "result"),
    [
        (3, ((2, 5), (6, 4)), "second", 32),
        (3, ((6, 4), (2, 5)), "first", 32),
        (3, ((3, 3), (3, 3)), "first", 24),
        (-3, ((2, 5), (6, 4)), "second", 20),
    ],
)
def test_both_throws_stay_visible_and_one_stands(
    modifier: int, throws: tuple[tuple[int, ...], ...], stands: str, result: int
) -> None:
    cast = Cast(ceiling="none")
    roll = cast.declare(luck=modifier)
    ended = done(roll, *throws)
    assert [ended.figures[f"dice:{name}"] for name in ("first", "second")] == [
        2 * sum(faces) for faces in throws
    ]
    assert (ended.figures["stands"], ended.figures["result"]) == (stands, result)
    assert [die.id for hand in roll.state.roll.hands for die in hand.dice] == [
        "d1",
        "d2",
        "d3",
        "d4",
    ]
    assert "same_n_twice" in ended.readings


@pytest.mark.parametrize(
    ("who", "fate", "modifier", "by_modifier", "by_role"),
    [
        ("c1", "luck", 3, 1, 1),
        ("c1", "luck", -3, -1, 1),
        ("c1", "unluck", -3, -1, -1),
        ("c1", "unluck", 3, 1, -1),
        ("c2", "luck", -3, -1, -1),
        ("c2", "luck", 3, 1, -1),
        ("c2", "unluck", 3, 1, 1),
        ("c2", "unluck", -3, -1, 1),
    ],
)
def test_which_result_is_best(
    who: str, fate: Any, modifier: Any, by_modifier: int, by_role: int
) -> None:
    expected = {"by_modifier": by_modifier, "by_role": by_role}
    for reading, wanted in expected.items():
        fates = [(who, fate, modifier)]
        ended = outcome(thrown_with(fates, ((2,), (5,)), best_result=reading))
        assert ended.figures["stands"] == ("second" if wanted > 0 else "first")
        assert ended.figures["chosen"] == ("higher" if wanted > 0 else "lower")
        assert ("best_result" in ended.readings) == (by_modifier != by_role)


def thrown_with(
    fates: list[tuple[str, Any, Any]], throws: tuple[tuple[int, ...], ...], **options: Any
) -> Roll:
    """A roll of c1's with basic 30 before all luck, whoever's it is."""
    own = [modifier for who, fate, modifier in fates if (who, fate) == ("c1", "luck")]
    others = [item for item in fates if (item[0], item[1]) != ("c1", "luck")]
    return Roll(
        options=Options(**options),
        character="c1",
        declaration=Declaration(
            skill="Any", characteristic="ST", skill_halves=60, tired=1, luck=own[0] if own else None
        ),
        reactions=tuple((who, Reaction(fate=fate, modifier=sign)) for who, fate, sign in others),
        hands=tuple(
            Hand(name, "c1", tuple(Die(f"d{n}", "d6", (n,), n, n) for n in faces))
            for name, faces in zip(("first", "second"), throws, strict=False)
        ),
    )


def test_the_second_throw_has_the_same_risk() -> None:
    roll = Cast().declare(luck=3)
    roll.roll(option=2, faces=[1, 1])
    (second,) = roll.offers
    assert (second.hand, second.dice, second.options) == ("second", ("d6", "d6"), ())
    assert "never more than 12" in second.note


def test_or_a_risk_of_its_own() -> None:
    roll = Cast(same_n_twice=False).declare(luck=3)
    roll.roll(option=2, faces=[1, 1])
    (second,) = roll.offers
    assert second.options == (0, 1, 2, 3, 4)
    roll.roll(option=0)
    ended = roll.resolve()
    assert (ended.figures["risk:second"], ended.figures["throw:second"]) == (0, 24)
    assert (ended.figures["stands"], ended.readings) == ("second", ("same_n_twice",))


def test_which_result_is_best_does_not_matter_where_there_is_one() -> None:
    roll = Cast().declare(luck=-3)
    roll.roll(option=0)
    assert roll.resolve().readings == ("same_n_twice",)


def test_luck_without_the_talent_is_refused_by_the_rules_themselves() -> None:
    cast = Cast()
    roll = cast.declare(targets=["c3"])
    with pytest.raises(Refused, match="c3 has no luck"):
        answer(roll.state.roll, Reaction(fate="luck", modifier=3), cast.tor.sheet)


def test_without_dice_there_is_nothing_to_throw_twice() -> None:
    sure = Cast().declare(luck=3)
    sure.roll(option=0)
    assert [offer.trigger for offer in sure.offers] == ["resolve"]
    assert sure.resolve().readings == ("same_n_twice",)
    poor = Cast(same_n_twice=False).declare(luck=-3, modifiers={"weak": -4})
    poor.roll(option=0)
    assert poor.resolve().readings == ()


def test_resolving_waits_for_the_second_throw() -> None:
    roll = Cast().declare(luck=3)
    roll.roll(option=1, faces=[1])
    with pytest.raises(Refused, match="roll 1 waits for: roll second"):
        roll.resolve()


@pytest.mark.parametrize(("luck", "stands"), [(3, max), (-3, min)])
def test_the_odds_of_two_throws_are_those_of_every_pair(luck: int, stands: Any) -> None:
    """Two dice twice, no ceiling: every one of 1296 throws counted."""
    found: Counter[int] = Counter()
    expected: Counter[int] = Counter()
    rest = 2 * (30 + luck - 6)
    for one, two in product(product(range(1, 7), repeat=2), repeat=2):
        lucky = [("c1", "luck", luck)]
        ended = outcome(thrown_with(lucky, (one, two), ceiling="none", best_result="by_modifier"))
        found[ended.margin] += 1
        expected[rest + 2 * stands(sum(one), sum(two))] += 1
    assert found == expected
    best = sum(count for margin, count in found.items() if margin == rest + 24)
    assert Fraction(best, 6**4) == (Fraction(71, 1296) if luck > 0 else Fraction(1, 1296))
