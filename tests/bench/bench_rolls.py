"""Whole rolls in memory: decided, sealed and kept; then replayed; beside what they cost bare."""

from collections.abc import Sequence
from pathlib import Path

from tests.bench import bare, measure, rival
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.bench.script import Script, around, opened, script
from urim.engine.core.aggregate import Aggregate
from urim.events.codec import decode
from urim.events.entry import Entry


def rows(size: Size, folder: Path) -> list[Row]:
    """Rolls played, and their entries replayed."""
    played = script("bench000", size.rolls)
    return [*_rolls(size, played), *_replay(size, played)]


def _rolls(size: Size, played: Script) -> list[Row]:
    commits = played.played
    facts = [decode(entry.payload or b"") for commit in commits for entry in commit.entries]

    def decided() -> float:
        aggregate = opened(played)

        def work() -> None:
            for step in played.steps:
                aggregate.submit(step.seat, step.command, step.request)

        seconds = timed(work)
        assert tuple(aggregate.entries) == played.entries
        return seconds

    taken = measure.in_turn(
        {
            "Urim": decided,
            "its hashes, draws and JSON alone": lambda: timed(
                lambda: bare.decide(played.steps, commits, facts)
            ),
        },
        size.rounds,
    )
    more = {"Urim": f"{len(facts) / size.rolls:.1f} entries a roll"}
    return measure.rows("Whole rolls in memory", "roll", size.rolls, taken, more=more)


def _replay(size: Size, played: Script) -> list[Row]:
    entries = played.entries
    payloads = [entry.payload or b"" for entry in entries]
    whole, parts = rival.replay_of(played.table, [decode(payload).event for payload in payloads])
    taken = measure.in_turn(
        {
            "Urim": lambda: timed(lambda: replayed(entries)),
            "decoding alone": lambda: timed(lambda: bare.decode(payloads)),
            "hashes and decoding alone": lambda: timed(lambda: bare.replay(entries)),
            "eventsourcing, one aggregate": lambda: timed(whole),
            "eventsourcing, one a roll": lambda: timed(parts),
        },
        size.rounds,
    )
    aims = {"eventsourcing, one aggregate": 8.0, "eventsourcing, one a roll": 8.0}
    return measure.rows("Replay from memory", "entry", len(entries), taken, aims=aims)


def replayed(entries: Sequence[Entry]) -> None:
    """A table from its entries, each checked, and the tree over them."""
    aggregate = Aggregate(around())
    aggregate.load(entries)
    assert aggregate.frontier.size == len(entries)


def test_rolls(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
