"""How commands behave: what they ask before they act, what a shell completes, typed objects."""

import os
import select
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.helpers import terminals
from tests.engine.helpers.cli_runs import objects, process, urim
from tests.plays import SCENARIOS
from urim.engine.cli.commands import COMMANDS
from urim.engine.cli.frame import ASKING
from urim.engine.cli.shells import SHELLS

COUNTER = SCENARIOS / "milhamah" / "counter.toml"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database in which a scenario with a counter was kept, as table fixture0."""
    path = tmp_path / "night.db"
    assert urim("run", str(COUNTER), "--log", str(path)).exit_code == 0
    return path


def filled(line: str, db: Path) -> list[str]:
    """The words of a line, DB and DIR filled in."""
    return [word.replace("DB", str(db)).replace("DIR", str(db.parent)) for word in line.split()]


# --- objects --------------------------------------------------------------------------------------

PRINTS = {
    "demo plain": {"scenario", "step", "end"},
    "dice 4d6": {"dice"},
    "odds 4d6": {"odds"},
    f"run {COUNTER}": {"scenario", "step", "end"},
    "open DIR/new.db --system plain": {"committed"},
    "note DB fixture0 3 late --seat narrator": {"committed"},
    "moves DB fixture0 --seat narrator": {"moves"},
    "tables DB": {"table"},
    "show DB fixture0": {"table", "entry", "roll"},
    "replay DB fixture0 --roll 1": {"table", "account", "entry", "roll"},
    "rerun DB": {"rerun"},
    "whatif DB fixture0 --roll 1": {"alternatives"},
    "whatif DB fixture0 --roll 1 --void": {"what-if"},
    "play DB --host 192.0.2.1": {"refusal"},  # what it prints else: test_evening.py
    "serve DB --new-host-link": {"host-link"},
    "join nowhere": {"refusal"},  # what it prints else: tests/engine/client/test_cli.py
    "audit DIR/none": {"refusal"},
    "check DB": {"check", "checked", "vouched"},
    "fairness DB fixture0": {"fairness", "figure"},
    "fairness DB fixture0 --plot DIR/x.svg": {"fairness", "figure", "written"},
    "luck DB fixture0": {"luck"},
    "luck DB fixture0 --roll 1": {"luck", "moment"},
    "verifier DIR/x.html": {"written"},
    "key show DB fixture0": {"key"},
    "key rotate DB --to DIR/key": {"refusal"},  # what it prints else: tests/engine/postgres
    "export DB fixture0 --format jsonl": {"export"},
    "export DB fixture0 --format scenario --out DIR/x.toml": {"written"},
    "case DB fixture0 --roll 1": {"case"},
    "case DB fixture0 --roll 1 --out DIR/x.html": {"written"},
    "erase DB fixture0 3 --yes": {"erased"},
    "epoch DB fixture0 --yes": {"epoch"},
    "copy DB DIR/to.db": {"copied"},
    "backup DB DIR/night.backup": {"written"},
    "restore DB DIR/again.db --yes": {"restored", "written"},
    "systems": {"system"},
    "systems plain": {"system"},
    "completion zsh": {"completion"},
    "schema plain": {"schema"},
}
"""A line of every command, and the types of the objects that it prints with --json.

`note` is there for all that are made from Structs, `submit` too.
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("line", PRINTS)
def test_every_command_prints_objects_with_a_type(line: str, db: Path) -> None:
    done = urim(*filled(line, db), "--json")
    assert not done.stderr
    assert {each["type"] for each in objects(done.stdout)} == PRINTS[line]


def test_no_command_is_left_out() -> None:
    alike = {name for name, home in COMMANDS.items() if home.module == "single"} | {"submit"}
    assert {line.split()[0] for line in PRINTS} - {"note"} == set(COMMANDS) - alike


def test_an_export_as_an_object_holds_what_a_file_would(db: Path) -> None:
    words = ("export", str(db), "fixture0", "--format", "scenario")
    [found] = objects(urim(*words, "--json").stdout)
    out = db.with_name("out.toml")
    [written] = objects(urim(*words, "--out", str(out), "--json").stdout)
    assert found["text"] == out.read_text("utf-8")
    assert written == {"type": "written", "file": str(out), "bytes": out.stat().st_size}


