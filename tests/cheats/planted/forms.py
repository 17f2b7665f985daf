"""Cheats with the form: what two readers could read in two ways, and keys that fit any log."""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, head, lines, made, rewritten
from tests.cheats.host import Host
from tests.cheats.planted.keys import keyed, last_first, signed_as, with_last
from tests.cheats.stages import brawl, prayer
from tests.engine.helpers.bodies import asking
from tests.sealing import asked_of, json_of, resealed, sealed_raw
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import Key, public_key
from urim.events.table import SeatTaken

PLANTED = Planted()

IDENTITY = bytes([1]) + bytes(31)
"""The key of order 1."""

CONSTANT = IDENTITY + bytes(32)
"""A signature that fits every message under that key."""

DEPTH = 64
"""How deep JSON is read."""

NUMBER = '"value":1'

# --- keys of small order --------------------------------------------------------------------------


@PLANTED("50")
def key_for_any_log(honest: bool) -> Made:
    """A key of small order beside the log's own."""
    host = brawl()
    keys = [host.vkey, _second(host, honest=honest).vkey]
    return replace(made(host), bundle=_file(host, keys, head(host)))


@PLANTED("50b")
def signed_for_any_log(honest: bool) -> Made:
    """The file's own key is of small order, and one constant signs it; its reader has no key."""
    host = brawl()
    if honest:
        return replace(made(host), key=None)
    weak = _second(host)
    text, _, _ = head(host).decode().partition("\n\n")
    note = f"{text}\n\n— {weak.name} {b64encode(weak.id + CONSTANT).decode()}\n"
    return Made(_file(host, [weak.vkey], note.encode()), None)


@PLANTED("50c")
def key_given(honest: bool) -> Made:
    """The reader is given a key of small order as the log's; the twin's has the log's own."""
    host = brawl()
    return made(host) if honest else replace(made(host), key=_second(host).vkey)


@PLANTED("50d")
def key_of_a_seat(honest: bool) -> Made:
    """A seat's key is of small order, and one constant signs all that the seat is to have asked."""
    host, _ = keyed("p1")
    host.key("p2")
    if honest:
        return made(host)
    seq = last_first(host).seq
    weak = b64encode(IDENTITY).decode()
    taken = rewritten(host.entries, seq, lambda event: replace(event, key=weak))[seq]
    constant = b64encode(CONSTANT).decode()
    return made(host, with_last(host, signed_as(taken, sig=constant)), entry=seq)


def _second(host: Host, *, honest: bool = False) -> Key:
    """Another key under the log's name: one that nobody may have, where it is not honest."""
    other = public_key(host.origin, host.drawn("another key"))
    return other if honest else Key(host.origin, IDENTITY)


def _file(host: Host, keys: list[str], note: bytes) -> bytes:
    return lines(host.entries, host.origin, keys, note, host.event(0))


# --- numbers, and depth ---------------------------------------------------------------------------


@PLANTED("51", body=f"{NUMBER}.0")
@PLANTED("51b", event=f"{NUMBER}.0")
def odd_value(honest: bool, body: str = NUMBER, event: str = NUMBER) -> Made:
    """A value, in a body or in the event, that not every reader reads alike."""
    host = brawl()
    seq = host.ask(NARRATOR, commands.SetTrack("c1", "merit", 1))
    if honest:
        return made(host)
    said = f'{{"do":"set-track/1","character":"c1","track":"merit",{body}}}'
    told = f'{{"type":"track-set/1","by":"{NARRATOR}","character":"c1","track":"merit",{event}}}'
    forged = resealed(asking(host.entries[seq], said), told.encode())
    return made(host, (*host.entries[:seq], forged), entry=seq)


@PLANTED("51c", body=DEPTH - 1)
@PLANTED("51d", event=DEPTH - 2)
def nested(honest: bool, body: int = 0, event: int = 0) -> Made:
    """A declaration with so many lists inside one another: one more than is read."""
    host = brawl()
    seq = host.roll(prayer(host)).trail[0].seq
    if honest:
        return made(host)
    entry = host.entries[seq]
    asked = asked_of(entry)
    assert asked is not None
    said = _deeper(json.loads(asked.body), body)
    forged = resealed(asking(entry, said), _deeper(json_of(entry), event).encode())
    return made(host, (*host.entries[:seq], forged, *host.entries[seq + 1 :]), entry=seq)


