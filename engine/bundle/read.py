"""A bundle, and the events in its payloads, read strictly, never more than a line in memory.

The form is that of docs/bundle.md. Nothing is proved here: digests, signatures and the content of
events are the audit's business. A file that is not of the form raises Refused("unreadable"), a
payload that holds no event Malformed or Damaged.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Literal, TypeAlias, TypeVar

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.asked import Asked
from ...events.base import JSON
from ...events.checkpoint import Key, formed_key
from ...events.codec import EVENTS, UPCASTS, Event, Payload, RecordedEvent, decode, encode
from ...events.entry import CLASSES, Entry, EntryClass, entry_bytes, leaf_of, verify
from ...events.strict import DEPTH, LONG, MOST, Malformed, brackets, strict_object
from ...events.table import TableOpened
from ...events.throw import checked

FORMAT = "urim-bundle/3"

EARLIER = "urim-bundle/2"
"""The format of version 0.2, read for ever: in scope `roll` each entry has a proof of its own."""

WHOLE = (
    "the bundle of the whole table: urim export DB TABLE --format bundle --out FILE, without --roll"
)
"""What to ask for where the bundle of one roll does not do."""

OLD = ("urim-bundle/1",)
"""Formats of before the log said what was asked; nothing reads them any more."""

Scope: TypeAlias = Literal["table", "roll"]

S = TypeVar("S")
T = TypeVar("T")

# --- bounds of the form ---------------------------------------------------------------------------

LINE = 1 << 20
"""Bytes of a line, its end included, at most."""

KEYS = 64
"""Public keys that a header names, at most."""

# --- keys of each line ----------------------------------------------------------------------------

HEADER = {
    "format",
    "scope",
    "origin",
    "keys",
    "size",
    "checkpoint",
    "system",
    "version",
    "options",
}
ENTRY = {"seq", "commit", "at", "class", "digest"}
DISCLOSED = ENTRY | {"salt", "payload"}
END = {"end", "count"}
PROVED = {"proof"}

# --- what is looked for in texts ------------------------------------------------------------------

_HEX32 = re.compile(r"[0-9a-f]{64}")

# --- whom an event names --------------------------------------------------------------------------

SEATS: Mapping[str, Callable[[Any], Iterable[str]]] = MappingProxyType(
    {
        "by": lambda found: (found,),
        "seat": lambda found: (found,),
        "asked": lambda found: (seat for seat, _ in found),
        "left": iter,
        "kept": iter,
    }
)
"""Field of an event -> the seats in it."""


class Header(Struct, frozen=True):
    """The first line of a bundle: claims about the bundle, each of which an audit checks.

    `roll` is the roll that it is about, None for a whole table. `keys` are those that the bundle's
    maker claims for the log; `checkpoint` is the note over its first `size` entries. `system`,
    `version` and `options` repeat the table's first entry.
    """

    scope: Scope
    roll: int | None
    origin: str
    keys: tuple[Key, ...]
    size: int
    checkpoint: bytes
    system: str
    version: int
    options: JSON
    format: str = FORMAT

    @property
    def multiproof(self) -> bool:
        """Whether the end line proves all entries; else each of scope `roll` has its own proof."""
        return self.scope == "roll" and self.format == FORMAT


class BundleLine(Struct, frozen=True):
    """One entry of a bundle; its `leaf` follows from its fields. `proof` is of EARLIER alone.

    That the payload, where there is one, fits the digest is not checked yet.
    """

    entry: Entry
    proof: tuple[bytes, ...] | None


class Bundle:
    """A bundle being read: `header` at once, the entries in one iteration.

    `count` is how many entries were read so far; `proof` is the end's, the hashes of a multiproof,
    once all were. Raises Refused("unreadable"), naming the line, for a stream that is no bundle, or
    stops being one.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._number = 0
        self.count = 0
        self.proof: tuple[bytes, ...] = ()
        first = self._object()
        if first is None:
            raise Refused("unreadable", "the file is empty", allowed=["a bundle"])
        self.header = self._read(_header, first)

    def __iter__(self) -> Iterator[BundleLine]:
        """Every entry, in the file's order. Raises as `Bundle` does."""
        proved = self.header.scope == "roll" and not self.header.multiproof
        while True:
            found = self._object()
            if found is None:
                raise self._refuse("the end line is missing: the file is cut off")
            if "end" in found:
                break
            yield self._read(lambda each: _line(each, proved=proved), found)
            self.count += 1
        self._read(self._end, found)
        if self._stream.read(1):
            raise self._refuse("there is something behind the end line")

    def _end(self, found: JSON) -> None:
        _keys_are(found, END | PROVED if self.header.multiproof else END)
        _same("end", found["end"], self.header.format)
        _same("count", _number("count", found["count"]), self.count)
        if self.header.multiproof:
            self.proof = _proof(found["proof"])

    def _object(self) -> JSON | None:
        """The next line; None at the end of the file."""
        self._number += 1
        try:
            line = self._stream.readline(LINE + 1)
        except OSError as error:
            raise self._refuse(error.strerror or str(error)) from error
        if not line:
            return None
        if len(line) > LINE:
            raise self._refuse(f"more than {LINE} bytes")
        if not line.endswith(b"\n"):
            raise self._refuse("the line has no end: the file is cut off")
        return self._read(strict_object, line)

    def _read(self, read: Callable[[S], T], found: S) -> T:
        try:
            return read(found)
        except Malformed as error:
            raise self._refuse(str(error)) from error

    def _refuse(self, why: str) -> Refused:
        return Refused("unreadable", f"no bundle: line {self._number}: {why}")


