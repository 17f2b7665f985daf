"""What the rules offer is asked for once a state, whoever asks and how often."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import NATURAL, fight, pray
from urim.engine.core.aggregate import environment
from urim.engine.core.moves import moves
from urim.engine.core.offers import offers
from urim.engine.table import RollHandle, Table
from urim.errors import Refused
from urim.rules import ruleset_named
from urim.rules.ruleset import Offer, Roll, Sheets

ASKED = list[Roll]


@pytest.fixture
def asked() -> tuple[RollHandle, ASKED]:
    """A declared roll, and the rolls that its rules were asked for offers of from now on."""
    book, questions = ruleset_named("milhamah"), ASKED()

    def counted(roll: Roll, sheets: Sheets) -> tuple[Offer, ...]:
        questions.append(roll)
        return book.offers(roll, sheets)

    counting = replace(book, offers=counted)
    asking = replace(environment("seeded:9"), rulesets=lambda name: counting)
    table = Table("milhamah", environment=asking)
    rachel = table.character("Rachel", attributes={"BLE": 3})
    roll = table.declare(rachel, attribute="BLE")
    roll.roll()
    questions.clear()
    return roll, questions


def test_the_moves_of_every_seat_ask_the_rules_once(asked: tuple[RollHandle, ASKED]) -> None:
    roll, questions = asked
    state = roll.table.state
    listed = [moves(state, seat, roll.number) for seat in sorted(state.seats)]
    assert any(move.offers for each in listed for move in each)
    assert roll.offers
    assert len(questions) == 1


@pytest.mark.parametrize("choice", ["", "a", "nature", "naturals", "z"])
def test_a_choice_that_is_not_offered_is_refused_with_those_that_are(choice: str) -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, NATURAL)
    roll.stand()
    assert [offer.choice for offer in roll.offers if offer.trigger == "adjust"] == ["natural"]
    with pytest.raises(Refused) as refused:
        roll.choose(choice, "bonus")
    assert refused.value.code == "not-offered"
    assert refused.value.allowed[0] == "choose natural: bonus or merit"
    roll.choose("natural", "bonus")


def test_another_state_is_asked_about_again(asked: tuple[RollHandle, ASKED]) -> None:
    roll, questions = asked
    state = roll.table.state
    before = offers(state, roll.state)
    known = roll.state
    frozen: Any = replace(known, roll=replace(known.roll, hands=()))
    assert offers(state, frozen) != before, "another roll of the same number"
    assert offers(replace(state, size=state.size), known) == before, "an equal state, asked again"
    assert len(questions) == 3
