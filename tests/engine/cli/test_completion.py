"""Shells complete fields and values of single commands, as the seat may see them; or nothing."""

import os
import re
import select
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest

from tests.engine.helpers import terminals
from tests.engine.helpers.cli_runs import urim
from tests.tools import found, missing
from urim.engine.cli import suggest
from urim.engine.cli.frame import ASKING
from urim.engine.cli.shells import SHELLS, script

TABLE = "evening1"


def night(folder: Path, system: str, *lines: str) -> Path:
    """A database with one table; the lines are commands without database and table."""
    database = folder / "night.db"
    assert urim("open", str(database), "--system", system, "--id", TABLE).exit_code == 0
    for line in (
        "seat p1 --name Dana --seat narrator",
        "seat p2 --name Omer --seat narrator",
        *lines,
    ):
        name, *words = (word.replace("_", " ") for word in line.split())
        done = urim(name, str(database), TABLE, *words)
        assert done.exit_code == 0, done.output
    return database


@pytest.fixture(scope="module")
def fight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Milhamah with Etgar of Dana and Big Toad of Omer, who may answer roll 1."""
    return night(
        tmp_path_factory.mktemp("fight"),
        "milhamah",
        "enter Etgar BLE=3 VIG=2 --seat Dana",
        "enter Big_Toad GRA=2 --seat Omer",
        "declare attribute=BLE rating=3 root=אשר opponent=Big_Toad combat=yes --seat Dana",
    )


def completed(line: str, database: Path, shell: str = "bash", **env: str) -> set[str]:
    """What completes a line at its end; `DB` is database and table."""
    full = f"urim {line.replace('DB', f'{database} {TABLE}')}"
    words = full.split(" ")
    asks = {"COMP_WORDS": full, "COMP_CWORD": str(len(words) - 1), ASKING: f"{shell}_complete"}
    if shell == "fish":
        asks["COMP_CWORD"] = words[-1]
    done = urim(**{**asks, **env})
    assert (done.exit_code, done.stderr) == (0, ""), done
    lines = done.stdout.splitlines()
    if shell == "zsh":
        return {line for line in lines[1::3] if line}
    return {line.partition(",")[2].partition("\t")[0] for line in lines if line}


# --- fields and values ----------------------------------------------------------------------------


@pytest.mark.sampled(23)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("declare DB --seat Dana ra", {"rating="}),
        ("declare DB ra", {"rating="}),
        ("declare DB --seat Dana bl", {"BLE"}),  # a roll of the sheet
        ("declare DB --seat Dana BLE bl", set()),  # the first words alone begin one
        ("declare DB --seat Dana BLE+v", {"BLE+VIG"}),
        ("declare DB --seat Dana BLE v", {"vs"}),
        ("declare DB --seat Dana BLE vs b", {r"Big\ Toad", "beginner"}),
        ("declare DB --seat Dana BLE vs leg", {"legendary"}),
        ("declare DB --seat Dana xr", set()),  # the rules fill it in
        ("declare DB --seat Dana lea", set()),  # a narrator's
        ("declare DB --seat narrator --character Etgar lea", {"leave="}),
        ("declare DB --seat Dana attribute=", {"attribute=BLE", "attribute=VIG"}),
        ("declare DB --seat Omer attribute=", {"attribute=GRA"}),
        ("declare DB --seat Dana --character c2 attribute=", {"attribute=GRA"}),
        ("declare DB --seat Dana attribute=B", {"attribute=BLE"}),
        ("declare DB --seat Dana combat=", {"combat=yes", "combat=no"}),
        ("declare DB --seat Dana opponent=", {r"opponent=Big\ Toad"}),
        ("declare DB --seat Dana 'opponent=Big ", {"opponent=Big Toad"}),
        (r"declare DB --seat Dana opponent=Big\ ", {r"opponent=Big\ Toad"}),
        ("declare DB --seat Dana modi", {"modifiers."}),
        ("declare DB --seat Dana status.stunned.rer", {"status.stunned.rerolls="}),
        ("declare DB --seat Dana status.stunned.no_reroll=y", {"status.stunned.no_reroll=yes"}),
        (
            "declare DB --seat Dana circumstances=unnoticed,amb",
            {"circumstances=unnoticed,ambushed"},
        ),
        ("declare DB --seat Dana dice.g", {"dice.green="}),
        ("declare DB --seat Dana dice.green=", set()),
        ("declare DB --seat Dana rating=", set()),
        ("declare DB --seat Dana nothing=", set()),
        ("declare DB --seat Dana rating.x=", set()),
        ("react DB --seat Omer attribute=", {"attribute=GRA"}),
        ("react DB --seat Omer --roll 1 at", {"attribute="}),
        ("react DB --seat Omer --roll 2 at", set()),
        ("react DB attribute=", {"attribute=GRA"}),
        ("react DB --seat Dana attribute=", set()),  # it is not Dana's to answer
        ("replace DB why --seat narrator attribute=", {"attribute=BLE", "attribute=VIG"}),
        ("replace DB why --seat Dana attribute=", set()),
        ("open new.db --system milhamah --reading soak_start=n", {"soak_start=none"}),
        ("open new.db --system milhamah --reading=pocket_l", {"--reading=pocket_lapses="}),
        ("open new.db --system milhamah --reading skill_r", {"skill_roots."}),
        ("open new.db --reading soak", set()),
        ("open new.db --system none --reading soak", set()),
    ],
)  # fmt: skip
def test_fields_and_values_are_completed(line: str, expected: set[str], fight: Path) -> None:
    assert completed(line, fight) == expected


def test_a_value_may_depend_on_another_field(tmp_path: Path) -> None:
    table = night(
        tmp_path, "majesty", "enter Oren Precision=8 --seat Dana", "enter Shade Guard=5 --seat Omer"
    )
    line = "declare DB --seat Dana opponent=Shade opposing_attribute="
    assert completed(line, table) == {"opposing_attribute=Guard"}
    assert completed(line.replace("opponent=Shade ", ""), table) == set()


def test_a_hidden_roll_is_completed_for_those_alone_who_see_it(tmp_path: Path) -> None:
    table = night(
        tmp_path,
        "sagatafl",
        "enter Ruth Lockpicking=3 --seat Dana",
        "enter Dan Hiding=2 --seat Omer",
        "declare trait=Lockpicking opponent=Dan --visibility gm --seat Dana",
    )
    assert completed("react DB --seat Omer trait=", table) == {"trait=Hiding"}
    assert completed("react DB trait=", table) == set()
    secret = ["declare", "trait=Lockpicking", "--visibility", "self", "--seat", "Dana"]
    assert urim(secret[0], str(table), TABLE, *secret[1:]).exit_code == 0
    line = "replace DB why --seat narrator --roll {} trait="
    assert completed(line.format(1), table) == {"trait=Lockpicking"}
    assert completed(line.format(2), table) == set()


@pytest.mark.parametrize(
    "line",
    [
        "declare DB.none --seat Dana at",
        "declare night.txt evening1 --seat Dana at",
        "declare DB --seat Nobody at",
        "declare DB --seat Dana --character Nobody at",
        "declare DB --seat Dana --follows soak at",
        "declare DB --seat Dana --follows 99:soak at",
        "declare DB --seat Dana --roll x rating.. =",
        'declare DB --seat Dana "nothing',
    ],
)
def test_what_fails_completes_nothing(
    line: str, fight: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fight.parent)
    Path("night.txt").write_text("SQLite format 3\0 and no more", "utf-8")
    assert completed(line, fight) <= {""}


def test_what_warns_shows_nothing(fight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def warns(*_: object) -> NoReturn:
        sys.stderr.write("a warning\n")
        raise OSError

    monkeypatch.setattr(suggest, "table_of", warns)
    assert completed("declare DB --seat Dana at", fight) == set()


# --- shells ---------------------------------------------------------------------------------------


def test_each_shell_has_the_words_that_it_replaces(fight: Path) -> None:
    for shell in ("zsh", "fish"):
        line = "declare DB --seat Dana opponent="
        assert completed(line, fight, shell) == {"opponent=Big Toad"}
        line = "declare DB --seat Dana circumstances=unnoticed,amb"
        assert completed(line, fight, shell) == {"circumstances=unnoticed,ambushed"}
    assert completed("declare DB --seat Dana opponent=B", fight, COMP_WORD="B") == {r"Big\ Toad"}
    assert completed("declare DB --seat Dana opponent=", fight, COMP_WORD="") == {r"Big\ Toad"}


@pytest.mark.sampled(2)
@pytest.mark.skipif(found("bash") is None, reason=missing("bash"))
@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("ra", "rating="),
        ("attribute=V", "attribute=VIG"),
        ("opponent=", "opponent=Big Toad"),
        (r"opponent=Big\ T", "opponent=Big Toad"),
        ("opponent='Big T", "opponent=Big Toad"),
        ("'opponent=B", "opponent=Big Toad"),
        ("circumstances=unnoticed,am", "circumstances=unnoticed,ambushed"),
        ("status.stunned.no_reroll=y", "status.stunned.no_reroll=yes"),
        ("--visibility=bl", "--visibility=blind"),
    ],
)
def test_bash_itself_completes_a_word(typed: str, word: str, fight: Path) -> None:
    shown = in_bash(f"urim declare {fight} {TABLE} --seat Dana {typed}")
    assert shown[-1] == word


def in_bash(line: str) -> list[str]:
    """The words of a line that bash has completed at its end."""
    quiet = {"TERM": "dumb", "PS1": "$ ", "INPUTRC": "/dev/null", "HISTFILE": ""}
    terminal, child = terminals.started(["bash", "--norc", "--noprofile", "-i"], **quiet)
    try:
        set_up = f"""urim() {{ "{sys.executable}" -m urim "$@"; }}; {script("bash")}\n"""
        os.write(terminal, f"stty -echo; {set_up}".encode())
        os.write(terminal, b"stty columns 1000; echo READY-$((1 + 1))\n")
        assert "READY-2" in _read(terminal, "READY-2")
        os.write(terminal, f"{line}\t\x01printf '<%s>\\n' \x05 END-$((1 + 1))\n".encode())
        # What was read may end with the mark, before its line does.
        return re.findall(r"<(.*?)>(?:\r?\n|$)", _read(terminal, "<END-2>"))[:-1]
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _read(terminal: int, mark: str) -> str:
    """What a terminal shows until a mark."""
    text, until = "", time.monotonic() + 60
    while mark not in text and time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536).decode("utf-8", "replace")
    return text


def test_every_script_keeps_errors_to_itself() -> None:
    for shell in SHELLS:
        assert "2>/dev/null" in script(shell)


# --- negative numbers -----------------------------------------------------------------------------


def test_a_negative_number_is_an_argument(fight: Path) -> None:
    done = urim("set-track", str(fight), TABLE, "Etgar", "xr", "-1", "--seat", "narrator")
    assert done.exit_code == 2
    assert "xr" in done.stderr
    assert "option" not in done.stderr
    done = urim("set-track", str(fight), TABLE, "Etgar", "xr", "-1", "--az", "narrator")
    assert "no option '--az'; allowed: --seat" in done.stderr
    done = urim("set-track", str(fight), TABLE, "Etgar", "xr", "-x", "--seat", "narrator")
    assert "no option '-x'; allowed: " in done.stderr
    words = ("set-attribute", str(fight), TABLE, "Etgar", "GRA", "--seat", "narrator")
    assert urim(*words, "-1").stderr == urim(*words, "--", "-1").stderr
