"""Steps 1 to 5 of an audit: the form, the signature, the tree, the sequence, the payloads.

No claim of the file is believed: the leaves are computed from its entries, the root from the
leaves, and the signature decides whether this root is the log's.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from ....errors import Damaged, Refused
from ....events.asked import Asked
from ....events.checkpoint import Checkpoint, Key, read, unverified
from ....events.codec import RecordedEvent
from ....events.entry import Entry, digest_of
from ....events.keys import weakness
from ....events.merkle import Frontier, proved_root, verify_inclusion
from ....events.roll import RollDeclared
from ....events.strict import Malformed
from ....events.table import EntryErased, TableOpened
from ...bundle.read import BundleLine, Header, event_of
from ..line import Line
from ..report import Findings, Marks

PARSE, SIGNATURE, TREE, SEQUENCE, PAYLOADS = 1, 2, 3, 4, 5


class Heads(Struct, frozen=True):
    """The signed heads that an audit compares a log with.

    `keys` are those that count: the user's alone where there is one. `claimed` is the bundle's own
    checkpoint, None where it is not valid; `earlier` are the user's, as far as they can be read.
    """

    keys: tuple[Key, ...]
    claimed: Checkpoint | None
    earlier: tuple[Checkpoint, ...]


def heads_of(
    header: Header, key: Key | None, seen: Mapping[str, bytes], findings: Findings
) -> Heads:
    """Read the bundle's checkpoint and those seen earlier: step 2, and what step 3 needs.

    A key of this log's name that did not sign it is what a reader gives a key for, and fails.
    Raises Refused("malformed") for a key of another name, for a checkpoint that was given and is
    none, and for another log's: they say nothing about this file.
    """
    if key is not None:
        _of_this("the key that was given is one", key.name, header.origin)
    keys = header.keys if key is None else (key,)
    for each in header.keys:
        weak = weakness(each.public)
        if weak is not None:
            why = f"the key of {each.name} cannot be used: {weak}"
            findings.fail(SIGNATURE, why, found=each.vkey)
    claimed = _signed(header, keys, findings)
    findings.checked(SIGNATURE)
    if not findings.failed(SIGNATURE):
        source = "self-asserted key" if key is None else "the key that was given"
        findings.summary(SIGNATURE, source)
        findings.note(SIGNATURE, f"signed by {_signers(header.checkpoint, keys)}")
    earlier: list[Checkpoint] = []
    for name, note in seen.items():
        text = note.replace(b"\r\n", b"\n")
        unsigned = _unsigned(name, text, header.origin)
        try:
            earlier.append(read(text, keys))
        except Damaged as error:
            why = f"{name}, of {unsigned.size} entries, cannot be held against it: {error}"
            findings.fail(TREE, why)
    return Heads(keys, claimed, tuple(earlier))


def _unsigned(name: str, note: bytes, origin: str) -> Checkpoint:
    """What a note that the user gave says, whoever signed it."""
    try:
        found = unverified(note)
    except Damaged as error:
        raise Refused("malformed", f"{name} is no checkpoint: {error.why}") from error
    _of_this(f"{name} is a checkpoint", found.origin, origin)
    return found


def _of_this(what: str, name: str, origin: str) -> None:
    if name != origin:
        why = f"{what} of {name[:200]}, and this file is of {origin[:200]}"
        raise Refused("malformed", why, allowed=[origin])


def _signers(note: bytes, keys: tuple[Key, ...]) -> str:
    """Which of the keys have signed the note."""
    used: list[str] = []
    for each in keys:
        with suppress(Damaged):
            read(note, (each,))
            used.append(each.vkey)
    return ", ".join(used)


def _signed(header: Header, keys: tuple[Key, ...], findings: Findings) -> Checkpoint | None:
    try:
        found = read(header.checkpoint, keys)
    except Damaged as error:
        findings.fail(SIGNATURE, str(error))
        return None
    for name, claimed, signed in (
        ("origin", header.origin, found.origin),
        ("size", header.size, found.size),
    ):
        if claimed != signed:
            why = f"the header's {name} is not the one that was signed"
            findings.fail(SIGNATURE, why, expected=str(signed), found=str(claimed))
    return found


class Tree:
    """Steps 1 to 5, entry by entry; `open` gives each event that can be read."""

    def __init__(self, findings: Findings, header: Header, heads: Heads, marks: Marks) -> None:
        self._findings = findings
        self._header = header
        self._heads = heads
        self._marks = marks
        self._tree = Frontier()
        self._leaves: list[tuple[int, bytes]] = []
        self._last: Entry | None = None
        self._subject = header.scope == "table"
        self._earlier: dict[int, list[Checkpoint]] = {}
        for checkpoint in heads.earlier:
            self._earlier.setdefault(checkpoint.size, []).append(checkpoint)
        self._compare()

    def open(self, line: BundleLine) -> Line:
        """Check one more entry; its event is None where it is withheld or no event."""
        entry = line.entry
        self._sequence(entry)
        if self._header.multiproof:
            self._leaves.append((entry.seq, entry.leaf))
        elif line.proof is None:
            self._tree = self._tree.append(entry.leaf)
            self._compare()
        else:
            self._proved(entry, line.proof)
        self._payload(entry)
        record, asked = self._event(entry)
        event = None if record is None else record.event
        if isinstance(event, EntryErased):
            self._erased(entry.seq, event.seq)
        if isinstance(event, RollDeclared) and event.roll == self._header.roll:
            self._subject = True
        self._marks.take(entry)
        self._last = entry
        return Line(entry, record, asked)

    def end(self, proof: Sequence[bytes]) -> None:
        """Check what only the whole file shows: its root, its length, what was withheld wrongly.

        `proof` is the multiproof of the file's end, if it has one.
        """
        header, findings = self._header, self._findings
        if header.scope == "table":
            found = self._tree.size
            if found != header.size:
                why = "the file holds another number of entries than was signed"
                findings.fail(SEQUENCE, why, expected=str(header.size), found=str(found))
            self._root()
        else:
            why = "the file of one roll cannot show that nothing of the roll is left out"
            findings.unchecked(SEQUENCE, why)
        if header.multiproof:
            self._all_proved(proof)
        if self._heads.claimed is None:
            findings.unchecked(TREE, "there is no checkpoint to hold the entries against")
        self._beyond()
        for seq in self._marks.withheld(hidden=False):
            findings.fail(PAYLOADS, "an open entry is withheld, and nobody erased it", seq)
        for seq in self._marks.erased_wrongly():
            findings.fail(PAYLOADS, "it is reported as erased, and is no text", seq)
        if self._last is None:
            findings.fail(PARSE, "the bundle holds no entry")
        elif not self._subject:
            findings.fail(PARSE, f"roll {header.roll} is declared by no entry of the file")

    # --- step 1 -----------------------------------------------------------------------------------

    def _event(self, entry: Entry) -> tuple[RecordedEvent | None, Asked | None]:
        findings = self._findings
        findings.checked(PARSE)
        first = self._last is None
        if entry.payload is None:
            if first:
                findings.fail(PARSE, "the first entry is withheld", entry.seq)
            return None, None
        try:
            record, asked = event_of(entry)
        except (Damaged, Malformed) as error:
            why = error.why if isinstance(error, Damaged) else str(error)
            findings.fail(PARSE, f"the payload is no event: {why}", entry.seq)
            return None, None
        if first or isinstance(record.event, TableOpened):
            self._opening(record, first=first)
        return record, asked

    def _opening(self, record: RecordedEvent, *, first: bool) -> None:
        event, header, findings = record.event, self._header, self._findings
        if not isinstance(event, TableOpened) or not first or record.seq != 0:
            findings.fail(PARSE, "the first entry, and it alone, opens the table", record.seq)
            return
        claims: Mapping[str, tuple[Any, Any]] = {
            "system": (event.ruleset, header.system),
            "version": (event.version, header.version),
            "options": (_exactly(event.options), _exactly(header.options)),
        }
        if not header.origin.endswith(f"/t/{event.table}"):
            findings.fail(PARSE, "the origin is another table's", 0, event.table, header.origin)
        for name, (expected, found) in claims.items():
            if expected != found:
                why = f"the header's {name} is not the one that the first entry gives"
                findings.fail(PARSE, why, 0, str(expected), str(found))

    # --- step 3 -----------------------------------------------------------------------------------

    def _proved(self, entry: Entry, proof: Sequence[bytes]) -> None:
        if self._heads.claimed is None:
            return
        self._findings.checked(TREE)
        size, root = self._heads.claimed.size, self._heads.claimed.root
        try:
            verify_inclusion(entry.leaf, entry.seq, size, proof, root)
        except Damaged as error:
            self._findings.fail(TREE, error.why, entry.seq)

    def _all_proved(self, proof: Sequence[bytes]) -> None:
        claimed = self._heads.claimed
        if claimed is None:
            return
        self._findings.checked(TREE)
        try:
            root = proved_root(self._leaves, claimed.size, proof)
        except Damaged as error:
            self._findings.fail(TREE, error.why)
            return
        self._is_signed(claimed, root)

    def _root(self) -> None:
        claimed = self._heads.claimed
        if claimed is None:
            return
        self._findings.checked(TREE)
        self._is_signed(claimed, self._tree.root())

    def _is_signed(self, claimed: Checkpoint, root: bytes) -> None:
        if root != claimed.root:
            why = "the entries are not those that were signed"
            self._findings.fail(TREE, why, None, claimed.root.hex(), root.hex())

    def _compare(self) -> None:
        """Compare the entries so far with the checkpoints over that many entries."""
        for checkpoint in self._earlier.get(self._tree.size, ()):
            if self._header.scope == "table":
                self._earlier_is(checkpoint, self._tree.root())

    def _earlier_is(self, checkpoint: Checkpoint, root: bytes) -> None:
        self._findings.checked(TREE)
        if checkpoint.root != root:
            size = checkpoint.size
            why = f"the first {size} entries are not those of an earlier checkpoint"
            self._findings.fail(TREE, why, size - 1, checkpoint.root.hex(), root.hex())

    def _beyond(self) -> None:
        claimed = self._heads.claimed
        for checkpoint in self._heads.earlier:
            if checkpoint.size > self._header.size:
                why = "an earlier checkpoint was signed over more entries than this log has"
                found = str(self._header.size)
                self._findings.fail(TREE, why, None, str(checkpoint.size), found)
            elif self._header.scope == "table":
                continue  # compared on the way
            elif claimed is not None and checkpoint.size == claimed.size:
                self._earlier_is(checkpoint, claimed.root)
            else:
                why = f"an earlier checkpoint of {checkpoint.size} entries needs the whole table"
                self._findings.unchecked(TREE, why)

    # --- steps 4 and 5 ----------------------------------------------------------------------------

    def _sequence(self, entry: Entry) -> None:
        findings, last = self._findings, self._last
        findings.checked(SEQUENCE)
        before = -1 if last is None else last.seq
        whole = self._header.scope == "table"
        if (whole and entry.seq != before + 1) or entry.seq <= before:
            expected = f"{before + 1}" if whole else f"beyond {before}"
            findings.fail(SEQUENCE, "out of sequence", entry.seq, expected, str(entry.seq))
        elif entry.seq >= self._header.size:
            findings.fail(SEQUENCE, f"beyond the {self._header.size} that were signed", entry.seq)
        if last is not None and entry.at < last.at:
            why = "the time goes backwards"
            findings.fail(SEQUENCE, why, entry.seq, f"{last.at} or later", str(entry.at))

    def _payload(self, entry: Entry) -> None:
        if entry.salt is None or entry.payload is None:
            return
        self._findings.checked(PAYLOADS)
        found = digest_of(entry.salt, entry.payload)
        if found != entry.digest:
            why = "the payload is not the one that was sealed"
            self._findings.fail(PAYLOADS, why, entry.seq, entry.digest.hex(), found.hex())

    def _erased(self, seq: int, gone: int) -> None:
        self._findings.checked(PAYLOADS)
        if gone >= seq:
            why = f"it erases entry {gone}, which does not come before it"
            self._findings.fail(PAYLOADS, why, seq)
            return
        self._marks.erase(gone)
        mark = self._marks.of(gone)
        if mark.disclosed:
            why = f"entry {gone} is reported as erased, but its payload is here"
            self._findings.fail(PAYLOADS, why, seq)


def _exactly(value: object) -> str:
    return json.dumps(value, sort_keys=True)