# --- what was not asked for -----------------------------------------------------------------------


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A log of schema 4, with table table001."""
    path = tmp_path / "night.db"
    assert urim("open", str(path), "--system", "plain", "--id", "table001").exit_code == 0
    with closing(sqlite3.connect(path)) as database:
        database.executescript("DROP INDEX commits_by_start; PRAGMA user_version = 4")
    return path


def test_an_upgrade_is_said_once_with_the_place_of_the_copy(older: Path) -> None:
    note = ("note", str(older), "table001", "0", "late", "--seat", "narrator")
    said = f"{older} is upgraded from schema 4 to 5; as it was, it is kept in {older}.schema-4"
    done = urim(*note)
    assert (done.exit_code, done.stderr) == (0, f"urim: {said}\n")
    done = urim(*note)
    assert (done.exit_code, done.stderr) == (0, "")


def test_an_upgrade_is_an_event_of_the_log_where_one_is_kept(older: Path) -> None:
    note = ("note", str(older), "table001", "0", "late", "--seat", "narrator")
    done = process("--log-json", *note)
    assert done.returncode == 0
    said = [each["event"] for each in objects(done.stderr.decode("utf-8"))]
    assert len([each for each in said if "is upgraded from schema 4 to 5" in each]) == 1


# --- files ----------------------------------------------------------------------------------------


def test_a_file_is_replaced_only_by_force_and_a_link_stays_one(tmp_path: Path) -> None:
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    page.write_text("mine", "utf-8")
    link.symlink_to(page.name)
    assert urim("verifier", str(link)).exit_code == 2
    assert page.read_text("utf-8") == "mine"
    assert urim("verifier", str(link), "--force").exit_code == 0
    assert "<html" in page.read_text("utf-8")
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.html", "page.html"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such device")
def test_a_device_is_written_to_and_not_replaced() -> None:
    assert urim("verifier", "/dev/null").exit_code == 0
    assert Path("/dev/null").is_char_device()


# --- questions ------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("Yes", 0), ("", 2), ("n", 2)])
def test_what_is_erased_is_shown_and_asked_for(db: Path, answer: str, code: int) -> None:
    said, ended = asked(["erase", str(db), "fixture0", "3"], f"{answer}\n")
    assert "urim: Entry 3 of table fixture0 is 'Amos'. Erase it for good? [y/N]" in said
    assert ("nothing was changed" in said) is (code == 2)
    assert ended == code
    assert ("Amos" in urim("show", str(db), "fixture0").stdout) is (code == 2)


def test_an_interruption_is_no_yes(db: Path) -> None:
    before = db.read_bytes()
    said, ended = asked(["epoch", str(db), "fixture0"], "\x03")
    assert "No signed head of table fixture0 is kept: nothing shows what was lost." in said
    assert "every player and every audit is shown it." in said
    assert "Begin an epoch of table fixture0, under a new secret? [y/N]" in said
    assert ended == 130
    assert "Traceback" not in said
    assert db.read_bytes() == before


def asked(words: list[str], answer: str) -> tuple[str, int]:
    """What a command says on a terminal where a question gets this answer, and its exit code."""
    terminal, child = terminals.started([sys.executable, "-m", "urim", *words])
    said = read_until(terminal, "[y/N]")
    os.write(terminal, answer.encode())
    said += read_until(terminal, "\0")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return said, os.waitstatus_to_exitcode(status)


def read_until(terminal: int, mark: str) -> str:
    """What a terminal shows until a mark, or until the program ends."""
    text, until = "", time.monotonic() + 30
    while mark not in text and time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                text += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:  # Linux, where nobody has the other end any more
                break
    return text


# --- completion -----------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("er", {"erase"}),
        ("void DB fixture0 why --seat n", {"narrator"}),
        ("open x.db --system p", {"plain"}),
        ("show DB ", {"fixture0"}),
        ("erase DB fixture0 3 --", {"--yes", "--json", "--help"}),
        ("erase DB fixture0 3 --yes --", {"--json", "--help"}),
        ("export DB fixture0 --format ", {"bundle", "character", "jsonl", "scenario"}),
        ("export DB fixture0 --format bundle --seat ", {"narrator", "p1", "p2"}),
        ("epoch DB fixture0 --seat n", {"narrator"}),
        ("systems p", {"plain"}),
        ("demo sag", {"sagatafl"}),
        ("completion ", set(SHELLS)),
        ("key ", {"show", "seat", "rotate"}),
        ("--log-level w", {"warning"}),
        ("show DB.none ", set()),
        ("show DB nowhere1 ", set()),
        ("export DB nowhere1 --seat ", set()),
    ],
)
def test_a_shell_completes_what_is_typed(line: str, expected: set[str], db: Path) -> None:
    words = line.replace("DB", str(db)).split(" ")
    env = {"COMP_WORDS": " ".join(["urim", *words]), "COMP_CWORD": str(len(words))}
    done = urim(**env, **{ASKING: "bash_complete"})
    assert (done.exit_code, done.stderr) == (0, "")
    assert {item.partition(",")[2] for item in done.stdout.split()} == expected


def test_a_file_is_completed_by_the_shell_itself() -> None:
    env = {"COMP_WORDS": "urim show ", "COMP_CWORD": "2", ASKING: "bash_complete"}
    assert urim(**env).stdout == "file,\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_asks_urim(shell: str) -> None:
    script = urim("completion", shell).stdout
    assert f"{ASKING}={shell}_complete" in script
    assert "_urim_completion" in script
