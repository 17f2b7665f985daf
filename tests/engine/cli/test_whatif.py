"""`urim whatif`: both sides, what falls away, what was never thrown; and what is refused."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.plays import SCENARIOS
from tests.recorded.draw import HERE as RECORDED

COUNTER = SCENARIOS / "milhamah" / "counter.toml"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a counter, as table fixture0."""
    path = tmp_path_factory.mktemp("whatif") / "night.db"
    assert urim("run", str(COUNTER), "--log", str(path)).exit_code == 0
    return path


def asked(db: Path, *words: str, **env: str) -> Any:
    """What it prints of the table."""
    return urim("whatif", str(db), "fixture0", *words, **env)


def rows(text: str) -> list[list[str]]:
    """The columns of each line."""
    return [
        [cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.split("\n")
    ]


def test_both_sides_stand_side_by_side(db: Path) -> None:
    done = asked(db, "--roll", "2", "--void")
    assert done.exit_code == 0
    found = rows(done.stdout)
    assert found[0] == ["Roll 2, Dan"]
    assert ["the roll", "damaged", "voided"] in found
    assert ["part of the body hit", "shoulder", "none"] in found
    assert ["Amos: light wounds", "0 → 3", "unchanged"] in found
    assert ["Amos: light wounds", "3", "0"] in found


def test_in_a_narrow_terminal_they_stand_below_one_another(db: Path) -> None:
    done = asked(db, "--roll", "2", "--void", COLUMNS="40")
    assert "the roll:\n  as it was: damaged\n  what if: voided\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 40


def test_a_figure_is_named_in_the_form_for_many_where_a_side_has_more_than_one() -> None:
    file = RECORDED / "milhamah-dispute.urim.jsonl"
    found = rows(urim("whatif", str(file), "--roll", "2", "--amend", "target=2").stdout)
    assert ["successes to beat", "1", "2"] in found


def test_what_falls_away_is_written_with_its_refusal(db: Path) -> None:
    text = " ".join(asked(db, "--roll", "1", "--withdraw").stdout.split())
    assert "roll 1, step 2, entry 8: Dan reacts" in text
    assert "react is not possible for roll 1 in state voided; allowed: declare" in text
    assert text.count("roll 2 never was here") == 1


def test_dice_that_never_fell_are_named(db: Path) -> None:
    text = " ".join(asked(db, "--roll", "2", "--instead", "19", "dice=d5,d6,d8").stdout.split())
    assert "It would need d8 (blue-b), which never fell in this throw." in text
    assert "the roll damaged frozen, then not known" in text
    assert "outcome critical success, 6 points not known" in text
    assert "Amos: light wounds 3 not known" in text


def test_a_roll_that_comes_out_the_same_is_said_to(db: Path) -> None:
    assert asked(db, "--roll", "1", "--reading", "supply=9").stdout == (
        "Roll 1 comes out the same.\n\n"
    )
    assert "Every roll" in asked(db, "--reading", "supply=9").stdout


def test_options_take_every_field_behind_them(db: Path) -> None:
    done = asked(db, "--roll", "1", "--declare", "rating=2", "target=1", "--json")
    [found] = objects(done.stdout)
    assert found["type"] == "what-if"
    assert found["changes"] == [
        {"change": "declared", "roll": 1, "fields": {"rating": 2, "target": 1}}
    ]
    two = asked(db, "--instead", "10", "dice=d1", "--instead", "12", "hand=reactor", "--json")
    assert [each["seq"] for each in objects(two.stdout)[0]["changes"]] == [10, 12]


def test_without_a_change_each_alternative_is_listed_with_the_option_that_asks(db: Path) -> None:
    [found] = objects(asked(db, "--roll", "2", "--json").stdout)
    assert (found["type"], found["roll"]) == ("alternatives", 2)
    assert {"withdrawn", "answer"} & {each["kind"] for each in found["alternatives"]}
    text = asked(db, "--roll", "2").stdout.splitlines()
    options = [each["option"] for each in found["alternatives"]]
    assert [line.strip() for line in text[1::2]] == options
    for each in found["alternatives"]:
        done = asked(db, "--roll", "2", *shlex.split(each["option"]), "--json")
        assert done.exit_code == 0, done.stderr
        assert objects(done.stdout)[0]["changes"] == [each["change"]]


def test_a_part_of_a_field_leaves_its_other_parts(db: Path) -> None:
    [found] = objects(asked(db, "--instead", "8", "reaction.rating=3", "--json").stdout)
    assert found["changes"][0]["fields"]["reaction"].keys() > {"rating"}
    assert found["changes"][0]["fields"]["reaction"]["rating"] == 3


def test_names_stand_for_characters(db: Path) -> None:
    [found] = objects(asked(db, "--roll", "1", "--amend", "rating=1", "--character", "Dan", "--json").stdout)  # fmt: skip  # noqa: E501
    assert found["changes"] == [
        {"change": "amended", "roll": 1, "fields": {"rating": 1}, "character": "c2"}
    ]


def test_a_bundle_stands_for_its_table(db: Path) -> None:
    path = db.parent / "t.urim.jsonl"
    assert (
        urim("export", str(db), "fixture0", "--format", "bundle", "--out", str(path)).exit_code == 0
    )
    of_file = urim("whatif", str(path), "--roll", "2", "--void")
    assert of_file.stdout == asked(db, "--roll", "2", "--void").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "nothing is different; allowed: --reading NAME=VALUE, --instead SEQ"),
        (("--void",), "--roll is missing"),
        (("--roll", "9", "--void"), "no roll 9 at this table; allowed: 1 to 3"),
        (("--roll", "2", "--void", "--seat", "p9"), "no seat 'p9'"),
        (("--reading", "nature=1"), "no field 'nature'; allowed: supply"),
        (("--instead", "dice=d1"), "has no entry"),
        (("--instead", "999"), "no command is at entry 999; allowed: 28"),
        (("--instead", "20", "dyes=d5"), "no field 'dyes'; allowed: roll, hand, dice"),
        (("--roll", "2", "--declare", "rating"), "'rating' is not FIELD=VALUE"),
        (("--roll", "2", "--void", "--character", "Dan"), "--character is for --amend"),
    ],
)
def test_a_refusal_names_what_is_allowed(db: Path, words: tuple[str, ...], says: str) -> None:
    done = asked(db, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr


def test_the_bundle_of_one_roll_is_refused_with_what_is_needed_and_how_to_get_it(
    tmp_path: Path,
) -> None:
    db = tmp_path / "night.db"
    one, whole = (tmp_path / f"{name}.urim.jsonl" for name in ("one", "whole"))
    assert urim("run", str(COUNTER), "--log", str(db)).exit_code == 0
    given = ("export", str(db), "fixture0", "--format", "bundle", "--out")
    assert urim(*given, str(one), "--roll", "2").exit_code == 0
    assert urim(*given, str(whole)).exit_code == 0
    for words in (("case", "--roll", "2"), ("whatif", "--roll", "2", "--void")):
        command, *options = words
        refused = urim(command, str(one), *options)
        assert refused.exit_code == 2
        told = " ".join(refused.stderr.split())
        assert "is of roll 2 alone" in told
        assert "urim export DB TABLE --format bundle --out FILE, without --roll" in told
        assert urim(command, str(whole), *options).exit_code == 0
