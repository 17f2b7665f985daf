"""Plain dice at the shell: shown, as JSON, refused with a caret, kept as a table like any other."""

import re
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.rules.plain.oracle import kept_of, oracle
from urim.engine.cli.database import entries_of
from urim.events.codec import recorded

KEYS = {
    "type",
    "headline",
    "expression",
    "label",
    "degree",
    "margin",
    "total",
    "figures",
    "readings",
    "dice",
    "table",
    "roll",
}


def test_an_expression_is_thrown_and_shown() -> None:
    done = urim("dice", "4d6kh3+2")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "expression: 4d6kh3+2" in done.stdout
    assert "number in the expression" in done.stdout
    assert "roll 1 by You" in done.stdout
    assert all(f"d{number}" in done.stdout for number in range(1, 5))


def test_several_are_thrown_in_order_each_with_its_label() -> None:
    done = urim("dice", "1d20+5 >= 15 # to hit", "2d6ro<3+3")
    lines = done.stdout.splitlines()
    assert lines[0].strip() == "to hit"
    first, second = (done.stdout.index(text) for text in ("1d20+5 >= 15", "2d6ro<3+3"))
    assert first < second


@pytest.mark.parametrize(
    "text", ["4d6kh3", "8d6! >= 5", "5d4ro1dl1-2", "1d20+1d4 > 15", "4dF", "3d10rr<=3+1d8!"]
)
def test_as_json_it_is_what_its_dice_give(text: str) -> None:
    (found,) = objects(urim("dice", text, "--json").stdout)
    assert set(found) == KEYS
    assert (found["type"], found["expression"], found["label"]) == ("dice", text, None)
    assert (found["table"], found["roll"]) == (None, 1)
    thrown = {die["die"]: die["thrown"] for die in found["dice"]}
    expected = oracle(text, thrown, {})
    assert {"degree": found["degree"], "margin": found["margin"]}.items() <= expected.items()
    assert found["total"] == expected["total"]
    compared = expected["degree"] != "total"
    head = (
        f"{expected['degree']}, total {expected['total']}" if compared else str(expected["total"])
    )
    assert found["headline"] == head
    assert found["figures"].items() <= expected.items()
    assert {die["die"]: die["kept"] for die in found["dice"]} == kept_of(text, thrown, {})


def test_a_number_is_called_by_its_label() -> None:
    shown = urim("dice", "1d20+5[to hit]-2").stdout
    assert re.search("[+] +5 to hit", shown)
    assert re.search("− +2 number in the expression", shown)


def test_two_throws_are_not_the_same() -> None:
    runs = {urim("dice", "50d1000", "--json").stdout for _ in range(2)}
    assert len(runs) == 2


def test_what_is_wrong_is_refused_with_a_caret_and_nothing_is_thrown(tmp_path: Path) -> None:
    log = tmp_path / "dice.db"
    done = urim("dice", "3d6", "4d6ky", "--log", str(log))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[1:] == ["  4d6ky", "      ^"]
    assert done.stderr.startswith("urim: a modifier, + or -, or a comparison is expected")
    assert not log.exists()


def test_what_is_wrong_is_one_object_with_json_and_nothing_is_thrown(tmp_path: Path) -> None:
    log = tmp_path / "dice.db"
    done = urim("dice", "3d6", "4d6ky", "--log", str(log), "--json")
    [found] = objects(done.stdout)
    assert (done.exit_code, done.stderr) == (2, "")
    assert (found["type"], found["code"]) == ("refusal", "malformed")
    assert not log.exists()


def test_an_expression_that_is_too_long_is_refused() -> None:
    done = urim("dice", "+".join(["10d6"] * 15))
    assert done.exit_code == 2
    assert "60" in done.stderr


def test_a_kept_throw_is_a_table_that_is_proved_like_any_other(tmp_path: Path) -> None:
    log, bundle = tmp_path / "dice.db", tmp_path / "dice.bundle"
    (found, second) = objects(
        urim("dice", "4d6ro1kh3", "1d6! # again", "--json", "--log", str(log)).stdout
    )
    assert second["label"] == "again"
    table = found["table"]
    entries = entries_of(log, table)
    kinds = [recorded(entry).event for entry in entries if entry.payload is not None]
    names = [type(event).__name__ for event in kinds]
    assert names.count("RollDeclared") == names.count("RollResolved") == 2
    first = {entry.commit for entry in entries}
    starts = [name for entry, name in zip(entries, names, strict=True) if entry.seq in first]
    for name in ("RollDeclared", "DiceRolled", "RollResolved"):
        assert starts.count(name) == 2  # each a commit of its own
    assert "plain" in urim("tables", str(log)).stdout
    assert "4d6ro1kh3" in urim("show", str(log), table).stdout
    assert (
        urim("export", str(log), table, "--format", "bundle", "--out", str(bundle)).exit_code == 0
    )
    audited = urim("audit", str(bundle))
    assert audited.exit_code == 0, audited.stdout
