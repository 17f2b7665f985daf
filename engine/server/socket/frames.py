"""What a service gives, as frames for a socket: what all seats get is encoded once for them all."""

from collections.abc import Iterable

from msgspec import Raw, Struct

from ...service.feed import Commit
from ...wire.frames import CommitFrame, encoder
from .transport import framed

COMMITS = 256
"""Commits that are kept encoded, at most."""

BYTES = 4 << 20
"""Bytes of them, at most."""


def written(frame: Struct) -> bytes:
    """One of `wire.frames.Outgoing` as it is sent."""
    return framed(encoder.encode(frame))


def note(head: bytes | None) -> str | None:
    """A signed head as text."""
    return None if head is None else head.decode("utf-8")


def commit_frame(commit: Commit) -> bytes:
    """A commit as it is sent."""
    entries, changed = _raw(commit.entries), _raw(commit.changed)
    return written(CommitFrame(commit.size, entries, changed, note(commit.head)))


def _raw(lines: Iterable[bytes]) -> tuple[Raw, ...]:
    return tuple(Raw(line[:-1]) for line in lines)  # without its line break


class Frames:
    """The frames of the latest commits: a feed gives all seats the very same one where it can."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Commit, bytes]] = {}
        self._bytes = 0

    def of(self, commit: Commit) -> bytes:
        """A commit as it is sent."""
        found = self._held.get(id(commit))
        if found is not None:
            return found[1]
        # The commit is held with its frame, so no other one has its identity meanwhile.
        frame = commit_frame(commit)
        self._held[id(commit)] = commit, frame
        self._bytes += len(frame)
        while len(self._held) > COMMITS or self._bytes > BYTES:
            _, dropped = self._held.pop(next(iter(self._held)))
            self._bytes -= len(dropped)
        return frame
