"""Bundles made by hand from a log, as docs/bundle.md says, by whoever holds the keys.

Shares no code with `urim.engine.bundle`: it must be able to write what that would never write.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from json import dumps
from typing import Any

from msgspec import Struct

from tests.engine.helpers.tables.host import TICK, Host, twisted
from tests.sealing import resealed
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import Event, decode
from urim.events.entry import Entry, EntryClass, withhold
from urim.events.merkle import root_of
from urim.events.table import EntryErased, TableOpened


class Made(Struct, frozen=True):
    """What an auditor is given: the file, the key it trusts (a vkey), checkpoints it saw before.

    Some trust no key, and believe the file's own.

    `seats` are the keys that it knows seats by. `entry` is where the cheat lies, as far as a single
    entry can be named.
    """

    bundle: bytes
    key: str | None
    seen: tuple[bytes, ...] = ()
    entry: int | None = None
    seats: Mapping[str, bytes] = {}


def note(entries: Sequence[Entry], origin: str, private: bytes) -> bytes:
    """The signed checkpoint over exactly these entries."""
    return sign(Checkpoint(origin, len(entries), root_of(e.leaf for e in entries)), private)


def head(host: Host, size: int | None = None) -> bytes:
    """The checkpoint that the host signed when its log had so many entries."""
    return note(host.entries[:size], host.origin, host.private)


def made(
    host: Host,
    entries: Sequence[Entry] | None = None,
    *,
    checkpoint: bytes | None = None,
    seen: Iterable[bytes] = (),
    entry: int | None = None,
    opening: TableOpened | None = None,
    seats: Mapping[str, bytes] | None = None,
) -> Made:
    """The whole table as a file: these entries, signed again unless a checkpoint is given."""
    entries = host.entries if entries is None else entries
    checkpoint = checkpoint or note(entries, host.origin, host.private)
    bundle = lines(entries, host.origin, [host.vkey], checkpoint, opening or host.event(0))
    return Made(bundle, host.vkey, tuple(seen), entry, seats or {})


def ended(host: Host, number: int, entry: int | None = None) -> Made:
    """The whole table as a file, once this roll is brought to its outcome."""
    host.finish(number)
    return made(host, entry=entry)


def lines(
    entries: Sequence[Entry],
    origin: str,
    keys: Sequence[str],
    checkpoint: bytes,
    opening: TableOpened,
) -> bytes:
    """A bundle of scope `table`."""
    header = {
        "format": "urim-bundle/3",
        "scope": "table",
        "origin": origin,
        "keys": list(keys),
        "size": int(checkpoint.split(b"\n")[1]),
        "checkpoint": checkpoint.decode(),
        "system": opening.ruleset,
        "version": opening.version,
        "options": opening.options,
    }
    end = {"end": "urim-bundle/3", "count": len(entries)}
    return b"".join(_line(each) for each in (header, *map(_entry, entries), end))


def _entry(entry: Entry) -> dict[str, Any]:
    line: dict[str, Any] = {
        "seq": entry.seq,
        "commit": entry.commit,
        "at": entry.at,
        "class": entry.kind,
        "digest": entry.digest.hex(),
    }
    if entry.salt is not None and entry.payload is not None:
        line |= {"salt": entry.salt.hex(), "payload": entry.payload.decode()}
    return line


def _line(value: Mapping[str, Any]) -> bytes:
    return dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def told(entry: Entry) -> Any:
    """The event that an entry tells."""
    assert entry.payload is not None
    return decode(entry.payload).event


def rewritten(
    entries: Sequence[Entry], seq: int, twist: Callable[[Any], Event]
) -> tuple[Entry, ...]:
    """The log with another event at `seq`, sealed anew in its place, time and class."""
    return (*entries[:seq], twisted(entries[seq], twist), *entries[seq + 1 :])


def sealed_as(entries: Sequence[Entry], seq: int, kind: EntryClass) -> tuple[Entry, ...]:
    """The log with the entry at `seq` sealed anew under this class."""
    return (*entries[:seq], resealed(entries[seq], kind=kind), *entries[seq + 1 :])


def withheld(entries: Sequence[Entry], seqs: Collection[int]) -> tuple[Entry, ...]:
    """The log with these entries as sealed lines."""
    return tuple(withhold(e) if e.seq in seqs else e for e in entries)


def erased(host: Host, *seqs: int) -> tuple[Entry, ...]:
    """The log with these entries erased, whatever they are, each as somebody asked."""
    log = withheld(host.entries, seqs)
    for seq in seqs:
        at = log[-1].at + TICK
        log = (*log, *host.sealed(len(log), EntryErased(NARRATOR, seq), at=at))
    return log


def stranger(host: Host) -> tuple[bytes, str]:
    """A private key that nobody listed, and its vkey under the log's name."""
    private = host.drawn("another key")
    return private, public_key(host.origin, private).vkey
