"""Step 8 of an audit: the chains of shares, from a seat's anchor to the links that it opened.

Links are 64 hex digits. A seat's chains have no link in common: who knows one link of a chain can
compute every one before it.
"""

from collections import deque
from itertools import islice

from ....errors import Refused
from ....events import share
from ....events.codec import RecordedEvent
from ....events.table import ShareAnchored
from ....events.throw import checked_nonce
from ..cache import PrivateFile
from ..report import Findings
from .people import Chain, People

TRANSCRIPTS = 8

LINKS = "CREATE TABLE links (seat TEXT, link TEXT, PRIMARY KEY (seat, link)) WITHOUT ROWID"

ENDS = 64
"""Chains of a seat, the latest, whose newest links a further anchor is hashed back to."""

ZEROS = "0" * 64
"""A client that draws nothing has this as its last link."""


class Chains:
    """Every chain of the log so far, each link that is known of it in the audit's private file."""

    def __init__(self, findings: Findings, people: People, file: PrivateFile) -> None:
        self._findings = findings
        self._people = people
        self._file = file
        self._ended: dict[str, deque[str]] = {}
        self._newest: dict[str, str] = {}
        self._unsigned: set[str] = set()
        file.run(LINKS)

    def anchored(self, record: RecordedEvent, event: ShareAnchored) -> None:
        """A seat published an anchor: it is no link that is known, and leads back to none."""
        seq, seat = record.seq, event.by
        person = self._people.get(seat)
        self._findings.checked(TRANSCRIPTS)
        if person is None:
            self._fail(f"seat {seat} anchors, and nobody ever took it", seq)
            return
        try:
            old = self._old(seat, checked_nonce(event.anchor))
            empty = share.link(self._people.table, seat, ZEROS, 0) == event.anchor
        except Refused as error:
            self._fail(f"the anchor of seat {seat}: {error.why}", seq)
            return
        if old:
            self._fail(f"the anchor of seat {seat} is of a chain that it had before", seq)
        if empty:
            why = f"the chain of seat {seat} ends with zeros: anybody knows its links"
            self._findings.look(TRANSCRIPTS, "weak-chain", why, seq)
        if person.chain is not None and person.chain.asks >= share.LENGTH:
            why = f"seat {seat} begins another chain: the one before answered all its asks"
            self._findings.note(TRANSCRIPTS, why, seq, "renewed")
        elif seat in self._newest and person.key is None:
            why = f"seat {seat} anchors once more, and has no key"
            self._findings.look(TRANSCRIPTS, "anchored-again", why, seq)
        self._know(seat, event.anchor)
        self._newest[seat] = event.anchor
        person.chain = Chain(seq, event.anchor)

    def _old(self, seat: str, anchor: str) -> bool:
        """Whether the anchor is a link of an earlier chain, or a link to come of one."""
        if seat not in self._newest:
            return False
        ends = self._ended.setdefault(seat, deque(maxlen=ENDS))
        ends.append(self._newest[seat])
        sql = "SELECT 1 FROM links WHERE seat = ? AND link = ?"
        if self._file.run(sql, (seat, anchor)).fetchone() is not None:
            return True
        back = share.back(self._people.table, seat, anchor)
        return any(link in ends for link in islice(back, share.LENGTH))

    def opened(self, record: RecordedEvent, seat: str, link: str, i: int) -> None:
        """A seat opened link `i`: hashed back, it is the newest one that is known."""
        person = self._people.get(seat)
        chain = None if person is None else person.chain
        self._findings.checked(TRANSCRIPTS)
        if person is None or chain is None:
            return  # the ask that named it failed
        try:
            fits = share.reaches(self._people.table, seat, link, i, chain.link, chain.at)
        except Refused as error:
            self._fail(f"the share of seat {seat}: {error.why}", record.seq)
            return
        if not fits:
            why = f"the share of seat {seat} is not link {i} of its chain"
            self._findings.fail(TRANSCRIPTS, why, record.seq, None, link)
            return
        self._know(seat, link)
        for each in islice(share.back(self._people.table, seat, link), i - chain.at - 1):
            self._know(seat, each)
        chain.link, chain.at = link, i
        self._newest[seat] = link
        if person.key is None and seat not in self._unsigned:
            self._unsigned.add(seat)
            why = f"seat {seat} has no key: its anchor and shares are the host's word"
            self._findings.note(TRANSCRIPTS, why, chain.seq, "host-word")

    def _know(self, seat: str, link: str) -> None:
        self._file.run("INSERT OR IGNORE INTO links VALUES (?, ?)", (seat, link))

    def _fail(self, why: str, seq: int) -> None:
        self._findings.fail(TRANSCRIPTS, why, seq)
