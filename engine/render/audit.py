"""What an audit found, for a terminal and as JSON: its lines, the last in colour."""

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from ...events.base import JSON
from ..audit import FAILED, UNCHECKED, Report, as_json, written
from .account import BAD, EVEN, GOOD
from .text import Pen

TONES: Mapping[int, str] = {FAILED: BAD, UNCHECKED: EVEN}
"""The style of the last sentence by the exit code."""


def audit_lines(report: Report, pen: Pen, first: Sequence[str] = ()) -> Iterator[Text]:
    """The report line by line; the seats that are named come `first`."""
    *lines, says = written(report, first)
    yield from map(pen.text, lines)
    yield pen.text(says, TONES.get(report.exit, GOOD))


def audit_object(report: Report) -> JSON:
    """The report as an object: urimcheck's, with what the rules say."""
    return {"type": "audit", **as_json(report)}
