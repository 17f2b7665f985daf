"""Every planted cheat is caught at its step and none before; every honest twin passes."""

from io import BytesIO

import pytest

from tests.cheats.cheat import ROWS, Cheat
from tests.cheats.cheats import CHEATS, dishonest, honest
from tests.cheats.forging import Made
from tests.cheats.host import events_alone
from urim.engine.audit import Report, audit
from urim.engine.audit.report import Remark, Result
from urim.errors import Refused

NUMBERS = {
    *range(1, 36), *range(37, 47), *range(48, 56), *(57, 58, 60, 61, 62, 64, 65, 67, 68, 69, 70),
    *(72, 73, 74, 75, 76, 77),
}  # fmt: skip
"""The cheats of the specification of `urim/1` that are planted."""

SAME = 123
"""Cheats, at most, in which nothing is forged that a body asks for: in the log, in its form, in
what falls behind a share, in what clients sign."""

EXITS = {"fail": 1, "not checked": 3}
"""The exit code by the verdict on a cheat; 0 for every other."""

WORDS = {"fail": "wrong", "not checked": "unchecked"}
"""The word of the remark by the verdict, where they differ."""

QUIET = ("pass", "not-applicable")
"""How a step looks before the cheat is caught."""

LOUD = ("fail", "finding")
"""How none looks for an honest host; "not-checked" says that the file tells less than all."""

each_form = pytest.mark.parametrize("alone", [False, True], ids=["with-body", "event-alone"])
each_cheat = pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
judged_ones = [cheat for cheat in CHEATS.values() if cheat.row.audit != "refused"]
refused_ones = [cheat for cheat in CHEATS.values() if cheat.row.audit == "refused"]


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


def said(
    report: Report, step: int, verdict: str, says: str, entry: int | None = None
) -> list[Remark]:
    """The remarks of a step that say so, of that entry if one is named."""
    return [
        remark
        for remark in at(report, step).remarks
        if remark.word == WORDS.get(verdict, verdict)
        and says in remark.why
        and entry in (None, remark.seq)
    ]


@pytest.mark.sampled(21)
@each_form
@pytest.mark.parametrize("cheat", judged_ones, ids=lambda cheat: cheat.id)
def test_a_cheat_is_caught_at_its_step_and_not_before(cheat: Cheat, alone: bool) -> None:
    made = dishonest(cheat.id, alone=alone)
    report = judged(made)

    row = cheat.row
    step = cheat.alone if alone else row.step
    found = said(report, step, row.audit, "" if alone else row.says, made.entry)
    assert found, (loud(report), at(report, step).remarks)
    before = [result for result in report.results if result.step < step]
    quiet = (*QUIET, "not-checked") if row.audit == "not checked" else QUIET
    noisy = tuple(each.step for each in before if each.verdict not in quiet)
    assert noisy == row.before, loud(report)
    assert report.exit == EXITS.get(row.audit, 0)


@pytest.mark.parametrize("cheat", refused_ones, ids=lambda cheat: cheat.id)
def test_what_cannot_be_read_is_refused(cheat: Cheat) -> None:
    with pytest.raises(Refused, match=cheat.row.says or None):
        judged(dishonest(cheat.id))


@pytest.mark.slow
def test_what_was_asked_is_forged_too() -> None:
    same = [id for id in CHEATS if dishonest(id) == dishonest(id, alone=True)]

    assert len(same) <= SAME, same


@pytest.mark.sampled(13)
@each_cheat
def test_its_honest_twin_passes_every_step(cheat: Cheat) -> None:
    report = judged(honest(cheat.id))

    assert report.exit == 0
    assert loud(report) == []
    row = cheat.row
    assert row.audit == "fail" or not said(report, row.step, row.audit, row.says)


def test_every_row_of_the_data_is_planted() -> None:
    assert list(CHEATS) == list(ROWS)


def test_every_number_of_the_list_is_planted() -> None:
    numbers = {cheat.place[0] for cheat in CHEATS.values()}

    assert numbers == NUMBERS


@pytest.mark.slow
def test_a_cheat_makes_the_same_bytes_every_time() -> None:
    for cheat in CHEATS.values():
        assert cheat.play(False) == dishonest(cheat.id), cheat.id
        with events_alone():
            assert cheat.play(False) == dishonest(cheat.id, alone=True), cheat.id


@pytest.mark.parametrize("cheat", [c for c in CHEATS.values() if c.row.seen], ids=lambda c: c.id)
def test_what_takes_an_earlier_checkpoint_shows_nothing_without_it(cheat: Cheat) -> None:
    report = judged(dishonest(cheat.id), held=False)

    assert report.exit == 0
    assert loud(report) == []
