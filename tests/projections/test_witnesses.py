"""What everybody can count of every seat: nonces given, seats passed over, throws withheld."""

from tests.engine.helpers.proofs import commit
from tests.engine.helpers.stage import NONCES
from tests.engine.helpers.timed import MINUTE, answer, bind, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.base import Visibility
from urim.projections.history import FSI, PDI, history
from urim.projections.witnesses import Conduct, conduct


def told(visibility: Visibility = "public") -> Table:
    """Roll 1: p2 and p3 answer; then p3 is passed over; then Etgar's seat withholds, twice told."""
    table, time = timed(visibility=visibility)
    table.submit(NARRATOR, c.SetWitnessing(60, "wait"))
    bind(table, "p2", "p3")
    answer(table, "p2", "p3")
    time.now += MINUTE
    table.submit("p3", c.ReportWithheld(1))
    throw(table)
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    bound = commit(table, NONCES[0], 1)
    table.submit("p1", c.CommitNonce(1, bound, waiting.seq, ("p2", "p3")))
    answer(table, "p2")
    time.now += MINUTE
    table.submit(NARRATOR, c.PassOver(1))
    time.now += MINUTE
    table.submit("p2", c.ReportWithheld(1))
    return table


EXPECTED = {
    "p1": Conduct(bound=2, withheld=2),
    "p2": Conduct(asked=2, gave=2),
    "p3": Conduct(asked=2, gave=1, passed_over=1),
}


def lines(table: Table) -> list[str]:
    """The history without its isolates."""
    every = history(table.state, table.aggregate.records)
    return [line.text.replace(FSI, "").replace(PDI, "") for line in every]


def test_every_seat_is_counted_by_what_it_did() -> None:
    assert conduct(told().aggregate.records) == EXPECTED


def test_who_sees_nothing_of_a_roll_counts_the_same() -> None:
    table = told("gm")
    known = Aggregate(table.aggregate.environment)
    known.load(table.aggregate.view("p3"))
    assert 1 not in known.opened.rolls
    assert conduct(known.records) == EXPECTED


def test_a_table_of_another_level_has_nobody_to_count() -> None:
    assert conduct(Table("sagatafl").aggregate.records) == {}


def test_the_history_says_what_happened_and_how_often() -> None:
    table = told()
    said = lines(table)
    minute = "Who is asked for a nonce, and then the roller, has 60 s"
    assert f"{minute}; a throw withheld is waited for." in said
    assert "Throw 0: p1 binds a nonce, asking p2, p3." in said
    assert "Throw 0: p1 withholds the bound nonce and does not throw, says p3." in said
    assert "Throw 1 goes on without p3, passed over: no nonce came." in said
    last = "Throw 1: p1 withholds the bound nonce and does not throw, says p2. [2 times so far]"
    assert said[-1] == last
    table.submit(NARRATOR, c.Void(1, "why", NONCES[0]))
    opened = "; the seed of throw 1 is opened, and the nonce bound for it."
    assert lines(table)[-2] == f"Roll 1 is voided{opened}"
