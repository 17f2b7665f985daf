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
from ...events.line import entry_line
from ...events.log.protocol import CaughtUp
from ...events.merkle import Proof
from ...events.roll import NonceCommitted
from ...events.table import EpochBegun
from ...events.throw import checked_seat, checked_table, nonce_commitment, throw_id
from ...projections.rollstate import Binding
from ...projections.tables import Rulesets, TableState
from ...rules import ruleset_named
from ...rules.words import ENGLISH
from ..core.attempt import others_here, roll_of
from ..core.commands import AnyThrow, Asking, CommitNonce, Reroll, RollDice, Witness, worded
from ..core.moves import Awaiting, Move, RollMoves, awaiting, legal_moves, moves
from ..core.refusal import Refusal
from ..core.sight import Sight, sight
from ..service.feed import Behind, Commit, Left, Message
from .fault import fault_of
from .happened import (
    Done,
    EpochSeen,
    Happened,
    HeadSeen,
    NonceAsked,
    NotDone,
    NotMine,
    Taken,
)
from .heads import Forked, Heads, Tree
from .kept import Kept
from .nonces import Nonces
from .requests import Requests
from .stored import Stored


class Seat:
    """One client of a seat at a table whose host signs with one of these keys.

    `draw` gives so many random bytes. With `over_heads` a nonce is drawn only for a commitment that
    a signed head covers (`covers`). Raises Refused("malformed") for a table or seat not of its
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
        self._nonces = Nonces(table, seat, draw)
        self._requests = Requests(seat, device or draw(8).hex(), draw)
        self._accepted = self._epoch = -1
        self._since: int | None = None
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
    ) -> "Seat":
        """Go on from a stored state: the log must begin with what the seat was shown then.

        It begins without entries: let the feed send all, or give `receive` those that were kept
        elsewhere first. A fault that is stored is there again (`fault`). Raises Damaged for a
        stored head that none of the keys signed.
        """
        found = cls(
            stored.table,
            stored.seat,
            keys,
            rulesets=rulesets,
            draw=draw,
            over_heads=over_heads,
            device=stored.device,
        )
        if stored.size:
            found._heads.resume(stored.note, stored.size, bytes.fromhex(stored.root))
        found._nonces.resume(stored.held, stored.used)
        found._requests.resume(stored.pending, stored.made)
        found._accepted = stored.accepted
        found._since = stored.size
        found.fault = stored.fault.error if stored.fault is not None else None
        return found

    def stored(self) -> Stored:
        """What is to be kept; before anything is sent that was asked for since."""
        size, root = self._heads.shown
        newest = self._heads.newest
        return Stored(
            table=self.table,
            seat=self.id,
            device=self._requests.device,
            note=newest.note if newest else None,
            size=size,
            root=root.hex(),
            accepted=self._accepted,
            held=self._nonces.held,
            pending=self._requests.pending,
            made=self._requests.remembered,
            used=self._nonces.used,
            fault=fault_of(self.fault),
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
        """The host refused a request. A nonce that was in it stays the one for its throw."""
        self._check_sound()
        return (NotDone(request, refusal),) if self._requests.refused(request) else ()

    def shorter(self, note: bytes) -> NoReturn:
        """The feed refused `after`, and `note` is the head of its log. Raises Forked.

        Damaged where that log is not shorter than this one.
        """
        with self._sound():
            self._heads.shorter(note)
            raise Damaged("the feed refused to go on, and its log is no shorter")

    def accept_epoch(self) -> None:
        """The player knows of the epoch: nonces are drawn for the commitments that it renewed."""
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

    def ask(self, asking: Asking) -> bytes:
        """A request to send: a command, with an id of its own.

        A throw that names no commitment gets the outstanding one, and the nonce that its level
        asks for. Raises Refused where there is none, or the seat's own nonce is not bound yet.
        """
        self._check_sound()
        if isinstance(asking, (RollDice, Reroll)):
            asking = self._throw(asking)
        return self._requests.made(asking).written()

    def say(self, command: Asking, words: str) -> bytes:
        """A request with a text, under a new salt."""
        return self.ask(worded(command, words, self._draw(16).hex()))

    def bind(self, roll: int, asked: Sequence[str] | None = None) -> bytes:
        """A request at level `table`: bind a nonce for the next throw, and ask others for theirs.

        All other seats are asked unless some are named.
        """
        self._check_sound()
        throw, committed = self._outstanding(roll)
        nonce = self._nonce(roll, throw, committed)
        bound = nonce_commitment(throw_id(self.table, roll, throw), nonce).hex()
        seats = others_here(self.state, self.id) if asked is None else tuple(asked)
        return self.ask(CommitNonce(roll, bound, committed, seats))

    def witness(self, roll: int) -> bytes:
        """A request that gives a nonce for somebody else's throw, which this seat was asked for.

        Raises Refused("nonce") where it was not asked, gave one, or is asked for another one.
        """
        self._check_sound()
        binding = self.binding(roll)
        if binding is None or self.id not in binding.silent:
            why = f"nobody waits for a nonce of seat {self.id} in roll {roll}"
            raise Refused("nonce", why, allowed=["when it is asked"])
        record = self._kept.event(binding.seq)
        if record is None or not isinstance(record.event, NonceCommitted):
            raise Refused("nonce", f"entry {binding.seq} does not show what it asks for")
        event = record.event
        self._ready(event.committed)
        nonce = self._nonces.nonce(
            "witness",
            roll,
            event.throw,
            event.committed,
            accepted=self._accepted,
            bound=event.nonce_commit,
        )
        return self.ask(Witness(roll, nonce))

    def resend(self) -> tuple[bytes, ...]:
        """What is to be sent again after a cut, in order: the same bytes as before."""
        self._check_sound()
        return self._requests.unanswered()

    # --- what may be asked of it ------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many entries came."""
        return self._kept.size

    @property
    def head_size(self) -> int:
        """How many entries the newest head covers that is known to be of this log; 0 for none."""
        return self._heads.newest.head.size if self._heads.newest else 0

    def covers(self, size: int) -> bool:
        """Whether a signed head covers so many entries, or none can.

        After an epoch the host signs no size again that it signed before, of the log that was lost.
        Only the host knows how many those are: what is unsigned is taken from the entry that begins
        the epoch (`EpochSeen`) until the first head that covers it, and never after that.
        """
        return self.head_size >= size or self._unsigned

    @property
    def _unsigned(self) -> bool:
        return self._epoch >= 0 and self._heads.largest <= self._epoch

    @property
    def confirmed(self) -> bool:
        """Whether all is here that the seat was shown before it was stored."""
        return self._heads.confirmed

    @property
    def state(self) -> TableState:
        """The table as the seat may see it. Raises Refused("unknown") before its first entry."""
        return self._kept.state

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The entries as lines, as the seat may have them."""
        return tuple(map(entry_line, self._kept.entries))

    def sight(self, language: str = ENGLISH) -> Sight:
        """The table as a structure. Raises Refused("unknown") for a seat not there."""
        return sight(self.state, self.id, language=language)

    def legal_moves(self, now: int | None = None) -> tuple[RollMoves, ...]:
        """What the seat may do; `now` in milliseconds since 1970, else the last entry's time."""
        return legal_moves(self.state, self.id, now=now)

    def moves(self, roll: int, now: int | None = None) -> tuple[Move, ...]:
        """Every trigger of one roll."""
        return moves(self.state, self.id, roll, now=now)

    def awaiting(self, now: int | None = None, language: str = ENGLISH) -> tuple[Awaiting, ...]:
        """What the table waits for the seat to do."""
        return awaiting(self.state, self.id, now=now, language=language)

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
        if self._since is None:
            self._since = mark.size
        return (*found, mark)

    def _folded(self) -> tuple[Happened, ...]:
        step = self._kept.fold()
        found: list[Happened] = [Taken(step.start, step.stop)]
        for record in step.events:
            found += self._of_event(record)
        self._requests.came(self._kept.folded, self._shown)
        self._settle()
        return tuple(found)

    def _of_event(self, record: RecordedEvent) -> Iterator[Happened]:
        event, seq = record.event, record.seq
        first = self._kept.entries[self._kept.entries[seq].commit]
        mine = event.by == self.id and first.payload is not None
        asked = asked_in(first) if mine else None
        if asked is not None and record.first:
            news = self._requests.logged(seq, event.by, asked)
            if news is not None:
                yield news
        strange = self._nonces.took_place(record, own=self._requests.own(asked))
        if strange and self._since is not None and seq >= self._since:
            yield NotMine(seq)
        if isinstance(event, EpochBegun):
            self._epoch = seq
            again = ((fresh.roll, fresh.throw) for fresh in event.commits)
            given = tuple(each for each in again if self._nonces.given(*each))
            yield EpochSeen(seq, event.epoch, given)
        elif isinstance(event, NonceCommitted):
            binding = self.binding(event.roll)
            if binding is not None and binding.seq == seq and self.id in binding.silent:
                yield NonceAsked(event.roll, event.throw, event.by)

    def _shown(self, seq: int) -> bool:
        return self._kept.event(seq) is not None

    # --- nonces -----------------------------------------------------------------------------------

    def binding(self, roll: int) -> Binding | None:
        """The nonce that is bound for the next throw of a roll; None where none is."""
        known = self.state.rolls.get(roll)
        return known.binding if known is not None else self.state.hidden.nonces.get(roll)

    def _outstanding(self, roll: int) -> tuple[int, int]:
        """Throw and entry of the commitment that the next throw of a roll answers."""
        waiting = roll_of(self.state, roll, self.id).outstanding
        if waiting is None:
            raise Refused("commitment", f"roll {roll} has no outstanding commitment")
        return waiting.throw, waiting.seq

    def _ready(self, committed: int) -> None:
        """Refuse to draw a nonce for what no signed head covers, where that is asked."""
        if self._over_heads and not self.covers(committed + 1):
            why = f"no signed head covers entry {committed}"
            raise Refused("due", why, allowed=["a signed head first"])

    def _nonce(self, roll: int, throw: int, committed: int) -> str:
        self._ready(committed)
        return self._nonces.nonce("throw", roll, throw, committed, accepted=self._accepted)

    def _throw(self, command: AnyThrow) -> AnyThrow:
        """A throw with its commitment and nonce, where it takes them."""
        known = roll_of(self.state, command.roll, self.id)
        given = command.committed is not None or command.nonce is not None
        if given or known.outstanding is None or not self._has_dice(command):
            return command
        throw, committed = known.outstanding.throw, known.outstanding.seq
        command = replace(command, committed=committed)
        if known.level == "server":
            return command
        if known.level == "table":
            self._check_bound(command.roll, throw, committed)
        return replace(command, nonce=self._nonce(command.roll, throw, committed))

    def _has_dice(self, command: AnyThrow) -> bool:
        """Whether it throws dice. Raises Refused where the seat may not throw."""
        move = next(m for m in self.moves(command.roll) if m.trigger == command.trigger)
        if not move.legal:
            code, why = move.code or "wrong-state", move.why or ""
            raise Refused(code, why, allowed=move.allowed, left_out=move.left_out)
        offers = [offer for offer in move.offers if offer.hand == command.hand]
        none = isinstance(command, RollDice) and any(o.link or not o.dice for o in offers)
        return not none and not (isinstance(command, RollDice) and command.option == 0)

    def _check_bound(self, roll: int, throw: int, committed: int) -> None:
        """Refuse to give away a nonce before every other one is there."""
        binding = self.binding(roll)
        held = self._nonces.known("throw", roll, throw, committed)
        id = throw_id(self.table, roll, throw)
        if binding is None:
            why = f"throw {id} needs the nonces of others, and this seat's own is not bound"
            raise Refused("nonce", why, allowed=["bind"])
        if binding.seat != self.id or held is None:
            raise Refused("nonce", f"throw {id} was bound by seat {binding.seat}, elsewhere")
        if nonce_commitment(id, held.nonce).hex() != binding.nonce_commit:
            raise Refused("nonce", f"throw {id} was bound with another nonce, elsewhere")
        if binding.silent:
            silent = ", ".join(binding.silent)
            raise Refused("nonce", f"throw {id} waits for {silent}", allowed=["pass_over"])
