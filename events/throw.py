r"""From a seed and nonces to faces: the `urim/1` construction, pure, with nothing random in it.

    S   seed              HMAC-SHA256(table secret, "urim/1 seed\n" ID "\n")
    C   commitment        SHA-256("urim/1 seed\n"  ID "\n" hex(S) "\n")
    N   nonce commitment  SHA-256("urim/1 nonce\n" ID "\n" hex(c) "\n")
    T   transcript        "urim/1 throw\n"
                          "throw " ID "\n"
                          "committed " SEQ " " hex(leaf of the entry that published C) "\n"
                          "roller " SEAT " " hex(c) "\n"      "-" when nobody gave a nonce
                          ("witness " SEAT " " hex(q) "\n")*  ascending by seat, one each
    v   draw a of die j   HKDF-SHA256(S, SHA-256(T), "urim/1 die\n" j "\n" a "\n", 6 bytes)

A throw's id is TABLE/ROLL/THROW. Hashes and seeds are 32 bytes; nonces, which clients send, are
text of 64 hex digits. Every value that is not of its form is refused before it is used.
"""

import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TypeAlias

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from ..errors import Defect, Refused
from .base import Face

ATTEMPTS = 128
"""Draws per die. Each is kept with probability above 1/2: all are lost once in more than 2^128."""

DRAW_BYTES = 6
DRAWS = 1 << 8 * DRAW_BYTES
"""How many values a draw may have, 2^48; also the most faces of a die."""

SEED_BYTES = 32

NO_LEAF = bytes(32)
"""Takes the committing entry's place in a transcript where nothing was committed."""

QUOTED = 80
"""The most characters of a refused value that its refusal repeats."""

FORMS: Mapping[str, tuple[str, str]] = {
    "table id": (r"[a-z0-9]{8,32}", "8 to 32 of a-z 0-9"),
    "seat": (r"[a-z0-9-]{1,32}", "1 to 32 of a-z 0-9 -"),
    "throw id": (
        r"[a-z0-9]{8,32}/[1-9][0-9]*/(0|[1-9][0-9]*)",
        "TABLE/ROLL/THROW, rolls from 1, throws from 0",
    ),
    "nonce": (r"[0-9a-f]{64}", "64 hex digits, lower case"),
    "seed": (r"[0-9a-f]{64}", "64 hex digits, lower case"),
    "seat key": (r"[A-Za-z0-9+/]{43}=", "32 bytes in base64"),
    "seed text": (r"[A-Za-z0-9._-]{1,64}", "1 to 64 of A-Z a-z 0-9 . _ -"),
}
"""The form of each value: its name -> pattern of all of it, the same in words."""

Draw: TypeAlias = Callable[[int, int], tuple[int, int]]
"""(j, sides) -> (face index, attempt) of die j of one throw, both counted from 0."""

NUMBERED = re.compile(r"d[1-9][0-9]{0,14}")
"""A kind of die whose name says its faces: dN shows 1 to N."""

_SHA256 = SHA256()
_FORMS = {what: (re.compile(pattern), words) for what, (pattern, words) in FORMS.items()}


def checked(what: str, text: str) -> str:
    """The text, if it is of the form that FORMS gives for `what`; else Refused("malformed")."""
    pattern, words = _FORMS[what]
    if pattern.fullmatch(text) is None:
        shown = repr(text) if len(text) <= QUOTED else f"{text[:QUOTED]!r}..."
        raise Refused("malformed", f"the {what} is {shown}", allowed=[words])
    return text


def checked_table(text: str) -> str:
    """A table's id as given. Raises Refused("malformed") unless `[a-z0-9]{8,32}`."""
    return checked("table id", text)


def checked_seat(text: str) -> str:
    """A seat as given. Raises Refused("malformed") unless `[a-z0-9-]{1,32}`."""
    return checked("seat", text)


def checked_nonce(text: str) -> str:
    """A nonce as given. Raises Refused("malformed") unless 64 lower-case hex digits."""
    return checked("nonce", text)


def checked_seed_text(text: str) -> str:
    """The SEED of a fixture as given. Raises Refused("malformed") unless `[A-Za-z0-9._-]{1,64}`."""
    return checked("seed text", text)


def seed_from(text: str) -> bytes:
    """The seed that an event opens as 64 hex digits. Raises Refused("malformed") for other text."""
    return bytes.fromhex(checked("seed", text))


def throw_id(table: str, roll: int, throw: int) -> str:
    """The id of a throw: rolls count from 1 in their table, throws from 0 in their roll.

    Raises Refused("malformed") for the table's id, Refused("out-of-range") for the numbers.
    """
    _at_least("roll", roll, 1)
    _at_least("throw", throw, 0)
    return f"{checked_table(table)}/{roll}/{throw}"


def seed_of(secret: bytes, id: str) -> bytes:
    """S: the seed of a throw, which only the holder of the table's secret (32 bytes) can make.

    Raises Refused("malformed") for an id or a secret not of its form.
    """
    _sized("table secret", secret)
    # Not `hmac.digest`, which gives the interpreter away to other threads at every call.
    return hmac.new(secret, b"urim/1 seed\n%b\n" % _id(id), "sha256").digest()


def fixture_seed(seed: str, id: str) -> bytes:
    """S of a throw in a fixture: known to all, the same in every run, never fair."""
    text = checked_seed_text(seed).encode("ascii")
    return sha256(b"urim/1 fixture\n%b\n%b\n" % (text, _id(id))).digest()


