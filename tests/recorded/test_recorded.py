"""Every recorded evening comes out as it did, and together they show all that a system has."""

import pytest

from tests.recorded.draw import NEVER, SYSTEMS, wanted
from tests.recorded.kept import LIST, evenings, things_kept, written
from urim.engine.testing.recorded import urim_recorded

MOST = 3_000_000
"""Bytes that all of them may take."""

test_an_evening_comes_out_as_it_did = urim_recorded("*.urim.jsonl")


@pytest.mark.parametrize("system", SYSTEMS)
def test_all_that_a_system_has_happens_in_some_evening(system: str) -> None:
    """Where this fails, something is new: `python -m tests.recorded --write` draws an evening."""
    assert sorted(wanted(SYSTEMS[system]) - things_kept() - NEVER.keys()) == []


def test_what_never_happens_is_known_to_a_system() -> None:
    known = frozenset().union(*map(wanted, SYSTEMS.values()))
    assert NEVER.keys() <= known - things_kept()


def test_the_list_is_that_of_the_files() -> None:
    assert LIST.read_text("utf-8") == written()
    assert sum(file.stat().st_size for file in evenings()) <= MOST
