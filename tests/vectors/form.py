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


class Vectors(Form, frozen=True):
    """A whole file."""

    format: Literal["urim/1"]
    throws: tuple[Throw, ...]
    fixture_salts: tuple[FixtureSalt, ...]
    fixture: tuple[FixtureSeed, ...]
    commitments: tuple[Commitment, ...]
    log: Log


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
