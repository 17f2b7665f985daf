"""A table that is kept in rows is the table in memory, wherever it is cut and taken up again."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.script import OPENING, READINGS, STRIKE, SYSTEM, around
from tests.engine.helpers.snapshots import KEY, Cut, differences
from tests.engine.helpers.tables.trials import TRIALS
from tests.pairs.play import TABLE, Pair
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.snapshots import Snapshots
from urim.engine.snapshots.file import MEMORY
from urim.engine.snapshots.protocol import HEAD
from urim.engine.snapshots.rows import TableRows
from urim.engine.snapshots.table import EVERY, TableSnapshot, latest

STEPS = 60


@pytest.mark.sampled(3)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_opening_through_a_snapshot_is_the_full_fold(
    system: str, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A table for every twelve that the count asks for, and for each of a large one."""
    seen: Counter[str] = Counter()
    tables = count if count >= 300 else -(-count // 12)
    for number in range(tables):
        name = f"snapshot-{seed}-{number}"
        pair = Pair(system, name)
        for _ in range(STEPS):
            pair.step()
        cut = Cut(tmp_path / f"{number}", name, pair.dice)
        for at, ((seat, _), (asking, _)) in enumerate(pair.requests):
            cut.ask(seat, asking, f"r{at}")
        cut.cut()
        found = differences(pair.tables[0], cut.aggregate)
        assert not found, "\n".join([*found[:5]])
        read = sum(
            isinstance(asked.apart(one)[0], asked.SetReading) for _, (one, _) in pair.requests
        )
        done = {"entries": len(cut.aggregate.entries), "readings changed": read}
        seen.update({"tables": 1, **done, **cut.done})
    tried(", ".join(f"{number:,} {what}" for what, number in seen.items()))


def test_a_snapshot_is_of_the_last_entry_and_of_its_table(tmp_path: Path) -> None:
    aggregate, snapshot, rows = opened(tmp_path)
    assert not snapshot.due(aggregate)
    snapshot.write(aggregate, b"used")
    size = len(aggregate.entries)
    found = latest(rows)
    assert (found.leaf, found.usage) == (aggregate.entries[-1].leaf, b"used")
    assert (found.size, snapshot.size) == (size, size)
    again = Aggregate(aggregate.environment, found.kept)
    first, rulesets = aggregate.entries[0], aggregate.environment.rulesets
    assert not found.take_up(again, aggregate.entries[1], rulesets)
    assert found.take_up(again, first, rulesets)
    assert not differences(aggregate, again)


def test_a_table_taken_up_reads_each_roll_as_it_was_declared(tmp_path: Path) -> None:
    """Two readings are changed since the opening, one of them back; the others were never."""
    aggregate, snapshot, rows = opened(tmp_path)
    first = {name: getattr(aggregate.opened.game.options, name) for name in ("declined", "counter")}
    for name, value in (("declined", "unopposed"), ("counter", "none"), ("counter", "dice")):
        reading = asked.worded(asked.SetReading(name, value), "From now on.")
        aggregate.submit(NARRATOR, reading)
    snapshot.write(aggregate, b"")
    again = Aggregate(aggregate.environment, (found := latest(rows)).kept)
    assert found.take_up(again, aggregate.entries[0], aggregate.environment.rulesets)
    assert not differences(aggregate, again)
    game = again.opened.game
    assert (game.options.declined, game.options.counter) == ("unopposed", "dice")
    sizes = range(len(aggregate.entries) - 6, len(aggregate.entries), 2)
    read = [(game.at(seq).options.declined, game.at(seq).options.counter) for seq in sizes]
    assert read == [("unopposed", first["counter"]), ("unopposed", "none"), ("unopposed", "dice")]
    assert game.at(0).options.declined == first["declined"]


def test_a_roll_that_was_declared_after_a_reading_is_read_by_it(tmp_path: Path) -> None:
    """The table was opened before: what it lets go of comes back from its rows."""
    aggregate, snapshot, _ = opened(tmp_path, 1)
    aggregate.submit(NARRATOR, asked.worded(asked.SetReading("counter", "none"), "From now on."))
    aggregate.submit("p1", asked.Declare("c1", STRIKE))
    assert aggregate.opened.rolls[1].roll.options.counter == "none"
    snapshot.write(aggregate, b"")
    assert aggregate.opened.rolls[1].roll.options.counter == "none"


def test_a_snapshot_without_a_head_is_nothing_to_open_through(tmp_path: Path) -> None:
    aggregate, snapshot, rows = opened(tmp_path)
    snapshot.write(aggregate, b"")
    assert latest(rows).head is not None
    aggregate.submit(NARRATOR, asked.SetTrack("c2", "soak", 1))
    snapshot.write(aggregate, None)
    assert rows.read(HEAD, 0) is None
    assert latest(rows).head is None


def test_the_next_snapshot_is_due_after_so_many_entries(tmp_path: Path) -> None:
    aggregate, snapshot, _ = opened(tmp_path)
    dues = list[int]()
    for number in range(3 * EVERY):
        aggregate.submit(NARRATOR, asked.SetTrack("c2", "soak", 1 + number % 2))
        if snapshot.due(aggregate):
            dues.append(len(aggregate.entries))
            if len(dues) == 1:
                snapshot.write(aggregate, b"")
            else:
                snapshot.put_off(aggregate)
    assert dues == [EVERY, 2 * EVERY, 3 * EVERY]
    assert EVERY == 200  # as the documents say


@pytest.mark.parametrize("shared", [True, False])
def test_others_may_have_written_the_next_two_where_rows_are_shared(
    shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aggregate, snapshot, rows = opened(tmp_path)
    monkeypatch.setattr(type(rows), "shared", shared)
    sizes = list[int]()
    while len(aggregate.entries) < 2 * EVERY + 2:
        aggregate.submit(NARRATOR, asked.SetTrack("c2", "soak", len(aggregate.entries) % 2))
        if snapshot.outrun(aggregate):
            sizes.append(len(aggregate.entries))
    assert sizes == [2 * EVERY + more for more in range(3) if shared]


def opened(folder: Path, memory: int = MEMORY) -> tuple[Aggregate, TableSnapshot, TableRows]:
    """A table of a few entries that has no snapshot yet."""
    rows = Snapshots(folder / "snapshots", memory).table(TABLE, KEY)
    snapshot = latest(rows)
    aggregate = Aggregate(around(), snapshot.kept)
    aggregate.submit(NARRATOR, asked.OpenTable(TABLE, SYSTEM, READINGS, "fair", "player"))
    for command in OPENING:
        aggregate.submit(NARRATOR, command)
    return aggregate, snapshot, rows
