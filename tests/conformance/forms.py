"""Writes further files for the suite: a small log of 0.3, commit by commit, as plain JSON.

Nothing here asks the engine what is legal: commands and events are put as they should stand in the
log, right or wrong. `a_void_after_the_dice` and `a_share_left_out` show how; such a file comes into
the suite by `python -m tests.conformance.run --add KIND/NAME FILE`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from tests.sealing import sealed_raw
from urim.events import share, throw
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.entry import Entry, EntryClass, withhold
from urim.events.merkle import Tree

Fields = Mapping[str, Any]

TABLE = "verify01"
ORIGIN = f"urim.local/t/{TABLE}"
PRIVATE = bytes(range(32))
KEY = public_key(ORIGIN, PRIVATE)
LINKS = 8
"""Links of a chain that are used here, at most."""


def secret(words: str) -> str:
    """64 hex digits that are the same in every run."""
    return sha256(words.encode()).hexdigest()


def compact(value: Any) -> str:
    """A value as the log writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def chain(seat: str) -> tuple[str, ...]:
    """The links of a seat's chain, its anchor first."""
    last = share.link(TABLE, seat, secret(f"chain of {seat}"), LINKS)
    return tuple(share.links(TABLE, seat, last, LINKS))[::-1]


class Log:
    """Entries as they come, of a table whose three dice are d12."""

    def __init__(self, **opening: Any) -> None:
        """The narrator opens it, with `opening` in the event; p1 and p2 take seats."""
        self.entries: list[Entry] = []
        self.at = 1_700_000_000_000
        asked = {"table": TABLE, "ruleset": "plain", "options": {}}
        about = {"by": "narrator", "table": TABLE, "ruleset": "plain", "version": 1, "options": {}}
        event = {"type": "table-opened/3", **about, "source": "fair", "level": "player", "core": 5}
        self.add({"do": "open/2", **asked, **opening}, {**event, **opening})
        for seat in ("p1", "p2"):
            about = {"seat": seat, "role": "player"}
            event = {"type": "seat-taken/2", "by": "narrator", **about}
            self.add({"do": "take-seat/2", **about}, event)

    def add(self, body: Fields, *events: Fields, text: str = "", hidden: bool = False) -> int:
        """A commit: what was asked, the events of it, and a text; gives the place of the first."""
        seq = len(self.entries)
        self.at += 1_000
        salt = secret(f"text {seq}")[:32]
        if text:
            body = {**body, "text": sha256(f"urim/1 text\n{salt}\n{text}".encode()).hexdigest()}
        asked = {"request": f"~{seq}", "body": compact(body)}
        for place, event in enumerate(events):
            self._seal({"event": event} if place else {"asked": asked, "event": event}, seq, hidden)
        if text:
            said = {"type": "text-said/1", "by": events[0]["by"], "salt": salt, "text": text}
            self._seal({"event": said}, seq, hidden, "hidden-text" if hidden else "text")
        return seq

    def _seal(self, payload: Fields, commit: int, hidden: bool, kind: EntryClass = "open") -> None:
        place = len(self.entries)
        sealed_as: EntryClass = "hidden" if hidden and kind == "open" else kind
        salt = bytes.fromhex(secret(f"salt {place}"))
        told = compact(payload).encode()
        entry = sealed_raw(place, self.at, told, salt, sealed_as, commit)
        self.entries.append(entry)

    def seed(self, roll: int, number: int) -> str:
        """The seed that the host has for a throw."""
        return secret(f"seed {roll} {number}")

    def commit(self, roll: int, number: int) -> str:
        """The commitment to it."""
        seed = bytes.fromhex(self.seed(roll, number))
        return throw.commitment(throw.throw_id(TABLE, roll, number), seed).hex()

    def declare(self, roll: int, level: str | None = None, *, hidden: bool = False) -> int:
        """A roll of p1's."""
        named = {"level": level} if level else {}
        seen = "gm" if hidden else "public"
        about = {"character": "c1", "declaration": {}, "visibility": seen, **named}
        event = {"type": "roll-declared/2", "by": "p1", "roll": roll, **about}
        event["commit"] = self.commit(roll, 0)
        return self.add({"do": "declare/1", **about}, event, hidden=hidden)

    def dice(self, roll: int, committed: int, nonce: str, others: Fields | None = None) -> Fields:
        """The event of p1's first throw of a roll, which is not added."""
        id, seed = throw.throw_id(TABLE, roll, 0), bytes.fromhex(self.seed(roll, 0))
        leaf, witnesses = self.entries[committed].leaf, sorted((others or {}).items())
        text = throw.transcript(id, committed, leaf, "p1", nonce, witnesses)
        fallen = throw.dice(seed, text, [12] * 3)
        dice = [[f"d{j}", "d12", index + 1] for j, index in enumerate(fallen, 1)]
        proof = {"throw": 0, "source": "fair", "committed": committed, "seed": seed.hex()}
        proof |= {"nonce": nonce, "next": self.commit(roll, 1)}
        about = {"by": "p1", "roll": roll, "character": "c1", "hand": "initiator"}
        return {"type": "dice-rolled/1", **about, "dice": dice, "proof": proof}

    def thrown(self, roll: int, committed: int, *, hidden: bool = False) -> int:
        """p1 throws at level player what was committed to in that entry."""
        nonce = secret(f"nonce {roll}")
        body = {"do": "roll/1", "roll": roll, "hand": "initiator", "committed": committed}
        event = self.dice(roll, committed, nonce)
        return self.add({**body, "nonce": nonce}, event, hidden=hidden)

    def anchor(self, *seats: str) -> None:
        """Each of these seats publishes the anchor of its chain."""
        for seat in seats:
            about = {"anchor": chain(seat)[0]}
            event = {"type": "share-anchored/1", "by": seat, **about}
            self.add({"do": "anchor-shares/1", **about}, event)

    def ask(self, roll: int, committed: int, asked: Mapping[str, int]) -> int:
        """p1 asks these seats for these links of their chains."""
        told = {"roll": roll, "hand": "initiator", "committed": committed}
        of = {"by": "p1", "roll": roll, "throw": 0}
        kinds = [[f"d{j}", "d12"] for j in (1, 2, 3)]
        plan = {"type": "throw-planned/1", **of, "trigger": "roll", "hand": "initiator"}
        ask = {"type": "throw-asked/1", **of, "committed": committed}
        links = [[seat, i] for seat, i in sorted(asked.items())]
        body = {"do": "ask/1", **told, "asked": sorted(asked)}
        return self.add(body, {**plan, "dice": kinds}, {**ask, "asked": links})

    def open_share(self, seat: str, roll: int, i: int, *behind: Fields) -> int:
        """A seat opens link `i` of its chain; behind the last share come the dice."""
        about = {"share": chain(seat)[i]}
        event = {"type": "share-opened/1", "by": seat, "roll": roll, "throw": 0, **about}
        return self.add({"do": "open_share/1", "roll": roll, **about}, event, *behind)

    def withhold(self, *places: int) -> None:
        """Take salt and payload out of entries."""
        for place in places:
            self.entries[place] = withhold(self.entries[place])

    def note(self, size: int | None = None) -> bytes:
        """The signed head over the first entries."""
        some = self.entries[:size]
        root = Tree([each.leaf for each in some]).root(len(some))
        return sign(Checkpoint(ORIGIN, len(some), root), PRIVATE)

    def bundle(self, **changes: Any) -> bytes:
        """The whole log as a file; `changes` replace keys of its header."""
        return self._file(self.entries, {"scope": "table", **changes}, {})

    def roll_file(self, roll: int, places: Sequence[int]) -> bytes:
        """These entries as a file of scope `roll`."""
        leaves = [each.leaf for each in self.entries]
        proof = [node.hex() for node in Tree(leaves).multiproof(places, len(leaves))]
        some = [self.entries[place] for place in places]
        return self._file(some, {"scope": "roll", "roll": roll}, {"proof": proof})

    def _file(self, some: Sequence[Entry], about: Fields, behind: Fields) -> bytes:
        signed = {"keys": [KEY.vkey], "size": len(self.entries), "checkpoint": self.note().decode()}
        system = {"system": "plain", "version": 1, "options": {}}
        header = {"format": "urim-bundle/3", "origin": ORIGIN, **signed, **system, **about}
        end = {"end": "urim-bundle/3", "count": len(some), **behind}
        return "".join(f"{compact(each)}\n" for each in (header, *map(_line, some), end)).encode()


