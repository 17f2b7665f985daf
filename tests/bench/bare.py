"""The least that the same entries cost: their hashes, draws and JSON alone, and nothing decided.

It makes the same calls to hashlib, cryptography, msgspec and sqlite3 that Urim cannot do without.
"""

import hashlib
import hmac
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from msgspec.json import Decoder, Encoder

from tests.bench.script import SECRET, Asked, Commit
from urim.engine.core.commands import AnyCommand
from urim.events.codec import Event, Payload
from urim.events.entry import Entry
from urim.events.log.sqlite.file import Place
from urim.events.roll import DiceRerolled, DiceRolled, RollDeclared
from urim.events.throw import DRAW_BYTES

_encoder = Encoder()
_payloads: Decoder[Payload] = Decoder(Payload)
_commands: Decoder[AnyCommand] = Decoder(AnyCommand)
_SHA256 = SHA256()

TABLES = (
    """CREATE TABLE entries (table_id TEXT, seq INTEGER, at INTEGER, kind TEXT, digest BLOB,
    leaf BLOB, start INTEGER, salt BLOB, payload BLOB,
    PRIMARY KEY (table_id, seq)) WITHOUT ROWID""",
    """CREATE TABLE commits (table_id TEXT, seat TEXT, request TEXT, mac BLOB, start INTEGER,
    stop INTEGER, PRIMARY KEY (table_id, seat, request)) WITHOUT ROWID""",
)


def decide(steps: Iterable[Asked], commits: Iterable[Commit], facts: Sequence[Payload]) -> None:
    """What commands cost bare: read each, draw its dice, encode, hash and decode its events."""
    for step in steps:
        _commands.decode(_encoder.encode(step.command))
        hmac.digest(SECRET, step.body, "sha256")
    for fact in facts:
        _draw(fact.event)
        _encoder.encode(fact)
    for commit in commits:
        replay(commit.entries)


def _draw(event: Event) -> None:
    if isinstance(event, RollDeclared):
        _commit()
    if isinstance(event, (DiceRolled, DiceRerolled)):
        _commit()
        _commit()
        key = HKDF.extract(_SHA256, hashlib.sha256(SECRET * 8).digest(), SECRET)
        for j in range(len(event.dice)):
            info = b"urim/1 die\n%d\n%d\n" % (j, 0)
            HKDFExpand(_SHA256, DRAW_BYTES, info).derive(key)


def _commit() -> None:
    seed = hmac.digest(SECRET, b"urim/1 seed\nbench000/1/0\n", "sha256")
    hashlib.sha256(b"urim/1 seed\nbench000/1/0\n" + seed.hex().encode())


def replay(entries: Iterable[Entry]) -> None:
    """What replaying costs bare: digest, leaf, one node of the tree, and the event decoded."""
    for entry in entries:
        assert entry.salt is not None
        assert entry.payload is not None
        hashlib.sha256(b"urim/1 payload\n" + entry.salt + entry.payload).digest()
        hashlib.sha256(b"\x00urim/1 entry\n0\n0\nopen\n" + entry.digest.hex().encode()).digest()
        hashlib.sha256(b"\x01" + entry.leaf + entry.leaf).digest()
        _payloads.decode(entry.payload)


def decode(payloads: Iterable[bytes]) -> None:
    """The events of these payloads, and nothing else."""
    for payload in payloads:
        _payloads.decode(payload)


def read(path: Path, table: str) -> int:
    """Read and decode a table's rows, keeping every event; how many there were."""
    with closing(Place(path).connect(reading=True)) as connection:
        found = connection.execute(
            """SELECT seq, at, kind, digest, leaf, start, salt, payload FROM entries
            WHERE table_id = ? ORDER BY seq""",
            (table,),
        )
        kept = [(row, _payloads.decode(row[-1])) for row in found]
    return len(kept)


def connect(path: Path) -> sqlite3.Connection:
    """A new file with a log's settings and columns, and none of its laws."""
    connection = Place(path).connect()
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    for statement in TABLES:
        connection.execute(statement)
    return connection


def write(
    connection: sqlite3.Connection, commits: Sequence[tuple[str, Commit]], groups: Iterable[int]
) -> None:
    """Write these tables' commits, in transactions of so many commits each."""
    done = 0
    for group in groups:
        connection.execute("BEGIN IMMEDIATE")
        for table, commit in commits[done : done + group]:
            rows = [
                (table, e.seq, e.at, e.kind, e.digest, e.leaf, e.commit, e.salt, e.payload)
                for e in commit.entries
            ]
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            asked, stop = commit.request, commit.expected + len(commit.entries)
            row = (table, asked.seat, asked.id, asked.mac, commit.expected, stop)
            connection.execute("INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.execute("COMMIT")
        done += group
