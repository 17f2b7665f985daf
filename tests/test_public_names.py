"""No public name comes, goes or changes without a line in the changelog."""

import pytest

from tests import public_names as names

REFRESH = "run `python -m tests.public_names --write` and say in CHANGELOG.md what changed"


def test_the_public_names_are_those_that_are_listed() -> None:
    committed = names.LIST.read_text(encoding="utf-8") if names.LIST.exists() else ""
    now, then = names.public_names().splitlines(), committed.splitlines()
    new = [f"+ {name}" for name in now if name not in set(then)]
    gone = [f"- {name}" for name in then if name not in set(now)]
    if new or gone or now != then:
        pytest.fail("\n".join([*new, *gone, REFRESH]), pytrace=False)


def test_the_changelog_knows_of_the_list() -> None:
    changelog = names.CHANGELOG.read_text(encoding="utf-8")
    assert names.logged_fingerprint(changelog) == names.fingerprint(names.public_names()), REFRESH


# --- the list sees what it should -----------------------------------------------------------------

MODULE = '''
"""A module."""
from elsewhere import Borrowed
from typing import TYPE_CHECKING
import os

LIMIT = 3
left, (middle, _hidden) = 1, (2, 3)
Alias: "TypeAlias" = int
table["key"] = 4
_private = 5
if TYPE_CHECKING:
    from elsewhere import Late
else:
    def when_running(): ...
try:
    FAST = True
except ImportError:
    SLOW = True

def act(argument):
    local = 1
async def wait(): ...
class Thing:
    field = 1
class _Inner: ...
'''


def test_names_are_those_a_module_defines() -> None:
    expected = {"LIMIT", "left", "middle", "Alias", "when_running", "FAST", "SLOW"}
    assert names.defined_names(MODULE) == expected | {"act", "wait", "Thing"}


def test_names_include_what_a_module_lists() -> None:
    text = "from .late import Table\n__all__ = ['Table', 'Urim']\n"
    assert names.defined_names(text) == {"Table", "Urim"}


def test_a_list_that_is_computed_is_refused() -> None:
    with pytest.raises(TypeError, match="written out"):
        names.defined_names("__all__ = sorted(WHERE)")


BEFORE = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Dice.\n"
RELEASED = "## [0.1.0]\n\nPublic names: 000000000000\n"


def test_a_fingerprint_is_added_to_the_unreleased_part() -> None:
    after = names.with_fingerprint(BEFORE + "\n" + RELEASED, "0123456789ab")
    assert after == BEFORE + "\nPublic names: 0123456789ab\n\n" + RELEASED
    assert names.logged_fingerprint(after) == "0123456789ab"


def test_a_fingerprint_replaces_the_one_before() -> None:
    once = names.with_fingerprint(BEFORE, "0123456789ab")
    assert once == BEFORE + "\nPublic names: 0123456789ab\n"
    assert names.with_fingerprint(once, "0123456789ab") == once
    assert names.with_fingerprint(once, "fedcba987654").count("Public names") == 1


def test_after_a_release_the_newest_fingerprint_counts() -> None:
    empty = "## [Unreleased]\n\n" + RELEASED
    assert names.logged_fingerprint(empty) == "000000000000"
    assert names.with_fingerprint(empty, "0123456789ab").endswith(
        "## [Unreleased]\n\nPublic names: 0123456789ab\n\n" + RELEASED
    )


def test_a_changelog_without_an_unreleased_part_is_refused() -> None:
    with pytest.raises(ValueError, match="Unreleased"):
        names.with_fingerprint(RELEASED, "0123456789ab")
