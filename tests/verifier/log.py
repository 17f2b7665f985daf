"""A small log made entry by entry, with every kind of throw in it, and any of its events changed.

Nothing here asks the engine what is legal: the log is made of events and hashes alone, so that a
test can put into it what the engine would never write.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tests.sealing import Said, commit, json_of, payload_of, resealed, sealed_raw
from tests.verifier.bodies import body_of
from urim.engine.core.decide_table import CORE
from urim.events import roll as rolled
from urim.events import ruling, share
from urim.events import table as tabled
from urim.events import throw as urim1
from urim.events.asked import Text
from urim.events.base import Level, Thrown
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import Event
from urim.events.entry import Entry, EntryClass, withhold
from urim.events.merkle import Tree, inclusion_proof, root_of
from urim.rules import ruleset_named
from urim.rules.numbered import named

TABLE = "verify01"
ORIGIN = f"urim.local/t/{TABLE}"
PRIVATE = bytes(range(32))
KEY = public_key(ORIGIN, PRIVATE)
KIND = "d12"

LINKS = 8
"""Links of a chain that are used here, at most."""

ERASURE = 29
"""The place of the entry in the good log that names what was erased."""

Twist = Callable[[Any], Said]
"""Makes another event, or JSON in the place of one, of what an honest host would write."""


def secret(words: str) -> str:
    """64 hex digits that are the same in every run."""
    return sha256(words.encode()).hexdigest()


@cache
def chain(epoch: int, seat: str) -> tuple[str, ...]:
    """The links of the chain that a seat has in an epoch, the anchor last."""
    last = share.link(TABLE, seat, secret(f"chain {(epoch, seat)}"), LINKS)
    return tuple(share.links(TABLE, seat, last, LINKS))


def json_text(value: Any) -> str:
    """A value as JSON, as a client sends it."""
    return msgspec.json.encode(value).decode()


def _salt(seq: int) -> bytes:
    return bytes.fromhex(secret(f"salt {seq}"))


class Ground(Struct, frozen=True):
    """What the dice of a throw follow from, beside seed and roller."""

    committed: int
    nonce: str | None
    witnesses: tuple[tuple[str, str], ...] = ()


class Log:
    """Entries as they come; `twists` change an event by its label before it is sealed."""

    def __init__(self, twists: Mapping[str, Twist], system: str = "sagatafl") -> None:
        self.ruleset = ruleset_named(system)
        self.twists = dict(twists)
        self.entries: list[Entry] = []
        self.at = 1_700_000_000_000
        self.epoch = 0

    def add(
        self,
        event: Event,
        label: str = "",
        kind: Literal["open", "hidden"] = "open",
        words: str | None = None,
        more: Sequence[Said] = (),
    ) -> int:
        """Seal a commit and give its first sequence: an event, `more` of them, and a text.

        Those are labelled `label +1` and so on.

        What was asked follows from the event as it is sealed, or before it was put as JSON.
        """
        seq = len(self.entries)
        self.at += 1_000
        made = self._twisted(label, event)
        further = [self._twisted(f"{label} +{at}", each) for at, each in enumerate(more, 1)]
        text = None if words is None else Text(secret(f"text {seq}")[:32], words)
        asked = event if isinstance(made, bytes) else made
        behind = [
            old if isinstance(new, bytes) else new for old, new in zip(more, further, strict=True)
        ]
        body = json_text(body_of(asked, text.hash if text else None, behind))
        sealed = commit(seq, self.at, [made, *further], _salt, kind, body)
        if text is not None:
            said = self._twisted(f"{label} text", tabled.TextSaid(event.by, text.salt, text.text))
            of_texts: EntryClass = "text" if kind == "open" else "hidden-text"
            place = seq + len(sealed)
            sealed += [sealed_raw(place, self.at, payload_of(said), _salt(place), of_texts, seq)]
        self.entries += sealed
        return seq

    def _twisted(self, label: str, event: Said) -> Any:
        return self.twists.pop(label)(event) if label in self.twists else event

    def seed(self, roll: int, throw: int) -> str:
        """The seed that the host has for a throw in this epoch."""
        return secret(f"seed {self.epoch} {roll} {throw}")

    def commit(self, roll: int, throw: int) -> str:
        """The commitment to it."""
        id = urim1.throw_id(TABLE, roll, throw)
        return urim1.commitment(id, bytes.fromhex(self.seed(roll, throw))).hex()

    def open(self, source: str = "fair") -> None:
        """The table's first entries."""
        options = json.loads(json.dumps(_plain(self.ruleset.Options())))
        name, version = self.ruleset.name, self.ruleset.version
        faces = named(self.ruleset.faces(self.ruleset.Options()))
        self.add(
            tabled.TableOpened(
                *("narrator", TABLE, name, version, options, source, "player", CORE), faces=faces
            ),
            "opened",
        )
        for seat in ("p1", "p2"):
            self.add(tabled.SeatTaken("narrator", seat, "player"))
        self.add(tabled.CharacterEntered("narrator", "c1", "p1", {}, {}))

    def declare(
        self,
        roll: int,
        level: Level | None = "player",
        *,
        commit: bool = True,
        kind: Literal["open", "hidden"] = "open",
    ) -> int:
        """A roll of p1's, its first throw committed to."""
        event = rolled.RollDeclared(
            "p1",
            roll,
            "c1",
            {},
            "public" if kind == "open" else "gm",
            level,
            commit=self.commit(roll, 0) if commit else None,
        )
        return self.add(event, f"declared {roll}", kind)

    def fallen(
        self, roll: int, throw: int, ground: Ground, seed: str, roller: str = "p1"
    ) -> tuple[Thrown, ...]:
        """The three dice that follow."""
        leaf = self.entries[ground.committed].leaf
        id = urim1.throw_id(TABLE, roll, throw)
        text = urim1.transcript(
            id, ground.committed, leaf, roller, ground.nonce, sorted(ground.witnesses)
        )
        faces = self.ruleset.faces(self.ruleset.Options())[KIND]
        found = urim1.dice(bytes.fromhex(seed), text, [len(faces)] * 3)
        return tuple(Thrown(f"d{at}", KIND, faces[index]) for at, index in enumerate(found, 1))

    def thrown(
        self,
        roll: int,
        throw: int,
        ground: Ground,
        kind: Literal["open", "hidden"] = "open",
        seed: str | None = None,
    ) -> int:
        """A throw of three dice with its proof."""
        event = self.dice(roll, throw, ground, seed)
        return self.add(event, f"thrown {roll}/{throw}", kind)

    def dice(self, roll: int, throw: int, ground: Ground, seed: str | None = None) -> Event:
        """The event of a throw of three dice with its proof, which is not added."""
        opened = seed or self.seed(roll, throw)
        proof = rolled.Proof(
            throw, "fair", ground.committed, opened, ground.nonce, self.commit(roll, throw + 1)
        )
        dice = self.fallen(roll, throw, ground, opened)
        if throw:
            return rolled.DiceRerolled("p1", roll, "initiator", dice, proof)
        return rolled.DiceRolled("p1", roll, "c1", "initiator", dice, proof=proof)

    def link(self, seat: str, i: int) -> str:
        """Link `i` of the chain that the seat has in this epoch."""
        return chain(self.epoch, seat)[LINKS - i]

    def anchor(self, *seats: str) -> None:
        """Each of these seats publishes the anchor of its chain."""
        for seat in seats:
            self.add(tabled.ShareAnchored(seat, self.link(seat, 0)), f"anchor {seat}")

    def ask(
        self,
        roll: int,
        throw: int,
        committed: int,
        asked: Mapping[str, int],
        *,
        left: tuple[str, ...] = (),
        kind: Literal["open", "hidden"] = "open",
    ) -> int:
        """p1 asks for shares of a throw of three dice; gives the sequence of the plan."""
        dice = tuple((f"d{at}", KIND) for at in (1, 2, 3))
        trigger: Literal["roll", "reroll"] = "reroll" if throw else "roll"
        plan = rolled.ThrowPlanned("p1", roll, throw, trigger, "initiator", dice)
        ask = rolled.ThrowAsked("p1", roll, throw, committed, tuple(asked.items()), left)
        seq = self.add(plan, f"asked {roll}/{throw}", kind, more=[ask])
        self.entries[seq + 1] = resealed(self.entries[seq + 1], kind="open")
        return seq

    def open_share(
        self, seat: str, roll: int, throw: int, i: int, more: Sequence[Said] = ()
    ) -> int:
        """A seat opens link `i` of its chain; behind the last share the dice fall."""
        event = rolled.ShareOpened(seat, roll, throw, self.link(seat, i))
        return self.add(event, f"share {seat} {roll}/{throw}", more=more)

    def share_throw(
        self,
        roll: int,
        throw: int,
        committed: int,
        asked: Mapping[str, int],
        *,
        left: tuple[str, ...] = (),
        kind: Literal["open", "hidden"] = "open",
    ) -> int:
        """A throw of p1's at level table, from ask to dice, whose sequence is given.

        `asked` are the seats and the numbers of their links; p1 opens last.
        """
        self.ask(roll, throw, committed, asked, left=left, kind=kind)
        shares = {seat: self.link(seat, i) for seat, i in asked.items()}
        for seat, i in asked.items():
            if seat != "p1":
                self.open_share(seat, roll, throw, i)
        others = tuple((seat, each) for seat, each in shares.items() if seat != "p1")
        dice = self.dice(roll, throw, Ground(committed, shares["p1"], others))
        seq = self.open_share("p1", roll, throw, asked["p1"], more=[dice]) + 1
        if kind == "hidden":
            self.entries[seq] = resealed(self.entries[seq], kind="hidden")
        return seq

    def bundle(self, **changes: Any) -> bytes:
        """The log as a bundle; `changes` replace keys of its header."""
        return bundled(self.entries, self.note(), **changes)

    def note(self, size: int | None = None, private: bytes = PRIVATE) -> bytes:
        """The signed head over the first entries."""
        return signed(self.entries[:size], private)

    def withhold(self, *places: int) -> None:
        """Take salt and payload out of entries."""
        for seq in places:
            self.entries[seq] = withhold(self.entries[seq])


