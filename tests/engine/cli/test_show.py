"""The command line on a database: what it keeps, shows, exports and erases, and what it refuses."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import SCENARIO, objects, process, urim
from tests.engine.helpers.shown import plain
from tests.plays import SCENARIOS
from urim.engine.cli.database import on_log
from urim.events.log.protocol import EventLog

COUNTER = SCENARIOS / "milhamah" / "counter.toml"
NOTES = SCENARIOS / "milhamah" / "names-and-notes.toml"
FAIR = SCENARIOS / "milhamah" / "fair.toml"
SEEDED = SCENARIOS / "milhamah" / "seeded.toml"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database in which a scenario with a counter was kept, as table fixture0."""
    path = tmp_path / "night.db"
    assert urim("run", str(COUNTER), "--log", str(path)).exit_code == 0
    return path


def ids(db: Path) -> list[str]:
    """The tables in a database, by the command that lists them."""
    return [each["table"] for each in objects(urim("tables", str(db), "--json").stdout)]


# --- run ------------------------------------------------------------------------------------------


def test_each_run_is_a_table_of_its_own(db: Path) -> None:
    done = urim("run", str(COUNTER), str(NOTES), "--log", str(db))
    assert done.exit_code == 0
    assert f"kept as table fixture1 in {db}" in done.stdout
    assert ids(db) == ["fixture0", "fixture1", "fixture2"]


def test_a_table_with_an_id_of_its_own_is_kept_once(db: Path) -> None:
    path = db.parent / "named.toml"
    path.write_text('table = "mytable1"\n' + SCENARIO, "utf-8")
    assert urim("run", str(path), "--log", str(db)).exit_code == 0
    done = urim("run", str(path), "--log", str(db))
    assert done.exit_code == 2
    assert "table 'mytable1' is in use; allowed: another `table`" in done.stderr
    assert ids(db) == ["fixture0", "mytable1"]


def test_seeded_dice_are_not_thrown_under_another_id_than_their_own(db: Path) -> None:
    done = urim("run", str(SEEDED), "--log", str(db))
    assert done.exit_code == 2
    assert "depend on the table's id, and table 'fixture0' is in use" in done.stderr


def test_a_fair_table_keeps_its_secret_beside_the_database(db: Path) -> None:
    urim("run", str(FAIR), "--log", str(db))
    [fair] = [id for id in ids(db) if not id.startswith("fixture")]
    assert [file.name for file in (db.parent / "night.db.secrets").iterdir()] == [fair]


def test_a_scenario_that_cannot_be_used_leaves_nothing(db: Path) -> None:
    path = db.parent / "broken.toml"
    path.write_text(f'{SCENARIO}[[step]]\ndo = "fly"', "utf-8")
    assert urim("run", str(path), "--log", str(db)).exit_code == 2
    assert ids(db) == ["fixture0"]


def test_a_scenario_whose_expectation_fails_is_kept_to_be_looked_at(db: Path) -> None:
    path = db.parent / "wrong.toml"
    path.write_text(SCENARIO.replace("throws = 1", "throws = 2"), "utf-8")
    assert urim("run", str(path), "--log", str(db)).exit_code == 1
    assert ids(db) == ["fixture0", "fixture1"]


# --- tables, show ---------------------------------------------------------------------------------


def test_tables_are_listed(db: Path) -> None:
    done = urim("tables", str(db))
    assert done.exit_code == 0
    assert "fixture0" in done.stdout
    assert "Amos, Dan" in done.stdout
    [found] = objects(urim("tables", str(db), "--json").stdout)
    assert (found["system"], found["rolls"], found["dice"]) == ("milhamah", 3, "scripted")


def test_a_table_is_shown_as_it_stands(db: Path) -> None:
    done = urim("show", str(db), "fixture0")
    assert done.exit_code == 0
    assert "takes over the dice of roll 1" in done.stdout
    assert "light wounds ■■■" in done.stdout


def test_a_table_that_was_named_is_listed_and_shown_by_its_name_beside_its_id(db: Path) -> None:
    assert objects(urim("tables", str(db), "--json").stdout)[0]["name"] == ""
    named = urim("name-table", str(db), "fixture0", "Friday evening", "--seat", "narrator")
    assert named.exit_code == 0, named.output
    assert re.search(r"fixture0:[^:]*Friday evening", plain(urim("tables", str(db)).stdout))
    assert (
        objects(urim("show", str(db), "fixture0", "--json").stdout)[0]["name"] == "Friday evening"
    )
    first = plain(urim("show", str(db), "fixture0").stdout).splitlines()[0]
    assert first == "Table fixture0: Friday evening"