def fixture_salt(seed: str, table: str, seq: int) -> bytes:
    """The salt of entry `seq`, counted from 0, in a fixture, so that its roots repeat too."""
    _at_least("seq", seq, 0)
    text = f"urim/1 fixture salt\n{checked_seed_text(seed)}\n{checked_table(table)}\n{seq}\n"
    return sha256(text.encode("ascii")).digest()


def fixture_text_salt(seed: str, table: str, seq: int) -> str:
    """The salt of a text in a fixture, 32 hex digits; its commit begins with entry `seq`."""
    _at_least("seq", seq, 0)
    text = f"urim/1 fixture text\n{checked_seed_text(seed)}\n{checked_table(table)}\n{seq}\n"
    return sha256(text.encode("ascii")).hexdigest()[:32]


def commitment(id: str, seed: bytes) -> bytes:
    """C: binds the server to the seed of a throw before anyone adds a nonce."""
    _sized("seed", seed)
    return sha256(b"urim/1 seed\n%b\n%b\n" % (_id(id), seed.hex().encode("ascii"))).digest()


def nonce_commitment(id: str, nonce: str) -> bytes:
    """N: binds the roller to its nonce before the witnesses give theirs."""
    text = checked_nonce(nonce).encode("ascii")
    return sha256(b"urim/1 nonce\n%b\n%b\n" % (_id(id), text)).digest()


def transcript(
    id: str,
    committed: int,
    leaf: bytes,
    roller: str,
    nonce: str | None,
    witnesses: Iterable[tuple[str, str]] = (),
) -> bytes:
    """T: everything that the dice of a throw depend on besides its seed.

    `committed` is the sequence, counted from 0, of the entry that published C, and `leaf` its leaf;
    `witnesses` are (seat, nonce) in any order. Raises Refused("malformed") for a value not of its
    form, Refused("nonce") for a seat that gave two, the roller's own among them.
    """
    _sized("leaf", leaf)
    _at_least("committed", committed, 0)
    given = [("roller", checked_seat(roller), "-" if nonce is None else checked_nonce(nonce))]
    given += sorted(("witness", checked_seat(seat), checked_nonce(q)) for seat, q in witnesses)
    seats = [seat for _, seat, _ in given]
    for seat in seats:
        if seats.count(seat) > 1:
            raise Refused("nonce", f"seat {seat} is named twice in one throw", allowed=["one each"])
    lines = [
        "urim/1 throw",
        f"throw {checked('throw id', id)}",
        f"committed {committed} {leaf.hex()}",
        *map(" ".join, given),
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def keyed(seed: bytes, transcript: bytes) -> Draw:
    """The dice of one throw, to be drawn one by one: HKDF (RFC 5869), extracted once for them all.

    `j` counts the dice of the throw from 0 in the order in which its event lists them; one thrown
    again inside the throw takes the next. Raises Refused("malformed") for a seed that is not 32
    bytes; the function that is returned raises Refused("out-of-range") for j below 0 and for sides
    beyond 1 to 2^48.
    """
    _sized("seed", seed)
    key = HKDF.extract(_SHA256, sha256(transcript).digest(), seed)

    def draw(j: int, sides: int) -> tuple[int, int]:
        _at_least("die", j, 0)
        if not 1 <= sides <= DRAWS:
            raise Refused("out-of-range", f"a die of {sides} faces", allowed=[f"1 to {DRAWS}"])
        fair = DRAWS - DRAWS % sides  # the draws below it fall on every face equally often
        for attempt in range(ATTEMPTS):
            info = b"urim/1 die\n%d\n%d\n" % (j, attempt)
            value = int.from_bytes(HKDFExpand(_SHA256, DRAW_BYTES, info).derive(key))
            if value < fair:
                return value % sides, attempt
        raise Defect(f"die {j} of {sides} faces: {ATTEMPTS} draws, none of them fair")

    return draw


def faces_of(kind: str, listed: Mapping[str, Sequence[Face]]) -> Sequence[Face]:
    """The faces of a kind of die, in the order in which draws number them; none of an unknown one.

    `listed` are the kinds that a table's opening lists; a kind dN beside them shows 1 to N.
    """
    if kind in listed:
        return listed[kind]
    sides = int(kind[1:]) if NUMBERED.fullmatch(kind) else 0
    return range(1, sides + 1) if sides <= DRAWS else ()


def dice(seed: bytes, transcript: bytes, sides: Iterable[int]) -> Iterator[int]:
    """The index of each die's face in its face table, counted from 0, for dice of so many `sides`.

    Draws as it is asked, so `sides` may depend on the faces so far. Raises as `keyed` does.
    """
    draw = keyed(seed, transcript)
    return (draw(j, faces)[0] for j, faces in enumerate(sides))


def _id(id: str) -> bytes:
    return checked("throw id", id).encode("ascii")


def _sized(what: str, value: bytes) -> None:
    if len(value) != SEED_BYTES:
        # The value stays out of the words: it may be the table's secret.
        raise Refused("malformed", f"the {what} has {len(value)} bytes", allowed=["32 bytes"])


def _at_least(what: str, value: int, least: int) -> None:
    if value < least:
        raise Refused("out-of-range", f"{what} is {value}", allowed=[f"{least} or more"])
