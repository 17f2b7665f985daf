"""An audit as a whole: what it takes, what it refuses, what it reports.

Its steps are in test_audit_tree.py, test_audit_throws.py and the like.
"""

import random
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from tests.engine.helpers.bundles import (
    KEY,
    Log,
    at,
    bundle,
    fixed,
    forged,
    honest,
    judged,
    note_of,
    wrong,
)
from tests.engine.helpers.twists import VIEW, WHOLE
from tests.sealing import sealed_raw
from urim.engine.audit import audit
from urim.engine.audit.report import CHECKS, REMARKS
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused

# --- the whole ------------------------------------------------------------------------------------


def test_an_honest_table_fails_no_step() -> None:
    for seat in ("", "p1", "narrator"):
        report = judged(bundle(honest(), seat), key=KEY.vkey, seen=[note_of(VIEW, 20)])
        assert wrong(report) == {}
        assert report.exit == 0
        looked_at = {each.name for each in report.results if each.checked}
        assert at(report, 16).summary.startswith("42 fair" if seat == "p1" else "34 fair")
        assert looked_at >= set(CHECKS.values()) - {"rulings", "transitions", "rules"}


@pytest.mark.parametrize("roll", [1, 2, 3, 4, 6])
def test_an_honest_roll_fails_no_step(roll: int) -> None:
    report = judged(bundle(honest(), roll=roll))
    assert wrong(report) == {}
    assert (report.scope, report.roll, report.size) == ("roll", roll, honest().size)
    assert report.entries < report.size


def test_a_file_is_read_from_its_place(tmp_path: Path) -> None:
    path = tmp_path / "table.urim.jsonl"
    path.write_bytes(WHOLE)
    assert audit(path) == judged(WHOLE)
    with pytest.raises(Refused) as refused:
        audit(tmp_path)
    assert refused.value.code == "unreadable"


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urim.engine.audit.STRIDE", 10)
    calls: list[tuple[int, int]] = []
    judged(WHOLE, progress=lambda done, size: calls.append((done, size)))
    assert calls == [(10, 51), (20, 51), (30, 51), (40, 51), (50, 51)]


def test_a_key_that_is_none_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        judged(WHOLE, key="golden")
    assert refused.value.code == "malformed"


def test_what_is_no_bundle_is_refused_whatever_came_before() -> None:
    with pytest.raises(Refused) as refused:
        judged(WHOLE[:-1])
    assert refused.value.code == "unreadable"


# --- the report -----------------------------------------------------------------------------------


def test_a_report_keeps_the_first_remarks_and_counts_the_rest() -> None:
    entries = [VIEW[0]]
    entries += [
        sealed_raw(seq, VIEW[0].at, b"{}", fixed(f"salt {seq}")) for seq in range(1, REMARKS + 12)
    ]
    result = at(judged(forged(entries)), 1)
    assert (len(result.remarks), result.more) == (REMARKS, 11)
    assert [remark.seq for remark in result.remarks] == list(range(1, REMARKS + 1))


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
            assert audit(BytesIO(b"".join(broken))).exit in (0, 1)


def test_voids_and_rolls_taken_back_are_counted_apart() -> None:
    log = Log()
    log.ask("p1", asked.Withdraw(log.declare()))
    log.ask(NARRATOR, asked.worded(asked.Void(log.declare()), "No."))
    void = at(judged(bundle(log)), 13)
    assert void.summary == "1 voided, 1 withdrawn"
    assert [remark.why.partition(";")[0] for remark in void.remarks] == [
        "roll 1 is withdrawn by seat p1",
        "roll 2 is voided by seat narrator",
    ]
