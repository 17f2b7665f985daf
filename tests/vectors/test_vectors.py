"""The engine gives every value of the vectors, and their checker names what differs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.vectors.__main__ import main
from tests.vectors.checks import GROUPS, LATER
from tests.vectors.form import read

GOOD = Path(__file__).parent / "urim-1.json"


@pytest.mark.parametrize("group", GROUPS)
def test_the_engine_gives_what_the_vectors_say(group: str) -> None:
    compared = list(GROUPS[group](read(str(GOOD))))
    assert compared
    for where, expected, found in compared:
        assert found == expected, where


def test_the_chain_that_the_form_is_defined_by() -> None:
    chain, *_ = json.loads(GOOD.read_bytes())["shares"]["chains"]
    assert (chain["table"], chain["seat"], chain["last"]) == ("t0000001", "p1", "0" * 64)
    anchor = "8d99af9ede429b23a5ab278d3fcd0437dab88042139423d090d79062677f4bf4"
    assert {"i": 0, "link": anchor} in chain["links"]


def test_the_checker_says_of_each_group_whether_it_holds_and_of_each_value_where_it_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(GOOD)]) == 0
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [*GROUPS]
    older: dict[str, Any] = json.loads(GOOD.read_bytes())
    del older["shares"], older["seats"]
    older["log"]["roots"].reverse()
    (tmp_path / "older.json").write_text(json.dumps(older), "utf-8")
    assert main([str(GOOD), str(tmp_path / "older.json")]) == 1
    printed = capsys.readouterr().out
    assert "  log.roots[0]: expected " in printed
    assert "  and " in printed
    assert not any(f"older.json: {group}:" in printed for group in LATER)
    (tmp_path / "other.json").write_text(json.dumps({**older, "format": "urim/2"}), "utf-8")
    for unreadable in ("other.json", "missing.json"):
        assert main([str(tmp_path / unreadable), str(GOOD)]) == 2
        assert f"{unreadable}: not a file of urim/1 vectors: " in capsys.readouterr().err
    assert main([]) == 2
