"""Small logs in the forms of 0.3: faces in the opening, counted reveals, multiproofs.

Events that are new are put as JSON, so that nothing here rests on the classes that write them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.sealing import compact, resealed, sealed_raw
from tests.verifier.log import KIND, TABLE, Ground, Log, Twist, json_text, line, secret, written
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import AdjustedDie, Thrown
from urim.events.codec import event_json
from urim.events.merkle import root_of
from urim.events.throw import dice, throw_id, transcript

OF_BUNDLES = "urim-bundle/3"


@dataclass(frozen=True)
class File:
    """A bundle, and what its reader holds beside it: `key` a vkey, `seen` notes, `seats` keys."""

    bundle: bytes
    key: str | None = None
    seen: tuple[bytes, ...] = ()
    seats: Mapping[str, str] | None = None


def as_json(tag: str, **more: Any) -> Twist:
    """A twist that writes an event under another tag, with these fields too."""
    return lambda event: compact({**json.loads(event_json(event)), "type": tag, **more})


class Newer(Log):
    """A log of 0.3: a die d12 shows `faces`, or 1 to 12 where there are none."""

    def __init__(self, faces: Sequence[int | str] = (), **opened: Any) -> None:
        more: dict[str, Any] = {"faces": {"d12": [*faces]}} if faces else {}
        super().__init__({"opened": as_json("table-opened/3", core=5, **opened, **more)})
        self.faces = faces
        self.again = 0
        self.open()
        names = [name for name in ("level", "one_machine") if name in opened]
        asked: dict[str, Any] = {name: opened[name] for name in names}
        first = json.loads(self.entries[0].payload or b"{}")
        self.reasked(0, {**json.loads(first["asked"]["body"]), **asked})

    def fallen(
        self, roll: int, throw: int, ground: Ground, seed: str, roller: str = "p1"
    ) -> tuple[Thrown, ...]:
        """The dice that follow, with this table's faces; the last is thrown `again` so often."""
        fallen = super().fallen(roll, throw, ground, seed, roller)
        if self.again:
            leaf, id = self.entries[ground.committed].leaf, throw_id(TABLE, roll, throw)
            told = (id, ground.committed, leaf, roller, ground.nonce, sorted(ground.witnesses))
            sides = [12] * (3 + self.again)
            found = dice(bytes.fromhex(seed), transcript(*told), sides)
            fallen += tuple(Thrown("d3", KIND, face + 1) for face in [*found][3:])
        if not self.faces:
            return fallen
        return tuple(Thrown(d.die, d.kind, self.faces[int(d.face) - 1]) for d in fallen)

    def say(self, do: str, event: Mapping[str, Any], words: str | None = None) -> int:
        """An event that no class has, and a command `do` with its fields."""
        stand_in = tabled.Noted(str(event["by"]), 0)
        label = f"said {len(self.entries)}"
        self.twists[label] = lambda _: compact(event)
        seq = self.add(stand_in, label, words=words)
        body = {"do": do, **{k: v for k, v in event.items() if k in ("name", "value", "roll")}}
        if words is not None:
            old = json.loads(self.entries[seq].payload or b"{}")["asked"]["body"]
            body["text"] = json.loads(old)["text"]
        self.reasked(seq, body)
        return seq

    def reasked(self, seq: int, body: Mapping[str, Any]) -> None:
        """Put another body into a commit that was just added."""
        entry = self.entries[seq]
        payload = json.loads(entry.payload or b"{}")
        payload["asked"]["body"] = json_text(body)
        self.entries[seq] = sealed_raw(
            seq, entry.at, compact(payload), entry.salt or b"", entry.kind, entry.commit
        )

    def reveal(self, roll: int, entries: int) -> int:
        """p1 reveals a roll, and says how many entries it has."""
        self.twists[f"revealed {roll}"] = as_json("roll-revealed/2", entries=entries)
        return self.add(rolled.RollRevealed("p1", roll), f"revealed {roll}")

    def resolve(self, roll: int) -> int:
        """The roll comes to an end as it should."""
        return self.add(rolled.RollResolved("p1", roll, {}))


