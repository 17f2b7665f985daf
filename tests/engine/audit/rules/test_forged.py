"""An entry that no table would have written is wrong at its place, and none before it."""

import pytest

from tests.engine.helpers.audited import failures, judged, told
from tests.engine.helpers.forged import Make
from tests.engine.helpers.forgeries import numbers, rights

FORGERIES = {**numbers.FORGERIES, **rights.FORGERIES}


@pytest.mark.sampled(41)
@pytest.mark.parametrize("whole", [False, True], ids=["event alone", "with its body"])
@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_found(make: Make, whole: bool) -> None:
    forgery = make(whole)
    report = judged(forgery.entries)
    assert failures(report)[0] == forgery.seq, told(report)
    assert any(forgery.says in why for seq, why in told(report) if seq == forgery.seq)
    for remark in report.rules.remarks:
        if remark.word == "wrong":
            assert remark.expected and remark.found and remark.expected != remark.found
