"""Schedules against the real code: a host that cheats, its league, and one honest seat's client.

The host holds the table's secret, its salts and the key that signs; the roller p1, p2 and the
narrator are in league with it. p3 is honest and has no key: `urim.engine.seat` is its client, which
is shown what the host likes and answers by its own rules. The league wants half of the faces of one
die, the even ones of a d12, in the throw that stands in the end. `tests.model.ways` has how it
tries to get them, `tests.model.builds` the builds with a rule taken out.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import count, groupby
from typing import Any, NamedTuple

from tests.engine.helpers.tables.forging import lines, note
from tests.engine.helpers.tables.host import Host
from urim.engine.audit import audit
from urim.engine.core.commands import Asking, Note, OpenShare, Resolve, RollDice
from urim.engine.core.limits import NARRATOR
from urim.engine.core.parse import read_logged
from urim.engine.core.refusal import Refusal
from urim.engine.core.request import WireRequest, read_request
from urim.engine.seat import Seat
from urim.engine.seat.happened import Contradicted, EpochSeen, Happened, NotMine
from urim.engine.seat.stored import read_stored
from urim.engine.service.feed import Commit
from urim.engine.testing.kit.luck import Luck
from urim.engine.verifier import urimcheck
from urim.errors import Damaged, Refused
from urim.events import throw as urim1
from urim.events.base import Level, Visibility
from urim.events.checkpoint import read_key
from urim.events.entry import Entry
from urim.events.line import entry_line
from urim.events.log.protocol import CaughtUp
from urim.events.roll import DiceRolled, RollDeclared
from urim.events.ruling import RollAmended
from urim.events.share import link

ROLLER, LEAGUE, HONEST = "p1", ("p1", "p2", NARRATOR), "p3"
HAND, DEED, OTHER, KIND = "dice", "1d12", "2d6", "d12"

GRINDING = 200
"""How often a host tries to make something up that suits it."""


def wanted(face: object) -> bool:
    """Whether a face is of the class that the league wants: half of all faces are."""
    return isinstance(face, int) and face % 2 == 0


# --- the honest seat ----------------------------------------------------------------------------


class Client:
    """The honest seat's client, and what its player found wrong (`complaint`)."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._key = read_key(host.vkey)
        self._drawn = count()
        self.complaint = ""
        self.seat = Seat(host.state.id, HONEST, [self._key], draw=self._draw, over_heads=True)
        self.seat.begin()

    def _draw(self, size: int) -> bytes:
        text = f"honest\n{self._host.seed}\n{next(self._drawn)}"
        return sha256(text.encode()).digest()[:size]

    def show(self, entries: Sequence[Entry], *, head: bool = True) -> None:
        """Send it the entries that it has not, all at once, and perhaps a head that covers them."""
        try:
            for _, every in groupby(entries[self.seat.size :], lambda entry: entry.commit):
                sent = tuple(every)
                size = sent[-1].seq + 1
                self._sees(self.seat.receive(Commit(size, tuple(map(entry_line, sent)))))
            if not self.seat.live:
                self._sees(self.seat.receive(CaughtUp(len(entries))))
            if head:
                self.seat.head(note(entries, self._host.origin, self._host.private))
        except Damaged as error:
            self.complaint = self.complaint or f"{type(error).__name__}: {error.why}"

    def _sees(self, happened: Iterable[Happened]) -> None:
        for each in happened:
            if isinstance(each, (NotMine, Contradicted)):
                self.complaint = self.complaint or f"{each}"
            elif isinstance(each, EpochSeen):
                self.seat.accept_epoch()  # its player knows of a restore

    def restart(self) -> None:
        """Its device starts again from what it stored: all entries are sent once more."""
        stored = self.seat.stored().written()
        keys = [self._key]
        self.seat = Seat.resume(read_stored(stored), keys, draw=self._draw, over_heads=True)
        self.seat.begin()

    def compare(self, entries: Sequence[Entry]) -> tuple[bytes, ...]:
        """The player looks at the whole log at the end; gives the head that an audit is given."""
        held = self.seat.stored().note
        if not self.complaint:
            self.seat.cut()
            self.seat.begin()
            self.show(entries)
            held = self.seat.stored().note
        return () if held is None else (held,)

    # --- what it sends --------------------------------------------------------------------------

    def sends(self, asking: Asking) -> WireRequest | None:
        """Its request for something; None where its client refuses."""
        return self._made(lambda: self.seat.ask(asking))

    def anchors(self) -> WireRequest | None:
        """Its request to anchor, if it should."""
        return self._made(self.seat.anchor) if self.seat.should_anchor else None

    def opens(self) -> WireRequest | None:
        """Its request to open a share, if its client lets it."""
        return self._made(self.seat.open_share)

    def _made(self, make: Any) -> WireRequest | None:
        try:
            return None if self.complaint else read_request(make())
        except Refused:
            return None

    def refused(self, request: WireRequest) -> None:
        """The host says that it did not do a request."""
        self.seat.refused(str(request.request), Refusal("not-offered", "try again", ()))


