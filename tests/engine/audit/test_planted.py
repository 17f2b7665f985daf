"""Of whole games in the suite of files an audit says what urimcheck says, and what rules add."""

import pytest

from tests.conformance.cases import cases
from tests.conformance.said import expected
from urim.engine.audit import audit

GAMES = ("cheat", "twin", "kept,")
"""The first words of files that the engine wrote; the others are made of events alone."""

SAID = {name: said[0] for name, said in expected().items() if name.split()[0] in GAMES}
LEFT = [name for name, code in SAID.items() if code in (0, 3)]
"""The files in which urimcheck finds nothing wrong."""

BY_RULES = {
    *("10b", "11b", "11c", "14d", "14f", "21d", "22", "25", "26", "26b", "26c", "27", "28", "29"),
    *("29b", "30", "30b", "30c", "30d", "30e", "30f", "30g", "30i", "30j", "51b", "54b", "54d"),
}
"""Cheats that the rules alone see: no die and no commitment is touched."""

UNKNOWN = {"45", "45c"}
"""Games of a version, and of a system, that are not known here."""


@pytest.mark.sampled(40)
@pytest.mark.parametrize("name", LEFT)
def test_the_rules_see_what_only_they_can(name: str) -> None:
    file, id = cases()[name], name.removeprefix("cheat ")
    report = audit(file.bundle, key=file.key, seen=file.seen, seats=file.seats or {})
    assert report.proof.exit == SAID[name]
    assert report.exit == (1 if id in BY_RULES else 3 if id in UNKNOWN else SAID[name])
    assert ("11 rules" in report.failed) == (id in BY_RULES)


def test_those_cheats_are_there() -> None:
    assert {f"cheat {id}" for id in BY_RULES | UNKNOWN} <= {*LEFT}
