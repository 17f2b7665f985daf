"""The form of a file of `urim/1` test vectors, strict: what is not of it is not checked at all."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from msgspec import DecodeError, Meta, Struct
from msgspec.json import Decoder

Hex32: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""32 bytes as lower-case hex."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Form(Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object with exactly these keys."""


class Die(Form, frozen=True):
    """Die `j` of a throw: the index of its face, and the attempt that drew it, both from 0."""

    j: Count
    sides: Count
    index: Count
    attempt: Count


class Throw(Form, frozen=True):
    """A throw: its seed, its transcript, the transcript's hash, its dice."""

    name: str
    seed: Hex32
    transcript: str
    salt: Hex32
    dice: tuple[Die, ...]


class FixtureSalt(Form, frozen=True):
    """The salt of one entry of a fixture."""

    seed: int | str
    table: str
    seq: Count
    salt: Hex32


class FixtureSeed(Form, frozen=True):
    """The seed of one throw of a fixture."""

    seed: int | str
    throw: str
    S: Hex32


class Commitment(Form, frozen=True):
    """What a seed and a nonce are committed to by."""

    throw: str
    seed: Hex32
    commitment: Hex32
    nonce: Hex32
    nonce_commitment: Hex32


class LogEntry(Form, frozen=True, rename={"kind": "class"}):
    """An entry: what was sealed, the bytes that are hashed, their leaf."""

    seq: Count
    kind: Literal["open", "hidden"]
    salt: Hex32
    payload: str
    entry: str
    leaf: Hex32


class Inclusion(Form, frozen=True):
    """What proves that entry `seq` is in the tree of `size`."""

    seq: Count
    size: Count
    proof: tuple[Hex32, ...]


class Consistency(Form, frozen=True, rename={"old": "from", "new": "to"}):
    """What proves that the tree of `new` begins with the one of `old`."""

    old: Count
    new: Count
    proof: tuple[Hex32, ...]


class Log(Form, frozen=True):
    """A whole log: its entries, its root at every size from 0, its proofs, its signed head."""

    origin: str
    private_key: Hex32
    vkey: str
    checkpoint: str
    entries: tuple[LogEntry, ...]
    roots: tuple[Hex32, ...]
    inclusion: tuple[Inclusion, ...]
    consistency: tuple[Consistency, ...]


class Link(Form, frozen=True):
    """Link `i` of a chain of shares; link 0 is the chain's anchor."""

    i: Count
    link: Hex32


class Chain(Form, frozen=True):
    """A seat's chain of shares at a table; `last` is link 1,000, the seat's secret."""

    table: str
    seat: str
    last: Hex32
    links: tuple[Link, ...]


class Share(Form, frozen=True):
    """A seat that is asked: the anchor of its chain, the link that it opens, and that link."""

    seat: str
    anchor: Hex32
    i: Count
    share: Hex32


class SharedThrow(Form, frozen=True):
    """A throw at level `table`: plan and ask as entries, the shares, what follows from them.

    `committed` and `leaf` are the sequence and the leaf of the entry that the throw answers.
    """

    name: str
    id: str
    roller: str
    committed: Count
    leaf: Hex32
    plan: LogEntry
    ask: LogEntry
    shares: tuple[Share, ...]
    seed: Hex32
    transcript: str
    salt: Hex32
    dice: tuple[Die, ...]


class Shares(Form, frozen=True):
    """Level `table`."""

    chains: tuple[Chain, ...]
    throws: tuple[SharedThrow, ...]


class Signed(Form, frozen=True):
    """What a seat with a key signs of a request, over the root of the first `size` entries."""

    origin: str
    seat: str
    request: str
    size: Count
    root: Hex32
    body: str
    text: str
    private_key: Hex32
    key: str
    sig: str


class SeatKey(Form, frozen=True):
    """A public key as a seat may write it, and whether anybody may have it."""

    name: str
    key: str
    good: bool


class Signature(Form, frozen=True):
    """A signature over bytes in hex; key and signature in base64."""

    name: str
    key: str
    signature: str
    message: str
    good: bool


class Seats(Form, frozen=True):
    """Keys of seats."""

    signed: tuple[Signed, ...]
    keys: tuple[SeatKey, ...]
    signatures: tuple[Signature, ...]


class Vectors(Form, frozen=True):
    """A whole file; one from before there were shares has neither `shares` nor `seats`."""

    format: Literal["urim/1"]
    throws: tuple[Throw, ...]
    fixture_salts: tuple[FixtureSalt, ...]
    fixture: tuple[FixtureSeed, ...]
    commitments: tuple[Commitment, ...]
    log: Log
    shares: Shares = Shares((), ())
    seats: Seats = Seats((), (), ())


class Unreadable(Exception):
    """A file that cannot be read, or is not of the form; the text says why."""


_decoder = Decoder(Vectors)


def read(path: str) -> Vectors:
    """The vectors in a file. Raises Unreadable when it is none of ours."""
    try:
        return _decoder.decode(Path(path).read_bytes())
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    except (DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise Unreadable(str(error)) from error
