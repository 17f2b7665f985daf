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
from urim.engine.audit.report import Result
from urim.engine.bundle.write import bundle_of, end_line, header_line
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate, Environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sources import Fair
from urim.events import throw as urim1
from urim.events.base import Level, Visibility
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import Event, decode
from urim.events.entry import Entry
from urim.events.line import entry_line
from urim.events.merkle import root_of
from urim.events.table import TableOpened

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
                clock=lambda state: STARTED if state is None else state.at + 1_000,
                salt=lambda table, seq: fixed(f"salt {seq}"),
                secret=fixed("requests"),
                text_salt=lambda table, seq: fixed(f"text salt {seq}").hex()[:32],
            )
        )
        self.nonces = 0
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

    def write(self, event: Event) -> int:
        """Seal an event that nobody asked for; gives its sequence."""
        seq, at = self.size, self.aggregate.opened.at + 1_000
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
        committed, nonce = state.outstanding.seq, None
        if state.level != "server":
            nonce = self.nonce()
        if state.level == "table":
            self.bind(roll, str(nonce))
        if dice:
            return self.ask("p1", asked.Reroll(roll, HAND, committed, nonce, dice=dice))
        return self.ask("p1", asked.RollDice(roll, HAND, committed, nonce))

    def bind(self, roll: int, nonce: str, silent: tuple[str, ...] = ()) -> int:
        """Bind a nonce and let the other seats give theirs but the silent; gives its entry."""
        state = self.aggregate.opened.rolls[roll]
        assert state.outstanding is not None
        id = urim1.throw_id(TABLE, roll, state.throws)
        bound = urim1.nonce_commitment(id, nonce).hex()
        others = (NARRATOR, "p2")
        first = self.ask("p1", asked.CommitNonce(roll, bound, state.outstanding.seq, others))
        for other in sorted(set(others) - set(silent)):
            self.ask(other, asked.Witness(roll, self.nonce()))
        return first

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
    at["bound"], at["given"] = at["table"] - 3, at["table"] - 2
    at["void"] = log.ask(NARRATOR, asked.Void(roll), "The wrong character.")
    roll = log.declare("table")
    nonce = log.nonce()
    log.bind(roll, nonce)
    at["void with c"] = log.ask(NARRATOR, asked.Void(roll, nonce), "A quarrel.")
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


def at(report: Report, step: int) -> Result:
    """What a step found."""
    return report.results[step - 1]


def wrong(report: Report) -> dict[str, str]:
    """The steps that fail, each with its first remark that says why."""
    return {each.name: each.remarks[0].why for each in report.failed}