def node_list(leaves: Sequence[bytes], here: Sequence[int]) -> list[str]:
    """The nodes of a multiproof: one for each subtree that holds none of the entries `here`."""
    found: list[str] = []

    def walk(start: int, stop: int) -> None:
        if not any(start <= place < stop for place in here):
            found.append(root_of(leaves[start:stop]).hex())
        elif stop - start > 1:
            middle = start + (1 << (stop - start - 1).bit_length() - 1)
            walk(start, middle)
            walk(middle, stop)

    walk(0, len(leaves))
    return found


def roll_file(log: Log, places: Sequence[int], roll: int = 1, **changes: Any) -> bytes:
    """Some entries as a bundle of scope `roll` in the form of 0.3; `changes` replace its proof."""
    header = json.loads(log.bundle().splitlines()[0])
    header |= {"format": OF_BUNDLES, "scope": "roll", "roll": roll}
    leaves = [entry.leaf for entry in log.entries]
    end = {"end": OF_BUNDLES, "count": len(places), "proof": node_list(leaves, places), **changes}
    return written(header, *(line(log.entries[place]) for place in places), end)


def whole(log: Log) -> bytes:
    """A log as a bundle of the whole table, in the form of 0.3."""
    return log.bundle().replace(b"urim-bundle/2", OF_BUNDLES.encode())


# --- the files ------------------------------------------------------------------------------------


def thrown(log: Log, roll: int = 1, level: Any = None) -> int:
    """A roll of p1's that is thrown at level player."""
    return log.thrown(roll, 0, Ground(log.declare(roll, level), secret(f"c{roll}")))


def anchored(log: Log | None = None) -> Log:
    """A table of 0.3 at which p1 and p2 have anchors."""
    made = log or Newer()
    made.anchor("p1", "p2")
    return made


def shared(log: Log, roll: int, i: int, level: Any = None) -> None:
    """A roll that is thrown at level table."""
    log.share_throw(roll, 0, log.declare(roll, level), {"p1": i, "p2": i})


def of_faces() -> dict[str, File]:
    letters = Newer("abcdefghijkl")
    thrown(letters)
    wrong = Newer("abcdefghijkl")
    wrong.faces = "lkjihgfedcba"
    thrown(wrong)
    changed = Newer("abcdefghijkl")
    thrown(changed)
    event = {"type": "reading-set/1", "by": "narrator", "name": "letters", "value": "greek"}
    changed.say("set-reading/1", {**event, "faces": {"d12": list("ABCDEFGHIJKL")}}, "we agreed")
    changed.faces = "ABCDEFGHIJKL"
    thrown(changed, 2)
    numbers, usual = Newer(), Newer(range(1, 13))
    for each in (numbers, usual):
        thrown(each)
    named = Newer()
    said = {"type": "table-set/1", "by": "narrator", "name": "links", "value": {"allowed": True}}
    named.say("set-table/1", said)
    thrown(named)
    return {
        "numbers need no faces": File(whole(numbers)),
        "usual faces in the opening": File(whole(usual)),
        "faces in the opening": File(whole(letters)),
        "other faces than in the opening": File(whole(wrong)),
        "a reading that changes faces": File(whole(changed)),
        "a setting of the table": File(whole(named)),
    }


def of_levels() -> dict[str, File]:
    alone = Newer()
    thrown(alone)
    asked = anchored()
    shared(asked, 1, 1)
    unasked = anchored()
    thrown(unasked)
    lower = anchored()
    thrown(lower, level="player")
    server = anchored(Newer(level="server"))
    server.thrown(1, 0, Ground(server.declare(1, None), None))
    machine = anchored(Newer(one_machine=True))
    thrown(machine)
    over = anchored()
    over.anchor("narrator")
    over.share_throw(1, 0, over.declare(1, None), {"p1": 1, "p2": 1}, left=("narrator",))
    left, retaken = anchored(), anchored()
    left.add(tabled.SeatLeft("p2", "p2"))
    retaken.add(tabled.SeatTaken("narrator", "p2", "player"))
    return {
        "a seat with an anchor leaves by itself": File(whole(left)),
        "a seat with an anchor is taken over": File(whole(retaken)),
        "nobody has an anchor": File(whole(alone)),
        "table is due for everybody": File(whole(asked)),
        "table is due, and nobody is asked": File(whole(unasked)),
        "a lower level is named": File(whole(lower)),
        "a table that is opened at server": File(whole(server)),
        "one machine": File(whole(machine)),
        "a seat that is passed over": File(whole(over)),
    }


