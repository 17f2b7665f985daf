"""A fair table on which everything that an audit looks at happens, to the byte; and its bundles.

Secrets, salts, clock, nonces and the signing key follow from texts. Whoever holds them all may seal
any event in the place of an honest one, and sign what comes of it.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from typing import Any

from msgspec.structs import replace

from tests.sealing import commit
from urim.engine.audit import Report, audit
from urim.engine.bundle.write import bundle_of, end_line, header_line
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate, Environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sources import Fair
from urim.events.base import Level, Visibility
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import Event, decode
from urim.events.entry import Entry
from urim.events.line import entry_line
from urim.events.merkle import root_of
from urim.events.share import link
from urim.events.table import TableOpened
from urim.rules import ruleset_named
from urim.rules.versions import as_of

TABLE = "golden01"
ORIGIN = f"urim.local/t/{TABLE}"
STARTED = 1_750_000_000_000

ROOT = "רוח"
HAND = "initiator"


def fixed(what: str) -> bytes:
    """32 bytes that are the same in every run."""
    return sha256(f"urim golden bundle\n{what}\n".encode()).digest()


PRIVATE = fixed("signing key")
KEY = public_key(ORIGIN, PRIVATE)


class Log:
    """One table and all its keys."""

    def __init__(self) -> None:
        self.aggregate = Aggregate(
            Environment(
                source=Fair(fixed("table secret")),
                clock=lambda state: STARTED if state is None else state.at + 1_000 + self.pause,
                salt=lambda table, seq: fixed(f"salt {seq}"),
                secret=fixed("requests"),
                text_salt=lambda table, seq: fixed(f"text salt {seq}").hex()[:32],
                rulesets=lambda name: as_of(ruleset_named(name), 1),  # whatever came since
            )
        )
        self.nonces = 0
        self.pause = 0
        self.chains: dict[str, str] = {}
        self.ask(NARRATOR, asked.OpenTable(TABLE, "milhamah", level="server"))
        self.ask(NARRATOR, asked.TakeSeat("p1"))
        self.ask(NARRATOR, asked.TakeSeat("p2"), "Dana")
        self.ask("p1", asked.EnterCharacter("c1", "p1", {"BLE": 3}), "Etgar")

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.aggregate.entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The log."""
        return tuple(self.aggregate.entries)

    def ask(self, seat: str, command: Any, words: str | None = None) -> int:
        """Do what a seat asks, with a text if there are words; gives the first entry's sequence."""
        seq = self.size
        self.aggregate.submit(seat, self.aggregate.worded(command, words))
        return seq

    def write(self, event: Event, *, when: int | None = None) -> int:
        """Seal an event that nobody asked for, at that time if one is given; gives its sequence."""
        seq, at = self.size, self.aggregate.opened.at + 1_000 if when is None else when
        self.aggregate.load(commit(seq, at, [event], lambda seq: fixed(f"salt {seq}")))
        return seq

    def nonce(self) -> str:
        """The next nonce of anybody's."""
        self.nonces += 1
        return fixed(f"nonce {self.nonces}").hex()

    # --- play ---------------------------------------------------------------------------------

    def declare(self, level: Level = "server", visibility: Visibility = "public") -> int:
        """Etgar prays; gives the roll's number."""
        wish = {"root": ROOT, "rating": 2}
        self.ask("p1", asked.Declare("c1", wish, visibility, level))
        return len(self.aggregate.opened.rolls)

    def throw(self, roll: int, *dice: str) -> int:
        """Throw the hand, or some dice of it again; gives the entry."""
        state = self.aggregate.opened.rolls[roll]
        assert state.outstanding is not None
        if state.level == "table":
            self.ask_for(roll, *dice)
            return self.open_all(roll)
        committed = state.outstanding.seq
        nonce = None if state.level == "server" else self.nonce()
        if dice:
            return self.ask("p1", asked.Reroll(roll, HAND, committed, nonce, dice=dice))
        return self.ask("p1", asked.RollDice(roll, HAND, committed, nonce))

    def anchor(self, seat: str) -> int:
        """Publish the anchor of a fresh chain of the seat's; gives the entry."""
        last = fixed(f"chain {self.size} of {seat}").hex()
        found = link(TABLE, seat, last, 0)
        self.chains[found] = last
        return self.ask(seat, asked.AnchorShares(found))

    def ask_for(
        self, roll: int, *dice: str, seats: tuple[str, ...] = (NARRATOR, "p1", "p2")
    ) -> int:
        """Ask for the shares of a throw, by seats that anchor first if need be; gives the ask."""
        for seat in seats:
            if self.aggregate.opened.seats[seat].anchor is None:
                self.anchor(seat)
        state = self.aggregate.opened.rolls[roll]
        assert state.outstanding is not None
        again = dice or None
        return 1 + self.ask(
            "p1", asked.Ask(roll, HAND, state.outstanding.seq, tuple(sorted(seats)), dice=again)
        )

    def share(self, seat: str) -> str:
        """The share that a seat opens for the throw that waits."""
        table = self.aggregate.opened
        anchor = table.seats[seat].anchor
        assert table.ask is not None and anchor is not None
        return link(TABLE, seat, self.chains[anchor.first], dict(table.ask.asked)[seat])

    def open_all(self, roll: int, silent: tuple[str, ...] = ()) -> int:
        """Open every share that the throw waits for but those of the silent; gives the last entry.

        Where nobody is silent that is the throw.
        """
        waiting = self.aggregate.opened.ask
        assert waiting is not None
        for seat in waiting.waiting:
            if seat not in silent:
                self.ask(seat, asked.OpenShare(roll, self.share(seat)))
        return self.size - 1

    def break_off(self, roll: int) -> int:
        """Break the throw off that waits, once it may be; gives the entry."""
        self.pause = 10_000
        seq = self.ask("p2", asked.BreakThrow(roll))
        self.pause = 0
        return seq

    def resolve(self, roll: int) -> int:
        """Stand and resolve; gives the last entry."""
        state = self.aggregate.opened.rolls[roll].roll.hand(HAND)
        assert state is not None
        self.ask("p1", asked.Freeze(roll, HAND, tuple(die.id for die in state.dice)))
        return self.ask("p1", asked.Resolve(roll))

    def epoch(self, number: int = 1) -> int:
        """Go on under a new secret; gives the entry."""
        source = Fair(fixed(f"table secret {number}"))
        self.aggregate.environment = replace(self.aggregate.environment, source=source)
        return self.ask(NARRATOR, asked.BeginEpoch())


