"""Whatever is refused names its code, the value and what would do instead, and changes nothing."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tests import plays
from tests.engine.helpers.refusals import declarations as refusals_of_declarations
from tests.engine.helpers.refusals import dice as refusals_of_dice
from tests.engine.helpers.refusals import rolls as refusals_of_rolls
from tests.engine.helpers.refusals import shares as refusals_of_shares
from tests.engine.helpers.refusals import tables as refusals_of_tables
from tests.engine.helpers.refusals.by_trigger import EVERY, IN_STATE, NARRATED, OFFERED
from tests.engine.helpers.refusals.case import Asked, Case, File
from tests.engine.helpers.refusals.scenarios import FILES, HEAD, STEPS
from tests.engine.helpers.refusals.setups import table_at
from tests.engine.helpers.stage import code_of
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import Asking, Note, RollCommand, TakeSeat, apart, worded
from urim.engine.core.machine import DOORS, triggers_of
from urim.engine.core.moves import moves
from urim.engine.scenario import parse_scenario, read_scenario
from urim.engine.scenario.steps import step_command
from urim.errors import CODES, Refused
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog

CASES = (
    *refusals_of_declarations.CASES,
    *refusals_of_dice.CASES,
    *refusals_of_rolls.CASES,
    *refusals_of_shares.CASES,
    *refusals_of_tables.CASES,
)

Whole: TypeAlias = tuple[tuple[Entry, ...], bytes, bytes]


def whole(table: Aggregate) -> Whole:
    """Everything there is of a table: entries, root, state."""
    return tuple(table.entries), table.frontier.root(), plays.picture(table.state)


def attempt(table: Aggregate, seat: str, asked: Asked) -> None:
    """Ask for it in the way it comes."""
    if isinstance(asked, bytes):
        table.keep(table.prepare(seat, asked))
    elif isinstance(asked, Mapping):
        table.submit(*step_command(table.opened, asked))
    else:
        table.submit(seat, asked)  # type: ignore[arg-type]  # any command, also of other systems


def refused(table: Aggregate, seat: str, asked: Asked) -> Refused:
    """What it is refused with; the table must be what it was."""
    before = whole(table)
    with pytest.raises(Refused) as caught:
        attempt(table, seat, asked)
    assert whole(table) == before
    return caught.value


def problems(error: Refused, code: str, says: str, allows: str) -> list[str]:
    """What a refusal lacks."""
    found: list[str] = []
    if error.code != code:
        found.append(f"the code is {error.code}, not {code}")
    if says not in error.why:
        found.append(f"{error.why!r} does not say {says!r}")
    if allows not in error.allowed if allows else error.allowed:
        found.append(f"allowed are {error.allowed}, not {allows!r}")
    return found


def name_of(case: Case | File) -> str:
    """The words by which a test is found."""
    return case.name


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_it_is_refused_and_changes_nothing(case: Case) -> None:
    error = refused(table_at(case.at), case.seat, case.asked)
    assert problems(error, case.code, case.says, case.allows) == []


def test_every_code_has_its_refusals() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 200
    elsewhere = {"request-reused", "over-budget", "not-signed"}
    assert {case.code for case in (*CASES, *FILES, *STEPS)} | elsewhere == set(CODES)


# --- by trigger -----------------------------------------------------------------------------------


def trigger_of(asking: Asking) -> str:
    """The trigger that a command about a roll fires."""
    command, _ = apart(asking)
    assert isinstance(command, RollCommand)
    return command.trigger


WRONG = [
    (state, do) for state in IN_STATE for do in EVERY if (state, trigger_of(EVERY[do])) not in DOORS
]


@pytest.mark.parametrize(("state", "do"), WRONG)
def test_a_state_does_not_know_the_other_triggers(state: str, do: str) -> None:
    table = table_at(IN_STATE[state])
    assert table.opened.rolls[1].state == state
    error = refused(table, "narrator", EVERY[do])
    assert error.code == "wrong-state"
    assert f"in state {state}" in error.why
    assert trigger_of(EVERY[do]) in error.why
    legal = {move.trigger for move in moves(table.opened, "narrator", 1) if move.legal}
    legal = legal or {"declare"}  # another one, where nothing is left to do in this one
    assert (set(error.allowed), len(error.allowed)) == (legal, len(legal))
    assert legal <= {*triggers_of(state), "declare"}


@pytest.mark.parametrize("state", IN_STATE)
def test_a_refusal_for_the_state_names_only_what_the_seat_may_fire(state: str) -> None:
    for seat in ("p1", "p2", "watcher", "narrator"):
        table = table_at(IN_STATE[state])
        wrong = next(do for do in EVERY if (state, trigger_of(EVERY[do])) not in DOORS)
        for trigger in refused(table, seat, EVERY[wrong]).allowed:
            for command in (each for each in EVERY.values() if trigger_of(each) == trigger):
                code = code_of(attempt, table_at(IN_STATE[state]), seat, command)
                assert code not in {"wrong-state", "not-yours"}, (seat, command)


def test_what_the_rules_offer_comes_first_in_a_refusal_for_the_state() -> None:
    table = table_at(IN_STATE["rolled"])
    allowed = refused(table, "p1", EVERY["react"]).allowed
    offered = [move.trigger for move in moves(table.opened, "p1", 1) if move.offers]
    assert list(allowed[: len(offered)]) == offered
    assert "dispute" in allowed[len(offered) :]


@pytest.mark.parametrize("do", OFFERED)
def test_what_a_character_is_offered_is_no_other_seats(do: str) -> None:
    table = table_at(OFFERED[do])
    owner = "p2" if do == "react" else "p1"
    for seat in {"p1", "p2", "p3", "watcher", "narrator"} - {owner}:
        if (do, seat) != ("resolve", "narrator"):
            error = refused(table, seat, EVERY[do])
            assert problems(error, "not-yours", repr(seat), f"seat {owner!r}") == []
    attempt(table, owner, EVERY[do])


@pytest.mark.parametrize("do", NARRATED)
def test_what_a_narrator_does_is_no_players(do: str) -> None:
    table = table_at(NARRATED[do])
    for seat in ("p1", "p2", "watcher"):
        if do == "reveal" and seat != "p1":
            continue  # they may not even see it
        error = refused(table, seat, EVERY[do])
        assert problems(error, "not-yours", f"{seat!r} is none", "seat 'narrator'") == []


@pytest.mark.parametrize("at", ["gm", "blind", "self"])
def test_who_may_not_see_a_roll_learns_nothing_of_it(at: str) -> None:
    table = table_at(at)
    answers = {str(refused(table, "p3", command)) for command in EVERY.values()}
    assert answers == {
        "seat 'p3' sees no roll 1: it is hidden, or not declared yet; allowed: after it is revealed"
    }


# --- requests -------------------------------------------------------------------------------------


def test_a_request_id_stands_for_one_command_of_one_seat() -> None:
    table = table_at("seated")
    note = worded(Note(0), "so")
    answer = table.submit("p1", note, "once")
    before = whole(table)
    assert table.submit("p1", note, "once") == answer
    with pytest.raises(Refused) as caught:
        table.submit("p1", worded(Note(0), "not so"), "once")
    assert problems(caught.value, "request-reused", "'once' of seat 'p1'", "a new id") == []
    assert whole(table) == before
    assert table.submit("p2", worded(Note(0), "not so"), "once") != answer


BAD_IDS = {
    "empty": "",
    "one that the host gives": "~5",
    "a blank": "once more",
    "a line end": "once\n",
    "a slash": "once/1",
    "another script": "אחד",
    "half a character": "\ud83d",
    "65 letters": "x" * 65,
}


@pytest.mark.parametrize("id", BAD_IDS.values(), ids=BAD_IDS)
def test_a_request_id_has_a_form(id: str) -> None:
    table = table_at("seated")
    before = whole(table)
    with pytest.raises(Refused) as caught:
        table.submit("narrator", TakeSeat("p9"), id)
    allowed = "1 to 64 of A-Z a-z 0-9 . _ -"
    assert problems(caught.value, "malformed", "request id", allowed) == []
    assert whole(table) == before


@pytest.mark.parametrize("id", ["a", "AZaz09._-", "x" * 64])
def test_a_request_id_of_its_form_is_taken(id: str) -> None:
    assert table_at("seated").submit("narrator", TakeSeat("p9"), id)


def test_a_refused_request_may_be_asked_again() -> None:
    table = table_at("seated")
    with pytest.raises(Refused):
        table.submit("p1", TakeSeat("p9"), "seat")
    assert table.submit("narrator", TakeSeat("p9"), "seat")
    assert table.submit("p1", worded(Note(0), "another command"), "seat")


# --- scenarios ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", FILES, ids=name_of)
def test_a_scenario_that_is_none_is_refused(case: File) -> None:
    with pytest.raises(Refused) as caught:
        plays.kept(parse_scenario(HEAD + case.lines))
    assert problems(caught.value, case.code, case.says, case.allows) == []


@pytest.mark.parametrize("case", STEPS, ids=name_of)
def test_a_step_that_is_refused_adds_nothing(case: File) -> None:
    log = MemoryLog()
    last = len(HEAD + case.lines) - len(case.lines) + case.lines.rindex("[[step]]")
    before = plays.kept(parse_scenario((HEAD + case.lines)[:last]))
    with pytest.raises(Refused) as caught:
        plays.kept(parse_scenario(HEAD + case.lines), log)
    assert problems(caught.value, case.code, case.says, case.allows) == []
    assert caught.value.why.startswith(f"step {len(before.play.steps) + 1}: ")
    assert plays.entries_of(log, before.play.aggregate.opened.id) == before.log


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (None, "unreadable", "cannot be read"),
        (b"title = '\xff'", "unreadable", "not a text in UTF-8"),
        (b"#" * 1_000_001, "too-long", "more than 1000000 bytes"),
        (b"", "malformed", "missing required field `title`"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    tmp_path: Path, content: bytes | None, code: str, says: str
) -> None:
    path = tmp_path / "scenario.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Refused) as caught:
        read_scenario(path)
    assert caught.value.code == code
    assert says in caught.value.why


# --- the same in a terminal -----------------------------------------------------------------------


def run(*paths: Path) -> subprocess.CompletedProcess[str]:
    """Run `urim run PATH...` as a program."""
    return subprocess.run(
        [sys.executable, "-m", "urim", "run", *map(str, paths)],
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_command_line_says_each_in_a_line(tmp_path: Path) -> None:
    paths: dict[Path, File] = {}
    for number, case in enumerate((*FILES, *STEPS)):
        path = tmp_path / f"scenario-{number:02}.toml"
        path.write_text(HEAD + case.lines, encoding="utf-8")
        paths[path] = case
    done = run(*paths)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr + done.stdout
    lines = done.stderr.strip().splitlines()
    assert len(lines) == len(paths)
    for line, (path, case) in zip(lines, paths.items(), strict=True):
        assert str(path) in line
        assert case.says in line
        assert case.allows in line


@pytest.mark.parametrize("case", [FILES[1], STEPS[14]], ids=name_of)
def test_a_refused_scenario_ends_the_program_with_two(case: File, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(HEAD + case.lines, encoding="utf-8")
    done = run(path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_command_line_says_that_a_file_is_missing(tmp_path: Path) -> None:
    done = run(tmp_path / "nowhere.toml")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "nowhere.toml cannot be read" in done.stderr