def test_a_table_is_shown_as_it_stood(db: Path) -> None:
    whole = objects(urim("show", str(db), "fixture0", "--json").stdout)
    for at in range(whole[0]["entries"]):
        found = objects(urim("show", str(db), "fixture0", "--at", str(at), "--json").stdout)
        entries = [each for each in found if each["type"] == "entry"]
        assert entries[-1]["seq"] == at
        assert found[0]["entries"] == at + 1
    assert whole[0]["characters"]["c1"]["tracks"]["light"] == 3
    before = objects(urim("show", str(db), "fixture0", "--at", "5", "--json").stdout)
    assert before[0]["characters"]["c1"]["tracks"].get("light", 0) == 0


def test_an_account_says_what_came_out_in_one_line(db: Path) -> None:
    found = objects(urim("show", str(db), "fixture0", "--roll", "1", "--json").stdout)
    (account,) = (each for each in found if each["type"] == "account")
    outcome = account["outcome"]
    assert outcome["headline"] == f"{outcome['head']}, {outcome['text']}"


def test_one_roll_is_shown_with_its_dice_and_outcome(db: Path) -> None:
    done = urim("show", str(db), "fixture0", "--roll", "2")
    assert "critical success" in done.stdout
    assert "Roll 1:" not in done.stdout
    rolls = [
        each
        for each in objects(urim("show", str(db), "fixture0", "--roll", "2", "--json").stdout)
        if each["type"] == "roll"
    ]
    assert [(each["roll"], each["state"], each["follows"]) for each in rolls] == [
        (2, "damaged", [1, "counter"])
    ]
    assert rolls[0]["damage"]["effects"][0] == {"character": "c1", "track": "soak", "delta": -1}


