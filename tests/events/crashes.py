"""What may lie on the disk after the power failed: all that was synced, and chance for the rest.

A write that was not synced may be there or not, alone or as some of its sectors; names in a
directory last from the first on, and all once it was synced; a directory that does not last has
nothing in it. This is what a disk may do at worst, more than most file systems let it.
"""

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from tests.events.traced import Call

SECTOR = 512
"""Bytes that a disk writes whole or not at all."""

NAMES = frozenset({"create", "unlink", "rename", "link", "mkdir"})

WAYS = ("none", "all", "prefix", "subset", "torn", "last torn")
"""What of the writes that were not synced is on the disk."""

Files: TypeAlias = dict[str, bytes | None]
"""What is in a folder, by name: bytes of a file, None for a directory."""


class Disk:
    """The files of a folder while calls are made, and what of them would outlive a crash."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        """Which file each name has now; files, and directories, are numbered as they were made."""
        self.changes: list[list[Call]] = []
        """Writes and truncations of each file."""
        self.synced: list[int] = []
        """How many of a file's changes are on the disk for good."""
        self.naming: dict[str, list[tuple[Call, int]]] = {".": []}
        """Every change of a name in each directory, and the number of the file."""
        self.named: dict[str, int] = {".": 0}
        """How many of those are on the disk for good."""

    def do(self, call: Call) -> None:
        """Follow one call."""
        if call.what in NAMES:
            if call.what in {"create", "mkdir"}:
                self.names[call.file] = len(self.changes)
                self.changes.append([])
                self.synced.append(0)
            if call.what == "mkdir":
                self.naming[call.file], self.named[call.file] = [], 0
            number = self.names[call.file]
            self.naming[parent(call.file)].append((call, number))
            rename(self.names, call, number)
        elif call.what == "sync" and call.file in self.naming:
            covered = sum(change.begun < call.begun for change, _ in self.naming[call.file])
            self.named[call.file] = covered
        elif call.what == "sync":
            number = self.names[call.file]
            covered = sum(change.begun < call.begun for change in self.changes[number])
            self.synced[number] = max(self.synced[number], covered)
        elif call.what in {"write", "truncate"}:
            self.changes[self.names[call.file]].append(call)

    def after_crash(self, luck: random.Random) -> Files:
        """One of the many things that may be on the disk if the power fails now."""
        files: Files = {}
        for directory, naming in self.naming.items():  # one is always made after its own
            if directory != "." and directory not in files:
                continue
            names: dict[str, int] = {}
            for change, number in naming[: luck.randint(self.named[directory], len(naming))]:
                rename(names, change, number)
            for name, number in names.items():
                files[name] = None if name in self.naming else self.content(number, luck)
        return files

    def content(self, number: int, luck: random.Random) -> bytes:
        """What may be left of one file."""
        content = bytearray()
        done = self.synced[number]
        for change in self.changes[number][:done]:
            apply(content, change)
        for change in survivors(self.changes[number][done:], luck):
            apply(content, change)
        return bytes(content)


def parent(name: str) -> str:
    """The directory that a name is in."""
    return str(PurePosixPath(name).parent)


def rename(names: dict[str, int], call: Call, number: int) -> None:
    """Follow a change of a name."""
    if call.what in {"create", "mkdir"}:
        names[call.file] = number
    if call.what in {"unlink", "rename"}:
        names.pop(call.file, None)
    if call.what in {"rename", "link"}:
        names[call.data.decode()] = number


def survivors(pending: Sequence[Call], luck: random.Random) -> list[Call]:
    """Those of the changes that were not synced which reached the disk, or parts of them."""
    way = luck.choice(WAYS)
    if way == "none":
        return []
    if way == "all":
        return list(pending)
    if way == "subset":
        return [call for call in pending if luck.random() < 0.5]
    if way == "torn":
        return [part for call in pending for part in sectors(call) if luck.random() < 0.5]
    before = list(pending[: luck.randint(0, len(pending))])
    if way == "last torn" and before:
        parts = sectors(before.pop())
        before += parts[: luck.randint(0, len(parts))]
    return before


def sectors(call: Call) -> list[Call]:
    """A change cut where the disk's sectors meet; a truncation is whole."""
    if call.what != "write":
        return [call]
    if call.place < 0:
        return [
            call._replace(data=call.data[at : at + SECTOR])
            for at in range(0, len(call.data), SECTOR)
        ]
    end = call.place + len(call.data)
    cuts = [call.place, *range(call.place // SECTOR * SECTOR + SECTOR, end, SECTOR), end]
    return [
        call._replace(data=call.data[start - call.place : stop - call.place], place=start)
        for start, stop in pairwise(cuts)
    ]


def apply(content: bytearray, call: Call) -> None:
    """Make one change; what is between the old end and the new one is zeros."""
    place = call.place if call.place >= 0 else len(content)
    end = place + len(call.data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    if call.what == "truncate":
        del content[place:]
    else:
        content[place:end] = call.data


def put(files: Files, folder: Path) -> None:
    """Write what the disk held into an empty folder, for its owner alone."""
    for name, content in files.items():
        if content is None:
            (folder / name).mkdir(mode=0o700)
        else:
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o600)
