"""Every rule of the five documents has a row that names what shows it, and what it names is there.

The rules stand in `books.md`, one table a system: the rule in our words, its heading in the
document, the scenario or the test that shows it, and the reading that decides it, if one does.
"""

import re
from functools import cache
from typing import NamedTuple

from msgspec.structs import fields

from tests.tree import ROOT
from urim.rules import ruleset_named

BOOKS = ROOT / "tests" / "rules" / "books.md"
COUNTS = {"milhamah": 63, "sagatafl": 20, "majesty": 22, "scarterra": 48, "age_of_magic": 27}
"""How many rules each document has, as they were counted when it was held against the program."""

COLUMNS = ["rule, in our words", "heading in the book", "shown by", "reading"]


class Row(NamedTuple):
    """One rule of one system."""

    system: str
    rule: str
    heading: str
    shown_by: str
    reading: str


@cache
def rows() -> tuple[Row, ...]:
    """Every row of every table."""
    found: list[Row] = []
    system = ""
    for line in BOOKS.read_text(encoding="utf-8").splitlines():
        if title := re.fullmatch(r"## .* \(`([a-z_]+)`\)", line):
            system = title[1]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == len(COLUMNS) and cells != COLUMNS and set(cells[0]) != {"-"}:
            found.append(Row(system, *cells))
    return tuple(found)


def test_every_rule_has_its_row() -> None:
    found = {system: sum(row.system == system for row in rows()) for system in COUNTS}
    assert found == COUNTS
    assert len({(row.system, row.rule) for row in rows()}) == sum(COUNTS.values())


def test_what_shows_a_rule_is_there() -> None:
    for row in rows():
        shown = re.findall(r"`([^`]+)`", row.shown_by)
        assert shown, row
        for each in shown:
            path, _, test = each.partition("::")
            text = (ROOT / "tests" / path).read_text(encoding="utf-8")
            assert not test or f"def {test.partition('[')[0]}(" in text, each


def test_no_rule_is_wrong_or_decided_silently() -> None:
    for row in rows():
        assert row.heading, row
        assert not re.search(r"\b(wrong|silent(ly)?)\b|✗", f"{row.reading} {row.shown_by}"), row


def test_a_reading_is_one_of_the_systems_options() -> None:
    for row in rows():
        known = {field.name for field in fields(ruleset_named(row.system).Options)}
        named = {each.partition("=")[0] for each in re.findall(r"`([^`]+)`", row.reading)}
        assert named <= known, row
        assert bool(named) == bool(row.reading), row
