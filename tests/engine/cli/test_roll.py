"""`urim roll` with words: a roll is declared, and all is done in it that needs no decision."""

import json
import re
from pathlib import Path

import pytest

from tests.engine.cli.test_single import Shell, locks, opened
from tests.engine.helpers.cli_runs import objects
from tests.engine.helpers.said import RATINGS, SAID

ALL = ["roll-declared", "dice-rolled", "roll-resolved"]


def test_one_command_declares_throws_and_announces(tmp_path: Path) -> None:
    shell = locks(tmp_path)
    line = "roll trait=Lockpicking rd=7 --seat Dana"
    assert shell.did(line) == ALL
    done = shell.run(line)
    assert done.exit_code == 0
    assert "Ruth declares" in done.stdout
    assert "Ruth throws" in done.stdout
    assert re.search("success|failure|fumble", done.stdout)


def test_a_label_and_who_sees_it_go_with_it(tmp_path: Path) -> None:
    shell = locks(tmp_path)
    line = "roll trait=Lockpicking rd=7 --label 'the door' --visibility gm --seat Dana"
    assert shell.did(line) == [ALL[0], "text-said", *ALL[1:]]


def test_a_name_of_the_sheet_begins_it(tmp_path: Path) -> None:
    shell = locks(tmp_path)
    assert shell.did("roll lockpicking rd=7 --seat Dana") == ALL
    assert shell.did("declare Lockpicking --seat Dana") == ALL[:1]
    (tmp_path / "plain").mkdir()
    plain = opened(tmp_path / "plain", "--system", "plain")
    assert plain.run("enter Ruth --seat p1").exit_code == 0
    assert plain.did("roll 1d20 adv --seat p1") == ALL
    assert plain.did("roll 2d6 + 3 --seat p1") == ALL
    assert plain.did("roll 6d10>=7 --seat p1") == ALL
    assert plain.did("roll '1d20+5 >= 15' --seat p1") == ALL
    # Repeated, it gives the same; other words under its name are another command.
    again = "roll 2d6 + 3 --seat p1 --request r5"
    assert plain.json(again) == plain.json(again)
    other = plain.json("roll 2d6 + 4 --seat p1 --request r5")
    assert [each["code"] for each in other] == ["request-reused"]
    again = "roll lockpicking rd=7 --seat Dana --request r1"
    assert shell.json(again) == shell.json(again)
    other = shell.json("roll Lead rd=7 --seat Dana --request r1")
    assert [each["code"] for each in other] == ["request-reused"]
    # A field is given once.
    done = shell.run("roll Lockpicking trait=Body rd=7 --seat Dana")
    assert done.exit_code == 2
    assert "trait is given twice: by 'Lockpicking' and by trait=" in done.stderr
    # Where a character has no such roll the names are said.
    done = shell.run("roll dance --seat Dana")
    assert done.exit_code == 2
    assert "'dance' begins no roll of Ruth" in done.stderr
    assert "Lockpicking" in done.stderr


def test_words_behind_a_roll_fill_in_what_it_asks_for(tmp_path: Path) -> None:
    shell = locks(tmp_path)
    assert shell.did("roll lock 7 --seat Dana") == ALL
    assert shell.json("roll lock 7 --seat Dana --request r6") == shell.json(
        "roll Lockpicking rd=7 --seat Dana --request r6"
    )
    done = shell.run("roll Lockpicking 7 8 --seat Dana")
    assert done.exit_code == 2
    assert "'7 8'" in done.stderr
    assert shell.did("roll Lockpicking very hard --seat Dana") == ALL
    done = shell.run("roll Lockpicking 7 rd=8 --seat Dana")
    assert done.exit_code == 2
    assert "'7' is one word too many" in done.stderr
    # A refusal names what the roll asks for besides.
    (tmp_path / "magic").mkdir()
    magic = opened(tmp_path / "magic", "--system", "age_of_magic")
    assert magic.run("enter Asta Stealth=5 DX=4 --seat p1").exit_code == 0
    done = magic.run("roll Stealth --seat p1")
    assert done.exit_code == 2
    assert "characteristic=…" in done.stderr.partition("; allowed: ")[2]
    assert "characteristic=…" not in magic.run("roll Stealth BLE --seat p1").stderr
    # A character goes by name.
    (tmp_path / "majesty").mkdir()
    majesty = opened(tmp_path / "majesty", "--system", "majesty")
    assert majesty.run("enter Asta Precision=7 --seat p1").exit_code == 0
    assert majesty.run("enter Bo Wits=9 --seat p2").exit_code == 0
    assert majesty.did("roll strike Bo --seat p1") == ALL[:1]
    # An empty word begins nothing.
    assert shell.run("roll '' --seat Dana").exit_code == 2
    # A roll that is called as a character is that roll; what is asked for may be a character.
    assert shell.run("enter Lockpicking Body=4 --seat Omer").exit_code == 0
    assert shell.did("roll Lockpicking 7 --seat Dana") == ALL


