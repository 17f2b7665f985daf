"""Every planted cheat is caught at its step and none before; every honest twin passes."""

from io import BytesIO
from pathlib import Path

import pytest

from tests.cheats.cheat import Cheat
from tests.cheats.cheats import CHEATS, dishonest, honest
from tests.cheats.forging import Made
from tests.cheats.host import events_alone
from tests.cheats.planted import keys, shares
from urim.engine.audit import Report, audit
from urim.engine.audit.report import Remark, Result

NUMBERS = {
    *range(1, 35), *range(37, 46), *(52, 53, 54, 55, 57, 60, 61, 62, 64, 65, 67, 68, 69, 70),
    *(72, 73, 74, 75, 76, 77),
}  # fmt: skip
"""The cheats of the specification of `urim/1` that are planted."""

SAME = 83
"""Cheats, at most, in which nothing is forged that a body asks for: in the log, in what falls
behind a share, in what clients sign."""

BUNDLE = Path(__file__).parents[2] / "docs" / "bundle.md"

QUIET = ("pass", "not-applicable")
"""How a step looks before the cheat is caught."""

LOUD = ("fail", "finding")
"""How none looks for an honest host; "not-checked" says that the file tells less than all."""

each_form = pytest.mark.parametrize("alone", [False, True], ids=["with-body", "event-alone"])
each_cheat = pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)


def judged(made: Made, *, held: bool = True) -> Report:
    """What an auditor finds who trusts the log's key, and `held` on to earlier checkpoints."""
    seen = made.seen if held else ()
    return audit(BytesIO(made.bundle), key=made.key, seen=seen, seats=made.seats)


def at(report: Report, step: int) -> Result:
    """What a step found."""
    return next(result for result in report.results if result.step == step)


def loud(report: Report) -> list[str]:
    """The steps that fail or find something, with their first remark."""
    return [
        f"{result.step} {result.verdict}: {result.remarks[:1]}"
        for result in report.results
        if result.verdict in LOUD
    ]


def looks(report: Report, step: int, says: str, entry: int | None = None) -> list[Remark]:
    """The remarks of a step that say so, of that entry if one is named."""
    return [
        remark
        for remark in at(report, step).remarks
        if says in remark.why and entry in (None, remark.seq)
    ]


@each_form
@each_cheat
def test_a_cheat_is_caught_at_its_step_and_not_before(cheat: Cheat, alone: bool) -> None:
    made = dishonest(cheat.id, alone=alone)
    report = judged(made)

    step = cheat.alone if alone else cheat.step
    if cheat.verdict == "look":
        assert looks(report, step, cheat.says, made.entry), at(report, step).remarks
    else:
        assert at(report, step).verdict == cheat.verdict, loud(report)
        assert alone or looks(report, step, cheat.says), at(report, step).remarks
    before = [result for result in report.results if result.step < step]
    quiet = (*QUIET, cheat.verdict) if cheat.verdict == "not-checked" else QUIET
    noisy = tuple(each.step for each in before if each.verdict not in quiet)
    assert noisy == cheat.before, loud(report)
    assert report.exit == (1 if cheat.verdict == "fail" else 0)
    if made.entry is not None and cheat.verdict != "look":
        remarks = at(report, step).remarks
        assert made.entry in [remark.seq for remark in remarks], remarks


def test_what_was_asked_is_forged_too() -> None:
    same = [id for id in CHEATS if dishonest(id) == dishonest(id, alone=True)]

    assert len(same) <= SAME, same


@each_cheat
def test_its_honest_twin_passes_every_step(cheat: Cheat) -> None:
    report = judged(honest(cheat.id))

    assert report.exit == 0
    assert loud(report) == []
    assert cheat.verdict != "look" or not looks(report, cheat.step, cheat.says)


def test_every_number_of_the_list_is_planted() -> None:
    numbers = {cheat.place[0] for cheat in CHEATS.values()}

    assert numbers == NUMBERS


def test_a_cheat_makes_the_same_bytes_every_time() -> None:
    for cheat in CHEATS.values():
        assert cheat.play(False) == dishonest(cheat.id), cheat.id
        with events_alone():
            assert cheat.play(False) == dishonest(cheat.id, alone=True), cheat.id


@pytest.mark.parametrize("cheat", [c for c in CHEATS.values() if c.needs_seen], ids=lambda c: c.id)
def test_what_takes_an_earlier_checkpoint_shows_nothing_without_it(cheat: Cheat) -> None:
    report = judged(dishonest(cheat.id), held=False)

    assert report.exit == 0
    assert loud(report) == []


def test_the_documents_have_every_cheat_with_shares_and_keys() -> None:
    planted = (*shares.PLANTED.cheats, *keys.PLANTED.cheats)
    rows = [
        f"| {cheat.name} | {cheat.step} {cheat.verdict} |"
        for cheat in CHEATS.values()
        if cheat in planted
    ]
    _, _, table = BUNDLE.read_text("utf-8").partition("| cheat with shares or keys |")
    assert table.split("\n")[2:-1] == rows
