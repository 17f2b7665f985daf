"""Of the suite's whole games `urim audit` fails those that break a rule, and no honest one."""

from collections.abc import Iterable
from io import BytesIO

import pytest

from tests.conformance import suite
from urim.engine.audit import audit

BREAKS = [name for name, row in suite.rows().items() if "rules" in row]
"""Files in which urimcheck finds nothing wrong, and the rules of the game are broken."""

HONEST = [*suite.of_kind("twin", "play", "evening")]


def exits(names: Iterable[str]) -> dict[str, int]:
    """What `urim audit` ends with."""
    found: dict[str, int] = {}
    for name in names:
        case = suite.cases()[name]
        seen = [note.encode() for note in case.seen]
        found[name] = audit(BytesIO(case.bundle), key=case.key, seen=seen).exit
    return found


def test_what_only_the_rules_show_fails() -> None:
    assert BREAKS
    assert exits(BREAKS) == dict.fromkeys(BREAKS, 1)


@pytest.mark.slow
def test_honest_play_is_not_wrong() -> None:
    assert not {name: code for name, code in exits(HONEST).items() if code not in (0, 3)}
