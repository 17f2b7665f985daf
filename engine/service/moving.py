"""Secrets on their way to another place: those of some tables, with the host's key and the heads.

Records are only added, each whole or not at all, so a copy that was cut short can be made again.
The last head of a table comes last: without it the table is not served where its log was signed.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...errors import Refused
from ...events.checkpoint import NOTE_BYTES
from .heads import HEADS, is_later
from .keys import KEY
from .secrets import SHARES, Secrets
from .vault import Vault

OF_TABLE = r"{}(\.epoch-\d+)?(\.aside(\.\d+)?)?"
"""The names of a table's secrets, those set aside too."""

BEFORE = r"{}\.(before|damaged)-epoch-\d+(\.\d+)?"
"""The names of a table's heads that an epoch superseded."""

CHAIN = "[0-9a-f]{64}"
"""The names of chains of shares that commands at the shell have drawn, of any table."""


class _Record(Struct, frozen=True):
    """A record of one place that another place shall have."""

    name: str
    content: bytes


def copy_secrets(source: Secrets, target: Secrets, tables: Iterable[str]) -> int:
    """Copy what lets the tables go on in another place; how many records were new there.

    Of the last signed heads the larger one stays. Raises as `check_secrets`, and nothing was
    written then; Unavailable where it cannot be written.
    """
    tables = tuple(tables)
    found = check_secrets(source, target, tables)
    new = sum(target.vault.write_new(each.name, each.content) is not None for each in found)
    for table in tables:
        note = source.heads.find(table)
        if note is not None and is_later(table, note, target.heads.find(table)):
            target.heads.keep(table, note)
            new += 1
    return new


def check_secrets(source: Secrets, target: Secrets, tables: Iterable[str]) -> tuple[_Record, ...]:
    """The records that `copy_secrets` adds, the tables' last heads left out.

    Raises Refused("taken") where the other place has another key, secret or head of that name;
    Damaged for a head that cannot be true beside its own; Refused("unreadable") for a record that
    others than its owner may read.
    """
    found: list[_Record] = []
    for name in _names(source.vault, tuple(tables)):
        content = source.vault.read(name, NOTE_BYTES + 1)
        there = target.vault.read(name, NOTE_BYTES + 1)
        if content is None or content == there:
            continue
        if there is not None:
            why = f"{target.vault.place(name)} is there, and another one"
            raise Refused("taken", why, allowed=["another place"])
        found.append(_Record(name, content))
    for table in tables:
        note = source.heads.find(table)
        if note is not None:
            is_later(table, note, target.heads.find(table))
    return tuple(found)


def _names(vault: Vault, tables: tuple[str, ...]) -> Iterator[str]:
    """The records that belong to the tables: the key first, then heads set aside."""
    ids = "|".join(map(re.escape, tables))
    of_tables = f"(?:{ids or '(?!)'})"
    for folder, form in (("", KEY), (HEADS, BEFORE), (SHARES, CHAIN), ("", OF_TABLE)):
        fitting = re.compile(form.replace("{}", of_tables))
        found = (name for name in vault.names(folder) if fitting.fullmatch(name))
        yield from (f"{folder}/{name}" if folder else name for name in found)