# --- the league -----------------------------------------------------------------------------------


class Play:
    """One schedule: the log as the host has it, the client, and what came out.

    `out`: a secret of the honest seat's was sent. `early`: the league was found out before. `held`
    is the request of the honest seat that is not in the log yet.
    """

    def __init__(self, seed: str, level: Level = "table", roller: str = ROLLER) -> None:
        self.luck = Luck(seed)
        self.host = Host("plain", seed=seed, level=level)
        for seat in ("p2", HONEST):
            self.host.seat(seat)
        self.host.character(ROLLER, {})
        self.roller = roller
        if roller != ROLLER:
            self.host.character(roller, {})
        self.client = Client(self.host)
        self.out = self.early = False
        self.held: WireRequest | None = None
        self.number = self.epochs = 0

    # --- what is written ------------------------------------------------------------------------

    def log(self, request: WireRequest | None) -> int:
        """Do what the honest seat asks; gives the first entry."""
        assert request is not None
        first = len(self.host.entries)
        aggregate = self.host.aggregate
        body = request.body.encode()
        aggregate.keep(aggregate.prepare(HONEST, body, request.request, request.text))
        return first

    def show(self, *, head: bool = True) -> None:
        """Show the honest seat the log as it is now."""
        self.client.show(self.host.entries, head=head)

    def anchor(self, seats: Iterable[str]) -> None:
        """Let these seats anchor, in this order."""
        for seat in seats:
            if seat != HONEST:
                self.host.anchor(seat)
            else:
                self.show()
                request = self.client.anchors()
                if request is not None:
                    self.log(request)

    def anchor_all(self, *, every: bool) -> None:
        """Let p1 and p3 anchor, and every or some others of the league, in some order."""
        others = [seat for seat in LEAGUE[1:] if every or self.luck.one_in(2)]
        self.anchor(self.luck.shuffled([ROLLER, HONEST, *others]))

    def declare(
        self, expression: str = DEED, who: str = "c1", visibility: Visibility = "public"
    ) -> int:
        """Declare a roll of the roller's, by default the deed; gives its number."""
        level: Level | None = "table" if self.host.state.level != "table" else None
        self.number = self.host.declare(
            who, expression=expression, visibility=visibility, level=level
        )
        return self.number

    def ask(self, seats: Sequence[str] = ()) -> None:
        """Ask for the shares of the deed: the roller's, p3's, and of these or all that are awake.

        To pass over one that is awake is a look.
        """
        asleep = self.host.state.kept_back
        named = {self.roller, HONEST, *(seats or (e for e in self.anchored() if e not in asleep))}
        self.host.ask_for(self.number, self.roller, HAND, seats=tuple(sorted(named)))

    def anchored(self) -> list[str]:
        """The others of the league that may be asked."""
        seats = self.host.state.seats
        return [each for each in LEAGUE if each != self.roller and seats[each].anchor is not None]

    def hear(self) -> str | None:
        """Show the honest seat the ask; gives the share that it sends, None where it does not."""
        if self.luck.one_in(5):
            self.show(head=False)
            self.client.restart()
        self.show()
        return self.take(self.client.opens())

    def take(self, request: WireRequest | None) -> str | None:
        """Take a request of the honest seat in, which has its share or nonce; that, or None."""
        if request is None:
            return None
        if not self.out:
            self.early = self.given_away()
        self.out = True
        self.held = request
        command = read_logged(request.body)
        return command.share if isinstance(command, OpenShare) else nonce_in(command)

    def given_away(self) -> bool:
        """Whether the league can be found out by now; only what is open can be."""
        # What is no look at any table is no look at this one: most schedules begin like that.
        signs = (b"epoch-begun/", b"throw-broken/", b'"left":[')
        odd = any(each in (e.payload or b"") for e in self.host.entries for each in signs)
        return bool(self.client.complaint) or (odd and bool(looks(self.host, self.host.entries)))

    # --- what it comes to -----------------------------------------------------------------------

    def shares(self, heard: str, seats: Iterable[str] | None = None) -> dict[str, str]:
        """The share of every seat that is asked, or of these: all are known by now."""
        waiting = self.host.state.ask
        assert waiting is not None
        named = [seat for seat, _ in waiting.asked] if seats is None else seats
        return {seat: heard if seat == HONEST else self.host.share(seat) for seat in named}

    def suits(self, shares: Mapping[str, str], leaf: bytes | None = None) -> bool:
        """Whether the deed falls as the league likes with these shares, or the roller's nonce."""
        waiting = self.host.roll(self.number).outstanding
        assert waiting is not None
        seed = bytes.fromhex(self.seed_of(waiting.throw))
        others = sorted((seat, each) for seat, each in shares.items() if seat != self.roller)
        id = urim1.throw_id(self.host.state.id, self.number, waiting.throw)
        text = urim1.transcript(
            id, waiting.seq, leaf or waiting.leaf, self.roller, shares[self.roller], others
        )
        faces = self.host.state.game.faces[KIND]
        return wanted(faces[urim1.keyed(seed, text)(0, len(faces))[0]])

    def seed_of(self, throw: int) -> str:
        """S of a throw of the deed."""
        found = self.host.source.open(self.host.state.id, self.number, throw)
        assert found is not None
        return found

    def chain(self, seat: str, i: int) -> tuple[str, str, str]:
        """A new chain of a seat's that the league makes: its anchor, its last link, and link i."""
        self.host.sent += 1
        last, table = self.host.drawn(f"chain {self.host.sent}").hex(), self.host.state.id
        share = link(table, seat, last, i)
        return link(table, seat, share, 1000 - i), last, share

    def suited(self, i: int, shares: Mapping[str, str]) -> tuple[str, str, str]:
        """Such a chain of the roller's whose link i suits with the shares of the others."""
        found = self.chain(ROLLER, i)
        for _ in range(GRINDING):
            if self.suits({**shares, ROLLER: found[-1]}):
                break
            found = self.chain(ROLLER, i)
        return found

    def again(self, entries: Iterable[Entry]) -> Host:
        """The host as if its log had been these entries so far."""
        host = self.host.anew(entries)
        if self.epochs:
            host.begin(self.epochs)
        return host

    # --- played -----------------------------------------------------------------------------------

    def log_held(self) -> None:
        """Put the honest seat's share into the log, if it is not there."""
        if self.held is not None:
            self.log(self.held)
        self.held = None

    def finish(self) -> None:
        """Open every share that is waited for, in some order: the dice fall."""
        waiting = self.host.state.ask
        assert waiting is not None
        for seat in self.luck.shuffled(waiting.waiting):
            if seat == HONEST:
                self.log_held()
            else:
                self.host.open(seat)

    def to_the_ask(self, *, seats: Sequence[str] = ()) -> None:
        """Everything up to the ask: anchors, perhaps another throw, the deed; perhaps a break."""
        self.anchor_all(every=bool(seats))
        if self.luck.one_in(5):
            self.other()
        self.declare()
        self.ask(seats)
        if self.anchored() and self.luck.one_in(10):
            self.host.break_off()
            for seat in self.anchored():  # who does something is awake
                self.host.ask(seat, Note(0), words="I slept.")
            self.ask(seats)

    def other(self) -> None:
        """Another throw before the deed, made with shares, and resolved."""
        self.declare(OTHER)
        self.ask()
        self.show()
        self.held = self.client.opens()
        if self.held is not None:
            self.finish()
            self.host.ask(self.roller, Resolve(self.number))