# --- the lines ------------------------------------------------------------------------------------


def entries_of_bundle(path: Path) -> Iterator[Entry]:
    """The entries of a bundle. Raises Refused for one of a single roll."""
    try:
        with path.open("rb") as file:
            bundle = Bundle(file)
            if bundle.header.scope == "roll":
                why = (
                    f"every command is decided from the table's opening on, and this bundle"
                    f" is of roll {bundle.header.roll} alone"
                )
                raise Refused("not-seen", why, allowed=[WHOLE])
            for line in bundle:
                if line.entry.payload is not None:
                    verify(line.entry)
                yield line.entry
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error


def entry_of(line: bytes) -> Entry:
    """The entry that a line holds, as a feed sends it: without a proof, its line break included.

    Raises Malformed for a line that is not of the form.
    """
    if len(line) > LINE or not line.endswith(b"\n"):
        raise Malformed(f"a line of {len(line)} bytes, without an end or beyond {LINE}")
    return _line(strict_object(line), proved=False).entry


def _header(found: JSON) -> Header:
    if found.get("format") in OLD:
        raise Malformed(f"its format is {found['format']}, older than {EARLIER}, and read no more")
    if found.get("format") != EARLIER:
        _same("format", found.get("format"), FORMAT)
    scope = found.get("scope")
    if scope not in ("table", "roll"):
        raise Malformed(f"the scope is {_shown(scope)}, not table or roll")
    _keys_are(found, HEADER | ({"roll"} if scope == "roll" else set()))
    if not isinstance(found["options"], dict):
        raise Malformed(f"`options` is {_shown(found['options'])}, not an object")
    return Header(
        scope=scope,
        roll=_number("roll", found["roll"], least=1) if scope == "roll" else None,
        origin=_text("origin", found["origin"]),
        keys=_public_keys(found["keys"]),
        size=_number("size", found["size"]),
        checkpoint=_text("checkpoint", found["checkpoint"]).encode("utf-8"),
        system=_text("system", found["system"]),
        version=_number("version", found["version"]),
        options=found["options"],
        format=found["format"],
    )


def _line(found: JSON, *, proved: bool) -> BundleLine:
    disclosed = "payload" in found
    wanted = DISCLOSED if disclosed else ENTRY
    _keys_are(found, wanted | PROVED if proved else wanted)
    kind: EntryClass = found["class"]
    if kind not in CLASSES:
        raise Malformed(f"the class is {_shown(kind)}, not one of {', '.join(CLASSES)}")
    seq, at = _number("seq", found["seq"]), _number("at", found["at"])
    commit = _number("commit", found["commit"])
    digest = _hash("digest", found["digest"])
    leaf = leaf_of(entry_bytes(seq, at, kind, digest))
    salt = _hash("salt", found["salt"]) if disclosed else None
    payload = _text("payload", found["payload"]).encode("utf-8") if disclosed else None
    proof = _proof(found["proof"]) if proved else None
    return BundleLine(Entry(seq, at, kind, digest, leaf, commit, salt, payload), proof)


