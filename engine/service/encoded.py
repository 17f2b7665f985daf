"""Entries as they are sent, each encoded at most twice."""

from ...events.entry import Entry, withhold
from ...events.line import entry_line

LINES = 256 << 10
"""Bytes of encoded entries that a feed keeps, at most, for those who ask for the same ones: of a
slice of a history, some times over. Of a whole table they would take as much as its payloads."""


class Lines:
    """Entries encoded, each at most whole and sealed; what was encoded first is dropped first.

    `bytes` is how many are kept.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[int, bool], bytes] = {}
        self.bytes = 0

    def line(self, entry: Entry, *, whole: bool) -> bytes:
        """The entry's line, without salt and payload unless `whole`, or where it has none."""
        key = entry.seq, whole and entry.payload is not None
        found = self._held.get(key)
        if found is None:
            found = self._held[key] = entry_line(entry if key[1] else withhold(entry))
            self.bytes += len(found)
            while self.bytes > LINES:
                self._drop(next(iter(self._held)))
        return found

    def erase(self, seq: int) -> None:
        """Drop an entry's line with its text."""
        if (seq, True) in self._held:
            self._drop((seq, True))

    def _drop(self, key: tuple[int, bool]) -> None:
        self.bytes -= len(self._held.pop(key))