def _line(entry: Entry) -> Fields:
    at = {"seq": entry.seq, "commit": entry.commit, "at": entry.at, "class": entry.kind}
    sealed = {**at, "digest": entry.digest.hex()}
    if entry.salt is None or entry.payload is None:
        return sealed
    return {**sealed, "salt": entry.salt.hex(), "payload": entry.payload.decode()}


# --- how it is used -------------------------------------------------------------------------------


def a_void_after_the_dice() -> bytes:
    """p1's throw is made void by the narrator once its dice lie: honest, and counted."""
    log = Log()
    log.thrown(1, log.declare(1))
    event = {"type": "roll-voided/2", "by": "narrator", "roll": 1, "throw": 1}
    log.add({"do": "void/3", "roll": 1}, {**event, "seed": log.seed(1, 1)}, text="too far")
    return log.bundle()


def a_share_left_out(*, honest: bool = False) -> bytes:
    """Two seats are asked for shares, and the dice follow from one alone: step 9 fails."""
    log = Log()
    log.anchor("p1", "p2")
    declared = log.declare(1)
    log.ask(1, declared, {"p1": 1, "p2": 1})
    log.open_share("p2", 1, 1)
    others = {"p2": chain("p2")[1]} if honest else {}
    log.open_share("p1", 1, 1, log.dice(1, declared, chain("p1")[1], others))
    return log.bundle()


def by_post(hours: Any, after: int, *, then: Any = None) -> bytes:
    """A table by post: a throw that waits for p2 is broken off `after` milliseconds of its ask.

    `then` is what the setting becomes while it waits.
    """
    log = Log()
    log.anchor("p1", "p2")
    settings = [{"name": "post", "value": value} for value in (hours, then)]
    set_to = [{"type": "table-set/1", "by": "narrator", **about} for about in settings]
    log.add({"do": "set-table/1", **settings[0]}, set_to[0])
    log.ask(1, log.declare(1), {"p1": 1, "p2": 1})
    asked = log.at
    if then is not None:
        log.add({"do": "set-table/1", **settings[1]}, set_to[1])
    log.open_share("p1", 1, 1)
    log.at = asked + after - 1_000  # a commit comes a second after what was before
    broken = {"type": "throw-broken/1", "by": "p1", "roll": 1, "throw": 0, "kept": ["p2"]}
    broken |= {"seed": log.seed(1, 0), "next": log.commit(1, 1)}
    log.add({"do": "break_throw/1", "roll": 1}, broken)
    return log.bundle()
