"""What can be wrong with a bundle: each way, and the step that must say so."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.sealing import resealed, sealed
from tests.verifier.log import (
    KEY,
    ORIGIN,
    PRIVATE,
    Ground,
    Log,
    Twist,
    bundled,
    good,
    roll_of,
    secret,
    with_proof,
)
from urim.events.base import Thrown
from urim.events.checkpoint import Checkpoint, Key, public_key, sign
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.events.merkle import root_of
from urim.events.roll import DiceRolled, Proof, RollVoided
from urim.events.ruling import RollAmended
from urim.events.table import Noted

OTHER = bytes(reversed(range(32)))
"""A private key that nobody trusts."""


SMALL = bytes([1]) + bytes(31)
"""A key of small order, under which one constant signature fits every message."""


class Broken(NamedTuple):
    """A bundle in which `step` must have this verdict, and what the user gives besides it.

    `says` must be in one of the step's remarks, and `found` in what it found; `first` is the first
    red step, where another than `step` must be.
    """

    step: int
    bundle: bytes
    seen: tuple[bytes, ...] = ()
    key: str | None = None
    verdict: str = "fail"
    says: str = ""
    first: int | None = None
    found: str = ""


def twisted(step: int, label: str, twist: Twist, verdict: str = "fail", says: str = "") -> Broken:
    """The log with one event changed, sealed and signed as if nothing were wrong."""
    return Broken(step, good({label: twist}).bundle(), verdict=verdict, says=says)


def resigned(step: int, change: Callable[[Log], None]) -> Broken:
    """The log with its entries changed, signed again."""
    log = good()
    change(log)
    return Broken(step, log.bundle())


def sealed_anew(log: Log, place: int, **changes: Any) -> None:
    """Seal an entry once more, with another sequence or time."""
    log.entries[place] = resealed(log.entries[place], **changes)


def swapped(log: Log, one: int, other: int) -> None:
    """Put the payload of one entry into another, digests as they were."""
    there = log.entries[other]
    log.entries[one] = replace(log.entries[one], salt=there.salt, payload=there.payload)


def turned(event: Any, to: Callable[[Any], Any]) -> Any:
    """A throw whose first die shows another face."""
    first, *rest = event.dice
    return replace(event, dice=(Thrown(first.die, first.kind, to(first.face)), *rest))


def other_kind(event: Any) -> Any:
    """A throw whose first die is of a kind that the system has not."""
    first, *rest = event.dice
    return replace(event, dice=(Thrown(first.die, "d13", first.face), *rest))


def other_seed() -> Broken:
    """The dice follow from the seed that is opened, which is not the committed one."""
    log = Log({})
    log.open()
    seed = secret("another")
    log.thrown(1, 0, Ground(log.declare(1), secret("c")), seed=seed)
    return Broken(7, log.bundle())


def reused_nonce() -> Broken:
    """Two throws, one nonce."""
    log = Log({})
    log.open()
    first = log.thrown(1, 0, Ground(log.declare(1), secret("c")))
    log.thrown(1, 1, Ground(first, secret("c")))
    return Broken(12, log.bundle(), verdict="finding", says="was used before")


def constant_nonce() -> Broken:
    """A client that draws nothing."""
    log = Log({})
    log.open()
    log.thrown(1, 0, Ground(log.declare(1), "ab" * 32))
    return Broken(12, log.bundle(), verdict="finding", says="one byte over and over")


def reused_seed() -> Broken:
    """Two throws of one seed: a void opens the seed that another throw opened."""
    log = Log({})
    log.open()
    log.thrown(1, 0, Ground(log.declare(1), secret("c")))
    log.declare(2)
    log.add(RollVoided("narrator", 2, 0, log.seed(1, 0)), words="Too far.")
    return Broken(12, log.bundle(), says="was used before")


def without_reason() -> Broken:
    """An amendment for which nobody gives a reason: no command leads to it either."""
    log = Log({})
    log.open()
    log.declare(1)
    log.add(RollAmended("narrator", 1, "c1", {}))
    log.add(Noted("narrator", 0), words="This is not the reason.")
    return Broken(14, log.bundle(), verdict="finding", says="without a reason", first=10)


def forged_note(log: Log) -> bytes:
    """A note with the constant signature that fits every one of them under this key."""
    key = Key(ORIGIN, SMALL)
    text, _, _ = log.note().decode().partition("\n\n")
    made = b64encode(key.id + SMALL + bytes(32)).decode()
    return f"{text}\n\n— {ORIGIN} {made}\n".encode()


def rewritten() -> Broken:
    """A note in the middle of the log, changed after somebody had seen a checkpoint."""
    before = good().note()
    log = good({"noted": lambda event: replace(event, about=1)})
    return Broken(3, log.bundle(), (before,))


def cut_off() -> Broken:
    """The last entries gone, and the head signed again."""
    log = good()
    before = log.note()
    del log.entries[-2:]
    return Broken(3, log.bundle(), (before,))


def ways() -> Mapping[str, Broken]:
    """Every way by its name."""
    return {**of_the_form(), **of_the_head(), **of_the_throws(), **of_the_nonces(), **of_the_rest()}


def of_the_form() -> Mapping[str, Broken]:
    """Steps 1, 4 and 5."""
    log = good()
    return {
        "1 a key twice in a payload": twisted(
            1, "noted", lambda _: b'{"type":"noted/1","type":"noted/1"}'
        ),
        "1 an unknown event": twisted(1, "noted", lambda _: b'{"type":"noted/9","by":"p1"}'),
        "1 a field too many": twisted(1, "noted", _with_field),
        "1 another system": Broken(1, log.bundle(system="majesty")),
        "1 another version": Broken(1, log.bundle(version=2)),
        "1 other readings": Broken(1, log.bundle(options={})),
        "1 another table": Broken(1, elsewhere(log)),
        "1 opened twice": twisted(1, "noted", lambda _: recorded(log.entries[0]).event),
        "1 the roll is not in it": Broken(1, roll_of(log, roll=9)),
        "4 time goes back": resigned(4, lambda log: sealed_anew(log, 6, at=5)),
        "4 an entry twice": Broken(4, roll_of(log, twice=True), first=3),
        "4 an entry twice, of version 0.2": Broken(4, roll_of(log, twice=True, earlier=True)),
        "4 a gap": resigned(4, lambda log: sealed_anew(log, 6, seq=7)),
        "5 another payload": resigned(5, lambda log: swapped(log, 1, 2)),
        "5 an open entry withheld": resigned(5, lambda log: log.withhold(7)),
        "5 erased and still there": twisted(5, "erased", lambda event: replace(event, seq=6)),
    }


def of_the_head() -> Mapping[str, Broken]:
    """Steps 2 and 3."""
    log = good()
    note = log.note()
    flipped = note[:-10] + (b"A" if note[-10:-9] != b"A" else b"B") + note[-9:]
    stranger = public_key(ORIGIN, OTHER).vkey
    return {
        "2 a broken signature": Broken(2, bundled(log.entries, flipped)),
        "2 an unlisted key": Broken(2, bundled(log.entries, log.note(private=OTHER))),
        "2 a key of small order in the header": Broken(
            2, log.bundle(keys=[KEY.vkey, Key(ORIGIN, SMALL).vkey]), says="nobody may have"
        ),
        "2 signed by a key of small order": Broken(
            2,
            bundled(log.entries, forged_note(log), keys=[Key(ORIGIN, SMALL).vkey]),
            says="nobody may have",
        ),
        "2 a key that the user does not trust": Broken(2, log.bundle(), key=stranger),
        "3 an entry less": Broken(3, bundled(log.entries[:-1], log.note())),
        "3 another root": Broken(3, bundled([*log.entries[:-1], moved(log)], log.note())),
        "2 another size": Broken(2, log.bundle(size=len(log.entries) + 1)),
        "2 another origin": Broken(2, bundled(log.entries, elsewhere_signed(log))),
        "3 a proof of other entries": Broken(3, roll_of(log, proofs_from=1)),
        "3 a proof of another entry": Broken(3, roll_of(log, proofs_from=1, earlier=True)),
        "3 a proof that is too long": Broken(3, roll_of(log, further=1)),
        "3 a proof that is too short": Broken(3, roll_of(log, further=-1)),
        "3 a rewritten past": rewritten(),
        "3 cut off": cut_off(),
        "3 a checkpoint of nobody's": Broken(3, log.bundle(), (log.note(3, OTHER),)),
    }


def of_the_throws() -> Mapping[str, Broken]:
    """Steps 6 and 7."""
    return {
        "6 a throw skipped": twisted(6, "thrown 1/1", with_proof(throw=2)),
        "6 another commitment answered": twisted(6, "thrown 1/1", with_proof(committed=6)),
        "6 nothing published": twisted(6, "thrown 1/1", with_proof(next=None)),
        "6 no proof": twisted(6, "thrown 1/0", lambda event: replace(event, proof=None)),
        "6 another source": twisted(6, "thrown 1/0", with_proof(source="manual")),
        "6 an epoch that forgets a roll": twisted(
            6, "epoch", lambda event: replace(event, commits=event.commits[:2])
        ),
        "6 an epoch out of turn": twisted(6, "epoch", lambda event: replace(event, epoch=2)),
        "6 a roll of which nothing is known": twisted(
            6, "amended", lambda event: replace(event, roll=77)
        ),
        "6 a roll declared twice": twisted(6, "declared 3", lambda event: replace(event, roll=2)),
        "6 typed dice out of order": typed_out_of_order(),
        "7 another seed": other_seed(),
        "7 no seed": twisted(7, "thrown 1/1", with_proof(seed=None)),
    }


def of_the_nonces() -> Mapping[str, Broken]:
    """Step 8."""
    return {
        "8 no nonce": twisted(8, "thrown 1/1", with_proof(nonce=None)),
        "8 a nonce at level server": twisted(8, "thrown 3/0", with_proof(nonce=secret("x"))),
    }


def of_the_rest() -> Mapping[str, Broken]:
    """Steps 9, 12, 13 and 14."""
    return {
        "9 a face off by one": twisted(
            9, "thrown 1/1", lambda event: turned(event, lambda face: face % 12 + 1)
        ),
        "9 a face as text": twisted(9, "thrown 1/1", lambda event: turned(event, str)),
        "9 a strange die": twisted(9, "thrown 1/1", other_kind),
        "12 a nonce twice": reused_nonce(),
        "12 a nonce of one byte": constant_nonce(),
        "12 a seed twice": reused_seed(),
        "13 a void without its seed": twisted(
            13, "voided 3", lambda event: replace(event, seed=None)
        ),
        "13 a void with another seed": twisted(
            13, "voided 3", lambda event: replace(event, seed=secret("v"))
        ),
        "14 no reason": without_reason(),
    }


def _with_field(event: Any) -> bytes:
    return json.dumps({"type": "noted/1", "by": "p1", "about": 1, "more": 1}).encode()


def elsewhere(log: Log) -> bytes:
    """The log as that of another table, signed and all."""
    origin = "urim.local/t/verify02"
    note = elsewhere_signed(log)
    return bundled(log.entries, note, origin=origin, keys=[public_key(origin, PRIVATE).vkey])


def elsewhere_signed(log: Log) -> bytes:
    """A checkpoint over the same entries, of another log's."""
    root = root_of(entry.leaf for entry in log.entries)
    return sign(Checkpoint("urim.local/t/verify02", len(log.entries), root), PRIVATE)


def moved(log: Log) -> Entry:
    """The last entry a millisecond later."""
    last = log.entries[-1]
    said = b'{"type":"dispute-raised/1","by":"p1","roll":1}'
    return sealed(last.seq, last.at + 1, said, kind=last.kind)


def typed_out_of_order() -> Broken:
    """Dice typed in as a throw that is not the next one."""
    log = Log({})
    log.open("manual")
    log.declare(1, commit=False)
    dice = (Thrown("d1", "d12", 7),)
    log.add(DiceRolled("p1", 1, "c1", "initiator", dice, proof=Proof(1, "manual")))
    return Broken(6, log.bundle())
