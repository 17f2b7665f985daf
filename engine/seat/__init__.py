"""The part of any client that has no network in it: what a seat keeps, checks, and asks for.

    seat = Seat("mytable1", "p2", [key])
    for happened in seat.receive(message): ...     # what the feed sends, in order
    data = seat.ask(RollDice(1, "initiator"))      # bytes to send; `answer` takes what comes back
    seat.stored().written()                        # to be kept before `data` is sent

Nothing here reads, writes, waits, or asks the clock. What came in is given as it is, and gives
events; what is to be sent is bytes. Whatever the host sends is checked before anything follows from
it: a fault raises Damaged, or Forked where the host showed two histories, and the seat goes no
further (`fault`). Everything that may be asked of a table is answered from the seat's own fold.
"""

import secrets
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events.checkpoint import Key
from ...events.codec import RecordedEvent, asked_in
from ...events.log.protocol import CaughtUp
from ...events.merkle import Proof
from ...events.roll import DiceRerolled, DiceRolled, ThrowAsked
from ...events.table import EpochBegun, ShareAnchored
from ...events.throw import checked_seat, checked_table
from ...projections.levels import askable, level_next
from ...projections.tables import Rulesets
from ...rules import ruleset_named
from ..core import commands as c
from ..core.attempt import roll_of
from ..core.parse import read_logged
from ..core.refusal import Refusal
from ..core.request import WireRequest
from ..service.feed import Behind, Commit, Left, Message
from .fault import fault_of
from .happened import (
    Done,
    EpochSeen,
    Happened,
    HeadSeen,
    NotDone,
    NotMine,
    ShareAsked,
    Taken,
    Undone,
)
from .heads import Forked, Heads, Tree
from .kept import Kept
from .nonces import Nonces
from .reading import Reading
from .requests import Requests
from .shares import Shares
from .signing import NO_SIGNERS, Signers, signed_request
from .stored import Stored
from .watch import Watch