def signed(entries: Sequence[Entry], private: bytes = PRIVATE) -> bytes:
    """A checkpoint over exactly these entries."""
    return sign(Checkpoint(ORIGIN, len(entries), root_of(e.leaf for e in entries)), private)


def bundled(entries: Sequence[Entry], note: bytes, **changes: Any) -> bytes:
    """Entries as a bundle of scope `table`, its form as docs/bundle.md says."""
    opened = json_of(entries[0]) or {}
    header = {
        "format": "urim-bundle/3",
        "scope": "table",
        "origin": ORIGIN,
        "keys": [KEY.vkey],
        "size": int(note.split(b"\n")[1]),
        "checkpoint": note.decode(),
        "system": opened.get("ruleset", ""),
        "version": opened.get("version", 1),
        "options": opened.get("options", {}),
    }
    end = {"end": "urim-bundle/3", "count": len(entries)}
    return written(header | changes, *map(line, entries), end)


def line(entry: Entry) -> dict[str, Any]:
    """An entry's line."""
    sealed = {
        "seq": entry.seq,
        "commit": entry.commit,
        "at": entry.at,
        "class": entry.kind,
        "digest": entry.digest.hex(),
    }
    if entry.salt is None or entry.payload is None:
        return sealed
    return sealed | {"salt": entry.salt.hex(), "payload": entry.payload.decode()}


