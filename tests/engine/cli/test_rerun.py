"""`urim rerun`: logs and folders of bundles, by rules from a module or with another reading."""

from contextlib import chdir
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim

HOUSE = """
from msgspec.structs import replace
from urim.rules.plain import RULESET as book

def outcome(roll):
    found = book.outcome(roll)
    return replace(found, margin=found.margin + 1)

RULESET = replace(book, outcome=outcome)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log of two tables, and a folder of their bundles."""
    here = tmp_path_factory.mktemp("rerun")
    with chdir(here):
        for system in ("milhamah", "plain"):
            assert urim("demo", system, "--log", "night.db").exit_code == 0
        Path("evenings").mkdir()
        for table in ("fixture0", "fixture1"):
            out = f"evenings/{table}.urim.jsonl"
            told = urim("export", "night.db", table, "--format", "bundle", "--out", out)
            assert told.exit_code == 0
    (here / "house.py").write_text(HOUSE)
    return here


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("log", ["night.db", "evenings"])
def test_by_the_rules_of_today_every_roll_is_the_same(log: str) -> None:
    done = urim("rerun", log)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("2 logs, 7 rolls: all the same.\n")


def test_each_roll_that_a_rule_changes_is_named_with_both_values_and_the_heading() -> None:
    done = urim("rerun", "evenings", "--rules", "plain=./house.py")
    assert (done.exit_code, done.stderr) == (1, "")
    assert "fixture0.urim.jsonl: milhamah, version 3; 3 rolls, all the same" in done.stdout
    named = [line for line in done.stdout.splitlines() if line.startswith("  roll ")]
    assert len(named) == 4
    assert named[-1] == (
        "  roll 4, entry 18, roll-resolved/1: outcome.margin was 3, is 4"
        " (The usual notation of dice)"
    )
    assert done.stdout.endswith("2 logs, 7 rolls: 4 differ.\n")


def test_a_reading_has_another_value_from_the_opening_on(place: Path) -> None:
    bundle = "evenings/fixture1.urim.jsonl"
    done = urim("rerun", bundle, "--reading", "comparison=total", "--json")
    [found] = objects(done.stdout)
    assert (done.exit_code, found["log"], found["system"]) == (1, bundle, "plain, version 1")
    [otherwise] = found["otherwise"]
    assert (otherwise["roll"], otherwise["event"]) == (4, "roll-resolved/1")
    assert otherwise["fields"][0] == {
        "path": "outcome.degree",
        "expected": '"success"',
        "found": '"total"',
    }


def test_rules_of_an_earlier_version_alone_are_unchecked() -> None:
    Path("old.py").write_text(HOUSE.replace("outcome=outcome", "version=0"))
    done = urim("rerun", "evenings", "--rules", "plain=./old.py")
    assert done.exit_code == 3
    assert "the rules are not known here: plain is of version 0 here, not 1" in done.stdout


def test_an_entry_that_was_changed_is_refused(tmp_path: Path) -> None:
    text = Path("evenings/fixture1.urim.jsonl").read_bytes()
    (tmp_path / "changed.urim.jsonl").write_bytes(text.replace(b"Robin", b"Robyn"))
    assert urim("rerun", str(tmp_path / "changed.urim.jsonl")).exit_code == 2


def test_of_many_logs_the_one_that_cannot_be_read_so_is_named() -> None:
    done = urim("rerun", "evenings", "--reading", "greater=strict")
    assert done.exit_code == 2
    assert "fixture0.urim.jsonl: --reading has no field 'greater'; allowed: " in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--reading", "greater=above"), "--reading.greater is 'above'"),
        (("--reading", "none=1"), "--reading has no field 'none'"),
        (("--reading", "greater"), "'greater' is not NAME=VALUE"),
        (
            ("--rules", "plain=./none.py"),
            "'plain' cannot be loaded from none:RULESET",
        ),
        (("--rules", "majesty=./house.py"), "'majesty' is no Ruleset of that name"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: tuple[str, str], why: str) -> None:
    done = urim("rerun", "evenings/fixture1.urim.jsonl", *words)
    assert done.exit_code == 2
    assert why in done.stderr


def test_where_there_is_no_log_it_says_so(tmp_path: Path) -> None:
    done = urim("rerun", str(tmp_path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "has no bundle" in done.stderr
