"""Two processes do the same thing at the same moment: it is done once, and nothing is lost."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.helpers.stages.epochs import NONCE, fits
from tests.engine.helpers.stages.heads import NEVER
from tests.engine.helpers.stages.service import declare
from tests.engine.service.life import DATABASE, answer, asking
from tests.engine.service.races import RACES, TEXT
from tests.tree import ROOT
from urim.engine.core.commands import RollDice
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog
from urim.events.merkle import root_of
from urim.events.roll import DiceRolled

NAMES = ("one", "two")
MODES = ("same", "each")

Answers = list[tuple[str, ...]]
"""What one process reported of a race: `A WHAT WORD`, `R WHAT CODE`, `U WHAT`."""


class Racer:
    """A process that takes part."""

    def __init__(self, folder: Path, name: str) -> None:
        command = [sys.executable, "-m", "tests.engine.service.child", "race", str(folder), name]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    def begin(self, *words: str) -> None:
        """Start it, at once."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def heard(self) -> Answers:
        """Wait until it is over."""
        assert self.process.stdout is not None
        found: Answers = []
        for line in self.process.stdout:
            if line == "E\n":
                return found
            found.append(tuple(line.split()))
        _, errors = self.process.communicate()
        raise AssertionError(errors)


@contextmanager
def racers(folder: Path) -> Generator[tuple[Racer, ...]]:
    """Two processes on the database in a folder; they end without a complaint."""
    found: list[Racer] = []
    try:
        for name in NAMES:  # one after the other: the database is made only once
            found.append(Racer(folder, name))
            assert found[-1].heard() == []
        yield tuple(found)
        for each in found:
            _, errors = each.process.communicate()
            assert (each.process.returncode, errors) == (0, "")
    finally:
        for each in found:
            each.process.kill()
            each.process.communicate()


def check_opened(mode: str, answers: Sequence[Answers]) -> None:
    """One of both opened the table, or both by the same request."""
    [[one], [two]] = answers
    if mode == "same":
        assert one == two
        assert one[0] == "A"
    else:
        assert sorted(each[0] for each in (one, two)) == ["A", "R"]
        assert {"taken"} == {each[2] for each in (one, two) if each[0] == "R"}


def check_kept(entries: Sequence[Entry], answers: Sequence[Answers]) -> None:
    """The log has what was answered to either, and each request once."""
    asked = [found for entry in entries if (found := asking(entry)) is not None]
    requests = Counter(each.request for each in asked)
    assert max(requests.values()) == 1
    for kind, what, *word in (each for found in answers for each in found):
        if kind != "A" or not word:
            continue
        if what == "head":
            size, root = word[0].split(":")
            assert root_of([entry.leaf for entry in entries[: int(size)]]).hex() == root
            continue
        places = [each.split(":") for each in word[0].split(",") if ":" in each]
        assert all(entries[int(seq)].leaf.hex() == leaf for seq, leaf in places), what


async def check_table(folder: Path, table: str, answers: Sequence[Answers]) -> None:
    """A third process serves the table, and throws what was committed to."""
    log = await SqliteLog.open(folder / DATABASE)
    secrets = FileSecrets.beside(folder / DATABASE)
    service = Service(log, secrets, sign_every=NEVER)
    entries = await log.read(table)
    check_kept(entries, answers)
    assert entries[TEXT].payload is None
    epochs = {int(word.split(",")[0]) for found in answers for kind, what, *words in found
              for word in words if (kind, what) == ("A", "epoch")}  # fmt: skip
    state = await service.state(table)
    assert epochs <= set(range(1, state.epoch + 1))
    assert state.epoch <= len(NAMES)
    both = next(word for found in answers for kind, what, *words in found
                for word in words if (kind, what) == ("A", "both"))  # fmt: skip
    assert answer(await service.submit(table, "p1", declare(), "both")) == both
    waiting = state.rolls[1].outstanding
    assert waiting is not None
    throw = RollDice(1, "initiator", waiting.seq, NONCE)
    event = recorded((await service.submit(table, "p1", throw, "throw"))[0]).event
    assert isinstance(event, DiceRolled)
    assert event.proof is not None
    assert fits(waiting.commit, event.proof.seed, table=table)
    await service.close()
    await log.close()


@pytest.mark.slow
@pytest.mark.prove
def test_two_processes_do_everything_once(
    tmp_path: Path, count: int, tried: Callable[[str], None]
) -> None:
    tables = max(3, min(200, count // 5))
    outcomes: Counter[str] = Counter()
    with racers(tmp_path) as both:
        for number in range(tables):
            table, mode = f"raced{number:03}", MODES[number % 2]
            answers: list[Answers] = []
            for step in RACES:
                for racer in both:
                    racer.begin(step, table, mode)
                found = [racer.heard() for racer in both]
                if step == "opening":
                    check_opened(mode, found)
                outcomes.update(each[0] for one in found for each in one)
                answers += found
            asyncio.run(check_table(tmp_path, table, answers))
    secrets = tmp_path / f"{DATABASE}.secrets"
    assert not [*secrets.glob("*.aside*")]
    tried(
        f"{tables * len(RACES)} races: {outcomes['A']:,} answers, {outcomes['R']} refused, "
        f"{outcomes['U']} to be asked again"
    )