def of_hidden() -> dict[str, File]:
    def revealed(entries: int, *, withheld: bool = False) -> bytes:
        log = Newer()
        declared = log.declare(1, kind="hidden")
        fell = log.thrown(1, 0, Ground(declared, secret("c")), "hidden")
        log.add(rolled.RollResolved("p1", 1, {}), kind="hidden")
        log.reveal(1, entries)
        if withheld:
            log.withhold(fell + 1)
        return whole(log)

    sealed = Newer()
    for roll in (1, 2):
        declared = sealed.declare(roll, kind="hidden")
        sealed.thrown(roll, 0, Ground(declared, secret(f"c{roll}")), "hidden")
    sealed.reveal(2, 2)
    return {
        "a reveal of all entries": File(revealed(3)),
        "a reveal with an entry kept back": File(revealed(3, withheld=True)),
        "a reveal that counts too few": File(revealed(2)),
        "a roll revealed over one that lies sealed": File(whole(sealed)),
    }


def of_plans() -> dict[str, File]:
    """Plans and dice that are made, or chosen, once the shares are known."""

    def planned(*, revealed: bool) -> bytes:
        log = Newer()
        anchored(log)
        hides: Literal["open", "hidden"] = "hidden" if revealed else "open"
        declared = log.declare(1, None, kind=hides)
        log.share_throw(1, 0, declared, {"p1": 1, "p2": 1}, kind=hides)
        log.entries[declared + 1] = resealed(log.entries[declared + 1], kind="hidden")
        log.add(rolled.RollResolved("p1", 1, {}), kind=hides)
        if revealed:
            log.reveal(1, 6)
        log.withhold(declared + 1)
        return whole(log)

    repeated = Newer()
    repeated.again = 3
    shared(anchored(repeated), 1, 1)
    return {
        "a die thrown again within its throw": File(whole(repeated)),
        "a public roll's plan kept back": File(planned(revealed=False)),
        "a revealed roll's plan kept back": File(planned(revealed=True)),
    }


def of_taken() -> dict[str, File]:
    """Dice that are taken over from another roll."""

    def taken(
        *changed: int, adjusted: bool = False, kind: str = KIND, absent: bool = False
    ) -> Newer:
        log = Newer()
        if not absent:
            seq = thrown(log)
            log.resolve(1)
            fell = json.loads(log.entries[seq].payload or b"{}")["event"]["dice"]
        else:
            fell = [["d1", KIND, 12]]
        if adjusted:
            put = rolled.DiceAdjusted("p1", 1, "initiator", "turned", (AdjustedDie("d1", 13),))
            log.add(put)
        if changed:
            fell[0][2] = changed[0]
        event = rolled.RollDeclared(
            *("p1", 2, "c1", {}, "public", "player"),
            follows=(1, "counter"),
            commit=log.commit(2, 0),
        )
        log.add(event)
        dice = tuple(Thrown(die, kind, face) for die, _, face in fell)
        log.add(rolled.DiceRolled("p1", 2, "c1", "initiator", dice, taken=1))
        return log

    part = taken()
    places = [place for place in range(len(part.entries)) if place not in (4, 5, 6)]
    return {
        "dice taken over": File(whole(taken())),
        "dice taken over once one was put to another face": File(whole(taken(13, adjusted=True))),
        "dice taken over with another face": File(whole(taken(13))),
        "dice taken over with another kind": File(whole(taken(kind="d13"))),
        "dice taken over from a roll that is nowhere": File(whole(taken(absent=True))),
        "dice taken over from a roll that is not in the file": File(roll_file(part, places, 2)),
    }


