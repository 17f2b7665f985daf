"""A service that is killed, or finds its disk full, at any call to the system in any of its steps.

strace does it: to the nth call of a name that a thread makes. Nothing that was acknowledged is
lost, nothing is half done, and everything that was asked for can be asked for again.
"""

import asyncio
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.helpers.stages.heads import put_aside, put_back
from tests.engine.service.life import DATABASE, LIFE, Promise, kept, lived, promises
from tests.events.sqlite.runs import chance
from tests.events.traced import Point, command, must_trace, points, traced
from tests.tree import ROOT
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.events.log.sqlite import SqliteLog

# One trace of a step serves all tests of the file.
pytestmark = [pytest.mark.xdist_group("strace of services"), pytest.mark.slow]

CHILD = "tests.engine.service.child"

STEPS = {step: step for step in LIFE} | {"restored": "epoch"}
"""What is struck: steps of a life, and the epoch of a log that was restored."""

FILLED = ("pwrite64", "write", "link", "rename", "mkdir", "fsync", "fdatasync", "ftruncate")
"""What a full disk may refuse."""

LASTS = "pwrite64,write,link,rename,mkdir"
"""What it refuses from the nth call on, while it stays full."""


class Run(NamedTuple):
    """A process that was struck: what it had printed, and how it ended."""

    lines: list[str]
    code: int
    errors: str

    @property
    def promised(self) -> list[Promise]:
        """What it had acknowledged."""
        return promises(self.lines)


class Stages:
    """The files as they are when a step begins, and the calls of the step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, tuple[Path, list[Promise], list[Point]]] = {}

    def stage(self, name: str) -> tuple[Path, list[Promise], list[Point]]:
        """A folder to copy, what was promised before, and where to strike."""
        if name not in self.made:
            folder = self.folder / name
            folder.mkdir()
            before = [*LIFE][: [*LIFE].index(STEPS[name])]
            promised = asyncio.run(lived(folder, before)) if before else []
            if name == "restored":
                restore(folder, self.folder)
            tried = shutil.copytree(folder, self.folder / f"{name}-traced")
            step, last = STEPS[name], len(LIFE[STEPS[name]]) - 1
            window = (f"S {step}", f"A {step} {last}")
            if name == "closing":
                window = (f"A {step} {last}", "E")
            lines = traced(tried, CHILD, "live", str(tried), step)
            found = [each for each in points(lines, *window) if each.name != "openat"]
            self.made[name] = folder, promised, found
        return self.made[name]

    def strike(self, name: str, folder: Path, point: Point, how: str) -> Run:
        """Live a step on a copy of its files, struck at one of its calls."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.stage(name)[0], folder)
        rule = how.format(name=point.name, nth=point.nth)
        names = rule.partition(":")[0]
        run = command(Path("/dev/null"), "-qq", "-e", f"trace={names}", every=True)
        run += ["-e", f"inject={rule}", sys.executable, "-m", CHILD, "live", str(folder)]
        done = subprocess.run(
            [*run, STEPS[name]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return Run(done.stdout.split("\n")[:-1], done.returncode, done.stderr)


def restore(folder: Path, aside: Path) -> None:
    """Let a log go back behind what was signed of it."""

    async def goes_on() -> None:
        log = await SqliteLog.open(folder / DATABASE)
        service = Service(log, FileSecrets.beside(folder / DATABASE))
        for part in LIFE["closing"]:
            await part(service)
        await service.close()
        await log.close()

    put_aside(folder / DATABASE, aside)
    asyncio.run(goes_on())
    put_back(folder / DATABASE, aside)


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """The stages of all steps, each made when it is needed."""
    must_trace()
    return Stages(tmp_path_factory.mktemp("stages"))


def strikes(
    stages: Stages, ways: tuple[str, ...], how_many: int, seed: int
) -> Iterator[tuple[str, Point, str]]:
    """So many strikes, at each step as often, and at every call of it before one comes twice."""
    luck = chance("strikes", *ways, seed)
    names = luck.sample([*STEPS], len(STEPS))
    left: dict[str, list[tuple[Point, str]]] = {}
    for turn in range(how_many):
        name = names[turn % len(names)]
        if not left.get(name):
            calls = stages.stage(name)[2]
            fits = [(at, way) for at in calls for way in ways if way != ways[0] or applies(at, way)]
            left[name] = luck.sample(fits, len(fits))
        yield (name, *left[name].pop())


def applies(point: Point, way: str) -> bool:
    """Whether a call can end in this way."""
    return "error" not in way or point.name in FILLED


def in_words(name: str, line: str) -> bool:
    """Whether a command failed as it should: a restored log is refused until its epoch began."""
    refused = name == "restored" and line.startswith("F Damaged") and "urim epoch" in line
    return refused or line.startswith("F Unavailable")


def hit(name: str, run: Run) -> bool:
    """Whether a process was killed within the step."""
    step, last = STEPS[name], len(LIFE[STEPS[name]]) - 1
    if run.code != -signal.SIGKILL or f"S {step}" not in run.lines:
        return False
    ended = any(line.startswith(f"A {step} {last} ") for line in run.lines)
    return ended and f"E {step}" not in run.lines if name == "closing" else not ended


@pytest.mark.prove
def test_no_kill_of_a_service_loses_or_halves_anything(
    stages: Stages, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = len(STEPS) * min(60, count // 8) if count >= 100 else 2
    hits: Counter[str] = Counter()
    missed = 0
    for name, point, how in strikes(stages, ("{name}:signal=KILL:when={nth}",), how_many, seed):
        run = stages.strike(name, tmp_path / "struck", point, how)
        assert not run.errors, (name, point, run.errors)
        asyncio.run(kept(tmp_path / "struck", stages.stage(name)[1] + run.promised))
        hits[name] += hit(name, run)
        missed += not hit(name, run)
    each = ", ".join(f"{hits[name]} {name}" for name in STEPS)
    tried(f"{hits.total()} kills: {each}; {missed} beside the step")
    assert hits.total() > missed, missed


@pytest.mark.prove
def test_no_full_disk_loses_or_halves_anything(
    stages: Stages, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = len(STEPS) * min(60, count // 8) if count >= 100 else 2
    ways = ("{name}:error=ENOSPC:when={nth}", LASTS + ":error=ENOSPC:when={nth}+")
    refused: Counter[str] = Counter()
    for name, point, how in strikes(stages, ways, how_many, seed):
        run = stages.strike(name, tmp_path / "struck", point, how)
        assert not run.errors, (name, point, how, run.errors)
        assert run.code == 0, (name, point, how)
        failed = [line for line in run.lines if line.startswith("F ")]
        assert [line for line in failed if not in_words(name, line)] == [], (name, point, how)
        asyncio.run(kept(tmp_path / "struck", stages.stage(name)[1] + run.promised))
        refused[name] += bool(failed)
    each = ", ".join(f"{refused[name]} {name}" for name in STEPS)
    tried(f"{how_many} full disks, a command was refused in {refused.total()}: {each}")
