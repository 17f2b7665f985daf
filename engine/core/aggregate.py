"""A table in memory: its state, its entries, and the commands that add to them. No I/O.

A command is decided, sealed and folded first, and kept only if all of that succeeds; who keeps
entries elsewhere appends them between `prepare` and `keep`.
"""

import hmac
import secrets
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from hashlib import sha256
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from ...errors import Damaged, Defect, Refused
from ...events.asked import Asked, Text, checked_request, host_request
from ...events.checkpoint import origin_of
from ...events.codec import Event, RecordedEvent, asked_in, encode, recorded
from ...events.entry import SALT_BYTES, TEXTS, Entry, EntryClass, seal, verify, withhold
from ...events.log.protocol import Request
from ...events.merkle import Frontier, Tree
from ...events.table import EntryErased, TextSaid
from ...events.throw import fixture_salt, fixture_text_salt
from ...projections.tables import Rulesets, TableState, fold, pass_over
from ...rules import ruleset_named
from ..logs import listening, logger
from . import door
from .clock import MACHINE, MachineClock
from .commands import AnyCommand, Asking, Command, apart, worded
from .decide import Draft, decide
from .index import Index
from .parse import body_of, read_command, read_logged
from .signed import Signed, check_signed
from .sources import Seeded, Source, source_named
from .view import bring_forward, refusal_of
from .visibility import redacted
from .visible_parts import VisibleParts

FIXTURE_TABLE = "fixture0"
"""The id of a seeded or scripted table that was given none."""

TICK = 1_000
"""Milliseconds between two commits of a fixture."""


def _random_text_salt(table: str, seq: int) -> str:
    return secrets.token_hex(16)


class Environment(Struct, frozen=True):
    """The environment of a table: clock, salts, dice, and the secret behind its requests.

    `clock` takes the state and gives milliseconds since 1970-01-01 UTC; `salt` takes table and
    sequence and gives 32 bytes; `text_salt` takes the same, for the first entry of a commit, and
    gives 32 hex digits for its text. `rulesets` finds the system that a log names. `origin` is the
    name of the log for who signs, `urim.local/t/TABLE` unless given.
    """

    source: Source
    clock: Callable[[TableState | None], int]
    salt: Callable[[str, int], bytes]
    secret: bytes
    rulesets: Rulesets = ruleset_named
    text_salt: Callable[[str, int], str] = _random_text_salt
    origin: str | None = None


def environment(dice: str, secret: bytes | None = None) -> Environment:
    """The environment of a table with these dice: `fair`, `seeded:SEED`, `scripted`, `manual`.

    `secret` is the table secret, 32 bytes; a fresh one is drawn where none is given. Raises
    Refused("unknown") for other dice.
    """
    secret = secret or secrets.token_bytes(32)
    source = source_named(dice, secret)
    if dice in ("fair", "manual"):
        return Environment(source, MACHINE, _random_salt, secret)
    seed = source.seed if isinstance(source, Seeded) else dice
    fixed = sha256(f"urim/1 fixture secret\n{seed}\n".encode()).digest()
    return Environment(
        source,
        _ticks,
        lambda table, seq: fixture_salt(seed, table, seq),
        fixed,
        text_salt=lambda table, seq: fixture_text_salt(seed, table, seq),
    )


def table_id(dice: str) -> str:
    """An id for a new table: random, or `fixture0` where the dice repeat."""
    return secrets.token_hex(8) if dice in ("fair", "manual") else FIXTURE_TABLE


def _random_salt(table: str, seq: int) -> bytes:
    return secrets.token_bytes(SALT_BYTES)


def _ticks(state: TableState | None) -> int:
    return 0 if state is None else state.at + TICK


# --- the table ------------------------------------------------------------------------------------


class Prepared(Struct, frozen=True):
    """A commit decided, sealed and folded, but not kept: entries, and the table after them."""

    entries: tuple[Entry, ...]
    records: tuple[RecordedEvent, ...]
    state: TableState
    request: Request | None = None


def classified(
    drafts: Sequence[Draft], seat: str, text: Text | None
) -> Iterator[tuple[EntryClass, Event]]:
    """The events of a commit, each with the class of its entry; the text is the last of them.

    It is as hidden as the first: a seat that sees what was asked may read why.
    """
    for draft in drafts:
        yield ("hidden" if draft.hidden else "open"), draft.event
    if drafts and text is not None:
        kind: EntryClass = "hidden-text" if drafts[0].hidden else "text"
        yield kind, TextSaid(seat, text.salt, text.text)


