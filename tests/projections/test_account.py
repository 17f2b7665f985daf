"""The account of a roll: facts and sums in order, the dice that make them, marks; no markup."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import plays
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import Reveal
from urim.engine.table import RollHandle, Table
from urim.projections.account import Account, account
from urim.projections.isolates import FSI, PDI
from urim.projections.result import Item, signed, written
from urim.projections.rulings import rulings_on

ARCHER = {"Bow": 12, "DX": 5}


def of(table: Table | Aggregate, number: int) -> Account:
    """The account of one roll."""
    aggregate = table.aggregate if isinstance(table, Table) else table
    return account(aggregate.opened, aggregate.records, number)


@pytest.fixture
def shot() -> RollHandle:
    """An archer's shot at difficulty 13, five dice of risk: 18 beyond what they cost."""
    table = Table("age_of_magic", dice="scripted", options={"ceiling": "none"})
    archer = table.character("Archer", attributes=ARCHER)
    roll = table.declare(archer, skill="Bow", characteristic="DX", difficulty=13)
    roll.roll(option=5, faces=[6, 5, 3, 3, 1])
    return roll


def lines(item: Item) -> list[str]:
    """An item as on paper, plainly."""
    terms = [f"{signed(each, first=not at)} {each.label}" for at, each in enumerate(item.terms)]
    equals = "= " if terms else ""
    return [*terms, f"{equals}{item.total.text} {item.total.label}"]


def test_sums_are_written_line_by_line(shot: RollHandle) -> None:
    shot.resolve()
    found = of(shot.table, 1).outcome
    assert found is not None
    assert (found.head, found.text) == ("success", "20 against 13")
    assert found.reason == "The result 20 is more than the difficulty 13."
    written = [line for item in found.items for line in lines(item)]
    assert written[0] == "yes no ceiling"
    assert written[1:4] == ["12 skill Bow", "+ 5 characteristic DX", "= 17 basic value"]
    assert written[-3:] == ["20 result", "− 13 difficulty", "= 7 margin"]


def test_a_sum_goes_on_from_the_total_above_it(shot: RollHandle) -> None:
    shot.resolve()
    found = of(shot.table, 1).outcome
    assert found is not None
    shown = {
        item.total.label: [value for value, _ in terms] for item, terms in written(found.items)
    }
    assert shown["basic value"] == ["12", "+ 5"]
    assert shown["result"] == ["− 15", "+ 18"]
    assert shown["margin"] == ["− 13"]


def test_points_for_dice_are_no_times(shot: RollHandle) -> None:
    shot.resolve()
    found = of(shot.table, 1).outcome
    assert found is not None
    labels = [term.label for item in found.items for term in item.terms if term.dice]
    assert labels == [
        "points for the dice of the first throw, 3 each",
        "what the dice of the first throw show",
    ]


def sneaking(*faces: int) -> RollHandle:
    """An archer's dice against a captain's, which come to 0."""
    table = Table("scarterra", dice="scripted")
    archer = table.character("Archer", attributes={"Dexterity": 2})
    captain = table.character("Captain", attributes={"Wits": 2})
    roll = table.declare(archer, attribute="Dexterity", opponent=captain.id)
    roll.react(attribute="Wits")
    roll.roll("initiator", faces=faces)
    roll.roll("reactor", faces=[7, 1])
    return roll


def test_a_label_names_the_opponent() -> None:
    roll = sneaking(6, 8)
    roll.resolve()
    found = of(roll.table, 1).outcome
    assert found is not None
    labels = [line.label for item in found.items for line in (*item.terms, item.total)]
    assert f"{FSI}Captain{PDI}'s dice pool" in labels
    assert found.reason.startswith(f"{FSI}Archer{PDI} has more successes than {FSI}Captain")


def test_what_is_below_0_counts_as_0_in_the_margin() -> None:
    roll = sneaking(1, 1)
    roll.resolve()
    found = of(roll.table, 1).outcome
    assert found is not None
    assert "0 successes, which count as 0" in lines(found.items[-1])


