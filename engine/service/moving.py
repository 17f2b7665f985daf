"""Secrets on their way to another place: those of some tables, with the host's key and the heads.

Files are only added, each whole or not at all, so a copy that was cut short can be made again. The
last head of a table comes last: without it the table is not served where its log was signed.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ...errors import Refused
from ...events.checkpoint import NOTE_BYTES
from .files import make_directory, read, write_new
from .heads import is_later
from .secrets import FileSecrets

OF_TABLE = r"{}(\.epoch-\d+)?(\.aside(\.\d+)?)?"
"""The names of a table's secrets, those set aside too."""

BEFORE = r"{}\.(before|damaged)-epoch-\d+(\.\d+)?"
"""The names of a table's heads that an epoch superseded."""


CHAIN = "[0-9a-f]{64}"
"""The names of chains of shares that commands at the shell have drawn, of any table."""


class _File(Struct, frozen=True):
    """A file of one place, and its path in the other."""

    content: bytes
    path: Path


def copy_secrets(source: FileSecrets, target: FileSecrets, tables: Iterable[str]) -> int:
    """Copy what lets the tables go on in another place; how many files were new there.

    Of the last signed heads the larger one stays. Raises as `check_secrets`, and nothing was
    written then; Unavailable where it cannot be written.
    """
    tables = tuple(tables)
    found = check_secrets(source, target, tables)
    for folder in dict.fromkeys([target.directory, *(file.path.parent for file in found)]):
        make_directory(folder)
    new = sum(write_new(file.path, file.content) is not None for file in found)
    for table in tables:
        note = source.heads.find(table)
        if note is not None and is_later(table, note, target.heads.find(table)):
            target.heads.keep(table, note)
            new += 1
    return new


def check_secrets(
    source: FileSecrets, target: FileSecrets, tables: Iterable[str]
) -> tuple[_File, ...]:
    """The files that `copy_secrets` adds, the tables' last heads left out.

    Raises Refused("taken") where the other place has another key, secret or head of that name;
    Damaged for a head that cannot be true beside its own; Refused("unreadable") for a file that
    others than its owner may read.
    """
    found: list[_File] = []
    for name in _names(source.directory, tuple(tables)):
        content = read(source.directory / name, NOTE_BYTES + 1)
        there = read(target.directory / name, NOTE_BYTES + 1)
        if content is None or content == there:
            continue
        if there is not None:
            why = f"{target.directory / name} is there, and another one"
            raise Refused("taken", why, allowed=["another place"])
        found.append(_File(content, target.directory / name))
    for table in tables:
        note = source.heads.find(table)
        if note is not None:
            is_later(table, note, target.heads.find(table))
    return tuple(found)


def _names(directory: Path, tables: tuple[str, ...]) -> Iterator[str]:
    """The files in the directory that belong to the tables: the key first, then heads set aside."""
    ids = "|".join(map(re.escape, tables))
    of_tables = f"(?:{ids or '(?!)'})"
    yield from (each for each in ("key",) if (directory / each).exists())
    for folder, form in (("heads/", BEFORE), ("shares/", CHAIN), ("", OF_TABLE)):
        place = directory / folder
        names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
        fitting = re.compile(form.replace("{}", of_tables))
        yield from (f"{folder}{name}" for name in names if fitting.fullmatch(name))