def _deeper(found: Any, lists: int) -> str:
    """The JSON, with that many lists inside one another in its declaration."""
    if lists:
        found["declaration"]["more"] = json.loads("[" * lists + "]" * lists)
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


@PLANTED("51e", old=b'"seq":1,', new=b'"seq":1.0,')
@PLANTED("51f", old=b'"version":1,', new=b'"version":1.0,')
@PLANTED("51g", old=b'"options":{', new=b'"options":{"x":%b%b,' % (b"[" * DEPTH, b"]" * DEPTH))
def odd_line(honest: bool, old: bytes, new: bytes) -> Made:
    """A line of the file that not every reader reads alike."""
    found = made(brawl())
    assert old in found.bundle
    return found if honest else replace(found, bundle=found.bundle.replace(old, new, 1))


# --- names of seats and tables --------------------------------------------------------------------


@PLANTED("51m", seat="P9")
@PLANTED("51n", by="GM")
def odd_seat(honest: bool, seat: str = "p9", by: str = NARRATOR) -> Made:
    """A seat whose letters no seat has: taken, or asking."""
    host = brawl()
    if honest:
        host.seat("p9")
        return made(host)
    return made(host, entry=host.write(SeatTaken(by, seat, "player")))


@PLANTED("51o")
def odd_table(honest: bool) -> Made:
    """A table whose letters no table has, under its own origin."""
    host = brawl()
    if honest:
        return made(host)
    first, *others = host.entries
    forged = rewritten([first], 0, lambda event: replace(event, table="Cheats01"))
    host.origin = "urim.local/t/Cheats01"
    return made(host, (*forged, *others), entry=0)


# --- the bytes of a payload -----------------------------------------------------------------------


@PLANTED("51p", old=b'{"asked":', new=b'{ "asked":')
@PLANTED("51q", old=b'"by":"narrator","seat":"p9"', new=b'"seat":"p9","by":"narrator"')
@PLANTED("51s", old=b'"p9","role"', new=b'"\\u0070\\u0039","role"')
@PLANTED("51t", old=b'"role":"player"', new=b'"role":"player","key":null')
def other_bytes(honest: bool, old: bytes, new: bytes) -> Made:
    """A payload that says the same in other bytes than its command leads to."""
    host = brawl()
    host.seat("p9")
    return made(host) if honest else _written(host, lambda payload: payload.replace(old, new))


@PLANTED("51r")
def turned(honest: bool) -> Made:
    """A payload that says what was asked behind the event."""
    host = brawl()
    host.seat("p9")
    return made(host) if honest else _written(host, _turned)


def _turned(payload: bytes) -> bytes:
    found = json.loads(payload)
    event, asked = (json.dumps(found[name], separators=(",", ":")) for name in ("event", "asked"))
    return f'{{"event":{event},"asked":{asked}}}'.encode()


def _written(host: Host, written: Callable[[bytes], bytes]) -> Made:
    """The log with the last payload in other bytes."""
    *others, last = host.entries
    assert last.salt is not None and last.payload is not None
    payload = written(last.payload)
    assert payload != last.payload
    forged = sealed_raw(last.seq, last.at, payload, last.salt)
    return made(host, (*others, forged), entry=last.seq)


# --- shares and nonces ----------------------------------------------------------------------------


@PLANTED("51h", turn=str.upper)
@PLANTED("51i", turn=lambda share: share[:-1])
@PLANTED("51j", turn=lambda share: f"{share}\n")
def malformed_share(honest: bool, turn: Any) -> Made:
    """A share whose digits some readers take for others."""
    host = brawl("table")
    host.anchor("p1", "p2")
    number = prayer(host)
    host.ask_for(number, "p1", "initiator")
    if honest:
        host.open_all()
        return made(host)
    share = commands.OpenShare(number, host.share("p2"))
    entry = host.ask("p2", share, lambda event: replace(event, share=turn(event.share)))
    return made(host, entry=entry)


@PLANTED("51k", turn=str.upper)
@PLANTED("51l", turn=lambda nonce: nonce[:-1])
def malformed_nonce(honest: bool, turn: Any) -> Made:
    """A nonce whose digits some readers take for others."""
    host = brawl()

    def twist(event: Any) -> Any:
        return replace(event, proof=replace(event.proof, nonce=turn(event.proof.nonce)))

    entry = host.throw(prayer(host), twist=None if honest else twist)
    return made(host, entry=entry)