def test_a_part_is_how_much_of_how_much() -> None:
    table = Table("scarterra", dice="scripted")
    mason = table.character("Mason", attributes={"Strength": 2})
    roll = table.declare(mason, attribute="Strength", target=10, deadline=1)
    roll.roll(faces=[6, 8])
    roll.resolve()
    found = of(table, 1).outcome
    assert found is not None
    (part,) = (item for item in found.items if item.total.key == "percent")
    assert part.fact and part.total.text == "20 (2 of 10)"


def test_what_is_only_equal_to_another_figure_is_no_term_beside_it() -> None:
    table = Table("milhamah", dice="scripted")
    rachel = table.character("Rachel", attributes={"BLE": 3})
    dice = {"red": 4, "green": 4}
    roll = table.declare(
        rachel, root="אשר", rating=3, attribute="BLE", target=2, modifiers={"far": 1}, dice=dice
    )
    roll.roll(faces=["ב", "ח", "ג", "ט", "ד", "ל", "ה", "מ"])
    roll.freeze()
    roll.resolve()
    found = of(table, 1).outcome
    assert found is not None
    written = [lines(item) for item in found.items]
    assert ["2 difficulty", "+ 1 far", "= 3 successes to beat"] in written
    assert written[-1][-3:] == ["0 successes", "− 3 successes to beat", "= -3 margin"]
    assert dict(found.idle)["none"] == (
        "times that dice were thrown again",
        "letters of the root",
        "Wilds",
    )


def test_a_line_names_the_dice_that_make_it(shot: RollHandle) -> None:
    shot.resolve()
    found = of(shot.table, 1).outcome
    assert found is not None
    thrown = [line for item in found.items for line in item.terms if line.dice]
    assert {line.dice for line in thrown} == {("d1", "d2", "d3", "d4", "d5")}
    assert [line.number for line in thrown] == [-30, 36]  # half points


def test_dice_say_what_they_count_for_before_the_end(shot: RollHandle) -> None:
    found = of(shot.table, 1)
    assert found.outcome is None
    hand = found.steps[-1].hand
    assert hand is not None and hand.who == "Archer"
    assert all(die.makes and die.again for die in hand.dice)


def test_earlier_faces_of_a_die_that_explodes_count_and_others_do_not() -> None:
    table = Table("plain", dice="scripted")
    roll = table.declare(table.character("Robin"), expression="1d6!+1d6r1")
    roll.roll(faces=[6, 2])
    roll.roll(faces=[1])
    roll.reroll("d2", faces=[4])
    first, _, again = [step.hand for step in of(table, 1).steps if step.hand]
    assert [(die.face, die.earlier) for die in first.dice] == [(2, ((6, True),))]
    assert [(die.face, die.earlier) for die in again.dice] == [(4, ((1, False),))]


def test_a_step_has_its_seat_and_its_words(shot: RollHandle) -> None:
    declared, thrown = of(shot.table, 1).steps
    assert (declared.seat, declared.hand) == ("p1", None)
    assert "declares" in declared.text and "throws" in thrown.text


def test_marks_say_what_is_to_know_first(shot: RollHandle) -> None:
    table = shot.table
    shot.resolve()
    shot.dispute("No.")
    assert of(table, 1).marks == ("disputed",)
    shot.rule("amend", "It was far.", difficulty=15)
    found = of(table, 1)
    assert found.marks == ("amended", "ruled")
    assert found.outcome is not None and found.outcome.text == "20 against 15"
    shot.void("Enough.", against=rulings_on(shot.state)[-1])
    assert of(table, 1).marks == ("voided", "amended", "ruled")


