"""What a table takes from outside, put together: fresh and secret, or the same in every run.

A seeded or scripted table repeats to the byte: its salts follow from a seed text, its clock starts
at 0 and adds 1,000 ms a commit.
"""

import secrets
import time
from hashlib import sha256

from ...events.entry import SALT_BYTES
from ...events.throw import fixture_salt
from ...projections.tables import TableState
from .aggregate import Surroundings
from .dice import Seeded, source_named

FIXTURE_TABLE = "fixture0"
"""The id of a seeded or scripted table that was given none."""

TICK = 1_000
"""Milliseconds between two commits of a fixture."""


def surroundings(dice: str, secret: bytes | None = None) -> Surroundings:
    """Surroundings for a table with these dice: `fair`, `seeded:SEED`, `scripted`, `manual`.

    `secret` is the table secret, 32 bytes; a fresh one is drawn where none is given. Raises
    Refused("unknown") for other dice.
    """
    secret = secret or secrets.token_bytes(32)
    source = source_named(dice, secret)
    if dice in ("fair", "manual"):
        return Surroundings(source, _now, _random_salt, secret)
    seed = source.seed if isinstance(source, Seeded) else dice
    fixed = sha256(f"urim/1 fixture secret\n{seed}\n".encode()).digest()
    return Surroundings(source, _ticks, lambda table, seq: fixture_salt(seed, table, seq), fixed)


def table_id(dice: str) -> str:
    """An id for a new table: random, or `fixture0` where the dice repeat."""
    return secrets.token_hex(8) if dice in ("fair", "manual") else FIXTURE_TABLE


def _now(state: TableState | None) -> int:
    return time.time_ns() // 1_000_000


def _random_salt(table: str, seq: int) -> bytes:
    return secrets.token_bytes(SALT_BYTES)


def _ticks(state: TableState | None) -> int:
    return 0 if state is None else state.at + TICK
