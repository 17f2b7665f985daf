"""What comes of a computation, as a file of vectors would write it."""

import re
from collections.abc import Callable
from typing import ParamSpec, TypeAlias, cast

from tests.vectors.form import LogEntry
from urim.errors import UrimError
from urim.events.entry import entry_bytes, seal, verify

P = ParamSpec("P")

Comparison: TypeAlias = tuple[str, object, object]
"""Where in the file, what stands there, what was found instead, or the same."""


def outcome(compute: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> object:
    """What comes of it, as the file would write it; the error's words if it is refused."""
    try:
        return written(compute(*args, **kwargs))
    except UrimError as error:
        return f"{type(error).__name__}: {error}"


def written(value: object) -> object:
    """A value with hex in the place of bytes."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return tuple(map(written, cast(tuple[object, ...], value)))
    return value


def sealed(it: LogEntry) -> tuple[str, str]:
    """An entry's text and leaf, sealed once more; its text alone names the time."""
    at = re.match(r"urim/1 entry\n[0-9]+\n([0-9]{1,18})\n", it.entry)
    if at is None:
        return "no entry", it.leaf
    entry = seal(it.seq, int(at[1]), it.kind, bytes.fromhex(it.salt), it.payload.encode())
    verify(entry)
    text = entry_bytes(entry.seq, entry.at, entry.kind, entry.digest)
    return text.decode("ascii"), entry.leaf.hex()