def nonce_in(command: object) -> str | None:
    """The nonce of a throw at level `player`."""
    return command.nonce if isinstance(command, RollDice) else None


# --- judged ---------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What a schedule came to.

    `counts`: a secret of the honest seat's came out, and nothing was seen before; or a throw stands
    unseen. `gained`: a throw stands unseen, of a face that is wanted. `seen`: what shows it.
    """

    counts: bool
    gained: bool
    seen: str


def outcome(play: Play) -> Outcome:
    """Audit the log that the host serves in the end, and let the honest player compare."""
    entries = play.host.entries
    heads = play.client.compare(entries)
    seen = play.client.complaint or looks(play.host, entries, heads)
    face = last_face(play.host)
    stands = face is not None and not seen
    counts = stands or (play.out and not play.early)
    return Outcome(counts, stands and wanted(face), seen)


def looks(host: Host, entries: Sequence[Entry], heads: Sequence[bytes] = ()) -> str:
    """What an audit that is given these heads shows of the league first; "" for nothing.

    That is a failure, a look, or a throw of its seats that was dropped, broken off or sealed.
    """
    signed = note(entries, host.origin, host.private)
    bundle = lines(entries, host.origin, [host.vkey], signed, host.event(0))
    report = audit(bundle, key=host.vkey, seen=heads)
    for each in report.remarks:
        if each.word in ("wrong", "look"):
            return f"{each.step}: {each.why}"
    for seat in LEAGUE:
        of = report.proof.numbers[seat]
        if of.dropped or of.broken or of.sealed:
            return urimcheck.seat_line(seat, of)
    return ""


def events(host: Host) -> list[Any]:
    """The events of the log."""
    return [host.event(entry.seq) for entry in host.entries]


def last_face(host: Host) -> object:
    """The face of the deed that fell last, or the total that a correction made of it; or None."""
    found: object = None
    deeds = {e.roll for e in events(host) if _is_deed(e)}
    for event in events(host):
        if isinstance(event, DiceRolled) and event.roll in deeds:
            found = event.dice[0].face
        if isinstance(event, RollAmended) and event.roll in deeds and event.outcome:
            found = event.outcome["figures"]["total"]
    return found


def _is_deed(event: object) -> bool:
    return isinstance(event, RollDeclared) and DEED in str(event.declaration)
