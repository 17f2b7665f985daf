"""A clock that was once ahead lets nobody wait longer: a table's time goes on at its real speed."""

from msgspec.structs import replace

from tests.engine.helpers.bundles import PRIVATE, judged, wrong
from tests.engine.helpers.stage import ROOT, fight
from tests.engine.helpers.stages.service import TABLE, noting, on_each_log, seated
from tests.engine.helpers.timed import BREAK, anchor, ask, refused, throw
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, Environment, environment
from urim.engine.core.clock import MACHINE, MachineClock
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.service import Service
from urim.engine.service.secrets import Secrets
from urim.engine.table import Table
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.log.protocol import EventLog

MINUTE = 60_000
HOUR = 60 * MINUTE


class Machine:
    """A machine's two clocks, in milliseconds: one that may be set, and one that only goes on."""

    def __init__(self) -> None:
        self.wall = 1_000_000_000
        self.passed = 5_000

    def environment(self, dice: str, secret: bytes | None = None) -> Environment:
        clock = MachineClock(lambda: self.wall, lambda: self.passed)
        return replace(environment(dice, secret), clock=clock)

    def wait(self, milliseconds: int) -> None:
        self.wall += milliseconds
        self.passed += milliseconds


def ahead() -> tuple[Table, Machine]:
    """Roll 1 is declared at level `table`; one note was written while the clock was ahead."""
    machine = Machine()
    fair = machine.environment("fair")
    table, etgar, _ = fight("fair", level="table", environment=fair)
    table.declare(etgar, root=ROOT, rating=4)
    machine.wall += HOUR
    table.submit(NARRATOR, c.worded(c.Note(0), "an hour ahead"))
    machine.wall -= HOUR
    anchor(table, "p1", "p2")
    return table, machine


def test_a_silent_seat_is_waited_for_as_long_as_any() -> None:
    table, machine = ahead()
    ask(table, "p2")
    machine.wait(BREAK - 1)
    assert refused(table, "p1", c.BreakThrow(1)).allowed == ("open_share", "in 1 s")
    machine.wait(1)
    assert table.submit("p1", c.BreakThrow(1))


def test_moves_go_by_the_same_time() -> None:
    table, machine = ahead()
    ask(table, "p2")

    def legal() -> bool:
        every = moves(table.state, "p1", 1, now=table.aggregate.now())
        return {each.trigger: each.legal for each in every}["break_throw"]

    assert not legal()
    machine.wait(BREAK)
    assert legal()


def test_a_clock_that_catches_up_is_followed_again() -> None:
    table, machine = ahead()
    machine.wait(MINUTE)
    assert table.aggregate.now() == machine.wall + HOUR
    assert table.aggregate.ahead == HOUR
    machine.wall += 2 * HOUR
    assert table.aggregate.now() == machine.wall
    assert table.aggregate.ahead == 0


def test_many_commits_lose_no_time() -> None:
    table, machine = ahead()
    for _ in range(10):
        prepared = table.aggregate.prepare(NARRATOR, table.aggregate.body(c.TakeSeat("p9")))
        machine.wait(1_000)  # the disk is slow
        table.aggregate.keep(prepared)
        table.submit(NARRATOR, c.LeaveSeat("p9"))
    assert table.aggregate.now() == machine.wall + HOUR


def test_a_fixtures_time_goes_on_by_its_commits_alone() -> None:
    for dice in ("seeded:7", "scripted"):
        assert not isinstance(environment(dice).clock, MachineClock)
    for dice in ("fair", "manual"):
        assert environment(dice).clock is MACHINE
    table, _, _ = fight()
    assert table.aggregate.now() == table.state.at + 1_000


def test_an_audit_agrees_with_a_log_of_which_a_part_was_ahead() -> None:
    table, machine = ahead()
    ask(table, "p2")
    machine.wait(BREAK)
    table.submit("p1", c.BreakThrow(1))
    table.submit("p2", c.worded(c.Note(0), "here again"))
    throw(table, "p2")
    times = [entry.at for entry in table.entries]
    assert times == sorted(times)
    origin = f"urim.local/t/{table.state.id}"
    head = Checkpoint(origin, len(times), table.aggregate.frontier.root())
    keys = [public_key(origin, PRIVATE)]
    bundle = b"".join(bundle_of(table.aggregate, "", sign(head, PRIVATE), keys))
    report = judged(bundle)
    assert (wrong(report), report.exit) == ({}, 0)


# --- loaded ---------------------------------------------------------------------------------------


def test_a_table_taken_over_measures_from_then_on() -> None:
    table, machine = ahead()
    again = Aggregate(machine.environment("fair"))
    again.load(table.entries)
    machine.wait(MINUTE)
    assert again.now() == machine.wall + HOUR


@on_each_log
async def test_a_service_measures_from_when_a_table_is_loaded(
    log: EventLog, secrets: Secrets
) -> None:
    machine = Machine()
    one = Service(log, secrets, environments=machine.environment)
    await seated(one, dice="fair")
    machine.wall += HOUR
    await one.submit(TABLE, NARRATOR, noting("an hour ahead"))
    machine.wall -= HOUR
    await one.close()
    machine.wait(MINUTE)  # nobody serves it: its time stands still
    other = Service(log, secrets, environments=machine.environment)
    loaded = await other.aggregate(TABLE)
    assert loaded.now() == machine.wall + HOUR - MINUTE
    machine.wait(MINUTE)
    await other.submit(TABLE, NARRATOR, noting("a minute later"))
    assert (await log.read(TABLE))[-1].at == machine.wall + HOUR - MINUTE
    await other.close()
