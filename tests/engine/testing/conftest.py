"""Tests within these tests: a file of them, run by a pytest of its own."""

from collections.abc import Callable

import pytest

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
def tried(pytester: pytest.Pytester) -> Tried:
    """Runs pytest on a file of tests, whose beginning is TESTS."""

    def run(text: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(TESTS + text)
        return pytester.runpytest("-p", "no:cacheprovider", "--strict-markers", *options)

    return run