class Seat(Reading):
    """One client of a seat at a table whose host signs with one of these keys.

    `draw` gives so many random bytes. With `over_heads` a nonce is drawn only for a commitment that
    a signed head covers (`covers`); a share is never opened otherwise. `signers` sign its commands
    once the seat has a key. Raises Refused("malformed") for a table or seat not of its
    form, or where no key is given.
    """

    def __init__(
        self,
        table: str,
        seat: str,
        keys: Iterable[Key],
        *,
        rulesets: Rulesets = ruleset_named,
        draw: Callable[[int], bytes] = secrets.token_bytes,
        over_heads: bool = False,
        device: str | None = None,
        signers: Signers = NO_SIGNERS,
    ) -> None:
        self.table = checked_table(table)
        self.id = checked_seat(seat)
        self.fault: Damaged | None = None
        self.live = False
        trusted = tuple(keys)
        if not trusted:
            raise Refused("malformed", "no key of the host", allowed=["one key or more"])
        self._draw = draw
        self._over_heads = over_heads
        self._tree = Tree()
        self._kept = Kept(table, rulesets, self._tree)
        self._heads = Heads(table, trusted, self._tree)
        self._signers = signers
        self._nonces = Nonces(table, seat, draw)
        self._shares = Shares(table, seat, draw, self._heads.covering)
        self._watch = Watch(seat)
        self._requests = Requests(seat, device or draw(8).hex(), draw)
        self._accepted = self._epoch = -1
        self._since: int | None = None
        self._before, self._restored = 0, False
        self._owed = 0

    @classmethod
    def resume(
        cls,
        stored: Stored,
        keys: Iterable[Key],
        *,
        rulesets: Rulesets = ruleset_named,
        draw: Callable[[int], bytes] = secrets.token_bytes,
        over_heads: bool = False,
        signers: Signers = NO_SIGNERS,
    ) -> "Seat":
        """Go on from a stored state: the log must begin with what the seat was shown then.

        It begins without entries: let the feed send all, or give `receive` those that were kept
        elsewhere first. A fault that is stored is there again (`fault`), but for an event that was
        unknown: it is read again. Raises Damaged for a stored head that none of the keys signed.
        """
        found = cls(
            stored.table,
            stored.seat,
            keys,
            rulesets=rulesets,
            draw=draw,
            over_heads=over_heads,
            device=stored.device,
            signers=signers,
        )
        found._heads.resume(stored.shown, stored.gone)
        found._nonces.resume(stored.held, stored.used)
        head = stored.note is not None
        found._shares.resume(stored.chains, head=head, distrust=stored.distrust)
        found._requests.resume(stored.pending, stored.made)
        found._accepted = stored.accepted
        found._since = found._before = stored.size
        found._restored = not stored.size  # perhaps its player knows of a restore
        found.fault = stored.fault.error if stored.fault is not None else None
        return found

    def stored(self) -> Stored:
        """What is to be kept; before anything is sent that was asked for since."""
        shown = self._heads.shown
        return Stored(
            table=self.table,
            seat=self.id,
            device=self._requests.device,
            note=shown.note,
            size=shown.size,
            root=shown.root.hex(),
            accepted=self._accepted,
            held=self._nonces.held,
            pending=self._requests.pending,
            made=self._requests.remembered,
            used=self._nonces.used,
            chains=self._shares.chains,
            fault=fault_of(self.fault),
            epochs=shown.epochs,
            gone=self._heads.gone,
            distrust=self._shares.distrust,
        )

    # --- what comes in ----------------------------------------------------------------------------

    def receive(self, message: Message) -> tuple[Happened, ...]:
        """Take a message of the feed over. Raises Damaged and Forked for what cannot be so.

        `Behind`, and the end of the connection (`cut`), mean: subscribe again (`begin`). `Left`
        means that the seat is no more: the feed would refuse it.
        """
        with self._sound():
            if isinstance(message, Commit):
                return self._commit(message)
            if isinstance(message, CaughtUp):
                return self._caught_up(message)
            if isinstance(message, (Left, Behind)):
                self.cut()
            return (message,)

    def cut(self) -> None:
        """The connection ended. What was received stays; what follows comes as a history first."""
        self.live = False

    def head(self, note: bytes, proof: Proof | None = None) -> tuple[Happened, ...]:
        """Take a signed head over. One of more entries than are here waits for them.

        `proof` is of consistency, from `head_size`. Raises Damaged for a note that is no such head,
        and nothing has changed; Forked for one that cannot be of the same log.
        """
        self._check_sound()
        try:
            newest = self._heads.take(note, proof)
        except Forked as error:
            self.fault = error
            raise
        return (HeadSeen(self.head_size),) if newest else ()

    def answer(
        self, request: str, entries: Sequence[int], note: bytes | None = None
    ) -> tuple[Happened, ...]:
        """The host did a request; it led to these entries, none where it changed nothing.

        `note` is the signed head that covers them. Once they come, they must hold the request.
        """
        with self._sound():
            news = self._requests.answered(request, entries)
            self._requests.came(self._kept.folded, self._shown)
        done = (Done(request, entries[0] if entries else None),) if news else ()
        return done if note is None else (*done, *self.head(note))

    def demand(self, size: int, *, now: bool = False) -> None:
        """The host owes a signed head of so many entries: `now`, or once they are here.

        None is owed of sizes that an epoch leaves unsigned (`covers`). Raises Damaged.
        """
        with self._sound():
            self._owed = max(self._owed, size)
            self._settle(now=now)

    def _settle(self, *, now: bool = False) -> None:
        if self._heads.largest >= self._owed:
            self._owed = 0
        elif now or self._kept.folded >= self._owed:
            if not self._unsigned:
                raise Damaged(f"no signed head covers {self._owed} entries")
            self._owed = 0

    def refused(self, request: str, refusal: Refusal) -> tuple[Happened, ...]:
        """The host refused a request. A nonce that was in it stays the one for its throw.

        One that was signed over an older head than another client's of the seat is signed again,
        over a newer one, where there is one by now (`resend`).
        """
        self._check_sound()
        again = refusal.code == "not-signed"
        if again and self._requests.sign_again(
            request, lambda r: self._signed(r, read_logged(r.body))
        ):
            return ()
        return (NotDone(request, refusal),) if self._requests.refused(request) else ()

    def shorter(self, note: bytes) -> NoReturn:
        """The feed refused `after`, and `note` is the head of its log. Raises Forked.

        Damaged where that log is not shorter than this one.
        """
        with self._sound():
            self._heads.shorter(note)
            raise Damaged("the feed refused to go on, and its log is no shorter")

    def accept_epoch(self) -> None:
        """The player knows of the epoch: nonces are drawn, and anchors made, as it renewed them."""
        self._accepted = self._epoch

    # --- what is to be sent -----------------------------------------------------------------------

    def begin(self) -> int:
        """A new subscription begins: the `after` to subscribe with.

        Its history must have all that the seat knows of by now, signed heads too.
        """
        self.cut()
        self._heads.begin()
        self._requests.begin()
        return self._kept.size - 1

    def ask(self, asking: c.Asking) -> bytes:
        """A request to send: a command, with an id of its own.

        A throw that names no commitment gets the outstanding one, and the nonce that its level
        asks for. Raises Refused where there is none, and for a throw at level `table` (`shares`);
        for a command that the seat's key must sign, and cannot.
        """
        self._check_sound()
        if isinstance(asking, (c.RollDice, c.Reroll)):
            asking = self._throw(asking)
        return self._requests.made(asking, self._signed).written()

    def say(self, command: c.Asking, words: str) -> bytes:
        """A request with a text, under a new salt."""
        return self.ask(c.worded(command, words, self._draw(16).hex()))

    def anchor(self) -> bytes:
        """A request to publish a new chain of shares: others may ask for one of each throw.

        Raises Refused: "due" where no signed head covers all that is here, or a throw waits for
        shares; "commitment" where an epoch ended this client's chain, until `accept_epoch`.
        """
        self._check_sound()
        self._must_cover(self.size)
        if self.state.ask is not None:
            why = f"throw {self.state.ask.throw} of roll {self.state.ask.roll} waits for shares"
            raise Refused("due", why, allowed=["when it is over"])
        if self._shares.ended and self._epoch > self._accepted:
            why = f"an epoch, entry {self._epoch}, ended the chain that this client had"
            raise Refused("commitment", why, allowed=["accept_epoch"])
        return self.ask(c.AnchorShares(self._shares.anchor()))

    def shares(self, throw: c.AnyThrow, seats: Sequence[str] | None = None) -> bytes:
        """A request that asks for the shares of a throw at level `table`: its own, and of these.

        Of all others that can be asked, unless some are named. Raises Refused("nonce") where its
        own would not be this client's to open (`anchored`), else as `ask`.
        """
        self._check_sound()
        if not self._shares.anchored:
            why = f"the next share of seat {self.id} is not this client's to open, or is spent"
            raise Refused("nonce", why, allowed=["anchor"])
        waiting = roll_of(self.state, throw.roll, self.id).outstanding
        if waiting is None:
            raise Refused("commitment", f"roll {throw.roll} has no outstanding commitment")
        self._must_cover(waiting.seq + 1)
        others = askable(self.state, self.id) if seats is None else seats
        asked = tuple(sorted({self.id, *others}))
        dice = throw.dice if isinstance(throw, c.Reroll) else None
        option = throw.option if isinstance(throw, c.RollDice) else None
        return self.ask(c.Ask(throw.roll, throw.hand, waiting.seq, asked, option, dice))

    def open_share(self) -> bytes:
        """A request that opens this seat's share of the throw that the table waits for.

        Which ask it was opened for is part of `stored`, which must be kept before it is sent.
        Raises Refused: "not-offered" where none is asked for; "due" until a signed head, which was
        checked, covers the ask; "nonce" where this client may open none.
        """
        self._check_sound()
        ask = self.asked
        if ask is None:
            why = f"the table waits for no share of seat {self.id}"
            raise Refused("not-offered", why, allowed=["when it is asked"])
        self._must_cover(ask.seq + 1)
        return self.ask(c.OpenShare(ask.roll, self._shares.share(ask.seq)))

    def resend(self) -> tuple[bytes, ...]:
        """What is to be sent again after a cut, in order: the same bytes as before."""
        self._check_sound()
        return self._requests.unanswered()

    # --- shares: when ---------------------------------------------------------------------------

    def _must_cover(self, size: int) -> None:
        """Refuse with "due" until a signed head that was checked covers so many entries."""
        if not self.live or not self.confirmed or self._heads.checked < size:
            why = f"no signed head covers {size} entries"
            raise Refused("due", why, allowed=["a signed head first"])

    @property
    def may_open(self) -> bool:
        """Whether `open_share` is not refused: somebody waits, and it is this client's to open."""
        if not self.live or not self.confirmed:
            return False
        ask = self.asked
        return ask is not None and self._heads.checked > ask.seq and self._shares.opens(ask.seq)

    @property
    def should_anchor(self) -> bool:
        """Whether to `anchor`: others may ask this seat, it has no chain, and nothing is strange.

        At tables of one machine, and of other dice than fair ones, nobody asks.
        """
        if not self.live or not self.confirmed or self._heads.checked < self.size:
            return False
        state = self.state
        here = self.id in state.seats and state.seats[self.id].here
        if not here or state.source != "fair" or state.one_machine or state.ask is not None:
            return False
        if self._shares.ended and self._epoch > self._accepted:
            return False
        return not self._shares.anchored and not self._shares.strange

    @property
    def anchored(self) -> bool:
        """Whether the seat has an anchor of this client's, whose next share it can open."""
        return self._shares.anchored

    # --- taken over -------------------------------------------------------------------------------

    def _check_sound(self) -> None:
        if self.fault is not None:
            raise self.fault

    @contextmanager
    def _sound(self) -> Generator[None]:
        """Go on only while nothing was wrong, and remember what is."""
        self._check_sound()
        try:
            yield
        except Damaged as error:
            self.fault = error
            raise

    def _commit(self, commit: Commit) -> tuple[Happened, ...]:
        self._kept.take(commit.entries, commit.changed, commit.size)
        head = (HeadSeen(self.head_size),) if self._heads.grown() else ()
        return (*head, *self._folded()) if self.live else head

    def _caught_up(self, mark: CaughtUp) -> tuple[Happened, ...]:
        self._heads.ends(mark.size)
        self._kept.ends(mark.size)
        self._requests.ends(mark.size)
        found = self._folded()
        self.live = True
        self._before = mark.size
        self._since = mark.size if self._since is None else self._since
        return (*found, mark)

    def _folded(self) -> tuple[Happened, ...]:
        step = self._kept.fold()
        found: list[Happened] = [Taken(step.start, step.stop)]
        found += (each for record in step.events for each in self._of_event(record))
        again = NotMine(self._shares.distrust)
        if not step.start and self._shares.strange and again not in found:
            found.append(again)  # it was told before a restart, and holds still
        self._heads.hold()
        self._requests.came(self._kept.folded, self._shown)
        self._settle()
        return tuple(found)

    def _of_event(self, record: RecordedEvent) -> Iterator[Happened]:
        event, seq = record.event, record.seq
        first = self._kept.entries[self._kept.entries[seq].commit]
        mine = event.by == self.id and first.payload is not None
        asked = asked_in(first) if mine else None
        if asked is not None and record.first:
            became = self._requests.logged(seq, event.by, asked)
            if became is not None:
                yield became
        shared = isinstance(event, (DiceRolled, DiceRerolled)) and self._shares.made(record)
        own = self._requests.own(asked)
        strange = self._nonces.took_place(record, own=own, shared=shared)
        strange |= self._shares.took_place(record, self._kept.entries[seq].leaf)
        strange |= mine and not own and record.first and self._watch.asks_itself(event)
        news = self._since is not None and seq >= self._since
        anchors = self._since is None and isinstance(event, ShareAnchored)
        if strange and (anchors or news):
            self._shares.distrust = seq
            yield NotMine(seq)
        undone = self._watch.undone(event, self._nonces.rolls)
        if news and undone is not None:
            yield Undone(seq, undone)
        if isinstance(event, EpochBegun):
            self._epoch = seq
            self._heads.began(seq, record.leaf)
            again = ((fresh.roll, fresh.throw) for fresh in event.commits)
            given = tuple(each for each in again if self._nonces.given(*each))
            yield EpochSeen(seq, event.epoch, given, self._whole(seq))
        elif isinstance(event, ThrowAsked):
            ask = self.asked
            if ask is not None and ask.seq == seq:
                yield ShareAsked(event.roll, event.throw, event.by)

    def _whole(self, epoch: int) -> bool:
        """Whether an epoch begins behind all that was shown before: nothing of that is gone."""
        if not 0 < self._before <= epoch:
            return False
        known, self._restored = self._restored, False
        return not known

    def _shown(self, seq: int) -> bool:
        return self._kept.event(seq) is not None

    # --- throws at level `player`, and who signs --------------------------------------------------

    def _signed(self, request: WireRequest, command: c.AnyCommand) -> WireRequest:
        newest = self._heads.newest
        seated = self.size > 0 and self.id in self.state.seats
        key = self.state.seats[self.id].key if seated else None
        head = newest.head if newest is not None else None
        return signed_request(request, command, self.id, key, head, self._signers)

    def _throw(self, command: c.AnyThrow) -> c.AnyThrow:
        """A throw with its commitment and nonce, where it takes them."""
        known = roll_of(self.state, command.roll, self.id)
        given = command.committed is not None or command.nonce is not None
        if given or known.outstanding is None or not self._has_dice(command):
            return command
        throw, committed = known.outstanding.throw, known.outstanding.seq
        level = level_next(self.state, self.id, known)
        if level == "server":
            return replace(command, committed=committed)
        if level == "table":
            why = f"throw {throw} of roll {command.roll} is at level `table`: it takes shares"
            raise Refused("nonce", why, allowed=["ask"])
        if self._over_heads and not self.covers(committed + 1):
            raise Refused(
                "due", f"no signed head covers entry {committed}", allowed=["a signed head"]
            )
        nonce = self._nonces.nonce(command.roll, throw, committed, accepted=self._accepted)
        return replace(command, committed=committed, nonce=nonce)

    def _has_dice(self, command: c.AnyThrow) -> bool:
        """Whether it throws dice. Raises Refused where the seat may not throw."""
        move = next(m for m in self.moves(command.roll) if m.trigger == command.trigger)
        if not move.legal:
            code, why = move.code or "wrong-state", move.why or ""
            raise Refused(code, why, allowed=move.allowed, left_out=move.left_out)
        offers = [offer for offer in move.offers if offer.hand == command.hand]
        none = isinstance(command, c.RollDice) and any(o.link or not o.dice for o in offers)
        return not none and not (isinstance(command, c.RollDice) and command.option == 0)
