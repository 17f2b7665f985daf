"""An epoch is a narrator's command: every live roll gets a commitment under the new secret."""

from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.stage import MISS, NONCES, ROOT, code_of, fight, pray
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import worded
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import due
from urim.engine.core.parse import body_of
from urim.engine.table import Table
from urim.events.codec import asked_in, recorded
from urim.events.table import EpochBegun

WISH: dict[str, Any] = {"root": ROOT, "rating": 2}


def restored(table: Table) -> Table:
    """The table under another secret, as after a restore."""
    fresh = environment("fair")
    assert fresh.secret != table.aggregate.environment.secret
    table.aggregate.environment = fresh
    return table


def rolls() -> Table:
    """Rolls of fair dice: 1 and 4 wait, 2 is voided, 3 resolved, 5 is hidden and waits."""
    table, etgar, _ = fight("fair")
    declared = [table.declare(etgar, **WISH) for _ in range(4)]
    table.declare(etgar, visibility="gm", level="player", **WISH)
    declared[1].void("a slip")
    declared[2].roll()
    while waiting := due(declared[2].offers):  # fair dice may show the whole root
        if waiting[0].trigger == "freeze":
            declared[2].stand()
        else:
            declared[2].choose(waiting[0].choice, str(waiting[0].options[0]))
    declared[2].resolve()
    return table


def epoch_of(table: Table) -> EpochBegun:
    """What the last entry says of an epoch."""
    event = recorded(table.entries[-1]).event
    assert isinstance(event, EpochBegun)
    return event


def test_every_live_roll_that_waits_gets_a_fresh_commitment() -> None:
    table = rolls()
    before = {roll.number: roll.outstanding for roll in table.state.rolls.values()}
    restored(table).submit(NARRATOR, c.BeginEpoch())
    found = epoch_of(table)
    assert (found.by, found.epoch) == (NARRATOR, 1)
    assert [(fresh.roll, fresh.throw) for fresh in found.commits] == [(1, 0), (4, 0), (5, 0)]
    for fresh in found.commits:
        waiting, earlier = table.state.rolls[fresh.roll].outstanding, before[fresh.roll]
        assert waiting is not None and earlier is not None
        assert waiting.commit == fresh.commit != earlier.commit
        assert (waiting.seq, waiting.leaf) == (table.state.size - 1, table.entries[-1].leaf)
    assert table.state.rolls[2].state == "voided"


def test_an_epoch_is_a_commit_that_somebody_asked_for() -> None:
    table = restored(rolls())
    (entry,) = table.submit(NARRATOR, c.BeginEpoch(), "restored-1")
    asked = asked_in(entry)
    assert asked is not None
    assert (asked.request, asked.body) == ("restored-1", body_of(c.BeginEpoch()).decode())
    assert (entry.kind, entry.commit) == ("open", entry.seq)
    assert table.submit(NARRATOR, c.BeginEpoch(), "restored-1") == (entry,)
    assert table.state.epoch == 1
    restored(table).submit(NARRATOR, c.BeginEpoch(), "restored-2")
    assert (table.state.epoch, epoch_of(table).epoch) == (2, 2)


def test_a_throw_answers_the_commitment_of_the_epoch_and_no_earlier_one() -> None:
    table = rolls()
    earlier = table.state.rolls[1].outstanding
    assert earlier is not None
    restored(table)
    old = c.RollDice(1, "initiator", earlier.seq, NONCES[0])
    assert code_of(table.submit, "p1", old) == "commitment"
    table.submit(NARRATOR, c.BeginEpoch())
    assert code_of(table.submit, "p1", old) == "commitment"
    waiting = table.state.rolls[1].outstanding
    assert waiting is not None
    assert table.submit("p1", replace(old, committed=waiting.seq))


def test_an_epoch_is_a_narrators_and_no_players() -> None:
    table = rolls()
    for seat in ("p1", "p2"):
        assert code_of(table.submit, seat, c.BeginEpoch()) == "not-yours"
    assert code_of(table.submit, "p9", c.BeginEpoch()) == "unknown"
    assert code_of(table.submit, NARRATOR, worded(c.BeginEpoch(), "so")) == "malformed"
    closed = Aggregate(environment("fair"))
    assert code_of(closed.submit, NARRATOR, c.BeginEpoch()) == "unknown"


def test_dice_that_are_not_committed_to_begin_an_epoch_without_commitments() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, **WISH)
    pray(table, etgar, MISS)
    table.submit(NARRATOR, c.BeginEpoch())
    assert epoch_of(table).commits == ()


def test_a_log_with_an_epoch_is_read_again() -> None:
    table = restored(rolls())
    table.submit(NARRATOR, c.BeginEpoch())
    again = Aggregate(table.aggregate.environment)
    again.load(table.entries)
    assert again.opened == table.state
    view = Aggregate(table.aggregate.environment)
    view.load(table.aggregate.view("p2"))
    assert view.opened.epoch == 1
    assert 5 not in view.opened.rolls
