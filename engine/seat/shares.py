"""The chains of shares that a seat drew, and which share it opened for which ask.

A chain is drawn for one origin and table, and its last link never leaves this client. A share is
opened once, for one ask: the seat counts the asks that name it, and keeps which ask was the i-th
before it opens x_i. The same share under another ask is fraud, after a restore too. A chain is for
the epoch behind which its anchor was first published, and strange behind another. Anchors and
shares of its seat that it did not make, and commands in its name, end its part until its player
anchors again.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...events.share import LENGTH, link
from .heads import Forked

CHAINS, OPENED = 32, 1_000
"""Chains, and shares opened of all of them, that are remembered, at most."""


class Opened(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Share `i` was opened for the ask that is entry `seq`, of this leaf. Both are 32 bytes.

    `note` is the signed head over which it was opened: it covers the ask.
    """

    i: int
    seq: int
    leaf: bytes
    share: bytes
    note: bytes | None = None


class Chain(Struct, frozen=True, forbid_unknown_fields=True):
    """A chain that this client drew: its anchor, and its last link, "" once the chain is over.

    Both are 64 hex digits. `seq` is the entry that published the anchor, None until then, and
    `epoch` the leaf of the epoch that it stood behind, empty for none.
    """

    anchor: str
    last: str
    seq: int | None = None
    opened: tuple[Opened, ...] = ()
    epoch: bytes | None = None


class Moved(Forked):
    """A share that was opened for one ask stands under another one.

    `i` is the share's number, `share` its 64 hex digits; `first` is the ask it was opened for,
    `second` the one under which it stands: entry and leaf. `earlier` is the signed head over which
    it was opened, and covers the first; `later` one that covers the second, None where the host has
    signed none yet.
    """

    def __init__(
        self, opened: Opened, second: tuple[int, bytes], later: bytes | None = None
    ) -> None:
        self.i, self.share = opened.i, opened.share.hex()
        self.first, self.second = (opened.seq, opened.leaf), second
        places = [f"entry {seq} with leaf {leaf.hex()}" for seq, leaf in (self.first, second)]
        why = f"share {self.i} of this seat, {self.share}, was opened for the ask of {places[0]}"
        super().__init__(f"{why}, and stands under that of {places[1]}", opened.note, later)
        self.seq = second[0]


class Waiting(Struct, frozen=True):
    """The ask that is open, as the entries give it; `i` is the number of the seat's own share."""

    roll: int
    throw: int
    seq: int
    leaf: bytes
    i: int | None


