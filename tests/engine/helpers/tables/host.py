"""A host that holds every key of a table: it plays honestly, and writes whatever it likes instead.

Everything follows from a text, so that a play is the same in every run: the table's secret, salts,
clock, the key that signs, and the nonces of the clients, which a host learns when they are sent.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from tests.engine.helpers.bodies import asking, body, command_fitting, command_for, command_in
from tests.sealing import Said, resealed, sealed
from urim.engine.core import commands
from urim.engine.core.aggregate import Aggregate, Environment
from urim.engine.core.commands import AnyCommand, Asking, apart
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import due, offers
from urim.engine.core.parse import body_of
from urim.engine.core.signed import Signed
from urim.engine.core.sources import Fair, Source, source_named
from urim.engine.service.dice import AcrossEpochs
from urim.events.asked import Asked, Seen, Text
from urim.events.asked import signed as signed_bytes
from urim.events.base import AdjustedDie, Face, Level, Role, Visibility
from urim.events.checkpoint import public_key
from urim.events.codec import Event, decode
from urim.events.entry import Entry, EntryClass
from urim.events.merkle import root_of
from urim.events.share import link
from urim.events.table import TextSaid
from urim.projections.levels import anchored, level_next
from urim.projections.rollstate import BREAKING, RollState
from urim.projections.tables import Rulesets, TableState
from urim.rules import ruleset_named
from urim.rules.ruleset import Offer

STARTED = 1_750_000_000_000
"""When a table opens, in milliseconds since 1970; a second passes between two commits."""

TICK = 1_000
TABLE = "cheats01"

Twist: TypeAlias = Callable[[Any], Event]
"""What a host makes of the event that it should have written."""


class Host:
    """One table and all its keys."""

    def __init__(
        self,
        system: str = "milhamah",
        *,
        seed: str = "1",
        dice: str = "fair",
        level: Level = "player",
        options: dict[str, Any] | None = None,
        table: str = TABLE,
        one_machine: bool = False,
        rulesets: Rulesets = ruleset_named,
    ) -> None:
        self.seed = seed
        self.sent = 0
        self.pause = 0
        self.chains: dict[str, str] = {}
        self.keys: dict[str, bytes] = {}
        self.grain = ""
        self.private = self.drawn("signing key")
        self.origin = f"urim.local/t/{table}"
        self.aggregate = Aggregate(
            Environment(
                source_named(dice, self.drawn("table secret")), self._clock, self._salt, bytes(32),
                text_salt=self._text_salt, rulesets=rulesets,
            )
        )  # fmt: skip
        self.opening = commands.OpenTable(table, system, options or {}, dice, level, one_machine)
        self.ask(NARRATOR, self.opening)

    def drawn(self, what: str) -> bytes:
        """32 bytes that are this host's alone."""
        return sha256(f"urim cheats\n{self.seed}\n{what}\n".encode()).digest()

    def _salt(self, table: str, seq: int) -> bytes:
        return self.drawn(f"salt {seq}{self.grain}")

    def _text_salt(self, table: str, seq: int) -> str:
        return self.drawn(f"text salt {seq}{self.grain}")[:16].hex()

    def _clock(self, state: TableState | None) -> int:
        return STARTED if state is None else state.at + TICK + self.pause

    @property
    def vkey(self) -> str:
        """The key that players know the log by."""
        return public_key(self.origin, self.private).vkey

    @property
    def state(self) -> TableState:
        """The table as its log leaves it now."""
        return self.aggregate.opened

    @property
    def entries(self) -> list[Entry]:
        """The log so far."""
        return list(self.aggregate.entries)

    @property
    def source(self) -> Source:
        """Where honest faces come from."""
        return self.aggregate.environment.source

    def roll(self, number: int) -> RollState:
        """A roll as the log leaves it now."""
        return self.state.rolls[number]

    def event(self, seq: int) -> Any:
        """The event of an entry."""
        payload = self.aggregate.entries[seq].payload
        assert payload is not None
        return decode(payload).event

    # --- writing ------------------------------------------------------------------------------

    def ask(
        self,
        seat: str,
        command: AnyCommand,
        twist: Twist | None = None,
        *,
        words: str | None = None,
    ) -> int:
        """Do what a seat asks, with these words; gives the sequence of its first event.

        That is twisted, and what was asked too, to fit it.
        """
        asked, text = apart(self.worded(command, words))
        body = body_of(asked)
        request, signature = self.signed(seat, body)
        prepared = self.aggregate.prepare(seat, body, request, text, signed=signature)
        first = len(self.aggregate.entries)
        if twist is None:
            self.aggregate.keep(prepared)
            return first
        begin, *others = prepared.entries
        self.aggregate.load([twisted(begin, twist), *others])
        return first

    def signed(self, seat: str, body: bytes) -> tuple[str | None, Signed | None]:
        """The request of a seat that has a key: an id, and its signature over the newest head."""
        key, known = self.keys.get(seat), self.state.seats.get(seat) if self.entries else None
        if key is None or known is None or (known.key is None and b'"key"' not in body):
            return None, None
        size = len(self.aggregate.entries)
        asked = Asked(f"{seat}-{size}", body.decode(), self.seen())
        return asked.request, Signed(self.seen(), signature_of(key, self.origin, seat, asked))

    def seen(self, size: int | None = None) -> Seen:
        """The head over so many entries, all unless it is given."""
        leaves = [entry.leaf for entry in self.entries[:size]]
        return Seen(len(leaves), root_of(leaves).hex())

    def worded(self, command: AnyCommand, words: str | None) -> Asking:
        """The command with these words, if there are any, under a salt that repeats."""
        return command if words is None else self.aggregate.worded(command, words)

    def write(
        self,
        *events: Event,
        hidden: bool = False,
        at: int | None = None,
        words: str | None = None,
        **more: Any,
    ) -> int:
        """Seal a commit of events that nobody asked for, and give the first one's sequence.

        The first one's body asks for it, with these words; `more` are fields of that command.
        """
        seq = len(self.aggregate.entries)
        self.aggregate.load(
            self.sealed(seq, *events, hidden=hidden, at=at, words=words, **more),
        )
        return seq

    def join(self, event: Event) -> int:
        """Put one more open event into the last commit; gives its sequence."""
        seq, last = len(self.aggregate.entries), self.entries[-1]
        salt = self._salt("", seq)
        self.aggregate.load([sealed(seq, last.at, event, salt, first=last.commit)])
        return seq

    def sealed(
        self,
        first: int,
        *events: Event,
        hidden: bool = False,
        at: int | None = None,
        words: str | None = None,
        **more: Any,
    ) -> list[Entry]:
        """A commit as it would stand at `first`, a tick after the last one unless `at` is given."""
        kind: EntryClass = "hidden" if hidden else "open"
        when = self.state.at + TICK if at is None else at
        every: list[tuple[EntryClass, Said]] = [(kind, event) for event in events]
        if words is not None:
            text = Text(self._text_salt("", first), words)
            more["text"] = text.hash
            last: EntryClass = "hidden-text" if hidden else "text"
            every.append((last, TextSaid(events[0].by, text.salt, text.text)))
        asked = body(command_for(events[0], **more))
        return [
            sealed(seq, when, event, self._salt("", seq), kind, asked, first)
            for seq, (kind, event) in enumerate(every, first)
        ]

    def nonce(self) -> str:
        """A fresh nonce of some client's."""
        self.sent += 1
        return self.drawn(f"nonce {self.sent}").hex()

    def secret(self, epoch: int) -> bytes:
        """The table's secret in an epoch, 0 being the first."""
        return self.drawn(f"table secret {epoch}" if epoch else "table secret")

    def anew(self, entries: Iterable[Entry]) -> "Host":
        """The same host with the same keys, as if its log had been these entries so far."""
        given = self.opening
        host = Host(
            given.ruleset, seed=self.seed, dice=given.source, level=given.level,
            options=given.options, table=given.table, one_machine=given.one_machine,
            rulesets=self.aggregate.environment.rulesets,
        )  # fmt: skip
        host.aggregate.load(entry for entry in entries if entry.seq)
        host.chains, host.keys = self.chains, self.keys
        host.sent, host.grain = self.sent, self.grain
        return host

    def begin(self, epoch: int) -> None:
        """Throw under another epoch's secret from here on."""
        secrets = [self.secret(each) for each in range(epoch + 1)]
        self.throw_with(AcrossEpochs(Fair(secrets[-1]), secrets, lambda: self.state.rolls))

    def throw_with(self, source: Source) -> None:
        """Throw with another source from here on."""
        around = replace(self.aggregate.environment, source=source)
        self.aggregate.environment = around

    # --- playing ------------------------------------------------------------------------------

    def seat(self, id: str, role: Role = "player") -> str:
        """Seat somebody."""
        self.ask(NARRATOR, commands.TakeSeat(id, role))
        return id

    def character(
        self, seat: str, attributes: dict[str, int], tracks: dict[str, int] | None = None
    ) -> str:
        """Bring a character for a seat that is taken for it."""
        if seat not in self.state.seats:
            self.seat(seat)
        id = f"c{len(self.state.characters) + 1}"
        self.ask(NARRATOR, commands.EnterCharacter(id, seat, attributes, tracks or {}))
        return id

    def declare(
        self,
        character: str,
        *,
        visibility: Visibility = "public",
        level: Level | None = None,
        follows: tuple[int, str] | None = None,
        twist: Twist | None = None,
        **declaration: Any,
    ) -> int:
        """Declare a roll and give its number."""
        seat = self.state.characters[character].seat
        command = commands.Declare(character, declaration, visibility, level, follows)
        self.ask(seat, command, twist)
        return len(self.state.rolls)

    def offers(self, number: int) -> tuple[Offer, ...]:
        """What may happen next in a roll."""
        return offers(self.state, self.roll(number))

    def offer(self, number: int, trigger: str, hand: str = "") -> Offer:
        """The first offer of that kind."""
        found = [o for o in self.offers(number) if o.trigger == trigger]
        return next(o for o in found if not hand or o.hand == hand)

    def owner(self, offer: Offer) -> str:
        """The seat that an offer is made to."""
        return NARRATOR if offer.narrator else self.state.characters[offer.character].seat

    def react(self, number: int, **reaction: Any) -> None:
        """React as the character that may."""
        offer = self.offer(number, "react")
        self.ask(self.owner(offer), commands.React(number, offer.character, reaction))

    def throw(
        self,
        number: int,
        hand: str = "",
        twist: Twist | None = None,
        faces: tuple[Face, ...] | None = None,
    ) -> int:
        """Throw a hand for the first time, physical dice as these `faces`; gives the entry."""
        offer = self.offer(number, "roll", hand)
        seat = self.owner(offer)
        if self.shares(number, seat) and not offer.link:
            self.ask_for(number, seat, offer.hand)
            return self.open_all(twist)
        answer = self.answer(number, seat) if not offer.link else (None, None)
        return self.ask(seat, commands.RollDice(number, offer.hand, *answer, faces), twist)

    def reroll(self, number: int, *dice: str, twist: Twist | None = None) -> int:
        """Throw some dice again; gives the entry."""
        offer = self.offer(number, "reroll")
        seat = self.owner(offer)
        if self.shares(number, seat):
            self.ask_for(number, seat, offer.hand, *dice)
            return self.open_all(twist)
        answer = self.answer(number, seat)
        return self.ask(seat, commands.Reroll(number, offer.hand, *answer, dice=dice), twist)

    def answer(self, number: int, seat: str) -> tuple[int | None, str | None]:
        """The commitment that a throw without shares answers, and its nonce."""
        roll = self.roll(number)
        if roll.outstanding is None:
            return None, None
        level = level_next(self.state, seat, roll)
        return roll.outstanding.seq, None if level == "server" else self.nonce()

    # --- shares -------------------------------------------------------------------------------

    def anchor(self, *seats: str) -> int:
        """Publish an anchor for each of these seats; gives the last one's entry."""
        entry = -1
        for seat in seats:
            self.sent += 1
            last = self.drawn(f"chain {self.sent}").hex()
            found = link(self.state.id, seat, last, 0)
            self.chains[found] = last
            entry = self.ask(seat, commands.AnchorShares(found))
        return entry

    def shares(self, number: int, seat: str) -> bool:
        """Whether the next throw of a seat is made with shares."""
        roll = self.roll(number)
        return roll.outstanding is not None and level_next(self.state, seat, roll) == "table"

    def ask_for(
        self,
        number: int,
        seat: str,
        hand: str,
        *dice: str,
        seats: tuple[str, ...] = (),
        twist: Twist | None = None,
    ) -> int:
        """Ask for shares, of all that have an anchor unless `seats` are named; gives the ask."""
        roll = self.roll(number)
        assert roll.outstanding is not None
        if self.state.seats[seat].anchor is None:
            self.anchor(seat)
        everybody = seats or (seat, *anchored(self.state, seat))
        wish = commands.Ask(
            number, hand, roll.outstanding.seq, tuple(sorted(everybody)), dice=dice or None
        )
        return 1 + self.ask(seat, wish, twist)

    def share(self, seat: str) -> str:
        """What a seat opens for the throw that waits."""
        waiting, anchor = self.state.ask, self.state.seats[seat].anchor
        assert waiting is not None and anchor is not None
        return link(self.state.id, seat, self.chains[anchor.first], dict(waiting.asked)[seat])

    def open(self, seat: str) -> int:
        """Open the share of one seat; gives its entry."""
        assert self.state.ask is not None
        return self.ask(seat, commands.OpenShare(self.state.ask.roll, self.share(seat)))

    def open_all(self, twist: Twist | None = None, *, but: tuple[str, ...] = ()) -> int:
        """Open every share that is waited for but these; gives the last entry.

        Where none is left it is the throw, and that is twisted.
        """
        assert self.state.ask is not None
        *seats, last = (seat for seat in self.state.ask.waiting if seat not in but)
        for seat in seats:
            self.open(seat)
        wish = commands.OpenShare(self.state.ask.roll, self.share(last))
        request, signature = self.signed(last, body_of(wish))
        prepared = self.aggregate.prepare(last, body_of(wish), request, signed=signature)
        share, *dice = prepared.entries
        self.aggregate.load([share])
        self.aggregate.load([twisted(each, twist) if twist else each for each in dice])
        return len(self.entries) - 1

    def break_off(
        self, seat: str = NARRATOR, twist: Twist | None = None, *, wait: int = BREAKING
    ) -> int:
        """Break off the throw that waits, so many milliseconds after the ask; gives the entry."""
        waiting = self.state.ask
        assert waiting is not None
        self.pause = max(0, waiting.at + wait - self.state.at - TICK)
        entry = self.ask(seat, commands.BreakThrow(waiting.roll), twist)
        self.pause = 0
        return entry

    def key(self, seat: str) -> bytes:
        """Give a seat a key, which it takes itself; gives the public one."""
        self.keys[seat] = self.drawn(f"key of {seat}")
        public = self.key_of(seat)
        self.ask(seat, commands.TakeSeat(seat, key=b64encode(public).decode()))
        return public

    def key_of(self, seat: str) -> bytes:
        """The public key of a seat."""
        return public_key(self.origin, self.keys[seat]).public

    def freeze(self, number: int, *dice: str) -> None:
        """Freeze exactly these dice of the hand that may be frozen."""
        offer = self.offer(number, "freeze")
        self.ask(self.owner(offer), commands.Freeze(number, offer.hand, dice))

    def finish(self, number: int, twist: Twist | None = None) -> int:
        """Bring a roll to its outcome by what is due; gives the entry that announces it."""
        while True:
            ends = [o for o in self.offers(number) if o.trigger == "resolve"]
            if ends:
                seat = self.owner(ends[0])
                return self.ask(seat, commands.Resolve(number), twist)
            self._take(number, due(self.offers(number))[0])

    def _take(self, number: int, offer: Offer) -> None:
        """Take up an offer in the plainest way: decline, throw, stand, adjust, the last choice."""
        if offer.trigger == "react":
            self.ask(self.owner(offer), commands.React(number, offer.character))
        elif offer.trigger == "roll":
            self.throw(number, offer.hand)
        elif offer.trigger == "freeze":
            self.freeze(number, *offer.dice)
        elif offer.means:
            dice = dear(offer)
            self.ask(self.owner(offer), commands.Adjust(number, offer.hand, offer.means, dice))
        else:
            option = str(offer.options[-1])
            self.ask(self.owner(offer), commands.Choose(number, offer.choice, option))

    def apply_damage(self, number: int, twist: Twist | None = None) -> int:
        """Let the damage land; gives the entry."""
        offer = self.offer(number, "apply_damage")
        return self.ask(self.owner(offer), commands.ApplyDamage(number), twist)


def dear(offer: Offer) -> tuple[AdjustedDie, ...]:
    """Dice put to the dearest faces, one after the other, until all that may be spent is spent."""
    left, found = offer.most, []
    for die, costs in offer.to.items():
        cost, face = max(((c, f) for f, c in costs.items() if c <= left), default=(0, None))
        if face is not None:
            left -= cost
            found.append(AdjustedDie(die, face))
    return tuple(found)


def signature_of(private: bytes, origin: str, seat: str, asked: Asked) -> str:
    """A seat's signature of a request, in base64."""
    made = Ed25519PrivateKey.from_private_bytes(private).sign(signed_bytes(origin, seat, asked))
    return b64encode(made).decode()


def twisted(entry: Entry, twist: Twist) -> Entry:
    """The entry sealed again with another event; what was asked is forged to fit it."""
    assert entry.payload is not None
    old = decode(entry.payload).event
    new = twist(old)
    forged = resealed(entry, new)
    if entry.seq != entry.commit or new == old:
        return forged
    return asking(forged, command_fitting(command_in(entry), old, new))
