"""A host that holds every key of a table: it plays honestly, and writes whatever it likes instead.

Everything follows from a text, so that a play is the same in every run: the table's secret, salts,
clock, the key that signs, and the nonces of the clients, which a host learns when they are sent.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, TypeAlias

from msgspec.structs import replace

from tests.sealing import resealed, sealed
from urim.engine.core import commands
from urim.engine.core.aggregate import Aggregate, Environment
from urim.engine.core.commands import AnyCommand
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import due, offers
from urim.engine.core.parse import body_of
from urim.engine.core.sources import Fair, Source, source_named
from urim.engine.service.dice import AcrossEpochs
from urim.events import throw as urim1
from urim.events.base import Face, Level, Role, Visibility
from urim.events.checkpoint import public_key
from urim.events.codec import Event, decode
from urim.events.entry import Entry, EntryClass
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
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
    ) -> None:
        self.seed = seed
        self.sent = 0
        self.pause = 0
        self.grain = ""
        self.private = self.drawn("signing key")
        self.origin = f"urim.local/t/{table}"
        self.aggregate = Aggregate(
            Environment(
                source_named(dice, self.drawn("table secret")), self._clock, self._salt, bytes(32)
            )
        )
        opening = commands.OpenTable(table, system, options or {}, dice, level)
        self.ask(NARRATOR, opening)

    def drawn(self, what: str) -> bytes:
        """32 bytes that are this host's alone."""
        return sha256(f"urim cheats\n{self.seed}\n{what}\n".encode()).digest()

    def _salt(self, table: str, seq: int) -> bytes:
        return self.drawn(f"salt {seq}{self.grain}")

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
        return decode(payload)

    # --- writing ------------------------------------------------------------------------------

    def ask(self, seat: str, command: AnyCommand, twist: Twist | None = None) -> int:
        """Do what a seat asks, its first event twisted; gives the sequence of that event."""
        prepared = self.aggregate.prepare(seat, body_of(command))
        first = len(self.aggregate.entries)
        if twist is None:
            self.aggregate.keep(prepared)
            return first
        for entry in prepared.entries:
            assert entry.payload is not None
            event = twist(decode(entry.payload)) if entry.seq == first else None
            self.aggregate.load([resealed(entry, event)])
        return first

    def write(self, event: Event, *, hidden: bool = False, at: int | None = None) -> int:
        """Seal an event that nobody asked for, whatever it says, and give its sequence."""
        sealed = self.sealed(len(self.aggregate.entries), event, hidden=hidden, at=at)
        self.aggregate.load([sealed])
        return sealed.seq

    def sealed(
        self, seq: int, event: Event, *, hidden: bool = False, at: int | None = None
    ) -> Entry:
        """An entry as it would stand at `seq`, a tick after the last one unless `at` is given."""
        salt = self.aggregate.environment.salt(self.state.id, seq)
        kind: EntryClass = "hidden" if hidden else "open"
        when = self.state.at + TICK if at is None else at
        return sealed(seq, when, event, salt, kind)

    def nonce(self) -> str:
        """A fresh nonce of some client's."""
        self.sent += 1
        return self.drawn(f"nonce {self.sent}").hex()

    def secret(self, epoch: int) -> bytes:
        """The table's secret in an epoch, 0 being the first."""
        return self.drawn(f"table secret {epoch}" if epoch else "table secret")

    def anew(self, entries: Iterable[Entry]) -> "Host":
        """The same host with the same keys, as if its log had been these entries so far."""
        opening = self.event(0)
        host = Host(opening.ruleset, seed=self.seed, options=opening.options, level=opening.level)
        host.aggregate.load(entry for entry in entries if entry.seq)
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
        return self.state.characters[offer.character].seat

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
        answer = self.answer(number, self.owner(offer)) if not offer.link else (None, None)
        asked = commands.RollDice(number, offer.hand, *answer, faces)
        return self.ask(self.owner(offer), asked, twist)

    def reroll(self, number: int, *dice: str, twist: Twist | None = None) -> int:
        """Throw some dice again; gives the entry."""
        offer = self.offer(number, "reroll")
        answer = self.answer(number, self.owner(offer))
        asked = commands.Reroll(number, offer.hand, *answer, dice=dice)
        return self.ask(self.owner(offer), asked, twist)

    def answer(self, number: int, seat: str) -> tuple[int | None, str | None]:
        """The commitment that the next throw answers and its nonce, bound first at level table."""
        roll = self.roll(number)
        if roll.outstanding is None:
            return None, None
        if roll.level == "server":
            return roll.outstanding.seq, None
        nonce = self.nonce()
        if roll.level == "table":
            self.bind(number, seat, nonce)
        return roll.outstanding.seq, nonce

    def bind(
        self,
        number: int,
        seat: str,
        nonce: str,
        asked: tuple[str, ...] | None = None,
        silent: tuple[str, ...] = (),
    ) -> None:
        """Bind a nonce and ask seats, every other unless `asked`; all give but the `silent`."""
        roll = self.roll(number)
        assert roll.outstanding is not None
        others = asked
        if others is None:
            here = (id for id, them in self.state.seats.items() if them.here)
            others = tuple(id for id in here if id != seat)
        id = urim1.throw_id(self.state.id, number, roll.throws)
        bound = urim1.nonce_commitment(id, nonce).hex()
        self.ask(seat, commands.CommitNonce(number, bound, roll.outstanding.seq, others))
        for other in sorted(set(others) - set(silent)):
            self.ask(other, commands.Witness(number, self.nonce()))

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
        """Take up an offer in the plainest way: decline, throw, stand, the last of the choices."""
        if offer.trigger == "react":
            self.ask(self.owner(offer), commands.React(number, offer.character))
        elif offer.trigger == "roll":
            self.throw(number, offer.hand)
        elif offer.trigger == "freeze":
            self.freeze(number, *offer.dice)
        else:
            option = str(offer.options[-1])
            self.ask(self.owner(offer), commands.Choose(number, offer.choice, option))

    def apply_damage(self, number: int, twist: Twist | None = None) -> int:
        """Let the damage land; gives the entry."""
        offer = self.offer(number, "apply_damage")
        return self.ask(self.owner(offer), commands.ApplyDamage(number), twist)