class Shares:
    """The shares of one seat at one table; `draw` gives so many random bytes.

    `covering` gives a signed head that covers so many entries, None where there is none.
    """

    def __init__(
        self,
        table: str,
        seat: str,
        draw: Callable[[int], bytes],
        covering: Callable[[int], bytes | None] = lambda _: None,
    ) -> None:
        self._table = table
        self._seat = seat
        self._draw = draw
        self._covering = covering
        self._epoch = b""
        self._chains: dict[str, Chain] = {}
        self._anchor: str | None = None
        self._asks = 0
        self._waiting: Waiting | None = None
        self.distrust = -1

    # --- kept -------------------------------------------------------------------------------------

    @property
    def chains(self) -> tuple[Chain, ...]:
        """All that are remembered, oldest first."""
        return tuple(self._chains.values())

    def resume(self, chains: Iterable[Chain], *, head: bool, distrust: int = -1) -> None:
        """Take over what was stored; without the newest `head`, which is lost, no chain goes on."""
        self._chains = {each.anchor: each for each in chains}
        self.distrust = distrust
        if not head:
            self.end()

    def end(self) -> None:
        """Every chain is over: no share of them is opened any more."""
        for each in self.chains:
            self._chains[each.anchor] = replace(each, last="")

    # --- what is published ------------------------------------------------------------------------

    @property
    def anchored(self) -> bool:
        """Whether the table has an anchor of this seat that this client can open shares of."""
        chain = self._own
        goes_on = chain is not None and bool(chain.last) and self._asks < LENGTH
        return goes_on and not self._distrusted

    @property
    def strange(self) -> bool:
        """Whether this client had a chain, and something in its seat's name is not its doing.

        Then it opens nothing more until its player anchors again.
        """
        return self._distrusted and any(each.seq is not None for each in self.chains)

    @property
    def _distrusted(self) -> bool:
        """Whether `distrust`, the last entry of that kind, is not before this client's anchor."""
        published = self._own.seq if self._own is not None else None
        return self.distrust >= (0 if published is None else published)

    @property
    def ended(self) -> bool:
        """Whether this client had a chain at the table, and the table has no anchor of the seat."""
        return self._anchor is None and any(each.seq is not None for each in self.chains)

    def opens(self, ask: int) -> bool:
        """Whether `share` is not refused for the ask of entry `ask`, as far as is known."""
        waiting, chain = self._waiting, self._own
        if waiting is None or waiting.seq != ask or chain is None or waiting.i is None:
            return False
        known = _of(chain, waiting.i)
        fits = known is None or (known.seq, known.leaf) == (waiting.seq, waiting.leaf)
        return bool(chain.last) and not self._distrusted and fits

    def made(self, record: RecordedEvent) -> bool:
        """Whether a throw was made of the shares of the ask that was the last one."""
        waiting, proof = self._waiting, getattr(record.event, "proof", None)
        roll = getattr(record.event, "roll", None)
        return bool(waiting and proof and (waiting.roll, waiting.throw) == (roll, proof.throw))

    @property
    def _own(self) -> Chain | None:
        return None if self._anchor is None else self._chains.get(self._anchor)

    def anchor(self) -> str:
        """A new chain: its anchor, to be published."""
        last = self._draw(32).hex()
        found = link(self._table, self._seat, last, 0)
        self._chains[found] = Chain(found, last)
        self._forget()
        return found

    def share(self, ask: int) -> str:
        """The share that the open ask of entry `ask` asks for, 64 hex digits.

        It is remembered as opened for this ask, and so must be kept before it is sent. Raises
        Refused("nonce") where this client may open none.
        """
        waiting, chain = self._waiting, self._own
        if not self.opens(ask) or waiting is None or chain is None or waiting.i is None:
            why = f"the share that entry {ask} asks for is not this client's to open, or is spent"
            raise Refused("nonce", why, allowed=["break_throw", "anchor"])
        known = _of(chain, waiting.i)
        if known is None:
            share = link(self._table, self._seat, chain.last, waiting.i)
            note = self._covering(waiting.seq + 1)
            known = Opened(waiting.i, waiting.seq, waiting.leaf, bytes.fromhex(share), note)
            self._chains[chain.anchor] = replace(chain, opened=(*chain.opened, known))
            self._forget()
        return known.share.hex()

    def _forget(self) -> None:
        """Drop what is beyond what is remembered, oldest first."""
        while len(self._chains) > CHAINS:
            del self._chains[next(iter(self._chains))]
        over = sum(len(each.opened) for each in self.chains) - OPENED
        for each in self.chains:
            if over > 0:
                self._chains[each.anchor] = replace(each, opened=each.opened[over:])
                over -= len(each.opened)

    # --- what the table has -----------------------------------------------------------------------

    def took_place(self, record: RecordedEvent, leaf: bytes) -> bool:
        """Take an event over; whether it is an anchor or a share that this client did not make.

        Raises Damaged for an ask that counts otherwise, and Moved for a share under another ask.
        """
        event = record.event
        if isinstance(event, rolled.ThrowAsked):
            self._asked(record, event, leaf)
        elif isinstance(event, rolled.ShareOpened):
            return event.by == self._seat and self._shared(record, event)
        elif isinstance(event, tabled.ShareAnchored):
            return event.by == self._seat and self._published(record, event)
        elif isinstance(event, rolled.ThrowBroken):
            self._waiting = None
        elif isinstance(event, tabled.EpochBegun):
            self._anchor, self._asks, self._waiting, self._epoch = None, 0, None, leaf
            self._end_before(record.seq)
        elif isinstance(event, tabled.SeatLeft) and event.seat == self._seat:
            self._anchor, self._asks = None, 0
        return False

    def _published(self, record: RecordedEvent, event: tabled.ShareAnchored) -> bool:
        self._anchor, self._asks = event.anchor, 0
        chain = self._chains.get(event.anchor)
        first = chain is not None and chain.epoch in (None, self._epoch)
        if chain is None or not first or chain.seq not in (None, record.seq):
            self.distrust = max(self.distrust, record.seq)
            return True
        self._end_before(record.seq)
        self._chains[event.anchor] = replace(chain, seq=record.seq, epoch=self._epoch)
        return False

    def _asked(self, record: RecordedEvent, event: rolled.ThrowAsked, leaf: bytes) -> None:
        i = dict(event.asked).get(self._seat)
        if i is not None:
            self._asks += 1
            if self._anchor is None:
                raise Damaged("it asks this seat, which has no anchor", seq=record.seq)
            if i != self._asks:
                why = f"it asks this seat for share {i}, and is ask {self._asks} since its anchor"
                raise Damaged(why, seq=record.seq)
        self._waiting = Waiting(event.roll, event.throw, record.seq, leaf, i)

    def _shared(self, record: RecordedEvent, event: rolled.ShareOpened) -> bool:
        waiting, chain = self._waiting, self._own
        if waiting is not None and (moved := self._moved(waiting, event.share)) is not None:
            raise moved
        if waiting is None or waiting.i is None or waiting.roll != event.roll:
            raise Damaged("it opens a share of this seat that nobody asked for", seq=record.seq)
        known = None if chain is None else _of(chain, waiting.i)
        if known is None:
            self.distrust = max(self.distrust, record.seq)
            return True
        return False

    def _moved(self, waiting: Waiting, share: str) -> Moved | None:
        """What shows that this share was opened for another ask; None where it was not."""
        found, now = bytes.fromhex(share), (waiting.seq, waiting.leaf)
        for chain in self.chains:
            for each in chain.opened:
                if each.share == found and (each.seq, each.leaf) != now:
                    return Moved(each, now, self._covering(waiting.seq + 1))
        return None

    def _end_before(self, seq: int) -> None:
        """An epoch, or another anchor, ends the chains whose anchors are older than its entry."""
        for each in self.chains:
            if each.seq is not None and each.seq < seq:
                self._chains[each.anchor] = replace(each, last="")


def _of(chain: Chain, i: int) -> Opened | None:
    return next((each for each in chain.opened if each.i == i), None)
