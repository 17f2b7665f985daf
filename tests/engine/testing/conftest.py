"""Tests within these tests: a file of them, run by a pytest of its own."""

import sys
from collections.abc import Callable, Iterator

import hypothesis.core
import pytest
from hypothesis.vendor.pretty import RepresentationPrinter

TESTS = """
import pytest
from urim.errors import Refused
from urim.events.roll import RollResolved
from urim.engine.core import commands as c
from urim.engine.testing.spec import given, like, refused

pytestmark = pytest.mark.urim("sagatafl")

def declared(table):
    who = table.character("Ruth", attributes={"Body": 3})
    return table.declare(who, trait="Body", rd=6)

"""
"""What the tests within these tests begin with."""

Tried = Callable[..., pytest.RunResult]
"""Runs pytest on a text of tests, with options."""


@pytest.fixture
def pytester(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.Pytester]:
    """A pytest within this process, without what would change Hypothesis for every test after."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:schemathesis")
    yield pytester
    assert vars(hypothesis.core)["RepresentationPrinter"] is RepresentationPrinter


@pytest.fixture
def tried(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Tried:
    """Runs pytest on a file of tests, whose beginning is TESTS.

    What is compiled is not kept: a file that is written twice in a second, and is as long each
    time, would be taken for the first.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def run(text: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(TESTS + text)
        return pytester.runpytest("-p", "no:cacheprovider", "--strict-markers", *options)

    return run