def test_a_hidden_roll_is_marked_until_it_is_revealed() -> None:
    table = Table("age_of_magic", dice="scripted")
    archer = table.character("Archer", attributes=ARCHER)
    table.declare(archer, visibility="gm", skill="Bow", characteristic="DX")
    assert of(table, 1).marks == ("hidden",)
    table.submit("narrator", Reveal(1))
    assert of(table, 1).marks == ("revealed",)


# --- every roll of every scenario -----------------------------------------------------------------


def accounts() -> Iterator[tuple[Path, Account]]:
    """The account of every roll there is."""
    for path in plays.files():
        aggregate = plays.kept_of(path).play.aggregate
        for number in sorted(roll.number for roll in aggregate.opened.rolls.values()):
            yield path, of(aggregate, number)


def test_every_sum_of_every_account_comes_out() -> None:
    seen = 0
    for path, each in accounts():
        for result in filter(None, (each.outcome, each.damage)):
            for item in result.items:
                if item.terms and not item.then:
                    seen += 1
                    numbers = [line.number or 0 for line in item.terms]
                    assert sum(numbers) == item.total.number, (path, item)
    assert seen > 800


def test_no_account_has_markup_or_a_name_of_the_program() -> None:
    for path, each in accounts():
        text = msgspec.json.encode(each).decode()
        assert msgspec.json.decode(text, type=Account) == each, path
        shown = [
            line.label
            for r in (each.outcome, each.damage)
            if r
            for i in r.items
            for line in (*i.terms, i.total)
        ]
        shown += [clause for r in (each.outcome, each.damage) if r for clause in r.readings]
        for label in shown:
            assert not set("_{}") & set(label), (path, label)


def test_every_degree_of_the_scenarios_has_its_reason() -> None:
    for path, each in accounts():
        if each.outcome is not None:
            # What is no more than a number needs none.
            right = each.outcome.reason.endswith(".") or not each.outcome.text
            assert right, (path, each.roll, each.outcome.head)
            assert "{" not in each.outcome.reason, path


def test_damage_that_counts_otherwise_now_says_so() -> None:
    path = plays.SCENARIOS / "milhamah" / "void-after-damage.toml"
    aggregate = plays.kept_of(path).play.aggregate
    numbers = [roll.number for roll in aggregate.opened.rolls.values()]
    found = [damage for number in numbers if (damage := of(aggregate, number).damage)]
    revised = [damage for damage in found if damage.now]
    assert revised and all(damage.notes[0] == damage.now for damage in revised)


COUNTS: dict[str, tuple[dict[str, Any], list[int], str]] = {
    "scarterra": ({"attribute": "Rating"}, [7, 1, 3, 8], "for against no for"),
    "sagatafl": ({"trait": "Rating", "rd": 7}, [7, 2, 12, 6], "for no for no"),
    "sagatafl, none reached": ({"trait": "Rating", "rd": 11}, [2, 9, 4, 3], "no for no no"),
    "majesty": (
        {"kind": "check", "attribute": "Rating", "opposing": 4},
        [12, 1, 7, 2, 6, 11, 8],
        "for against no against no for no",
    ),
    "plain, some kept": ({"expression": "4d6kh3"}, [4, 1, 6, 2], "for no for for"),
    "plain, hits": ({"expression": "4d6>=4f1"}, [5, 1, 6, 2], "for against for no"),
    "plain, no hit": ({"expression": "4d6>4"}, [2, 1, 4, 2], "no no no no"),
}
"""By system: what is declared, the faces that fall, what each die does for its side."""


@pytest.mark.parametrize("case", COUNTS)
def test_a_die_counts_for_its_side_against_it_or_not(case: str) -> None:
    declared, faces, counts = COUNTS[case]
    table = Table(case.partition(",")[0], dice="scripted")
    who = table.character("Archer", attributes={"Rating": 4})
    roll = table.declare(who, **declared)
    roll.roll(faces=faces)
    hand = next(step.hand for step in of(table, 1).steps if step.hand)
    assert [die.counts for die in hand.dice] == counts.split()
