"""An entry that no table would have written fails its step, at its place, and none before it."""

import pytest

from tests.engine.helpers.audited import failures, judged
from tests.engine.helpers.forged import Make
from tests.engine.helpers.forgeries import numbers, rights

FORGERIES = {**numbers.FORGERIES, **rights.FORGERIES}


@pytest.mark.sampled(41)
@pytest.mark.parametrize("whole", [False, True], ids=["event alone", "with its body"])
@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_found(make: Make, whole: bool) -> None:
    forgery = make(whole)
    results = judged(forgery.entries)
    first = min((seq, step) for step, seq in failures(results) if seq is not None)
    assert first == (forgery.seq, forgery.step), results
    remark = results[forgery.step].remarks[0]
    assert forgery.says in remark.why
    assert remark.expected and remark.found and remark.expected != remark.found
