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
    """The files of a folder while calls are made, and what of them would outlive a crash.

    What it begins with, the `base`, lasts. The sync of a file does not make its name last.
    """

    def __init__(self, base: Files | None = None) -> None:
        base = base or {}
        self.names: dict[str, int] = {}
        """Which file each name has now; files, and directories, are numbered as they were made."""
        self.kept: list[bytearray] = []
        """What of each file is on the disk for good."""
        self.changes: list[list[Call]] = []
        """Writes and truncations of each file that are not."""
        self.kept_names: dict[str, dict[str, int]] = {".": {}}
        """The names in each directory that are on the disk for good."""
        self.naming: dict[str, list[tuple[Call, int]]] = {".": []}
        """Every change of a name in each directory that is not, and the number of the file."""
        for name in sorted(base):  # a directory before what is in it
            content = base[name]
            self._new(name, is_folder=content is None, content=content or b"")
            self.kept_names[parent(name)][name] = self.names[name]

    def _new(self, name: str, *, is_folder: bool, content: bytes = b"") -> None:
        self.names[name] = len(self.kept)
        self.kept.append(bytearray(content))
        self.changes.append([])
        if is_folder:
            self.kept_names[name], self.naming[name] = {}, []

    def do(self, call: Call) -> None:
        """Follow one call."""
        if call.what in NAMES:
            if call.what in {"create", "mkdir"}:
                self._new(call.file, is_folder=call.what == "mkdir")
            number = self.names[call.file]
            self.naming[parent(call.file)].append((call, number))
            rename(self.names, call, number)
        elif call.what == "sync" and call.file in self.naming:
            self._keep_names(call)
        elif call.what == "sync":
            self._keep(self.names[call.file], call)
        elif call.what != "say":
            self.changes[self.names[call.file]].append(call)

    def _keep(self, number: int, sync: Call) -> None:
        """A file was synced: what had ended before lasts."""
        changes, self.changes[number] = self.changes[number], []
        for change in changes:
            if change.ended < sync.begun:
                apply(self.kept[number], change)
            else:
                self.changes[number].append(change)

    def _keep_names(self, sync: Call) -> None:
        """A directory was synced: what had ended before lasts."""
        changes, self.naming[sync.file] = self.naming[sync.file], []
        for change, number in changes:
            if change.ended < sync.begun:
                rename(self.kept_names[sync.file], change, number)
            else:
                self.naming[sync.file].append((change, number))

    def after_crash(self, luck: random.Random) -> Files:
        """One of the many things that may be on the disk if the power fails now."""
        files: Files = {}
        for directory, naming in self.naming.items():  # one is always made after its own
            if directory != "." and directory not in files:
                continue
            names = dict(self.kept_names[directory])
            for change, number in naming[: luck.randint(0, len(naming))]:
                rename(names, change, number)
            for name, number in names.items():
                files[name] = None if name in self.naming else self.content(number, luck)
        return files

    def content(self, number: int, luck: random.Random) -> bytes:
        """What may be left of one file."""
        content = bytearray(self.kept[number])
        for change in survivors(self.changes[number], luck):
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
    elif call.what == "write":
        content[place:end] = call.data


def held(folder: Path) -> Files:
    """What is in a folder: all of it lasts."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def put(files: Files, folder: Path) -> None:
    """Write what the disk held into an empty folder, for its owner alone."""
    for name, content in files.items():
        if content is None:
            (folder / name).mkdir(mode=0o700)
        else:
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o600)
