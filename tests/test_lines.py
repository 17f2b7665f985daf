"""What counts as a line of code."""

from pathlib import PurePath

from tests import lines

PYTHON = '''"""Says
what it is."""

# why
def twice(number: int) -> str:
    """Of a number."""
    return """two
lines"""
'''

JAVASCRIPT = """// @ts-check
/** What
 * it is. */
export const url = "https://here"; // why

const two = 2;
"""


def test_blanks_comments_and_docstrings_are_no_code() -> None:
    assert lines.of_python(PYTHON) == 3
    assert lines.of_javascript(JAVASCRIPT) == 2


def test_a_room_is_two_folders_deep_and_three_in_tests() -> None:
    assert lines.room(PurePath("engine/server/web/state/app.js")) == "engine/server"
    assert lines.room(PurePath("tests/engine/server/web/test_words.py")) == "tests/engine/server"
    assert lines.room(PurePath("errors.py")) == "."


def test_the_files_of_every_room_are_counted() -> None:
    paths = [path for path, _ in lines.texts("")]
    assert {"engine/core", "rules/milhamah", "tests/engine/core"} <= set(map(lines.room, paths))
    assert {"Python", "JavaScript", "tests"} <= set(map(lines.kind, paths))
