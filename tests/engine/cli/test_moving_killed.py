"""Copies, backups and restores that are killed leave a beginning, nothing, or all of it."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import urim
from tests.engine.helpers.stages.heads import file_of, served
from tests.engine.helpers.stages.moving import SECOND, alike, played, plays_on, sizes
from tests.engine.helpers.stages.service import TABLE, mark
from tests.events.sqlite.runs import chance, kept_in
from tests.sealing import NOBODY, resealed
from tests.tree import ROOT
from urim.engine.service import Service
from urim.events.asked import Asked, host_request

pytestmark = [pytest.mark.xdist_group("killed moves"), pytest.mark.slow]

LONG = 600
"""Entries of a table that is copied in more than one go."""


def started(*words: object) -> "subprocess.Popen[bytes]":
    """A command of Urim in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "urim", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def killed(begun: Callable[[], bool], after: float, *words: object) -> bool:
    """Kill a command some seconds after it began to write; whether it was still at work."""
    with started(*words) as process:
        while process.poll() is None and not begun():
            time.sleep(0.001)
        time.sleep(after)
        process.kill()
    return process.returncode != 0


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a table of LONG entries and another one."""
    path = played(tmp_path_factory.mktemp("long"))

    async def work(service: Service) -> None:
        last = (await service.submit(TABLE, "narrator", mark()))[-1]
        for seq in range(last.seq + 1, LONG):
            asked = Asked(host_request(seq), NOBODY)
            entry = resealed(last, seq=seq, asked=asked, first=seq)
            await service.log.append(TABLE, [entry], seq)
        await service.state(TABLE)

    served(path, work)
    return path


def is_written(path: Path, seen: int) -> bool:
    """Whether a file changed since it was seen."""
    return path.exists() and path.stat().st_mtime_ns != seen


@pytest.mark.prove
def test_a_copy_that_is_killed_is_a_beginning_and_goes_on(
    long: Path, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck = chance("copy", seed)
    at_work = resumed = 0
    trials = max(1, min(60, count // 20))
    to = tmp_path / "to.db"
    words = ("copy", long, to, "--secrets")
    for _ in range(trials):
        for _ in range(2):
            seen = to.stat().st_mtime_ns if to.exists() else 0
            begun = partial(is_written, to, seen)
            at_work += killed(begun, luck.random() * 0.3, *words)
            resumed += 0 < sizes(long, to).get(TABLE, 0) < LONG
        assert urim(*map(str, words)).exit_code == 0
        alike(long, to)
        served(to, plays_on)
        shutil.rmtree(file_of(to, "key").parent)
        for path in tmp_path.glob("to.db*"):
            path.unlink()
    tried(f"{2 * trials} copies, {at_work} killed at work, {resumed} in the midst of a table")


def is_begun(target: Path) -> bool:
    """Whether a file is written that will get this name."""
    return any(target.parent.glob(f"{target.name}.*.new"))


@pytest.mark.prove
def test_a_backup_and_a_restore_that_are_killed_left_nothing_or_a_whole_file(
    long: Path, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck = chance("backup", seed)
    there: dict[str, int] = {"backup": 0, "restore": 0}
    turns = max(1, min(50, count // 20))
    back = tmp_path / "back"
    assert urim("backup", str(long), str(back), "--secrets").exit_code == 0
    for turn in range(turns):
        file, db = tmp_path / f"b{turn}", tmp_path / f"d{turn}.db"
        for target, words in (
            (file, ("backup", long, file, "--secrets")),
            (db, ("restore", back, db, "--yes")),
        ):
            killed(partial(is_begun, target), luck.random() * 0.25, *words)
            there[words[0]] += target.exists()
            if not target.exists():
                assert urim(*map(str, words)).exit_code == 0
            kept_in(target)
            if words[0] == "restore":
                served(target, is_after_an_epoch)
            else:
                alike(long, target)
    done = ", ".join(f"{name} finished {n} of {turns}" for name, n in there.items())
    tried(done)


async def is_after_an_epoch(service: Service) -> None:
    """Each table begins its epoch before anybody can play it."""
    assert (await service.state(TABLE)).epoch == 3
    assert (await service.state(SECOND)).epoch == 1
