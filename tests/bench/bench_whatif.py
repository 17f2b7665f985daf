"""What-ifs of an evening, beside deciding its commands again: two readings, and a void.

The first reading makes the fewest rolls come out otherwise, the second all of them.
"""

from functools import partial
from pathlib import Path

from tests.bench import measure
from tests.bench.bench_audit import played
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.engine.helpers.again import again
from urim.engine.core.rerun import Commit, Done, commits_of
from urim.engine.whatif.changes import Change, Reading, Voided
from urim.engine.whatif.difference import what_if

THIRD = 1 / 3
"""Deciding the same commands again may take a third of what the what-if takes, not less."""

FEW = "Urim, with a reading that decided few rolls"
ALL = "Urim, with a reading that decided every roll"
VOID = "Urim, with a void in the end"
AGAIN = "deciding the same commands again"


def rows(size: Size, folder: Path) -> list[Row]:
    """One evening, each sort of what-if beside deciding it again."""
    commits = tuple(commits_of(played(size.evening)))
    changes: dict[str, Change] = {
        FEW: Reading("wild_only_botch", value=False),
        ALL: Reading("cipher_dice", 0),
        VOID: Voided(1),
    }
    found: list[Row] = []
    for name, change in changes.items():
        ways: dict[str, measure.Way] = {
            name: partial(timed, partial(asked, commits, change)),
            AGAIN: partial(timed, partial(decided, commits)),
        }
        taken = measure.in_turn(ways, size.starts)
        entries = sum(len(commit.records) for commit in commits)
        group = f"A what-if of {entries:,} entries: {name.partition(', ')[2]}"
        found += measure.rows(group, "entry", entries, taken, aims={AGAIN: THIRD})
    return found


def asked(commits: tuple[Commit, ...], change: Change) -> None:
    """The what-if; it must say something."""
    assert what_if(commits, [change]).rolls


def decided(commits: tuple[Commit, ...]) -> None:
    """Every command decided and folded again."""
    assert all(isinstance(each.ending, Done) for each in again(commits))


def test_what_if(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