def written(*objects: Mapping[str, Any]) -> bytes:
    """Objects as lines."""
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in objects).encode()


def good(twists: Mapping[str, Twist] | None = None) -> Log:
    """A log with every level, a void, an epoch, something erased, something hidden, a decision.

    Raises AssertionError for a twist whose label is nowhere: it would change nothing.
    """
    log = Log(twists or {})
    log.open()
    named = log.add(tabled.SeatNamed("narrator", "p1"), "named", words="Rachel")
    first = log.thrown(1, 0, Ground(log.declare(1), secret("c1")))
    log.thrown(1, 1, Ground(first, secret("c2")))
    shared(log)
    unfair = log.declare(3, "server")
    log.thrown(3, 0, Ground(unfair, None))
    log.add(rolled.RollVoided("narrator", 3, 1, log.seed(3, 1)), "voided 3", words="Too far.")
    log.declare(4)
    log.epoch = 1
    begun = log.add(
        tabled.EpochBegun("narrator", 1, tuple(_fresh(log, roll) for roll in (1, 2, 4))), "epoch"
    )
    log.thrown(4, 0, Ground(begun, secret("c4")))
    right = ruling.RollAmended("narrator", 1, "c1", {})
    decided = log.add(right, "amended", words="he meant the other door")
    log.add(tabled.Noted("narrator", decided), "noted", words="it was dark")
    log.add(tabled.EntryErased("narrator", named + 1), "erased")
    hidden = log.declare(5, kind="hidden")
    dice = log.thrown(5, 0, Ground(hidden, secret("c5")), "hidden")
    log.withhold(named + 1, hidden, dice)
    assert not log.twists, f"no event is called {', '.join(log.twists)}"
    return log


