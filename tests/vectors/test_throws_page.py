"""The program in docs/throws.md gives every vector, and what the engine gives."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests import readme, tree
from urim.events.asked import Text
from urim.events.share import link

PAGE = (tree.ROOT / "docs" / "throws.md").read_text(encoding="utf-8")
VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "urim-1.json").read_bytes())


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page's program defines."""
    [text] = (each.text for each in readme.blocks(PAGE) if each.language == "python")
    path = tmp_path_factory.mktemp("page") / "throws.py"
    path.write_text(text, encoding="utf-8")
    return runpy.run_path(str(path))


def test_commitments(program: dict[str, Any]) -> None:
    for each in VECTORS["commitments"]:
        assert program["commitment"](each["throw"], each["seed"]) == each["commitment"]


@pytest.mark.parametrize("each", VECTORS["throws"], ids=lambda each: each["name"])
def test_transcripts_and_faces(program: dict[str, Any], each: dict[str, Any]) -> None:
    _, throw, committed, roller, *witnesses = (
        line.split() for line in each["transcript"].splitlines()
    )
    given = {seat: nonce for _, seat, nonce in reversed(witnesses)}
    entry = (int(committed[1]), committed[2])
    made = program["transcript"](throw[1], entry, (roller[1], roller[2]), given)
    assert made.decode() == each["transcript"]
    for die in each["dice"]:
        assert program["face"](each["seed"], made, die["j"], die["sides"]) == die["index"]


def test_a_chain(program: dict[str, Any]) -> None:
    for i in (0, 1, 999, 1_000):
        found = program["share"]("t0000001", "p1", "00" * 32, i)
        assert found == link("t0000001", "p1", "00" * 32, i)


def test_leaves(program: dict[str, Any]) -> None:
    for each in VECTORS["log"]["entries"]:
        at = int(each["entry"].splitlines()[2])
        found = program["leaf"](each["seq"], at, each["class"], each["salt"], each["payload"])
        assert found == each["leaf"]


def test_a_text(program: dict[str, Any]) -> None:
    salt = "000102030405060708090a0b0c0d0e0f"
    for words in ("Ruth", "אשר", "two\nlines"):
        assert program["text_hash"](salt, words) == Text(salt, words).hash
