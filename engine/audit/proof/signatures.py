"""Step 10 of an audit: who asked. Each command of a seat with a key is signed over a head it saw.

A seat without a key answers for nothing: what it asked is the host's word.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

from ....events import roll as rolled
from ....events import table as tabled
from ....events.asked import Asked, is_host_request, signed
from ....events.codec import Event, RecordedEvent
from ....events.keys import from_base64, verifies
from ...bundle.read import Header
from ..cache import Cache, PrivateFile
from ..line import Line
from ..report import Findings
from .people import People, key_of, takes_key
from .roots import Roots
from .throw_ledger import HASH

PARSE, LEGAL = 1, 10

IN_MEMORY = 256
"""Rolls of which is kept in memory who acted last, at most."""


class Turn(Struct):
    """Who acted last in a roll: seat `by`; `other` is the last entry of another seat than that."""

    by: str
    seq: int
    other: int = -1


class Trusted(Struct):
    """What a reader who names a seat's key trusts: the keys that follow from it.

    `begun` says that the seat has asked with one of them.
    """

    keys: set[bytes]
    begun: bool = False


class Signatures:
    """Signatures and heads of the commands so far."""

    def __init__(
        self,
        findings: Findings,
        header: Header,
        people: People,
        file: PrivateFile,
        named: Mapping[str, bytes],
    ) -> None:
        self._findings = findings
        self._header = header
        self._people = people
        self._roots = Roots(file)
        self._turns = Cache(file, "turns", IN_MEMORY, Encoder().encode, Decoder(Turn).decode)
        self._named = {seat: Trusted({key}) for seat, key in named.items()}
        self._newest: dict[str, int] = {}  # by the seat's key, what it had seen when it asked last
        self._before_seen = 0
        self._first_before_seen: int | None = None
        self.seats: dict[str, None] = {}
        """The seats that had a key, in the order in which they took one."""

    def take(self, line: Line) -> None:
        """Check one more entry, before the book of seats follows it."""
        if line.record is not None:
            self._seat_taken(line.record)
            if line.asked is not None:
                self._asked(line.record, line.asked)
            self._turn(line.record)
        if self._header.scope == "table":
            self._roots.append(line.entry.leaf)

    def end(self) -> None:
        """Check what only the end shows."""
        for seat, trusted in self._named.items():
            if not trusted.begun:
                why = f"seat {seat} never asks with the key that was given for it"
                self._findings.fail(LEGAL, why)
        if self._before_seen:
            count, first = self._before_seen, self._first_before_seen
            why = f"{count} asked before another seat's entry in the same roll was seen"
            self._findings.count("before-seen", first, count)
            self._findings.note(LEGAL, why, first)

    @property
    def self_asserted(self) -> tuple[str, ...]:
        """The seats with keys that the log alone asserts."""
        return tuple(seat for seat in self.seats if seat not in self._named)

    # --- keys -------------------------------------------------------------------------------------

    def _seat_taken(self, record: RecordedEvent) -> None:
        """A seat takes a key itself; a narrator who takes the seat for a person drops it."""
        event, seq = record.event, record.seq
        if isinstance(event, tabled.SeatLeft) and event.by != event.seat:
            why = f"seat {event.seat} is removed by seat {event.by}"
            self._findings.look(LEGAL, "removed", why, seq)
        if not isinstance(event, tabled.SeatTaken):
            return
        known = self._people.get(event.seat)
        own = takes_key(event, known)
        if event.key is not None and key_of(event) is None:
            why = f"seat {event.seat} takes what may be no key"
            self._findings.fail(PARSE, why, seq, "an Ed25519 public key in base64", event.key)
        elif event.key is not None and not own:
            why = f"a key that seat {event.seat} did not take itself"
            self._findings.fail(LEGAL, why, seq)
        if not own:
            self._newest.pop(event.seat, None)
        if known is not None and known.key is not None and not (own and event.key is not None):
            why = f"seat {event.seat} had a key, and has none from here on"
            self._findings.look(LEGAL, "key-reset", why, seq)

    def _new(self, event: Event) -> bytes | None:
        """The key that a seat takes by its own command."""
        if isinstance(event, tabled.SeatTaken) and takes_key(event, self._people.get(event.seat)):
            return key_of(event)
        return None

    # --- signatures -------------------------------------------------------------------------------

    def _asked(self, record: RecordedEvent, asked: Asked) -> None:
        seat, seq = record.event.by, record.seq
        person = self._people.get(seat)
        new = self._new(record.event)
        key = (person.key if person is not None else None) or new
        self._trust(seat, key, new, seq)
        if key is None:
            if asked.sig is not None or asked.seen is not None:
                self._findings.fail(LEGAL, f"a request is signed, and seat {seat} has no key", seq)
            return
        if isinstance(record.event, tabled.EpochBegun) and asked.sig is None:
            return  # an epoch is the host's, and is signed by nobody
        self.seats.setdefault(seat)
        self._findings.checked(LEGAL)
        wrong = self._wrong_signature(seat, key, asked)
        if wrong:
            self._findings.fail(LEGAL, wrong, seq)
        elif asked.seen is not None:
            for why in self._wrong_head(seat, asked.seen.size, asked.seen.root, seq):
                self._findings.fail(LEGAL, why, seq)
            self._newest[seat] = max(asked.seen.size, self._newest.get(seat, 0))
            self._late(record, asked.seen.size)

    def _trust(self, seat: str, key: bytes | None, new: bytes | None, seq: int) -> None:
        """Where the reader named the seat's key: it asks with that, or one that follows from it."""
        trusted = self._named.get(seat)
        if trusted is None:
            return
        if key in trusted.keys:
            trusted.begun = True
            if new is not None:
                trusted.keys.add(new)
        elif trusted.begun:
            why = f"seat {seat} asks without the key that was given for it"
            self._findings.fail(LEGAL, why, seq)

    def _wrong_signature(self, seat: str, key: bytes, asked: Asked) -> str:
        """What is wrong with the signature of a request, if anything is."""
        signature = None if asked.sig is None else from_base64(asked.sig)
        if asked.seen is None or signature is None:
            return f"seat {seat} has a key, and this is not signed with it over a head"
        if is_host_request(asked.request):
            return f"seat {seat} signs a request without an id of its own"
        if not HASH.fullmatch(asked.seen.root):  # else a line of it could be moved to the body's
            return f"the head that seat {seat} has seen is not of its form"
        try:
            message = signed(self._header.origin, seat, asked)
        except UnicodeEncodeError:
            return f"seat {seat} signs what is no text in UTF-8"
        if not verifies(key, signature, message):
            return f"the signature is not of the key of seat {seat} over this request"
        return ""

    def _wrong_head(self, seat: str, size: int, root: str, seq: int) -> Iterator[str]:
        """What is wrong with the head that a seat had seen: this log's, before the commit."""
        last = self._newest.get(seat)
        if not 0 <= size <= seq:
            yield f"seat {seat} has seen {size} entries, more than there were"
            return
        if last is not None and size < max(last, 1):
            yield f"seat {seat} has seen {size} entries, and {max(last, 1)} before"
        if self._header.scope == "roll":
            why = "which heads the seats had seen needs the whole table"
            self._findings.unchecked(LEGAL, why)
            return
        found = self._roots.root(size)
        if found is None or found.hex() != root:
            yield f"the head of {size} entries that seat {seat} has seen is not this log's"

    # --- what was not seen ------------------------------------------------------------------------

    def _late(self, record: RecordedEvent, size: int) -> None:
        """Count a request that came before its seat saw what another one did in the roll.

        Shares come in any order, and none of them depends on another.
        """
        event = record.event
        if not isinstance(event, rolled.RollEventBase) or isinstance(event, rolled.ShareOpened):
            return
        turn = self._turns.get(event.roll)
        if turn is None:
            return
        last = turn.seq if turn.by != event.by else turn.other
        if size <= last:
            self._before_seen += 1
            if self._first_before_seen is None:
                self._first_before_seen = record.seq

    def _turn(self, record: RecordedEvent) -> None:
        event = record.event
        if not isinstance(event, rolled.RollEventBase) or isinstance(event, rolled.ShareOpened):
            return
        turn = self._turns.get(event.roll) or Turn(event.by, record.seq)
        if turn.by != event.by:
            turn.by, turn.other = event.by, turn.seq
        turn.seq = record.seq
        self._turns.put(event.roll, turn)
