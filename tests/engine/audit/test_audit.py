"""An audit as a whole: what it takes, what it refuses, what it says of both of its parts."""

import random
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.bundle_lines import objects
from tests.engine.helpers.bundles import KEY, PRIVATE, bundle, honest, note_of, wrong
from tests.engine.helpers.tables.forging import head
from tests.engine.helpers.tables.host import Host
from urim.engine.audit import as_json, audit, written
from urim.engine.bundle.write import bundle_of
from urim.engine.core.commands import NameSeat
from urim.engine.core.limits import NARRATOR
from urim.engine.verifier import urimcheck
from urim.errors import Refused
from urim.events.checkpoint import Key, public_key, read_key
from urim.events.entry import TEXTS

WHOLE = bundle(honest())
VIEW = honest().aggregate.view("")


@pytest.mark.parametrize("seat", ["", "p1", "narrator"])
def test_an_honest_table_is_not_wrong(seat: str) -> None:
    file = bundle(honest(), seat)
    report = audit(file, key=KEY.vkey, seen=[note_of(VIEW, 20)])
    assert (wrong(report), report.exit) == ({}, 0)
    withheld = [line["class"] for line in objects(file)[1:-1] if "payload" not in line]
    hidden = len(withheld) - sum(map(withheld.count, TEXTS))
    assert (report.rules.hidden, report.rules.verdict) == (hidden, "sealed" if hidden else "pass")
    assert report.rules.decided > 30


@pytest.mark.parametrize("roll", [1, 2, 3, 4, 6])
def test_a_file_of_one_roll_has_the_same_two_parts(roll: int) -> None:
    report = audit(bundle(honest(), roll=roll))
    assert (wrong(report), report.exit) == ({}, 0)
    assert (report.proof.header["scope"], report.proof.header["roll"]) == ("roll", roll)
    assert 0 < report.rules.decided < len(report.proof.entries) < honest().size


def test_a_file_is_read_from_its_place_as_from_memory(tmp_path: Path) -> None:
    path = tmp_path / "table.urim.jsonl"
    path.write_bytes(WHOLE)
    for source in (path, BytesIO(WHOLE)):
        assert as_json(audit(source, now=0)) == as_json(audit(WHOLE, now=0))


GIVEN: dict[str, dict[str, Any]] = {
    "no key": {"key": "golden"},
    "a key of small order": {"key": Key(KEY.name, bytes(32)).vkey},
    "another log's key": {"key": public_key("urim.local/t/other001", PRIVATE).vkey},
    "no note": {"seen": [b"\xff"]},
    "no key of a seat": {"seats": {"p1": "AAAA"}},
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_what_is_given_beside_it_must_be_what_it_says(given: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        audit(WHOLE, **given)
    assert refused.value.code == "unreadable"


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    for source in (WHOLE[:-1], tmp_path, tmp_path / "none"):
        with pytest.raises(Refused) as refused:
            audit(source)
        assert refused.value.code == "unreadable"


def test_the_report_is_urimchecks_and_the_rules() -> None:
    report = audit(WHOLE, now=0)
    alone = urimcheck.check(WHOLE, now=0)
    both, proof = as_json(report), urimcheck.as_json(alone)
    assert both.pop("rules")["verdict"] == "sealed"
    assert both == proof
    lines, first = [*written(report, ["p1"])], [*urimcheck.written(alone, ["p1"])]
    assert lines[: len(first) - 1] == first[:-1]
    assert lines[0].startswith("p1: 6 throws, ")
    assert lines[-1] == first[-1] == report.says
    assert [line for line in lines if line.startswith("rules: milhamah, version 1; sealed, ")]


def test_seats_are_called_as_the_log_calls_them() -> None:
    host = Host("plain")
    host.ask(NARRATOR, NameSeat(host.seat("p1")), words="Ruth")
    host.seat("p2")
    lines = bundle_of(host.aggregate, "", head(host), [read_key(host.vkey)])
    report = audit(BytesIO(b"".join(lines)))
    assert as_json(report)["rules"]["names"] == {"p1": "Ruth"}
    assert "called in the log: p1 'Ruth'" in [*written(report)]


def test_the_sentence_is_of_both() -> None:
    report = audit(WHOLE.replace(b'\\"d1\\",\\"red-a\\"', b'\\"d1\\",\\"red-b\\"', 1))
    assert report.exit == 1
    assert report.failed == ("5 payloads", "9 dice", "11 rules")
    assert report.says.startswith("This log is not sound: 5 payloads, 9 dice, 11 rules.")


@pytest.mark.prove
def test_whatever_a_file_says_an_audit_ends(count: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  a draw that repeats
    lines = WHOLE.splitlines(keepends=True)
    for _ in range(4 * count):
        broken = list(lines)
        for _ in range(chance.randint(1, 3)):
            which = chance.randrange(len(broken))
            line = bytearray(broken[which])
            where = chance.randrange(len(line) - 1)
            line[where] = chance.choice(b'0123456789abcdef"{}[],:-.etru\\')
            broken[which] = bytes(line)
        with suppress(Refused):
            assert audit(b"".join(broken)).exit in (0, 1)
