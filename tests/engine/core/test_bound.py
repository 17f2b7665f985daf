"""Once a nonce is bound its throw comes first: nothing that would steer it is possible before."""

from typing import Any

from tests.engine.helpers.proofs import events
from tests.engine.helpers.stage import NONCES
from tests.engine.helpers.timed import answer, bind, refused, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events import roll as rolled
from urim.events import throw as urim1


def test_while_a_nonce_is_bound_nothing_about_the_roll_is_put_otherwise() -> None:
    table, _ = timed()
    bind(table, "p2")
    correcting: tuple[c.Asking, ...] = (
        c.worded(c.Veto(1), "no"),
        c.worded(c.Replace(1, {"rating": 1}), "so"),
        c.worded(c.Amend(1, "c1", {"rating": 1}), "so"),
    )
    for command in correcting:
        error = refused(table, NARRATOR, command)
        assert (error.code, error.allowed) == ("nonce", ("roll or reroll", "void"))
    answer(table, "p2")
    throw(table)
    table.submit(NARRATOR, c.worded(c.Amend(1, "c1", {"target": 3}), "so"))


def test_a_void_opens_the_nonce_beside_the_seed_where_it_is_known() -> None:
    table, _ = timed()
    bind(table, "p2")
    assert refused(table, NARRATOR, c.worded(c.Void(1, NONCES[7]), "why")).code == "nonce"
    table.submit(NARRATOR, c.worded(c.Void(1, NONCES[0]), "why"))
    voided = events(table)[-2]
    assert (type(voided), voided.nonce, voided.throw) == (rolled.RollVoided, NONCES[0], 0)
    assert voided.seed
    again, _ = timed()
    bind(again, "p2")
    again.submit(NARRATOR, c.worded(c.Void(1), "why"))
    assert events(again)[-2].nonce is None


# --- rolls that follow others ---------------------------------------------------------------------


def tried_again() -> Table:
    """Roll 1 failed; roll 2, a further try, has a nonce bound for its first throw."""
    while True:
        table = Table("scarterra", level="table")
        suitor = table.character("Suitor", attributes={"Charisma": 2})
        first = table.declare(suitor, attribute="Charisma", difficulty=9)
        first.roll()
        if first.resolve().degree == "failure":
            table.declare(suitor, attribute="Charisma", follows=(first, "again"))
            bind(table, NARRATOR, roll=2)
            return table


# Had it been harder it would have failed all the same, and the second try is still offered.
def test_no_amendment_of_the_roll_before_reaches_one_whose_nonce_is_bound() -> None:
    table = tried_again()
    command = c.worded(c.Amend(1, "c1", {"difficulty": 10}), "so")
    error = refused(table, NARRATOR, command)
    assert (error.code, error.allowed) == ("nonce", ("roll or reroll", "void"))
    assert "roll 2" in error.why


def test_a_void_of_the_roll_before_voids_it_and_opens_its_seed() -> None:
    table = tried_again()
    waiting = table.state.rolls[2].outstanding
    assert waiting is not None
    table.submit(NARRATOR, c.worded(c.Void(1), "so"))
    first, second = events(table)[-3:-1]
    assert (second.roll, second.throw, first.roll, first.throw) == (2, 0, 1, 1)
    seed = urim1.seed_from(second.seed)
    assert urim1.commitment(f"{table.state.id}/2/0", seed).hex() == waiting.commit
    assert {roll.binding for roll in table.state.rolls.values()} == {None}


def test_nobody_reacts_once_a_nonce_is_bound() -> None:
    table = Table("age_of_magic", level="table")
    who = table.character("Cogan", attributes={"Brawling": 6, "ST": 3})
    whom = table.character("Mara", attributes={"unluck": 1})
    attack: dict[str, Any] = {"kind": "attack", "targets": [whom.id], "difficulty": 8}
    roll = table.declare(who, skill="Brawling", characteristic="ST", **attack)
    assert {offer.trigger for offer in roll.offers} >= {"react", "roll"}
    bind(table, "p2")
    assert "react" not in {offer.trigger for offer in roll.offers}
    answer_of = c.React(1, whom.id, {"fate": "unluck", "modifier": -3})
    assert refused(table, NARRATOR, answer_of).code == "not-offered"
