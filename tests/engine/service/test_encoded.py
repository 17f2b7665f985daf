"""Encoded entries: kept for all who ask, and dropped with a text that is erased."""

from tests.engine.helpers.stage import fight
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.service.encoded import Lines
from urim.events.entry import withhold
from urim.events.line import entry_line


def test_of_a_text_that_is_erased_the_line_is_dropped_and_no_other() -> None:
    table, *_ = fight()
    table.submit(NARRATOR, c.worded(c.Note(0), "to be forgotten"))
    *_, other, text = table.entries
    lines = Lines()
    for entry in (other, text):
        assert lines.line(entry, whole=True) == entry_line(entry)
    sealed = lines.line(text, whole=False)
    assert sealed == entry_line(withhold(text))
    for seq in (text.seq, text.seq, len(table.entries)):  # erased, erased before, never there
        lines.erase(seq)
        assert lines.bytes == len(entry_line(other)) + len(sealed)