def _public_keys(found: Any) -> tuple[Key, ...]:
    if not isinstance(found, list) or not 1 <= len(found) <= KEYS:
        raise Malformed(f"`keys` is {_shown(found)}, not a list of 1 to {KEYS} keys")
    try:
        return tuple(formed_key(_text("keys", each)) for each in found)
    except Damaged as error:
        raise Malformed(str(error)) from error


def _proof(found: Any) -> tuple[bytes, ...]:
    if not isinstance(found, list):
        raise Malformed(f"`proof` is {_shown(found)}, not a list")
    return tuple(_hash("proof", each) for each in found)


def _keys_are(found: Mapping[str, Any], wanted: set[str]) -> None:
    if not found.keys() ^ wanted:
        return
    missing, strange = sorted(wanted - found.keys()), sorted(found.keys() - wanted)
    if missing:
        raise Malformed(f"the key {missing[0]!r} is missing")
    if strange:
        raise Malformed(f"the key {_shown(strange[0])} is not one of {', '.join(sorted(wanted))}")


def _number(name: str, found: Any, least: int = 0) -> int:
    # Not isinstance: a truth value would pass for a number.
    if type(found) is not int or not least <= found <= MOST:
        raise Malformed(f"`{name}` is {_shown(found)}, not a number from {least} to {MOST}")
    return found


def _text(name: str, found: Any) -> str:
    if not isinstance(found, str):
        raise Malformed(f"`{name}` is {_shown(found)}, not text")
    return found


def _hash(name: str, found: Any) -> bytes:
    if not isinstance(found, str) or not _HEX32.fullmatch(found):
        raise Malformed(f"`{name}` is {_shown(found)}, not 64 hex digits in lower case")
    return bytes.fromhex(found)


def _same(name: str, found: Any, expected: object) -> None:
    if found != expected:
        raise Malformed(f"`{name}` is {_shown(found)}, not {expected!r}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."  # noqa: PLR2004


# --- the events -----------------------------------------------------------------------------------


def event_of(entry: Entry) -> tuple[RecordedEvent, Asked | None]:
    """The event of an entry's payload, and what was asked, if that is beside it.

    Raises Malformed and Damaged where the payload holds no event.
    """
    payload = entry.payload or b""
    found = _plain(payload)
    if found is None:
        _known(strict_object(payload))
        found = decode(payload)
    _formed(found.event)
    first = found.asked is not None
    return RecordedEvent(entry.seq, entry.at, entry.leaf, found.event, first), found.asked


def _plain(payload: bytes) -> Payload | None:
    """What a payload holds that is just as we would write it, so that no key is there twice.

    None for any other, and where a number may be too large or the nesting too deep: it takes five
    times as long to read those strictly.
    """
    if brackets(payload) > DEPTH or LONG.search(payload):
        return None
    with suppress(Damaged):
        found = decode(payload)
        return found if encode(found.event, found.asked) == payload else None
    return None


def _formed(event: Event) -> None:
    """Check that every seat in an event, and its table, is of its form."""
    try:
        for name, seats in _seats(type(event)):
            for seat in seats(getattr(event, name)):
                checked("seat", seat)
        if isinstance(event, TableOpened):
            checked("table id", event.table)
    except Refused as error:
        raise Malformed(error.why) from error


@cache
def _seats(kind: type[Event]) -> tuple[tuple[str, Callable[[Any], Iterable[str]]], ...]:
    return tuple((name, SEATS[name]) for name in kind.__struct_fields__ if name in SEATS)


def _known(found: JSON) -> None:
    event = found.get("event")
    if not isinstance(event, dict) or not {"event"} <= found.keys() <= {"asked", "event"}:
        raise Malformed("a payload is an event, in a commit's first entry beside what was asked")
    if not isinstance(found.get("asked", {}), dict):
        raise Malformed(f"`asked` is {_shown(found['asked'])}, not an object")
    tag = event.get("type")
    if not isinstance(tag, str) or (tag not in EVENTS and tag not in UPCASTS):
        raise Malformed(f"no event is called {str(tag)[:80]!r}")
