"""What the command line says to programs, and of the systems: JSON Lines with stable keys."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.engine.helpers.cli_runs import NAMES, SCENARIO, objects, process, urim
from urim import __version__

KEYS = {
    "scenario": {"type", "title", "system", "dice", "level", "table", "options"},
    "step": {"type", "step", "do", "seat", "entries", "refused", "failures"},
    "end": {"type", "steps", "size", "root", "characters", "failures", "passed"},
}


@pytest.mark.parametrize("name", NAMES)
def test_a_demo_as_json_holds_every_entry_once_and_what_was_asked(name: str) -> None:
    done = urim("demo", name, "--json")
    found = objects(done.stdout)
    assert all(set(each) == KEYS[each["type"]] for each in found)
    steps, end = found[1:-1], found[-1]
    assert [each["step"] for each in steps] == list(range(end["steps"] + 1))
    entries = [entry for each in steps for entry in each["entries"]]
    assert [entry["seq"] for entry in entries] == list(range(end["size"]))
    keys = {"seq", "at", "class", "event"}
    assert all(set(entry) - {"asked"} == keys for entry in entries)
    for first, *others in (each["entries"] for each in steps[1:] if each["entries"]):
        assert first["asked"]["request"] == f"~{first['seq']}"
        assert json.loads(first["asked"]["body"])["do"][-2] == "/"
        assert not any("asked" in entry for entry in others)
    assert len(bytes.fromhex(end["root"])) == 32
    assert (end["passed"], end["failures"]) == (True, [])
    salted = {entry["event"]["type"] for entry in entries if "salt" in entry["event"]}
    assert salted == {"text-said/1"}  # a text's own; an entry's is nowhere


@pytest.mark.slow
def test_a_demo_is_the_same_in_every_run() -> None:
    runs = {process("demo", "milhamah", PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
    assert len(runs) == 1


def test_refusals_and_failures_are_objects(tmp_path: Path) -> None:
    scenario = tmp_path / "prayer.toml"
    extra = '[[step]]\ndo = "reroll"\ndice = ["d9"]\nrefused = "unknown"\n'
    scenario.write_text(SCENARIO.replace("throws = 1", "throws = 2") + extra, "utf-8")
    found = objects(urim("run", str(scenario), "--json").stdout)
    failure = {"step": 2, "what": "throws", "expected": 2, "found": 1}
    assert [each["failures"] for each in found[1:]] == [[], [], [failure], [], [failure]]
    assert found[-1]["passed"] is False
    refused = found[4]["refused"]
    assert refused["code"] == "unknown"
    assert "d9" in refused["why"]
    assert "d1" in refused["allowed"]


# --- systems and the version ----------------------------------------------------------------------


def test_systems_are_listed() -> None:
    listed = objects(urim("systems", "--json").stdout)
    assert {key: listed[0][key] for key in ("name", "version")} == {
        "name": "milhamah",
        "version": 3,
    }
    shown = urim("systems").stdout
    assert all(each["title"] in shown for each in listed)


def test_a_system_is_described_for_people_and_programs() -> None:
    [found] = objects(urim("systems", "milhamah", "--json").stdout)
    keys = {key["name"]: key for key in found["declaration"]["fields"]}
    assert keys["target"]["default"] == "average"
    assert keys["leave"]["set_by"] == "narrator"
    assert keys["xr"]["set_by"] == "rules"
    reading = next(each for each in found["readings"] if each["name"] == "botch_rewards")
    assert reading["values"] == ["both", "one"]
    assert keys["target"]["picks"] == {"of": "chart", "chart": "difficulties"}
    assert found["declaration"]["schema"]["$ref"] == "#/$defs/milhamah.Declaration"
    assert found["type"] == "system"
    shown = urim("systems", "milhamah").stdout
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert all(each["name"] in shown for each in (*found["readings"], *keys.values()))
    helped = [each["help"] for each in keys.values() if each["set_by"] != "rules"]
    assert all(text in " ".join(shown.split()) for text in helped)
    assert reading["heading"] in shown


def test_the_version_is_said() -> None:
    done = urim("--version")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"urim {__version__}, Python ")