@pytest.mark.sampled(2)
@pytest.mark.parametrize("system", SAID)
def test_marks_say_what_a_word_is(tmp_path: Path, system: str) -> None:
    shell = opened(tmp_path, "--system", system)
    ratings = " ".join(f"'{name}={rating}'" for name, rating in RATINGS.items())
    assert shell.run(f"enter Asta {ratings} --seat p1").exit_code == 0
    assert shell.run("enter 'Old Bo' BLE=2 --seat p2").exit_code == 0
    for line, declares in SAID[system].items():
        done = shell.json(f"declare {line} --seat p1")
        assert done[0]["type"] == "committed", (line, done)
        asked = json.loads(done[0]["entries"][0]["asked"]["body"])
        assert asked["declaration"] == declares, line
        assert "visibility" not in asked
    for line, why in (
        ("BLE vs", "'vs ' says nothing more"),
        ("BLE vs 3 vs 4", "'vs 4' says nothing more"),
        ("BLE vs Old Bo vs Old Bo", "says nothing more"),
        ("BLE+dance+sing+more", "begins no ratings" if system != "sagatafl" else "nothing more"),
    ):
        refused = shell.run(f"declare {line} --seat p1")
        assert refused.exit_code == 2, line
        assert why in refused.stderr or system == "majesty", (line, refused.stderr)


def test_a_word_says_who_sees_it(tmp_path: Path) -> None:
    shell = locks(tmp_path)
    lines = {"hidden lock 7": "gm", "lock vs 7 blind": "blind", "rd=7 SELF lock": "self"}
    for line, seen in lines.items():
        done = shell.json(f"roll {line} --seat Dana")
        asked = json.loads(done[0]["entries"][0]["asked"]["body"])
        assert asked["visibility"] == seen, line
        assert asked["declaration"] == {"trait": "Lockpicking", "rd": 7}
    assert shell.did("roll trait=Lockpicking rd=7 hidden --seat Dana") == ALL
    refused = shell.run("roll hidden lock 7 --visibility self --seat Dana")
    assert "--visibility and a word differ" in refused.stderr
    (tmp_path / "plain").mkdir()
    plain = opened(tmp_path / "plain", "--system", "plain")
    assert plain.run("enter Ruth --seat p1").exit_code == 0
    done = plain.json("roll 2d6 + 3 hidden --seat p1")
    asked = json.loads(done[0]["entries"][0]["asked"]["body"])
    assert (asked["visibility"], asked["declaration"]) == ("gm", {"expression": "2d6 + 3"})