class Kept(Struct):
    """Where an Aggregate keeps its table: in memory, unless others are given.

    `index` says where in the entries is what. `opened` gives the state of a table that was just
    opened, what grows in it kept elsewhere.
    """

    entries: MutableSequence[Entry] = field(default_factory=list[Entry])
    records: MutableSequence[RecordedEvent | None] = field(
        default_factory=list[RecordedEvent | None]
    )
    index: Index = field(default_factory=Index)
    visible_parts: VisibleParts = field(default_factory=VisibleParts)
    tree: Tree = field(default_factory=Tree)
    opened: Callable[[TableState], TableState] = lambda state: state


class Aggregate:
    """A table, all of whose commands go through here; `kept` is where it keeps what grows.

    `stored` is how many bytes the payloads have that were loaded or kept, and are in memory.
    """

    def __init__(self, environment: Environment, kept: Kept | None = None) -> None:
        self.environment = environment
        self.state: TableState | None = None
        self.kept = kept or Kept()
        self.entries = self.kept.entries
        self.records = self.kept.records
        self.visible_parts = self.kept.visible_parts
        self.index = self.kept.index
        self.stored = 0
        self._frontier = Frontier()
        self._measured: tuple[int, int] | None = None
        self._answered: dict[tuple[str, str], tuple[bytes, tuple[Entry, ...]]] = {}

    def __repr__(self) -> str:
        """In short, as that of the state."""
        return f"<Aggregate {self.state.summary if self.state else 'not open'}>"

    @property
    def opened(self) -> TableState:
        """The state. Raises Refused("unknown") before the table is opened."""
        if self.state is None:
            raise Refused("unknown", "the table is not open yet", allowed=["open"])
        return self.state

    @property
    def frontier(self) -> Frontier:
        """The right-hand edge of the Merkle tree over all entries, extended to the last of them."""
        size = self._frontier.size
        if size < len(self.entries):
            self._frontier = self._frontier.extend(entry.leaf for entry in self.entries[size:])
        return self._frontier

    @frontier.setter
    def frontier(self, tree: Frontier) -> None:
        """Take over the tree of the loaded entries from the reader that checked them."""
        if tree.size > len(self.entries):
            raise Defect(f"a tree of {tree.size} leaves over {len(self.entries)} entries")
        self._frontier = tree

    @property
    def tree(self) -> Tree:
        """The Merkle tree over all entries with its nodes, for proofs; extended to the last."""
        tree = self.kept.tree
        if tree.size < len(self.entries):
            tree.extend([entry.leaf for entry in self.entries[tree.size :]])
        return tree

    @property
    def origin(self) -> str:
        """The name of the log, for who signs. Raises Refused as `opened`."""
        return self.environment.origin or origin_of(self.opened.id)

    def root_at(self, size: int) -> bytes:
        """The root of the first `size` entries. Raises Refused("out-of-range") for more."""
        return self.tree.root(size)

    def submit(
        self,
        seat: str,
        asking: Asking,
        request: str | None = None,
        signed: Signed | None = None,
    ) -> tuple[Entry, ...]:
        """Do what a seat asks, and give the entries that it added, as the seat may see them.

        Idempotent by request id: the same seat, id and command get the same entries again, as that
        seat may see them now. Raises Refused, and then nothing has changed; "request-reused" for
        another command under an id that was used.
        """
        command, text = apart(asking)
        body = body_of(command)
        if request is not None:
            before = self.answered(seat, request, body)
            if before is not None:
                return before
        prepared = self.prepare(seat, body, request, text, signed=signed)
        self.keep(prepared)
        return self._redacted(seat, prepared.entries)

    def worded(self, command: Command, words: str | None) -> Asking:
        """The command with these words, if there are any; a fixture's salt repeats."""
        if words is None:
            return cast(AnyCommand, command)
        state = self.opened
        return worded(command, words, self.environment.text_salt(state.id, state.size))

    def answered(self, seat: str, request: str, body: bytes) -> tuple[Entry, ...] | None:
        """The entries that this request added, or None if it is new."""
        known = self._answered.get((seat, request))
        if known is None:
            return None
        mac, entries = known
        if not hmac.compare_digest(mac, self._mac(body)):
            raise Refused(
                "request-reused",
                f"request {request!r} of seat {seat!r} was another command",
                allowed=["a new id"],
            )
        return self._redacted(seat, entries)

    def _redacted(self, seat: str, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        # Read again by sequence: an entry may have been erased since.
        now = (self.entries[entry.seq] for entry in entries)
        return tuple(redacted(self.opened, seat, entry) for entry in now)

    def _mac(self, body: bytes) -> bytes:
        # Not `hmac.digest`: it lets other threads go first, and a command then waits for its turn.
        return hmac.new(self.environment.secret, body, "sha256").digest()

    @staticmethod
    def body(command: Command) -> bytes:
        """The command as the JSON that `prepare` takes. Raises Refused if JSON cannot carry it."""
        return body_of(command)

    def command_at(self, seq: int) -> AnyCommand:
        """The command behind the commit that begins with entry `seq`. Raises Damaged for none."""
        return read_logged(self.asked_at(seq).body)

    def last_asked(self, seat: str) -> Asked | None:
        """What a seat asked last, since it was taken for its person."""
        seq = self.index.asked.get(seat)
        return None if seq is None else self.asked_at(seq)

    def asked_at(self, seq: int) -> Asked:
        """What was asked by the commit that begins with entry `seq`. Raises Damaged for none."""
        asked = asked_in(self.entries[seq])
        if asked is None:
            raise Damaged("it does not say what was asked", seq=seq)
        return asked

    def now(self) -> int:
        """The time that the next commit gets: the clock's, but never before the last entry's.

        Where the clock is behind, it is the last entry's time and what has passed since then, as
        far as this process knows: a clock that was once ahead makes nobody wait for it.
        """
        now = self.environment.clock(self.state)
        return max(now, self.state.at, self._at_least()) if self.state else now

    @property
    def ahead(self) -> int:
        """By how many milliseconds the table's time is ahead of its environment's clock."""
        return max(0, self.now() - self.environment.clock(self.state))

    def _at_least(self) -> int:
        """The last entry's time that time was measured from, and what has passed since."""
        if self._measured is None:
            return 0
        at, then = self._measured
        return at + self._monotonic() - then

    def _measure(self) -> None:
        """Measure time from the last entry, unless so much has passed since an earlier one."""
        if self.state is not None and self.state.at > self._at_least():
            self._measured = (self.state.at, self._monotonic())

    def _monotonic(self) -> int:
        clock = self.environment.clock
        return clock.monotonic() if isinstance(clock, MachineClock) else 0

    def prepare(
        self,
        seat: str,
        body: bytes,
        request: str | None = None,
        text: Text | None = None,
        checked: Callable[[AnyCommand], None] = lambda command: None,
        signed: Signed | None = None,
    ) -> Prepared:
        """Decide a command, given as JSON; seal and fold its events; keep nothing yet.

        `text` is what the command holds the hash of; it becomes the last entry. `checked` is
        called with the command once it is read: what it raises is the answer. `signed` is what
        comes with the request of a seat that has a key.
        """
        known: dict[str, object] = {"seat": seat, "request": request}
        if self.state is not None:
            known["table"] = self.state.id
        try:
            if request is not None:
                checked_request(request)
            command = read_command(body)
            known |= {"command": type(command).__name__, "roll": getattr(command, "roll", None)}
            checked(command)
            at = self.now()
            size = self.state.size if self.state else 0
            seen, sig = (signed.seen, signed.sig) if signed else (None, None)
            asked = Asked(request or host_request(size), body.decode("utf-8"), seen, sig)
            check_signed(self.state, seat, command, asked, self)
            drafts = self._decided(seat, command, text, at)
            prepared = self._sealed(classified(drafts, seat, text), at, asked)
        except Refused as error:
            if listening():
                logger.info("command refused", **known, code=error.code)
            raise
        if listening():
            names = [type(draft.event).__name__ for draft in drafts]
            logger.info("command decided", **known, events=names, size=prepared.state.size)
        if request is None:
            return prepared
        mac = Request(id=request, seat=seat, mac=self._mac(body))
        return replace(prepared, request=mac)

    def _decided(
        self, seat: str, command: AnyCommand, text: Text | None, at: int
    ) -> tuple[Draft, ...]:
        """What a command leads to. Raises Refused, worded from what the seat may see."""
        environment = self.environment

        def ask(state: TableState | None) -> tuple[Draft, ...]:
            door.check(state, seat, command, text)
            return decide(
                state,
                seat,
                command,
                environment.source,
                now=at,
                rulesets=environment.rulesets,
                command_at=self.command_at,
            )

        try:
            return ask(self.state)
        except Refused as error:
            if self.state is None:
                raise
            raise refusal_of(self.state, seat, error, ask) from error

    def _sealed(
        self, events: Iterable[tuple[EntryClass, Event]], at: int, asked: Asked | None
    ) -> Prepared:
        state = self.state
        entries: list[Entry] = []
        records: list[RecordedEvent] = []
        for kind, event in events:
            payload = encode(event, None if entries else asked)
            door.measure(event, payload)
            seq = state.size if state else 0
            table = state.id if state else getattr(event, "table", "")
            commit = entries[0].seq if entries else seq
            entry = seal(seq, at, kind, self.environment.salt(table, seq), payload, commit)
            record = recorded(entry)
            state = self._after(state, record)
            entries.append(entry)
            records.append(record)
        if state is None:
            raise Defect("a command opened no table and was not refused")
        return Prepared(tuple(entries), tuple(records), state)

    def keep(self, prepared: Prepared) -> None:
        """Make a prepared commit part of the table. Raises Defect if the table went on since."""
        size = len(self.entries)
        if prepared.entries and prepared.entries[0].seq != size:
            raise Defect(f"a commit for entry {prepared.entries[0].seq} kept at {size}")
        self.entries.extend(prepared.entries)
        self.records.extend(prepared.records)
        if self.state is not None:
            bring_forward(self.state, prepared.state, prepared.records)
        self.state = prepared.state
        self._measure()
        for entry, record in zip(prepared.entries, prepared.records, strict=True):
            self._note(prepared.state, entry, record)
            self._erase(record)
        if prepared.request and prepared.entries:
            key = (prepared.request.seat, prepared.request.id)
            self._answered[key] = (prepared.request.mac, prepared.entries)

    def _note(self, state: TableState, entry: Entry, record: RecordedEvent | None) -> None:
        """Take an entry that was kept into the indexes."""
        self.stored += len(entry.payload or b"")
        self.visible_parts.note(state, entry, record)
        event = None if record is None else record.event
        first = entry.seq == entry.commit
        self.index.note(entry.seq, event, state.entry_rolls.get(entry.seq), first=first)

    def _erase(self, record: RecordedEvent | None) -> None:
        """Withhold the text that an erasure names. Raises Damaged for any other entry."""
        if record is not None and isinstance(record.event, EntryErased):
            erased = record.event.seq
            if erased >= record.seq or self.entries[erased].kind not in TEXTS:
                raise Damaged(f"it erases entry {erased}, which is no text", seq=record.seq)
            self.entries[erased] = withhold(self.entries[erased])
            self.records[erased] = None

    def load(self, entries: Iterable[Entry], *, checked: bool = False) -> None:
        """Take over entries that were written before, or a seat's view of them, checking each.

        `checked`: the reader has compared each with its digests already. Raises Damaged, naming the
        entry, where they leave a gap, go back in time, or do not match their digests.
        """
        for entry in entries:
            self._load(entry, checked=checked)
        self._measure()

    def _load(self, entry: Entry, *, checked: bool) -> None:
        size = len(self.entries)
        if entry.seq != size:
            raise Damaged(f"expected entry {size}", seq=entry.seq)
        if self.state is not None and entry.at < self.state.at:
            raise Damaged(f"time goes back from {self.state.at} to {entry.at}", seq=entry.seq)
        if not checked:
            verify(entry)
        record = recorded(entry) if entry.payload is not None else None
        self._goes_on(entry, record)
        if record is not None:
            self.state = self._folded(record)
        elif self.state is not None:
            self.state = pass_over(self.state, entry)
        else:
            raise Damaged("a table's first entry cannot be withheld", seq=entry.seq)
        self.entries.append(entry)
        self.records.append(record)
        self._note(self.state, entry, record)
        self._erase(record)

    def _goes_on(self, entry: Entry, record: RecordedEvent | None) -> None:
        """Check that an entry begins its commit, and then says what was asked, or continues it."""
        first = entry.commit == entry.seq
        last = self.entries[-1] if self.entries else None
        if not first and (last is None or last.commit != entry.commit):
            raise Damaged(f"it is of commit {entry.commit}, which is not here", seq=entry.seq)
        if record is not None and record.first != first:
            why = "says what was asked" if record.first else "does not say what was asked"
            raise Damaged(f"it {why}, in commit {entry.commit}", seq=entry.seq)

    def _folded(self, record: RecordedEvent) -> TableState:
        """The table after a loaded entry, which may be forged: any error is the log's fault."""
        if self.state is None:
            return self._after(None, record)
        try:
            return self._after(self.state, record)
        except (Refused, LookupError, TypeError, ValueError) as error:
            raise Damaged(f"the table cannot go on from here: {error}", seq=record.seq) from error

    def _after(self, state: TableState | None, record: RecordedEvent) -> TableState:
        after = fold(state, record, self.environment.rulesets)
        return after if state is not None else self.kept.opened(after)

    def view(self, seat: str) -> tuple[Entry, ...]:
        """Every entry as the seat may have it now: hidden rolls it may not see as sealed lines."""
        state = self.opened
        return tuple(redacted(state, seat, entry) for entry in self.entries)


def table_of(entries: Sequence[Entry]) -> Aggregate:
    """The table of these entries, each checked; for reading alone. Raises Damaged."""
    found = Aggregate(environment("scripted"))
    found.load(entries)
    return found
