"""urimcheck.js says of each file what urimcheck.py says, in the same words."""

import json
import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.cases import cases
from tests.conformance.run import command
from tests.conformance.said import expected, outcome
from tests.verifier.nodejs import NODE, run
from urim.engine.verifier import urimcheck

HERE = Path(__file__).parent

SCRIPT = Path(str(urimcheck.__file__)).with_suffix(".js")

LINES = 2_060
"""Lines of the script, at most."""

JSON = re.compile("the payload is no event: n")
"""What is said of a payload that is no strict JSON: each language says it in its own words."""

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="there is no Node here")


@cache
def reports() -> dict[str, dict[str, Any]]:
    """What urimcheck.js says of every file, by one run of Node."""
    done = run(HERE / "many.mjs", "-", given="".join(map(_line, cases())))
    assert done.returncode == 0, done.stderr
    return dict(zip(cases(), map(json.loads, done.stdout.splitlines()), strict=True))


def _line(name: str) -> str:
    file = cases()[name]
    bundle, seen = b64encode(file.bundle).decode(), [note.decode() for note in file.seen]
    return (
        json.dumps({"bundle": bundle, "key": file.key, "seats": file.seats or {}, "seen": seen})
        + "\n"
    )


def test_urimcheck_in_javascript_says_what_must_be_said() -> None:
    assert {name: outcome(found) for name, found in reports().items()} == expected()


def test_it_says_it_in_the_words_of_python() -> None:
    for name, file in cases().items():
        found = reports()[name]
        if found["exit"] == 2:
            continue
        seen = [note.decode() for note in file.seen]
        report = urimcheck.check(file.bundle, key=file.key, seats=file.seats, seen=seen)
        wanted = json.loads(json.dumps(urimcheck.as_json(report)))
        for said in (found, wanted):
            said["remarks"] = [
                {**each, "why": JSON.split(each["why"])[0]} for each in said["remarks"]
            ]
        assert found == wanted, name


def test_the_script_is_a_command() -> None:
    alone = command([str(NODE), str(SCRIPT)])
    for name in ("kept, plainfair", "cheat 1", "twin 62", "cheat 43", "unreadable, garbage"):
        assert alone(cases()[name]) == expected()[name], name


def test_people_read_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.urim.jsonl"
    for name in (
        "0.3, a seat that is passed over",
        "kept, plainfair",
        "cheat 1",
        "kept, milhamahfair-roll",
    ):
        file.write_bytes(cases()[name].bundle)
        code = urimcheck.main([str(file), "--seat", "narrator"])
        done = run(SCRIPT, file, "--seat", "narrator")
        assert (done.returncode, done.stdout) == (code, capsys.readouterr().out), name


def test_what_cannot_be_read_ends_with_2(tmp_path: Path) -> None:
    done = run(SCRIPT, tmp_path / "none.urim.jsonl")
    assert (done.returncode, done.stdout[:9]) == (2, "Refused: ")
    assert run(SCRIPT).returncode == 2


def test_its_parts_keep_what_they_promise() -> None:
    done = run("--test", "--test-reporter=tap", HERE / "urimcheck.test.mjs")
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None and int(passed[1]) >= 5


def test_its_lines_are_few() -> None:
    assert len(SCRIPT.read_text("utf-8").splitlines()) <= LINES
