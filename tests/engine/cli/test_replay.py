"""`urim replay` on a real terminal: what is on its screen after each key, and what it leaves."""

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers import terminals
from tests.engine.helpers.cli_runs import process, urim
from tests.plays import SCENARIOS
from urim.engine.render.direction import LRM
from urim.engine.render.text import UNMARKED

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals", allow_module_level=True)

import fcntl
import struct
import termios

import pyte
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from urim.engine.cli.pager import Place, Sheet
from urim.engine.cli.terminal import page_through
from urim.errors import Damaged, Defect

COUNTER = SCENARIOS / "milhamah" / "counter.toml"
CHILD = """
import fcntl, runpy, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.argv = ["urim", *sys.argv[1:]]
runpy.run_module("urim", run_name="__main__", alter_sys=True)
"""
"""The command line in a process that its terminal is in control of, as a shell starts one."""

RIGHT, LEFT, HOME, END, DOWN, PAGE = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[B", "\x1b[6~"
PATIENCE = 30.0
"""Seconds until a screen counts as wrong; machines may be slow."""


class Terminal:
    """A terminal of some size with a program in it, and what is on its screen."""

    def __init__(self, args: list[str], columns: int, rows: int, **env: str) -> None:
        self._master, self._slave = terminals.opened()
        self.raw = ""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        # A character may come in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self._slave)
        unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
        kept = {name: value for name, value in os.environ.items() if name not in unset}
        self.child = subprocess.Popen(
            [sys.executable, "-c", CHILD, *args],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env={**kept, "TERM": "xterm-256color", **env},
            start_new_session=True,
        )

    @property
    def text(self) -> str:
        """The screen, row by row, without the blanks at their ends."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def place(self) -> tuple[int, int]:
        """The roll and the step that the headline names."""
        step, roll = re.search(r"step (\d+) of.*?roll (\d+)", self.text, re.DOTALL).groups()  # type: ignore[union-attr]
        return int(roll), int(step)

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size; the kernel tells the program."""
        self.screen.resize(rows, columns)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def press(self, *keys: str, apart: float = 0.0) -> None:
        """Write keys, each in a write of its own where they are some seconds apart."""
        for key in keys if apart else ("".join(keys),):
            os.write(self._master, key.encode())
            time.sleep(apart)

    def read(self, seconds: float) -> None:
        """Take what the program writes within some seconds."""
        if select.select([self._master], [], [], seconds)[0]:
            with suppress(OSError):  # the program has ended
                found = self._decoder.decode(os.read(self._master, 65536))
                self.raw += found
                self._stream.feed(found.translate(UNMARKED))  # pyte stops at them

    def until(self, so: Callable[[], Any]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not self._holds(so):
            assert time.monotonic() < end, f"the screen remains\n{self.text}"
            self.read(0.05)

    def _holds(self, so: Callable[[], Any]) -> bool:
        try:
            return bool(so())
        except AttributeError:  # there is no headline yet
            return False

    def shows(self, *words: str) -> None:
        """Wait until all of these are on the screen."""
        self.until(lambda: all(each in self.text for each in words))

    def changed_by(self, key: str) -> None:
        """Press a key and wait until another screen is there, and whole."""
        before = self.text
        self.press(key)
        self.until(lambda: self.text != before)
        self.settles()

    def settles(self) -> None:
        """Wait until the program writes nothing more."""
        length = -1
        while length != len(self.raw):
            length = len(self.raw)
            self.read(0.2)

    def shows_last(self, rows: int, words: str) -> None:
        """Wait until these words are in the last one of so many rows."""
        self.until(lambda: words in self.screen.display[rows - 1])

    def at(self, roll: int, step: int) -> None:
        """Wait for a step."""
        self.until(lambda: self.place == (roll, step))

    def end(self) -> int:
        """The exit code, once the program has ended; its terminal must be as it was."""
        self.until(lambda: self.child.poll() is not None)
        self.read(0.1)
        assert termios.tcgetattr(self._slave) == self.before
        assert self.raw.rindex("\x1b[?1049l") > self.raw.rindex("\x1b[?1049h")  # the first screen
        assert self.raw.rindex("\x1b[?25h") > self.raw.rindex("\x1b[?25l")  # and its cursor
        return int(self.child.returncode)

    def close(self) -> None:
        """Leave nothing behind."""
        self.child.kill()
        self.child.wait()
        os.close(self._slave)
        os.close(self._master)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which a scenario with a counter was kept, as table fixture0."""
    path = tmp_path_factory.mktemp("replay") / "night.db"
    assert urim("run", str(COUNTER), "--log", str(path)).exit_code == 0
    return path


@contextmanager
def replaying(
    db: Path, roll: int = 2, columns: int = 80, rows: int = 24, **env: str
) -> Generator[Terminal]:
    """A replay of a roll that has come to its first step."""
    args = ["replay", str(db), "fixture0", "--roll", str(roll)]
    terminal = Terminal(args, columns, rows, **env)
    try:
        terminal.at(roll, 1)
        yield terminal
    finally:
        terminal.close()


def test_keys_go_on_and_back_and_end_at_the_ends(db: Path) -> None:
    with replaying(db) as terminal:
        for key, step in ((RIGHT, 2), ("n", 3), (LEFT, 2), ("p", 1), (END, 13), (HOME, 1)):
            terminal.press(key)
            terminal.at(2, step)
        terminal.press(LEFT)
        terminal.shows("this is the first step")
        terminal.press("q")
        assert terminal.end() == 0


@pytest.mark.slow
def test_two_arrows_in_one_read_are_two(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press(RIGHT + RIGHT)
        terminal.at(2, 3)
        terminal.press(RIGHT * 7 + LEFT * 2)
        terminal.at(2, 8)


@pytest.mark.slow
def test_an_arrow_in_two_reads_is_one(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press("\x1b", "[C", apart=0.1)
        terminal.at(2, 2)
        terminal.press("\x1b[", "C", apart=0.1)
        terminal.at(2, 3)
        assert terminal.child.poll() is None


@pytest.mark.slow
def test_other_keys_do_nothing(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press("x", "\x1b[5~", "\x1bOP", "ש", "\x1b[1;5C", apart=0.1)
        terminal.press("n")
        terminal.at(2, 2)


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 10)])
def test_every_row_of_a_step_comes_by(db: Path, columns: int, rows: int) -> None:
    """The step with the outcome of an opposed roll, longer than either screen."""
    with replaying(db, columns=columns, rows=rows) as terminal:
        terminal.press("n" * 10)
        terminal.shows("step 11 of 13", "rows 1-")
        seen: list[str] = []
        while "step 11 of 13" in terminal.text:
            seen += terminal.text.splitlines()
            terminal.changed_by(" ")
        terminal.at(2, 12)
        plain = process("replay", str(db), "fixture0", "--roll", "2", COLUMNS=str(columns - 1))
        steps = re.split(r"^(?=step \d+ of)", plain.stdout.decode(), flags=re.MULTILINE)
        wanted = steps[11].splitlines()[1:]
        assert len(wanted) > rows
        assert wanted[0].startswith("Dan: critical success") or columns == 40
        missing = {line.strip() for line in wanted if line} - {line.strip() for line in seen}
        assert missing == set()


@pytest.mark.slow
def test_a_step_scrolls_by_rows_and_back(db: Path) -> None:
    with replaying(db, columns=40, rows=10) as terminal:
        terminal.press("n" * 10)
        terminal.shows("rows 1-7 of")
        terminal.press(DOWN * 2 + "j")
        terminal.shows("rows 4-10 of")
        terminal.press("k\x1b[A")
        terminal.shows("rows 2-8 of", "step 11 of 13")
        terminal.press(PAGE)
        terminal.shows("rows 8-14 of")
        terminal.press("\x1b[5~" * 2)
        terminal.shows("rows 1-7 of", "step 11 of 13")
        terminal.press("b")  # back to the end of the step before
        terminal.at(2, 10)
        terminal.settles()  # the last row comes behind the headline
        last = re.search(r"rows \d+-(\d+) of (\d+)", terminal.text)
        assert last is None or last[1] == last[2]


@pytest.mark.slow
def test_the_screen_may_change_its_size(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press("n" * 10)
        terminal.at(2, 11)
        for columns, rows in ((40, 10), (120, 50), (20, 4), (80, 24)):
            terminal.settles()  # what is on its way was written for the size before
            terminal.resize(columns, rows)
            frame = "╭─ roll 2 by" if rows == 50 else "step 11 of"
            terminal.shows(frame)
            terminal.shows_last(rows, "q: leave" if columns > 20 else "rows")
        terminal.press("q")
        assert terminal.end() == 0


# --- jumps ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_entry_is_gone_to_by_its_number(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press(":18")
        terminal.shows("go to entry: 18_")
        terminal.press("\r")
        terminal.at(2, 4)
        terminal.press("g169\x7f\r")  # the 9 is taken back
        terminal.at(2, 2)
        terminal.press(":9\r")  # of another roll
        terminal.until(lambda: terminal.place[0] == 1)
        terminal.shows("entry 9 ")
        for typed, says in (
            ("99", "no entry 99; allowed: 0 to 28"),
            ("0", "belongs to no roll"),
        ):
            terminal.press(f":{typed}\r")
            terminal.shows(says)
        terminal.press(":1", "\x1b", apart=0.1)
        terminal.until(lambda: "go to entry" not in terminal.text)
        terminal.shows("entry 9 ")
        assert terminal.child.poll() is None


@pytest.mark.slow
def test_the_next_roll_and_the_one_before(db: Path) -> None:
    with replaying(db) as terminal:
        for key, roll in (("]", 3), ("[", 2), ("\x1b[Z", 1), ("\t", 2)):
            terminal.press(key)
            terminal.at(roll, 1)
        terminal.press("\t\t")
        terminal.shows("this is the last roll")
        terminal.at(3, 1)


@pytest.mark.slow
def test_the_keys_are_shown_and_left_again(db: Path) -> None:
    with replaying(db, columns=40, rows=10) as terminal:
        terminal.press("n?")
        terminal.shows("right, n      next step")
        terminal.press(" ")
        terminal.shows("q, escape     leave")
        terminal.press("?")
        terminal.at(2, 2)


# --- how it ends ----------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("key", "code"), [("q", 0), ("\x1b", 0), ("\x04", 0), ("\x03", 130), (":1\x03", 130)]
)
def test_the_terminal_is_as_before_once_it_is_left(db: Path, key: str, code: int) -> None:
    with replaying(db) as terminal:
        terminal.press(key)
        assert terminal.end() == code
        assert "Traceback" not in terminal.raw


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGHUP, -signal.SIGHUP),
    ],
)
def test_the_terminal_is_as_before_after_a_signal(db: Path, number: int, code: int) -> None:
    with replaying(db) as terminal:
        terminal.child.send_signal(number)
        assert terminal.end() == code
        assert "Traceback" not in terminal.raw


@pytest.mark.slow
def test_without_colours_it_is_the_same(db: Path) -> None:
    with replaying(db, NO_COLOR="1") as terminal:
        terminal.press("n")
        terminal.at(2, 2)
        assert "\x1b[38" not in terminal.raw
        terminal.press("q")
        assert terminal.end() == 0


@pytest.mark.slow
def test_a_terminal_that_cannot_move_its_cursor_gets_every_step_at_once(db: Path) -> None:
    args = ["replay", str(db), "fixture0", "--roll", "2"]
    terminal = Terminal(args, 80, 24, TERM="dumb")
    try:
        terminal.until(lambda: terminal.child.poll() is not None)
        terminal.read(0.1)
        assert "step 13 of 13" in terminal.raw
        assert "\x1b" not in terminal.raw
    finally:
        terminal.close()


# --- marks ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_letters_have_marks_on_the_screen_as_well(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press("n" * 2)
        terminal.at(2, 3)
        terminal.shows("│  ש  │")
        assert f"│  {LRM}ש{LRM}" in re.sub("\x1b[^m]*m", "", terminal.raw)


@pytest.mark.slow
def test_nothing_is_underlined_and_no_mark_is_on_the_screen(db: Path) -> None:
    with replaying(db) as terminal:
        terminal.press("n" * 2)
        terminal.shows("d1 ש, d2 מ", "step 3 of 13")
        cells = [cell for row in terminal.screen.buffer.values() for cell in row.values()]
        assert not [cell.data for cell in cells if cell.underscore]


# --- what goes wrong ------------------------------------------------------------------------------


class Broken:
    """A reel whose second step cannot be painted."""

    rolls = (1,)

    def steps(self, roll: int) -> int:
        """Two."""
        return 2

    def sheet(self, place: Place, width: int) -> Sheet:
        """The first alone."""
        if place.step:
            raise Damaged("entry 2 is not what was written", seq=2)
        return Sheet(["head"], ["body"])

    def find(self, entry: int) -> Place:
        """None."""
        raise Defect("nothing is sought")


@pytest.mark.parametrize(("keys", "error"), [("n", Damaged), (":1\r", Defect)])
def test_what_a_reel_raises_ends_the_pager(keys: str, error: type[Exception]) -> None:
    with create_pipe_input() as typed, create_app_session(typed, DummyOutput()):
        typed.send_text(keys)
        with pytest.raises(error):
            page_through(Broken(), 1, None)


def test_a_terminal_that_is_gone_ends_the_pager() -> None:
    with create_pipe_input() as typed, create_app_session(typed, DummyOutput()):
        typed.close()
        page_through(Broken(), 1, None)
