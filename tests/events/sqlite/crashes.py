"""What may lie on the disk after the power failed: all that was synced, and chance for the rest.

A write that was not synced may be there or not, alone or as some of its sectors; names in the
directory last from the first on, and all once it was synced. This is what a disk may do at worst,
more than most file systems let it.
"""

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from tests.events.sqlite.traced import Call

SECTOR = 512
"""Bytes that a disk writes whole or not at all."""

NAMES = frozenset({"create", "unlink", "rename"})

WAYS = ("none", "all", "prefix", "subset", "torn", "last torn")
"""What of the writes that were not synced is on the disk."""

Files: TypeAlias = dict[str, bytes]


class Disk:
    """The files of a folder while calls are made, and what of them would outlive a crash."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        """Which file each name has now; files are numbered in the order they were made."""
        self.changes: list[list[Call]] = []
        """Writes and truncations of each file."""
        self.synced: list[int] = []
        """How many of a file's changes are on the disk for good."""
        self.naming: list[tuple[Call, int]] = []
        """Every change of a name, and the number of the file."""
        self.named = 0
        """How many of those are on the disk for good."""

    def do(self, call: Call) -> None:
        """Follow one call."""
        if call.what in NAMES:
            if call.what == "create":
                self.names[call.file] = len(self.changes)
                self.changes.append([])
                self.synced.append(0)
            self.naming.append((call, self.names[call.file]))
            rename(self.names, call, self.names[call.file])
        elif call.what == "sync" and call.file == ".":
            self.named = sum(change.begun < call.begun for change, _ in self.naming)
        elif call.what == "sync":
            number = self.names[call.file]
            covered = sum(change.begun < call.begun for change in self.changes[number])
            self.synced[number] = max(self.synced[number], covered)
        elif call.what in {"write", "truncate"}:
            self.changes[self.names[call.file]].append(call)

    def after_crash(self, luck: random.Random) -> Files:
        """One of the many things that may be on the disk if the power fails now."""
        names: dict[str, int] = {}
        for change, number in self.naming[: luck.randint(self.named, len(self.naming))]:
            rename(names, change, number)
        return {name: self.content(number, luck) for name, number in names.items()}

    def content(self, number: int, luck: random.Random) -> bytes:
        """What may be left of one file."""
        content = bytearray()
        done = self.synced[number]
        for change in self.changes[number][:done]:
            apply(content, change)
        for change in survivors(self.changes[number][done:], luck):
            apply(content, change)
        return bytes(content)


def rename(names: dict[str, int], call: Call, number: int) -> None:
    """Follow a change of a name."""
    if call.what == "create":
        names[call.file] = number
        return
    names.pop(call.file, None)
    if call.what == "rename":
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
    end = call.place + len(call.data)
    cuts = [call.place, *range(call.place // SECTOR * SECTOR + SECTOR, end, SECTOR), end]
    return [
        call._replace(data=call.data[start - call.place : stop - call.place], place=start)
        for start, stop in pairwise(cuts)
    ]


def apply(content: bytearray, call: Call) -> None:
    """Make one change; what is between the old end and the new one is zeros."""
    end = call.place + len(call.data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    if call.what == "truncate":
        del content[call.place :]
    else:
        content[call.place : end] = call.data


def put(files: Files, folder: Path) -> None:
    """Write what the disk held into an empty folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