def shared(log: Log) -> None:
    """Roll 2, at level table: p1 and p2 open shares, the narrator is not asked."""
    log.anchor("p1", "p2", "narrator")
    declared = log.declare(2, "table")
    log.share_throw(2, 0, declared, {"p1": 1, "p2": 1}, left=("narrator",))


def _fresh(log: Log, roll: int) -> tabled.Recommitted:
    throw = {1: 2, 2: 1, 4: 0}[roll]
    return tabled.Recommitted(roll, throw, log.commit(roll, throw))


def _plain(options: Any) -> Any:
    return {name: getattr(options, name) for name in options.__struct_fields__}


def roll_of(
    log: Log,
    *,
    roll: int = 1,
    proofs_from: int = 0,
    twice: bool = False,
    further: int = 0,
    earlier: bool = False,
) -> bytes:
    """The entries up to roll 1's last as a bundle of scope `roll`; `earlier`: of version 0.2.

    Proved are entries so far behind them, with so many hashes too many (below 0: too few); `twice`
    repeats the last line.
    """
    leaves = [entry.leaf for entry in log.entries]
    size = len(leaves)
    entries = [*log.entries[:9], log.entries[ERASURE]]
    lines = [line(entry) for entry in entries]
    proved = [entry.seq + proofs_from for entry in entries]
    proof = [node.hex() for node in Tree(leaves).multiproof(proved, size)]
    end: dict[str, Any] = {"end": "urim-bundle/3", "count": len(lines) + twice}
    if earlier:
        end["end"] = "urim-bundle/2"
        for each, seq in zip(lines, proved, strict=True):
            each["proof"] = [node.hex() for node in inclusion_proof(leaves, seq, size)]
    else:
        end["proof"] = proof[:further] if further < 0 else [*proof, *proof[:further]]
    if twice:
        lines.append(lines[-1])
    header = json.loads(log.bundle().splitlines()[0])
    return written(header | {"format": end["end"], "scope": "roll", "roll": roll}, *lines, end)


def with_proof(**changes: Any) -> Twist:
    """A twist of a throw's proof."""
    return lambda event: replace(event, proof=replace(event.proof, **changes))
