"""urimcheck's steps for throws, entry by entry, for what a seat was sent."""

from ...errors import Damaged
from ...events.entry import Entry
from ..verifier import urimcheck

STEPS = ("throws", "commitments", "transcripts", "dice", "reuse", "hidden")
"""Those of its steps that are about throws; `voids` are in LOOKS, for what it counts as well."""

LOOKS = [
    (step, look, events)
    for step, look, events in urimcheck.WALK
    if step in STEPS or look is urimcheck.voids
]


class Throws:
    """The throws of a table as far as its entries were taken."""

    def __init__(self) -> None:
        self._log = urimcheck.Report({"scope": "table", "proof": None}, [])

    def take(self, found: Entry) -> None:
        """Check one more entry. Raises Damaged for one that urimcheck finds wrong."""
        log = self._log
        entry = urimcheck.Entry(**urimcheck.UNREAD)
        entry.seq, entry.at, entry.cls, entry.commit = found.seq, found.at, found.kind, found.commit
        entry.leaf, entry.digest = found.leaf, found.digest.hex()
        if found.payload is not None:
            try:
                entry.payload = found.payload.decode()
                urimcheck.read_payload(entry)
            except (urimcheck.Malformed, UnicodeDecodeError) as error:
                raise Damaged(f"the payload is no event: {error}", seq=found.seq) from error
        log.there[entry.seq] = entry
        log.place = "throws", entry.seq
        urimcheck.between(log, entry)
        for step, look, events in LOOKS:
            if entry.event and (not events or entry.what in events):
                log.place = step, entry.seq
                look(log, entry, entry.event)
        urimcheck.follow(log, entry)
        log.last = entry
        self._raise()

    def end(self) -> None:
        """Check what only the end shows, as far as it is here. Raises Damaged as `take`."""
        urimcheck.throws_at_end(self._log)
        self._raise()

    def _raise(self) -> None:
        """Raise what is wrong; looks and what is stated are forgotten."""
        found, self._log.remarks = self._log.remarks, []
        for each in found:
            if each.word == "wrong":
                raise Damaged(each.why, seq=each.seq)