def test_it_stops_where_somebody_may_decide(tmp_path: Path) -> None:
    shell = opened(tmp_path, "--system", "milhamah")
    for line in ("enter Etgar BLE=3 --seat p1", "enter Toad GRA=2 --seat p2"):
        assert shell.run(line).exit_code == 0
    assert shell.did("roll attribute=BLE opponent=Toad --seat p1") == ALL[:1]
    assert shell.did("react attribute=GRA --seat p2") == ["reaction-declared"]
    # Without words it throws, as before, and nothing more.
    assert shell.did("roll --seat p1") == ALL[1:2]
    assert shell.did("roll attribute=BLE --seat p1") == ALL[:2]
    # Where nothing waits for a throw the rolls of the sheet are named.
    done = shell.run("roll --seat p2")
    assert done.exit_code == 2
    why, _, allowed = done.stderr.partition("; allowed: ")
    assert why == "urim: no roll lets seat 'p2' roll now"
    assert allowed.split(", ")[0] == "GRA"


def test_typed_faces_are_waited_for(tmp_path: Path) -> None:
    shell = locks(tmp_path, "--dice", "manual")
    assert shell.did("roll trait=Lockpicking rd=7 --seat Dana") == ALL[:1]


def test_shares_are_waited_for(tmp_path: Path) -> None:
    shell = locks(tmp_path, "--level", "table")
    assert shell.run("anchor-shares --seat Omer").exit_code == 0
    found = objects(shell.run("roll trait=Lockpicking rd=7 --seat Dana --json").stdout)
    assert [each["type"] for each in found] == ["committed", "waiting"]


def test_the_same_request_gives_the_same_answer(tmp_path: Path) -> None:
    shell = locks(tmp_path)
    line = "roll trait=Lockpicking rd=7 --seat Dana --request once"
    first = shell.json(line)
    size = first[0]["entries"][-1]["seq"] + 1
    assert shell.json(line) == first
    exploding = "roll expression='2d6!+2d8!+2d10!' --seat p1 --request twice"
    (tmp_path / "plain").mkdir()
    plain = opened(tmp_path / "plain", "--system", "plain")
    assert plain.run("enter Ruth --seat p1").exit_code == 0
    assert plain.did(exploding) == [ALL[0], *ALL[1:2] * 3, ALL[2]]
    assert plain.did(exploding) == [ALL[0], *ALL[1:2] * 3, ALL[2]]
    other = shell.json("roll trait=Lockpicking rd=8 --seat Dana --request once")
    assert [each["code"] for each in other] == ["request-reused"]
    assert shell.json("note 0 more --seat Dana")[0]["entries"][0]["seq"] == size
    # Words are read by the sheet and the names of then.
    line = "roll lock 7 --seat Dana --request words"
    first = shell.json(line)
    assert shell.run("set-attribute Ruth Locksmith 3 --seat narrator").exit_code == 0
    assert shell.json(line) == first
    other = shell.json("roll lock 8 --seat Dana --request words")
    assert [each["code"] for each in other] == ["request-reused"]
    line = "roll Lockpicking 7 --character Ruth --seat Dana --request named"
    first = shell.json(line)
    assert shell.run("name Ruth Rahel --seat Dana").exit_code == 0
    again = shell.json(line)
    assert again[0]["entries"][0]["seq"] == first[0]["entries"][0]["seq"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("roll --visibility gm --seat Dana", "--visibility is for a roll that FIELD=VALUE"),
        ("roll --label x --seat Dana", "--label is for a roll that FIELD=VALUE declares"),
        ("roll rd=7 --hand x --seat Dana", "--hand is for one that is declared"),
        ("roll rd=7 --roll 1 --seat Dana", "--roll is for one that is declared"),
        ("roll rd=7 --seat Dana", "rating"),
        ("roll luck=7 --seat Dana", "luck"),
        (f"roll rd=7 --seat Dana --request {'x' * 57}", "allowed: at most 56 characters"),
    ],
)
def test_what_does_not_go_together_is_refused_and_changes_nothing(
    tmp_path: Path, line: str, says: str
) -> None:
    shell: Shell = locks(tmp_path)
    before = shell.json("note 0 before --seat Dana")[0]["entries"][-1]["seq"]
    done = shell.run(line)
    assert done.exit_code == 2
    assert says in done.stderr
    assert shell.json("note 0 after --seat Dana")[0]["entries"][0]["seq"] == before + 1