@cache
def honest() -> Log:
    """The whole play as it should be, once for all tests; PLACES says where what stands."""
    log, at = Log(), PLACES
    roll = log.declare("player")
    at["player"] = log.throw(roll)
    at["again"] = log.throw(roll, "d1", "d3")
    at["resolved"] = log.resolve(roll)
    at["dispute"] = log.ask("p2", asked.Dispute(roll), "The third die fell twice.")
    at["ruling"] = log.ask(NARRATOR, asked.Rule(roll, at["dispute"], "stands"), "It was a reroll.")
    roll = log.declare("table")
    at["table"] = log.throw(roll)
    at["anchored"] = at["table"] - 8  # three seats anchor, the plan, the ask, three shares
    at["plan"], at["asked"], at["given"] = (at["table"] - n for n in (5, 4, 3))
    at["void"] = log.ask(NARRATOR, asked.Void(roll), "The wrong character.")
    roll = log.declare("table")
    log.ask_for(roll)
    log.open_all(roll, silent=("p2",))
    at["broken"] = log.break_off(roll)
    at["void of a broken one"] = log.ask(NARRATOR, asked.Void(roll), "A quarrel.")
    roll = log.declare(visibility="gm")
    at["hidden"] = log.throw(roll)
    at["revealed"] = log.ask(NARRATOR, asked.Reveal(roll))
    roll = log.declare("table", "self")
    at["sealed"] = log.throw(roll)
    roll = log.declare()
    at["epoch"] = log.epoch()
    at["declared"] = at["epoch"] - 1
    at["server"] = log.throw(roll)
    at["server void"] = log.ask(NARRATOR, asked.Void(roll), "Enough.")
    at["erased"] = log.ask(NARRATOR, asked.Erase(3))
    return log


PLACES: dict[str, int] = {}


def place(name: str) -> int:
    """The entry of something that the play does."""
    honest()
    return PLACES[name]


# --- bundles --------------------------------------------------------------------------------------


def note_of(entries: Sequence[Entry], size: int | None = None) -> bytes:
    """The signed checkpoint over the first `size` entries, all unless it is given."""
    held = entries[:size]
    return sign(Checkpoint(ORIGIN, len(held), root_of(entry.leaf for entry in held)), PRIVATE)


def bundle(log: Log, seat: str = "", roll: int | None = None) -> bytes:
    """A bundle as the seat may have it."""
    return b"".join(bundle_of(log.aggregate, seat, note_of(log.entries), [KEY], roll))


def forged(entries: Sequence[Entry], note: bytes | None = None) -> bytes:
    """A bundle of scope `table` over any entries, as they are."""
    opened = decode(entries[0].payload or b"").event
    assert isinstance(opened, TableOpened)
    lines = [header_line(note or note_of(entries), [KEY], opened), *map(entry_line, entries)]
    return b"".join([*lines, end_line(len(entries))])


def judged(file: bytes, **given: Any) -> Report:
    """What an audit finds in a file."""
    return audit(BytesIO(file), **given)


def wrong(report: Report) -> dict[str, str]:
    """The steps that fail, each with the first that it says is wrong."""
    found = [(each.step, each.why) for each in report.remarks if each.word == "wrong"]
    return dict(reversed(found))
