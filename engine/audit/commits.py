"""The commits of a bundle or of a log as the rerun reads them.

Those of a bundle are urimcheck's entries, each decoded once more. That a commit is of the form that
it must have is urimcheck's step 10.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.codec import Event, RecordedEvent, as_written, asked_in, decode, recorded
from ...events.entry import TEXTS, Entry
from ..core.commands import AnyCommand
from ..core.parse import read_logged
from ..verifier import urimcheck
from .difference import Wrong, cut


class Line(Struct, frozen=True):
    """One entry, and its event, as far as that can be read."""

    entry: Entry
    record: RecordedEvent | None
    wrong: Wrong | None = None


class Commit(Struct, frozen=True):
    """The lines of one commit; `text` is the last one where it is of a text's class.

    `command` is None where what was asked is not disclosed; where it is none, that is `wrong`.
    """

    lines: tuple[Line, ...]
    text: Line | None
    command: AnyCommand | None
    wrong: Wrong | None = None

    @property
    def first(self) -> Line:
        """The line that says what was asked, where it is disclosed."""
        return self.lines[0]

    @property
    def records(self) -> list[RecordedEvent]:
        """What can be read of it, but for its text."""
        return [line.record for line in self.lines if line.record is not None]

    @property
    def events(self) -> list[Event]:
        """The events of these."""
        return [record.event for record in self.records]

    @property
    def last(self) -> int:
        """The last entry."""
        return (self.text or self.lines[-1]).entry.seq


def commits_of(proof: urimcheck.Report) -> Iterator[Commit]:
    """The commits of a bundle, as urimcheck put its entries together."""
    for entries in proof.commits:
        asked = entries[0].asked
        yield _commit([_line(each) for each in entries], asked["body"] if asked else None)


def commits_in(entries: Iterable[Entry]) -> Iterator[Commit]:
    """The commits of a log. Raises Damaged for what holds no event."""
    for _, held in groupby(entries, lambda entry: entry.commit):
        lines = [Line(each, None if each.payload is None else recorded(each)) for each in held]
        asked = None if lines[0].record is None else asked_in(lines[0].entry)
        yield _commit(lines, asked.body if asked else None)


def _commit(lines: Sequence[Line], body: str | None) -> Commit:
    text = lines[-1] if lines[-1].entry.kind in TEXTS else None
    command, wrong = _asked(body)
    own = lines[:-1] if text is not None and len(lines) > 1 else lines
    return Commit(tuple(own), text, command, wrong)


def _line(found: urimcheck.Entry) -> Line:
    payload = None if found.payload is None else found.payload.encode("utf-8", "surrogatepass")
    entry = Entry(found.seq, found.at, found.cls, b"", found.leaf, found.commit, None, payload)
    if payload is None or found.event is None:
        return Line(entry, None)
    try:
        read = decode(payload)
    except Damaged as error:
        why = f"the payload is no event: {error.why}"
        return Line(
            entry,
            None,
            Wrong(why, "an event known here", cut(payload.decode("utf-8", "replace")), firm=True),
        )
    record = RecordedEvent(entry.seq, entry.at, entry.leaf, read.event, read.asked is not None)
    if found.odd or (wanted := as_written(payload, read)) == payload:
        return Line(entry, record)
    one, other = (cut(each.decode("utf-8", "replace")) for each in (wanted, payload))
    why = "the payload is written in another way"
    return Line(entry, record, Wrong(why, one, other, firm=True))


def _asked(body: str | None) -> tuple[AnyCommand | None, Wrong | None]:
    if body is None:
        return None, None
    try:
        return read_logged(body), None
    except Refused as error:
        why = f"what was asked is no command: {error.why}"
        return None, Wrong(why, "a command known here", cut(body), firm=True)
