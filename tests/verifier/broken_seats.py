"""What can be wrong with commands of seats that have a key, and honest twins."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from tests.sealing import asked_of, resealed
from tests.verifier.broken import SMALL, Broken
from tests.verifier.log import ORIGIN, Log, secret
from urim.events.asked import Asked, Seen, signed
from urim.events.entry import Entry
from urim.events.merkle import root_of
from urim.events.roll import ShareOpened
from urim.events.table import EpochBegun, Noted, SeatLeft, SeatTaken, ShareAnchored

Change = Callable[[Asked], Asked]


class Pen:
    """A seat's key."""

    def __init__(self, name: str) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret(name)))

    @property
    def public(self) -> str:
        """The public key in base64."""
        return b64encode(self._key.public_key().public_bytes_raw()).decode()

    def sign(self, asked: Asked, seat: str = "p2", origin: str = ORIGIN) -> Asked:
        """What was asked, signed."""
        made = self._key.sign(signed(origin, seat, asked))
        return replace(asked, sig=b64encode(made).decode())


PEN, OTHER = Pen("p2's key"), Pen("another key")


def seen_by(entries: list[Entry], size: int) -> Seen:
    return Seen(size, root_of(entry.leaf for entry in entries[:size]).hex())


def say(
    log: Log,
    event: Any,
    pen: Pen | None = PEN,
    *,
    size: int | None = None,
    words: str | None = None,
    request: str = "",
    **sign: Any,
) -> int:
    """Add a command signed over the head of the log before it, or over a smaller one."""
    seq = log.add(event, words=words)
    if pen is not None:
        asked = asked_of(log.entries[seq])
        assert asked is not None
        named = replace(
            asked,
            request=request or f"r{seq}",
            seen=seen_by(log.entries, seq if size is None else size),
        )
        log.entries[seq] = resealed(log.entries[seq], asked=pen.sign(named, **sign))
    return seq


def keyed(first: Pen | None = PEN) -> Log:
    """A table at which p2 took a key, and anchored."""
    log = Log({})
    log.open()
    say(log, SeatTaken("p2", "p2", "player", PEN.public), first, size=0)
    say(log, ShareAnchored("p2", log.link("p2", 0)))
    return log


def noted(pen: Pen | None = PEN, **say_it: Any) -> Log:
    """p2 writes a note."""
    log = keyed()
    say(log, Noted("p2", 0), pen, words="Hear me.", **say_it)
    return log


def changed(change: Change) -> Log:
    """The note with something else in what was asked, after it was signed."""
    log = noted()
    seq = len(log.entries) - 2
    asked = asked_of(log.entries[seq])
    assert asked is not None
    log.entries[seq] = resealed(log.entries[seq], asked=change(asked))
    return log


def another_key(pen: Pen) -> Log:
    """p2 takes another key, by a command that this one signs; and uses it."""
    log = keyed()
    say(log, SeatTaken("p2", "p2", "player", OTHER.public), pen)
    say(log, Noted("p2", 0), OTHER, words="It is me.")
    return log


def seated_again(pen: Pen | None) -> Log:
    """p2 is taken away and seated again; it speaks, with its old key or without one."""
    log = keyed()
    log.add(SeatLeft("narrator", "p2"))
    log.add(SeatTaken("narrator", "p2", "player"))
    say(log, Noted("p2", 0), pen, words="Back again.")
    return log


def share(covers: bool) -> Log:
    """p2 opens a share over a head that covers the ask, or one that does not."""
    log = keyed()
    log.anchor("p1")
    declared = log.declare(1, "table")
    ask = log.ask(1, 0, declared, {"p1": 1, "p2": 1}) + 1
    event = ShareOpened("p2", 1, 0, log.link("p2", 1))
    say(log, event, size=ask + 1 if covers else ask)
    return log


def weak(text: str) -> Log:
    """p2 takes a key that nobody may have."""
    log = Log({})
    log.open()
    log.add(SeatTaken("p2", "p2", "player", text))
    return log


def for_another() -> Log:
    """A narrator takes a key for p2."""
    log = Log({})
    log.open()
    log.add(SeatTaken("narrator", "p2", "player", PEN.public))
    return log


def other_root(asked: Asked) -> Asked:
    assert asked.seen is not None
    return PEN.sign(replace(asked, seen=Seen(asked.seen.size, secret("root"))))


