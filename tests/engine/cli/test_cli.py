"""The command line: exit codes, and one sentence for whatever is refused."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.engine.helpers import terminals
from tests.engine.helpers.cli_runs import NAMES, SCENARIO, objects, process, urim
from urim.engine.cli import play as cli_play
from urim.errors import Defect


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario that passes."""
    path = tmp_path / "prayer.toml"
    path.write_text(SCENARIO, "utf-8")
    return path


# --- playing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_demo_of_a_system_plays_its_own_story(name: str) -> None:
    done = urim("demo", name, "--json")
    assert done.exit_code == 0
    assert objects(done.stdout)[0]["system"] == name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_demo_fits_80_columns_and_passes(name: str) -> None:
    done = urim("demo", name)
    assert done.exit_code == 0
    assert not done.stderr
    assert max(map(cell_len, done.stdout.splitlines())) <= 80
    assert done.stdout.rstrip().endswith("✓ every expectation holds")


def test_run_plays_a_file(scenario: Path) -> None:
    done = urim("run", str(scenario))
    assert done.exit_code == 0
    assert "A prayer" in done.stdout


def test_a_failed_expectation_is_exit_code_1_and_is_named(scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace("throws = 1", "throws = 2"), "utf-8")
    done = urim("run", str(scenario))
    assert done.exit_code == 1
    assert "step 2: throws should be 2, is 1" in done.stdout
    assert "every expectation holds" not in done.stdout


def test_another_state_is_a_failed_expectation(scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace("throws = 1", 'state = "frozen"'), "utf-8")
    done = urim("run", str(scenario))
    assert done.exit_code == 1
    assert "step 2: state should be 'frozen', is 'rolled'" in done.stdout


def test_a_refused_step_may_expect_the_state_that_it_leaves(scenario: Path) -> None:
    early = '[[step]]\ndo = "apply_damage"\nrefused = "wrong-state"\nexpect = {{ state = "{}" }}'
    scenario.write_text(SCENARIO + early.format("rolled"), "utf-8")
    assert urim("run", str(scenario)).exit_code == 0
    scenario.write_text(SCENARIO + early.format("resolved"), "utf-8")
    assert "step 3: state should be 'resolved', is 'rolled'" in urim("run", str(scenario)).stdout


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_run_says_how_far_it_is_to_a_terminal_that_waits(
    scenario: Path, form: tuple[str, ...]
) -> None:
    impatient = (
        "import urim.engine.cli.progress as p, urim.engine.cli as m, sys;"
        "p.PATIENCE = 0; sys.argv = ['urim', 'run', *sys.argv[1:]]; m.main()"
    )
    ours, theirs = terminals.opened()
    os.write(theirs, b"begun")  # there is something to read, even where nothing is said
    command = [sys.executable, "-c", impatient, str(scenario), *form]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=False)
    os.close(theirs)
    shown = os.read(ours, 4096)
    os.close(ours)
    assert done.returncode == 0
    assert b"urim:" not in done.stdout
    if form:
        assert shown == b"begun"
    else:
        assert b"urim: 2 of 2 steps played\r\x1b[K" in shown
        assert shown.endswith(b"urim: 2 of 2 steps written\r\x1b[K")


def test_an_unusable_file_does_not_keep_the_next_from_being_played(scenario: Path) -> None:
    done = urim("run", str(scenario.parent / "none.toml"), str(scenario))
    assert done.exit_code == 2
    assert "none.toml" in done.stderr
    assert "A prayer" in done.stdout


# --- what cannot be used --------------------------------------------------------------------------

UNUSABLE = {
    "binary": (bytes(range(256)), "not a text in UTF-8"),
    "broken TOML": (b"title = ", "is not TOML"),
    "too deep": (b"a = " + b"[" * 100_000, "is not TOML"),
    "too large": (b"#" * 1_000_001, "more than 1000000 bytes; allowed: 1000000 bytes"),
    "an unknown system": (b'title = "x"\nsystem = "chess"', "no system called 'chess'; allowed:"),
    "a nameless step": (f"{SCENARIO}[[step]]\ndo = 7".encode(), "step 3: a step needs `do`"),
    "a state that there is not": (
        SCENARIO.replace("throws = 1", 'state = "frozn"').encode(),
        "step 2: a roll has no state 'frozn'; allowed: declared, reacted, rolled, frozen",
    ),
    "a state that is never stored": (
        SCENARIO.replace("throws = 1", 'state = "new"').encode(),
        "step 2: a roll has no state 'new'; allowed: declared",
    ),
    "a list for a state": (
        SCENARIO.replace("throws = 1", "state = []").encode(),
        "step 2: a roll has no state []; allowed: declared",
    ),
}


@pytest.mark.parametrize(("content", "says"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_file_is_told_in_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes(content)
    done = urim("run", str(path))
    assert done.exit_code == 2
    assert not done.stdout
    assert done.stderr.startswith("urim: ")
    assert done.stderr.count("some.toml") == 1
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_no_shell_can_say_is_no_files_name() -> None:
    done = urim("run", "a\0b")
    assert (done.exit_code, "is no file's name" in done.stderr) == (2, True)


# --- how it can end -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (Defect("two roots"), 70, "urim: a fault of Urim, please report it: two roots\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_a_fault_and_an_interruption_have_codes_of_their_own(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, says: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(cli_play, "play", fail)
    done = urim("demo", NAMES[0])
    assert (done.exit_code, done.stderr) == (code, says)


def test_what_nobody_foresaw_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a fault of a game system that somebody writes just now."""

    def fail(*_: object, **__: object) -> None:
        raise KeyError("dyce")

    monkeypatch.setattr(cli_play, "play", fail)
    done = urim("demo", NAMES[0])
    place = rf"KeyError: 'dyce', at cli/test_cli\.py:\d+ in {fail.__qualname__}\n"
    assert done.exit_code == 70
    assert re.fullmatch(f"urim: a fault of Urim, please report it: {place}", done.stderr)


@pytest.mark.parametrize("args", [["demo", NAMES[0]], ["demo", NAMES[0], "--json"]], ids=" ".join)
def test_a_broken_pipe_is_quiet(args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = process(*args, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


# --- terminals ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_demo_can_be_read_where_its_letters_cannot_be_written() -> None:
    done = process("demo", "milhamah", PYTHONIOENCODING="ascii")
    text = done.stdout.decode("ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "root resh-vav-het" in text
    assert max(map(len, text.splitlines())) <= 80


def test_json_is_in_ascii_where_nothing_else_can_be_written(scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace("A prayer", "רוח 🎲"), "utf-8")
    done = process("run", str(scenario), "--json", PYTHONIOENCODING="ascii")
    assert done.stdout.isascii()
    assert objects(done.stdout.decode())[0]["title"] == "רוח 🎲"


def test_the_log_goes_to_standard_error_alone() -> None:
    done = process("-v", "info", "--log-json", "demo", NAMES[0], "--json")
    assert objects(done.stdout.decode())[-1]["passed"]
    lines = objects(done.stderr.decode())
    assert lines[0]["event"] == "command decided"
    assert all({"level", "seat", "timestamp"} <= set(line) for line in lines)
