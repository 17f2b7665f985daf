"""A process that is killed while it writes snapshots: the next opening is the full fold."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.helpers.snapshotted import (
    answers,
    copied,
    differing,
    evening,
    often,
    right,
    run,
)
from tests.tree import ROOT
from urim.engine.snapshots.table import TableSnapshot
from urim.engine.testing.kit.luck import Luck

pytestmark = pytest.mark.usefixtures(often.__name__)

CHILD = """
import asyncio, sys
from pathlib import Path
from tests.engine.helpers.snapshotted import OFTEN, SYSTEM, ask, requests, serving
from urim.engine.snapshots import table

table.EVERY = OFTEN

async def work():
    async with serving(Path(sys.argv[1])) as service:
        for number, (seat, asked) in enumerate(requests(SYSTEM, sys.argv[2], 60)[8:]):
            done = await ask(service, seat, asked, f"{sys.argv[2]}-{number}")
            print(number, done, flush=True)

asyncio.run(work())
"""

LONGEST = 200
"""Milliseconds, at most, after its first command until a process is killed."""


@pytest.mark.slow
@pytest.mark.prove
def test_what_a_killed_process_leaves_is_opened_right(
    tmp_path: Path,
    count: int,
    seed: int,
    tried: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each process goes on where the one before was killed."""
    found: list[bool] = []
    whole = TableSnapshot.take_up

    def take_up(*given: object) -> bool:
        found.append(whole(*given))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(TableSnapshot, "take_up", take_up)
    folder, luck = copied(evening()[0], tmp_path / "copy"), Luck(f"killed {seed}")
    kills, turns = 0, max(3, count // 5)
    for turn in range(turns):
        line = [sys.executable, "-c", CHILD, str(folder), f"kill-{seed}-{turn}"]
        with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            time.sleep(luck.below(LONGEST) / 1_000)
            process.kill()
            kills += process.wait() == -signal.SIGKILL
        assert not differing(right(folder), run(answers, folder)), turn
    assert len(found) >= turns, "snapshots were not taken up"
    tried(f"{kills} kills in {turns} processes, {found.count(True)} snapshots taken up after them")
    assert kills
