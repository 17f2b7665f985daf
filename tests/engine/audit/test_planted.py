"""Of whole games in the suite of files an audit says what urimcheck says, and what rules add."""

import pytest

from tests.conformance import suite
from urim.engine.audit import audit

GAMES = ("cheat", "twin", "alone", "asked", "kept", "play", "evening")
"""Kinds of files that the engine wrote; the others are made of events alone."""

LEFT = [
    name
    for name, row in suite.rows().items()
    if name.partition("/")[0] in GAMES and row["exit"] in (0, 3)
]
"""The files in which urimcheck finds nothing wrong."""


UNKNOWN = {
    "cheat/an-unknown-system-over-a-cheat",
    "cheat/an-unknown-version-of-the-rules-over-a-cheat",
}
"""Games of which urimcheck needs no rules, and the rules are not known here."""


@pytest.mark.sampled(40)
@pytest.mark.parametrize("name", LEFT)
def test_the_rules_see_what_only_they_can(name: str) -> None:
    file, row = suite.cases()[name], suite.rows()[name]
    seen = [note.encode() for note in file.seen]
    report = audit(file.bundle, key=file.key, seen=seen, seats=file.seats)
    assert report.proof.exit == row["exit"]
    assert report.failed == (("11 rules",) if "rules" in row else ())
    assert ("11 rules" in report.unchecked) == (name in UNKNOWN or row["exit"] == 3)