def of_drops() -> dict[str, File]:
    voided = Newer()
    thrown(voided)
    voided.add(rolled.RollVoided("narrator", 1, 1, voided.seed(1, 1)), words="too far")
    early = Newer()
    early.declare(1)
    early.add(rolled.RollVoided("p1", 1, 0, early.seed(1, 0)), words="no")
    safe = anchored()
    safe.declare(1, None)
    safe.add(rolled.RollVoided("p1", 1, 0, safe.seed(1, 0)), words="no")
    lying = Newer()
    thrown(lying)
    thrown(lying, 2)
    lying.resolve(2)
    last = Newer()
    thrown(last)
    last.resolve(1)
    thrown(last, 2)
    turned, waiting = Newer(), Newer()
    for log, ends in ((turned, 1), (waiting, 2)):
        declared = [log.declare(1), log.declare(2)]
        log.thrown(2, 0, Ground(declared[1], secret("c2")))
        log.thrown(1, 0, Ground(declared[0], secret("c1")))
        log.resolve(ends)
    vetoed = Newer()
    committed = vetoed.declare(1)
    for throw in range(4):
        committed = vetoed.thrown(1, throw, Ground(committed, secret(f"c{throw}")))
        vetoed.add(ruling.DeclarationVetoed("narrator", 1), words="no")
    vetoed.add(ruling.DeclarationVetoed("narrator", 1), words="no")
    broken = anchored()
    broken.ask(1, 0, broken.declare(1, None), {"p1": 1, "p2": 1})
    broken.open_share("p1", 1, 0, 1)
    broken.at += 10_000
    event = rolled.ThrowBroken("p1", 1, 0, ("p2",), broken.seed(1, 0), broken.commit(1, 1))
    broken.add(event)
    return {
        "a void after the dice": File(whole(voided)),
        "a void before the dice, at player": File(whole(early)),
        "a void before the dice, at table": File(whole(safe)),
        "left lying behind a later throw": File(whole(lying)),
        "the last one is not left lying": File(whole(last)),
        "left lying behind a later throw of a roll declared before": File(whole(turned)),
        "the last one thrown is not left lying": File(whole(waiting)),
        "thrown and vetoed four times": File(whole(vetoed)),
        "broken off": File(whole(broken)),
    }


def of_kinds() -> dict[str, File]:
    strange, of_roll = Newer(), Newer()
    strange.say("wave/1", {"type": "hand-waved/1", "by": "p1", "how": 0.5})
    thrown(strange)
    thrown(of_roll)
    of_roll.say("wave/1", {"type": "hand-waved/1", "by": "p1", "roll": 1})
    far, ruled, long = Newer(), Newer(), Newer()
    far.say("wave/1", {"type": "hand-waved/1", "by": "p1", "roll": 2**53 - 1})
    thrown(ruled)
    replay = {"type": "ruling-made/2", "by": "narrator", "dispute": 3, "ruling": "replay"}
    ruled.say("rule/3", {**replay, "roll": 1}, "again")
    thrown(long)
    long.reasked(long.resolve(1), {"do": f"resolve/{'9' * 6000}", "roll": 1})
    return {
        "an unknown kind": File(whole(strange)),
        "an unknown kind about a roll": File(whole(of_roll)),
        "a roll with the largest number": File(whole(far)),
        "a replay that names no roll": File(whole(ruled)),
        "a command of a version of 6,000 digits": File(whole(long)),
    }


def of_files() -> dict[str, File]:
    log = Newer()
    thrown(log)
    log.add(tabled.Noted("p1", 0), words="hm")
    thrown(log, 2)
    places = [*range(6)]
    proof = node_list([entry.leaf for entry in log.entries], places)
    good = roll_file(log, places)
    text = whole(log)
    turned = [*proof[::-1][:-1], "1" * 64]
    older = json.loads(good.splitlines()[-1])
    del older["proof"]
    return {
        "one roll with a multiproof": File(good),
        "a multiproof with a node less": File(roll_file(log, places, proof=proof[:-1])),
        "a multiproof with a node more": File(roll_file(log, places, proof=[*proof, "0" * 64])),
        "a multiproof in another order": File(roll_file(log, places, proof=turned)),
        "one roll without its proof": File(good[: good.rindex(b'{"end"')] + written(older)),
        "a proof of a whole table": File(text[:-2] + b', "proof": []}\n'),
        "a zero with a sign": File(text.replace(b'"seq": 0', b'"seq": -0', 1)),
        "a line of two megabytes": File(b"x" * (1 << 21)),
    }


def files() -> dict[str, File]:
    """Every file in the forms of 0.3, by its name."""
    some = (
        of_faces(),
        of_levels(),
        of_hidden(),
        of_plans(),
        of_taken(),
        of_drops(),
        of_kinds(),
        of_files(),
    )
    return {f"0.3, {name}": file for part in some for name, file in part.items()}
