"""The entries of a bundle are put together to the commits that they were kept in.

Nothing is believed of a commit but its number, which each entry's line has. Its form is checked
here: who asked, under which request, for what, with which text. That needs no rules.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from ....errors import Refused
from ....events.asked import BODY, REQUEST, SALT, Text, host_request
from ....events.codec import Payload, as_written
from ....events.entry import HIDDEN, TEXTS, Entry
from ....events.roll import ThrowAsked
from ....events.strict import Malformed, strict_body
from ....events.table import TableOpened, TextSaid
from ...core.commands import AnyCommand
from ...core.decide_table import CORE, CORES
from ...core.parse import read_logged
from ..cache import PrivateFile
from ..line import Line
from ..report import Findings
from .deferred import cut

PARSE, LEGAL = 1, 10

LONGEST = 4_096
"""Entries of one commit that are judged together, at most; no honest commit is near it."""

REQUESTS = "CREATE TABLE requests (seat TEXT, request TEXT, PRIMARY KEY (seat, request))"


class AuditedCommit(Struct, frozen=True):
    """The lines of one commit; `text` is the last one where it is of a text's class.

    `command` is None where what was asked is not disclosed, or cannot be read.
    """

    lines: tuple[Line, ...]
    text: Line | None
    command: AnyCommand | None

    @property
    def first(self) -> Line:
        """The line that says what was asked, where it is disclosed."""
        return self.lines[0]


class Commits:
    """Commits as their entries pass by, each checked for its form."""

    def __init__(self, findings: Findings, file: PrivateFile) -> None:
        self._findings = findings
        self._file = file
        self._lines: list[Line] = []
        self._core = CORE
        file.run(REQUESTS)

    def take(self, line: Line) -> Iterator[AuditedCommit]:
        """One more line; gives the commit that it shows to be complete."""
        waiting = self._lines
        if waiting and (waiting[0].entry.commit != line.entry.commit or len(waiting) >= LONGEST):
            yield from self.end()
        self._lines.append(line)

    def end(self) -> Iterator[AuditedCommit]:
        """No more lines: the last commit is complete."""
        lines, self._lines = tuple(self._lines), []
        if lines:
            yield self._checked(lines)

    def _checked(self, lines: tuple[Line, ...]) -> AuditedCommit:
        self._placed(lines)
        command = self._asked(lines[0])
        last = lines[-1] if lines[-1].entry.kind in TEXTS else None
        self._texts(lines, last, command)
        events = lines[:-1] if last is not None and len(lines) > 1 else lines
        return AuditedCommit(events, last, command)

    def _fail(
        self, why: str, seq: int, expected: str | None = None, found: str | None = None
    ) -> None:
        self._findings.fail(LEGAL, why, seq, expected, found)

    # --- where its entries are --------------------------------------------------------------------

    def _placed(self, lines: Sequence[Line]) -> None:
        first = lines[0].entry
        if first.commit != first.seq:
            found = str(first.commit)
            self._fail("a commit begins at another entry than its first", first.seq, None, found)
        if any(line.entry.at != first.at for line in lines):
            self._fail("the entries of one commit are of different times", first.seq)
        before = first
        for line in lines:
            entry, record = line.entry, line.record
            begins = entry.seq == entry.commit
            self._written(line)
            if record is not None and record.first != begins:
                why = "says what was asked" if record.first else "does not say what was asked"
                self._fail(f"the entry {why}, in commit {entry.commit}", entry.seq)
            if not begins and entry.kind == "open" and before.kind in HIDDEN and not asks(line):
                why = "an open entry that nobody asked for comes behind a hidden one"
                self._fail(why, entry.seq)
            before = entry

    def _written(self, line: Line) -> None:
        """A payload is what its event leads to, equal to the byte: there is one way to write it."""
        record, payload = line.record, line.entry.payload
        if record is None or payload is None:
            return
        wanted = as_written(payload, Payload(asked=line.asked, event=record.event))
        if payload != wanted:
            shown = [cut(each.decode("utf-8", "replace")) for each in (wanted, payload)]
            self._fail("the payload is written in another way", line.entry.seq, *shown)

    # --- what was asked ---------------------------------------------------------------------------

    def _asked(self, first: Line) -> AnyCommand | None:
        """The command, if it is disclosed and can be read."""
        asked, record, seq = first.asked, first.record, first.entry.seq
        if asked is None or record is None:
            return None
        if isinstance(record.event, TableOpened):
            self._core = record.event.core
        host = asked.request == host_request(seq)
        if not host and not REQUEST.match(asked.request):
            why = "a request id that no client may send"
            self._fail(why, seq, "1 to 64 of A-Z a-z 0-9 . _ -", asked.request[:80])
        elif not host and not self._new(record.event.by, asked.request):
            why = f"seat {record.event.by} has used request {asked.request} before"
            self._fail(why, seq)
        return self._command(asked.body, seq)

    def _new(self, seat: str, request: str) -> bool:
        sql = "INSERT OR IGNORE INTO requests VALUES (?, ?)"
        return self._file.run(sql, (seat, request)).rowcount == 1

    def _command(self, body: str, seq: int) -> AnyCommand | None:
        size = len(body.encode("utf-8", "surrogatepass"))
        if size > BODY:
            why = f"the body of a command has {size} bytes"
            self._findings.fail(PARSE, why, seq, f"at most {BODY}")
            return None
        try:
            return read_logged(body)
        except Refused as error:
            step, why = LEGAL, f"what was asked is no command: {error.why}"
        try:
            strict_body(body.encode("utf-8", "surrogatepass"))
        except Malformed as error:
            step, why = PARSE, f"the body of a command is not strict: {error}"
        if step == PARSE or self._core in CORES:  # another version may have other commands
            self._findings.fail(step, why, seq, "a command known here", cut(body))
        return None

    # --- texts ------------------------------------------------------------------------------------

    def _texts(self, lines: Sequence[Line], last: Line | None, command: AnyCommand | None) -> None:
        first = lines[0].entry
        for line in lines:
            entry, record = line.entry, line.record
            is_text = entry.kind in TEXTS
            if is_text and (line is not last or entry is first):
                self._fail("a text is not the last entry of its commit", entry.seq)
            if record is not None and is_text != isinstance(record.event, TextSaid):
                why = "an entry of a text's class holds a text, and no other does"
                self._fail(why, entry.seq, None, entry.kind)
        if last is not None and (last.entry.kind in HIDDEN) != (first.kind in HIDDEN):
            why = "a text is hidden if what was asked is, and else open"
            self._fail(why, last.entry.seq, None, last.entry.kind)
        if last is not None:
            self._same_seat(lines[0], last)
        if command is not None:
            self._fits(first, last, command)

    def _same_seat(self, first: Line, last: Line) -> None:
        if first.record is None or last.record is None:
            return
        asks, says = first.record.event.by, last.record.event.by
        if asks != says:
            self._fail("the text is of another seat than asked", last.entry.seq, asks, says)

    def _fits(self, first: Entry, last: Line | None, command: Any) -> None:
        wanted: str | None = getattr(command, "text", None)
        if (wanted is None) != (last is None):
            here = "no text comes with it" if last is None else "a text comes with it"
            names = "no text" if wanted is None else "a text"
            why = f"the command names {names}, and {here}"
            self._fail(why, first.seq, wanted or "no text", "no text" if wanted else "a text")
        said = last.record.event if last is not None and last.record is not None else None
        if isinstance(said, TextSaid) and last is not None and wanted is not None:
            if not SALT.match(said.salt):  # else a line of the text could be moved to the salt
                why = "the salt of a text is not of its form"
                self._fail(why, last.entry.seq, "32 hex digits", said.salt[:40])
            elif (found := _hash(said)) != wanted:
                why = "the text is not the one that the command names"
                self._fail(why, last.entry.seq, wanted, found)


def asks(line: Line) -> bool:
    """Whether an entry asks for shares as the second of its commit, behind the plan of a throw.

    It is open even where the plan is hidden; whether that is one, the check of shares says.
    """
    event = None if line.record is None else line.record.event
    return isinstance(event, ThrowAsked) and line.entry.seq == line.entry.commit + 1


def _hash(said: TextSaid) -> str | None:
    try:
        return Text(said.salt, said.text).hash
    except Refused:
        return None
