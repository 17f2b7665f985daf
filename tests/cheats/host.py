"""A host that holds every key of a table: it plays honestly, and writes whatever it likes instead.

Everything follows from a text, so that a play is the same in every run: the table's secret, salts,
clock, the key that signs, and the nonces of the clients, which a host learns when they are sent.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import Any, TypeAlias

from msgspec.structs import replace

from tests.engine.helpers.bodies import asking, body, command_fitting, command_for, command_in
from tests.sealing import NOBODY, Said, resealed, sealed
from urim.engine.core import commands
from urim.engine.core.aggregate import Aggregate, Environment
from urim.engine.core.commands import AnyCommand, Asking, apart
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import due, offers
from urim.engine.core.parse import body_of
from urim.engine.core.sources import Fair, Source, source_named
from urim.engine.service.dice import AcrossEpochs
from urim.events import throw as urim1
from urim.events.asked import Text
from urim.events.base import Face, Level, Role, Visibility
from urim.events.checkpoint import public_key
from urim.events.codec import Event, decode
from urim.events.entry import Entry, EntryClass
from urim.events.table import TextSaid
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
from urim.rules.ruleset import Offer

STARTED = 1_750_000_000_000
"""When a table opens, in milliseconds since 1970; a second passes between two commits."""

TICK = 1_000
TABLE = "cheats01"

Twist: TypeAlias = Callable[[Any], Event]
"""What a host makes of the event that it should have written."""

_bodies: ContextVar[bool] = ContextVar("bodies", default=True)


@contextmanager
def events_alone() -> Generator[None]:
    """Hosts forge events alone here, and leave what was asked; else they forge its body to fit."""
    before = _bodies.set(False)
    try:
        yield
    finally:
        _bodies.reset(before)


def forges_bodies() -> bool:
    """Whether a forged event gets a body that asks for it."""
    return _bodies.get()


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
                source_named(dice, self.drawn("table secret")), self._clock, self._salt, bytes(32),
                text_salt=self._text_salt,
            )
        )  # fmt: skip
        self.opening = commands.OpenTable(table, system, options or {}, dice, level)
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
        prepared = self.aggregate.prepare(seat, body_of(asked), text=text)
        first = len(self.aggregate.entries)
        if twist is None:
            self.aggregate.keep(prepared)
            return first
        begin, *others = prepared.entries
        self.aggregate.load([twisted(begin, twist), *others])
        return first

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
        asked = NOBODY
        if words is not None:
            text = Text(self._text_salt("", first), words)
            more["text"] = text.hash
            last: EntryClass = "hidden-text" if hidden else "text"
            every.append((last, TextSaid(events[0].by, text.salt, text.text)))
        if forges_bodies():
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
            options=given.options, table=given.table,
        )  # fmt: skip
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


def twisted(entry: Entry, twist: Twist) -> Entry:
    """The entry sealed again with another event; what was asked is forged to fit it."""
    assert entry.payload is not None
    old = decode(entry.payload).event
    new = twist(old)
    forged = resealed(entry, new)
    if entry.seq != entry.commit or new == old or not forges_bodies():
        return forged
    return asking(forged, command_fitting(command_in(entry), old, new))
