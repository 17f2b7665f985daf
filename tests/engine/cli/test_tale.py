"""The short demonstration: what it prints is what happened, in at most 250 lines of 80 columns."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, process, urim
from urim.engine.cli import tale
from urim.engine.cli.commands import COMMANDS
from urim.engine.render.text import page
from urim.errors import Defect

PARTS = ("1  A roll", "2  A dispute", "3  What the log answers", "4  The ruling", "5  The audit")


def shown() -> str:
    """What a run prints in a terminal of 80 columns."""
    text: str = process("demo", COLUMNS="80").stdout.decode()
    return text


def test_it_is_two_minutes_of_reading() -> None:
    lines = shown().splitlines()
    assert len(lines) <= 250
    assert max(map(len, lines)) <= 80
    begins = [next(at for at, line in enumerate(lines) if line.startswith(part)) for part in PARTS]
    assert begins == sorted(begins)


def test_it_ends_with_an_audit_that_finds_nothing_wrong() -> None:
    text = shown()
    assert "Nothing is wrong, if its key is the log's" in text
    assert re.search(r"\nrules: scarterra, version 2; pass, \d+ entries decided again\n", text)


@pytest.mark.slow
def test_its_dice_are_fair_so_no_two_runs_have_one_number() -> None:
    found = [re.findall(r"table's number +(\w+)", shown()) for _ in range(2)]
    assert all(found) and found[0] != found[1]


def test_what_it_proposes_next_can_be_done() -> None:
    _, _, last = shown().partition("What to do next")
    named = re.findall(r"^  urim ([a-z-]+)", last, flags=re.MULTILINE)
    assert len(named) > 4 and {name for name in named if name != "--help"} <= {*COMMANDS}


def test_it_can_be_kept_and_looked_at_again(tmp_path: Path) -> None:
    log = tmp_path / "night.db"
    done = urim("demo", "--log", str(log))
    assert done.exit_code == 0
    [table] = objects(urim("tables", str(log), "--json").stdout)
    asked = f"urim replay {log} {table['table']} --roll 1"
    assert "".join(asked.split()) in "".join(done.stdout.split())
    found = objects(urim("show", str(log), table["table"], "--roll", "1", "--json").stdout)
    [account] = [each for each in found if each["type"] == "account"]
    assert account["marks"] == ["amended", "ruled"]


def test_in_json_it_is_the_log_and_its_audit() -> None:
    found = objects(urim("demo", "--json").stdout)
    assert [each["type"] for each in found if each["type"] in ("table", "audit")] == [
        "table",
        "audit",
    ]
    assert found[0]["dice"] == "fair"
    names = {each["text"] for each in found if each["type"] == "entry"}
    assert any("is called" in text and "Narrator" in text for text in names)


def test_it_says_nothing_of_dice_that_are_not_those_of_the_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def others(*_: object) -> Iterator[int]:
        return iter([0] * 5)

    monkeypatch.setattr(tale, "dice", others)
    with (tmp_path / "out").open("w") as out, pytest.raises(Defect, match="not those of its seed"):
        tale.tell(page(out), None)


def test_it_says_nothing_of_a_hash_that_is_not_the_published_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tale, "commitment", lambda *_: bytes(32))
    with (tmp_path / "out").open("w") as out, pytest.raises(Defect, match="committed to"):
        tale.tell(page(out), None)
