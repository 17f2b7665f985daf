"""What a case is made from: a bundle as one seat may have it, its table, and an audit of it."""

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.codec import RecordedEvent
from ...events.entry import Entry, verify
from ...projections.rollstate import RollState
from ...projections.tables import Rulesets, TableState, fold, pass_over
from ...rules import ruleset_named
from ..audit import Report, audit
from ..bundle.read import WHOLE, Bundle, Header, event_of
from ..bundle.write import write_bundle
from ..core.attempt import roll_of, sitting
from ..core.visibility import redacted


class Source(Struct, frozen=True):
    """A log as one reader may have it, and what an audit says of just that.

    `before` holds the table before each entry that can be read. `seat` is whose view it is, "" for
    what the file discloses.
    """

    header: Header
    entries: Sequence[Entry]
    records: Sequence[RecordedEvent | None]
    state: TableState
    before: dict[int, TableState]
    report: Report
    seat: str

    def roll(self, number: int) -> RollState:
        """A roll of the view. Raises Refused: "unknown", "not-seen"."""
        return roll_of(self.state, number, self.seat)

    @property
    def unseen(self) -> frozenset[int]:
        """The entries of throws over commitments that their seats did not see."""
        remarks = self.report.proof.remarks
        return frozenset(each.seq for each in remarks if each.kind == "unseen")


def source_of(
    content: bytes,
    seat: str = "",
    *,
    now: int | None = None,
    rulesets: Rulesets = ruleset_named,
) -> Source:
    """Read a bundle, for a `seat` without what that one may not see; `now` is as `audit` takes it.

    Raises Refused("unreadable") for what is no bundle of a whole table, Damaged where its entries
    are not what they were sealed as, Refused("unknown") for a seat that is not there.
    """
    found = Bundle(BytesIO(content))
    if found.header.scope != "table":
        why = (
            "a case needs what opened the table, its sheets and what went before, and this bundle"
            f" is of roll {found.header.roll} alone"
        )
        raise Refused("unreadable", why, allowed=[WHOLE])
    header, entries = found.header, [line.entry for line in found]
    if seat:
        state = _folded(entries, rulesets)[0]
        seat = sitting(state, seat)
        entries = [redacted(state, seat, entry) for entry in entries]
        content = b"".join(write_bundle(entries, header.checkpoint, header.keys))
    state, records, before = _folded(entries, rulesets)
    report = audit(BytesIO(content), now=now, rulesets=rulesets)
    return Source(header, entries, records, state, before, report, seat)


def _folded(
    entries: Sequence[Entry], rulesets: Rulesets
) -> tuple[TableState, list[RecordedEvent | None], dict[int, TableState]]:
    """The table after these entries, their events, and the table before each."""
    state: TableState | None = None
    records: list[RecordedEvent | None] = []
    before: dict[int, TableState] = {}
    for entry in entries:
        verify(entry)
        if state is not None:
            before[entry.seq] = state
        record = None if entry.payload is None else event_of(entry)[0]
        if record is not None:
            state = _after(state, record, rulesets)
        elif state is not None:
            state = pass_over(state, entry)
        records.append(record)
    if state is None:
        raise Refused("unreadable", "the bundle does not open a table")
    return state, records, before


def _after(state: TableState | None, record: RecordedEvent, rulesets: Rulesets) -> TableState:
    """The table after an entry that may be forged: any error is the log's fault."""
    try:
        return fold(state, record, rulesets)
    except (Refused, LookupError, TypeError, ValueError) as error:
        raise Damaged(f"the table cannot go on from here: {error}", seq=record.seq) from error


def asked_body(entry: Entry) -> dict[str, Any]:
    """The command behind a commit that begins with this entry, as JSON; empty where none is."""
    if entry.payload is None or entry.seq != entry.commit:
        return {}
    try:
        asked = event_of(entry)[1]
        found = {} if asked is None else json.loads(asked.body)
    except (Damaged, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
