"""What throws and decisions of a table were worth: as its odds were then, and for whom."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.engine.case.test_random import evening
from tests.engine.helpers.tables.trials import TRIALS
from urim import Table
from urim.engine.core import luck as module
from urim.engine.core.aggregate import table_of
from urim.engine.core.commands import SetAttribute
from urim.engine.core.luck import Memory, Moment, luck_of, moments, worths
from urim.engine.core.odds import question
from urim.events.entry import Entry
from urim.projections.aims import aim_of
from urim.projections.odds import Throw, coming, odds

HALF = Fraction(1, 2)


def worth(entries: tuple[Entry, ...], seq: int, roll: int) -> Fraction:
    """What a roll was worth after an entry, by its odds alone."""
    state = table_of(entries[: seq + 1]).opened
    asked, rules = question(state, roll), state.game.ruleset
    spread = odds(rules, asked.roll, asked.sheets.__getitem__, aim_of(rules.aim), asked.put)
    return aim_of(rules.aim).worth(spread.ends, spread.of)


@pytest.mark.prove
@pytest.mark.sampled(1, rest=2)
@pytest.mark.parametrize("system", ["sagatafl", "scarterra", "age_of_magic"])
def test_every_moment_is_worth_what_the_odds_said_then(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays a table for every ten that the count asks for."""
    seen = 0
    for number in range(-(-count // 10)):
        entries = tuple(evening(system, number, seed).host.entries)
        for each in moments(entries):
            if each.why or each.stands:
                continue
            assert each.after == worth(entries, each.seq, each.roll), (number, each)
            if each.before is None:  # it is too much
                continue
            assert each.before == worth(entries, each.seq - 1, each.roll), (number, each)
            assert each.expected is None or each.chances[each.after] > 0
            assert (each.play or 0) <= 0
            seen += 1
    assert seen
    tried(f"{seen:,} throws and decisions")


@pytest.mark.prove
@pytest.mark.sampled(1, rest=2)
@pytest.mark.parametrize("system", TRIALS)
def test_who_remembers_says_the_same(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Asks for two tables of one memory for every ten that the count asks for, and of none."""
    memory: Memory = {}
    seen = 0
    for number in [*range(-(-count // 10))] * 2:
        entries = tuple(evening(system, number, seed).host.entries)
        rolls = {each.roll for each in moments(entries, play=False)}
        alone = [each for roll in sorted(rolls) for each in moments(entries, [roll], play=False)]
        together = list(moments(entries, play=False, memory=memory))
        assert sorted(together, key=by_roll) == alone
        seen += len(alone)
    tried(f"{seen:,} throws, {len(memory):,} remembered")


def by_roll(each: Moment) -> tuple[int, int]:
    """An order by rolls."""
    return each.roll, each.seq


def test_a_throw_is_asked_once_and_again_where_another_sheet_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    many: list[int] = []

    def counted(*given: Any, **how: Any) -> Throw:
        asked.append(given[4])
        return coming(*given, **how)

    monkeypatch.setattr(module, "coming", counted)
    table = Table("milhamah", dice="scripted")
    one = table.character("One", attributes={"BLE": 1})
    memory: Memory = {}
    for ble in (1, 1, 2):
        table.submit(table.narrator, SetAttribute("c1", "BLE", ble))
        roll = table.declare(one, root="אש", rating=3, status={"few": {"D": -4}})
        roll.roll(faces=(*"גגגג",))
        roll.reroll("d1", faces=("א",))
        roll.stand()
        list(moments(table.entries, [roll.number], play=False, memory=memory))
        many.append(len(asked))
    assert many[0] == many[1]
    assert many[2] == 2 * many[0]
    monkeypatch.setattr(module, "KEPT", 1)
    list(moments(table.entries, play=False, memory=memory))  # nothing new is asked
    list(moments(plain(20).entries, play=False, memory=memory))
    assert len(memory) == 1


# --- a roll of plain dice, and two who compare ----------------------------------------------------


def plain(*faces: int) -> Table:
    """A table of two, each of whom throws some d20 of these faces in turn."""
    table = Table("plain", dice="scripted")
    who = [table.character(name) for name in ("One", "Two")]
    for at, face in enumerate(faces):
        roll = table.declare(who[at % 2], expression="1d20")
        roll.roll(faces=(face,))
    return table


def told(table: Table, **how: Any) -> list[Moment]:
    """The moments of a table."""
    return list(moments(table.entries, **how))


def test_luck_is_what_fell_less_what_was_to_be_expected() -> None:
    found = [each for each in told(plain(20, 3, 11)) if each.chances]
    assert [each.luck for each in found] == [20 - 21 * HALF, 3 - 21 * HALF, 11 - 21 * HALF]
    assert {each.play for each in found} == {0}
    total = luck_of(found, "margin")
    assert total.rolls == {"1": 9.5, "2": -7.5, "3": 0.5}
    assert sum(seat.luck for seat in total.seats) == total.luck == 2.5


def test_each_seat_has_its_own_luck_and_each_of_its_characters() -> None:
    total = luck_of(told(plain(20, 3)), "margin")
    assert [(seat.seat, seat.rolls, seat.throws, seat.luck) for seat in total.seats] == [
        ("p1", 1, 1, 9.5),
        ("p2", 1, 1, -7.5),
    ]
    one = Table("plain", dice="scripted")
    one.seat("p1")
    for name, face in (("One", 20), ("Two", 3)):
        one.declare(one.character(name, seat="p1"), expression="1d20").roll(faces=(face,))
    (seat,) = luck_of(told(one), "margin").seats
    assert (seat.rolls, seat.throws, seat.luck) == (2, 2, 2.0)
    assert seat.characters == {"c1": 9.5, "c2": -7.5}
    assert (seat.said, seat.least < -9, seat.most > 9) == ("normal", True, True)


def test_what_the_roller_gains_the_opponent_loses() -> None:
    table = Table("sagatafl", dice="scripted")
    one, two = (table.character(name) for name in ("One", "Two"))
    roll = table.declare(one, rating=1, opponent="c2")
    roll.react(two, rating=1)
    roll.roll(hand="initiator", faces=(12,))
    roll.roll(hand="reactor", faces=(1,))
    roll.resolve()
    threw = [each for each in told(table) if each.chances]
    assert [each.character for each in threw] == ["c1", "c2"]
    for each in threw:
        assert each.expected is not None
        assert each.after is not None
        sign = -1 if each.character == "c2" else 1
        assert (each.against, each.luck) == (sign < 0, sign * (each.after - each.expected))
        assert each.gains == tuple(
            (float(sign * (value - each.expected)), float(chance))
            for value, chance in each.chances.items()
        )


def test_a_decision_that_is_not_the_best_is_told_as_play_and_not_as_luck() -> None:
    table = Table("age_of_magic", dice="scripted")
    one = table.character("One", attributes={"Any": 3, "ST": 3})
    roll = table.declare(one, skill="Any", characteristic="ST", difficulty=6)
    roll.roll(faces=(6, 6), option=2)
    roll.resolve()
    thrown, resolved = told(table)
    assert thrown.play == Fraction(13, 18) - 1
    assert thrown.luck == (thrown.after or 0) - Fraction(13, 18)
    assert resolved.luck is None
    assert resolved.play == 0
    assert [each.play for each in told(table, play=False)] == [None]


def test_what_was_voided_fell_too() -> None:
    table = Table("plain", dice="scripted")
    roll = table.declare(table.character("One"), expression="1d20")
    roll.roll(faces=(20,))
    roll.void("a slip")
    assert luck_of(told(table), "margin").luck == 9.5


def test_what_is_too_much_is_named_and_in_no_sum() -> None:
    table = Table("plain", dice="scripted")
    table.declare(table.character("One"), expression="1d6!").roll(faces=(3,))
    (why,) = {each.why for each in told(table, play=False)}
    total = luck_of(told(table, play=False), "margin")
    assert total.left == {why: 1}
    assert "may explode for ever" in why
    assert (total.seats, total.rolls, total.luck) == ((), {}, 0)


def test_what_is_too_much_to_decide_counts_as_the_dice_fall() -> None:
    table = Table("majesty", dice="scripted")
    roll = table.declare(table.character("One"), kind="check", value=4, opposing=3)
    roll.roll(faces=(12, 9, 9, 5, 5, 5, 2))
    (found,) = told(table)
    assert (found.stands, found.play) == (True, None)
    assert found.after == 1
    assert float(found.expected or 0) == pytest.approx(0.560, abs=0.001)  # the book's own figure
    ((_, after),) = worths(table.entries, 1)  # with the one Adjustment that is still to come
    assert after == 1
    total = luck_of([found], "above 0")
    assert (total.standing, total.left, total.luck) == (1, {}, float(found.luck or 0))


def test_a_decision_that_is_too_much_takes_no_throw_out_of_the_sum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table("age_of_magic", dice="scripted")
    one = table.character("One", attributes={"Any": 3, "ST": 3})
    table.declare(one, skill="Any", characteristic="ST", difficulty=6).roll(faces=(6, 1), option=2)
    monkeypatch.setattr(module, "SOON", 200)  # enough for two dice, and not for every number
    with_play, without = (luck_of(told(table, play=play), "success") for play in (True, False))
    assert with_play == without
    assert (len(with_play.seats), with_play.left) == (1, {})


def test_dice_of_many_faces_are_counted_too() -> None:
    table = Table("plain", dice="scripted")
    table.declare(table.character("One"), expression="1d300*4").roll(faces=(300,))
    (seat,) = luck_of(told(table), "margin").seats
    assert seat.luck == 598
    assert seat.least < -598 < 598 < seat.most


def test_rolls_may_be_named() -> None:
    assert {each.roll for each in told(plain(20, 3, 11), rolls=[2])} == {2}


def test_who_may_not_see_a_roll_has_its_luck_once_it_is_revealed() -> None:
    table = Table("plain", dice="scripted")
    one, _ = (table.character(name) for name in ("One", "Two"))
    roll = table.declare(one, expression="1d20", visibility="gm")
    roll.roll(faces=(20,))
    roll.resolve()

    def seen(seat: str) -> list[Moment]:
        return list(moments(table.aggregate.view(seat)))

    assert [len(seen(seat)) for seat in ("p1", "p2")] == [2, 0]
    roll.reveal()
    assert seen("p2") == seen("p1")
