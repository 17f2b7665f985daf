"""A declaration is taken back by its roller, as long as nobody can know what would come of it."""

from collections.abc import Callable

import pytest

from tests.engine.helpers.decide_cases import answered, declared, fair, thrown
from tests.engine.helpers.stage import ROOT, fight
from tests.engine.helpers.timed import asked
from urim.engine.core.commands import Declare, GiveCharacter, Void, Withdraw, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.roll import RollVoided
from urim.events.throw import commitment, throw_id
from urim.projections.fairness import Tally


def refused(table: Table, seat: str = "p1", number: int = 1) -> str:
    """The code that the withdrawal is refused with."""
    before = table.state
    with pytest.raises(Refused) as error:
        table.submit(seat, Withdraw(number))
    assert table.state is before
    assert error.value.allowed
    return error.value.code


def test_a_roller_takes_a_declaration_back() -> None:
    table = declared()
    table.submit("p1", Withdraw(1))
    assert table.state.rolls[1].state == "voided"
    event = table.aggregate.records[-1]
    assert event is not None and isinstance(event.event, RollVoided) and event.event.by == "p1"


@pytest.mark.parametrize("seat", ["p2", NARRATOR])
def test_nobody_else_does(seat: str) -> None:
    assert refused(declared(), seat) == "not-yours"


@pytest.mark.parametrize("stage", [answered, thrown])
def test_it_is_too_late_once_somebody_reacted_or_threw(stage: Callable[[], Table]) -> None:
    assert refused(stage()) == "wrong-state"


def test_it_has_to_wait_once_shares_are_asked_for() -> None:
    assert refused(asked()) == "due"


def test_it_is_not_taken_back_twice() -> None:
    table = declared()
    table.submit("p1", Withdraw(1))
    assert refused(table) == "wrong-state"


def test_the_seed_is_opened_as_in_every_void() -> None:
    table = fair()
    outstanding = table.state.rolls[1].outstanding
    table.submit("p1", Withdraw(1))
    event = getattr(table.aggregate.records[-1], "event", None)
    assert isinstance(event, RollVoided) and event.seed and outstanding
    id = throw_id(table.state.id, 1, 0)
    assert commitment(id, bytes.fromhex(event.seed)).hex() == outstanding.commit


def test_the_price_comes_back() -> None:
    table = Table("age_of_magic", dice="seeded:5")
    who = table.character("Cogan", attributes={"Brawling": 7, "ST": 3})
    before = table.state.tracks["c1"]
    wish = {"skill": "Brawling", "characteristic": "ST", "difficulty": 12, "push": True}
    table.submit(who.seat, Declare("c1", wish))
    assert table.state.tracks["c1"] != before
    table.submit(who.seat, Withdraw(1))
    assert table.state.tracks["c1"] == before


def test_it_is_among_the_rollers_moves_alone() -> None:
    table = declared()
    allowed = {
        seat: {move.trigger: move.legal for move in moves(table.state, seat, 1)}["withdraw"]
        for seat in ("p1", "p2", NARRATOR)
    }
    assert allowed == {"p1": True, "p2": False, NARRATOR: False}


def test_who_has_the_character_now_takes_it_back() -> None:
    table = declared()
    table.submit("p1", GiveCharacter("c1", "p2"))
    assert refused(table, "p1") == "not-yours"
    table.submit("p2", Withdraw(1))
    assert table.state.rolls[1].state == "voided"


def test_it_is_counted_apart_from_voids() -> None:
    table, etgar, _ = fight("fair")
    table.declare(etgar, root=ROOT, rating=2).roll()
    table.declare(etgar, root=ROOT, rating=2)
    table.submit("p1", Withdraw(2))
    table.submit(NARRATOR, worded(Void(1), "why"))
    tally = Tally()
    for record in table.aggregate.records:
        assert record is not None
        tally.take(record)
    assert (tally.figures().voids, tally.figures().withdrawn) == (1, 1)