# --- export, erase --------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("roll", [[], ["--roll", "2"]])
def test_an_exported_scenario_is_read_back(db: Path, encoding: str, roll: list[str]) -> None:
    asked = ["export", str(db), "fixture0", "--format", "scenario", *roll]
    done = process(*asked, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    path = db.parent / "again.toml"
    path.write_bytes(done.stdout)
    assert urim("run", str(path), "--log", str(db)).exit_code == 0
    then, now = (objects(urim("show", str(db), id, "--json").stdout) for id in ids(db))
    tracks = [each["characters"]["c1"]["tracks"] for each in (then[0], now[0])]
    assert tracks[0] == tracks[1]


def test_exported_lines_hold_no_secret_and_no_erased_text(db: Path) -> None:
    urim("run", str(NOTES), "--log", str(db))
    done = urim("export", str(db), "fixture1", "--format", "jsonl")
    lines = objects(done.stdout)
    assert [line["seq"] for line in lines if line["payload"] is None] == [2, 6, 9]
    assert all((line["salt"] is None) == (line["payload"] is None) for line in lines)
    assert "Dana of Haifa" not in done.stdout


def test_a_name_is_erased_for_good(db: Path) -> None:
    entries = objects(urim("show", str(db), "fixture0", "--json").stdout)
    [seq] = [each["seq"] for each in entries if "Amos" in str(each.get("event"))]
    done = urim("erase", "--yes", str(db), "fixture0", str(seq))
    assert done.exit_code == 0
    assert done.stdout == f"entry {seq} is erased; entry {entries[0]['entries']} says so\n"
    assert "Amos" not in urim("show", str(db), "fixture0").stdout
    assert signed_size(db, "fixture0") == entries[0]["entries"] + 1
    again = urim("erase", "--yes", str(db), "fixture0", str(seq))
    assert again.exit_code == 2
    assert f"urim: entry {seq} is no text, or is erased already" in again.stderr


def signed_size(db: Path, table: str) -> int:
    """How much of a table the last signed head in its log is of."""

    async def work(log: EventLog) -> int:
        head = await log.last_head(table)
        return head.size if head else 0

    return on_log(db, work)


def test_a_name_can_be_erased_where_the_secret_is_gone(db: Path) -> None:
    urim("run", str(FAIR), "--log", str(db))
    [fair] = [id for id in ids(db) if not id.startswith("fixture")]
    (db.parent / "night.db.secrets" / fair).unlink()
    assert urim("erase", "--yes", str(db), fair, "3").exit_code == 0


# --- texts ----------------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A database with a roll that has a label, a note about it and a reason why it is void."""
    file, path = tmp_path / "words.toml", tmp_path / "words.db"
    steps = """
[[step]]
do = "note"
about = 6
text = "It was late."
[[step]]
do = "void"
roll = 1
reason = "The wrong hour."
"""
    labelled = SCENARIO.replace('attribute = "BLE"', 'attribute = "BLE"\nlabel = "At dusk"')
    file.write_text(labelled + steps, "utf-8")
    assert urim("run", str(file), "--log", str(path)).exit_code == 0
    return path


def test_names_labels_reasons_and_notes_are_lines_of_their_own(words: Path) -> None:
    shown = plain(urim("show", str(words), "fixture0").stdout).splitlines()
    found = [line.split(maxsplit=1) for line in shown]
    texts = {int(line[0]): line[1] for line in found if len(line) == 2 and line[0].isdecimal()}
    assert texts[3] == "Character c1 is called Rachel."
    assert texts[5] == "Label: At dusk"
    assert texts[7] == "narrator writes a note on entry 6."
    assert texts[8] == "Note on entry 6: It was late."
    assert texts[9] == "Roll 1 is voided."
    assert texts[10] == "Reason: The wrong hour."
    played = urim("run", str(words.with_suffix(".toml"))).stdout
    for part in ("Label: At dusk", "Note on entry 6: It was late.", "Reason: The wrong hour."):
        assert part in [line.strip() for line in plain(played).splitlines()]


def test_one_roll_is_shown_and_replayed_with_its_texts(words: Path) -> None:
    for command in ("show", "replay"):
        done = plain(urim(command, str(words), "fixture0", "--roll", "1").stdout)
        assert "Label: At dusk" in done
        assert "Note on entry 6: It was late." in done
        assert "Reason: The wrong hour." in done
        assert "Rachel." not in done


def test_an_entry_that_begins_a_commit_says_what_was_asked(words: Path) -> None:
    found = objects(urim("show", str(words), "fixture0", "--json").stdout)
    entries = {each["seq"]: each for each in found if each["type"] == "entry"}
    assert [seq for seq, each in entries.items() if "asked" not in each] == [3, 5, 8, 10]
    assert entries[9]["asked"]["request"] == "~9"
    assert json.loads(entries[9]["asked"]["body"])["do"] == "void/3"
    assert {entries[seq]["class"] for seq in (3, 5, 8, 10)} == {"text"}
    assert [entries[seq]["roll"] for seq in (4, 5, 9, 10)] == [1, 1, 1, 1]


# --- replay ---------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", ["show", "show --roll 1", "whatif --roll 1", "case --roll 1"])
def test_json_has_texts_without_isolates(db: Path, line: str) -> None:
    """They are for what draws."""
    name, *more = line.split()
    done = urim(name, str(db), "fixture0", *more, "--json")
    assert done.exit_code == 0, done.stdout
    assert not re.search(r"[\u2068\u2069]|\\u206[89]", done.stdout)


def test_a_replay_that_is_no_terminal_prints_every_step(db: Path) -> None:
    done = urim("replay", str(db), "fixture0", "--roll", "2")
    assert done.exit_code == 0
    steps = [line for line in done.stdout.splitlines() if line.startswith("step ")]
    assert steps[0].startswith("step 1 of ")
    assert steps[-1].endswith("roll 2 damaged")
    assert len(steps) == int(steps[0].split()[3])


# --- older databases ------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", ["tables DB", "show DB fixture0", "erase DB fixture0 3", "run"])
def test_an_older_database_is_refused_by_name_and_left_as_it_is(db: Path, command: str) -> None:
    with closing(sqlite3.connect(db, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 2")
    before = db.read_bytes()
    words = command.split() if command != "run" else ["run", str(COUNTER), "--log", "DB"]
    done = urim(*(str(db) if word == "DB" else word for word in words))
    assert (done.exit_code, db.read_bytes()) == (2, before)
    assert str(db) in done.stderr.replace("\n", "")
    assert "has schema 2" in done.stderr
    assert "Traceback" not in done.stderr