def no_root(asked: Asked) -> Asked:
    assert asked.seen is not None
    return PEN.sign(replace(asked, seen=Seen(asked.seen.size, asked.seen.root.upper())))


def other_body(asked: Asked) -> Asked:
    return replace(asked, body=asked.body.replace('"about":0', '"about": 0'))


def high(asked: Asked) -> Asked:
    """The signature with S + L in the place of S: the same point, and no canonical form."""
    order = 2**252 + 27742317777372353535851937790883648493
    body = b64decode(asked.sig or "")
    s = int.from_bytes(body[32:], "little") + order
    return replace(asked, sig=b64encode(body[:32] + s.to_bytes(32, "little")).decode())


def failing(step: int, says: str, log: Log) -> Broken:
    """A log in which the step says this."""
    return Broken(step, log.bundle(), says=says)


def keyed_ways() -> Mapping[str, Broken]:
    """Every way by its name."""
    fits = "does not fit what it asked"
    return {
        "10 a key not signed with": failing(10, "is not signed", keyed(None)),
        "10 a key signed with another": failing(10, fits, keyed(OTHER)),
        "10 a command without a signature": failing(10, "is not signed", noted(None)),
        "10 a command without the head": failing(
            10, "is not signed", changed(lambda asked: replace(asked, seen=None))
        ),
        "10 a forged command": failing(10, fits, noted(OTHER)),
        "10 a command of another table": failing(10, fits, noted(origin="urim.local/t/verify02")),
        "10 a command of another seat": failing(10, fits, noted(seat="p1")),
        "10 a command of another request": failing(
            10, fits, changed(lambda asked: replace(asked, request="again"))
        ),
        "10 another body": failing(10, fits, changed(other_body)),
        "10 a signature with a high S": failing(10, fits, changed(high)),
        "10 a signature that is none": failing(
            10, fits, changed(lambda asked: replace(asked, sig="AAAA"))
        ),
        "10 a signature with a stray bit": failing(
            10, fits, changed(lambda asked: replace(asked, sig=f"{(asked.sig or '')[:-3]}B=="))
        ),
        "10 a head of another log": failing(10, "is not of this log", changed(other_root)),
        "10 a head beyond the command": failing(10, "is beyond the command", beyond()),
        "10 an older head": failing(10, "is older than its last one", noted(size=2)),
        "10 a share without its ask seen": failing(10, "before it had seen the ask", share(False)),
        "10 another key by itself": failing(10, fits, another_key(OTHER)),
        "10 a request of the host's": failing(10, "without an id of its own", noted(request="~6")),
        "10 a head that is none": failing(10, "is not of its form", changed(no_root)),
        "10 a signature without a key": failing(10, "has no key", seated_again(PEN)),
        "10 a key for another seat": failing(10, "for another seat", for_another()),
        "1 a key of small order": failing(
            1, "that nobody may have", weak(b64encode(SMALL).decode())
        ),
        "1 a key beyond the field": failing(
            1, "that nobody may have", weak(b64encode(b"\xff" * 31 + b"\x7f").decode())
        ),
        "1 a key that is no base64": failing(1, "that nobody may have", weak("x")),
    }


def beyond() -> Log:
    """A head that covers the command itself."""
    log = keyed()
    seq = say(log, Noted("p2", 0), words="Hear me.")
    asked = asked_of(log.entries[seq])
    assert asked is not None
    over = replace(asked, seen=seen_by(log.entries, seq + 1))
    log.entries[seq] = resealed(log.entries[seq], asked=PEN.sign(over))
    return log


def host_epoch() -> Log:
    """The host restores the log of a narrator's seat with a key; nobody signs that."""
    log = Log({})
    log.open()
    say(log, SeatTaken("narrator", "narrator", "narrator", PEN.public), size=0, seat="narrator")
    log.epoch = 1
    log.add(EpochBegun("narrator", 1, ()))
    return log


def keyed_honestly() -> Mapping[str, Log]:
    """The same without what is wrong."""
    return {
        "a key taken and used": noted(),
        "the same head twice": noted(size=5),
        "a key changed by the old one": another_key(PEN),
        "seated again without a key": seated_again(None),
        "a share over its ask": share(True),
        "an epoch of the host's": host_epoch(),
    }
