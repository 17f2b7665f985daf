"""The conformance suite's own modules: pytest explains their assertions as those of any test."""

import pytest

from urim.engine.testing.log import harness, heads, live, stored


@pytest.mark.parametrize("module", [harness, stored, heads, live], ids=lambda m: m.__name__)
def test_pytest_rewrites_the_assertions_of_the_suite(module: object) -> None:
    loader = vars(module)["__loader__"]
    assert type(loader).__name__ == "AssertionRewritingHook"
