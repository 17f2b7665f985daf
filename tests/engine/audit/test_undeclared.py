"""What a file shows of a roll has no weight while it keeps the declaration back."""

import pytest

from tests.engine.helpers.tables.forging import made
from tests.engine.helpers.tables.stages import circle, prayer
from urim.engine.audit import audit
from urim.engine.core import commands
from urim.events.entry import withhold
from urim.events.roll import DiceRolled


@pytest.mark.parametrize("shown", [True, False], ids=["its dice are shown", "it is sealed"])
def test_an_ask_is_no_declaration(shown: bool) -> None:
    host = circle()
    number = prayer(host, visibility="gm")
    host.ask_for(number, "p1", "initiator")
    host.open_all(but=("p2",))
    host.break_off()
    host.ask("p2", commands.Note(0), words="I was asleep.")
    host.throw(number)
    entries = [
        entry
        if entry.kind != "hidden" or (shown and isinstance(host.event(entry.seq), DiceRolled))
        else withhold(entry)
        for entry in host.entries
    ]
    file = made(host, entries)
    report = audit(file.bundle, key=file.key)
    assert report.failed == ("6 throws",) * shown
