"""A character is carried to the next table at the shell: exported, then brought from its file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.engine.helpers.cli_runs import objects, urim

BEFORE, NEXT = "evening1", "evening2"
GOOD = {
    "type": "urim/character/1",
    "system": "milhamah",
    "name": "Etgar",
    "attributes": {"BLE": 3, "wind attack": 2},
    "tracks": {"soak": 2},
}


class Night(NamedTuple):
    """A database with two tables of Milhamah; Etgar is at the first, with what he came to have."""

    database: Path

    def run(self, name: str, *words: str) -> list[dict[str, Any]]:
        """The objects that a command prints."""
        return objects(urim(name, str(self.database), *words, "--json").stdout)

    def enters(self, file: bytes, *words: str) -> list[dict[str, Any]]:
        """What it prints to bring a character with this file to the next table."""
        path = self.database.with_name("etgar.urim.json")
        path.write_bytes(file)
        return self.run("enter", NEXT, "Etgar", "--from", str(path), *words)


@pytest.fixture
def night(tmp_path: Path) -> Night:
    found = Night(tmp_path / "night.db")
    by = ("--seat", "narrator")
    for table in (BEFORE, NEXT):
        found.run("open", "--system", "milhamah", "--id", table)
        found.run("seat", table, "p1", "--name", "Rachel", *by)
    found.run("enter", BEFORE, "Etgar", "BLE=3", "wind attack=2", "--owner", "p1", *by)
    found.run("set-track", BEFORE, "Etgar", "soak", "2", *by)
    found.run("set-attribute", BEFORE, "Etgar", "BLE", "4", *by)
    return found


def text(night: Night) -> str:
    """Etgar's file."""
    [found] = night.run("export", BEFORE, "--format", "character", "--character", "Etgar")
    assert (found["type"], found["as"]) == ("export", "character")
    return str(found["text"])


def entered(printed: list[dict[str, Any]]) -> dict[str, Any]:
    """The event by which a character entered."""
    event: dict[str, Any] = printed[0]["entries"][0]["event"]
    assert event["type"].startswith("character-entered/")
    return event


def test_a_character_is_exported_as_it_is_now(night: Night) -> None:
    out = night.database.with_name("out.json")
    words = (BEFORE, "--format", "character", "--character", "c1", "--out", str(out))
    assert night.run("export", *words)[0]["type"] == "written"
    assert out.read_text("utf-8") == text(night)
    found = json.loads(text(night))
    assert found.pop("was") == {"host": "", "table": BEFORE, "entries": 7}
    assert list(found) == list(GOOD)
    assert found["attributes"] == {"BLE": 4, "wind attack": 2}
    assert found["tracks"]["soak"] == 2


def test_a_narrator_brings_all_of_it_but_what_is_said_otherwise(night: Night) -> None:
    file = text(night)
    [printed] = [night.enters(file.encode(), "BLE=1", "--owner", "p1", "--seat", "narrator")]
    assert [each["type"] for each in printed] == ["committed"]
    event = entered(printed)
    assert event["seat"] == "p1"
    assert event["attributes"] == {"BLE": 1, "wind attack": 2}
    assert event["tracks"] == json.loads(file)["tracks"]


def test_a_player_is_told_which_tracks_a_narrator_is_to_set(night: Night) -> None:
    file = text(night).encode()
    committed, left = night.enters(file, "--seat", "Rachel")
    assert entered([committed])["attributes"] == {"BLE": 4, "wind attack": 2}
    assert left == {"type": "left", "tracks": json.loads(file)["tracks"]}
    path = str(night.database.with_name("etgar.urim.json"))
    done = urim("enter", str(night.database), NEXT, "E", "--from", path, "--seat", "p1")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "A narrator is to set: " in done.stdout
    assert "soak 2" in done.stdout


WRONG: Mapping[str, tuple[bytes | dict[str, object], str]] = {
    "no JSON": (b"[", "unreadable"),
    "nothing": (b"", "unreadable"),
    "another file": ({"type": "urim/kept/1"}, "unreadable"),
    "no name": ({"name": 3}, "unreadable"),
    "a rating in words": ({"attributes": {"BLE": "4"}}, "unreadable"),
    "deep": (b"[" * 100_000, "unreadable"),
    "endless": (json.dumps({**GOOD, "name": "x" * 1_000_000}).encode(), "unreadable"),
    "another system": ({"system": "sagatafl"}, "malformed"),
    "a rating out of bounds": ({"attributes": {"BLE": 10**9}}, "out-of-range"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_character_of_the_system_is_refused_by_name(night: Night, name: str) -> None:
    changed, code = WRONG[name]
    file = json.dumps({**GOOD, **changed}).encode() if isinstance(changed, dict) else changed
    [refused] = night.enters(file, "--seat", "narrator")
    assert (refused["type"], refused["code"]) == ("refusal", code)
    assert code == "out-of-range" or "etgar.urim.json: " in refused["why"]
    [found] = [each for each in night.run("tables") if each["table"] == NEXT]
    assert found["entries"] == 3


def test_a_good_file_that_says_no_more_is_enough(night: Night) -> None:
    event = entered(night.enters(json.dumps(GOOD).encode(), "--seat", "narrator"))
    assert event["tracks"]["soak"] == 2
