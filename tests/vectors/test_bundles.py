"""The golden bundles are written the same to the byte, and an audit finds nothing wrong in them."""

import pytest

from tests.engine.helpers.bundles import KEY, wrong
from tests.vectors.bundles import HERE, golden
from urim.engine.audit import audit

NAMES = ("roll.urim.jsonl", "table.urim.jsonl")


def test_there_are_these_and_no_others() -> None:
    assert sorted(golden()) == list(NAMES)
    assert sorted(path.name for path in HERE.glob("*.urim.jsonl")) == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_bundle_repeats_to_the_byte(name: str) -> None:
    assert (HERE / name).read_bytes() == golden()[name]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wrong_with_a_golden_bundle(name: str) -> None:
    report = audit(HERE / name, key=KEY.vkey)
    assert wrong(report) == {}
    assert report.exit == 0
