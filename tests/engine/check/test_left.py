"""What a killed service left, its write-ahead log damaged: named, all there, or its size known."""

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.check.test_check import checked
from tests.engine.helpers.cli_runs import objects, urim
from tests.engine.helpers.stages.heads import file_of, refusal, served
from tests.engine.helpers.stages.service import TABLE, seated
from tests.engine.service.life import DATABASE
from tests.events.sqlite.runs import chance, flip
from tests.events.sqlite.test_wal import damaged, end
from tests.tree import ROOT
from urim.engine.check.report import Vouched
from urim.engine.service.heads import read_unverified


class Left(NamedTuple):
    """The files of a service that was killed, how much it had acknowledged, and signed outside."""

    folder: Path
    acknowledged: int
    signed: int


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """What a service left that was killed while it was busy."""
    folder = tmp_path_factory.mktemp("left") / "made"
    folder.mkdir()
    served(folder / DATABASE, lambda service: seated(service, dice="fair"))
    words = [sys.executable, "-m", "tests.engine.service.child", "busy", str(folder)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        output = b""
        while signed(folder) < 100:
            output += process.stdout.readline()
        process.kill()
        output += process.stdout.read()
    return Left(folder, int(output.decode().split("\n")[-2].split()[-1]), signed(folder))


def signed(folder: Path) -> int:
    """Of how many entries the head outside is."""
    file = file_of(folder / DATABASE)
    return read_unverified(file.read_bytes()).size if file.exists() else 0


@pytest.fixture
def path(left: Left, tmp_path: Path) -> Path:
    """A copy of its log."""
    return copied(left, tmp_path / "copy", index=True)


def copied(left: Left, to: Path, *, index: bool) -> Path:
    """A copy of its log, with the index or without."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(left.folder, to)
    if not index:
        end(to / DATABASE, "-shm").unlink()
    return to / DATABASE


def test_what_a_killed_service_left_is_whole(left: Left, path: Path) -> None:
    report = checked(path)
    assert report.whole
    (of,) = report.vouched
    assert (of.table, of.size) == (TABLE, left.signed)
    assert of.entries >= left.acknowledged


@pytest.mark.prove
def test_the_check_names_what_was_lost_or_says_up_to_which_size_a_head_vouches(
    left: Left, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck = chance("left", seed)
    outcomes = Counter[str]()
    how_many = max(8, min(200, count))
    for turn in range(how_many):
        path = copied(left, tmp_path / "copy", index=luck.random() < 0.3)
        how = damaged(path, luck)
        report = checked(path)
        why = [each.why for each in report.findings if each.kind == "fault"]
        named = any("write-ahead" in each or f"{end(path)} is " in each for each in why)
        entries = sum(of.entries for of in report.vouched)
        if named:
            outcomes["named"] += 1
        elif entries >= left.acknowledged:
            outcomes["all there"] += 1
        else:
            assert how.endswith("?"), turn
            assert report.vouched == (Vouched(TABLE, left.signed, entries),)
            assert report.whole == (entries >= left.signed)
            outcomes["shorter than its head" if why else "not shorter than its head"] += 1
    tried(", ".join(f"{what} {n}" for what, n in [("damaged", how_many), *outcomes.most_common()]))
    assert outcomes["named"]


# --- every command --------------------------------------------------------------------------------

COMMANDS = (
    "tables DB", f"show DB {TABLE}", f"show DB {TABLE} --json", f"replay DB {TABLE} --roll 1",
    f"export DB {TABLE} --format jsonl", f"export DB {TABLE} --format bundle", f"luck DB {TABLE}",
    f"fairness DB {TABLE}", f"moves DB {TABLE} --seat narrator", f"key show DB {TABLE}",
    f"case DB {TABLE} --roll 1", f"whatif DB {TABLE} --roll 1 --void", "rerun DB", "backup DB FILE",
    "copy DB FILE", f"note DB {TABLE} 0 text --seat narrator", f"erase DB {TABLE} 4 --yes",
    f"epoch DB {TABLE} --yes", "dice 2d6 --log DB", "serve DB",
)  # fmt: skip
"""A line of every command that reads a log or writes to one."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("line", COMMANDS)
def test_no_command_shows_less_than_there_was_or_writes_over_it(line: str, path: Path) -> None:
    flip(end(path), 32 + 24 + 4096 + 100)  # in the second frame
    before = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    words = line.replace("DB", str(path)).replace("FILE", str(path.parent / "other.db"))
    done = urim(*words.split())
    assert done.exit_code == 2
    assert f"{end(path)} is damaged: frame 2 (byte 4152)" in done.output
    after = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    assert after == before


def test_the_check_names_it_and_says_what_is_left(left: Left, path: Path) -> None:
    flip(end(path), end(path).stat().st_size // 8)
    done = urim("check", str(path), "--json")
    assert done.exit_code == 1
    found = objects(done.stdout)
    (fault,) = (each for each in found if each["type"] == "fault" and each["what"] == "file")
    assert f"{end(path)} is damaged: frame " in fault["why"]
    (of,) = (each for each in found if each["type"] == "vouched")
    assert of["size"] == left.signed > of["entries"] > 5
    assert (
        f"are of {left.signed} entries, the log has {of['entries']}."
        in urim("check", str(path)).stdout
    )


@pytest.mark.parametrize(
    "line", ["tables DB", f"show DB {TABLE}", f"export DB {TABLE} --format jsonl"]
)
def test_a_log_that_is_shorter_than_its_head_outside_is_shown_with_a_word(
    line: str, left: Left, path: Path
) -> None:
    content = end(path).read_bytes()
    end(path, "-shm").unlink()
    end(path).write_bytes(content[: len(content) // 8])
    done = urim(*line.replace("DB", str(path)).split())
    assert done.exit_code == 0
    assert done.stderr.startswith(
        f"urim: the log of table 'table001' went back: its newest signed head outside is of "
        f"{left.signed} entries, and it has "
    )
    (first, *_) = objects(urim(*line.replace("DB", str(path)).split(), "--json").stdout)
    assert (first["type"], first["table"]) == ("damaged", TABLE)
    assert "went back" in str(refusal(path))


def test_nothing_is_said_of_a_log_that_is_whole(path: Path) -> None:
    for line in ("tables DB", f"show DB {TABLE}"):
        assert urim(*line.replace("DB", str(path)).split()).stderr == ""
